/* The passes over rows of contacts at position level. law.h says what a contact does; here is the order in which: one
 * after the other (Gauss-Seidel), or all at once from where movers are, each with its part of their masses. */
#include "step/bodies/matching.h"
#include "step/impulse/rows.h"
#include "step/kernels.h"

/* There are no compact rows at position level. */
static void no_compact_row(const mt_impulse_job *job, const mt_batch_of_rows *batch)
{
    (void)job;
    (void)batch;
}

/* ---- geometry ------------------------------------------------------------------------------------------ */

/* Where the two are at the poses at hand. The separation is kept as it would be without the velocities at hand, so that
 * with any others it is s + h u . n while the normal holds. */
LANE_FUNCTION void see_row(const mt_impulse_job *job, mt_contact_row *row, const row_kind kind)
{
    const lanes zero = lanes_all(0.0f);
    contact_sides c;
    row->active = row->lanes;
    if (!kind.shape)
        meet_row(job, row);
    lanes3 n = row3(row->more->new_x, row->more->new_y, row->more->new_z);
    put3(row->normal_x, row->normal_y, row->normal_z, n);
    fetch_sides(job, row, &c, kind);
    lanes separation = lanes_load(row->separation) - lanes_all(job->h) * lanes3_dot(beside(&c, kind), n);
    if (job->at_position.stabilizes &&
        !row->more->plain) /* the overlap of a contact that gives way is what carries the load */
        separation =
            lanes_select(lanes_above(lanes_load(row->more->softness), zero), lanes_all(MT_FAR), separation);
    lanes_store(row->separation, separation);
    if (job->at_position.cold) {
        lanes_store(row->impulse, zero);
        put3(row->friction_x, row->friction_y, row->friction_z, (lanes3){zero, zero, zero});
    }
}

ROW_KERNEL(position_look, see_row, no_compact_row)

/* ---- mass scaling --------------------------------------------------------------------------------------
 * Shock propagation: the upper of two counts as lighter. With a = k (height of a's centre - height of b's) inverse
 * masses are multiplied by (1 + a/16)^8 and (1 - a/16)^8, whose ratio is e^a to second order. What the two are given is
 * no longer opposite, which is what holds a stack up. */

#define MT_MOST_SCALING 6.0f

LANE_FUNCTION lanes eighth_power(lanes x)
{
    x *= x;
    x *= x;
    return x * x;
}

typedef struct scaling {
    lanes a, b;
} scaling;

LANE_FUNCTION scaling scale_masses(const mt_impulse_job *job, const mt_contact_row *row, contact_sides *c,
                                   lanes3 n, const row_kind kind)
{
    const lanes one = lanes_all(1.0f), most = lanes_all(MT_MOST_SCALING);
    if (kind.shape || job->at_position.mass_scaling == 0)
        return (scaling){one, one};
    lanes3 up = lanes3_all(job->s->forces.up);
    lanes above =
        kind.wide ? lanes3_dot(lanes3_sub(c->rb, c->ra), up) : lanes3_dot(n, up) * lanes_load(row->more->touch);
    lanes height = lanes_max(lanes_min(above * lanes_all(job->at_position.mass_scaling), most), -most);
    lanes small = height * lanes_all(1.0f / 16.0f);
    scaling part = {eighth_power(one + small), eighth_power(one - small)};
    c->ma *= part.a;
    c->mb *= part.b;
    for (uint32_t k = 0; k < 6 && kind.wide; k++) {
        c->ea[k] *= part.a;
        c->eb[k] *= part.b;
    }
    return part;
}

/* Back to what movers have, before they are put back. */
LANE_FUNCTION void unscale_masses(contact_sides *c, const contact_sides *before, scaling part,
                                  const row_kind kind)
{
    c->ma = before->ma;
    c->mb = before->mb;
    if (kind.wide && !kind.shape) {
        c->ta = lanes3_scale(c->ta, part.a);
        c->tb = lanes3_scale(c->tb, part.b);
    }
}

/* ---- one row ------------------------------------------------------------------------------------------- */

LANE_FUNCTION void solve_sides(const mt_impulse_job *job, mt_contact_row *row, contact_sides *c, lanes3 n,
                               const row_kind kind)
{
    lane_mask on = lanes_of_bits(row->active);
    project(job, row, c, n, on, kind);
    if (!job->at_position.stabilizes)
        rub_row(job, row, c, n, on, kind);
}

/* Those that overlap now, or have given something that may be too much. */
LANE_FUNCTION lane_mask asking(const mt_impulse_job *job, const mt_contact_row *row, const contact_sides *c,
                               lanes3 n, const row_kind kind)
{
    const lanes zero = lanes_all(0.0f);
    lanes now = lanes_load(row->separation) + lanes_all(job->h) * lanes3_dot(beside(c, kind), n);
    lane_mask asks = lanes_below(now, zero) | lanes_above(lanes_load(row->impulse), zero);
    if (!row->more->plain)
        asks |= lanes_above(lanes_load(row->more->pull), zero) & lanes_below(now, lanes_load(row->more->touch));
    return asks & lanes_of_bits(row->lanes);
}

LANE_FUNCTION void press_row(const mt_impulse_job *job, mt_contact_row *row, const row_kind kind)
{
    contact_sides c;
    lanes3 n = row3(row->normal_x, row->normal_y, row->normal_z);
    fetch_sides(job, row, &c, kind);
    contact_sides before = c;
    scaling part = scale_masses(job, row, &c, n, kind);
    solve_sides(job, row, &c, n, kind);
    unscale_masses(&c, &before, part, kind);
    put_sides(job, row, &c, kind);
}

ROW_KERNEL(position_press, press_row, no_compact_row)

/* Pairs one after the other in their order. */
void MT_KERNEL(position_press_pairs)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_impulse_job *job = context;
    const uint32_t *lane = job->w->rows.lane_of.data;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        mt_contact_row *row = (mt_contact_row *)job->w->rows.all.data + lane[k] / LANES;
        row->active = 1u << lane[k] % LANES;
        press_row(job, row, (row_kind){.wide = true});
        row->active = row->lanes;
    }
}

/* ---- all at once --------------------------------------------------------------------------------------- */

LANE_FUNCTION void count_side(const mt_impulse_job *job, const uint32_t mover[8], uint32_t bits)
{
    for (uint32_t rest = bits; rest != 0; rest &= rest - 1)
        job->at_position.push[mover[__builtin_ctz(rest)]].w += 1.0f;
}

LANE_FUNCTION void count_row(const mt_impulse_job *job, mt_contact_row *row, const row_kind kind)
{
    const lanes zero = lanes_all(0.0f);
    contact_sides c;
    fetch_sides(job, row, &c, kind);
    lanes3 n = row3(row->normal_x, row->normal_y, row->normal_z);
    row->active = lanes_bits(asking(job, row, &c, n, kind));
    count_side(job, row->a, row->active & lanes_bits(lanes_above(c.ma, zero)));
    if (!kind.shape)
        count_side(job, row->b, row->active & lanes_bits(lanes_above(c.mb, zero)));
}

ROW_KERNEL(position_count, count_row, no_compact_row)

LANE_FUNCTION void sum_side(const mt_impulse_job *job, const uint32_t mover[8], lanes3 v, lanes3 w, lanes3 t,
                            uint32_t bits, const row_kind kind)
{
    for (uint32_t rest = bits; rest != 0; rest &= rest - 1) {
        uint32_t n = (uint32_t)__builtin_ctz(rest), k = mover[n];
        job->at_position.push[k].x += v.x[n];
        job->at_position.push[k].y += v.y[n];
        job->at_position.push[k].z += v.z[n];
        if (!kind.wide)
            continue;
        job->at_position.turn[k].x += w.x[n];
        job->at_position.turn[k].y += w.y[n];
        job->at_position.turn[k].z += w.z[n];
        if (k >= job->w->movers.first_body) {
            mote_vec4 *sum = &job->moment[k - job->w->movers.first_body];
            sum->x += t.x[n];
            sum->y += t.y[n];
            sum->z += t.z[n];
        }
    }
}

LANE_FUNCTION void average_row(const mt_impulse_job *job, mt_contact_row *row, const row_kind kind)
{
    const lanes one = lanes_all(1.0f), zero = lanes_all(0.0f);
    if (row->active == 0)
        return;
    contact_sides c;
    lanes3 n = row3(row->normal_x, row->normal_y, row->normal_z);
    fetch_sides(job, row, &c, kind);
    contact_sides before = c;
    c.na = lanes_max(lanes_gather(job->at_position.push, row->a).w, one);
    c.nb = kind.shape ? one : lanes_max(lanes_gather(job->at_position.push, row->b).w, one);
    c.split = true;
    scaling part = scale_masses(job, row, &c, n, kind);
    solve_sides(job, row, &c, n, kind);
    unscale_masses(&c, &before, part, kind);
    sum_side(job, row->a, lanes3_sub(c.va, before.va), lanes3_sub(c.wa, before.wa), c.ta,
             row->active & lanes_bits(lanes_above(c.ma, zero)), kind);
    if (!kind.shape)
        sum_side(job, row->b, lanes3_sub(c.vb, before.vb), lanes3_sub(c.wb, before.wb), c.tb,
                 row->active & lanes_bits(lanes_above(c.mb, zero)), kind);
}

ROW_KERNEL(position_average, average_row, no_compact_row)

/* ---- particles of bodies where these are --------------------------------------------------------------- */

/* Into the places at the start (job->stabilizes), or into the predicted ones. */
void MT_KERNEL(position_place)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_impulse_job *job = context;
    const mt_substep *s = job->s;
    const bool at_start = job->at_position.stabilizes;
    mote_vec4 *to = at_start ? s->particles.position : s->particles.predicted;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        const mt_assembly *a = (const mt_assembly *)s->bodies.plan->assemblies.data + k;
        if (!any_moves(s, a))
            continue;
        put_assembly(s, a, to, at_start);
    }
}
