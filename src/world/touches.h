/* The order of touches: by the particle, then by what it touches. */
#ifndef MOTE_WORLD_TOUCHES_H
#define MOTE_WORLD_TOUCHES_H

#include "world/world.h"

/* Below 0: a comes first; 0: they are the same. */
static inline int mt_touch_compare(const mt_touch *a, const mt_touch *b)
{
    const uint32_t left[5] = {a->particle.index, a->particle.generation, a->kind, a->other_index,
                              a->other_generation};
    const uint32_t right[5] = {b->particle.index, b->particle.generation, b->kind, b->other_index,
                               b->other_generation};
    for (int k = 0; k < 5; k++)
        if (left[k] != right[k])
            return left[k] < right[k] ? -1 : 1;
    return 0;
}

#endif
