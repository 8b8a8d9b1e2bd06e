/* The little vector algebra that drawing needs. */
#ifndef MOTE_TOOLS_RENDER_VECTOR_H
#define MOTE_TOOLS_RENDER_VECTOR_H

#include "mote/base.h"

#include <math.h>

/* As fmaxf and fminf, but for numbers only: those are calls, these are one instruction. */
static inline float larger(float a, float b)
{
    return a > b ? a : b;
}

static inline float smaller(float a, float b)
{
    return a < b ? a : b;
}

static inline mote_vec3 vector_of(mote_vec4 v)
{
    return (mote_vec3){v.x, v.y, v.z};
}

static inline mote_vec3 vector_add(mote_vec3 a, mote_vec3 b)
{
    return (mote_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline mote_vec3 vector_sub(mote_vec3 a, mote_vec3 b)
{
    return (mote_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline mote_vec3 vector_scale(mote_vec3 a, float s)
{
    return (mote_vec3){a.x * s, a.y * s, a.z * s};
}

static inline mote_vec3 vector_least(mote_vec3 a, mote_vec3 b)
{
    return (mote_vec3){smaller(a.x, b.x), smaller(a.y, b.y), smaller(a.z, b.z)};
}

static inline mote_vec3 vector_most(mote_vec3 a, mote_vec3 b)
{
    return (mote_vec3){larger(a.x, b.x), larger(a.y, b.y), larger(a.z, b.z)};
}

/* Each part without its sign. */
static inline mote_vec3 vector_size(mote_vec3 a)
{
    return (mote_vec3){fabsf(a.x), fabsf(a.y), fabsf(a.z)};
}

/* Part by part: a colour seen in a light. */
static inline mote_vec3 vector_times(mote_vec3 a, mote_vec3 b)
{
    return (mote_vec3){a.x * b.x, a.y * b.y, a.z * b.z};
}

static inline mote_vec3 vector_mix(mote_vec3 a, mote_vec3 b, float t)
{
    return vector_add(vector_scale(a, 1.0f - t), vector_scale(b, t));
}

static inline float vector_dot(mote_vec3 a, mote_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline mote_vec3 vector_cross(mote_vec3 a, mote_vec3 b)
{
    return (mote_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline float vector_length(mote_vec3 a)
{
    return sqrtf(vector_dot(a, a));
}

static inline mote_vec3 vector_unit(mote_vec3 a)
{
    return vector_scale(a, 1.0f / larger(vector_length(a), 1e-20f));
}

/* Some vector across `a` that is as level as possible: right-hand sides of cameras and lights. */
static inline mote_vec3 vector_level_side(mote_vec3 a)
{
    mote_vec3 up = fabsf(a.y) < 0.999f * vector_length(a) ? (mote_vec3){0, 1, 0} : (mote_vec3){0, 0, 1};
    return vector_unit(vector_cross(a, up));
}

static inline float clamp01(float value)
{
    return smaller(larger(value, 0.0f), 1.0f);
}

/* 0 below `low`, 1 above `high`, smooth between. */
static inline float smooth_step(float low, float high, float value)
{
    float t = clamp01((value - low) / (high - low));
    return t * t * (3.0f - 2.0f * t);
}

#endif
