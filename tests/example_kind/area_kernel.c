/* The area of three places keeps what it is. With n the unit normal, a place goes across the side that it faces:
 * half of n x that side. */
#include "step/constraints/rows.h"

LANE_FUNCTION lanes look_at_area(const lanes3 *place, const mt_constraint_row *row, lanes3 *direction)
{
    lanes3 normal = lanes3_cross(place[1], place[2]);
    lanes twice = lanes3_length(normal);
    lanes3 half = lanes3_scale(normal, lanes_all(0.5f) / lanes_max(twice, lanes_all(1e-12f)));
    direction[1] = lanes3_cross(place[2], half);
    direction[2] = lanes3_cross(half, place[1]);
    return lanes_all(0.5f) * twice - lanes_load(row->own[0]);
}

CONSTRAINT_KERNELS(area, 3, look_at_area)
