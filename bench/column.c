#include "column.h"

#include "scenes/scene.h"
#include "tools/command.h"
#include "tools/progress.h"

#include <math.h>
#include <string.h>

/* Frames that a restored world steps before it is measured: it makes its buffers and fills the caches. */
enum { SETTLING_FRAMES = 2 };

bool column_create(uint32_t particles, uint32_t threads, mote_world **world, float *dt)
{
    *world = NULL;
    scene *column = open_scene_or_complain("grains-column", &(scene_request){.particles = particles});
    if (column == NULL)
        return false;
    *dt = column->dt;
    bool created = bench_succeeded(scene_create(column, threads, MOTE_SIMD_AUTO, world));
    scene_close(column);
    return created;
}

/* ---- the start ----------------------------------------------------------------------------------------- */

bool column_warm_up(uint32_t particles, column_start *start)
{
    *start = (column_start){.asked = particles};
    mote_world *world;
    bool done = column_create(particles, 0, &world, &start->dt) &&
                bench_step(world, start->dt, COLUMN_BUSY_FRAME - SETTLING_FRAMES) &&
                state_keep(world, &start->state);
    mote_world_destroy(world);
    return done;
}

void column_start_free(column_start *start)
{
    state_free(&start->state);
}

/* ---- a run --------------------------------------------------------------------------------------------- */

bool column_begin(column_run *run, const column_start *start, uint32_t threads)
{
    *run = (column_run){0};
    return column_create(start->asked, threads, &run->world, &run->dt) &&
           state_restore(run->world, &start->state) && bench_step(run->world, run->dt, SETTLING_FRAMES);
}

static double search_stages_ms(const mote_world *world)
{
    double ms = 0.0;
    for (uint32_t stage = 0; stage < mote_stage_count(); stage++) {
        const char *name = mote_stage_name(stage);
        if (strcmp(name, "sort") == 0 || strcmp(name, "neighbors") == 0)
            ms += mote_world_stage_ms(world, stage);
    }
    return ms;
}

/* Notes down the frame that was just stepped. */
static bool note_frame(column_run *run, double ms)
{
    for (uint32_t stage = 0; stage < mote_stage_count() && stage < REPORT_STAGE_CAPACITY; stage++)
        run->stage_ms[stage] += mote_world_stage_ms(run->world, stage);
    double search_ms = search_stages_ms(run->world);

    mote_stats stats;
    if (!bench_succeeded(mote_world_stats(run->world, &stats)))
        return false;
    run->max_penetration = fmax(run->max_penetration, stats.max_penetration);
    run->residual_sum += stats.residual;
    run->memory = stats.memory > run->memory ? stats.memory : run->memory;
    bool searched = stats.neighbor_builds > 0;
    bool noted = samples_add(&run->frame_ms, ms) &&
                 (!searched || samples_add(&run->search_ms, search_ms / stats.neighbor_builds));
    if (!noted)
        complain("bench: no memory for the times");
    return noted;
}

bool column_measure(column_run *run, uint32_t frames)
{
    for (uint32_t i = 0; i < frames; i++) {
        double begin = clock_ms();
        bool stepped = bench_succeeded(mote_world_step(run->world, run->dt));
        double ms = clock_ms() - begin;
        if (!stepped || !note_frame(run, ms))
            return false;
    }
    return true;
}

void column_end(column_run *run)
{
    mote_world_destroy(run->world);
    samples_free(&run->frame_ms);
    samples_free(&run->search_ms);
    *run = (column_run){0};
}

report_run column_report(column_run *run, const char *name)
{
    mote_settings settings = mote_world_settings(run->world);
    mote_particles_view particles = mote_particles_get_view(run->world);
    double count = (double)particles.count, frames = (double)run->frame_ms.count;
    report_run result = {.name = name,
                         .subject = "a step of the falling column",
                         .engine = "mote",
                         .simd = mote_simd_name(mote_world_simd(run->world)),
                         .particles = particles.count,
                         .threads = mote_world_thread_count(run->world),
                         .frames = (uint32_t)run->frame_ms.count,
                         .ms_median = samples_median(&run->frame_ms),
                         .ms_p95 = samples_quantile(&run->frame_ms, 0.95),
                         .radius = particles.position[0].w,
                         .max_penetration = run->max_penetration,
                         .residual_per_particle = run->residual_sum / (count * frames),
                         .memory = run->memory};
    result.ns_per_particle_iteration =
        1e6 * result.ms_median / (count * settings.substeps * settings.iterations);
    for (uint32_t stage = 0; stage < mote_stage_count() && stage < REPORT_STAGE_CAPACITY; stage++)
        result.stages[result.stage_count++] =
            (report_stage){mote_stage_name(stage), run->stage_ms[stage] / frames};
    return result;
}
