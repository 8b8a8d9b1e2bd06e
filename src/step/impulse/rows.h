/* Rows of contacts and the movers on both sides of them: fetching and putting back what movers have, and where the two
 * of a contact are. Every order of solving uses these. law.h says what a contact does. */
#ifndef MOTE_STEP_IMPULSE_ROWS_H
#define MOTE_STEP_IMPULSE_ROWS_H

#include "step/impulse/law.h"
#include "step/impulse/touch.h"

/* ---- fetching and putting back ------------------------------------------------------------------------- */

LANE_FUNCTION lanes3 xyz_of(lanes4 v)
{
    return (lanes3){v.x, v.y, v.z};
}

LANE_FUNCTION void fetch_inverse_inertia(const mt_impulse_job *job, const uint32_t mover[8], lanes own,
                                         lanes e[6])
{
    const uint32_t none = job->w->movers.count - job->w->movers.first_body;
    uint32_t at[LANES], next[LANES], any = 0;
    for (uint32_t n = 0; n < LANES; n++) {
        uint32_t body = mover[n] >= job->w->movers.first_body ? mover[n] - job->w->movers.first_body : none;
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
    lanes4 low = lanes_gather(job->inverse_inertia, at), high = lanes_gather(job->inverse_inertia, next);
    e[0] = low.x + own;
    e[1] = low.y + own;
    e[2] = low.z + own;
    e[3] = low.w;
    e[4] = high.x;
    e[5] = high.y;
}

LANE_FUNCTION void fetch_arms(const mt_impulse_job *job, const mt_contact_row *row, contact_sides *c,
                              const row_kind kind)
{
    lanes3 point = row3(row->more->point_x, row->more->point_y, row->more->point_z);
    c->ra = lanes3_sub(point, xyz_of(lanes_gather(job->center, row->a)));
    if (!kind.shape)
        c->rb = lanes3_sub(point, xyz_of(lanes_gather(job->center, row->b)));
}

LANE_FUNCTION void fetch_sides(const mt_impulse_job *job, const mt_contact_row *row, contact_sides *c,
                               const row_kind kind)
{
    const lanes3 none = lanes3_all((mote_vec3){0.0f, 0.0f, 0.0f});
    lanes4 a = lanes_gather(job->velocity, row->a);
    c->split = false;
    c->va = xyz_of(a);
    c->ma = a.w;
    if (kind.shape) {
        c->vb = row3(row->more->surface_x, row->more->surface_y, row->more->surface_z);
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
    fetch_inverse_inertia(job, row->a, wa.w, c->ea);
    c->ta = c->tb = none;
    if (!kind.shape) {
        lanes4 wb = lanes_gather(job->spin, row->b);
        c->wb = xyz_of(wb);
        fetch_inverse_inertia(job, row->b, wb.w, c->eb);
    }
    fetch_arms(job, row, c, kind);
}

LANE_FUNCTION void put_xyz(mote_vec4 *to, const uint32_t index[8], lanes3 v, lanes w, uint32_t bits)
{
    lanes4 value = {v.x, v.y, v.z, w};
    if (bits == 0xFFu) { /* most often: without a jump for each */
        lanes_scatter(to, index, value);
        return;
    }
    quad rows[LANES];
    lanes_rows(value, rows);
    for (uint32_t rest = bits; rest != 0; rest &= rest - 1) {
        uint32_t n = (uint32_t)__builtin_ctz(rest);
        memcpy(to + index[n], &rows[n], sizeof *to);
    }
}

LANE_FUNCTION void put_side(const mt_impulse_job *job, const uint32_t mover[8], lanes3 v, lanes m, lanes3 w,
                            lanes3 t, uint32_t on, const row_kind kind)
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
        if (k >= job->w->movers.first_body) {
            mote_vec4 *sum = &job->moment[k - job->w->movers.first_body];
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
    put_side(job, row->a, c->va, c->ma, c->wa, c->ta, row->active, kind);
    if (!kind.shape)
        put_side(job, row->b, c->vb, c->mb, c->wb, c->tb, row->active, kind);
}

/* ---- geometry ------------------------------------------------------------------------------------------ */

/* From b to a. Where they are in one and the same place, up. */
LANE_FUNCTION lanes3 normal_between(lanes4 a, lanes4 b, lanes *distance)
{
    lanes3 d = {a.x - b.x, a.y - b.y, a.z - b.z}, up = {lanes_all(0.0f), lanes_all(1.0f), lanes_all(0.0f)};
    lanes square = lanes3_dot(d, d);
    *distance = lanes_sqrt(square);
    lanes3 n = lanes3_scale(d, lanes_all(1.0f) / lanes_max(*distance, lanes_all(1e-12f)));
    return lanes3_select(lanes_above(square, lanes_all(1e-24f)), n, up);
}

/* Two spheres. */
LANE_FUNCTION lanes3 meet_spheres(const mt_impulse_job *job, mt_contact_row *row, lanes *separation)
{
    lanes4 xa = lanes_gather(job->position, row->more->particle_a),
           xb = lanes_gather(job->position, row->more->particle_b);
    lanes distance;
    lanes3 n = normal_between(xa, xb, &distance);
    *separation = distance - lanes_load(row->more->touch);
    lanes in = xa.w + lanes_all(0.5f) * *separation;
    lanes3 point = lanes3_sub(xyz_of(xa), lanes3_scale(n, in));
    put3(row->more->point_x, row->more->point_y, row->more->point_z, point);
    return n;
}

/* A ball of a with the true surface of b. */
static void meet_surface(const mt_impulse_job *job, mt_contact_row *row, uint32_t n)
{
    const mt_impulses *w = job->w;
    mote_vec4 x = job->position[row->more->particle_a[n]];
    mt_ball ball = mt_ball_of(w, row->a[n], x);
    const mt_body_surface *b =
        (const mt_body_surface *)w->movers.surfaces.data + (row->b[n] - w->movers.first_body);
    mote_vec3 local, normal;
    float distance = mt_surface_distance(b->form, mt_to_local(&b->at, ball.center), &local);
    normal = mt_turn(&b->at, local);
    float inset = x.w + job->position[row->more->particle_b[n]].w - row->more->touch[n]; /* of liquids */
    float separation = distance - ball.radius + inset;
    mt_note_touch(row, n, ball, x, normal, ball.radius, separation);
}

/* Where the two of a row are at job->position. */
LANE_FUNCTION void meet_row(const mt_impulse_job *job, mt_contact_row *row)
{
    lanes separation;
    lanes3 n = meet_spheres(job, row, &separation);
    lanes_store(row->separation, separation);
    put3(row->more->new_x, row->more->new_y, row->more->new_z,
         n); /* until the warm start has compared the two */
    for (uint32_t rest = row->more->surfaced ? row->lanes : 0; rest != 0; rest &= rest - 1)
        if (row->more->on_surface[__builtin_ctz(rest)] != 0)
            meet_surface(job, row, (uint32_t)__builtin_ctz(rest));
}

/* All of a row anew for a substep; contacts with shapes are where shape_contacts.c has found them. */
LANE_FUNCTION void look_row(const mt_impulse_job *job, mt_contact_row *row, const row_kind kind)
{
    lanes_store(row->more->bounced_sum, lanes_all(0.0f));
    lanes_store(row->more->most_push, lanes_all(job->soft.most_push));
    row->more->deep = 0;
    row->active = row->lanes;
    if (!kind.shape)
        meet_row(job, row);
}

/* ---- all of a colour ----------------------------------------------------------------------------------- */

#define ROW_KERNEL(name, task, on_compact)                                                                     \
    void MT_KERNEL(name)(void *context, uint32_t begin, uint32_t end, uint32_t worker)                         \
    {                                                                                                          \
        const mt_impulse_job *job = context;                                                                   \
        (void)worker;                                                                                          \
        for (uint32_t k = begin; k < end; k++) {                                                               \
            mt_batch_of_rows *batch = &job->batches[job->first + k];                                           \
            mt_contact_row *row = job->rows + batch->first, *const last = row + batch->count;                  \
            if (batch->compact)                                                                                \
                on_compact(job, batch);                                                                        \
            else if (batch->wide && batch->shape)                                                              \
                for (; row < last; row++)                                                                      \
                    task(job, row, (row_kind){.wide = true, .shape = true});                                   \
            else if (batch->wide)                                                                              \
                for (; row < last; row++)                                                                      \
                    task(job, row, (row_kind){.wide = true});                                                  \
            else if (batch->shape)                                                                             \
                for (; row < last; row++)                                                                      \
                    task(job, row, (row_kind){.shape = true});                                                 \
            else                                                                                               \
                for (; row < last; row++)                                                                      \
                    task(job, row, (row_kind){.wide = false});                                                 \
        }                                                                                                      \
    }

#endif
