/* What only a step needs. It is kept between steps so that a steady step allocates nothing, but nothing in it
 * is state: a world with a fresh scratch goes on with the same bits. */
#ifndef MOTE_STEP_SCRATCH_H
#define MOTE_STEP_SCRATCH_H

#include "step/bodies/deferred_pairs.h"
#include "step/constraints/work.h"
#include "step/finish/findings.h"
#include "step/fluid/coarse_work.h"
#include "step/impulse/report.h"
#include "step/slices.h"
#include "step/stages.h"
#include "step/substep.h"

#include <math.h>

/* Who is near whom. */
typedef struct mt_neighbor_search {
    mt_list_plan plan; /* of the lists to be made next */
    float time;        /* with impulses: for what time of the step they were made, s */
    mt_grid grid;
    mt_array order, moved_to; /* uint32_t a slot: see neighbors/reorder.c */
    mt_lists lists;
    mt_stale_lists stale; /* if there are liquids */
    mt_flow flow;         /* if there is nothing else */
    mt_clusters clusters;
    mt_array loose_slot, loose_where,
        loose_velocity; /* uint32_t, mote_vec4: of particles that are in no body */
    /* mote_vec4: velocities that lists look ahead for, see mt_list_velocities; where the reorder puts them */
    mt_array ahead, moved_ahead;
    mt_array drifts, drift_cells; /* mote_vec4; uint32_t a slot: see neighbors/ahead.c */
    bool reordered;               /* the step has put the particles into a new order, and can go back */
    /* Those of bodies lie in memory as the plan of bodies has them, so that what follows from who is where is as it was.
     * Found out at the start of a step, and false between steps. */
    bool in_sequence;
    bool stays;          /* and loose ones as the grid has them: the reorder has left all where they were */
    uint32_t phase_bits; /* then: in which bits phases differ from the first one */
} mt_neighbor_search;

/* See mt_substep_particles. */
typedef struct mt_scratch_particles {
    mt_array position[2], predicted[2], transport, settled, surface;
    mt_array moved_transport, moved_predicted; /* where the reorder puts them */
    mt_array rest_time;                        /* float: what sleep makes of the rest times */
} mt_scratch_particles;

/* See mt_substep_shapes and mt_substep_guard. */
typedef struct mt_scratch_shapes {
    mt_array rows, start, length;
    _Atomic uint32_t rows_used;
    mt_array cache, candidates;
    _Atomic uint32_t candidates_used;
    uint64_t cache_edits; /* of the world's shapes when the caches of slices were last cleared */
    uint32_t cache_slices;
    mt_array around; /* uint32_t: the shapes near a particle, for the passes that are not parallel */
    mt_array push;   /* double[3] a shape: what it gave during the step, displacement times mass over h^2, N */
    mt_array watch, cubes;
    _Atomic bool guarded; /* see mt_substep_guard.looked */
} mt_scratch_shapes;

/* See mt_substep_liquids. */
typedef struct mt_scratch_liquids {
    mt_array wet, dense, pressure, excess, shift, near_liquid;
    mt_array lift, lifted, now, lean, wanted, spring, guess;
    mt_coarse coarse;
    mt_array has_liquid; /* uint8_t a slice: not 0: one of its particles is of a liquid */
    uint32_t first, end; /* of slices: no others have liquids; `first` is a block's */
    mt_array asks_lists; /* uint8_t a slice: not 0: somebody in it may have left his place in the lists */
    bool pure;           /* all particles are of fluids, */
    bool uniform;        /* and of one material and mass: then all of `wet` is the same */
    mote_vec4 all_wet;
} mt_scratch_liquids;

/* See mt_stir; drags: a body. */
typedef struct mt_scratch_stir {
    mt_array place, direction, residual, image, change, touched, left, drags;
    mt_array hold, inverse_mass[2], grain;
} mt_scratch_stir;

/* What the end of a step finds out. */
typedef struct mt_scratch_finish {
    mt_array struck; /* uint8_t: not 0: a sleeper that somebody flies against */
    mt_array killed; /* uint32_t: slots that volumes take away */
    uint32_t killed_count;
    mt_report report;
    mt_findings found;
    mt_array event_scratch; /* mote_event: for sorting */
} mt_scratch_finish;

typedef struct mt_scratch {
    mt_neighbor_search search;
    mt_scratch_particles particles;
    mt_scratch_shapes shapes;
    mt_scratch_liquids liquids;
    mt_scratch_stir stir;
    mt_body_plan bodies;
    mt_deferred_plan deferred;
    mt_impulses impulses;
    mt_constraint_work constraints;
    mt_scratch_finish finish;
    mt_array flying;           /* uint8_t a slice, see mt_substep_bodies */
    _Atomic bool out_of_space; /* see mt_substep_bodies */
    mt_array pick_pulls;       /* what picks gave, see impulse/picks.c */
    mt_array block_bad;        /* see mt_substep */
    mt_array block_bounds;     /* MT_BLOCK_RECORD bytes a block: what a pass notes of it */
    double began;              /* when the step did, s of the clock */
    double stage_ms[MT_STAGE_COUNT];
} mt_scratch;

/* Room for the world's particles. */
mote_result mt_scratch_reserve(mote_world *world);

/* m: where a step may leave particles. A tenth of MT_FAR is as far as they fly by themselves, and a body's centre is
 * among its particles, so that a snapshot takes all that a step leaves: see FARTHEST in snapshot_bodies.c. */
#define MT_SPACE_END (0.12f * MT_FAR)

/* A place in space: NaN is none. */
static inline bool mt_is_somewhere(mote_vec4 x)
{
    return fabsf(x.x) < MT_SPACE_END && fabsf(x.y) < MT_SPACE_END && fabsf(x.z) < MT_SPACE_END;
}

#endif
