/* The step, once a substep:
 *
 *     for all particles: apply forces, predict x* <- x + h v              predict
 *     for all particles: find neighbouring particles, planes of shapes    sort, neighbors, shapes
 *     liquids keep their density; contacts, picks and joints are solved   solve
 *     for all particles: stop at surfaces (continuous collision)          guard
 *     for all particles: x <- x*, v as solved                             velocity
 *     for all of a fluid: what changes velocities alone                   stir
 *     for all particles: sleep                                            sleep
 *
 * The loop is that of Lovrovic's thesis (Algorithm 2), after Macklin et al. 2014; theirs solves positions (position/).
 * Every pass reads what the pass before wrote and writes each particle's own place, so threads never meet, and
 * the result is the same for any number of them. Neighbours are found once a step, and again only if particles
 * went further than the lists reach. A step that fails leaves the world as it was: the reorder at its start
 * copies the particles and keeps the originals until the end. */
#include "base/error.h"
#include "base/timer.h"
#include "base/vec.h"
#include "step/constraints/constraints.h"
#include "step/contacts/shape_cache.h"
#include "step/finish/finish.h"
#include "step/fluid/coarse.h"
#include "step/fluid/near.h"
#include "step/fluid/tension.h"
#include "step/fluid/viscosity.h"
#include "step/impulse/impulse.h"
#include "step/impulse/picks.h"
#include "step/kernels.h"
#include "step/neighbors/neighbors.h"
#include "step/neighbors/plan.h"
#include "step/position/position.h"
#include "step/predict/fields.h"
#include "step/substep.h"
#include "world/check.h"
#include "world/skeletons.h"

#include <string.h>

/* ---- stages -------------------------------------------------------------------------------------------- */

uint32_t mote_stage_count(void)
{
    return MT_STAGE_COUNT;
}

const char *mote_stage_name(uint32_t stage)
{
    static const char *const names[] = {
#define STAGE(identifier, name) name,
#include "step/stages.inl"
#undef STAGE
    };
    return stage < MT_STAGE_COUNT ? names[stage] : "";
}

double mote_world_stage_ms(const mote_world *world, uint32_t stage)
{
    return world != NULL && stage < MT_STAGE_COUNT ? world->scratch->stage_ms[stage] : 0;
}

/* Books the time since the last call on a stage. */
static void finish_stage(mote_world *world, double *clock, mt_stage stage)
{
    double now = mt_seconds();
    world->scratch->stage_ms[stage] += 1e3 * (now - *clock);
    *clock = now;
}

static void run(mote_world *world, mt_substep *s, mt_range_task *kernel)
{
    mt_parallel_for(&world->threads, s->slices, MT_BLOCK, kernel, s);
}

/* For passes that note nothing a block and take longer in some places than in others: what a thread waits for
 * at the end is a part of a piece. */
static void run_in_pieces(mote_world *world, mt_substep *s, mt_range_task *kernel)
{
    mt_parallel_for(&world->threads, s->slices, MT_PIECE, kernel, s);
}

static void swap(mote_vec4 **a, mote_vec4 **b)
{
    mote_vec4 *c = *a;
    *a = *b;
    *b = c;
}

/* ---- one substep, in the order of stages.inl ----------------------------------------------------------- */

static mote_result predict(mote_world *world, mt_substep *s)
{
    mt_substep_attach(world, s);
    if (world->fields.count > 0 && s->forces.kick > 0)
        mt_apply_fields(world, s);
    if (world->bodies.count > 0 && !world->scratch->search.reordered)
        mt_bodies_locate(world, s);
    mt_find_near_liquids(world, s);
    run(world, s, world->kernels->predict);
    if (world->bodies.count > 0) {
        mt_bodies_drive(world, s);
        mt_bodies_run(world, s, world->kernels->bodies_predict);
    }
    return mt_report_bad(world, s, "predicting");
}

/* When the places that a substep predicts are reached, s into the step; it begins h before. */
static float end_of(const mt_substep *s)
{
    return s->time.part * s->time.dt;
}

/* New lists at the start of a step, for its contacts; after that nobody but liquids asks whether they still reach far
 * enough. The order in memory follows once a step. */
static mote_result find_neighbors(mote_world *world, mt_substep *s, double *clock)
{
    mt_scratch *scratch = world->scratch;
    if (!s->time.opens_step)
        return s->liquids.fluid.any ? mt_lists_ensure(world, s, s->particles.predicted, end_of(s)) : MOTE_OK;
    MT_TRY(mt_plan_lists(world, s->particles.position, s->h, s->time.dt, true));
    MT_TRY(mt_grid_sort(world, mt_list_places(world, s->particles.position), &scratch->search.plan));
    mt_reorder(world);
    scratch->search.reordered = true;
    mt_substep_attach(world, s);
    mt_fill_surfaces(world, s);
    if (s->liquids.fluid.any)
        mt_fluid_fill(world, true);
    s->liquids.fluid = mt_fluid_of(world);
    if (world->bodies.count > 0)
        mt_bodies_locate(world, s);
    finish_stage(world, clock, MT_STAGE_SORT);
    MT_TRY(mt_lists_build(world, mt_list_places(world, s->particles.position), true, false));
    mt_substep_attach_rows(world, s);
    MT_TRY(mt_sleep_look(world, s->time.dt));
    scratch->search.time = mt_list_time(world, end_of(s) - s->h);
    return s->liquids.fluid.any ? mt_lists_ensure(world, s, s->particles.predicted, end_of(s)) : MOTE_OK;
}

/* Comes again if there was not room enough. */
static mote_result find_shapes(mote_world *world, mt_substep *s)
{
    if (world->shapes.count == 0) {
        memset(s->shapes.length, 0, s->slices * sizeof *s->shapes.length);
        return MOTE_OK;
    }
    for (;;) {
        atomic_store(s->shapes.rows_used, 0);
        run(world, s, world->kernels->shapes);
        uint32_t used = atomic_load(s->shapes.rows_used);
        if (used <= s->shapes.row_capacity)
            return MOTE_OK;
        MT_TRY(mt_array_reserve(&world->scratch->shapes.rows, &world->memory, (size_t)used + used / 4, 0));
        mt_substep_attach_rows(world, s);
    }
}

/* Nobody passes through a surface, whatever was solved. */
static void guard(mote_world *world, mt_substep *s)
{
    if (!s->shapes.solids)
        return;
    atomic_store(s->guard.looked, false);
    run_in_pieces(world, s, world->kernels->guard);
    if (world->bodies.count > 0 && atomic_load(s->guard.looked)) { /* else nobody was moved */
        mt_bodies_run(world, s, world->kernels->bodies_stop);
        mt_bodies_mark_stopped(s);
        s->guard.again = true;
        run_in_pieces(world, s, world->kernels->guard);
        s->guard.again = false;
    }
}

/* What fluids do to velocities. */
static mote_result stir(mote_world *world, mt_substep *s)
{
    return s->liquids.fluid.any ? mt_apply_viscosity(world, s) : MOTE_OK;
}

/* A pass over the slices that liquids may reach while the lists last: all others are as if it had been there. */
typedef struct wet_pass {
    mt_substep *s;
    mt_range_task *kernel;
} wet_pass;

static void run_from_first(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const wet_pass *pass = context;
    uint32_t first = pass->s->lists.made->first_wet;
    pass->kernel(pass->s, first + begin, first + end, worker);
}

static void run_wet(mote_world *world, mt_substep *s, mt_range_task *kernel)
{
    wet_pass pass = {s, kernel};
    const mt_lists *lists = s->lists.made;
    if (lists->end_wet > lists->first_wet)
        mt_parallel_for(&world->threads, lists->end_wet - lists->first_wet, MT_BLOCK, run_from_first, &pass);
}

static void clear_shifts(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    (void)worker;
    memset(s->liquids.shift + (size_t)begin * MT_SLICE, 0,
           (size_t)(end - begin) * MT_SLICE * sizeof *s->liquids.shift);
}

static void take_moved(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    (void)worker;
    memcpy(s->particles.predicted + (size_t)begin * MT_SLICE,
           s->particles.predicted_out + (size_t)begin * MT_SLICE,
           (size_t)(end - begin) * MT_SLICE * sizeof *s->particles.predicted);
}

/* What a pass over liquids alone has moved is all; of others nobody was touched. */
static void take_places(mote_world *world, mt_substep *s)
{
    if (s->liquids.fluid.pure)
        swap(&s->particles.predicted, &s->particles.predicted_out);
    else
        run_wet(world, s, take_moved);
}

/* What liquids moved becomes velocity. */
static void take_velocity(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    (void)worker;
    for (uint32_t i = begin * MT_SLICE; i < end * MT_SLICE; i++) {
        mote_vec4 shift = s->liquids.shift[i];
        if (!s->liquids.near_liquid[i / MT_SLICE] || (shift.x == 0 && shift.y == 0 && shift.z == 0))
            continue; /* what was not moved keeps its sign, be it 0 */
        s->particles.transport[i].x += shift.x * s->inverse_h;
        s->particles.transport[i].y += shift.y * s->inverse_h;
        s->particles.transport[i].z += shift.z * s->inverse_h;
    }
}

/* The pressures that a substep starts from; who is no liquid has none. */
static void recall_pressures(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    const float part = s->h * s->h;
    (void)worker;
    for (uint32_t i = begin * MT_SLICE; i < end * MT_SLICE; i++)
        if (s->liquids.near_liquid[i / MT_SLICE])
            s->liquids.pressure[i] = s->liquids.wet[i].z > 0 && s->liquids.wet[i].y > 0
                                         ? part * s->liquids.remembered_pressure[i]
                                         : 0.0f;
}

/* What density follows after the first iteration. */
static void find_moving(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    (void)worker;
    mote_vec4 *now = s->liquids.now;
    for (uint32_t i = begin * MT_SLICE; i < end * MT_SLICE; i++)
        now[i] = (mote_vec4){s->particles.transport[i].x + s->liquids.shift[i].x * s->inverse_h,
                             s->particles.transport[i].y + s->liquids.shift[i].y * s->inverse_h,
                             s->particles.transport[i].z + s->liquids.shift[i].z * s->inverse_h, 0.0f};
}

/* What is left of too much density goes out of places alone, after all that velocities have to say. */
static void lift_places(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    (void)worker;
    for (uint32_t i = begin * MT_SLICE; i < end * MT_SLICE; i++)
        if (s->liquids.near_liquid[i / MT_SLICE] && s->liquids.wet[i].z > 0 && s->liquids.wet[i].y > 0) {
            s->particles.predicted[i].x += s->liquids.lifted[i].x;
            s->particles.predicted[i].y += s->liquids.lifted[i].y;
            s->particles.predicted[i].z += s->liquids.lifted[i].z;
        }
}

/* Liquids first, at their predicted places; what they gain becomes velocity, and contacts have the last word. */
static mote_result press_liquids(mote_world *world, mt_substep *s)
{
    if (!s->liquids.fluid.any)
        return MOTE_OK;
    run_wet(world, s, clear_shifts);
    mt_mark_near_liquids(world, s, s->particles.predicted, false);
    bool moved = mt_apply_tension(world, s);
    run_wet(world, s, recall_pressures);
    for (uint32_t i = 0; i < world->settings.iterations; i++) {
        s->liquids.first = i == 0 ? 1.0f : 0.0f;
        if (moved) {
            MT_TRY(mt_lists_ensure(world, s, s->particles.predicted, end_of(s)));
            mt_mark_near_liquids(world, s, s->particles.predicted, true);
        }
        if (i > 0) { /* neighbours may be anywhere */
            run(world, s, find_moving);
            s->liquids.moving = s->liquids.now;
        }
        run_wet(world, s, world->kernels->fluid_press);
        if (s->time.opens_step && i == 0)
            MT_TRY(mt_coarse_begin(world, s));
        mt_coarse_guess(world, s);
        run_wet(world, s, world->kernels->fluid_hold);
        s->liquids.lifts = s->time.closes_step && i + 1 == world->settings.iterations;
        run_wet(world, s, world->kernels->fluid_move);
        take_places(world, s);
        moved = true;
    }
    run_wet(world, s, take_velocity);
    mt_bodies_run(world, s, world->kernels->bodies_buoy);
    return MOTE_OK;
}

/* Bodies fly with the velocities that contacts left; constraints and joints are closed where they end. */
static void move_bodies(mote_world *world, mt_substep *s)
{
    mt_bodies_run(world, s, world->kernels->bodies_fly);
    mt_constraints_project(world, s);
    mt_bodies_run_batches(world, s, world->kernels->bodies_join);
}

static mote_result settle_velocities(mote_world *world, mt_substep *s)
{
    s->particles.position_out = mt_positions(world);
    s->particles.settled = mt_velocities(world);
    atomic_store(s->bodies.out_of_space, false);
    mt_sum_shape_pushes(world, s, world->kernels->velocity);
    mt_bodies_run(world, s, world->kernels->bodies_finish);
    mt_mark_out_of_space(s);
    mt_picks_sum(world, s);
    return mt_report_bad(world, s, "solving");
}

static bool solves_impulses(const mote_world *world)
{
    return world->settings.solver == MOTE_SOLVER_IMPULSE;
}

static mote_result take_substep(mote_world *world, mt_substep *s, double *clock)
{
    MT_TRY(predict(world, s));
    finish_stage(world, clock, MT_STAGE_PREDICT);
    MT_TRY(find_neighbors(world, s, clock));
    finish_stage(world, clock, MT_STAGE_NEIGHBORS);
    MT_TRY(find_shapes(world, s));
    finish_stage(world, clock, MT_STAGE_SHAPES);
    MT_TRY(press_liquids(world, s));
    MT_TRY(solves_impulses(world) ? mt_impulse_solve(world, s) : mt_position_solve(world, s));
    if (s->liquids.lifts)
        run_wet(world, s, lift_places);
    finish_stage(world, clock, MT_STAGE_SOLVE);
    move_bodies(world, s);
    guard(world, s);
    finish_stage(world, clock, MT_STAGE_GUARD);
    MT_TRY(settle_velocities(world, s));
    mt_apply_late_kick(world, s);
    finish_stage(world, clock, MT_STAGE_VELOCITY);
    MT_TRY(stir(world, s));
    finish_stage(world, clock, MT_STAGE_STIR);
    if (s->time.closes_step && solves_impulses(world))
        MT_TRY(mt_impulses_remember(world, s));
    finish_stage(world, clock, MT_STAGE_SOLVE);
    return MOTE_OK;
}

/* ---- the whole step ------------------------------------------------------------------------------------ */

/* All that can fail comes before all that changes what the user sees. */
static mote_result finish_step(mote_world *world, float dt, double *clock)
{
    MT_TRY(mt_sleep_judge(world, dt));
    finish_stage(world, clock, MT_STAGE_SLEEP);
    MT_TRY(mt_volumes_judge(world));
    finish_stage(world, clock, MT_STAGE_VOLUMES);
    MT_TRY(mt_touches_find(world));
    MT_TRY(mt_constraints_judge(world));
    MT_TRY(mt_events_reserve(world));
    mt_events_make(world);
    mt_contacts_commit(world);
    mt_impulses_commit(world);
    mt_deferred_commit(world);
    mt_constraints_commit(world);
    mt_bodies_commit(world);
    mt_sleep_commit(world);
    mt_volumes_commit(world);
    finish_stage(world, clock, MT_STAGE_EVENTS);
    return MOTE_OK;
}

static mote_result take_step(mote_world *world, float dt)
{
    double clock = mt_seconds();
    world->scratch->began = clock;
    world->neighbor_builds = 0;
    world->scratch->search.reordered = world->scratch->search.in_sequence = false;
    memset(world->scratch->stage_ms, 0, sizeof world->scratch->stage_ms);
    MT_TRY(mt_scratch_reserve(world));
    world->scratch->impulses.kept.count = 0;
    MT_TRY(mt_placement_begin(world, dt));
    MT_TRY(mt_shape_cache_prepare(world));
    MT_TRY(mt_picks_begin(world));
    MT_TRY(mt_bodies_begin(world));
    MT_TRY(mt_constraints_begin(world));
    MT_TRY(mt_deferred_begin(world));
    if (mt_any_fluid(world))
        mt_fluid_fill(world, false); /* solids follow when all are in their order */
    if (world->shapes.count > 0) {
        memset(world->scratch->shapes.push.data, 0, world->shapes.count * sizeof(double[3]));
    }
    uint32_t substeps = world->particles.count > 0 ? world->settings.substeps : 0;
    for (uint32_t i = 0; i < substeps; i++) {
        mt_substep s = mt_substep_make(world, dt, i);
        MT_TRY(take_substep(world, &s, &clock));
    }
    return finish_step(world, dt, &clock);
}

mote_result mote_world_step(mote_world *world, float dt)
{
    MT_TRY(mt_enter(world, "mote_world_step"));
    MT_TRY(mt_check_range("dt", dt, MOTE_MIN_DT, MOTE_MAX_DT));
    double start = mt_seconds();
    world->busy = true;
    mote_result result = take_step(world, dt);
    if (result != MOTE_OK && world->scratch->search.reordered)
        mt_reorder_undo(world);
    if (result == MOTE_OK) {
        mt_shapes_commit(world, dt);
        mt_picks_commit(world);
        mt_skeletons_advance(world, dt);
        world->time += (double)dt;
        world->step_count++;
        world->step_ms = 1e3 * (mt_seconds() - start);
    }
    world->scratch->search.in_sequence = false;
    world->busy = false;
    return result;
}
