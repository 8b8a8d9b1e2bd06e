/* Bodies: particles that keep their form. A body is matched to where forces and contacts take its particles
 * (shape matching): it moves and turns as they do together, and they follow it. A particle may belong to
 * several bodies; those are then jointed there (joint.h). Builders that make particles and body at once are
 * in rigid.h.
 *
 * Bodies fall asleep by themselves, and no call puts one to sleep: if sleep_speed of the world's settings is
 * above 0, a body does so when all its particles have been slower than that for sleep_time seconds, and what
 * touches them for half of that. Jointed bodies sleep and wake together. A call that changes a body wakes it,
 * and so do something twice as fast as sleep_speed that touches it, a moving shape, and changes close by. All
 * wake when a shape, a field, a material or gravity changes, and by mote_world_wake. */
#ifndef MOTE_BODY_H
#define MOTE_BODY_H

#include "mote/particle.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mote_body_mode {
    MOTE_BODY_DYNAMIC, /* moved by forces, contacts and joints */
    MOTE_BODY_DRIVEN,  /* moved by the program only (mote_body_move_to, or its own velocity), else locked */
    MOTE_BODY_MODE_COUNT
} mote_body_mode;

typedef struct mote_body_def {
    /* Living particles, each once, at least one, none of them fixed. Those that are in other bodies already
     * become joints with these: one shared particle holds like a ball, two or more on a line like a hinge,
     * three or more off a line stiffly. */
    const mote_particle_id *particles;
    size_t particle_count;
    mote_body_mode mode; /* default MOTE_BODY_DYNAMIC */
    /* The body's own coordinates at the start, for those who draw it: default: as the world's */
    mote_pose frame;
} mote_body_def;

MOTE_API mote_body_def mote_default_body_def(void);

/* Adds a body; null on failure. Its velocity and spin are those of its particles. The particles of a body do
 * not collide with each other. At most 1 million. */
MOTE_API mote_body_id mote_body_add(mote_world *world, const mote_body_def *def);

/* Removes the body and its particles; those that other bodies share stay with them. */
MOTE_API mote_result mote_body_remove(mote_world *world, mote_body_id body);
/* Removes the body only: its particles become loose. */
MOTE_API mote_result mote_body_dissolve(mote_world *world, mote_body_id body);

MOTE_API bool mote_body_is_valid(const mote_world *world, mote_body_id body);
MOTE_API uint32_t mote_body_count(const mote_world *world);
/* The ids of the living bodies, in the order of their making: the first `capacity` of them are written, the
 * answer is how many there are. */
MOTE_API uint32_t mote_body_list(const mote_world *world, mote_body_id *ids, uint32_t capacity);
/* The same for the particles of a body; 0 for a stale handle. */
MOTE_API size_t mote_body_particles(const mote_world *world, mote_body_id body, mote_particle_id *ids,
                                    size_t capacity);
/* The bodies that a particle belongs to. */
MOTE_API uint32_t mote_particle_bodies(const mote_world *world, mote_particle_id particle, mote_body_id *ids,
                                       uint32_t capacity);

typedef struct mote_body_state {
    mote_pose pose;     /* of its own coordinates */
    mote_vec3 center;   /* of mass, in the world, m */
    mote_vec3 velocity; /* of the centre, m/s */
    mote_vec3 spin;     /* rad/s; of a rod also about its line, which its particles' velocities do not show, and
                         * which friction, as it sees particles, does not brake */
    float mass;         /* kg; of a shared particle each body has its part */
    mote_vec3 inertia;  /* principal moments, smallest first, kg m^2 */
    size_t particle_count;
    mote_body_mode mode;
    bool asleep;
} mote_body_state;

MOTE_API mote_result mote_body_get(const mote_world *world, mote_body_id body, mote_body_state *state);

/* The poses of many bodies at once, for a renderer. */
MOTE_API mote_result mote_body_poses(const mote_world *world, const mote_body_id *bodies, size_t count,
                                     mote_pose *poses);

/* ---- changing ------------------------------------------------------------------------------------------ */

/* Puts the body elsewhere at once, with all its particles; velocities stay. */
MOTE_API mote_result mote_body_set_pose(mote_world *world, mote_body_id body, mote_pose pose);
/* Of the centre of mass, m/s, and rad/s. A driven body goes on with it until it is moved otherwise. */
MOTE_API mote_result mote_body_set_velocity(mote_world *world, mote_body_id body, mote_vec3 velocity,
                                            mote_vec3 spin);
/* An impulse (N s) at a point of the world (m), as of a hit. Driven bodies do not feel it. */
MOTE_API mote_result mote_body_apply_impulse(mote_world *world, mote_body_id body, mote_vec3 impulse,
                                             mote_vec3 point);
/* A body that becomes dynamic keeps the velocity and spin that it had. Bodies that are driven, or were so until
 * then, and touch or overlap it do not collide with it until they have come apart once. */
MOTE_API mote_result mote_body_set_mode(mote_world *world, mote_body_id body, mote_body_mode mode);
/* Where a driven body is to be at the end of the next step. It moves there evenly, pushing what is in its way,
 * and stands still after it unless it is moved again. */
MOTE_API mote_result mote_body_move_to(mote_world *world, mote_body_id body, mote_pose pose);

#ifdef __cplusplus
}
#endif

#endif
