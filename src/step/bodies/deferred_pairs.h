/* Bodies that do not collide until they have come apart once, in a step. */
#ifndef MOTE_STEP_BODIES_DEFERRED_PAIRS_H
#define MOTE_STEP_BODIES_DEFERRED_PAIRS_H

#include "world/world.h"

typedef struct mt_deferred_plan {
    mt_array pairs; /* uint32_t[2]: places of two bodies in the world's table, the lower first; sorted */
    uint32_t pair_count;
    mt_array start, others;  /* uint32_t a body and one more; the other bodies of its pairs */
    mt_array kinds;          /* uint8_t a body: whether it was let go, or is driven */
    mt_array entries, spare; /* mt_grid_entry: scratch for finding out who touches; and for sorting pairs */
} mt_deferred_plan;

/* Before lists are made: finds out whom the bodies that were let go touch. */
mote_result mt_deferred_begin(mote_world *world);
/* At the end of a step, before bodies change: who is apart now collides from the next step on. */
void mt_deferred_commit(mote_world *world);

#endif
