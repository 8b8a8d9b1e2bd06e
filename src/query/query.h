/* What all queries share: the filter, and shapes placed as they are now. */
#ifndef MOTE_QUERY_QUERY_H
#define MOTE_QUERY_QUERY_H

#include "world/placement.h"
#include "world/world.h"

/* Checks the world and the filter (NULL: the default), places the shapes if they are asked for, and answers the
 * filter that counts. */
mote_result mt_query_begin(const mote_world *world, const char *call, const mote_query_filter *filter,
                           mote_query_filter *used);

static inline bool mt_query_sees_particle(const mote_query_filter *filter, uint32_t phase)
{
    return filter->group == MOTE_QUERY_ALL_GROUPS || (phase & MOTE_PHASE_GROUP_MASK) == filter->group;
}

static inline bool mt_query_sees_shape(const mote_query_filter *filter, const mt_placed *placed)
{
    return !placed->trigger && (placed->channels & filter->channels) != 0;
}

/* A query changes nothing that anyone can see, but it needs room, and the placement of shapes is kept between
 * calls. Every world is made as one that can be changed, so the cast is sound. */
static inline mote_world *mt_query_world(const mote_world *world)
{
    return (mote_world *)world;
}

#endif
