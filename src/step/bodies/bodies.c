/* The passes around the bodies' kernels: finding particles, driving, and making the step's result last. */
#include "step/bodies/bodies.h"

#include "step/bodies/joint_finish.h"
#include "step/kernels.h"
#include "step/substep.h"

#include <string.h>

#define MT_BODY_BLOCK 8u /* assemblies that a thread takes at once */

void mt_bodies_run(mote_world *world, mt_substep *s, mt_range_task *kernel)
{
    if (s->bodies.plan->assembly_count > 0)
        mt_parallel_for(&world->threads, s->bodies.plan->assembly_count, MT_BODY_BLOCK, kernel, s);
}

void mt_bodies_run_batches(mote_world *world, mt_substep *s, mt_range_task *kernel)
{
    if (s->bodies.plan->assembly_count > 0)
        mt_parallel_for(&world->threads, s->bodies.plan->batches.count, 1, kernel, s);
}

/* ---- where particles are ------------------------------------------------------------------------------- */

typedef struct locate_job {
    mote_world *world;
    const mt_substep *s;
    bool judge;          /* who flies */
    bool located;        /* all are where they were when they were looked up last */
    float radius;        /* of the first particle, */
    _Atomic bool differ; /* and whether there are others */
} locate_job;

static bool is_slice(const mt_body_row *row)
{
    const uint32_t *slot = row->rest->slot;
    uint32_t off = slot[0] % MT_SLICE;
    for (uint32_t n = 0; n < MT_SLICE; n++)
        off |= slot[n] ^ (slot[0] + n);
    return row->count == MT_SLICE && off == 0;
}

/* What stands beside the numbers of all real ones of a row, or -1 if it differs. */
static float common_w(const mote_vec4 *of, const mt_body_row *row)
{
    const uint32_t *slot = row->rest->slot;
    uint32_t bits[MT_SLICE], off = 0;
    for (uint32_t n = 0; n < MT_SLICE; n++)
        memcpy(&bits[n], &of[n < row->count ? slot[n] : slot[0]].w, sizeof bits[n]);
    for (uint32_t n = 0; n < MT_SLICE; n++)
        off |= bits[n] ^ bits[0];
    return off == 0 ? of[slot[0]].w : -1.0f;
}

/* Nowhere near the end of space, so that no particle of it gets there within a step. */
static bool is_well_inside(const mt_body_work *work)
{
    const float most = 0.05f * MT_FAR;
    mote_vec3 x = work->start.position;
    return fabsf(x.x) < most && fabsf(x.y) < most && fabsf(x.z) < most;
}

static bool moves(const mote_world *world, uint32_t slot)
{
    return mt_rest_times(world)[slot] >= 0 && mt_velocities(world)[slot].w > 0;
}

/* Whether those of a row are awake and have masses that move. */
static bool all_move(const mote_world *world, const mt_body_row *row)
{
    bool all = true;
    for (uint32_t n = 0; !row->whole && n < row->count; n++)
        all = all && moves(world, row->rest->slot[n]);
    if (!row->whole)
        return all;
    uint32_t rest[MT_SLICE], below = 0; /* bits of numbers: the highest is set below 0 */
    memcpy(rest, mt_rest_times(world) + row->first, sizeof rest);
    for (uint32_t n = 0; n < MT_SLICE; n++)
        below |= rest[n];
    const mote_vec4 *v = mt_velocities(world) + row->first;
    for (uint32_t n = 0; row->inverse_mass < 0 && n < MT_SLICE; n++) /* else they have one and the same */
        all = all && v[n].w > 0;
    return all && row->inverse_mass != 0 && below >> 31 == 0;
}

/* Where the particles of a row are. */
static void locate_row(const locate_job *job, mt_body_row *row)
{
    const mt_handle_entry *entries = mt_handle_entries(&job->world->particles.handles);
    mt_row_rest *rest = row->rest;
    for (uint32_t n = 0; n < row->count; n++)
        rest->slot[n] = entries[rest->particle[n]].slot;
    for (uint32_t n = row->count; n < MT_SLICE; n++)
        rest->slot[n] = job->s->dummy;
    row->first = rest->slot[0];
    row->whole = is_slice(row);
}

/* What all particles of a row have in common. */
static void measure_row(locate_job *job, mt_body_row *row)
{
    row->radius = common_w(mt_positions(job->world), row);
    row->inverse_mass = common_w(mt_velocities(job->world), row);
    if (row->radius != job->radius)
        atomic_store_explicit(&job->differ, true, memory_order_relaxed);
}

/* One more of a slice is free; a slice may be of many bodies. */
static void count_free(const mote_world *world, uint32_t slot, uint8_t number)
{
    _Atomic uint8_t *flying = world->scratch->flying.data;
    atomic_fetch_add_explicit(&flying[slot / MT_SLICE], number, memory_order_relaxed);
}

static void locate_rows(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    locate_job *job = context;
    const mote_world *world = job->world;
    const mt_body_plan *p = &world->scratch->bodies;
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        const mt_body_work *work = &mt_body_works(p)[i];
        bool free = job->judge && !work->asleep && is_well_inside(work);
        for (uint32_t k = 0; k < work->rows; k++) {
            mt_body_row *row = (mt_body_row *)p->rows.data + work->first_row + k;
            if (!job->located)
                locate_row(job, row);
            if (job->judge)
                measure_row(job, row);
            if (job->judge) /* this changes between steps only */
                row->free = free && (work->driven || (work->inverse_mass > 0 && all_move(world, row)));
            for (uint32_t n = 0; row->free && !row->whole && n < row->count; n++)
                count_free(world, row->rest->slot[n], 1);
            if (row->free && row->whole)
                count_free(world, row->first, MT_SLICE);
        }
    }
}

static bool is_place_free(const mote_world *world, const mt_shared_place *place)
{
    const mt_body_plan *p = &world->scratch->bodies;
    const mt_holder *holders = (const mt_holder *)p->holders.data + place->first;
    bool free = moves(world, place->slot);
    for (uint32_t i = 0; i < place->count; i++) {
        const mt_body_work *work = &mt_body_works(p)[holders[i].body];
        free = free && (work->inverse_mass > 0 || work->driven) && is_well_inside(work);
    }
    return free;
}

/* Of shared particles. */
static void locate_places(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    locate_job *job = context;
    const mote_world *world = job->world;
    const mt_handle_entry *entries = mt_handle_entries(&world->particles.handles);
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        mt_shared_place *place = &mt_shared_places(&world->scratch->bodies)[k];
        if (!job->located)
            place->slot = entries[place->particle].slot;
        if (job->judge)
            place->free = is_place_free(world, place);
        if (place->free)
            count_free(world, place->slot, 1);
        if (mt_positions(world)[place->slot].w != job->radius)
            atomic_store_explicit(&job->differ, true, memory_order_relaxed);
    }
}

static void judge_slices(uint8_t *flying, uint32_t slices)
{
    for (uint32_t k = 0; k < slices; k++)
        flying[k] = flying[k] == MT_SLICE;
}

static void judge_rows(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const locate_job *job = context;
    const uint8_t *flying = job->world->scratch->flying.data;
    mt_body_row *rows = job->world->scratch->bodies.rows.data;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        rows[k].flies = rows[k].free;
        for (uint32_t n = 0; n < (rows[k].whole ? 1u : rows[k].count); n++)
            rows[k].flies = rows[k].flies && flying[rows[k].rest->slot[n] / MT_SLICE] != 0;
    }
}

static void judge_places(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const locate_job *job = context;
    const uint8_t *flying = job->world->scratch->flying.data;
    mt_shared_place *places = mt_shared_places(&job->world->scratch->bodies);
    (void)worker;
    for (uint32_t k = begin; k < end; k++)
        places[k].flies = places[k].free && flying[places[k].slot / MT_SLICE] != 0;
}

void mt_bodies_locate(mote_world *world, const mt_substep *s)
{
    mt_body_plan *p = &world->scratch->bodies;
    bool located = world->scratch->search.in_sequence && p->slots.located_edits == p->edits &&
                   p->slots.located_dummy == s->dummy;
    locate_job job = {world, s, !world->scratch->search.reordered, located, mt_positions(world)[0].w, false};
    memset(world->scratch->flying.data, 0, s->slices);
    mt_parallel_for(&world->threads, p->body_count, MT_BODY_BLOCK, locate_rows, &job);
    mt_parallel_for(&world->threads, p->place_count, 64, locate_places, &job);
    judge_slices(world->scratch->flying.data, s->slices);
    mt_parallel_for(&world->threads, p->row_count, 256, judge_rows, &job);
    mt_parallel_for(&world->threads, p->place_count, 256, judge_places, &job);
    p->slots.located_edits = world->scratch->search.in_sequence ? p->edits : 0;
    p->slots.located_dummy = s->dummy;
    if (job.judge)
        p->radius = !atomic_load(&job.differ) && p->slot_count == s->count ? job.radius : -1.0f;
}

/* ---- stopping ------------------------------------------------------------------------------------------ */

static void mark_assembly(const mt_substep *s, const mt_assembly *a)
{
    const uint32_t *list =
        (const uint32_t *)s->bodies.plan->order.data + 2 * (size_t)s->bodies.plan->body_count;
    for (uint32_t i = 0; i < a->bodies; i++) {
        const mt_body_work *w = &mt_body_works(s->bodies.plan)[a->first_body + i];
        const mt_body_row *row = (const mt_body_row *)s->bodies.plan->rows.data + w->first_row,
                          *end = row + w->rows;
        for (; row < end; row++)
            for (uint32_t n = 0; n < (row->whole ? 1u : row->count); n++)
                s->shapes.cache[row->rest->slot[n] / MT_SLICE].guarded = true;
    }
    for (uint32_t k = 0; k < a->places; k++)
        s->shapes.cache[mt_shared_places(s->bodies.plan)[list[a->first_place + k]].slot / MT_SLICE].guarded =
            true;
}

void mt_bodies_mark_stopped(const mt_substep *s)
{
    const mt_assembly *a = s->bodies.plan->assemblies.data, *const end = a + s->bodies.plan->assembly_count;
    for (; a < end; a++)
        if (a->stopped)
            mark_assembly(s, a);
}

/* ---- the end of a step --------------------------------------------------------------------------------- */

static void commit_joints(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mote_world *world = context;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        const mt_joint_work *work = &mt_joint_works(&world->scratch->bodies)[k];
        mt_joint *joint = &mt_joints(world)[work->joint];
        joint->force = mt_scale(work->force_sum, -1.0f);
        joint->torque = mt_scale(work->torque_sum, -1.0f);
        joint->axis_b = work->axis_b;
        joint->side_b = work->side_b;
        joint->bent = work->bent;
    }
}

static void commit_bodies(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mote_world *world = context;
    const mote_vec3 zero = {0.0f, 0.0f, 0.0f};
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        const mt_body_work *work = &mt_body_works(&world->scratch->bodies)[i];
        mt_body *body = &mt_bodies(world)[work->body];
        body->pose = work->pose;
        if (!work->driven) {
            body->velocity = work->asleep ? zero : work->velocity;
            body->spin = work->asleep ? zero : work->angular;
        }
        body->has_target = 0;
        body->target = (mt_pose){{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 0.0f}};
    }
}

/* From the last to the first, since the places of later joints change. */
static void part_broken(mote_world *world, const mt_body_plan *p)
{
    bool any = false;
    for (uint32_t k = 0; k < p->joint_count; k++)
        any = any || mt_joint_works(p)[k].broken;
    for (uint32_t joint = world->joints.count; any && joint > 0; joint--)
        for (uint32_t k = 0; k < p->joint_count; k++)
            if (mt_joint_works(p)[k].broken && mt_joint_works(p)[k].joint == joint - 1) {
                mt_joint_part(world, joint - 1);
                break;
            }
}

void mt_bodies_commit(mote_world *world)
{
    mt_body_plan *p = &world->scratch->bodies;
    mt_parallel_for(&world->threads, p->body_count, 64, commit_bodies, world);
    mt_parallel_for(&world->threads, p->joint_count, 64, commit_joints, world);
    part_broken(world, p);
}
