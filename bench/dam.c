#include "dam.h"

#include "tools/command.h"
#include "tools/progress.h"

#include <math.h>

/* The peers' scenes have the same radius, m. */
#define RADIUS 0.025f

/* Frames that a restored world steps before it is measured: it makes its buffers and fills the caches. */
enum { SETTLING_FRAMES = 2, TANK_COLUMNS = 4 };

/* ---- the plan ------------------------------------------------------------------------------------------- */

/* Of all widths within a tenth of the cube's the one whose count is nearest to what is asked. */
static void choose_counts(uint32_t particles, uint32_t count[3])
{
    double cube = cbrt(0.5 * particles), best = INFINITY;
    for (uint32_t x = (uint32_t)fmax(1.0, 0.9 * cube); x <= (uint32_t)ceil(1.1 * cube); x++) {
        double layer = 2.0 * x * x, z = fmax(1.0, round(particles / layer));
        double off = fabs(layer * z - particles);
        if (off < best) {
            best = off;
            count[0] = x;
            count[1] = 2 * x;
            count[2] = (uint32_t)z;
        }
    }
}

/* A column of width a is down in about 3 sqrt(a / 2 g). From half of that on most of it moves. */
static uint32_t busy_frame(uint32_t width, uint32_t rate)
{
    double a = 2.0 * (double)RADIUS * width;
    uint32_t frame = (uint32_t)lround(1.5 * sqrt(a / (2.0 * 9.81)) * rate);
    return frame > SETTLING_FRAMES ? frame : SETTLING_FRAMES;
}

dam_plan dam_plan_make(uint32_t particles, uint32_t rate, uint32_t substeps, uint32_t iterations)
{
    dam_plan plan = {.asked = particles, .rate = rate, .substeps = substeps, .iterations = iterations};
    choose_counts(particles, plan.count);
    plan.first_frame = busy_frame(plan.count[0], rate);
    return plan;
}

/* ---- the world ------------------------------------------------------------------------------------------ */

/* Floor, ends and sides, as (unit normal, offset). */
static void walls_of(const dam_plan *plan, mote_vec4 walls[DAM_WALLS])
{
    float length = TANK_COLUMNS * 2.0f * RADIUS * (float)plan->count[0];
    float depth = 2.0f * RADIUS * (float)plan->count[2];
    const mote_vec4 all[DAM_WALLS] = {
        {0, 1, 0, 0}, {1, 0, 0, 0}, {-1, 0, 0, -length}, {0, 0, 1, 0}, {0, 0, -1, -depth}};
    for (int i = 0; i < DAM_WALLS; i++)
        walls[i] = all[i];
}

static bool add_tank(mote_world *world, const dam_plan *plan)
{
    mote_vec4 walls[DAM_WALLS];
    walls_of(plan, walls);
    for (int i = 0; i < DAM_WALLS; i++) {
        mote_plane_def plane = mote_default_plane_def();
        plane.normal = (mote_vec3){walls[i].x, walls[i].y, walls[i].z};
        plane.offset = walls[i].w;
        if (mote_is_null(mote_plane_add(world, &plane)))
            return bench_succeeded(mote_last_result());
    }
    return true;
}

static bool add_water(mote_world *world, const dam_plan *plan)
{
    mote_material_def water = mote_default_material_def();
    water.fluid = true;
    water.density = 1000.0f;
    water.static_friction = water.kinetic_friction = 0.0f;
    mote_grains_def block = mote_default_grains_def();
    block.material = mote_material_add(world, &water);
    if (mote_is_null(block.material))
        return bench_succeeded(mote_last_result());
    block.origin = (mote_vec3){RADIUS, RADIUS, RADIUS};
    for (int i = 0; i < 3; i++)
        block.count[i] = plan->count[i];
    return bench_succeeded(mote_grains_block(world, &block, NULL));
}

static bool create(const dam_plan *plan, uint32_t threads, mote_world **world)
{
    mote_world_def def = mote_default_world_def();
    def.radius = RADIUS;
    def.thread_count = threads;
    def.max_particles = plan->count[0] * plan->count[1] * plan->count[2];
    def.settings.substeps = plan->substeps;
    def.settings.iterations = plan->iterations;
    return bench_succeeded(mote_world_create(&def, world)) && add_tank(*world, plan) && add_water(*world, plan);
}

/* ---- a run ---------------------------------------------------------------------------------------------- */

bool dam_warm_up(const dam_plan *plan, kept_state *state)
{
    mote_world *world = NULL;
    bool done = create(plan, 0, &world) &&
                bench_step(world, 1.0f / (float)plan->rate, plan->first_frame - SETTLING_FRAMES) &&
                state_keep(world, state);
    mote_world_destroy(world);
    return done;
}

bool dam_begin(dam_run *run, const dam_plan *plan, const kept_state *state, uint32_t threads)
{
    *run = (dam_run){.dt = 1.0f / (float)plan->rate};
    return create(plan, threads, &run->world) && state_restore(run->world, state) &&
           bench_step(run->world, run->dt, SETTLING_FRAMES);
}

bool dam_measure(dam_run *run, uint32_t frames)
{
    for (uint32_t i = 0; i < frames; i++) {
        double begin = clock_ms();
        bool stepped = bench_succeeded(mote_world_step(run->world, run->dt));
        double ms = clock_ms() - begin;
        if (!stepped)
            return false;
        if (!samples_add(&run->frame_ms, ms)) {
            complain("bench: no memory for the times");
            return false;
        }
        for (uint32_t stage = 0; stage < mote_stage_count() && stage < REPORT_STAGE_CAPACITY; stage++) {
            double took = mote_world_stage_ms(run->world, stage);
            run->stage_ms[stage] = run->frame_ms.count == 1 ? took : fmin(took, run->stage_ms[stage]);
        }
    }
    mote_stats stats;
    if (!bench_succeeded(mote_world_stats(run->world, &stats)))
        return false;
    run->memory = stats.memory > run->memory ? stats.memory : run->memory;
    return true;
}

bool dam_density(const dam_run *run, const dam_plan *plan, density_state *state)
{
    mote_particles_view particles = mote_particles_get_view(run->world);
    mote_vec4 walls[DAM_WALLS];
    walls_of(plan, walls);
    bool measured = density_measure(particles.position, particles.count, walls, DAM_WALLS, state);
    if (!measured)
        complain("bench: no memory to measure the density");
    return measured;
}

void dam_end(dam_run *run)
{
    mote_world_destroy(run->world);
    samples_free(&run->frame_ms);
    *run = (dam_run){0};
}

report_fluid dam_report(dam_run *run, const dam_plan *plan, const density_state *state)
{
    double count = (double)mote_particle_count(run->world);
    double rounds = (double)plan->substeps * (double)plan->iterations;
    report_fluid result = {.engine = "mote",
                           .simd = mote_simd_name(mote_world_simd(run->world)),
                           .particles = mote_particle_count(run->world),
                           .threads = mote_world_thread_count(run->world),
                           .rate = plan->rate,
                           .substeps = plan->substeps,
                           .iterations = plan->iterations,
                           .first_frame = plan->first_frame,
                           .frames = (uint32_t)run->frame_ms.count,
                           .ms_best = samples_quantile(&run->frame_ms, 0.0),
                           .ms_median = samples_median(&run->frame_ms),
                           .ms_p95 = samples_quantile(&run->frame_ms, 0.95),
                           .neighbors = state->neighbors,
                           .density_mean = state->mean_error,
                           .density_largest = state->largest_error,
                           .memory = run->memory};
    result.ns_per_particle_iteration = 1e6 * result.ms_median / (count * rounds);
    result.ns_best = 1e6 * result.ms_best / (count * rounds);
    result.ns_per_pair = result.ns_per_particle_iteration / fmax(state->neighbors, 1e-9);
    result.seconds_per_second = 1e-3 * plan->rate * result.ms_median;
    for (uint32_t stage = 0; stage < mote_stage_count() && stage < REPORT_STAGE_CAPACITY; stage++)
        result.stages[result.stage_count++] = (report_stage){mote_stage_name(stage), run->stage_ms[stage]};
    return result;
}
