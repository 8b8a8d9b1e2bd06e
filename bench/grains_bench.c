/* The falling column: the whole step, several sizes, several thread counts, and a peer. */
#include "race.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#ifdef MOTE_WITH_BULLET
static const column_peer *const PEER = &bullet_column_peer;
#else
static const column_peer *const PEER = NULL;
#endif

/* The peer's size, or the largest that was asked for if that is smaller. */
enum { PEER_PARTICLES = 20000 };

/* ---- what follows from the runs ------------------------------------------------------------------------ */

static bool is_mote(const report_run *run)
{
    return run->stage_count > 0;
}

/* How many times the cheapest particle's cost the dearest one's is, over all sizes. */
static bool add_flatness(bench_report *report, const report_run *runs, size_t count, uint32_t threads)
{
    double least = INFINITY, most = 0.0;
    uint64_t smallest = UINT64_MAX, largest = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_mote(&runs[i]) || runs[i].threads != threads)
            continue;
        least = fmin(least, runs[i].ns_per_particle_iteration);
        most = fmax(most, runs[i].ns_per_particle_iteration);
        smallest = runs[i].particles < smallest ? runs[i].particles : smallest;
        largest = runs[i].particles > largest ? runs[i].particles : largest;
    }
    if (smallest >= largest)
        return true;
    report_ratio ratio = {.value = most / least};
    snprintf(ratio.key, sizeof ratio.key, "flatness_%" PRIu32 "_threads", threads);
    snprintf(ratio.text, sizeof ratio.text,
             "cost of a particle, highest to lowest of all sizes, threads: %" PRIu32, threads);
    return report_add_ratio(report, &ratio);
}

static bool add_speedup(bench_report *report, const report_run *run, const report_run *single)
{
    report_ratio ratio = {.value = single->ms_median / run->ms_median};
    snprintf(ratio.key, sizeof ratio.key, "speedup_%" PRIu32 "_threads_%" PRIu64, run->threads, run->particles);
    snprintf(ratio.text, sizeof ratio.text, "%" PRIu32 " threads against 1, particles: %" PRIu64, run->threads,
             run->particles);
    return report_add_ratio(report, &ratio);
}

static bool add_peer_ratio(bench_report *report, const report_run *run, const report_run *peer)
{
    report_ratio ratio = {.value = peer->ms_median / run->ms_median};
    snprintf(ratio.key, sizeof ratio.key, "against_%s_%" PRIu32 "_threads_%" PRIu64, peer->engine, run->threads,
             run->particles);
    snprintf(ratio.text, sizeof ratio.text, "against %s on 1 thread, particles: %" PRIu64 ", threads: %" PRIu32,
             PEER->name, run->particles, run->threads);
    return report_add_ratio(report, &ratio);
}

/* Each run of Mote against the one-thread run of its size, and against the peer's. */
static bool add_ratios(bench_report *report, size_t first_run, const bench_options *options)
{
    const report_run *runs = report->runs + first_run;
    size_t count = report->run_count - first_run;
    bench_list threads = bench_threads(options);
    bool added = true;
    for (size_t i = 0; i < threads.count; i++)
        added = added && add_flatness(report, runs, count, threads.values[i]);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            if (!is_mote(&runs[i]) || runs[i].particles != runs[j].particles)
                continue;
            if (!is_mote(&runs[j]))
                added = added && add_peer_ratio(report, &runs[i], &runs[j]);
            else if (runs[j].threads == 1 && runs[i].threads != 1)
                added = added && add_speedup(report, &runs[i], &runs[j]);
        }
    return added;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static bool report_race(column_race *race, bench_report *report)
{
    for (size_t i = 0; i < race->run_count; i++) {
        report_run run = column_report(&race->runs[i], race->name);
        if (!report_add_run(report, &run))
            return false;
    }
    if (race->peer == NULL)
        return true;
    report_run run = race->peer->report(race->peer_column, race->name);
    return report_add_run(report, &run);
}

/* The peer's size takes its place in the list, unless it is there. Answers where it is. */
static size_t insert_peer_size(bench_list *sizes)
{
    uint32_t largest = sizes->values[sizes->count - 1];
    uint32_t size = largest < PEER_PARTICLES ? largest : PEER_PARTICLES;
    size_t place = 0;
    while (sizes->values[place] < size)
        place++;
    if (sizes->values[place] != size) {
        for (size_t i = sizes->count++; i > place; --i)
            sizes->values[i] = sizes->values[i - 1];
        sizes->values[place] = size;
    }
    return place;
}

bool grains_bench(const bench_options *options, bench_report *report)
{
    bench_list sizes = race_sizes(options);
    size_t first_run = report->run_count, peer_place = PEER != NULL ? insert_peer_size(&sizes) : sizes.count;
    for (size_t i = 0; i < sizes.count; i++) {
        column_race column;
        bool done = race_run(&column, "grains", sizes.values[i], i == peer_place ? PEER : NULL, options) &&
                    report_race(&column, report);
        race_end(&column);
        if (!done)
            return false;
    }
    return add_ratios(report, first_run, options);
}
