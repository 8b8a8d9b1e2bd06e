/* Velocities (Algorithm 2, lines 26 to 29). The papers have v = (x* - x) / h, which in single precision throws
 * away most digits of a slow particle far from the origin. Here the velocity that carried the particle is kept
 * and only what the constraints changed is added: v = u + (x* - (x + h u)) / h, the same in exact numbers, and
 * a free particle's velocity stays untouched to the last bit. */
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

/* What contacts gave, for the next substep to guess: not more than the forces that they have to bear, so that
 * an impact is not guessed to happen again, and nothing for who has no contact or is on its way up. A liquid
 * may be on its way up, or one that has to flow around something would be held back. */
LANE_FUNCTION void keep_support(const mt_substep *s, uint32_t i, lanes4 old, lanes4 u, lanes4 change,
                                lanes load, lane_mask liquid)
{
    lanes inverse_h = lanes_all(s->inverse_h);
    lanes fx = u.x - old.x, fy = u.y - old.y, fz = u.z - old.z;
    lanes force = lanes_sqrt(fx * fx + fy * fy + fz * fz) * inverse_h;
    lanes4 support = {change.x * inverse_h, change.y * inverse_h, change.z * inverse_h, lanes_all(0.0f)};
    lanes size = lanes_sqrt(support.x * support.x + support.y * support.y + support.z * support.z);
    lanes part = lanes_min(force, size) / lanes_max(size, lanes_all(1e-20f));
    lanes rising = (u.x + change.x) * support.x + (u.y + change.y) * support.y + (u.z + change.z) * support.z;
    lane_mask sinks = liquid | lanes_at_most(rising, size * force * lanes_all(s->h));
    lane_mask held = lanes_above(load, lanes_all(0.0f)) & sinks;
    part = lanes_keep(held, part);
    support.x *= part;
    support.y *= part;
    support.z *= part;
    lanes_store4(s->support + i, support);
}

/* What a liquid starts from in the next substep: its pressure times its volume, J. */
LANE_FUNCTION void keep_pressure(const mt_substep *s, uint32_t i, lane_mask liquid)
{
    lanes zero = lanes_all(0.0f), kept = zero;
    if (s->fluid.any)
        kept = lanes_keep(liquid, lanes_load(s->pressure + i) * lanes_all(s->inverse_h * s->inverse_h));
    lanes_store4(s->support + i, (lanes4){kept, zero, zero, zero});
}

typedef struct move_sum {
    lanes guess_x, guess_y, guess_z, x, y, z; /* kg m */
} move_sum;

/* `change`: of the velocity, by all that was guessed and found. */
LANE_FUNCTION void add_moves(const mt_substep *s, uint32_t i, lanes4 change, lanes inverse_mass,
                             lane_mask liquid, move_sum *sum)
{
    lanes mass = lanes_all(1.0f) / lanes_max(inverse_mass, lanes_all(1e-30f));
    mass = lanes_keep(liquid & lanes_above(inverse_mass, lanes_all(0.0f)), mass);
    lanes4 support = lanes_load4(s->support + i);
    lanes guess = mass * lanes_all(s->fluid_guess), whole = mass * lanes_all(s->h);
    sum->guess_x += guess * support.x;
    sum->guess_y += guess * support.y;
    sum->guess_z += guess * support.z;
    sum->x += whole * change.x;
    sum->y += whole * change.y;
    sum->z += whole * change.z;
}

static uint32_t first_nowhere(const mt_substep *s, uint32_t i)
{
    while (mt_is_somewhere(s->predicted[i]))
        i++;
    return i;
}

/* Of a body's particles only the place is asked here: bodies_finish makes their velocities and what they rest
 * on. Answers the first that is nowhere, or UINT32_MAX. */
LANE_FUNCTION uint32_t take_places(const mt_substep *s, uint32_t i)
{
    const lane_mask radius = {0, 0, 0, -1, 0, 0, 0, -1};
    lane_mask inside = lanes_of_bits(0xFFu);
    for (uint32_t pair = 0; pair < LANES; pair += 2) {
        lanes end =
            lanes_select(radius, lanes_load(&s->position[i + pair].x), lanes_load(&s->predicted[i + pair].x));
        inside &= lanes_within(end, lanes_all(MT_SPACE_END));
        lanes_store(&s->position_out[i + pair].x, end);
    }
    return lanes_bits(inside) == 0xFFu ? UINT32_MAX : first_nowhere(s, i);
}

void MT_KERNEL(velocity)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    uint32_t bad = UINT32_MAX;
    lanes h = lanes_all(s->h), inverse_h = lanes_all(s->inverse_h), zero = lanes_all(0.0f);
    move_sum moves = {zero, zero, zero, zero, zero, zero};
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        uint32_t i = slice * LANES;
        if (s->flying != NULL && s->flying[slice] != 0) {
            if (s->left_to_bodies)
                continue;
            uint32_t nowhere = take_places(s, i);
            bad = nowhere < bad ? nowhere : bad;
            continue;
        }
        lanes4 x = lanes_load4(s->position + i);
        lanes4 u = lanes_load4(s->transport + i);
        lanes4 predicted = lanes_load4(s->predicted + i);
        lanes4 v;
        v.x = (predicted.x - (x.x + h * u.x)) * inverse_h;
        v.y = (predicted.y - (x.y + h * u.y)) * inverse_h;
        v.z = (predicted.z - (x.z + h * u.z)) * inverse_h;
        if (s->impulse) /* they are velocities already; what the guard has put back goes on no faster for it */
            v.x = v.y = v.z = zero;
        lanes4 old = lanes_load4(s->velocity + i);
        lanes load = predicted.w;
        lane_mask liquid = {0};
        if (s->fluid.any) { /* pressure holds liquids */
            liquid = lanes_above(lanes_load4(s->wet + i).z, lanes_all(0.0f));
            load = lanes_select(liquid, lanes_load(s->pressure + i), load);
            add_moves(s, i, v, old.w, liquid, &moves);
        }
        if (s->impulse)
            keep_pressure(s, i, liquid);
        else
            keep_support(s, i, old, u, v, load, liquid);
        lanes shorter = lanes_shortening(v.x, v.y, v.z, s->max_change);
        v.x = u.x + v.x * shorter;
        v.y = u.y + v.y * shorter;
        v.z = u.z + v.z * shorter;
        shorter = lanes_shortening(v.x, v.y, v.z, s->max_speed);
        v.x *= shorter;
        v.y *= shorter;
        v.z *= shorter;
        v.w = old.w;
        uint32_t wrong = lanes_bits(not_finite(v) | outside_of_space(predicted, x.w));
        if (bad == UINT32_MAX && wrong != 0)
            bad = i + (uint32_t)__builtin_ctz(wrong);
        predicted.w = x.w;
        lanes_store4(s->position_out + i, predicted);
        lanes_store4(s->settled + i, v);
    }
    if (s->fluid.any)
        s->block_moves[begin / MT_BLOCK] =
            (mt_liquid_moves){{lanes_sum(moves.guess_x), lanes_sum(moves.guess_y), lanes_sum(moves.guess_z)},
                              {lanes_sum(moves.x), lanes_sum(moves.y), lanes_sum(moves.z)}};
    s->block_bad[begin / MT_BLOCK] = bad;
}
