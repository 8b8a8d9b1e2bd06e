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
    uint32_t ranges; /* of slots: see pairs.c */
} mt_set_job;

/* Pairs that are found in a particle's list are put into its column of the contact lists: slots, with this bit if it is
 * the surface of the other's body that is touched. */
#define MT_ON_SURFACE 0x80000000u

/* The contact lists have a column for each particle of a slice. */
static inline uint32_t *mt_own_pairs(const mt_lists *lists, uint32_t slot)
{
    return (uint32_t *)lists->contact.data +
           (size_t)((const uint32_t *)lists->start.data)[slot / MT_SLICE] * MT_SLICE + slot % MT_SLICE;
}

/* pairs.c: the pairs that were found, in their order, with what was remembered of them. */
mote_result mt_pairs_order(mt_set_job *job);

static inline bool mt_mover_moves(const mt_impulses *w, uint32_t mover)
{
    return ((const mote_vec4 *)w->velocity.data)[mover].w > 0;
}

#endif
