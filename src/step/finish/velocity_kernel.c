/* The end of a substep for particles: velocities are those that were solved, and bound; places are where they took
 * them, but for what the guard has put back, which goes on no faster for it. */
#include "base/simd.h"
#include "step/kernels.h"

LANE_FUNCTION lane_mask not_finite(lanes4 v)
{
    lanes limit = lanes_all(2.0f * MT_MAX_VELOCITY);
    return ~(lanes_within(v.x, limit) & lanes_within(v.y, limit) & lanes_within(v.z, limit));
}

/* Those that are something: dummies are further away. */
LANE_FUNCTION lane_mask outside_of_space(lanes4 p, lanes radius)
{
    lanes limit = lanes_all(MT_SPACE_END);
    return ~(lanes_within(p.x, limit) & lanes_within(p.y, limit) & lanes_within(p.z, limit)) &
           lanes_above(radius, lanes_all(0.0f));
}

/* What liquids start from in the next substep: pressure times volume, J. */
LANE_FUNCTION void keep_pressure(const mt_substep *s, uint32_t i)
{
    lane_mask liquid = lanes_above(lanes_load4(s->liquids.wet + i).z, lanes_all(0.0f));
    lanes_store(
        s->liquids.remembered_pressure + i,
        lanes_keep(liquid, lanes_load(s->liquids.pressure + i) * lanes_all(s->inverse_h * s->inverse_h)));
}

static uint32_t first_out_of_space(const mt_substep *s, uint32_t i)
{
    while (mt_is_somewhere(s->particles.predicted[i]))
        i++;
    return i;
}

/* Of a body's particles only the place is asked here: bodies_finish makes their velocities. Answers the first that is out
 * of space, or UINT32_MAX. */
LANE_FUNCTION uint32_t take_places(const mt_substep *s, uint32_t i)
{
    const lane_mask radius = {0, 0, 0, -1, 0, 0, 0, -1};
    lane_mask inside = lanes_of_bits(0xFFu);
    for (uint32_t pair = 0; pair < LANES; pair += 2) {
        lanes end = lanes_select(radius, lanes_load(&s->particles.position[i + pair].x),
                                 lanes_load(&s->particles.predicted[i + pair].x));
        inside &= lanes_within(end, lanes_all(MT_SPACE_END));
        lanes_store(&s->particles.position_out[i + pair].x, end);
    }
    return lanes_bits(inside) == 0xFFu ? UINT32_MAX : first_out_of_space(s, i);
}

/* Eight that are neither too fast nor too far away, as they are in memory: the same as below with half of the work.
 * False: not all of them are. */
LANE_FUNCTION bool settle_plainly(const mt_substep *s, uint32_t i)
{
    const lane_mask fourth = {0, 0, 0, -1, 0, 0, 0, -1};
    lanes velocity[4], place[4], fast = lanes_all(0.0f), far = fast;
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t two = i + 2 * k;
        velocity[k] = lanes_select(fourth, lanes_load(&s->particles.velocity[two].x),
                                   lanes_load(&s->particles.transport[two].x));
        place[k] = lanes_select(fourth, lanes_load(&s->particles.position[two].x),
                                lanes_load(&s->particles.predicted[two].x));
        fast += lanes_size(velocity[k]); /* sums, because NaN stays in them */
        far += lanes_size(place[k]);
    }
    uint32_t slow = lanes_bits(lanes_below(fast, lanes_all(0.5f * s->limits.max_speed)) | fourth),
             near = lanes_bits(lanes_below(far, lanes_all(MT_SPACE_END)));
    if ((slow & near) != 0xFFu)
        return false;
    for (uint32_t k = 0; k < 4; k++) {
        lanes_store(&s->particles.position_out[i + 2 * k].x, place[k]);
        lanes_store(&s->particles.settled[i + 2 * k].x, velocity[k]);
    }
    return true;
}

void MT_KERNEL(velocity)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    uint32_t bad = UINT32_MAX;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        uint32_t i = slice * LANES;
        if (s->bodies.flying != NULL && s->bodies.flying[slice] != 0) {
            uint32_t out_of_space = take_places(s, i);
            bad = out_of_space < bad ? out_of_space : bad;
            continue;
        }
        if (s->liquids.fluid.any)
            keep_pressure(s, i);
        if (settle_plainly(s, i))
            continue;
        lanes4 x = lanes_load4(s->particles.position + i);
        lanes4 predicted = lanes_load4(s->particles.predicted + i), v = lanes_load4(s->particles.transport + i);
        lanes shorter = lanes_shortening(v.x, v.y, v.z, s->limits.max_speed);
        v.x *= shorter;
        v.y *= shorter;
        v.z *= shorter;
        v.w = lanes_load4(s->particles.velocity + i).w;
        uint32_t wrong = lanes_bits(not_finite(v) | outside_of_space(predicted, x.w));
        if (bad == UINT32_MAX && wrong != 0)
            bad = i + (uint32_t)__builtin_ctz(wrong);
        predicted.w = x.w;
        lanes_store4(s->particles.position_out + i, predicted);
        lanes_store4(s->particles.settled + i, v);
    }
    s->block_bad[begin / MT_BLOCK] = bad;
}
