/* The order in which a substep goes over constraints: work.h says what it does. */
#include "base/vec.h"
#include "step/bodies/pose_step.h"
#include "step/constraints/constraints.h"
#include "step/kernels.h"

#define PLACE_BLOCK 1024u
#define BODY_BLOCK  16u
#define ROW_BLOCK   32u

static mt_constraint_job job_of(mote_world *world, const mt_substep *s)
{
    return (mt_constraint_job){
        .world = world, .s = s, .w = &world->scratch->constraints, .h = s->h, .inverse_h = s->inverse_h};
}

static mote_vec4 *starts(const mt_constraint_job *job)
{
    return job->w->start.data;
}

static mote_vec4 *moves(const mt_constraint_job *job)
{
    return job->w->move.data;
}

static mote_vec4 *pulls(const mt_constraint_job *job)
{
    return job->w->pull.data;
}

static mote_vec4 with_w(mote_vec3 v, float w)
{
    return (mote_vec4){v.x, v.y, v.z, w};
}

/* ---- where places are ----------------------------------------------------------------------------------- */

static void start_loose(const mt_constraint_job *job, mt_place *place, uint32_t k)
{
    const mt_substep *s = job->s;
    if (s->time.opens_step) /* the reorder was a moment ago */
        place->slot = mt_handle_entries(&job->world->particles.handles)[place->index].slot;
    starts(job)[k] = s->particles.position[place->slot];
    moves(job)[k] = (mote_vec4){0.0f, 0.0f, 0.0f, s->particles.transport[place->slot].w};
}

static void start_on_shape(const mt_constraint_job *job, const mt_place *place, uint32_t k)
{
    const mt_placed *placed =
        &job->s->shapes.placed[mt_handle_entries(&job->world->shapes.handles)[place->index].slot];
    mote_vec3 from = mt_to_world(&placed->start, place->point), to = mt_to_world(&placed->end, place->point);
    starts(job)[k] = with_w(from, 0.0f);
    moves(job)[k] = with_w(mt_sub(to, from), 0.0f);
}

static void start_places(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_constraint_job *job = context;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        mt_place *place = (mt_place *)job->w->places.data + k;
        if (place->type == MT_PLACE_LOOSE)
            start_loose(job, place, k);
        else if (place->type == MT_PLACE_SHAPE)
            start_on_shape(job, place, k);
        else {
            const mt_body_work *body =
                place->type == MT_PLACE_BODY
                    ? &mt_body_works(job->s->bodies.plan)[mt_held_bodies(job->w)[place->index].body]
                    : NULL;
            starts(job)[k] =
                with_w(body != NULL ? mt_to_world(&body->at_start, place->point) : place->point, 0.0f);
            moves(job)[k] = (mote_vec4){0.0f, 0.0f, 0.0f, 0.0f};
        }
        if (job->s->time.opens_step)
            pulls(job)[k] = (mote_vec4){0.0f, 0.0f, 0.0f, 0.0f};
    }
}

static void start(const mt_constraint_job *job)
{
    mt_parallel_for(&job->world->threads, job->w->place_count, PLACE_BLOCK, start_places, (void *)job);
}

/* ---- groups of rows ------------------------------------------------------------------------------------- */

static void run_groups(mt_constraint_job *job, bool expects)
{
    mote_world *world = job->world;
    for (uint32_t k = 0; k < job->w->group_count; k++) {
        const mt_row_group *group = (const mt_row_group *)job->w->groups.data + k;
        const mt_constraint_kernels *kernels = mt_constraint_kernels_of(world->simd, group->kind);
        job->rows = mt_constraint_rows(job->w) + group->first;
        mt_parallel_for(&world->threads, group->count, group->alone ? group->count : ROW_BLOCK,
                        expects ? kernels->expect : kernels->project, job);
    }
}

/* ---- what contacts are to expect ------------------------------------------------------------------------ */

typedef struct expect_job {
    const mt_constraint_job *constraints;
    mt_impulse_job *impulses;
} expect_job;

static mote_vec4 plus(mote_vec4 a, mote_vec3 b)
{
    return (mote_vec4){a.x + b.x, a.y + b.y, a.z + b.z, a.w};
}

/* What it was before, and what has happened to it since. */
static mote_vec4 taken_back(mote_vec4 now, mote_vec4 kept, mote_vec3 given)
{
    mote_vec4 began = plus(kept, given);
    return (mote_vec4){kept.x + (now.x - began.x), kept.y + (now.y - began.y), kept.z + (now.z - began.z),
                       now.w};
}

static void give_places(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const expect_job *job = context;
    const mt_constraint_job *c = job->constraints;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        mote_vec4 *v = &job->impulses->velocity[((const mt_place *)c->w->places.data)[k].slot];
        ((mote_vec4 *)c->w->kept.data)[k] = *v;
        if (v->w > 0)
            *v = plus(*v, mt_xyz(pulls(c)[k]));
    }
}

static void take_places(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const expect_job *job = context;
    const mt_constraint_job *c = job->constraints;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        mote_vec4 *v = &job->impulses->velocity[((const mt_place *)c->w->places.data)[k].slot];
        if (v->w > 0)
            *v = taken_back(*v, ((const mote_vec4 *)c->w->kept.data)[k], mt_xyz(pulls(c)[k]));
    }
}

/* What `pull` and `twist` of a body do to its spin. */
static mote_vec3 spin_of(const mt_impulse_job *impulses, const mt_held_body *held)
{
    const mote_vec4 *e = impulses->inverse_inertia + 2 * (size_t)held->body;
    const float inverse_inertia[6] = {e[0].x, e[0].y, e[0].z, e[0].w, e[1].x, e[1].y};
    return mt_inverse_inertia_times(inverse_inertia, held->twist);
}

static void give_bodies(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const expect_job *job = context;
    mt_impulse_job *impulses = job->impulses;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        mt_held_body *held = &mt_held_bodies(job->constraints->w)[k];
        uint32_t mover = impulses->w->movers.first_body + held->body;
        held->velocity = impulses->velocity[mover];
        held->spin = impulses->spin[mover];
        held->moment = impulses->moment[held->body];
        if (held->velocity.w == 0)
            continue;
        impulses->velocity[mover] = plus(held->velocity, mt_scale(held->pull, held->velocity.w));
        impulses->spin[mover] = plus(held->spin, spin_of(impulses, held));
        impulses->moment[held->body] = plus(held->moment, held->twist);
    }
}

static void take_bodies(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const expect_job *job = context;
    mt_impulse_job *impulses = job->impulses;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        const mt_held_body *held = &mt_held_bodies(job->constraints->w)[k];
        uint32_t mover = impulses->w->movers.first_body + held->body;
        mote_vec4 *v = &impulses->velocity[mover], *spin = &impulses->spin[mover],
                  *moment = &impulses->moment[held->body];
        if (v->w == 0)
            continue;
        *v = taken_back(*v, held->velocity, mt_scale(held->pull, v->w));
        *spin = taken_back(*spin, held->spin, spin_of(impulses, held));
        *moment = taken_back(*moment, held->moment, held->twist);
    }
}

static void forget_pulls(const mt_constraint_job *job)
{
    const mote_vec3 none = {0.0f, 0.0f, 0.0f};
    for (uint32_t k = 0; k < job->w->held_count; k++)
        mt_held_bodies(job->w)[k].pull = mt_held_bodies(job->w)[k].twist = none;
}

void mt_constraints_expect(mt_impulse_job *impulses)
{
    mote_world *world = impulses->world;
    mt_constraint_job job = job_of(world, impulses->s);
    expect_job both = {&job, impulses};
    if (job.w->row_count == 0)
        return;
    start(&job);
    if (impulses->s->time.opens_step) { /* within a step it is known from the last substep */
        forget_pulls(&job);
        run_groups(&job, true);
    }
    mt_parallel_for(&world->threads, job.w->loose_count, PLACE_BLOCK, give_places, &both);
    mt_parallel_for(&world->threads, job.w->held_count, BODY_BLOCK, give_bodies, &both);
}

void mt_constraints_forget(mt_impulse_job *impulses)
{
    mote_world *world = impulses->world;
    mt_constraint_job job = job_of(world, impulses->s);
    expect_job both = {&job, impulses};
    if (job.w->row_count == 0)
        return;
    mt_parallel_for(&world->threads, job.w->loose_count, PLACE_BLOCK, take_places, &both);
    mt_parallel_for(&world->threads, job.w->held_count, BODY_BLOCK, take_bodies, &both);
}

/* ---- projecting ----------------------------------------------------------------------------------------- */

static void move_places(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_constraint_job *job = context;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        mote_vec4 v = job->s->particles.transport[((const mt_place *)job->w->places.data)[k].slot];
        mote_vec3 by = mt_scale(mt_xyz(v), job->h);
        ((mote_vec4 *)job->w->before.data)[k] = moves(job)[k] = with_w(by, v.w);
    }
}

/* How a body turns at the end for moments of the start, as the joints have it (bodies/shake_kernel.c): R (E + h/2 [s]),
 * with R the rotation of the flight and s = adj(E) L + E w - tr(E) w. */
static void set_reply(const mt_constraint_job *job, mt_held_body *held)
{
    const mt_body_work *w = &mt_body_works(job->s->bodies.plan)[held->body];
    const mote_vec3 zero = {0.0f, 0.0f, 0.0f},
                    axis[3] = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
    held->push = held->turn = zero;
    if (!mt_body_moves(w))
        return;
    float e[6];
    mt_inverse_inertia_in(w->own_inverse_inertia, &w->at_start, e);
    const float adjugate[6] = {e[1] * e[2] - e[5] * e[5], e[0] * e[2] - e[4] * e[4], e[0] * e[1] - e[3] * e[3],
                               e[4] * e[5] - e[3] * e[2], e[3] * e[5] - e[4] * e[1], e[3] * e[4] - e[5] * e[0]};
    mote_vec3 drift =
        mt_add(mt_inverse_inertia_times(adjugate, w->angular), mt_inverse_inertia_times(e, w->spin));
    drift = mt_scale(mt_sub(drift, mt_scale(w->spin, e[0] + e[1] + e[2])), 0.5f * job->h);
    for (int k = 0; k < 3; k++) {
        mote_vec3 by = mt_add(mt_inverse_inertia_times(e, axis[k]), mt_cross(drift, axis[k]));
        mote_vec3 own = {mt_dot(w->at_start.x, by), mt_dot(w->at_start.y, by), mt_dot(w->at_start.z, by)};
        held->reply[k] = mt_turn(&w->at, own);
    }
}

static void set_replies(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_constraint_job *job = context;
    (void)worker;
    for (uint32_t k = begin; k < end; k++)
        set_reply(job, &mt_held_bodies(job->w)[k]);
}

/* ---- what becomes of it --------------------------------------------------------------------------------- */

/* Velocities from what was given, not from places, which are rounded. */
static void settle_places(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_constraint_job *job = context;
    const mt_substep *s = job->s;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        uint32_t slot = ((const mt_place *)job->w->places.data)[k].slot;
        mote_vec3 by = mt_sub(mt_xyz(moves(job)[k]), mt_xyz(((const mote_vec4 *)job->w->before.data)[k]));
        mote_vec3 change = mt_scale(by, s->inverse_h);
        float size = mt_length(change);
        if (size > s->limits.max_change)
            change = mt_scale(change, s->limits.max_change / size);
        pulls(job)[k] = with_w(change, 0.0f);
        if (size == 0)
            continue;
        mote_vec4 v = plus(s->particles.transport[slot], change), x = s->particles.position[slot];
        s->particles.transport[slot] = v;
        s->particles.predicted[slot] = (mote_vec4){x.x + s->h * v.x, x.y + s->h * v.y, x.z + s->h * v.z, x.w};
    }
}

static void settle_bodies(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_constraint_job *job = context;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        mt_held_body *held = &mt_held_bodies(job->w)[k];
        mt_body_work *w = &mt_body_works(job->s->bodies.plan)[held->body];
        w->push = mt_add(w->push, held->push);
        w->turn = mt_add(w->turn, held->turn);
        held->pull = mt_scale(held->push, job->inverse_h);
        held->twist = mt_scale(held->turn, job->inverse_h);
    }
}

void mt_constraints_project(mote_world *world, mt_substep *s)
{
    mt_constraint_job job = job_of(world, s);
    const mt_constraint_work *w = job.w;
    if (w->row_count == 0)
        return;
    job.w->force_scale = s->time.share * s->inverse_h * s->inverse_h;
    if (world->settings.solver != MOTE_SOLVER_IMPULSE)
        start(&job); /* nobody has asked before contacts */
    mt_parallel_for(&world->threads, w->loose_count, PLACE_BLOCK, move_places, &job);
    mt_parallel_for(&world->threads, w->held_count, BODY_BLOCK, set_replies, &job);
    for (uint32_t i = 0; i < world->settings.iterations; i++) {
        job.first = i == 0;
        job.last = i + 1 == world->settings.iterations;
        run_groups(&job, false);
    }
    mt_parallel_for(&world->threads, w->loose_count, PLACE_BLOCK, settle_places, &job);
    mt_parallel_for(&world->threads, w->held_count, BODY_BLOCK, settle_bodies, &job);
    mt_parallel_for(&world->threads, w->held_count, BODY_BLOCK, world->kernels->constraints_follow, &job);
}
