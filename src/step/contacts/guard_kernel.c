#include "step/contacts/eight.h"
#include "step/contacts/guard.h"
#include "step/kernels.h"

/* Whether all of eight particles are within their cubes, but for a skin. */
LANE_FUNCTION bool all_within(const mote_vec4 *at, const mote_vec4 *cubes)
{
    lane_mask inside = lanes_of_bits(0xFFu);
    for (uint32_t k = 0; k < LANES; k += 2) {
        lanes cube = lanes_load(&cubes[k].x), off = lanes_load(&at[k].x) - cube;
        lanes half = __builtin_shufflevector(cube, cube, 3, 3, 3, 3, 7, 7, 7, 7);
        inside &= lanes_within(off, half * lanes_all(1.0f - MT_SURFACE_SKIN));
    }
    return (lanes_bits(inside) | 0x88u) == 0xFFu; /* the fourth number of each is no place */
}

/* The same for the box of the slice. */
LANE_FUNCTION bool all_within_box(const mote_vec4 *at, const mt_shape_cache *box)
{
    lanes margin = lanes_all(box->margin);
    lanes low = corner_twice(box->low) + margin, high = corner_twice(box->high) - margin;
    lane_mask inside = lanes_of_bits(0xFFu);
    for (uint32_t k = 0; k < LANES; k += 2) {
        lanes x = lanes_load(&at[k].x);
        inside &= lanes_at_least(x, low) & lanes_at_most(x, high);
    }
    return (lanes_bits(inside) | 0x88u) == 0xFFu;
}

/* Solving moves particles further. Who ends no further from where contacts were looked for than the nearest
 * surface was has crossed none, and where no shape is near all stay free who stay there; the others are
 * looked at again, one by one. */
void MT_KERNEL(guard)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        uint32_t i = slice * LANES;
        mt_shape_cache *cache = &s->shapes.cache[slice];
        if (s->guard.again && !cache->guarded) /* it is where the first pass found it to be free */
            continue;
        bool open = cache->valid && cache->count == 0;
        if (open && (cache->wide ? all_within_box(s->particles.predicted + i, cache)
                                 : all_within(s->particles.predicted + i, s->guard.cubes + i))) {
            cache->guarded = false;
            cache->touched = cache->touched && s->guard.again;
            continue;
        }
        lanes4 x = lanes_load4(s->particles.predicted + i);
        uint32_t bits;
        if (open && cache->wide)
            bits = ~within_box(x, x, cache, cache->margin) & 0xFFu;
        else if (open) {
            lanes4 cube = lanes_load4(s->guard.cubes +
                                      i); /* its half width is a radius at least: what was swept is in it */
            cube.w *= lanes_all(1.0f - MT_SURFACE_SKIN);
            bits = ~within_cubes(x, x, cube) & 0xFFu;
        } else {
            lanes4 watch = lanes_load4(s->guard.watch + i);
            lanes dx = x.x - watch.x, dy = x.y - watch.y, dz = x.z - watch.z;
            lanes room = watch.w - lanes_load4(s->particles.position + i).w * lanes_all(MT_SURFACE_SKIN);
            room = lanes_max(room, lanes_all(0.0f));
            bits = lanes_bits(lanes_at_least(dx * dx + dy * dy + dz * dz, room * room));
        }
        if (bits != 0)
            bits &= alive_lanes(s, slice);
        cache->guarded = bits != 0;
        cache->touched = bits != 0 || (cache->touched && s->guard.again);
        if (bits != 0)
            atomic_store_explicit(s->guard.looked, true, memory_order_relaxed);
        for (; bits != 0; bits &= bits - 1)
            mt_guard_particle(s, i + (uint32_t)__builtin_ctz(bits));
    }
}
