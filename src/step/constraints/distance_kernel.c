/* Distance: two places stay as far apart as their rest says. */
#include "step/constraints/rows.h"

/* Where the two are in one place, the direction is up. */
LANE_FUNCTION lanes look_at_distance(const lanes3 *place, const mt_constraint_row *row, lanes3 *direction)
{
    const lanes3 up = lanes3_all((mote_vec3){0.0f, 1.0f, 0.0f});
    lanes length = lanes3_length(place[1]);
    lane_mask apart = lanes_above(length, lanes_all(1e-12f));
    direction[1] = lanes3_select(
        apart, lanes3_scale(place[1], lanes_all(1.0f) / lanes_max(length, lanes_all(1e-12f))), up);
    return length - lanes_load(row->own[0]);
}

CONSTRAINT_KERNELS(distance, 2, look_at_distance)
