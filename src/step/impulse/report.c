/* What contacts gave, lane by lane and substep by substep: report.h says of whom and why. */
#include "step/impulse/report.h"

#include "base/vec.h"
#include "step/impulse/impulse.h"
#include "world/check.h"

#include <string.h>

#define ROWS 256u /* that a thread takes at once */

typedef struct report_job {
    const mt_impulse_job *of;
    const mote_world *world;
    const mt_substep *s;
    const mt_impulses *w;
    mt_report *report;
    const mt_shape_sum *old; /* sums of contacts with shapes so far, */
    const uint32_t *old_first;
    mt_shape_sum *now; /* and with this substep */
    uint32_t *now_first;
} report_job;

/* ---- how fast the two were before the solve -------------------------------------------------------------- */

static mote_vec3 loose_velocity(const report_job *job, uint32_t slot, mote_vec3 point)
{
    const mt_substep *s = job->s;
    mote_vec3 v = mt_xyz(s->particles.transport[slot]);
    if (!job->of->turns || job->of->spin[slot].w == 0)
        return v;
    mote_vec3 spin = mt_xyz(mt_spins(job->world)[slot]);
    return mt_add(v, mt_cross(spin, mt_sub(point, mt_xyz(s->particles.position[slot]))));
}

static mote_vec3 body_velocity(const mt_body_work *body, mote_vec3 point)
{
    if (body->asleep)
        return (mote_vec3){0.0f, 0.0f, 0.0f};
    return mt_add(body->velocity, mt_cross(body->spin, mt_sub(point, body->start.position)));
}

static mote_vec3 velocity_before(const report_job *job, uint32_t mover, mote_vec3 point)
{
    uint32_t first = job->w->movers.first_body;
    return mover < first ? loose_velocity(job, mover, point)
                         : body_velocity(&mt_body_works(job->s->bodies.plan)[mover - first], point);
}

/* ---- one contact ------------------------------------------------------------------------------------------ */

/* What a lane gave in this substep. */
typedef struct given {
    float impulse;
    mote_vec3 friction;
    float weight; /* 0: nothing */
} given;

static mote_vec3 lane3(const float *x, const float *y, const float *z, uint32_t n)
{
    return (mote_vec3){x[n], y[n], z[n]};
}

static given given_by(const mt_contact_row *row, uint32_t n)
{
    given g = {.impulse = row->impulse[n],
               .friction = lane3(row->friction_x, row->friction_y, row->friction_z, n)};
    if (row->more != NULL)
        g.impulse += row->more->bounced_sum[n];
    g.weight = fabsf(g.impulse) + mt_length(g.friction);
    return g;
}

static mote_vec3 point_of(const report_job *job, const mt_contact_row *row, uint32_t n)
{
    if (row->more != NULL)
        return lane3(row->more->point_x, row->more->point_y, row->more->point_z, n);
    mote_vec4 x = job->s->particles.position[row->a[n]];
    mote_vec3 normal = lane3(row->normal_x, row->normal_y, row->normal_z, n);
    return mt_sub(mt_xyz(x), mt_scale(normal, x.w + 0.5f * row->separation[n]));
}

static void start_sum(const report_job *job, const mt_contact_row *row, uint32_t n, bool shape, mote_vec3 point,
                      mote_vec3 normal, mt_contact_sum *sum)
{
    mote_vec3 other = shape ? lane3(row->more->surface_x, row->more->surface_y, row->more->surface_z, n)
                            : velocity_before(job, row->b[n], point);
    mote_vec3 u = mt_sub(velocity_before(job, row->a[n], point), other);
    float along = mt_dot(u, normal);
    *sum = (mt_contact_sum){.point = point, .normal = normal, .separation = row->separation[n]};
    sum->approach = -along;
    sum->sliding = mt_length(mt_sub(u, mt_scale(normal, along)));
}

static void add_given(const report_job *job, const mt_contact_row *row, uint32_t n, bool shape, given g,
                      mt_contact_sum *sum)
{
    mote_vec3 point = point_of(job, row, n), normal = lane3(row->normal_x, row->normal_y, row->normal_z, n);
    if (sum->weight == 0)
        start_sum(job, row, n, shape, point, normal, sum);
    sum->weight += g.weight;
    sum->push = mt_add(sum->push, mt_add(mt_scale(normal, g.impulse), g.friction));
    float part = g.weight / sum->weight;
    sum->point = mt_add(sum->point, mt_scale(mt_sub(point, sum->point), part));
    sum->normal = mt_add(sum->normal, mt_scale(mt_sub(normal, sum->normal), part));
    sum->separation = fminf(sum->separation, row->separation[n]);
}

/* ---- pairs ------------------------------------------------------------------------------------------------ */

static void find_lanes(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const report_job *job = context;
    const mt_impulses *w = job->w;
    uint8_t *lanes = job->report->lanes.data;
    (void)worker;
    for (uint32_t r = begin; r < end; r++) {
        lanes[r] = 0;
        for (uint32_t rest = ((const mt_contact_row *)w->rows.all.data)[r].lanes; rest != 0; rest &= rest - 1) {
            uint32_t n = (uint32_t)__builtin_ctz(rest);
            const mt_pair *pair = (const mt_pair *)w->search.pairs.data +
                                  ((const uint32_t *)w->rows.lane_pair.data)[r * MT_SLICE + n];
            if (mt_slot_reports(job->world, pair->a) || mt_slot_reports(job->world, pair->b))
                lanes[r] |= (uint8_t)(1u << n);
        }
    }
}

static uint32_t place_sums(const report_job *job)
{
    const uint8_t *lanes = job->report->lanes.data;
    uint32_t *first = job->report->row_sums.data, next = 0;
    for (uint32_t r = 0; r < job->w->rows.count; r++) {
        first[r] = lanes[r] != 0 ? next : MT_NO_SUM;
        next += lanes[r] != 0 ? MT_SLICE : 0;
    }
    return next;
}

static void clear_sums(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const report_job *job = context;
    const uint32_t *first = job->report->row_sums.data;
    (void)worker;
    for (uint32_t r = begin; r < end; r++)
        for (uint32_t n = 0; first[r] != MT_NO_SUM && n < MT_SLICE; n++)
            ((mt_contact_sum *)job->report->sums.data)[first[r] + n].weight = 0.0f;
}

static mote_result begin_step(report_job *job, mote_world *world)
{
    mt_report *report = job->report;
    const mt_impulses *w = job->w;
    MT_TRY(mt_array_reserve(&report->lanes, &world->memory, w->rows.count, 0));
    MT_TRY(mt_array_reserve(&report->row_sums, &world->memory, w->rows.count, 0));
    MT_TRY(mt_array_reserve(&report->gave, &world->memory, w->search.count, 0));
    mt_parallel_for(&world->threads, w->rows.count, ROWS, find_lanes, job);
    MT_TRY(mt_array_reserve(&report->sums, &world->memory, place_sums(job), 0));
    mt_parallel_for(&world->threads, w->rows.count, ROWS, clear_sums, job);
    if (w->search.count > 0)
        memset(report->gave.data, 0, w->search.count);
    for (int side = 0; side < 2; side++)
        MT_TRY(mt_array_reserve(&report->shape_first[side], &world->memory, (size_t)job->s->slices + 1, 0));
    memset(report->shape_first[report->side].data, 0, ((size_t)job->s->slices + 1) * sizeof(uint32_t));
    report->shape_count = 0;
    return MOTE_OK;
}

static void add_rows(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const report_job *job = context;
    const uint32_t *first = job->report->row_sums.data, *pair = job->w->rows.lane_pair.data;
    (void)worker;
    for (uint32_t r = begin; r < end; r++) {
        const mt_contact_row *row = (const mt_contact_row *)job->w->rows.all.data + r;
        if (first[r] == MT_NO_SUM || !mt_may_have_impulse(job->w, r))
            continue;
        mt_contact_sum *sums = (mt_contact_sum *)job->report->sums.data + first[r];
        for (uint32_t rest = ((const uint8_t *)job->report->lanes.data)[r]; rest != 0; rest &= rest - 1) {
            uint32_t n = (uint32_t)__builtin_ctz(rest);
            given g = given_by(row, n);
            if (g.weight == 0)
                continue;
            add_given(job, row, n, false, g, &sums[n]);
            ((uint8_t *)job->report->gave.data)[pair[(size_t)r * MT_SLICE + n]] = 1;
        }
    }
}

/* ---- contacts with shapes --------------------------------------------------------------------------------- */

/* A contact of the particle in `slot` that reports and gave something: lane n of the row where it was solved. */
typedef void shape_task(const report_job *job, uint32_t slot, const mt_contact_row *row, uint32_t n, given g);

static bool reports_on(const report_job *job, uint32_t slot, uint32_t shape)
{
    return mt_slot_reports(job->world, slot) ||
           mt_material_reports(job->world, mt_shapes(job->world)[shape].material);
}

static inline void for_slice(const report_job *job, uint32_t slice, shape_task *task)
{
    const mt_shape_side *side = &job->w->shapes.sides[job->w->shapes.side];
    const mt_shape_lanes *lanes = side->lanes.data;
    uint32_t first = ((const uint32_t *)side->first.data)[slice],
             number = ((const uint32_t *)side->number.data)[slice];
    for (uint32_t r = first; r < first + number; r++)
        for (uint32_t rest = lanes[r].loose | lanes[r].held; rest != 0; rest &= rest - 1) {
            uint32_t n = (uint32_t)__builtin_ctz(rest), slot = slice * MT_SLICE + n, m;
            const mt_contact_row *row = mt_contact_on_shape(side, r, n, &m);
            given g = given_by(row, m);
            if (g.weight > 0 && reports_on(job, slot, row->shape[m]))
                task(job, slot, row, m, g);
        }
}

/* The plane of the same shape that is turned least against this one, by 37 degrees at most, among those that gave
 * something in a substep before; MT_NO_SUM: none. */
#define ALIKE 0.8f

static uint32_t find_sum(const report_job *job, uint32_t slot, const mt_contact_row *row, uint32_t n)
{
    mote_vec3 normal = lane3(row->normal_x, row->normal_y, row->normal_z, n);
    uint32_t slice = slot / MT_SLICE, first = job->old_first[slice], best = MT_NO_SUM;
    float most = ALIKE;
    for (uint32_t k = first; k < job->old_first[slice + 1]; k++) {
        const mt_shape_sum *one = &job->old[k];
        if (one->slot != slot || one->shape != row->shape[n])
            continue;
        float alike = mt_dot(normal, one->sum.normal);
        if (alike > most) {
            most = alike;
            best = k - first;
        }
    }
    return best;
}

static void count_new(const report_job *job, uint32_t slot, const mt_contact_row *row, uint32_t n, given g)
{
    (void)g;
    job->now_first[slot / MT_SLICE] += find_sum(job, slot, row, n) == MT_NO_SUM;
}

static void count_slices(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const report_job *job = context;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        job->now_first[slice] = job->old_first[slice + 1] - job->old_first[slice];
        for_slice(job, slice, count_new);
    }
}

static uint32_t place_slices(const report_job *job)
{
    uint32_t next = 0;
    for (uint32_t slice = 0; slice < job->s->slices; slice++) {
        uint32_t count = job->now_first[slice];
        job->now_first[slice] = next;
        next += count;
    }
    return job->now_first[job->s->slices] = next;
}

/* New ones come behind those that were there; `now_first` of the next slice is where this one ends, so the sums that are
 * still unused are told by their weight. */
static void add_on_shape(const report_job *job, uint32_t slot, const mt_contact_row *row, uint32_t n, given g)
{
    uint32_t at = find_sum(job, slot, row, n), slice = slot / MT_SLICE;
    mt_shape_sum *sums = job->now + job->now_first[slice];
    if (at == MT_NO_SUM) {
        at = job->old_first[slice + 1] - job->old_first[slice];
        while (sums[at].sum.weight > 0)
            at++;
        sums[at].slot = slot;
        sums[at].shape = row->shape[n];
    }
    add_given(job, row, n, true, g, &sums[at].sum);
}

static void add_slices(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const report_job *job = context;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        uint32_t first = job->now_first[slice], old = job->old_first[slice + 1] - job->old_first[slice];
        if (first == job->now_first[slice + 1])
            continue;
        if (old > 0)
            memcpy(job->now + first, job->old + job->old_first[slice], old * sizeof *job->now);
        for (uint32_t k = first + old; k < job->now_first[slice + 1]; k++)
            job->now[k].sum.weight = 0.0f;
        for_slice(job, slice, add_on_shape);
    }
}

static mote_result add_shapes(report_job *job, mote_world *world)
{
    mt_report *report = job->report;
    uint32_t from = report->side, to = from ^ 1u;
    job->old = report->shape_sums[from].data;
    job->old_first = report->shape_first[from].data;
    job->now_first = report->shape_first[to].data;
    mt_parallel_for(&world->threads, job->s->slices, MT_BLOCK, count_slices, job);
    report->shape_count = place_slices(job);
    MT_TRY(mt_array_reserve(&report->shape_sums[to], &world->memory, report->shape_count, 0));
    job->now = report->shape_sums[to].data;
    if (report->shape_count > 0)
        mt_parallel_for(&world->threads, job->s->slices, MT_BLOCK, add_slices, job);
    report->side = to;
    return MOTE_OK;
}

/* ---- all of it -------------------------------------------------------------------------------------------- */

mote_result mt_report_substep(const mt_impulse_job *of)
{
    mote_world *world = of->world;
    mt_report *report = &world->scratch->finish.report;
    report_job job = {.of = of, .world = world, .s = of->s, .w = of->w, .report = report};
    if (of->s->time.opens_step)
        report->any = mt_any_reports(world);
    if (!report->any)
        return MOTE_OK;
    if (of->s->time.opens_step)
        MT_TRY(begin_step(&job, world));
    mt_parallel_for(&world->threads, of->w->rows.count, ROWS, add_rows, &job);
    return world->shapes.count > 0 ? add_shapes(&job, world) : MOTE_OK;
}
