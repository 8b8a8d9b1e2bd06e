/* Three-component vectors for the code that is not hot. */
#ifndef MOTE_BASE_VEC_H
#define MOTE_BASE_VEC_H

#include "mote/base.h"

#include <math.h>

static inline mote_vec3 mt_add(mote_vec3 a, mote_vec3 b)
{
    return (mote_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline mote_vec3 mt_sub(mote_vec3 a, mote_vec3 b)
{
    return (mote_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline mote_vec3 mt_scale(mote_vec3 a, float s)
{
    return (mote_vec3){a.x * s, a.y * s, a.z * s};
}

static inline float mt_dot(mote_vec3 a, mote_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline mote_vec3 mt_cross(mote_vec3 a, mote_vec3 b)
{
    return (mote_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline float mt_length(mote_vec3 a)
{
    return sqrtf(mt_dot(a, a));
}

static inline bool mt_is_finite3(mote_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static inline mote_vec3 mt_xyz(mote_vec4 a)
{
    return (mote_vec3){a.x, a.y, a.z};
}

#endif
