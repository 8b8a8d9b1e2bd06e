/* Viscosity pair by pair: rub.h says how. A lane is a particle, a row of the neighbour lists eight pairs. Each pair is
 * in two lists, and comes out the same in both. */
#include "step/fluid/drag.h"
#include "step/fluid/list_rows.h"
#include "step/fluid/rub.h"
#include "step/fluid/whole_sums.h"
#include "step/kernels.h"

enum { UNTOUCHED, RUBS, EVEN, DONE }; /* of slices: see mt_stir.touched */

/* A symmetric matrix. */
typedef struct lanes6 {
    lanes xx, yy, zz, xy, xz, yz;
} lanes6;

LANE_FUNCTION lanes6 lanes6_zero(void)
{
    lanes zero = lanes_all(0.0f);
    return (lanes6){zero, zero, zero, zero, zero, zero};
}

/* Adds scale times a a^T. */
LANE_FUNCTION void lanes6_add(lanes6 *m, lanes x, lanes y, lanes z, lanes scale)
{
    m->xx += scale * x * x;
    m->yy += scale * y * y;
    m->zz += scale * z * z;
    m->xy += scale * x * y;
    m->xz += scale * x * z;
    m->yz += scale * y * z;
}

/* No eigenvalue is larger; for a multiple of the identity it is the eigenvalue. */
LANE_FUNCTION lanes lanes6_bound(const lanes6 *m)
{
    lanes mean = (m->xx + m->yy + m->zz) * lanes_all(1.0f / 3.0f), two = lanes_all(2.0f);
    lanes x = m->xx - mean, y = m->yy - mean, z = m->zz - mean;
    lanes rest = x * x + y * y + z * z + two * (m->xy * m->xy + m->xz * m->xz + m->yz * m->yz);
    return mean + lanes_sqrt(rest * lanes_all(2.0f / 3.0f));
}

/* ---- setting up ---------------------------------------------------------------------------------------- */

/* Of the sum of stiffnesses, beside the power of two below the largest of them: room for a thousand. */
#define STIFF_UNIT 0x1p-20f

LANE_FUNCTION drag_pair listed_pair(const mt_stir *job, lanes4 x, lanes kind, const uint32_t *index,
                                    const bool pure)
{
    return drag_pair_of(job, x, lanes_gather(job->place, index), kind, lanes_gather(job->direction, index).w,
                        pure);
}

LANE_FUNCTION lanes largest_weight(const mt_stir *job, const list_rows *rows, lanes4 x, lanes kind,
                                   const bool pure)
{
    lanes most = lanes_all(0.0f);
    for (uint32_t k = 0; k < rows->count; k++)
        most = lanes_max(most, listed_pair(job, x, kind, rows->index + (size_t)k * LANES, pure).weight);
    return most;
}

/* The sum of h K n n^T over a particle's pairs. Liquids of any viscosity may be beside each other, and a solid has none
 * of its own: the unit follows from the largest term, which is the same in any order. */
LANE_FUNCTION lanes6 stiffness_of(const mt_stir *job, uint32_t slice, lanes4 x, lanes kind, const bool pure)
{
    list_rows rows = rows_of(job->s, slice);
    lanes most = lanes_power_below(largest_weight(job, &rows, x, kind, pure)), zero = lanes_all(0.0f);
    lanes unit = most * lanes_all(STIFF_UNIT),
          some = lanes_select(lanes_above(unit, zero), unit, lanes_all(1.0f));
    whole xx = {0}, yy = {0}, zz = {0}, xy = {0}, xz = {0}, yz = {0};
    for (uint32_t k = 0; k < rows.count; k++) {
        drag_pair p = listed_pair(job, x, kind, rows.index + (size_t)k * LANES, pure);
        lanes scale = p.weight / (p.square * some), a = scale * p.dx, b = scale * p.dy;
        xx += whole_of(a * p.dx);
        xy += whole_of(a * p.dy);
        xz += whole_of(a * p.dz);
        yy += whole_of(b * p.dy);
        yz += whole_of(b * p.dz);
        zz += whole_of(scale * p.dz * p.dz);
    }
    unit *= lanes_all(job->unit);
    return (lanes6){whole_value(xx, unit), whole_value(yy, unit), whole_value(zz, unit),
                    whole_value(xy, unit), whole_value(xz, unit), whole_value(yz, unit)};
}

/* Whether what rubs is so weak that one sweep does, whoever is in the lists: a kernel is at most 1 + b, and the mean
 * of two viscosities at most the largest. Then it need not be measured. */
LANE_FUNCTION bool is_thin(const mt_stir *job, uint32_t slice, lanes w, lanes kind)
{
    float pairs = (float)rows_of(job->s, slice).count * (1.0f + MT_DRAG_SHAPE) * job->unit;
    pairs *= job->times > 1.0f ? job->times : 1.0f;
    lanes most = w * kind * lanes_all(job->thickest * pairs), zero = lanes_all(0.0f);
    return lanes_bits(lanes_at_least(kind, zero) & lanes_below(most, lanes_all(MT_RUB_THIN))) == 0xFFu;
}

/* What walls do at v, kg m/s, and what a push then does: the inverse of the mass and h K of the walls. Answers how
 * stiff they are. */
LANE_FUNCTION lanes measure_walls(const mt_stir *job, uint32_t slice, lanes4 x, lanes4 v, lanes w)
{
    const mt_substep *s = job->s;
    uint32_t i = slice * LANES;
    lanes zero = lanes_all(0.0f), one = lanes_all(1.0f), unit = lanes_all(job->unit), stiffness = zero;
    lane_mask free = lanes_above(w, zero);
    lanes3 surface_normal = {zero, zero, zero}, pull = surface_normal;
    lanes6 m = lanes6_zero();
    for (uint32_t k = 0; k < s->shapes.length[slice]; k++) {
        const mt_shape_row *row = &s->shapes.rows[s->shapes.start[slice] + k];
        drag_wall wall = drag_wall_of(job, row, x, v.w, &surface_normal);
        if (!wall.any)
            continue;
        pull = lanes3_add(pull, along_wall(&wall, beside_wall(job, row, v)));
        lanes size = unit * wall.weight;
        lanes6_add(&m, wall.normal.x, wall.normal.y, wall.normal.z, -size);
        stiffness += size;
    }
    lane_mask held = free & lanes_above(stiffness, zero);
    lanes mass = one / lanes_select(free, w, one) + stiffness;
    m.xx += mass;
    m.yy += mass;
    m.zz += mass;
    lanes6 c = {m.yy * m.zz - m.yz * m.yz, m.xx * m.zz - m.xz * m.xz, m.xx * m.yy - m.xy * m.xy,
                m.xz * m.yz - m.xy * m.zz, m.xy * m.yz - m.xz * m.yy, m.xy * m.xz - m.yz * m.xx};
    lanes scale = one / (m.xx * c.xx + m.xy * c.xy + m.xz * c.xz);
    lanes_store4(job->inverse_mass[0] + i,
                 (lanes4){lanes_select(held, c.xx * scale, w), lanes_select(held, c.yy * scale, w),
                          lanes_select(held, c.zz * scale, w), zero});
    lanes_store4(job->inverse_mass[1] + i,
                 (lanes4){lanes_keep(held, c.xy * scale), lanes_keep(held, c.xz * scale),
                          lanes_keep(held, c.yz * scale), zero});
    lanes_store4(job->change + i, (lanes4){lanes_keep(held, unit * pull.x), lanes_keep(held, unit * pull.y),
                                           lanes_keep(held, unit * pull.z), zero});
    return lanes_keep(held, stiffness);
}

/* The unit of what a particle is given, kg m/s: beside its lattice's h K, or what was measured if it has none, times a
 * speed of a radius a substep. So much that a pair of a hundred times that is in range, and what differs by a thousandth
 * of such a speed is right within 1/10,000. */
#define RUB_UNIT 0x1p-24f
#define RUB_MOST 0x1p28f /* units */

LANE_FUNCTION lanes grain_of(const mt_stir *job, lanes w, lanes stiffness)
{
    lanes soft = lanes_power_below(stiffness / (lanes_all(1.0f) + w * stiffness));
    return lanes_max(soft, lanes_all(1e-30f)) *
           lanes_all(RUB_UNIT * 0.5f * job->lattice.spacing * job->s->inverse_h);
}

LANE_LOOP void measure_slice(const mt_stir *job, uint32_t slice, mt_stir_sums *sums, const bool pure)
{
    uint32_t i = slice * LANES;
    lanes4 x = lanes_load4(job->place + i), v = lanes_load4(job->direction + i);
    lanes w = lanes_load4(job->s->liquids.wet + i).y, zero = lanes_all(0.0f), one = lanes_all(1.0f);
    const lanes4 nothing = {zero, zero, zero, zero};
    lane_mask free = lanes_above(w, zero), rubs = {0};
    lanes most = zero, walls = zero, kind = lanes_max(v.w, zero);
    if (lanes_bits(free) != 0) {
        if (is_thin(job, slice, w, v.w)) {
            rubs = free & lanes_above(kind, zero);
        } else {
            sums->thick = true;
            lanes6 sum = stiffness_of(job, slice, x, v.w, pure);
            most = lanes_keep(free, lanes6_bound(&sum));
            rubs = lanes_above(most, zero);
        }
        if (job->s->shapes.length[slice] > 0)
            walls = measure_walls(job, slice, x, v, w);
    }
    lanes lattice = in_time(job, kind * kind) * lanes_all(job->unit * job->lattice.friction),
          least = lanes_all(MT_RUB_THIN);
    lanes own = lanes_max(w * most, least), usual = lanes_max(w * lattice, own);
    lanes pace = one / lanes_sqrt(one + lanes_all(2.0f) * usual);
    pace = lanes_max(pace, lanes_all(MT_RUB_LEAST));
    bool touched = lanes_bits(rubs | lanes_above(walls, zero)) != 0;
    job->touched[slice] = touched ? RUBS : UNTOUCHED;
    sums->thick = sums->thick || lanes_bits(lanes_above(usual, least)) != 0;
    if (touched)
        sums->stiffness = fmaxf(sums->stiffness, lanes_largest(usual));
    lanes_store4(job->hold + i, (lanes4){own, pace, most, zero});
    lanes_store(job->grain + i, grain_of(job, w, lanes_select(lanes_above(lattice, zero), lattice, most)));
    lanes_store4(job->residual + i, nothing);
    lanes_store4(job->image + i, nothing);
}

/* As measure_slice where no liquid is near. */
LANE_FUNCTION void leave_slice(const mt_stir *job, uint32_t slice)
{
    uint32_t i = slice * LANES;
    lanes zero = lanes_all(0.0f), thin = lanes_all(MT_RUB_THIN);
    const lanes4 nothing = {zero, zero, zero, zero};
    job->touched[slice] = UNTOUCHED;
    lanes_store4(job->hold + i, (lanes4){thin, lanes_all(mt_rub_pace(MT_RUB_THIN)), zero, zero});
    lanes_store(job->grain + i, grain_of(job, lanes_load4(job->s->liquids.wet + i).y, zero));
    lanes_store4(job->residual + i, nothing);
    lanes_store4(job->image + i, nothing);
}

void MT_KERNEL(rub_measure)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_stir *job = context;
    mt_stir_sums sums = {.stiffness = -1.0f};
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++)
        if (job->left[slice])
            continue;
        else if (!job->s->liquids.near_liquid[slice])
            leave_slice(job, slice);
        else if (job->s->liquids.fluid.pure)
            measure_slice(job, slice, &sums, true);
        else
            measure_slice(job, slice, &sums, false);
    job->sums[begin / MT_BLOCK] = sums;
}

/* ---- coefficients -------------------------------------------------------------------------------------- */

/* x^n */
LANE_FUNCTION lanes to_power(lanes x, uint32_t n)
{
    lanes power = lanes_all(1.0f);
    for (; n > 0; n /= 2, x *= x)
        power = n % 2 == 1 ? power * x : power;
    return power;
}

/* Whether the error is still too large, with r^2k left after k sweeps. */
LANE_FUNCTION lane_mask goes_on(lanes power)
{
    return lanes_above(power, lanes_all(0.25f * MT_DRAG_TOLERANCE * MT_DRAG_TOLERANCE));
}

LANE_FUNCTION lanes ratio_of(lanes t)
{
    return (lanes_all(1.0f) - t) / (lanes_all(1.0f) + t);
}

/* Chebyshev's coefficients of a sweep; 0 when there is nothing more to be done. */
LANE_FUNCTION lanes4 coefficients_of(lanes4 hold, uint32_t sweep)
{
    lanes one = lanes_all(1.0f), two = lanes_all(2.0f), t = hold.y;
    lanes ratio = ratio_of(t), square = ratio * ratio, unit = two * two / ((one + t) * (one + t));
    if (sweep == 1)
        return (lanes4){hold.x, t, unit / (one + square), lanes_all(0.0f)};
    lanes before = to_power(square, sweep - 2), now = before * square, after = now * square;
    lane_mask goes = goes_on(now);
    return (lanes4){hold.x, t, lanes_keep(goes, unit * (one + now) / (one + after)),
                    lanes_keep(goes, square * (one + before) / (one + after))};
}

/* ---- a sweep ------------------------------------------------------------------------------------------- */

typedef struct rubbed {
    whole3 push;    /* in `grain` */
    lanes fine;     /* 1 over the unit of `push`, s/(kg m) */
    lane_mask goes; /* some pair is still being changed */
    lane_mask odd;  /* some pair is of two with different t */
} rubbed;

/* `given`: the impulse over the distance, kg/s. */
LANE_FUNCTION void add_push(rubbed *out, lanes given, lanes x, lanes y, lanes z)
{
    lanes scale = given * out->fine, most = lanes_all(RUB_MOST);
    out->push.x += whole_of(lanes_cut(scale * x, most));
    out->push.y += whole_of(lanes_cut(scale * y, most));
    out->push.z += whole_of(lanes_cut(scale * z, most));
}

LANE_FUNCTION rubbed nothing_rubbed(const mt_stir *job, uint32_t i)
{
    return (rubbed){.fine = lanes_all(1.0f) / lanes_load(job->grain + i)};
}

/* What of a pair does not change from sweep to sweep. */
typedef struct fixed_pair {
    drag_pair p;
    lanes pull, less; /* as in mt_stir */
    lanes4 hold;      /* of the other */
} fixed_pair;

LANE_FUNCTION fixed_pair fixed_pair_of(const mt_stir *job, lanes4 x, lanes kind, lanes4 hold, lanes other_kind,
                                       const uint32_t *index, const bool pure)
{
    fixed_pair pair = {.p = drag_pair_of(job, x, lanes_gather(job->place, index), kind, other_kind, pure),
                       .hold = lanes_gather(job->hold, index)};
    pair.less = lanes_all(1.0f) / (lanes_all(1.0f) + (hold.x + pair.hold.x));
    pair.pull = lanes_all(job->unit) * pair.p.weight / pair.p.square * pair.less;
    return pair;
}

/* The first sweep, for who needs no other; of others it tells that they go on. The same bits as rub_row. */
LANE_FUNCTION void rub_once(const mt_stir *job, lanes4 x, lanes4 v, lanes4 hold, const uint32_t *index,
                            rubbed *out, const bool pure)
{
    lanes4 beside = lanes_gather(job->direction, index);
    fixed_pair pair = fixed_pair_of(job, x, v.w, hold, beside.w, index, pure);
    const drag_pair *p = &pair.p;
    lanes speed = (beside.x - v.x) * p->dx + (beside.y - v.y) * p->dy + (beside.z - v.z) * p->dz;
    lane_mask own = lanes_at_most(hold.y, pair.hold.y);
    lanes given = lanes_select(own, hold.z, pair.hold.z) * (pair.pull * speed);
    lanes ratio = ratio_of(lanes_select(own, hold.y, pair.hold.y));
    out->goes |= goes_on(ratio * ratio) & lanes_above(pair.pull, lanes_all(0.0f));
    add_push(out, given, p->dx, p->dy, p->dz);
}

/* What a slice's particles were given. */
LANE_FUNCTION void put_pushes(const mt_stir *job, uint32_t slice, const rubbed *out)
{
    uint32_t i = slice * LANES;
    lanes zero = lanes_all(0.0f);
    lanes3 sum = whole3_value(&out->push, lanes_load(job->grain + i));
    lanes3 push = lanes3_keep(lanes_above(lanes_load4(job->s->liquids.wet + i).y, zero), sum);
    lanes_store4(job->residual + i, (lanes4){push.x, push.y, push.z, zero});
    if (lanes_bits(out->goes) == 0)
        job->touched[slice] = DONE; /* no pair of it will be changed any more */
}

/* The same again where all are thin: each has the same coefficients, which need not be asked for. */
LANE_FUNCTION void rub_thin(const mt_stir *job, lanes4 x, lanes4 v, lanes less, lanes a, const uint32_t *index,
                            rubbed *out)
{
    lanes4 beside = lanes_gather(job->direction, index);
    drag_pair p = drag_pair_of(job, x, lanes_gather(job->place, index), v.w, beside.w, true);
    lanes pull = lanes_all(job->unit) * p.weight / p.square * less;
    lanes speed = (beside.x - v.x) * p.dx + (beside.y - v.y) * p.dy + (beside.z - v.z) * p.dz;
    add_push(out, a * (pull * speed), p.dx, p.dy, p.dz);
}

LANE_LOOP void thin_slice(const mt_stir *job, uint32_t slice)
{
    uint32_t i = slice * LANES;
    lanes4 x = lanes_load4(job->place + i), v = lanes_load4(job->direction + i);
    lanes4 hold = lanes_load4(job->hold + i);
    lanes less = lanes_all(1.0f) / (lanes_all(1.0f) + (hold.x + hold.x));
    rubbed out = nothing_rubbed(job, i);
    list_rows rows = rows_of(job->s, slice);
    for (uint32_t k = 0; k < rows.count; k++)
        rub_thin(job, x, v, less, hold.z, rows.index + (size_t)k * LANES, &out);
    put_pushes(job, slice, &out);
}

LANE_FUNCTION void note_pairs(const mt_stir *job, lanes4 x, lanes kind, lanes4 hold, const uint32_t *index,
                              size_t at, rubbed *out, const bool pure)
{
    lanes other_kind = lanes_gather(job->direction, index).w, zero = lanes_all(0.0f);
    fixed_pair pair = fixed_pair_of(job, x, kind, hold, other_kind, index, pure);
    lane_mask differ = lanes_below(hold.y, pair.hold.y) | lanes_above(hold.y, pair.hold.y);
    out->odd |= differ & lanes_above(pair.pull, zero);
    lanes_store(job->pairs.pull + at, pair.pull);
    lanes_store(job->pairs.less + at, pair.less);
    lanes_store(job->pairs.given + at, zero);
    lanes_store(job->pairs.last + at, zero);
}

/* `even`: all pairs of the slice are of two with the same t. */
LANE_FUNCTION void rub_row(const mt_stir *job, lanes4 x, lanes4 v, lanes4 hold, const uint32_t *index,
                           size_t at, rubbed *out, const bool even)
{
    lanes4 other = lanes_gather(job->place, index), beside = lanes_gather(job->direction, index);
    lanes dx = other.x - x.x, dy = other.y - x.y, dz = other.z - x.z, a = hold.z, b = hold.w;
    if (!even) {
        lanes4 other_hold = lanes_gather(job->hold, index);
        lane_mask own = lanes_at_most(hold.y, other_hold.y);
        a = lanes_select(own, a, other_hold.z);
        b = lanes_select(own, b, other_hold.w);
    }
    lanes pull = lanes_load(job->pairs.pull + at), given = lanes_load(job->pairs.given + at);
    lanes speed = (beside.x - v.x) * dx + (beside.y - v.y) * dy + (beside.z - v.z) * dz;
    lanes z = pull * speed - lanes_load(job->pairs.less + at) * given,
          last = a * z + b * lanes_load(job->pairs.last + at);
    given += last;
    lanes_store(job->pairs.given + at, given);
    lanes_store(job->pairs.last + at, last);
    out->goes |= lanes_above(a, lanes_all(0.0f)) & lanes_above(pull, lanes_all(0.0f));
    add_push(out, given, dx, dy, dz);
}

LANE_LOOP void rub_slice(const mt_stir *job, uint32_t slice, const bool even)
{
    uint32_t i = slice * LANES;
    lanes4 x = lanes_load4(job->place + i), v = lanes_load4(job->direction + i),
           hold = lanes_load4(job->hold + i);
    rubbed out = nothing_rubbed(job, i);
    list_rows rows = rows_of(job->s, slice);
    size_t at = (size_t)((const uint32_t *)job->s->lists.made->start.data)[slice] * LANES;
    for (uint32_t k = 0; k < rows.count; k++, at += LANES)
        rub_row(job, x, v, hold, rows.index + (size_t)k * LANES, at, &out, even);
    put_pushes(job, slice, &out);
}

/* The first sweep of those that need one only, and what the others need for theirs. */
LANE_LOOP void begin_slice(const mt_stir *job, uint32_t slice, const bool pure)
{
    uint32_t i = slice * LANES;
    lanes4 x = lanes_load4(job->place + i), v = lanes_load4(job->direction + i),
           hold = lanes_load4(job->hold + i);
    lanes ratio = ratio_of(hold.y);
    rubbed out = nothing_rubbed(job, i);
    out.goes = goes_on(ratio * ratio);
    list_rows rows = rows_of(job->s, slice);
    size_t at = (size_t)((const uint32_t *)job->s->lists.made->start.data)[slice] * LANES;
    for (uint32_t k = 0; k < rows.count && lanes_bits(out.goes) == 0; k++)
        rub_once(job, x, v, hold, rows.index + (size_t)k * LANES, &out, pure);
    if (lanes_bits(out.goes) == 0) {
        put_pushes(job, slice, &out);
        return;
    }
    for (uint32_t k = 0; k < rows.count; k++, at += LANES)
        note_pairs(job, x, v.w, hold, rows.index + (size_t)k * LANES, at, &out, pure);
    if (lanes_bits(out.odd) == 0)
        job->touched[slice] = EVEN;
}

/* The impulses of all pairs, and their sum on each particle. */
void MT_KERNEL(rub_pairs)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_stir *job = context;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        if (job->sweep == 1 && job->touched[slice] == RUBS) {
            if (job->all_thin)
                thin_slice(job, slice);
            else if (job->s->liquids.fluid.pure)
                begin_slice(job, slice, true);
            else
                begin_slice(job, slice, false);
        }
        if (job->touched[slice] == EVEN)
            rub_slice(job, slice, true);
        else if (job->touched[slice] == RUBS)
            rub_slice(job, slice, false);
    }
}

/* How a slice's particles change their velocities for what they were given. */
LANE_FUNCTION void ease_slice(const mt_stir *job, uint32_t slice)
{
    uint32_t i = slice * LANES;
    lanes4 push = lanes_load4(job->residual + i);
    lanes zero = lanes_all(0.0f);
    if (job->s->shapes.length[slice] == 0) {
        lanes w = lanes_load4(job->s->liquids.wet + i).y;
        lanes_store4(job->image + i, (lanes4){w * push.x, w * push.y, w * push.z, zero});
        return;
    }
    lanes4 walls = lanes_load4(job->change + i), m = lanes_load4(job->inverse_mass[0] + i),
           n = lanes_load4(job->inverse_mass[1] + i);
    lanes x = push.x + walls.x, y = push.y + walls.y, z = push.z + walls.z;
    lanes_store4(job->image + i, (lanes4){m.x * x + n.x * y + n.y * z, m.y * y + n.x * x + n.z * z,
                                          m.z * z + n.y * x + n.z * y, zero});
}

/* For loose particles; where there are bodies these have their own say. */
void MT_KERNEL(rub_inverse_mass)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_stir *job = context;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++)
        if (job->touched[slice] != UNTOUCHED)
            ease_slice(job, slice);
}

/* The velocities for the next sweep, and its coefficients. */
void MT_KERNEL(rub_follow)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_stir *job = context;
    const bool with_bodies = job->s->bodies.plan->assembly_count > 0;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        if (job->touched[slice] == UNTOUCHED)
            continue;
        if (!with_bodies)
            ease_slice(job, slice);
        uint32_t i = slice * LANES;
        lanes4 v = lanes_load4(job->velocity + i), change = lanes_load4(job->image + i);
        lanes kind = lanes_load4(job->direction + i).w;
        lanes_store4(job->direction + i, (lanes4){v.x + change.x, v.y + change.y, v.z + change.z, kind});
        lanes_store4(job->hold + i, coefficients_of(lanes_load4(job->hold + i), job->sweep));
    }
}
