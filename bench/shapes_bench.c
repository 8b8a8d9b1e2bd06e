/* What shapes cost a particle that touches none. The same 50,000 loose particles drift over one plane; over
 * a field of 5,000 shapes, spheres, boxes and capsules by turns; and in the midst of as many that stand in
 * every eleventh place of the particles' own lattice, each a radius away. All take turns; times are of the
 * stages that look for shapes and guard against passing through them. */
#include "sampling.h"
#include "suite.h"

#include "mote/mote.h"
#include "tools/command.h"

#include <stdio.h>
#include <string.h>

#define SHAPES    5000u
#define PARTICLES 50000u
#define SIDE      39u   /* places along an edge of the lattice: 39^3 is a little more than both together */
#define RADIUS    0.05f /* m */
#define SPACING   0.2f  /* m: a gap of about a radius on every side */
#define EVERY     11u   /* of so many places one has a shape */
#define WARM_UP   5

typedef enum setting { ONE_PLANE, FIELD_BELOW, IN_THE_MIDST, SETTINGS } setting;

typedef struct contest {
    const char *name, *subject;
    mote_world *world;
    sample_set stage_ms, step_ms;
} contest;

static mote_vec3 place(uint32_t index)
{
    return (mote_vec3){SPACING * (float)(index % SIDE), SPACING * (float)(index / SIDE % SIDE),
                       SPACING * (float)(index / SIDE / SIDE)};
}

static bool add_shape(mote_world *world, mote_vec3 position, uint32_t number)
{
    static const mote_shape_type types[3] = {MOTE_SHAPE_SPHERE, MOTE_SHAPE_BOX, MOTE_SHAPE_CAPSULE};
    mote_shape_def def = mote_default_shape_def();
    def.type = types[number % 3];
    def.position = position;
    def.rotation = (mote_quat){0.1f * (float)(number % 7), 0.2f, 0.1f * (float)(number % 5), 1.0f};
    def.radius = 0.7f * RADIUS;
    def.half_height = 0.3f * RADIUS;
    def.half_extents = (mote_vec3){0.6f * RADIUS, 0.5f * RADIUS, 0.4f * RADIUS};
    return !mote_is_null(mote_shape_add(world, &def));
}

/* 100 rows of 50, as wide as the particles' block and twice as long, below it. */
static bool add_field(mote_world *world)
{
    float step = SPACING * (float)SIDE / 50.0f;
    for (uint32_t i = 0; i < SHAPES; i++) {
        mote_vec3 position = {step * (float)(i % 50), -1.0f, step * (float)(i / 50)};
        if (!add_shape(world, position, i))
            return false;
    }
    return true;
}

static bool add_plane(mote_world *world)
{
    mote_plane_def floor = mote_default_plane_def();
    floor.offset = -1.0f;
    return !mote_is_null(mote_plane_add(world, &floor));
}

static bool fill(mote_world *world, setting where)
{
    uint32_t shapes = 0, particles = 0;
    if ((where == ONE_PLANE && !add_plane(world)) || (where == FIELD_BELOW && !add_field(world)))
        return false;
    for (uint32_t i = 0; i < SIDE * SIDE * SIDE && particles < PARTICLES; i++) {
        if (i % EVERY == EVERY / 2 && shapes < SHAPES) {
            if (where == IN_THE_MIDST && !add_shape(world, place(i), shapes))
                return false;
            shapes++;
            continue;
        }
        mote_particle_def def = mote_default_particle_def();
        def.position = place(i);
        def.velocity = (mote_vec3){0.01f * (float)(i % 3), -0.02f, 0.01f * (float)(i % 5)};
        if (mote_is_null(mote_particle_add(world, &def)))
            return false;
        particles++;
    }
    return true;
}

static bool begin(contest *c, setting where, uint32_t threads)
{
    mote_world_def def = mote_default_world_def();
    def.radius = RADIUS;
    def.thread_count = threads;
    def.settings.gravity = (mote_vec3){0.0f, 0.0f, 0.0f};
    static const char *const subjects[SETTINGS] = {"looking for one plane below",
                                                   "looking for 5,000 shapes below",
                                                   "looking for 5,000 shapes in the midst"};
    static const char *const names[SETTINGS] = {"shapes-plane", "shapes-below", "shapes-amidst"};
    c->name = names[where];
    c->subject = subjects[where];
    if (mote_world_create(&def, &c->world) == MOTE_OK && fill(c->world, where))
        return true;
    complain("bench: %s", mote_last_error());
    return false;
}

static bool measure_step(contest *c)
{
    if (mote_world_step(c->world, 1.0f / 60.0f) != MOTE_OK) {
        complain("bench: %s", mote_last_error());
        return false;
    }
    double stage = 0, step = 0;
    for (uint32_t i = 0; i < mote_stage_count(); i++) {
        const char *name = mote_stage_name(i);
        double ms = mote_world_stage_ms(c->world, i);
        stage += strcmp(name, "shapes") == 0 || strcmp(name, "guard") == 0 ? ms : 0.0;
        step += ms;
    }
    return samples_add(&c->stage_ms, stage) && samples_add(&c->step_ms, step);
}

static report_run result_of(contest *c, uint32_t threads)
{
    mote_settings settings = mote_world_settings(c->world);
    report_run run = {.name = c->name,
                      .subject = c->subject,
                      .engine = "mote",
                      .simd = mote_simd_name(mote_world_simd(c->world)),
                      .particles = PARTICLES,
                      .threads = threads,
                      .frames = (uint32_t)c->stage_ms.count,
                      .ms_median = samples_median(&c->stage_ms),
                      .ms_p95 = samples_quantile(&c->stage_ms, 0.95),
                      .radius = (double)RADIUS};
    run.ns_per_particle_iteration =
        1e6 * run.ms_median / (double)PARTICLES / (double)(settings.substeps * settings.iterations);
    return run;
}

static void end(contest *c)
{
    mote_world_destroy(c->world);
    samples_free(&c->stage_ms);
    samples_free(&c->step_ms);
}

static bool compare(contest contests[SETTINGS], const bench_options *options, uint32_t threads,
                    bench_report *report)
{
    uint32_t frames = WARM_UP + (options->frames > 0 ? options->frames : 30);
    frames *= options->repeat > 0 ? options->repeat : 1;
    for (uint32_t frame = 0; frame < frames; frame++) {
        bench_progress("shapes: %u threads, frame %u of %u", threads, frame, frames);
        for (int i = 0; i < SETTINGS; i++) {
            if (!measure_step(&contests[i]))
                return false;
            if (frame < WARM_UP)
                contests[i].stage_ms.count = contests[i].step_ms.count = 0;
        }
    }
    double plane_ms = 0;
    for (int i = 0; i < SETTINGS; i++) {
        report_run run = result_of(&contests[i], threads);
        report_ratio ratio = {.value = i > 0 ? run.ms_median / plane_ms : 1.0};
        plane_ms = i > 0 ? plane_ms : run.ms_median;
        snprintf(ratio.key, sizeof ratio.key, "shapes-%s-against-plane-%u-threads", i == 1 ? "below" : "amidst",
                 threads);
        snprintf(ratio.text, sizeof ratio.text, "5,000 shapes %s against one plane, %u thread%s",
                 i == 1 ? "below" : "in the midst", threads, threads > 1 ? "s" : "");
        if (!report_add_run(report, &run) || (i > 0 && !report_add_ratio(report, &ratio)))
            return false;
    }
    return true;
}

bool shapes_bench(const bench_options *options, bench_report *report)
{
    bench_list threads = bench_threads(options);
    bool done = true;
    for (size_t i = 0; done && i < threads.count; i++) {
        contest contests[SETTINGS] = {{0}, {0}, {0}};
        for (int k = 0; done && k < SETTINGS; k++)
            done = begin(&contests[k], (setting)k, threads.values[i]);
        done = done && compare(contests, options, threads.values[i], report);
        for (int k = 0; k < SETTINGS; k++)
            end(&contests[k]);
    }
    return done;
}
