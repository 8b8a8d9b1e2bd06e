/* Vectors of space, eight at a time. */
#ifndef MOTE_BASE_LANES3_H
#define MOTE_BASE_LANES3_H

#include "base/simd.h"

typedef struct lanes3 {
    lanes x, y, z;
} lanes3;

/* The same in all lanes. */
LANE_FUNCTION lanes3 lanes3_all(mote_vec3 v)
{
    return (lanes3){lanes_all(v.x), lanes_all(v.y), lanes_all(v.z)};
}

LANE_FUNCTION lanes3 lanes3_add(lanes3 a, lanes3 b)
{
    return (lanes3){a.x + b.x, a.y + b.y, a.z + b.z};
}

LANE_FUNCTION lanes3 lanes3_sub(lanes3 a, lanes3 b)
{
    return (lanes3){a.x - b.x, a.y - b.y, a.z - b.z};
}

LANE_FUNCTION lanes3 lanes3_scale(lanes3 a, lanes s)
{
    return (lanes3){a.x * s, a.y * s, a.z * s};
}

LANE_FUNCTION lanes3 lanes3_minus(lanes3 a)
{
    return (lanes3){-a.x, -a.y, -a.z};
}

LANE_FUNCTION lanes lanes3_dot(lanes3 a, lanes3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

LANE_FUNCTION lanes lanes3_length(lanes3 a)
{
    return lanes_sqrt(lanes3_dot(a, a));
}

LANE_FUNCTION lanes3 lanes3_cross(lanes3 a, lanes3 b)
{
    return (lanes3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* 0 where the mask is not. */
LANE_FUNCTION lanes3 lanes3_keep(lane_mask mask, lanes3 v)
{
    return (lanes3){lanes_keep(mask, v.x), lanes_keep(mask, v.y), lanes_keep(mask, v.z)};
}

LANE_FUNCTION lanes3 lanes3_select(lane_mask mask, lanes3 a, lanes3 b)
{
    return (lanes3){lanes_select(mask, a.x, b.x), lanes_select(mask, a.y, b.y), lanes_select(mask, a.z, b.z)};
}

/* Of all lanes, in one fixed order. */
LANE_FUNCTION mote_vec3 lanes3_sum(lanes3 a)
{
    return (mote_vec3){lanes_sum(a.x), lanes_sum(a.y), lanes_sum(a.z)};
}

#endif
