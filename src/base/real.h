/* Three-component vectors in double precision, for what must not lose digits. */
#ifndef MOTE_BASE_REAL_H
#define MOTE_BASE_REAL_H

#include "mote/base.h"

#include <math.h>

typedef struct mt_real3 {
    double x, y, z;
} mt_real3;

static inline mt_real3 mt_real_of(mote_vec3 a)
{
    return (mt_real3){(double)a.x, (double)a.y, (double)a.z};
}

/* The way from `from` to `to`; exact unless the two differ in size by more than 2^29. */
static inline mt_real3 mt_real_between(mote_vec3 from, mote_vec3 to)
{
    return (mt_real3){(double)to.x - (double)from.x, (double)to.y - (double)from.y,
                      (double)to.z - (double)from.z};
}

static inline mt_real3 mt_real_add(mt_real3 a, mt_real3 b)
{
    return (mt_real3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline mt_real3 mt_real_sub(mt_real3 a, mt_real3 b)
{
    return (mt_real3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline mt_real3 mt_real_scale(mt_real3 a, double s)
{
    return (mt_real3){a.x * s, a.y * s, a.z * s};
}

static inline double mt_real_dot(mt_real3 a, mt_real3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline mt_real3 mt_real_cross(mt_real3 a, mt_real3 b)
{
    return (mt_real3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* The sum of the components' sizes: between the length and 1.74 times it. */
static inline double mt_real_size(mt_real3 a)
{
    return fabs(a.x) + fabs(a.y) + fabs(a.z);
}

/* As fmin and fmax, which compilers make calls of for the sake of NaN. */
static inline double mt_real_least(double a, double b)
{
    return a < b ? a : b;
}

static inline double mt_real_most(double a, double b)
{
    return a > b ? a : b;
}

/* To floats; never a negative zero, so that equal planes have equal bits. */
static inline mote_vec3 mt_real_round(mt_real3 a)
{
    return (mote_vec3){(float)a.x + 0.0f, (float)a.y + 0.0f, (float)a.z + 0.0f};
}

#endif
