/* What only a step needs. It is kept between steps so that a steady step allocates nothing, but nothing in it
 * is state: a world with a fresh scratch goes on with the same bits. */
#ifndef MOTE_STEP_SCRATCH_H
#define MOTE_STEP_SCRATCH_H

#include "step/bodies/truces.h"
#include "step/constraints/work.h"
#include "step/finish/findings.h"
#include "step/impulse/report.h"
#include "step/slices.h"
#include "step/stages.h"
#include "step/substep.h"

#include <math.h>

typedef struct mt_scratch {
    mt_list_plan plan; /* of the lists to be made next */
    mt_grid grid;
    mt_array order, moved_to; /* uint32_t a slot: see neighbors/reorder.c */
    mt_lists lists;
    mt_late late; /* if there are liquids */
    mt_flow flow; /* if there is nothing else */
    mt_clusters clusters;
    mt_array loose_slot, loose_where,
        loose_velocity; /* uint32_t and mote_vec4: of particles that are in no body */
    mt_array ahead,
        moved_ahead; /* mote_vec4: velocities that lists look ahead for, see mt_list_velocities; where the reorder puts them */
    mt_array drifts, drift_cells; /* mote_vec4; uint32_t a slot: see neighbors/ahead.c */
    float list_time;              /* with impulses: for what time of the step they were made, s */
    mt_array position[2], predicted[2], transport, settled, surface, watch, cubes;
    mt_array moved_transport, moved_predicted; /* where the reorder puts them */
    mt_array shape_rows, shape_start, shape_length;
    mt_array
        shape_push; /* double[3] a shape: what it gave during the step, displacement times mass over h^2, N */
    _Atomic uint32_t shape_rows_used;
    uint64_t cache_edits; /* of the world's shapes when the caches of slices were last cleared */
    uint32_t cache_slices;
    mt_body_plan bodies;
    mt_truce_plan truces;
    mt_impulses impulses;
    mt_constraint_work constraints;
    mt_array shape_cache, candidates;
    mt_array flying;     /* uint8_t a slice, see mt_substep */
    mt_array pick_pulls; /* what picks gave, see solve/picks.c */
    mt_array around;     /* uint32_t: the shapes near a particle, for the passes that are not parallel */
    _Atomic uint32_t candidates_used;
    _Atomic bool guarded, nowhere;                             /* see mt_substep */
    mt_array wet, dense, pressure, excess, shift, near_liquid; /* see mt_substep */
    mt_array has_liquid; /* uint8_t a slice: not 0: one of its particles is of a liquid */
    mt_array asks_lists; /* uint8_t a slice: not 0: somebody in it may have left his place in the lists */
    bool pure_fluid;     /* all particles are of fluids, */
    bool uniform_fluid;  /* and of one material and mass: then all of `wet` is the same */
    mote_vec4 all_wet;
    /* See mt_stir; drags: a body. */
    mt_array stir_place, stir_direction, stir_residual, stir_image, stir_change, stir_touched, stir_drags;
    mt_array stir_hold, stir_ease[2], stir_grain;
    mt_array block_bad, block_bounds;
    mt_array rest_time; /* float: what sleep makes of the rest times */
    mt_array struck;    /* uint8_t: not 0: a sleeper that somebody flies against */
    mt_array killed;    /* uint32_t: slots that volumes take away */
    uint32_t killed_count;
    mt_report report;
    mt_findings found;
    mt_array event_scratch; /* mote_event: for sorting */
    double began;           /* when the step did, s of the clock */
    double stage_ms[MT_STAGE_COUNT];
    bool reordered; /* the step has put the particles into a new order, and can go back */
    /* Those of bodies lie in memory as the plan of bodies has them, so that what follows from who is where is as it was.
     * Found out at the start of a step, and false between steps. */
    bool in_sequence;
    bool stays;          /* and loose ones as the grid has them: the reorder has left all where they were */
    uint32_t phase_bits; /* then: in which bits phases differ from the first one */
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
