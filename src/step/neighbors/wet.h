/* What the passes of wet_kernel.c are given, and what they note of a block. */
#ifndef MOTE_STEP_NEIGHBORS_WET_H
#define MOTE_STEP_NEIGHBORS_WET_H

#include "base/vec.h"
#include "step/scratch.h"

typedef struct mt_wet_job {
    const mote_world *world;
    const mt_list_plan *plan;
    const mote_vec4 *where;
    float time; /* that lists are for, s */
    bool again; /* they are not the first of the step */
} mt_wet_job;

/* From the first slice with somebody whom liquids may reach to the last. */
typedef struct mt_wet_slices {
    uint32_t first, end;
} mt_wet_slices;

_Static_assert(sizeof(mt_wet_slices) <= MT_BLOCK_RECORD, "a block's record must hold it");

#endif
