/* Particles. A program holds ids, which are stable; the solver keeps the particles in cell order, in slots that
 * change from step to step. mote_particles_get_view() shows the solver's arrays without a copy. */
#ifndef MOTE_PARTICLE_H
#define MOTE_PARTICLE_H

#include "mote/material.h"
#include "mote/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- phases --------------------------------------------------------------------------------------------
 * A phase says what a particle collides with. Particles of different groups collide; particles of one group do
 * if they have MOTE_PHASE_SELF_COLLIDE. A particle and a shape collide if they share a channel. */

#define MOTE_PHASE_GROUP_MASK    0x000FFFFFu
#define MOTE_PHASE_SELF_COLLIDE  0x00100000u
#define MOTE_PHASE_CHANNEL_SHIFT 24
#define MOTE_PHASE_CHANNEL_MASK  0x7F000000u

/* Group 0 .. 0xFFFFF, whether it collides with itself, and the shape channels (bits 0 to 6). */
static inline uint32_t mote_phase(uint32_t group, bool self_collide, uint32_t channels)
{
    return (group & MOTE_PHASE_GROUP_MASK) | (self_collide ? MOTE_PHASE_SELF_COLLIDE : 0u) |
           ((channels << MOTE_PHASE_CHANNEL_SHIFT) & MOTE_PHASE_CHANNEL_MASK);
}

/* All bits that a phase may have. */
#define MOTE_PHASE_MASK (MOTE_PHASE_GROUP_MASK | MOTE_PHASE_SELF_COLLIDE | MOTE_PHASE_CHANNEL_MASK)

/* Group 0, colliding with itself and with every shape. */
#define MOTE_PHASE_DEFAULT (MOTE_PHASE_SELF_COLLIDE | MOTE_PHASE_CHANNEL_MASK)

/* ---- making and removing ------------------------------------------------------------------------------- */

/* A radius that says: the one of the world's definition. A number that nobody means by mistake. */
#define MOTE_WORLD_RADIUS (-3e38f)

typedef struct mote_particle_def {
    mote_vec3 position;        /* m, each coordinate within +-1e6 */
    mote_vec3 velocity;        /* m/s, at most 1e4 in all */
    float mass;                /* kg, > 0; default 1 */
    float radius;              /* m, > 0; default MOTE_WORLD_RADIUS */
    bool fixed;                /* not moved by forces or contacts, only by its own velocity; default false */
    mote_material_id material; /* default (null): the world's default material */
    uint32_t phase;            /* default MOTE_PHASE_DEFAULT */
} mote_particle_def;

MOTE_API mote_particle_def mote_default_particle_def(void);

/* Adds one particle; null on failure. */
MOTE_API mote_particle_id mote_particle_add(mote_world *world, const mote_particle_def *def);

/* Adds many, all or none. `ids` may be NULL. */
MOTE_API mote_result mote_particles_add(mote_world *world, const mote_particle_def *defs, size_t count,
                                        mote_particle_id *ids);

MOTE_API mote_result mote_particle_remove(mote_world *world, mote_particle_id particle);
MOTE_API bool mote_particle_is_valid(const mote_world *world, mote_particle_id particle);
MOTE_API size_t mote_particle_count(const mote_world *world);

/* ---- one at a time ------------------------------------------------------------------------------------- */

typedef struct mote_particle_state {
    mote_vec3 position; /* m */
    mote_vec3 velocity; /* m/s */
    mote_vec3 spin;     /* rad/s, of those whose material rolls */
    float mass;         /* kg; infinite for a fixed particle */
    float radius;       /* m */
    uint32_t phase;
    mote_material_id material;
    bool fixed, asleep;
} mote_particle_state;

MOTE_API mote_result mote_particle_get(const mote_world *world, mote_particle_id particle,
                                       mote_particle_state *state);
MOTE_API mote_result mote_particle_set_position(mote_world *world, mote_particle_id particle,
                                                mote_vec3 position);
MOTE_API mote_result mote_particle_set_velocity(mote_world *world, mote_particle_id particle,
                                                mote_vec3 velocity);
/* A spin, rad/s: its size times the radius is at most 1e4 m/s. Wakes the particle. The impulse solver takes it away
 * from who cannot roll: particles of other materials, of bodies, and those that are fixed. */
MOTE_API mote_result mote_particle_set_spin(mote_world *world, mote_particle_id particle, mote_vec3 spin);
MOTE_API mote_result mote_particle_set_phase(mote_world *world, mote_particle_id particle, uint32_t phase);
MOTE_API mote_result mote_particle_set_material(mote_world *world, mote_particle_id particle,
                                                mote_material_id material);
/* A new mass for a particle that is not fixed; fixed or free again (with the mass given). */
MOTE_API mote_result mote_particle_set_mass(mote_world *world, mote_particle_id particle, float mass);
MOTE_API mote_result mote_particle_set_fixed(mote_world *world, mote_particle_id particle, bool fixed,
                                             float mass);
/* Changes the momentum, N s, and wakes the particle. Fixed particles do not feel it. */
MOTE_API mote_result mote_particle_apply_impulse(mote_world *world, mote_particle_id particle,
                                                 mote_vec3 impulse);

/* ---- in bulk ------------------------------------------------------------------------------------------- */

/* The solver's own arrays, in slot order, for reading. Valid until the next call that changes the world. */
typedef struct mote_particles_view {
    size_t count;
    const mote_vec4 *position; /* x, y, z, radius */
    const mote_vec4 *velocity; /* x, y, z, inverse mass (0: fixed) */
    const mote_vec4 *spin;     /* x, y, z, 0 */
    const uint32_t *phase;
    const uint32_t *material;   /* index into mote_material_at() */
    const mote_particle_id *id; /* whose slot it is */
    const float *rest_time;     /* s spent below the sleeping speed; negative: asleep */
} mote_particles_view;

MOTE_API mote_particles_view mote_particles_get_view(const mote_world *world);

/* Copies of what the given particles have, in the order of `ids`. Any output may be NULL. */
MOTE_API mote_result mote_particles_read(const mote_world *world, const mote_particle_id *ids, size_t count,
                                         mote_vec3 *positions, mote_vec3 *velocities);

/* The other way. Checked before the first is written: all or none. Any input may be NULL. Wakes them. */
MOTE_API mote_result mote_particles_write(mote_world *world, const mote_particle_id *ids, size_t count,
                                          const mote_vec3 *positions, const mote_vec3 *velocities);

/* The same of spins, rad/s. */
MOTE_API mote_result mote_particles_read_spins(const mote_world *world, const mote_particle_id *ids,
                                               size_t count, mote_vec3 *spins);
MOTE_API mote_result mote_particles_write_spins(mote_world *world, const mote_particle_id *ids, size_t count,
                                                const mote_vec3 *spins);

#ifdef __cplusplus
}
#endif

#endif
