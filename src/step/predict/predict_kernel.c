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

void MT_KERNEL(predict)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    uint32_t bad = UINT32_MAX;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        if (s->flying != NULL && s->flying[slice] != 0) /* bodies_predict does it all */
            continue;
        uint32_t i = slice * LANES;
        lanes4 x = lanes_load4(s->position + i);
        lanes4 v = lanes_load4(s->source + i);
        lanes rest = lanes_load(s->rest_time + i);
        lane_mask awake = lanes_at_least(rest, lanes_all(0.0f));
        lane_mask moving = awake & lanes_above(v.w, lanes_all(0.0f));
        lanes keep = lanes_select(moving, lanes_all(s->keep), lanes_all(1.0f));
        v.x = (v.x + lanes_keep(moving, lanes_all(s->kick * s->gravity.x))) * keep;
        v.y = (v.y + lanes_keep(moving, lanes_all(s->kick * s->gravity.y))) * keep;
        v.z = (v.z + lanes_keep(moving, lanes_all(s->kick * s->gravity.z))) * keep;
        lanes shorter = lanes_keep(awake, lanes_shortening(v.x, v.y, v.z, s->max_speed));
        v.x *= shorter;
        v.y *= shorter;
        v.z *= shorter;
        v.w = lanes_keep(awake, v.w); /* who sleeps is as good as fixed */
        lanes h = lanes_all(s->h);
        lanes4 predicted = {x.x + h * v.x, x.y + h * v.y, x.z + h * v.z, x.w};
        lanes_store4(s->transport + i, v);
        lanes_store4(s->predicted + i, predicted);
        lane_mask wrong = outside_of_space(predicted) & lanes_above(x.w, lanes_all(0.0f));
        if (bad == UINT32_MAX && lanes_bits(wrong) != 0)
            bad = i + (uint32_t)__builtin_ctz(lanes_bits(wrong));
    }
    s->block_bad[begin / MT_BLOCK] = bad;
}

/* Whether particles are still as near to where their lists were made as their slack allows, beside the drift of
 * all, or where the flow takes each. block_bad gets the first that is not, and `left` all of them. */
void MT_KERNEL(displaced)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    uint32_t bad = UINT32_MAX;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        uint32_t i = slice * LANES;
        lanes4 built = lanes_load4(s->built_at + i);
        lanes4 now = lanes_load4(s->asked + i);
        lanes x = now.x - built.x - lanes_all(s->drift.x);
        lanes y = now.y - built.y - lanes_all(s->drift.y);
        lanes z = now.z - built.z - lanes_all(s->drift.z), zero = lanes_all(0.0f);
        if (s->flow != NULL) {
            lanes4 flow = lanes_load4(s->flow + i);
            lanes age = lanes_all(s->age);
            x -= age * flow.x;
            y -= age * flow.y;
            z -= age * flow.z;
        }
        lane_mask far = lanes_above(x * x + y * y + z * z, built.w * built.w);
        uint32_t bits = lanes_bits(far | lanes_below(built.w, zero));
        if (s->count - i < LANES) /* the rest is padding */
            bits &= (1u << (s->count - i)) - 1u;
        s->left[slice] = (uint8_t)bits;
        if (bits != 0 && bad == UINT32_MAX)
            bad = i + (uint32_t)__builtin_ctz(bits);
    }
    s->block_bad[begin / MT_BLOCK] = bad;
}
