/* How far particles reach, eight at a time: as mt_reach. */
#ifndef MOTE_STEP_NEIGHBORS_REACH_H
#define MOTE_STEP_NEIGHBORS_REACH_H

#include "base/simd.h"
#include "step/scratch.h"

LANE_FUNCTION lanes lanes_reach(const mt_list_plan *plan, lanes radius, lanes4 velocity)
{
    lanes slack = lanes_all(plan->skin) * radius;
    if (plan->time != 0) {
        lanes x = velocity.x - lanes_all(plan->drift.x), y = velocity.y - lanes_all(plan->drift.y),
              z = velocity.z - lanes_all(plan->drift.z);
        lanes motion = lanes_all(plan->time) * lanes_sqrt(x * x + y * y + z * z);
        slack = lanes_max(lanes_min(motion, lanes_all(plan->most)), slack);
    }
    return lanes_max(radius * lanes_all(plan->margin), lanes_all(plan->least)) + slack;
}

#endif
