/* What a drop of water costs that is far from everything: the same pile of jointed objects without it and with it fifty
 * metres away. The two take turns, some frames each, and what is told is the median of their frames' ratios, so that
 * whatever else the machine does meets both. */
#include "sampling.h"
#include "stepping.h"
#include "suite.h"

#include "mote/mote.h"
#include "scenes/jointed_objects.h"
#include "tools/progress.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    OBJECTS = 420,
    FRAMES = 200,
    RATE = 60,
    WARM_UP = 60,
    TURN = 10
}; /* so many objects are about 1,000 bodies */

#define AWAY 50.0f /* m */

typedef struct level {
    mote_world *world;
    sample_set frame_ms;
} level;

/* Eight particles. */
static bool add_drop(mote_world *world)
{
    mote_material_def water = mote_default_material_def();
    water.fluid = true;
    water.density = 1000.0f;
    water.viscosity = 0.001f;
    mote_material_id material = mote_material_add(world, &water);
    if (mote_is_null(material))
        return bench_succeeded(mote_last_result());
    mote_fluid_def drop = mote_default_fluid_def();
    const float width = 4.0f * JOINTED_RADIUS;
    drop.min = (mote_vec3){AWAY, 1.0f, 0.0f};
    drop.max = (mote_vec3){AWAY + width, 1.0f + width, width};
    drop.material = material;
    return bench_succeeded(mote_fluid_block(world, &drop, NULL));
}

static bool begin(level *l, uint32_t objects, uint32_t threads, bool drop)
{
    mote_world_def def = mote_default_world_def();
    def.radius = JOINTED_RADIUS;
    def.thread_count = threads;
    return bench_succeeded(mote_world_create(&def, &l->world)) &&
           bench_succeeded(jointed_pile_build(l->world, objects)) && (!drop || add_drop(l->world));
}

static bool measure_frame(level *l)
{
    double start = clock_ms();
    return bench_succeeded(mote_world_step(l->world, 1.0f / RATE)) &&
           samples_add(&l->frame_ms, clock_ms() - start);
}

static bool add_run(level *l, bench_report *report, const char *subject)
{
    mote_settings settings = mote_world_settings(l->world);
    uint32_t particles = mote_particle_count(l->world);
    report_run run = {.name = "locality",
                      .subject = subject,
                      .engine = "mote",
                      .simd = mote_simd_name(mote_world_simd(l->world)),
                      .particles = particles,
                      .threads = mote_world_thread_count(l->world),
                      .frames = (uint32_t)l->frame_ms.count,
                      .ms_median = samples_median(&l->frame_ms),
                      .ms_p95 = samples_quantile(&l->frame_ms, 0.95),
                      .radius = (double)JOINTED_RADIUS};
    run.ns_per_particle_iteration =
        1e6 * run.ms_median / particles / (double)(settings.substeps * settings.iterations);
    return report_add_run(report, &run);
}

/* In the first frame of a turn the caches hold what the other left there: it is stepped and not measured. */
static bool take_turn(level *l, uint32_t frames)
{
    for (uint32_t frame = 0; frame < frames; frame++) {
        if (!measure_frame(l))
            return false;
        if (frame == 0)
            l->frame_ms.count--;
    }
    return true;
}

/* The first frames make room for what a step needs. */
static bool compare(level levels[2], uint32_t frames, sample_set *ratios)
{
    bool done = take_turn(&levels[0], WARM_UP) && take_turn(&levels[1], WARM_UP);
    levels[0].frame_ms.count = levels[1].frame_ms.count = 0;
    for (uint32_t turn = 0; done && turn * TURN < frames; turn++) {
        bench_progress("locality: frame %" PRIu32 " of %" PRIu32, turn * TURN, frames);
        done = take_turn(&levels[turn % 2], TURN + 1) && take_turn(&levels[(turn + 1) % 2], TURN + 1);
    }
    for (size_t frame = 0; done && frame < levels[0].frame_ms.count; frame++)
        done = samples_add(ratios, levels[1].frame_ms.values[frame] / levels[0].frame_ms.values[frame]);
    return done;
}

static bool run(uint32_t objects, uint32_t threads, const bench_options *options, bench_report *report)
{
    level levels[2] = {{0}, {0}};
    sample_set ratios = {0};
    bool done = begin(&levels[0], objects, threads, false) && begin(&levels[1], objects, threads, true) &&
                compare(levels, options->frames > 0 ? options->frames : FRAMES, &ratios);
    report_ratio ratio = {.value = done ? samples_median(&ratios) : 0.0};
    if (done) {
        snprintf(ratio.key, sizeof ratio.key, "locality-drop-against-none-%u-bodies-%u-threads",
                 mote_body_count(levels[0].world), threads);
        snprintf(ratio.text, sizeof ratio.text, "a drop of water 50 m from %u bodies against none, %u thread%s",
                 mote_body_count(levels[0].world), threads, threads > 1 ? "s" : "");
        done = add_run(&levels[0], report, "jointed objects on a pile, and the same with a drop 50 m away") &&
               add_run(&levels[1], report, "jointed objects on a pile, and the same with a drop 50 m away") &&
               report_add_ratio(report, &ratio);
    }
    for (uint32_t k = 0; k < 2; k++) {
        mote_world_destroy(levels[k].world);
        samples_free(&levels[k].frame_ms);
    }
    samples_free(&ratios);
    return done;
}

bool locality_bench(const bench_options *options, bench_report *report)
{
    bench_list threads = bench_threads(options), objects = options->objects;
    if (objects.count == 0)
        objects = (bench_list){{OBJECTS}, 1};
    bool done = true;
    for (size_t i = 0; done && i < objects.count; i++)
        for (size_t k = 0; done && k < threads.count; k++)
            done = run(objects.values[i], threads.values[k], options, report);
    return done;
}
