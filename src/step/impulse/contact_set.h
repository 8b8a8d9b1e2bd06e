/* The parts of finding who may touch whom: contact_set.c. */
#ifndef MOTE_STEP_IMPULSE_CONTACT_SET_H
#define MOTE_STEP_IMPULSE_CONTACT_SET_H

#include "step/impulse/contact_rows.h"
#include "step/scratch.h"

typedef struct mt_set_job {
    mote_world *world;
    mt_substep *s;
    mt_impulses *w;
    bool turns;      /* some mover may turn: mt_may_turn */
    uint32_t ranges; /* of slices: as many as there are threads */
} mt_set_job;

/* Its first slice. */
static inline uint32_t mt_range_start(const mt_set_job *job, uint32_t range)
{
    return (uint32_t)((uint64_t)job->s->slices * range / job->ranges);
}

/* Pairs that a particle owns are put into its column of the contact lists while they are looked for: slots, with this bit
 * if it is the surface of the other's body that is touched. */
#define MT_ON_SURFACE 0x80000000u

/* The other of a pair that is found: its index, and whether the surface of its body is touched. */
static inline uint32_t mt_found(uint32_t index, bool on_surface)
{
    return index << 1 | (uint32_t)on_surface;
}

/* pairs.c: the pairs that were found, in their order, with what was remembered of them. */
mote_result mt_pairs_order(mt_set_job *job);

static inline bool mt_mover_moves(const mt_impulses *w, uint32_t mover)
{
    return ((const mote_vec4 *)w->velocity.data)[mover].w > 0;
}

#endif
