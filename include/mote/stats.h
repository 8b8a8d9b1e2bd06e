/* Numbers about the last step: where the time went, how well the constraints are met, how much energy there is.
 */
#ifndef MOTE_STATS_H
#define MOTE_STATS_H

#include "mote/constraint_kinds.h"
#include "mote/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Stages of the step, in their order. */
MOTE_API uint32_t mote_stage_count(void);
MOTE_API const char *mote_stage_name(uint32_t stage);

/* Milliseconds that a stage took during the last step, all substeps together. */
MOTE_API double mote_world_stage_ms(const mote_world *world, uint32_t stage);

typedef struct mote_stats {
    size_t particles, asleep;
    size_t bodies, joints, constraints;
    size_t neighbors;         /* entries of all neighbour lists, each pair of free particles twice */
    size_t contacts;          /* those within the contact margin, and contacts with shapes */
    uint32_t neighbor_builds; /* how often the lists were made during the last step */
    uint32_t substeps, iterations;
    double step_ms;          /* the whole step */
    double kinetic_energy;   /* J */
    double potential_energy; /* J, of gravity, 0 at the origin */
    mote_vec3 momentum;      /* kg m/s */
    float max_speed;         /* m/s */
    float max_penetration;   /* deepest overlap of two particles or a particle and a shape, m */
    double residual;         /* sum of all overlaps, each once, m */
    size_t fluid_particles;  /* of liquids */
    /* How much denser than its material says a particle of a liquid is, as a part of that density: 0.01 is 1 %.
     * Thinner ones, as at a surface, count as 0. */
    float mean_density_error, max_density_error;
    double fluid_volume; /* of all liquids, as much as they are compressed, m^3 */
    size_t memory;       /* bytes that the world holds */
} mote_stats;

/* Energies, overlaps and densities are worked out on demand, from lists made for it: about as long as finding
 * neighbours takes. */
MOTE_API mote_result mote_world_stats(mote_world *world, mote_stats *stats);

/* What is left of the errors of a kind of constraints. */
typedef enum mote_residual {
    MOTE_RESIDUAL_CONTACTS, /* of particles and bodies: root mean square of the overlaps, m */
    MOTE_RESIDUAL_SHAPES,   /* the same with shapes, m */
    MOTE_RESIDUAL_JOINTS,   /* root mean square of the gaps, m */
    MOTE_RESIDUAL_DENSITY,  /* of liquids: mean_density_error of mote_stats, a part of the density */
    MOTE_RESIDUAL_PICKS,    /* root mean square of the distances to the targets, m */
/* One for each kind of constraints, MOTE_RESIDUAL_DISTANCE and so on: root mean square of what its measure is off beyond
 * what its compliance allows; where one-sided ones are slack: nothing. */
#define MOTE_RESIDUAL_OF(NAME, name, ends, unit) MOTE_RESIDUAL_##NAME,
    MOTE_CONSTRAINT_KINDS(MOTE_RESIDUAL_OF)
#undef MOTE_RESIDUAL_OF
        MOTE_RESIDUAL_COUNT
} mote_residual;

/* Contacts: those that overlap or bear something when the last substep of the last step has been solved, where they
 * would be at its end; 0 before the first step, and of a world that was restored. The others: as the world is now. */
MOTE_API mote_result mote_world_residual(mote_world *world, mote_residual kind, double *residual);

#ifdef __cplusplus
}
#endif

#endif
