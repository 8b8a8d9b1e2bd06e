/* How far particles reach, eight at a time: half the distance within which they look for neighbours; contact, margin or
 * what liquids need, and slack. */
#ifndef MOTE_STEP_NEIGHBORS_REACH_H
#define MOTE_STEP_NEIGHBORS_REACH_H

#include "base/simd.h"
#include "step/scratch.h"

LANE_FUNCTION lanes beyond_liquids(lanes x, float low, float high)
{
    return lanes_max(lanes_all(low) - x, x - lanes_all(high));
}

/* As mt_way_to_liquids. */
LANE_FUNCTION lanes way_to_liquids(const mt_list_plan *plan, lanes4 x)
{
    lanes way = beyond_liquids(x.x, plan->low[0], plan->high[0]);
    way = lanes_max(way, beyond_liquids(x.y, plan->low[1], plan->high[1]));
    return lanes_max(way, beyond_liquids(x.z, plan->low[2], plan->high[2]));
}

/* Whether particles look as far as liquids need. */
LANE_FUNCTION lane_mask look_for_liquids(const mt_list_plan *plan, lanes4 x)
{
    return lanes_below(way_to_liquids(plan, x), lanes_all(plan->most));
}

LANE_FUNCTION lanes lanes_reach(const mt_list_plan *plan, lanes4 x, lanes radius, lanes4 velocity)
{
    lanes slack = lanes_all(plan->skin) * radius;
    if (plan->time != 0) {
        lanes vx = velocity.x - lanes_all(plan->drift.x), vy = velocity.y - lanes_all(plan->drift.y),
              vz = velocity.z - lanes_all(plan->drift.z);
        lanes motion = lanes_all(plan->time) * lanes_sqrt(vx * vx + vy * vy + vz * vz);
        slack = lanes_max(lanes_min(motion, lanes_all(plan->most)), slack);
    }
    lanes reach = radius * lanes_all(plan->margin);
    if (plan->least > 0)
        reach = lanes_max(reach, lanes_keep(look_for_liquids(plan, x), lanes_all(plan->least)));
    return reach + slack;
}

#endif
