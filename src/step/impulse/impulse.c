/* One substep of the impulse solver, from the velocities that forces made to those after contacts. */
#include "step/impulse/impulse.h"

#include "base/vec.h"
#include "step/bodies/pose_step.h"
#include "step/constraints/constraints.h"
#include "step/impulse/picks.h"
#include "step/kernels.h"
#include "world/check.h"

#include <math.h>
#include <string.h>

#define BLOCK_SLOTS   (MT_BLOCK * MT_SLICE)
#define BODIES        16u
#define BATCH_BLOCK   32u /* of rows of one contact each */
#define ROWS_BLOCK    8u  /* rows of bodies in a block */
#define FEW_ROWS      24u /* of bodies: not worth that another worker waits for them */
#define ROUNDS        8u  /* of bounces: whom one throws the other against bounces in the next */
#define BOUNCE_PASSES 12u /* over those of a round */
#define RELAX_ROUNDS  4u  /* of taking back, with joints held after each */

/* Of the spring that a contact is: see law.h. */
#define PASSES_A_CYCLE 8.0f
#define DAMPING_RATIO  20.0f

/* ---- movers -------------------------------------------------------------------------------------------- */

static uint32_t mover_of(const mote_world *world, const mt_body_plan *p, uint32_t first_body, uint32_t slot)
{
    uint32_t entry = world->bodies.count > 0 ? ((const uint32_t *)p->slots.membership.data)[slot] : 0;
    if (entry == 0)
        return slot;
    if (entry >= MT_SHARED) {
        const mt_shared_place *place = &mt_shared_places(p)[entry & ~MT_SHARED];
        return first_body + ((const mt_holder *)p->holders.data)[place->first].body;
    }
    return first_body + ((const uint32_t *)p->order.data)[p->body_count + entry - 1];
}

/* Only loose ones of a material that rolls turn; who sleeps or is fixed has no inverse mass. */
static mote_vec4 spin_of(const mt_impulse_job *job, uint32_t i)
{
    const mt_material *material = &job->world->materials[job->s->particles.material[i]];
    float r = job->center[i].w, inverse_mass = job->velocity[i].w;
    if (!material->rolls || material->fluid || inverse_mass == 0 ||
        ((const uint32_t *)job->w->movers.of.data)[i] != i)
        return (mote_vec4){0.0f, 0.0f, 0.0f, 0.0f};
    mote_vec4 spin = mt_spins(job->world)[i];
    float kept = 1.0f / (1.0f + job->world->settings.damping * job->h);
    return (mote_vec4){kept * spin.x, kept * spin.y, kept * spin.z, inverse_mass / (MT_BALL_INERTIA * r * r)};
}

static void fill_range(const mt_impulse_job *job, uint32_t begin, uint32_t end)
{
    const mt_substep *s = job->s;
    mt_impulses *w = job->w;
    memcpy(job->velocity + begin, s->particles.transport + begin, (end - begin) * sizeof *job->velocity);
    if (!job->turns && !s->time.opens_step)
        return; /* spins are 0, and nobody asks for centres */
    memcpy(job->center + begin, s->particles.position + begin, (end - begin) * sizeof *job->center);
    for (uint32_t i = begin; s->time.opens_step && i < end; i++)
        ((uint32_t *)w->movers.of.data)[i] =
            i < s->count ? mover_of(job->world, s->bodies.plan, w->movers.first_body, i) : s->dummy;
    for (uint32_t i = begin; i < end; i++)
        job->spin[i] = i < s->count ? spin_of(job, i) : (mote_vec4){0.0f, 0.0f, 0.0f, 0.0f};
}

/* A slice of a body that flies: nobody asks for more than who moves it. */
static bool is_of_body(const mt_substep *s, uint32_t slice)
{
    return s->bodies.flying != NULL && slice < s->slices && s->bodies.flying[slice] != 0;
}

static void fill_slots(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_impulse_job *job = context;
    const mt_substep *s = job->s;
    (void)worker;
    for (uint32_t at = begin, next; at < end; at = next) {
        next = at + MT_SLICE;
        if (!is_of_body(s, at / MT_SLICE)) {
            while (next < end && !is_of_body(s, next / MT_SLICE))
                next += MT_SLICE;
            fill_range(job, at, next);
        } else if (s->time.opens_step)
            for (uint32_t i = at; i < next; i++)
                ((uint32_t *)job->w->movers.of.data)[i] =
                    mover_of(job->world, s->bodies.plan, job->w->movers.first_body, i);
    }
}

/* The surface is in the body's own coordinates, in which the centre of mass is somewhere. */
mt_body_surface mt_surface_at(const mt_body *body, const mt_frame *at, mote_quat rotation)
{
    const mt_surface *form = &body->surface;
    if (form->type == MT_SURFACE_NONE)
        return (mt_body_surface){.form = NULL};
    mt_pose pose = {mt_to_world(at, mt_sub(form->pose.position, body->center)),
                    mt_quat_times(rotation, form->pose.rotation)};
    return (mt_body_surface){form, mt_frame_of(pose)};
}

static void fill_bodies(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_impulse_job *job = context;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        const mt_body_work *w = &mt_body_works(job->s->bodies.plan)[k];
        uint32_t m = job->w->movers.first_body + k;
        mote_vec3 x = w->start.position;
        float inverse_inertia[6] = {0};
        if (w->inverse_mass > 0)
            mt_inverse_inertia_in(w->own_inverse_inertia, &w->at_start, inverse_inertia);
        job->velocity[m] = (mote_vec4){w->velocity.x, w->velocity.y, w->velocity.z, w->inverse_mass};
        job->spin[m] = (mote_vec4){w->spin.x, w->spin.y, w->spin.z, 0.0f};
        if (w->asleep)
            job->velocity[m] = job->spin[m] = (mote_vec4){0.0f, 0.0f, 0.0f, 0.0f};
        job->center[m] = (mote_vec4){x.x, x.y, x.z, 0.0f};
        mote_vec4 *e = (mote_vec4 *)job->w->movers.inverse_inertia.data + 2 * (size_t)k;
        e[0] = (mote_vec4){inverse_inertia[0], inverse_inertia[1], inverse_inertia[2], inverse_inertia[3]};
        e[1] = (mote_vec4){inverse_inertia[4], inverse_inertia[5], 0.0f, 0.0f};
        job->moment[k] = (mote_vec4){0.0f, 0.0f, 0.0f, 0.0f};
        ((mt_body_surface *)job->w->movers.surfaces.data)[k] =
            mt_surface_at(&job->s->bodies.table[w->body], &w->at_start, w->start.rotation);
    }
}

/* How much faster than its centre something that moves with a body is at the start of the substep: of itself, or of what
 * joints tie it to. */
static void fill_swings(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_impulse_job *job = context;
    const mt_body_work *works = mt_body_works(job->s->bodies.plan);
    float *swing = job->w->movers.swing.data;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        const mt_assembly *of = (const mt_assembly *)job->s->bodies.plan->assemblies.data + k;
        mote_vec3 mean = {0.0f, 0.0f, 0.0f};
        float most = 0.0f;
        for (uint32_t i = of->first_body; i < of->first_body + of->bodies; i++)
            mean = mt_add(mean, mt_scale(works[i].velocity, 1.0f / (float)of->bodies));
        for (uint32_t i = of->first_body; i < of->first_body + of->bodies; i++) {
            swing[i] = mt_length(mt_sub(works[i].velocity, mean));
            most = fmaxf(most, swing[i] + works[i].size * mt_length(works[i].spin));
        }
        for (uint32_t i = of->first_body; i < of->first_body + of->bodies; i++)
            swing[i] += most;
    }
}

mote_result mt_movers_reserve(mote_world *world, mt_substep *s)
{
    mt_impulses *w = &world->scratch->impulses;
    size_t bodies = s->bodies.plan->body_count;
    w->movers.first_body = s->dummy + MT_SLICE;
    w->movers.slices = s->slices;
    w->movers.h = s->h;
    w->movers.turns = mt_may_turn(world);
    w->movers.count = w->movers.first_body + (uint32_t)bodies;
    mt_array *const per_mover[] = {&w->movers.velocity, &w->movers.spin, &w->movers.center};
    for (size_t k = 0; k < sizeof per_mover / sizeof per_mover[0]; k++)
        MT_TRY(mt_array_reserve(per_mover[k], &world->memory, w->movers.count + 1, 0));
    MT_TRY(mt_array_reserve(&w->movers.of, &world->memory, w->movers.first_body, 0));
    MT_TRY(mt_array_reserve(&w->movers.inverse_inertia, &world->memory, 2 * (bodies + 1), 0));
    MT_TRY(mt_array_reserve(&w->movers.surfaces, &world->memory, bodies + 1, 0));
    MT_TRY(mt_array_reserve(&w->movers.sunk, &world->memory, bodies + 1, 0));
    MT_TRY(mt_array_reserve(&w->movers.swing, &world->memory, bodies + 1, 0));
    return mt_array_reserve(&w->movers.moment, &world->memory, bodies + 1, 0);
}

bool mt_may_turn(const mote_world *world)
{
    bool turns =
        world->bodies.count > 0 || world->picks.count > 0 || world->settings.solver != MOTE_SOLVER_IMPULSE;
    for (uint32_t k = 0; k < world->material_count; k++)
        turns = turns || world->materials[k].rolls != 0;
    return turns;
}

mt_impulse_job mt_impulse_job_make(mote_world *world, mt_substep *s)
{
    mt_impulses *w = &world->scratch->impulses;
    const float turn = 2.0f * (float)MT_PI / PASSES_A_CYCLE; /* omega h of the spring */
    w->wet_inset = s->liquids.fluid.contact;
    w->most_push = s->limits.most_push;
    return (mt_impulse_job){
        .world = world,
        .s = s,
        .w = w,
        .position = s->particles.position,
        .velocity = w->movers.velocity.data,
        .spin = w->movers.spin.data,
        .center = w->movers.center.data,
        .moment = w->movers.moment.data,
        .inverse_inertia = w->movers.inverse_inertia.data,
        .h = s->h,
        .inverse_h = s->inverse_h,
        .soft.rate = s->inverse_h * turn / (2.0f * DAMPING_RATIO + turn),
        .soft.hardness = 1.0f / (turn * (2.0f * DAMPING_RATIO + turn)),
        .soft.fixed_rate = s->inverse_h * 2.0f * turn / (2.0f * DAMPING_RATIO + 2.0f * turn),
        .soft.fixed_hardness = 1.0f / (2.0f * turn * (2.0f * DAMPING_RATIO + 2.0f * turn)),
        .soft.most_push = w->most_push,
        .soft.linear_depth = MT_LINEAR_DEPTH * world->radius,
        .soft.bounce_speed = s->limits.bounce_speed,
        .gravity = world->settings.gravity,
        .any = &w->bounces_now,
        .turns = mt_may_turn(world),
    };
}

void mt_movers_fill(mt_impulse_job *job)
{
    mote_world *world = job->world;
    mt_impulses *w = job->w;
    uint32_t bodies = w->movers.count - w->movers.first_body;
    mt_parallel_for(&world->threads, w->movers.first_body, BLOCK_SLOTS, fill_slots, job);
    ((mote_vec4 *)w->movers.inverse_inertia.data)[2 * bodies] =
        ((mote_vec4 *)w->movers.inverse_inertia.data)[2 * bodies + 1] = (mote_vec4){0.0f, 0.0f, 0.0f, 0.0f};
    job->velocity[w->movers.count] = job->spin[w->movers.count] = (mote_vec4){0.0f, 0.0f, 0.0f, 0.0f};
    if (bodies > 0)
        mt_parallel_for(&world->threads, bodies, BODIES, fill_bodies, job);
    ((float *)w->movers.swing.data)[bodies] = 0.0f;
    mt_parallel_for(&world->threads, job->s->bodies.plan->assembly_count, BODIES, fill_swings, job);
}

/* Contacts would find a plate that hangs from a joint falling with what lies on it: they see it as its joints hold it
 * against what contacts give so far. */
void mt_joints_hold(mt_impulse_job *job, bool first)
{
    job->holds_first = first;
    if (job->s->bodies.plan->joint_count > 0)
        mt_parallel_for(&job->world->threads, job->s->bodies.plan->batches.count, 1,
                        job->world->kernels->joints_hold, job);
}

/* ---- passes over contacts ------------------------------------------------------------------------------ */

/* In batches: where some have several rows, as bodies' have, the fewer the more they have. */
static uint32_t block_of(uint32_t batches, uint32_t rows)
{
    if (rows <= batches)
        return BATCH_BLOCK;
    uint32_t block = ROWS_BLOCK * batches / rows;
    return block > 0 ? block : 1;
}

static void run(mt_impulse_job *job, mt_array *rows, mt_array *batches, mt_color color, mt_range_task *kernel)
{
    job->rows = rows->data;
    job->batches = batches->data;
    job->first = color.first;
    if (color.count > 0)
        mt_parallel_for(&job->world->threads, color.count, block_of(color.count, color.rows), kernel, job);
}

void mt_rows_pass_shapes(mt_impulse_job *job, mt_range_task *kernel)
{
    mt_impulses *w = job->w;
    mt_shape_side *side = &w->shapes.sides[w->shapes.side];
    run(job, &side->rows, &w->shapes.batches,
        (mt_color){0, w->shapes.batch_count, w->shapes.batch_count, false}, kernel);
    run(job, &side->body_rows, &w->shapes.body_batches,
        (mt_color){0, w->shapes.body_batch_count, w->shapes.body_row_count, false}, kernel);
}

/* A pass is one loop: over the batches of pairs, then over those of shapes, which have the last word, and of bodies on
 * shapes. Each has the job with its rows. */
enum { OF_PAIRS, OF_SHAPES, OF_BODIES, SECTIONS };

typedef struct rows_pass {
    mt_impulse_job jobs[SECTIONS];
    uint32_t begin[SECTIONS]; /* of the loop's indices */
    mt_range_task *kernel;
} rows_pass;

static void pass_range(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    rows_pass *p = context;
    uint32_t section = begin >= p->begin[OF_BODIES]   ? OF_BODIES
                       : begin >= p->begin[OF_SHAPES] ? OF_SHAPES
                                                      : OF_PAIRS;
    p->kernel(&p->jobs[section], begin - p->begin[section], end - p->begin[section], worker);
}

static rows_pass make_pass(const mt_impulse_job *job, mt_range_task *kernel)
{
    mt_impulses *w = job->w;
    mt_shape_side *side = &w->shapes.sides[w->shapes.side];
    rows_pass p = {.jobs = {*job, *job, *job},
                   .begin = {0, w->rows.batch_count, w->rows.batch_count + w->shapes.batch_count},
                   .kernel = kernel};
    mt_array *const rows[] = {&w->rows.all, &side->rows, &side->body_rows};
    mt_array *const batches[] = {&w->rows.batches, &w->shapes.batches, &w->shapes.body_batches};
    for (uint32_t k = 0; k < SECTIONS; k++) {
        p.jobs[k].rows = rows[k]->data;
        p.jobs[k].batches = batches[k]->data;
        p.jobs[k].first = 0;
    }
    return p;
}

static bool is_small(const mt_color *color)
{
    bool one_each = color->rows == color->count;
    return color->serial || color->count == 1 || color->rows <= (one_each ? BATCH_BLOCK : FEW_ROWS);
}

/* Colour by colour. Small ones that follow each other are one stretch, which nobody hands over. */
static uint32_t lay_colors(const mt_impulses *w, mt_stretch *stretches)
{
    uint32_t count = 0;
    bool joins = false; /* the last stretch is run by one worker */
    for (uint32_t c = 0; c < w->coloring.count; c++) {
        const mt_color *color = &w->coloring.colors[c];
        uint32_t end = color->first + color->count;
        bool small = is_small(color);
        if (small && joins)
            count--;
        stretches[count++] = (mt_stretch){end, small ? end : block_of(color->count, color->rows)};
        joins = small;
    }
    return count;
}

void mt_rows_pass(mt_impulse_job *job, mt_range_task *kernel)
{
    mt_impulses *w = job->w;
    rows_pass pass = make_pass(job, kernel);
    mt_stretch stretches[MT_MOST_COLORS + 2];
    uint32_t count = lay_colors(w, stretches);
    stretches[count++] = (mt_stretch){pass.begin[OF_BODIES], BATCH_BLOCK};
    stretches[count++] = (mt_stretch){pass.begin[OF_BODIES] + w->shapes.body_batch_count,
                                      block_of(w->shapes.body_batch_count, w->shapes.body_row_count)};
    mt_parallel_in_turn(&job->world->threads, stretches, count, pass_range, &pass);
}

/* In no order. Contacts of loose particles with shapes are as they were made. */
void mt_rows_look(mt_impulse_job *job, mt_range_task *kernel)
{
    mt_impulses *w = job->w;
    uint32_t single = w->rows.single_count;
    if (atomic_load(&w->rows.more_used) > 0) { /* else all rows are compact */
        run(job, &w->rows.all, &w->rows.batches, (mt_color){0, single, single, false}, kernel);
        run(job, &w->rows.all, &w->rows.batches,
            (mt_color){single, w->rows.batch_count - single, w->rows.count - single, false}, kernel);
    }
    run(job, &w->shapes.sides[w->shapes.side].body_rows, &w->shapes.body_batches,
        (mt_color){0, w->shapes.body_batch_count, w->shapes.body_row_count, false}, kernel);
}

void mt_rows_bounce(mt_impulse_job *job)
{
    const mt_kernels *kernels = job->world->kernels;
    if (!atomic_load(&job->w->bounces))
        return;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        atomic_store(&job->w->bounces_now, false);
        mt_rows_pass(job, kernels->impulse_find_bounces);
        if (!atomic_load(&job->w->bounces_now))
            return;
        for (uint32_t k = 0; k < BOUNCE_PASSES; k++)
            mt_rows_pass(job, kernels->impulse_bounce);
    }
}

/* Joints are held anew where that has changed something; what constraints will do is still expected. Loose particles take
 * back from shapes alone, which are all that is asked where there are no bodies. */
static void relax(mt_impulse_job *job)
{
    mt_range_task *kernel = job->world->kernels->impulse_relax;
    for (uint32_t round = 0; round < RELAX_ROUNDS; round++) {
        mt_joints_hold(job, false);
        atomic_store(job->any, false);
        if (job->s->bodies.plan->body_count > 0)
            mt_rows_pass(job, kernel);
        else
            mt_rows_pass_shapes(job, kernel);
        if (!atomic_load(job->any))
            return;
    }
}

/* ---- back ---------------------------------------------------------------------------------------------- */

static void return_bodies(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_impulse_job *job = context;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        mt_body_work *w = &mt_body_works(job->s->bodies.plan)[k];
        mote_vec4 v = job->velocity[job->w->movers.first_body + k], t = job->moment[k];
        if (w->inverse_mass == 0)
            continue;
        w->velocity = (mote_vec3){v.x, v.y, v.z};
        w->angular = mt_add(w->angular, (mote_vec3){t.x, t.y, t.z});
        w->spin = mt_inverse_inertia_turned(w->own_inverse_inertia, &w->at_start, w->angular);
    }
}

void mt_movers_return(mt_impulse_job *job)
{
    const mt_substep *s = job->s;
    mt_parallel_for(&job->world->threads, s->slices, MT_BLOCK, job->world->kernels->movers_return, job);
    if (s->bodies.plan->body_count > 0)
        mt_parallel_for(&job->world->threads, s->bodies.plan->body_count, BODIES, return_bodies, job);
}

mote_result mt_impulse_solve(mote_world *world, mt_substep *s)
{
    const mt_kernels *kernels = world->kernels;
    MT_TRY(mt_movers_reserve(world, s));
    mt_impulse_job job = mt_impulse_job_make(world, s);
    mt_movers_fill(&job);
    if (s->time.opens_step)
        MT_TRY(mt_contact_set_make(world, s));
    MT_TRY(mt_shape_contacts_make(world, s));
    mt_rows_look(&job, kernels->impulse_look);
    mt_rows_bounce(&job);
    mt_constraints_expect(&job);
    mt_rows_pass(&job, kernels->impulse_warm);
    for (uint32_t k = 0; k < world->settings.iterations; k++) {
        mt_joints_hold(&job, k == 0);
        mt_impulse_picks(&job, k == 0);
        mt_rows_pass(&job, kernels->impulse_press);
        if (mt_iterations_are_over(world))
            break;
    }
    relax(&job);
    mt_constraints_forget(&job);
    mt_joints_hold(&job, false);
    MT_TRY(mt_report_substep(&job));
    mt_movers_return(&job);
    return MOTE_OK;
}
