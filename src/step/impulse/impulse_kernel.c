/* The passes over rows of contacts: geometry and warm start, the solve, and bounces. law.h says what a contact does. */
#include "step/impulse/law.h"
#include "step/kernels.h"

/* ---- fetching and putting back ------------------------------------------------------------------------- */

LANE_FUNCTION lanes3 xyz_of(lanes4 v)
{
    return (lanes3){v.x, v.y, v.z};
}

LANE_FUNCTION void fetch_ease(const mt_impulse_job *job, const uint32_t mover[8], lanes own, lanes e[6])
{
    const uint32_t none = job->w->mover_count - job->w->first_body;
    uint32_t at[LANES], next[LANES], any = 0;
    for (uint32_t n = 0; n < LANES; n++) {
        uint32_t body = mover[n] >= job->w->first_body ? mover[n] - job->w->first_body : none;
        any |= body ^ none;
        at[n] = 2 * body;
        next[n] = 2 * body + 1;
    }
    if (any == 0) {
        lanes zero = lanes_all(0.0f);
        e[0] = e[1] = e[2] = own;
        e[3] = e[4] = e[5] = zero;
        return;
    }
    lanes4 low = lanes_gather(job->ease, at), high = lanes_gather(job->ease, next);
    e[0] = low.x + own;
    e[1] = low.y + own;
    e[2] = low.z + own;
    e[3] = low.w;
    e[4] = high.x;
    e[5] = high.y;
}

/* The point of contact is in the middle between the two surfaces, the same for both. */
LANE_FUNCTION void fetch_arms(const mt_impulse_job *job, const mt_contact_row *row, contact_sides *c, lanes3 n,
                              const row_kind kind)
{
    lanes4 xa = lanes_gather(job->position, row->particle_a);
    lanes in = xa.w + lanes_all(0.5f) * lanes_load(row->separation);
    lanes3 point = lanes3_sub(xyz_of(xa), lanes3_scale(n, in));
    c->ra = lanes3_sub(point, xyz_of(lanes_gather(job->center, row->a)));
    if (!kind.shape)
        c->rb = lanes3_sub(point, xyz_of(lanes_gather(job->center, row->b)));
}

LANE_FUNCTION void fetch_sides(const mt_impulse_job *job, const mt_contact_row *row, contact_sides *c, lanes3 n,
                               const row_kind kind)
{
    const lanes3 none = lanes3_all((mote_vec3){0.0f, 0.0f, 0.0f});
    lanes4 a = lanes_gather(job->velocity, row->a);
    c->va = xyz_of(a);
    c->ma = a.w;
    if (kind.shape) {
        c->vb = row3(row->surface_x, row->surface_y, row->surface_z);
        c->mb = lanes_all(0.0f);
    } else {
        lanes4 b = lanes_gather(job->velocity, row->b);
        c->vb = xyz_of(b);
        c->mb = b.w;
    }
    if (!kind.wide)
        return;
    lanes4 wa = lanes_gather(job->spin, row->a);
    c->wa = xyz_of(wa);
    fetch_ease(job, row->a, wa.w, c->ea);
    c->ta = c->tb = none;
    if (!kind.shape) {
        lanes4 wb = lanes_gather(job->spin, row->b);
        c->wb = xyz_of(wb);
        fetch_ease(job, row->b, wb.w, c->eb);
    }
    fetch_arms(job, row, c, n, kind);
}

LANE_FUNCTION void put_xyz(mote_vec4 *to, const uint32_t index[8], lanes3 v, lanes w, uint32_t bits)
{
    mote_vec4 out[LANES];
    lanes_store4(out, (lanes4){v.x, v.y, v.z, w});
    for (uint32_t rest = bits; rest != 0; rest &= rest - 1) {
        uint32_t n = (uint32_t)__builtin_ctz(rest);
        to[index[n]] = out[n];
    }
}

LANE_FUNCTION void put_side(const mt_impulse_job *job, const uint32_t mover[8], lanes3 v, lanes m, lanes3 w, lanes3 t,
                            uint32_t on, const row_kind kind)
{
    uint32_t moves = on & lanes_bits(lanes_above(m, lanes_all(0.0f)));
    put_xyz(job->velocity, mover, v, m, moves);
    if (!kind.wide)
        return;
    for (uint32_t rest = moves; rest != 0; rest &= rest - 1) {
        uint32_t n = (uint32_t)__builtin_ctz(rest), k = mover[n];
        job->spin[k].x = w.x[n];
        job->spin[k].y = w.y[n];
        job->spin[k].z = w.z[n];
        if (k >= job->w->first_body) {
            mote_vec4 *sum = &job->moment[k - job->w->first_body];
            sum->x += t.x[n];
            sum->y += t.y[n];
            sum->z += t.z[n];
        }
    }
}

/* Who does not move is not written: many may lean on it at once. */
LANE_FUNCTION void put_sides(const mt_impulse_job *job, const mt_contact_row *row, const contact_sides *c,
                             const row_kind kind)
{
    put_side(job, row->a, c->va, c->ma, c->wa, c->ta, row->lanes, kind);
    if (!kind.shape)
        put_side(job, row->b, c->vb, c->mb, c->wb, c->tb, row->lanes, kind);
}

/* ---- geometry and warm start --------------------------------------------------------------------------- */

/* Two spheres. Where they are in one and the same place, up for the later slot. */
LANE_FUNCTION lanes3 meet_spheres(const mt_impulse_job *job, const mt_contact_row *row, lanes *separation)
{
    lanes4 xa = lanes_gather(job->position, row->particle_a), xb = lanes_gather(job->position, row->particle_b);
    lanes3 d = {xa.x - xb.x, xa.y - xb.y, xa.z - xb.z};
    lanes square = lanes3_dot(d, d), distance = lanes_sqrt(square);
    lane_mask apart = lanes_above(square, lanes_all(1e-24f));
    *separation = distance - lanes_load(row->touch);
    lanes3 n = lanes3_scale(d, lanes_all(1.0f) / lanes_max(distance, lanes_all(1e-12f)));
    lanes3 up = {lanes_all(0.0f), lanes_all(1.0f), lanes_all(0.0f)};
    return lanes3_select(apart, n, up);
}

/* The impulse of the last substep, turned with the contact. Where it would have to be pushed out of a deep overlap
 * there was no rest, and nothing is kept. */
LANE_FUNCTION lanes3 warm_impulse(const mt_impulse_job *job, mt_contact_row *row, lanes3 n, lanes separation)
{
    lanes3 last = row3(row->normal_x, row->normal_y, row->normal_z);
    lanes3 friction = row3(row->friction_x, row->friction_y, row->friction_z);
    lanes turn = lanes3_dot(n, last);
    lane_mask kept = lanes_above(turn, lanes_all(0.5f)) &
                     lanes_above(separation * lanes_all(job->rate), lanes_all(-job->most_push));
    lanes p = lanes_keep(kept, lanes_load(row->impulse) * turn);
    friction = lanes3_sub(friction, lanes3_scale(n, lanes3_dot(friction, n)));
    friction = lanes3_keep(kept, friction);
    lanes_store(row->impulse, p);
    put3(row->friction_x, row->friction_y, row->friction_z, friction);
    return lanes3_add(lanes3_scale(n, p), friction);
}

LANE_FUNCTION void look_row(const mt_impulse_job *job, mt_contact_row *row, const row_kind kind)
{
    lanes_store(row->bounced_sum, lanes_all(0.0f));
    if (kind.shape)
        return;
    lanes separation;
    lanes3 n = meet_spheres(job, row, &separation);
    lanes_store(row->separation, separation);
    put3(row->new_x, row->new_y, row->new_z, n); /* until the warm start has compared the two */
}

LANE_FUNCTION void warm_row(const mt_impulse_job *job, mt_contact_row *row, const row_kind kind)
{
    lanes separation = lanes_load(row->separation);
    lanes3 n = row3(row->new_x, row->new_y, row->new_z);
    lanes3 p = warm_impulse(job, row, n, separation);
    put3(row->normal_x, row->normal_y, row->normal_z, n);
    lane_mask on = lanes_of_bits(row->lanes);
    lane_mask given = on & (lanes_above(lanes3_dot(p, p), lanes_all(0.0f)));
    if (lanes_bits(given) == 0)
        return;
    contact_sides c;
    fetch_sides(job, row, &c, n, kind);
    give_both(&c, lanes3_keep(given, p), kind);
    put_sides(job, row, &c, kind);
}

LANE_FUNCTION void press_row(const mt_impulse_job *job, mt_contact_row *row, const row_kind kind)
{
    contact_sides c;
    lanes3 n = row3(row->normal_x, row->normal_y, row->normal_z);
    fetch_sides(job, row, &c, n, kind);
    lane_mask on = lanes_of_bits(row->lanes);
    press(job, row, &c, n, on, kind);
    rub_row(job, row, &c, n, on, kind);
    put_sides(job, row, &c, kind);
}

/* ---- bounces -------------------------------------------------------------------------------------------
 * Before the warm start. A contact that would close within the substep, faster than what does not bounce, is to open
 * with the restitution's part of the speed with which the two would have met; what it falls on the way, and rises
 * again, is counted, so that a ball comes back to the height that its restitution says. Several that bounce at once
 * are solved together; whom they are thrown against bounces in the next round. */

/* What pulls a and b together along n, m/s^2. */
LANE_FUNCTION lanes pull_along(const mt_impulse_job *job, const contact_sides *c, lanes3 n)
{
    lanes g = lanes3_dot(lanes3_all(job->gravity), n), zero = lanes_all(0.0f);
    return lanes_keep(lanes_above(c->mb, zero), g) - lanes_keep(lanes_above(c->ma, zero), g);
}

LANE_FUNCTION void find_bounces(const mt_impulse_job *job, mt_contact_row *row, const row_kind kind)
{
    row->bouncing = 0;
    if (row->bounces == 0)
        return;
    contact_sides c;
    lanes3 n = row3(row->new_x, row->new_y, row->new_z);
    const lanes zero = lanes_all(0.0f), h = lanes_all(job->h), half = lanes_all(0.5f * job->h);
    fetch_sides(job, row, &c, n, kind);
    lanes separation = lanes_load(row->separation), e = lanes_load(row->restitution);
    lanes speed = lanes3_dot(beside(&c, kind), n), pull = pull_along(job, &c, n);
    lane_mask met = lanes_below(separation + h * speed, zero) & lanes_below(speed, lanes_all(-job->bounce_speed));
    row->bouncing = lanes_bits(met) & row->bounces & row->lanes;
    if (row->bouncing == 0)
        return;
    atomic_store_explicit(job->any, true, memory_order_relaxed);
    lanes gap = lanes_max(separation, zero), now = speed + pull * half, fall = pull * gap;
    fall += fall;
    lanes leave = lanes_sqrt(lanes_max(e * e * (now * now + fall) - fall, zero)) - pull * half;
    lanes_store(row->target_speed, leave);
    lanes_store(row->bounced, zero);
}

LANE_FUNCTION void bounce_row(const mt_impulse_job *job, mt_contact_row *row, const row_kind kind)
{
    if (row->bouncing == 0)
        return;
    contact_sides c;
    lanes3 n = row3(row->new_x, row->new_y, row->new_z);
    fetch_sides(job, row, &c, n, kind);
    lanes before = lanes_load(row->bounced), speed = lanes3_dot(beside(&c, kind), n);
    lanes total = before - over(speed - lanes_load(row->target_speed), yielding(&c, n, kind));
    lanes given = lanes_keep(lanes_of_bits(row->bouncing), lanes_max(total, lanes_all(0.0f)) - before);
    lanes_store(row->bounced, before + given);
    lanes_store(row->bounced_sum, lanes_load(row->bounced_sum) + given);
    give_both(&c, lanes3_scale(n, given), kind);
    put_sides(job, row, &c, kind);
}

/* ---- all of a colour ----------------------------------------------------------------------------------- */

#define ROW_KERNEL(name, task)                                                                                 \
    void MT_KERNEL(name)(void *context, uint32_t begin, uint32_t end, uint32_t worker)                         \
    {                                                                                                          \
        const mt_impulse_job *job = context;                                                                   \
        (void)worker;                                                                                          \
        for (uint32_t k = begin; k < end; k++) {                                                               \
            const mt_batch_of_rows *batch = &job->batches[job->first + k];                                     \
            mt_contact_row *row = job->rows + batch->first, *const last = row + batch->count;                  \
            if (batch->wide && batch->shape)                                                                   \
                for (; row < last; row++)                                                                      \
                    task(job, row, (row_kind){true, true});                                                    \
            else if (batch->wide)                                                                              \
                for (; row < last; row++)                                                                      \
                    task(job, row, (row_kind){true, false});                                                   \
            else if (batch->shape)                                                                             \
                for (; row < last; row++)                                                                      \
                    task(job, row, (row_kind){false, true});                                                   \
            else                                                                                               \
                for (; row < last; row++)                                                                      \
                    task(job, row, (row_kind){false, false});                                                  \
        }                                                                                                      \
    }

/* Contacts of a pair stand side by side, each a spring: more than four share what four would be. */
LANE_FUNCTION void share_stiffness(mt_contact_row *row, uint32_t count)
{
    lanes number = lanes_all(0.0f);
    for (uint32_t k = 0; k < count; k++) {
        lane_mask on = lanes_of_bits(row[k].lanes) & lanes_below(lanes_load(row[k].separation), lanes_all(0.0f));
        number += lanes_keep(on, lanes_all(0.25f));
    }
    for (uint32_t k = 0; k < count; k++)
        lanes_store(row[k].parallel, lanes_max(number, lanes_all(1.0f)));
}

void MT_KERNEL(impulse_look)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_impulse_job *job = context;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        const mt_batch_of_rows *batch = &job->batches[job->first + k];
        mt_contact_row *rows = job->rows + batch->first;
        for (uint32_t n = 0; n < batch->count; n++)
            look_row(job, rows + n, (row_kind){batch->wide, batch->shape});
        if (batch->count > 4)
            share_stiffness(rows, batch->count);
    }
}

ROW_KERNEL(impulse_find_bounces, find_bounces)
ROW_KERNEL(impulse_bounce, bounce_row)
ROW_KERNEL(impulse_warm, warm_row)
ROW_KERNEL(impulse_press, press_row)
