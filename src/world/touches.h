/* The order of touches: by the particle, then by what it touches. */
#ifndef MOTE_WORLD_TOUCHES_H
#define MOTE_WORLD_TOUCHES_H

#include "world/world.h"

static inline int mt_number_compare(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

/* Below 0: a comes first; 0: they are the same. */
static inline int mt_touch_compare(const mt_touch *a, const mt_touch *b)
{
    if (a->particle.index != b->particle.index)
        return mt_number_compare(a->particle.index, b->particle.index);
    if (a->particle.generation != b->particle.generation)
        return mt_number_compare(a->particle.generation, b->particle.generation);
    if (a->kind != b->kind)
        return mt_number_compare(a->kind, b->kind);
    if (a->other_index != b->other_index)
        return mt_number_compare(a->other_index, b->other_index);
    return mt_number_compare(a->other_generation, b->other_generation);
}

#endif
