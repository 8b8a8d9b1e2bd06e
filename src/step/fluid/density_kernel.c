/* Density: the pressures of an iteration and what they move. fluid.h says what is solved. A lane is a particle
 * and a row of the neighbour lists eight pairs, as for contacts. */
#include "step/fluid/list_rows.h"
#include "step/fluid/pushes.h"
#include "step/kernels.h"

/* Whom a slice's particles have beside them: what is asked of these. Both give the same bits. */
typedef enum beside {
    ALL_ONE, /* liquids of one share, mass and tensile correction */
    ANYBODY,
} beside;

LANE_FUNCTION lanes4 wet_of(const mt_substep *s, const uint32_t *index, const beside who)
{
    const mote_vec4 *all = &s->fluid.all;
    if (who == ANYBODY)
        return lanes_gather(s->wet, index);
    return (lanes4){lanes_all(all->x), lanes_all(all->y), lanes_all(all->z), lanes_all(all->w)};
}

/* ---- walls --------------------------------------------------------------------------------------------- */

/* The part of a particle's surroundings that is behind walls, and how it changes with its place. */
typedef struct behind {
    lanes part;   /* 0 to 1 */
    lanes3 slope; /* 1/m: points towards the walls */
} behind;

/* Walls that meet in an edge each take their part of what the others leave. A wall that is made of many planes
 * side by side (triangles) counts once: the more a plane faces as what was added before, the less it adds. */
LANE_FUNCTION void add_wall(const mt_substep *s, const mt_shape_row *row, lanes4 x, behind *b)
{
    const mt_fluid *f = &s->fluid;
    lanes nx = lanes_load(row->normal_x), ny = lanes_load(row->normal_y), nz = lanes_load(row->normal_z);
    lanes distance = nx * x.x + ny * x.y + nz * x.z - lanes_load(row->offset);
    lanes zero = lanes_all(0.0f), one = lanes_all(1.0f);
    lane_mask near = lanes_below(distance, lanes_all(f->wall)) & lanes_above(distance, lanes_all(-f->support));
    if (lanes_bits(near) == 0)
        return;
    lanes u = lanes_max(one - lanes_max(distance, zero) * lanes_all(f->inverse_wall), zero), u3 = u * u * u;
    lanes part = lanes_all(f->wall_part) * u3 * u;
    lanes steep = lanes_all(4.0f * f->wall_part * f->inverse_wall) * u3;
    lanes size = lanes_sqrt(b->slope.x * b->slope.x + b->slope.y * b->slope.y + b->slope.z * b->slope.z);
    lanes alike = -(nx * b->slope.x + ny * b->slope.y + nz * b->slope.z) / lanes_max(size, lanes_all(1e-20f));
    lanes scale = lanes_keep(near, (one - lanes_max(lanes_min(alike, one), zero)));
    part = lanes_min(part * scale, one);
    steep *= scale * (one - b->part);
    lanes left = one - part;
    b->slope.x = b->slope.x * left - steep * nx;
    b->slope.y = b->slope.y * left - steep * ny;
    b->slope.z = b->slope.z * left - steep * nz;
    b->part += part * (one - b->part);
}

LANE_FUNCTION behind walls_of(const mt_substep *s, uint32_t slice, lanes4 x)
{
    lanes zero = lanes_all(0.0f);
    behind b = {zero, {zero, zero, zero}};
    for (uint32_t k = 0; k < s->shape_length[slice]; k++)
        add_wall(s, &s->shape_rows[s->shape_start[slice] + k], x, &b);
    return b;
}

/* ---- pressures ----------------------------------------------------------------------------------------- */

/* Units of the sums, see whole_sums.h. Between liquids of one kind terms are at most 1/4, 1/32 and 1/2048. Solids can
 * have larger ones if they are where they should not be, and so can give with masses that differ: these are cut off at
 * 8, 8 and 1, before which the masses differ a thousand times. */
#define SHARE_UNIT 0x1p-24f
#define SLOPE_UNIT 0x1p-24f
#define GIVE_UNIT  0x1p-26f

typedef struct crowd {
    whole share;  /* the sum of v w */
    whole3 slope; /* the sum of v grad w over -slope H */
    whole give;   /* the sum of w v^2 |grad w|^2 over slope^2 H^2, beside the particle's own w */
} crowd;

/* `over_own`: 1 over the particle's inverse mass. */
LANE_FUNCTION void add_neighbors(const mt_substep *s, lanes4 x, lanes narrow, lanes over_own,
                                 const uint32_t *index, crowd *c, const beside who)
{
    lanes4 other = lanes_gather(s->predicted, index), wet = wet_of(s, index, who);
    lanes dx = x.x - other.x, dy = x.y - other.y, dz = x.z - other.z, one = lanes_all(1.0f);
    lanes square = dx * dx + dy * dy + dz * dz, narrower = lanes_max(narrow, wet.w);
    lanes inverse_support = lanes_all(s->fluid.inverse_support);
    lanes q = lanes_min(lanes_sqrt(square) * narrower, one);
    lanes u = one - q, u3 = u * u * u, steep = narrower * lanes_all(s->fluid.support);
    lanes share = u3 * u * (lanes_all(4.0f) * q + one) * (wet.x * lanes_all(1.0f / SHARE_UNIT));
    u3 *= wet.x * (steep * steep);
    lanes give = u3 * u3 * square *
                 (wet.y * over_own * (inverse_support * inverse_support * lanes_all(1.0f / GIVE_UNIT)));
    lanes slope = u3 * (inverse_support * lanes_all(1.0f / SLOPE_UNIT));
    if (who == ANYBODY) {
        share = lanes_min(share, lanes_all(8.0f / SHARE_UNIT));
        give = lanes_min(give, lanes_all(1.0f / GIVE_UNIT));
        slope = lanes_min(slope, narrower * lanes_all(8.0f / SLOPE_UNIT));
    }
    c->share += whole_of(share);
    c->give += whole_of(give);
    whole3_add(&c->slope, slope, dx, dy, dz);
}

LANE_LOOP void press_slice(const mt_substep *s, uint32_t slice, const beside who)
{
    const mt_fluid *f = &s->fluid;
    uint32_t i = slice * LANES;
    lanes4 x = lanes_load4(s->predicted + i), own = lanes_load4(s->wet + i);
    lanes zero = lanes_all(0.0f), change = zero;
    lane_mask liquid = lanes_above(own.z, zero);
    if (lanes_bits(liquid) != 0) {
        crowd c = {0};
        lanes over_own = lanes_keep(lanes_above(own.y, zero), lanes_all(1.0f) / own.y);
        list_rows rows = rows_of(s, slice);
        for (uint32_t k = 0; k < rows.count; k++)
            add_neighbors(s, x, own.w, over_own, rows.index + (size_t)k * LANES, &c, who);
        lanes slope = lanes_all(f->slope), share = whole_value(c.share, lanes_all(SHARE_UNIT));
        lanes3 lean = whole3_value(&c.slope, lanes_all(SLOPE_UNIT * f->support));
        lanes others = own.y * whole_value(c.give, lanes_all(GIVE_UNIT));
        behind wall = walls_of(s, slice, x);
        lanes excess = share + own.x + wall.part - lanes_all(1.0f);
        lanes gx = wall.slope.x - slope * lean.x, gy = wall.slope.y - slope * lean.y,
              gz = wall.slope.z - slope * lean.z;
        lanes give =
            own.y * (gx * gx + gy * gy + gz * gz) + slope * slope * lanes_all(f->support * f->support) * others;
        give = lanes_max(give, own.y * lanes_all(f->least_give));
        /* sqrt(w give) is about how far a dp of 1 moves particles. */
        lanes most = lanes_all(f->most_move) * lanes_sqrt(give / lanes_max(own.y, lanes_all(1e-30f)));
        lanes pressure = lanes_load(s->pressure + i),
              wanted = lanes_all(f->relaxation) * lanes_min(excess, most);
        wanted = lanes_max(wanted / lanes_max(give, lanes_all(1e-30f)), -pressure);
        change = lanes_keep(liquid & lanes_above(own.y, zero), wanted);
        lanes_store(s->pressure + i, pressure + change);
        change += lanes_all(s->first) * pressure; /* what was remembered acts with the first change */
        lanes_store(s->excess + i, lanes_keep(liquid, excess));
    }
    x.w = change;
    lanes_store4(s->dense + i, x);
}

/* Where no liquid is near. */
LANE_FUNCTION void leave_pressure(const mt_substep *s, uint32_t slice)
{
    lanes4 x = lanes_load4(s->predicted + slice * LANES);
    x.w = lanes_all(0.0f);
    lanes_store4(s->dense + slice * LANES, x);
}

/* The changes of pressure, beside the places that they are for. */
void MT_KERNEL(fluid_press)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++)
        if (!s->near_liquid[slice])
            leave_pressure(s, slice);
        else if (s->fluid.uniform)
            press_slice(s, slice, ALL_ONE);
        else
            press_slice(s, slice, ANYBODY);
}

/* ---- motion -------------------------------------------------------------------------------------------- */

/* The bracket of s_ij of fluid.h, from 1 - q. */
LANE_FUNCTION lanes nearness(const mt_tensile *t, lanes u)
{
    lanes u2 = u * u, near = u2 * u2 * (lanes_all(5.0f) - lanes_all(4.0f) * u) * lanes_all(t->inverse);
    near *= near;
    return lanes_max(near * near - lanes_all(t->at_spacing), lanes_all(0.0f));
}

/* What stands before it, for two particles; between fluids only. */
LANE_FUNCTION lanes tensile_push(const mt_tensile *t, lanes4 a, lanes4 b)
{
    lanes zero = lanes_all(0.0f), one = lanes_all(1.0f);
    lanes k = lanes_min(lanes_max(a.z - one, zero) * lanes_max(b.z - one, zero), lanes_all(t->most));
    return lanes_all(t->push) * k / lanes_max(a.y + b.y, lanes_all(1e-20f));
}

/* `per_unit`: slope over the unit. */
LANE_FUNCTION void add_pushes(const mt_substep *s, lanes4 x, lanes4 own, lanes per_unit, const uint32_t *index,
                              whole3 *push, const beside who, const bool tensile)
{
    lanes4 other = lanes_gather(s->dense, index), wet = wet_of(s, index, who);
    lanes dx = x.x - other.x, dy = x.y - other.y, dz = x.z - other.z;
    lanes square = dx * dx + dy * dy + dz * dz, narrower = lanes_max(own.w, wet.w);
    lanes u = lanes_all(1.0f) - lanes_min(lanes_sqrt(square) * narrower, lanes_all(1.0f));
    lanes steep = narrower * lanes_all(s->fluid.support), strength = x.w * wet.x + other.w * own.x;
    if (tensile)
        strength += tensile_push(&s->tensile, own, wet) * nearness(&s->tensile, u);
    lanes scale = u * u * u * strength * (steep * steep * per_unit);
    whole3_add(push, lanes_cut(scale, narrower * lanes_all(PUSH_MOST)), dx, dy, dz);
}

/* What each wall gives: its own part of the slope, less what walls after it take of that. 1 - part is the product
 * of what each wall leaves; it is 0 where a particle is right at a wall. */
LANE_FUNCTION void tell_walls(const mt_substep *s, uint32_t slice, lanes4 x, lanes left_by_all)
{
    lanes zero = lanes_all(0.0f), one = lanes_all(1.0f), least = lanes_all(1e-6f);
    behind b = {zero, {zero, zero, zero}};
    for (uint32_t k = 0; k < s->shape_length[slice]; k++) {
        mt_shape_row *row = &s->shape_rows[s->shape_start[slice] + k];
        behind before = b;
        add_wall(s, row, x, &b);
        lanes left = (one - b.part) / lanes_max(one - before.part, least);
        lanes scale = x.w * left_by_all / lanes_max(one - b.part, least);
        lanes_store(row->push_x, lanes_load(row->push_x) - scale * (b.slope.x - before.slope.x * left));
        lanes_store(row->push_y, lanes_load(row->push_y) - scale * (b.slope.y - before.slope.y * left));
        lanes_store(row->push_z, lanes_load(row->push_z) - scale * (b.slope.z - before.slope.z * left));
    }
}

/* What walls give, and what they get for it. */
LANE_FUNCTION void push_off_walls(const mt_substep *s, uint32_t slice, lanes4 x, lanes3 *push)
{
    if (s->shape_length[slice] == 0)
        return;
    behind wall = walls_of(s, slice, x);
    tell_walls(s, slice, x, lanes_all(1.0f) - wall.part);
    push->x -= x.w * wall.slope.x;
    push->y -= x.w * wall.slope.y;
    push->z -= x.w * wall.slope.z;
}

LANE_LOOP void move_slice(const mt_substep *s, uint32_t slice, const beside who, const bool tensile)
{
    uint32_t i = slice * LANES;
    lanes4 x = lanes_load4(s->dense + i), own = lanes_load4(s->wet + i), now = lanes_load4(s->predicted + i);
    lanes unit = push_unit(s, own.y), per_unit = lanes_all(s->fluid.slope) / unit;
    whole3 sum = {0};
    list_rows rows = rows_of(s, slice);
    for (uint32_t k = 0; k < rows.count; k++)
        add_pushes(s, x, own, per_unit, rows.index + (size_t)k * LANES, &sum, who, tensile);
    lanes3 push = whole3_value(&sum, unit);
    push_off_walls(s, slice, x, &push);
    push = (lanes3){own.y * push.x, own.y * push.y, own.y * push.z};
    add_shift(s, i, push);
    now.x += push.x;
    now.y += push.y;
    now.z += push.z;
    lanes_store4(s->predicted_out + i, now);
}

LANE_FUNCTION void move_with(const mt_substep *s, uint32_t slice, const bool tensile)
{
    if (s->fluid.uniform)
        move_slice(s, slice, ALL_ONE, tensile);
    else
        move_slice(s, slice, ANYBODY, tensile);
}

void MT_KERNEL(fluid_move)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++)
        if (!s->near_liquid[slice])
            lanes_store4(s->predicted_out + slice * LANES, lanes_load4(s->predicted + slice * LANES));
        else if (s->tensile.any)
            move_with(s, slice, true);
        else
            move_with(s, slice, false);
}
