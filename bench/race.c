#include "race.h"

#include "tools/command.h"

#include <inttypes.h>
#include <stdlib.h>

enum { DEFAULT_ROUNDS = 3, DEFAULT_FRAMES = 10, DEFAULT_FRAMES_LARGE = 5, LARGE = 500000 };

static bool begin(column_race *race, const bench_list *threads)
{
    bench_progress("%s: %" PRIu32 " particles, warming up", race->name, race->particles);
    column_start start;
    bool begun = column_warm_up(race->particles, &start);
    for (size_t i = 0; begun && i < threads->count; i++)
        begun = column_begin(&race->runs[race->run_count++], &start, threads->values[i]);
    column_start_free(&start);
    if (begun && race->peer != NULL) {
        bench_progress("%s: %" PRIu32 " particles in %s, warming up", race->name, race->particles,
                       race->peer->name);
        race->peer_column = race->peer->begin(race->particles);
        begun = race->peer_column != NULL;
    }
    return begun;
}

static bool run_round(column_race *race, uint32_t frames)
{
    for (size_t i = 0; i < race->run_count; i++)
        if (!column_measure(&race->runs[i], frames))
            return false;
    return race->peer == NULL || race->peer->measure(race->peer_column, frames);
}

/* The runs stepped the same column, so they must have come to the same bits. */
static bool agrees(const column_race *race)
{
    const mote_world *first = race->runs[0].world;
    for (size_t i = 1; i < race->run_count; i++) {
        const mote_world *other = race->runs[i].world;
        if (mote_world_hash(other) == mote_world_hash(first))
            continue;
        complain("bench: %s: %" PRIu32 " and %" PRIu32 " threads do not give the same state", race->name,
                 mote_world_thread_count(first), mote_world_thread_count(other));
        return false;
    }
    return true;
}

bool race_run(column_race *race, const char *name, uint32_t particles, const column_peer *peer,
              const bench_options *options)
{
    uint32_t rounds = options->repeat ? options->repeat : DEFAULT_ROUNDS;
    uint32_t frames = particles < LARGE ? DEFAULT_FRAMES : DEFAULT_FRAMES_LARGE;
    if (options->frames)
        frames = options->frames;

    *race = (column_race){.name = name, .particles = particles, .peer = peer};
    bench_list threads = bench_threads(options);
    bool done = begin(race, &threads);
    for (uint32_t i = 0; done && i < rounds; i++) {
        bench_progress("%s: %" PRIu32 " particles, round %" PRIu32 " of %" PRIu32, name, particles, i + 1,
                       rounds);
        done = run_round(race, frames);
    }
    return done && agrees(race);
}

void race_end(column_race *race)
{
    for (size_t i = 0; i < race->run_count; i++)
        column_end(&race->runs[i]);
    if (race->peer_column != NULL)
        race->peer->end(race->peer_column);
}

static int compare_sizes(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

bench_list race_sizes(const bench_options *options)
{
    bench_list sizes = options->particles;
    if (sizes.count == 0)
        sizes = (bench_list){{10000, 100000, 1000000}, 3};
    qsort(sizes.values, sizes.count, sizeof *sizes.values, compare_sizes);
    return sizes;
}
