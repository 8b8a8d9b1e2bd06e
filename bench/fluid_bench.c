/* A dam break: liquid in Mote, several sizes, several thread counts, beside what others took elsewhere. */
#include "dam.h"
#include "suite.h"

#include "tools/command.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEFAULT_ROUNDS = 3, DEFAULT_FRAMES = 10, DEFAULT_FRAMES_LARGE = 4, LARGE = 500000 };
/* Steps of 5 ms with four iterations, as the others have. At 60 Hz four iterations are too few for many layers:
 * the liquid is pressed together. */
enum { DEFAULT_RATE = 200, DEFAULT_SUBSTEPS = 1, DEFAULT_ITERATIONS = 4 };

typedef struct dam_race {
    dam_plan plan;
    dam_run runs[BENCH_LIST_CAPACITY]; /* one for each thread count */
    size_t run_count;
    density_state density; /* mean of the rounds' mean errors and neighbours, the largest of the largest */
} dam_race;

/* ---- the race ------------------------------------------------------------------------------------------- */

static bool begin(dam_race *race, const bench_list *threads)
{
    bench_progress("dam-break: %" PRIu32 " particles, warming up", race->plan.asked);
    kept_state state = {0};
    bool begun = dam_warm_up(&race->plan, &state);
    for (size_t i = 0; begun && i < threads->count; i++)
        begun = dam_begin(&race->runs[race->run_count++], &race->plan, &state, threads->values[i]);
    state_free(&state);
    return begun;
}

/* All thread counts are in the same state, so the density of the first is that of all. */
static bool run_rounds(dam_race *race, uint32_t rounds, uint32_t frames)
{
    for (uint32_t round = 0; round < rounds; round++) {
        bench_progress("dam-break: %" PRIu32 " particles, round %" PRIu32 " of %" PRIu32, race->plan.asked,
                       round + 1, rounds);
        for (size_t i = 0; i < race->run_count; i++)
            if (!dam_measure(&race->runs[i], frames))
                return false;
        density_state now;
        if (!dam_density(&race->runs[0], &race->plan, &now))
            return false;
        race->density.mean_error += now.mean_error / rounds;
        race->density.neighbors += now.neighbors / rounds;
        race->density.largest_error = fmax(race->density.largest_error, now.largest_error);
    }
    return true;
}

static bool agrees(const dam_race *race)
{
    const mote_world *first = race->runs[0].world;
    for (size_t i = 1; i < race->run_count; i++)
        if (mote_world_hash(race->runs[i].world) != mote_world_hash(first)) {
            complain("bench: dam-break: %" PRIu32 " and %" PRIu32 " threads do not give the same state",
                     mote_world_thread_count(first), mote_world_thread_count(race->runs[i].world));
            return false;
        }
    return true;
}

static bool add_results(dam_race *race, bench_report *report)
{
    for (size_t i = 0; i < race->run_count; i++) {
        report_fluid run = dam_report(&race->runs[i], &race->plan, &race->density);
        if (!report_add_fluid(report, &run))
            return false;
    }
    return true;
}

static bool run_race(uint32_t particles, const bench_options *options, bench_report *report)
{
    uint32_t frames = particles < LARGE ? DEFAULT_FRAMES : DEFAULT_FRAMES_LARGE;
    bench_list threads = bench_threads(options);
    dam_race race = {.plan = dam_plan_make(particles, options->rate ? options->rate : DEFAULT_RATE,
                                           options->substeps ? options->substeps : DEFAULT_SUBSTEPS,
                                           options->iterations ? options->iterations : DEFAULT_ITERATIONS)};
    bool done = begin(&race, &threads) &&
                run_rounds(&race, options->repeat ? options->repeat : DEFAULT_ROUNDS,
                           options->frames ? options->frames : frames) &&
                agrees(&race) && add_results(&race, report);
    for (size_t i = 0; i < race.run_count; i++)
        dam_end(&race.runs[i]);
    return done;
}

/* ---- figures of others ---------------------------------------------------------------------------------- */

typedef struct peer_figure {
    const char *engine;
    uint32_t particles, threads, iterations;
    double ms; /* a step of theirs, median */
} peer_figure;

/* SPlisHSPlasH and PositionBasedDynamics with a dam break of the same particles (radius 0.025 m, 38 neighbours
 * within four radii), built with gcc 12 -O3, on two virtual cores of the class AMD Zen 4 at 3.5 GHz: not this
 * machine. How long a step was is known of one only: 5 ms of DFSPH with 100,000. PBF: position-based fluids.
 * DFSPH: four iterations for the density and one for the divergence. Of figures that were given as a range it
 * is the lower end. */
static const peer_figure PEERS[] = {
    {"SPlisHSPlasH PBF", 20000, 1, 4, 127.0},          {"SPlisHSPlasH PBF", 20000, 2, 4, 74.0},
    {"SPlisHSPlasH DFSPH", 20000, 1, 5, 53.0},         {"SPlisHSPlasH DFSPH", 20000, 2, 5, 28.0},
    {"PositionBasedDynamics PBF", 20000, 1, 4, 155.0}, {"PositionBasedDynamics PBF", 20000, 2, 4, 81.0},
    {"SPlisHSPlasH PBF", 100000, 1, 4, 501.0},         {"SPlisHSPlasH PBF", 100000, 2, 4, 275.0},
    {"SPlisHSPlasH DFSPH", 100000, 1, 5, 261.0},       {"SPlisHSPlasH DFSPH", 100000, 2, 5, 151.0},
};
#define PEER_NEIGHBORS 38.0

static bool add_peers(bench_report *report, uint32_t particles)
{
    for (size_t i = 0; i < sizeof PEERS / sizeof PEERS[0]; i++) {
        const peer_figure *peer = &PEERS[i];
        report_fluid row = {.engine = peer->engine,
                            .simd = "-",
                            .published = true,
                            .particles = peer->particles,
                            .threads = peer->threads,
                            .substeps = 1,
                            .iterations = peer->iterations,
                            .ms_median = peer->ms};
        row.ns_per_particle_iteration = 1e6 * peer->ms / ((double)peer->particles * peer->iterations);
        row.neighbors = PEER_NEIGHBORS;
        row.ns_per_pair = row.ns_per_particle_iteration / PEER_NEIGHBORS;
        if (peer->particles == particles && !report_add_fluid(report, &row))
            return false;
    }
    return true;
}

/* ---- what follows from the runs ------------------------------------------------------------------------- */

/* How many times the cheapest particle's cost the dearest one's is, over all sizes. */
static bool add_flatness(bench_report *report, size_t first, uint32_t threads)
{
    double least = INFINITY, most = 0.0;
    size_t count = 0;
    for (size_t i = first; i < report->fluid_count; i++) {
        const report_fluid *run = &report->fluids[i];
        if (run->published || run->threads != threads)
            continue;
        least = fmin(least, run->ns_per_particle_iteration);
        most = fmax(most, run->ns_per_particle_iteration);
        count++;
    }
    if (count < 2)
        return true;
    report_ratio ratio = {.value = most / least};
    snprintf(ratio.key, sizeof ratio.key, "dam_break_flatness_%" PRIu32 "_threads", threads);
    snprintf(ratio.text, sizeof ratio.text,
             "dam-break: cost of a particle, highest to lowest of all sizes, threads: %" PRIu32, threads);
    return report_add_ratio(report, &ratio);
}

static bool add_speedup(bench_report *report, const report_fluid *run, const report_fluid *single)
{
    report_ratio ratio = {.value = single->ms_median / run->ms_median};
    snprintf(ratio.key, sizeof ratio.key, "dam_break_speedup_%" PRIu32 "_threads_%" PRIu64, run->threads,
             run->particles);
    snprintf(ratio.text, sizeof ratio.text, "dam-break: %" PRIu32 " threads against 1, particles: %" PRIu64,
             run->threads, run->particles);
    return report_add_ratio(report, &ratio);
}

static bool add_ratios(bench_report *report, size_t first, const bench_options *options)
{
    bench_list threads = bench_threads(options);
    bool added = true;
    for (size_t i = 0; added && i < threads.count; i++)
        added = add_flatness(report, first, threads.values[i]);
    for (size_t i = first; added && i < report->fluid_count; i++)
        for (size_t j = first; added && j < report->fluid_count; j++) {
            const report_fluid *run = &report->fluids[i], *single = &report->fluids[j];
            if (!run->published && !single->published && run->particles == single->particles &&
                run->threads != 1 && single->threads == 1)
                added = add_speedup(report, run, single);
        }
    return added;
}

/* ---- the benchmark -------------------------------------------------------------------------------------- */

bool dam_break_bench(const bench_options *options, bench_report *report)
{
    bench_list sizes = options->particles;
    if (sizes.count == 0)
        sizes = (bench_list){{20000, 100000, 1000000}, 3};
    size_t first = report->fluid_count;
    for (size_t i = 0; i < sizes.count; i++)
        if (!run_race(sizes.values[i], options, report) || !add_peers(report, sizes.values[i]))
            return false;
    return add_ratios(report, first, options);
}
