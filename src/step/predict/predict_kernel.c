/* Predict: v <- v + h g (damped, limited), x* <- x + h v (Algorithm 2, lines 1 to 6). Forces of fields have
 * been added to `source` before. */
#include "base/simd.h"
#include "step/kernels.h"

LANE_FUNCTION lane_mask outside_of_space(lanes4 p)
{
    /* Written so that NaN is outside as well. */
    lanes limit = lanes_all(0.1f * MT_FAR);
    return ~(lanes_within(p.x, limit) & lanes_within(p.y, limit) & lanes_within(p.z, limit));
}

/* Eight that are awake, move, and are neither too fast nor too far away, as they are in memory: the same as below with
 * half of the work. False: not all of them are. */
LANE_FUNCTION bool predict_plainly(const mt_substep *s, uint32_t i)
{
    const lanes kick = lanes_twice(s->forces.kick * s->forces.gravity.x, s->forces.kick * s->forces.gravity.y,
                                   s->forces.kick * s->forces.gravity.z, 0.0f);
    const lanes keep = lanes_twice(s->forces.keep, s->forces.keep, s->forces.keep, 1.0f),
                h = lanes_twice(s->h, s->h, s->h, 0.0f);
    lanes velocity[4], predicted[4], fast = lanes_all(0.0f), far = fast, mass = lanes_all(INFINITY);
    for (uint32_t k = 0; k < 4; k++) {
        lanes v = lanes_load(&s->particles.source[i + 2 * k].x);
        velocity[k] = (v + kick) * keep;
        predicted[k] = lanes_load(&s->particles.position[i + 2 * k].x) + h * velocity[k];
        mass = lanes_min(mass, v);
        fast += lanes_size(velocity[k]); /* sums, because NaN stays in them */
        far += lanes_size(predicted[k]);
    }
    const uint32_t fourth = 0x88u;
    uint32_t awake = lanes_bits(lanes_at_least(lanes_load(s->particles.rest_time + i), lanes_all(0.0f))),
             move = lanes_bits(lanes_above(mass, lanes_all(0.0f))) | (fourth ^ 0xFFu),
             slow = lanes_bits(lanes_below(fast, lanes_all(0.5f * s->limits.max_speed))) | fourth,
             near = lanes_bits(lanes_below(far, lanes_all(0.1f * MT_FAR)));
    if ((awake & move & slow & near) != 0xFFu)
        return false;
    for (uint32_t k = 0; k < 4; k++) {
        lanes_store(&s->particles.transport[i + 2 * k].x, velocity[k]);
        lanes_store(&s->particles.predicted[i + 2 * k].x, predicted[k]);
    }
    return true;
}

void MT_KERNEL(predict)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    uint32_t bad = UINT32_MAX;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        if (s->bodies.flying != NULL && s->bodies.flying[slice] != 0) /* bodies_predict does it all */
            continue;
        uint32_t i = slice * LANES;
        if (predict_plainly(s, i))
            continue;
        lanes4 x = lanes_load4(s->particles.position + i);
        lanes4 v = lanes_load4(s->particles.source + i);
        lanes rest = lanes_load(s->particles.rest_time + i);
        lane_mask awake = lanes_at_least(rest, lanes_all(0.0f));
        lane_mask moving = awake & lanes_above(v.w, lanes_all(0.0f));
        lanes keep = lanes_select(moving, lanes_all(s->forces.keep), lanes_all(1.0f));
        v.x = (v.x + lanes_keep(moving, lanes_all(s->forces.kick * s->forces.gravity.x))) * keep;
        v.y = (v.y + lanes_keep(moving, lanes_all(s->forces.kick * s->forces.gravity.y))) * keep;
        v.z = (v.z + lanes_keep(moving, lanes_all(s->forces.kick * s->forces.gravity.z))) * keep;
        lanes shorter = lanes_keep(awake, lanes_shortening(v.x, v.y, v.z, s->limits.max_speed));
        v.x *= shorter;
        v.y *= shorter;
        v.z *= shorter;
        v.w = lanes_keep(awake, v.w); /* who sleeps is as good as fixed */
        lanes h = lanes_all(s->h);
        lanes4 predicted = {x.x + h * v.x, x.y + h * v.y, x.z + h * v.z, x.w};
        lanes_store4(s->particles.transport + i, v);
        lanes_store4(s->particles.predicted + i, predicted);
        lane_mask wrong = outside_of_space(predicted) & lanes_above(x.w, lanes_all(0.0f));
        if (bad == UINT32_MAX && lanes_bits(wrong) != 0)
            bad = i + (uint32_t)__builtin_ctz(lanes_bits(wrong));
    }
    s->block_bad[begin / MT_BLOCK] = bad;
}

/* Whether particles that may have left it are still as near to where their lists were made as their slack allows, beside the drift of
 * all, or where the flow takes each. block_bad gets the first that is not, and `left` all of them. */
void MT_KERNEL(displaced)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    uint32_t bad = UINT32_MAX;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        uint64_t eight = 0;
        if (end - slice >= sizeof eight)
            memcpy(&eight, s->lists.asks + slice, sizeof eight);
        if (end - slice >= sizeof eight && eight == 0) { /* most are of bodies far from liquids */
            memcpy(s->lists.left + slice, &eight, sizeof eight);
            slice += (uint32_t)sizeof eight - 1;
            continue;
        }
        s->lists.left[slice] = 0;
        if (!s->lists.asks[slice])
            continue;
        uint32_t i = slice * LANES;
        lanes4 built = lanes_load4(s->lists.built_at + i);
        lanes4 now = lanes_load4(s->lists.asked + i);
        lanes x = now.x - built.x - lanes_all(s->lists.drift.x);
        lanes y = now.y - built.y - lanes_all(s->lists.drift.y);
        lanes z = now.z - built.z - lanes_all(s->lists.drift.z), zero = lanes_all(0.0f);
        if (s->lists.flow != NULL) {
            lanes4 flow = lanes_load4(s->lists.flow + i);
            lanes age = lanes_all(s->lists.age);
            x -= age * flow.x;
            y -= age * flow.y;
            z -= age * flow.z;
        }
        lane_mask far = lanes_above(x * x + y * y + z * z, built.w * built.w);
        uint32_t bits = lanes_bits(far | lanes_below(built.w, zero));
        if (s->count - i < LANES) /* the rest is padding */
            bits &= (1u << (s->count - i)) - 1u;
        s->lists.left[slice] = (uint8_t)bits;
        if (bits != 0 && bad == UINT32_MAX)
            bad = i + (uint32_t)__builtin_ctz(bits);
    }
    s->block_bad[begin / MT_BLOCK] = bad;
}
