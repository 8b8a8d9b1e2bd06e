/* Eight particles on their way through a substep: what the kernels that deal with shapes share. */
#ifndef MOTE_STEP_CONTACTS_EIGHT_H
#define MOTE_STEP_CONTACTS_EIGHT_H

#include "base/simd.h"
#include "step/scratch.h"

typedef struct eight {
    lanes4 start, end; /* start.w: radius */
    lanes within;      /* surfaces nearer than this are wanted, m */
    lane_index phase;
    uint32_t alive; /* bits of the lanes that can move */
    uint32_t real;  /* bits of the lanes that are no padding */
} eight;

/* Whether some of a slice are of a liquid. */
static inline bool is_wet(const mt_substep *s, uint32_t slice)
{
    return s->liquids.has_liquid != NULL && s->liquids.has_liquid[slice] != 0;
}

LANE_FUNCTION void load_way(eight *e, const mt_substep *s, uint32_t slice)
{
    e->start = lanes_load4(s->particles.position + slice * LANES);
    e->end = lanes_load4(s->particles.predicted + slice * LANES);
    e->within = e->start.w * lanes_all(2.0f * s->limits.contact_margin - 1.0f);
    if (is_wet(s, slice)) /* walls count as far as the kernel reaches */
        e->within = lanes_select(lanes_above(lanes_load4(s->liquids.wet + slice * LANES).z, lanes_all(0.0f)),
                                 lanes_all(s->liquids.fluid.support), e->within);
}

LANE_FUNCTION uint32_t alive_lanes(const mt_substep *s, uint32_t slice)
{
    return lanes_bits(lanes_above(lanes_load4(s->particles.transport + slice * LANES).w, lanes_all(0.0f)));
}

LANE_FUNCTION void load_eight(eight *e, const mt_substep *s, uint32_t slice)
{
    load_way(e, s, slice);
    e->phase = lanes_load_index(s->particles.phase + slice * LANES);
    e->alive = alive_lanes(s, slice);
    e->real = lanes_bits(lanes_above(e->start.w, lanes_all(0.0f)));
}

/* The boxes that eight particles sweep. */
typedef struct sweeps {
    lanes4 min, max;
} sweeps;

LANE_FUNCTION sweeps sweep(const eight *e)
{
    sweeps w;
    w.min.x = lanes_min(e->start.x, e->end.x) - e->within;
    w.min.y = lanes_min(e->start.y, e->end.y) - e->within;
    w.min.z = lanes_min(e->start.z, e->end.z) - e->within;
    w.max.x = lanes_max(e->start.x, e->end.x) + e->within;
    w.max.y = lanes_max(e->start.y, e->end.y) + e->within;
    w.max.z = lanes_max(e->start.z, e->end.z) + e->within;
    return w;
}

LANE_FUNCTION uint32_t overlapping(const sweeps *w, const mt_box *box)
{
    lane_mask x =
        lanes_at_most(w->min.x, lanes_all(box->max.x)) & lanes_at_least(w->max.x, lanes_all(box->min.x));
    lane_mask y =
        lanes_at_most(w->min.y, lanes_all(box->max.y)) & lanes_at_least(w->max.y, lanes_all(box->min.y));
    lane_mask z =
        lanes_at_most(w->min.z, lanes_all(box->max.z)) & lanes_at_least(w->max.z, lanes_all(box->min.z));
    return lanes_bits(x & y & z);
}

/* Whether all of eight particles, with `reach` radii around their ways, stay in their cubes: the same as by
 * sweep() and within_cubes(), two particles at a time as they are in memory. */
LANE_FUNCTION bool all_stay(const mote_vec4 *from, const mote_vec4 *to, const mote_vec4 *cubes, float reach)
{
    lane_mask inside = lanes_of_bits(0xFFu);
    for (uint32_t k = 0; k < LANES; k += 2) {
        lanes a = lanes_load(&from[k].x), b = lanes_load(&to[k].x), cube = lanes_load(&cubes[k].x);
        lanes within = __builtin_shufflevector(a, a, 3, 3, 3, 3, 7, 7, 7, 7) * lanes_all(reach);
        lanes half = __builtin_shufflevector(cube, cube, 3, 3, 3, 3, 7, 7, 7, 7);
        inside &= lanes_at_least(lanes_min(a, b) - within, cube - half) &
                  lanes_at_most(lanes_max(a, b) + within, cube + half);
    }
    return (lanes_bits(inside) | 0x88u) == 0xFFu; /* the fourth number of each is no place */
}

/* Twice the three numbers of a corner, and what is beside them: as two particles are in memory. */
LANE_FUNCTION lanes corner_twice(const float corner[4])
{
    quad once;
    memcpy(&once, corner, sizeof once);
    return lanes_join(once, once);
}

/* The same for the one box of a slice. */
LANE_FUNCTION bool all_stay_in_box(const mote_vec4 *from, const mote_vec4 *to, const mt_shape_cache *box,
                                   float reach)
{
    lanes low = corner_twice(box->low), high = corner_twice(box->high);
    lane_mask inside = lanes_of_bits(0xFFu);
    for (uint32_t k = 0; k < LANES; k += 2) {
        lanes a = lanes_load(&from[k].x), b = lanes_load(&to[k].x);
        lanes within = __builtin_shufflevector(a, a, 3, 3, 3, 3, 7, 7, 7, 7) * lanes_all(reach);
        inside &= lanes_at_least(lanes_min(a, b) - within, low) & lanes_at_most(lanes_max(a, b) + within, high);
    }
    return (lanes_bits(inside) | 0x88u) == 0xFFu;
}

/* Bits of the lanes whose boxes are in the box of a slice, but for a margin. */
LANE_FUNCTION uint32_t within_box(lanes4 min, lanes4 max, const mt_shape_cache *box, float margin)
{
    const float *low = box->low, *high = box->high;
    lane_mask above = lanes_at_least(min.x, lanes_all(low[0] + margin)) &
                      lanes_at_least(min.y, lanes_all(low[1] + margin)) &
                      lanes_at_least(min.z, lanes_all(low[2] + margin));
    lane_mask below = lanes_at_most(max.x, lanes_all(high[0] - margin)) &
                      lanes_at_most(max.y, lanes_all(high[1] - margin)) &
                      lanes_at_most(max.z, lanes_all(high[2] - margin));
    return lanes_bits(above & below);
}

/* Bits of the lanes whose boxes are within their cubes; a cube is its middle, and half its width. */
LANE_FUNCTION uint32_t within_cubes(lanes4 min, lanes4 max, lanes4 cube)
{
    lane_mask low = lanes_at_least(min.x, cube.x - cube.w) & lanes_at_least(min.y, cube.y - cube.w) &
                    lanes_at_least(min.z, cube.z - cube.w);
    lane_mask high = lanes_at_most(max.x, cube.x + cube.w) & lanes_at_most(max.y, cube.y + cube.w) &
                     lanes_at_most(max.z, cube.z + cube.w);
    return lanes_bits(low & high);
}

#endif
