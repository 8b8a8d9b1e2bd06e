#include "query/query.h"

#include "world/check.h"

#define ALL_CHANNELS (MOTE_PHASE_CHANNEL_MASK >> MOTE_PHASE_CHANNEL_SHIFT)

mote_query_filter mote_default_query_filter(void)
{
    return (mote_query_filter){true, true, ALL_CHANNELS, MOTE_QUERY_ALL_GROUPS};
}

mote_result mt_query_begin(const mote_world *world, const char *call, const mote_query_filter *filter,
                           mote_query_filter *used)
{
    MT_TRY(mt_enter(world, call));
    *used = filter != NULL ? *filter : mote_default_query_filter();
    MT_TRY(mt_check_count("filter.channels", used->channels, 0, ALL_CHANNELS));
    if (used->group != MOTE_QUERY_ALL_GROUPS)
        MT_TRY(mt_check_count("filter.group", used->group, 0, MOTE_PHASE_GROUP_MASK));
    used->particles = used->particles && world->particles.count > 0;
    used->shapes = used->shapes && world->shapes.count > 0;
    return used->shapes ? mt_placement_begin(mt_query_world(world), 0.0f) : MOTE_OK;
}
