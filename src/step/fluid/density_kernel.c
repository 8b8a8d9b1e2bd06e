/* Density: the pressures of an iteration and what they move. fluid.h says what is solved. A lane is a particle
 * and a row of the neighbour lists eight pairs, as for contacts. */
#include "base/wide.h"
#include "step/fluid/list_rows.h"
#include "step/fluid/pushes.h"
#include "step/kernels.h"

/* See fluid.h. Stability asks that (1 + 2 BRAKE) RELAXATION times the largest eigenvalue, 2.6, and what the long waves
 * and springs add stay below 4. */
#define RELAXATION  0.2f /* omega */
#define BRAKE       1.0f /* gamma */
#define SPRING      0.2f /* of what is too dense, */
#define SPRING_FULL 0.3f /* and what is added where no more pressure can be remembered */
#define LIFT        0.5f
#define SLACK       0.003f /* rest densities: so much thinner, pressure stays */
#define DRAIN       0.05f  /* and so much thinner it goes by half of that */

/* Whom a slice's particles have beside them: what is asked of these. Both give the same bits. */
typedef enum beside {
    ALL_ONE, /* liquids of one share, mass and tensile correction */
    ANYBODY,
} beside;

/* ---- walls --------------------------------------------------------------------------------------------- */

/* The part of a particle's surroundings that is behind walls, and how it changes with its place. */
typedef struct behind {
    lanes part;    /* 0 to 1 */
    lanes3 slope;  /* 1/m: points towards the walls */
    lanes closing; /* by which the walls' motion adds to the part in the substep */
} behind;

/* Walls that meet in an edge each take their part of what the others leave. A wall that is made of many planes
 * side by side (triangles) counts once: the more a plane faces as what was added before, the less it adds. */
LANE_FUNCTION void add_wall(const mt_substep *s, const mt_shape_row *row, lanes4 x, behind *b)
{
    const mt_fluid *f = &s->liquids.fluid;
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
    b->closing = b->closing * left + steep * (nx * lanes_load(row->move_x) + ny * lanes_load(row->move_y) +
                                              nz * lanes_load(row->move_z));
    b->part += part * (one - b->part);
}

LANE_FUNCTION behind walls_of(const mt_substep *s, uint32_t slice, lanes4 x)
{
    lanes zero = lanes_all(0.0f);
    behind b = {zero, {zero, zero, zero}, zero};
    for (uint32_t k = 0; k < s->shapes.length[slice]; k++)
        add_wall(s, &s->shapes.rows[s->shapes.start[slice] + k], x, &b);
    return b;
}

/* ---- pressures ----------------------------------------------------------------------------------------- */

/* Units of the sums, see whole_sums.h. Between liquids of one kind terms are at most 1/4, 1/32 and 1/2048. Solids can
 * have larger ones if they are where they should not be, and so can give with masses that differ: these are cut off at
 * 8, 8 and 1, before which the masses differ a thousand times. */
#define SHARE_UNIT   0x1p-24f
#define SLOPE_UNIT   0x1p-24f
#define GIVE_UNIT    0x1p-26f
#define CLOSING_UNIT 0x1p-24f

#define V        lanes
#define V4       lanes4
#define INDEX    whole
#define OF(name) lanes_##name
#include "step/fluid/density_rows.inl"
#undef V
#undef V4
#undef INDEX
#undef OF

LANE_FUNCTION lanes4 wet_of(const mt_substep *s, const uint32_t *index, const beside who)
{
    const mote_vec4 *all = &s->liquids.fluid.all;
    if (who == ANYBODY)
        return lanes_gather(s->liquids.wet, index);
    return (lanes4){lanes_all(all->x), lanes_all(all->y), lanes_all(all->z), lanes_all(all->w)};
}

#if MT_WIDE
#define V        wide
#define V4       wide4
#define INDEX    wide_index
#define OF(name) wide_##name
#include "step/fluid/density_rows.inl"
#undef V
#undef V4
#undef INDEX
#undef OF

/* Two rows at a time, of liquids that are all the same: answers how many were added. */
LANE_FUNCTION uint32_t add_pairs_of_rows(const mt_substep *s, lanes4 x, lanes narrow, lanes over_own,
                                         const list_rows *rows, lanes_crowd *c, lanes4 own_u)
{
    wide4 own_us = wide_twice4(own_u);
    wide4 at = wide_twice4(x), wet = wide_twice4(wet_of(s, rows->index, ALL_ONE));
    wide narrows = wide_twice(narrow), over = wide_twice(over_own);
    wide_crowd sum = {0};
    uint32_t k = 0;
    for (; k + 2 <= rows->count; k += 2)
        wide_add_neighbors(s, at, narrows, over,
                           wide_gather(s->particles.predicted, rows->index + (size_t)k * LANES), wet, &sum,
                           own_us, wide_gather(s->liquids.moving, rows->index + (size_t)k * LANES), ALL_ONE);
    *c = (lanes_crowd){wide_fold(sum.share),   wide_fold(sum.slope_x), wide_fold(sum.slope_y),
                       wide_fold(sum.slope_z), wide_fold(sum.give),    wide_fold(sum.closing)};
    return k;
}

LANE_FUNCTION uint32_t push_pairs_of_rows(const mt_substep *s, lanes4 x, lanes4 own, lanes per_unit,
                                          const list_rows *rows, lanes_pushes *push, lanes own_lift,
                                          const float *lifts, const bool tensile)
{
    wide own_lifts = wide_twice(own_lift);
    wide4 at = wide_twice4(x), owns = wide_twice4(own), wet = wide_twice4(wet_of(s, rows->index, ALL_ONE));
    wide per_units = wide_twice(per_unit);
    wide_pushes sum = {0};
    uint32_t k = 0;
    for (; k + 2 <= rows->count; k += 2)
        wide_add_pushes(s, at, owns, own_lifts, per_units,
                        wide_gather(s->liquids.dense, rows->index + (size_t)k * LANES), lifts,
                        rows->index + (size_t)k * LANES, wet, &sum, tensile);
    *push = (lanes_pushes){wide_fold(sum.x),      wide_fold(sum.y),      wide_fold(sum.z),
                           wide_fold(sum.lift_x), wide_fold(sum.lift_y), wide_fold(sum.lift_z)};
    return k;
}
#else
LANE_FUNCTION uint32_t add_pairs_of_rows(const mt_substep *s, lanes4 x, lanes narrow, lanes over_own,
                                         const list_rows *rows, lanes_crowd *c, lanes4 own_u)
{
    (void)own_u, (void)s, (void)x, (void)narrow, (void)over_own, (void)rows, (void)c;
    return 0;
}

LANE_FUNCTION uint32_t push_pairs_of_rows(const mt_substep *s, lanes4 x, lanes4 own, lanes per_unit,
                                          const list_rows *rows, lanes_pushes *push, lanes own_lift,
                                          const float *lifts, const bool tensile)
{
    (void)own_lift, (void)lifts, (void)s, (void)x, (void)own, (void)per_unit, (void)rows, (void)push,
        (void)tensile;
    return 0;
}
#endif

/* By how much a particle gets denser in the substep with the velocities that count, for small times. */
LANE_FUNCTION lanes closing_of(const mt_substep *s, const lanes_crowd *c, const behind *wall, lanes4 u)
{
    lanes along = wall->slope.x * u.x + wall->slope.y * u.y + wall->slope.z * u.z;
    return whole_value(c->closing, lanes_all(CLOSING_UNIT)) + wall->closing + lanes_all(s->h) * along;
}

/* r of fluid.h. */
LANE_FUNCTION lanes residual_of(lanes excess, lanes closing)
{
    lanes thin = lanes_max(closing - excess - lanes_all(SLACK), lanes_all(0.0f));
    return closing - thin * thin / (thin + lanes_all(DRAIN));
}

LANE_FUNCTION lanes most_held(const mt_substep *s, lanes inverse_mass)
{
    return lanes_all(s->liquids.fluid.most_held) / lanes_max(inverse_mass, lanes_all(1e-30f));
}

/* 1 where no more pressure can be remembered; falls fast below that. */
LANE_FUNCTION lanes fullness(const mt_substep *s, lanes inverse_mass, lanes pressure)
{
    lanes part = lanes_min(pressure / most_held(s, inverse_mass), lanes_all(1.0f));
    part *= part;
    part *= part;
    return part * part;
}

LANE_LOOP void press_slice(const mt_substep *s, uint32_t slice, const beside who)
{
    const mt_fluid *f = &s->liquids.fluid;
    uint32_t i = slice * LANES;
    lanes4 x = lanes_load4(s->particles.predicted + i), own = lanes_load4(s->liquids.wet + i),
           own_u = lanes_load4(s->liquids.moving + i);
    lanes zero = lanes_all(0.0f), one = lanes_all(1.0f), lift = zero;
    lane_mask liquid = lanes_above(own.z, zero);
    if (lanes_bits(liquid) != 0) {
        lanes_crowd c = {0};
        lanes over_own = lanes_keep(lanes_above(own.y, zero), one / own.y);
        list_rows rows = rows_of(s, slice);
        uint32_t k = who == ALL_ONE ? add_pairs_of_rows(s, x, own.w, over_own, &rows, &c, own_u) : 0;
        for (; k < rows.count; k++) {
            const uint32_t *index = rows.index + (size_t)k * LANES;
            lanes_add_neighbors(s, x, own.w, over_own, lanes_gather(s->particles.predicted, index),
                                wet_of(s, index, who), &c, own_u, lanes_gather(s->liquids.moving, index), who);
        }
        lanes slope = lanes_all(f->slope), share = whole_value(c.share, lanes_all(SHARE_UNIT));
        whole3 slopes = {c.slope_x, c.slope_y, c.slope_z};
        lanes3 lean = whole3_value(&slopes, lanes_all(SLOPE_UNIT * f->support));
        lanes others = own.y * whole_value(c.give, lanes_all(GIVE_UNIT));
        behind wall = walls_of(s, slice, x);
        lanes excess = share + own.x + wall.part - one;
        lanes gx = wall.slope.x - slope * lean.x, gy = wall.slope.y - slope * lean.y,
              gz = wall.slope.z - slope * lean.z;
        lanes give =
            own.y * (gx * gx + gy * gy + gz * gz) + slope * slope * lanes_all(f->support * f->support) * others;
        give = lanes_max(give, own.y * lanes_all(f->least_give));
        /* sqrt(w give) is about how far a dp of 1 moves particles. */
        lanes most = lanes_all(f->most_move) * lanes_sqrt(give / lanes_max(own.y, lanes_all(1e-30f)));
        lanes over = one / lanes_max(give, lanes_all(1e-30f)), pressure = lanes_load(s->liquids.pressure + i);
        lane_mask moves = liquid & lanes_above(own.y, zero);
        lanes closing = closing_of(s, &c, &wall, own_u), dense = lanes_max(excess, zero);
        lanes rest = lanes_keep(moves, residual_of(excess, closing));
        lanes stiff = lanes_keep(moves, over / (one + dense)), full = fullness(s, own.y, pressure);
        lanes_store(s->liquids.wanted + i, lanes_all(RELAXATION) * lanes_min(rest, most) * stiff);
        lanes_store(s->liquids.spring + i,
                    (lanes_all(SPRING) + lanes_all(SPRING_FULL) * full) * lanes_min(dense, most) * stiff);
        lanes too = lanes_max(lanes_min(excess, excess - closing), zero);
        lift = lanes_all(LIFT) * (one - full) * lanes_min(too, most) * lanes_keep(moves, over / (one + too));
        lanes twice = lanes_all(2.0f) * slope;
        lane_mask bears = lanes_above(pressure, zero) | lanes_above(rest, zero);
        lanes_store4(s->liquids.lean + i, (lanes4){wall.slope.x - twice * lean.x, wall.slope.y - twice * lean.y,
                                                   wall.slope.z - twice * lean.z, lanes_keep(bears, rest)});
        lanes_store(s->liquids.excess + i, lanes_keep(liquid, excess));
    }
    x.w = zero;
    lanes_store4(s->liquids.dense + i, x);
    lanes_store(s->liquids.lift + i, lift);
}

/* Where no liquid is near. */
LANE_FUNCTION void leave_pressure(const mt_substep *s, uint32_t slice)
{
    lanes4 x = lanes_load4(s->particles.predicted + slice * LANES);
    x.w = lanes_all(0.0f);
    lanes_store4(s->liquids.dense + slice * LANES, x);
    lanes_store(s->liquids.lift + slice * LANES, lanes_all(0.0f));
}

/* The changes of pressure, beside the places that they are for. */
void MT_KERNEL(fluid_press)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++)
        if (!s->liquids.near_liquid[slice])
            leave_pressure(s, slice);
        else if (s->liquids.fluid.uniform)
            press_slice(s, slice, ALL_ONE);
        else
            press_slice(s, slice, ANYBODY);
}

/* What the pressure of eight particles becomes, and what of it acts. */
LANE_FUNCTION void hold_slice(const mt_substep *s, uint32_t i)
{
    lanes zero = lanes_all(0.0f), had = lanes_load(s->liquids.pressure + i),
          inverse_mass = lanes_load4(s->liquids.wet + i).y;
    lanes change = lanes_load(s->liquids.wanted + i) + lanes_load(s->liquids.guess + i);
    lanes now = lanes_min(lanes_max(had + change, zero), most_held(s, inverse_mass));
    lanes acts = now + lanes_all(s->liquids.first * BRAKE) * change + lanes_load(s->liquids.spring + i);
    lanes4 x = lanes_load4(s->liquids.dense + i);
    x.w = lanes_max(acts, zero) - lanes_all(1.0f - s->liquids.first) * had;
    lanes_store(s->liquids.pressure + i, now);
    lanes_store4(s->liquids.dense + i, x);
}

void MT_KERNEL(fluid_hold)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++)
        if (s->liquids.has_liquid[slice])
            hold_slice(s, slice * LANES);
}

/* ---- motion -------------------------------------------------------------------------------------------- */

/* What each wall gives: its own part of the slope, less what walls after it take of that. 1 - part is the product
 * of what each wall leaves; it is 0 where a particle is right at a wall. */
LANE_FUNCTION void add_to_walls(const mt_substep *s, uint32_t slice, lanes4 x, lanes left_by_all)
{
    lanes zero = lanes_all(0.0f), one = lanes_all(1.0f), least = lanes_all(1e-6f);
    behind b = {zero, {zero, zero, zero}, zero};
    for (uint32_t k = 0; k < s->shapes.length[slice]; k++) {
        mt_shape_row *row = &s->shapes.rows[s->shapes.start[slice] + k];
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
LANE_FUNCTION void push_off_walls(const mt_substep *s, uint32_t slice, lanes4 x, lanes3 *push, lanes lift,
                                  lanes3 *lifted)
{
    if (s->shapes.length[slice] == 0)
        return;
    behind wall = walls_of(s, slice, x);
    add_to_walls(s, slice, x, lanes_all(1.0f) - wall.part);
    push->x -= x.w * wall.slope.x;
    push->y -= x.w * wall.slope.y;
    push->z -= x.w * wall.slope.z;
    lifted->x -= lift * wall.slope.x;
    lifted->y -= lift * wall.slope.y;
    lifted->z -= lift * wall.slope.z;
}

LANE_LOOP void move_slice(const mt_substep *s, uint32_t slice, const beside who, const float *lifts,
                          const bool tensile)
{
    uint32_t i = slice * LANES;
    lanes4 x = lanes_load4(s->liquids.dense + i), own = lanes_load4(s->liquids.wet + i),
           now = lanes_load4(s->particles.predicted + i);
    lanes lift = lanes_load(s->liquids.lift + i);
    lanes unit = push_unit(s, own.y), per_unit = lanes_all(s->liquids.fluid.slope) / unit;
    lanes_pushes sum = {0};
    list_rows rows = rows_of(s, slice);
    uint32_t k =
        who == ALL_ONE ? push_pairs_of_rows(s, x, own, per_unit, &rows, &sum, lift, lifts, tensile) : 0;
    for (; k < rows.count; k++) {
        const uint32_t *index = rows.index + (size_t)k * LANES;
        lanes_add_pushes(s, x, own, lift, per_unit, lanes_gather(s->liquids.dense, index), lifts, index,
                         wet_of(s, index, who), &sum, tensile);
    }
    whole3 pushes = {sum.x, sum.y, sum.z};
    lanes3 push = whole3_value(&pushes, unit);
    whole3 lift_sums = {sum.lift_x, sum.lift_y, sum.lift_z};
    lanes3 lifted = whole3_value(&lift_sums, unit);
    push_off_walls(s, slice, x, &push, lift, &lifted);
    if (lifts != NULL)
        lanes_store4(s->liquids.lifted + i,
                     (lanes4){own.y * lifted.x, own.y * lifted.y, own.y * lifted.z, lanes_all(0.0f)});
    push = (lanes3){own.y * push.x, own.y * push.y, own.y * push.z};
    add_shift(s, i, push);
    now.x += push.x;
    now.y += push.y;
    now.z += push.z;
    lanes_store4(s->particles.predicted_out + i, now);
}

LANE_FUNCTION void move_with(const mt_substep *s, uint32_t slice, const bool tensile)
{
    if (s->liquids.fluid.uniform && s->liquids.lifts)
        move_slice(s, slice, ALL_ONE, s->liquids.lift, tensile);
    else if (s->liquids.fluid.uniform)
        move_slice(s, slice, ALL_ONE, NULL, tensile);
    else if (s->liquids.lifts)
        move_slice(s, slice, ANYBODY, s->liquids.lift, tensile);
    else
        move_slice(s, slice, ANYBODY, NULL, tensile);
}

void MT_KERNEL(fluid_move)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++)
        if (!s->liquids.near_liquid[slice])
            lanes_store4(s->particles.predicted_out + slice * LANES,
                         lanes_load4(s->particles.predicted + slice * LANES));
        else if (s->liquids.tensile.any)
            move_with(s, slice, true);
        else
            move_with(s, slice, false);
}
