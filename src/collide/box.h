/* Boxes along the axes. */
#ifndef MOTE_COLLIDE_BOX_H
#define MOTE_COLLIDE_BOX_H

#include "base/vec.h"

typedef struct mt_box {
    mote_vec3 min, max;
} mt_box;

/* The C library's fminf and fmaxf take care of NaN, which makes them calls. */
static inline float mt_least(float a, float b)
{
    return a < b ? a : b;
}

static inline float mt_most(float a, float b)
{
    return a > b ? a : b;
}

static inline mt_box mt_box_empty(void)
{
    return (mt_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static inline mt_box mt_box_with(mt_box box, mote_vec3 x)
{
    return (mt_box){{mt_least(box.min.x, x.x), mt_least(box.min.y, x.y), mt_least(box.min.z, x.z)},
                    {mt_most(box.max.x, x.x), mt_most(box.max.y, x.y), mt_most(box.max.z, x.z)}};
}

static inline mt_box mt_box_join(mt_box a, mt_box b)
{
    return mt_box_with(mt_box_with(a, b.min), b.max);
}

static inline mt_box mt_box_grow(mt_box box, float by)
{
    mote_vec3 all = {by, by, by};
    return (mt_box){mt_sub(box.min, all), mt_add(box.max, all)};
}

static inline bool mt_box_overlap(const mt_box *a, const mt_box *b)
{
    return a->min.x <= b->max.x && a->max.x >= b->min.x && a->min.y <= b->max.y && a->max.y >= b->min.y &&
           a->min.z <= b->max.z && a->max.z >= b->min.z;
}

static inline bool mt_box_contains(const mt_box *outer, const mt_box *inner)
{
    return outer->min.x <= inner->min.x && outer->max.x >= inner->max.x && outer->min.y <= inner->min.y &&
           outer->max.y >= inner->max.y && outer->min.z <= inner->min.z && outer->max.z >= inner->max.z;
}

static inline mote_vec3 mt_box_clamp(const mt_box *box, mote_vec3 x)
{
    return (mote_vec3){mt_least(mt_most(x.x, box->min.x), box->max.x),
                       mt_least(mt_most(x.y, box->min.y), box->max.y),
                       mt_least(mt_most(x.z, box->min.z), box->max.z)};
}

#endif
