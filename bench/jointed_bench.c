/* Jointed objects falling on a pile: Mote with several thread counts and a peer, a simulated second each by
 * turns, so that a slow minute of the machine hits everyone, in several rounds, of whose frames the medians
 * count; and what others have published. */
#include "pile.h"
#include "suite.h"

#include "tools/command.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#ifdef MOTE_WITH_BULLET
static const pile_peer *const PEER = &bullet_pile_peer;
#else
static const pile_peer *const PEER = NULL;
#endif

enum { DEFAULT_ROUNDS = 3 };

typedef struct pile_race {
    pile_plan plan;
    pile_run runs[BENCH_LIST_CAPACITY]; /* Mote, one for each thread count */
    size_t run_count;
    uint64_t hash; /* that a round ends with */
    void *peer_pile;
    pile_notes peer_notes;
} pile_race;

/* ---- the race ------------------------------------------------------------------------------------------- */

static bool begin(pile_race *race, const bench_list *threads)
{
    bool begun = true;
    race->run_count = threads->count;
    for (size_t i = 0; begun && i < threads->count; i++)
        begun = pile_begin(&race->runs[i], &race->plan, threads->values[i]);
    if (begun && PEER != NULL) {
        PEER->end(race->peer_pile); /* of the round before */
        race->peer_pile = PEER->begin(&race->plan, race->runs[0].world);
        begun = race->peer_pile != NULL;
    }
    return begun;
}

static bool run_round(pile_race *race, uint32_t round)
{
    const pile_plan *plan = &race->plan;
    for (uint32_t done = 0; done < plan->frames; done += PILE_RATE) {
        uint32_t frames = plan->frames - done < PILE_RATE ? plan->frames - done : PILE_RATE;
        bench_progress("%s: %" PRIu32 " objects, round %" PRIu32 " of %" PRIu32 ", frame %" PRIu32
                       " of %" PRIu32,
                       plan->name, plan->objects, round + 1, plan->rounds, done, plan->frames);
        for (size_t i = 0; i < race->run_count; i++)
            if (!pile_step(&race->runs[i], frames))
                return false;
        if (PEER != NULL && !PEER->step(race->peer_pile, frames, &race->peer_notes))
            return false;
    }
    return true;
}

/* The runs stepped the same pile, so they must have come to the same bits. */
static bool agrees(const pile_race *race)
{
    const mote_world *first = race->runs[0].world;
    for (size_t i = 1; i < race->run_count; i++)
        if (mote_world_hash(race->runs[i].world) != mote_world_hash(first)) {
            complain("bench: %s: %" PRIu32 " and %" PRIu32 " threads do not give the same state",
                     race->plan.name, mote_world_thread_count(first),
                     mote_world_thread_count(race->runs[i].world));
            return false;
        }
    return true;
}

static bool run_rounds(pile_race *race, const bench_list *threads)
{
    for (uint32_t i = 0; i < race->plan.rounds; i++) {
        if (!begin(race, threads) || !run_round(race, i) || !agrees(race))
            return false;
        uint64_t hash = mote_world_hash(race->runs[0].world);
        if (i > 0 && hash != race->hash) {
            complain("bench: %s: two rounds do not give the same state", race->plan.name);
            return false;
        }
        race->hash = hash;
    }
    for (size_t i = 0; i < race->run_count; i++)
        pile_fold(&race->runs[i], &race->plan);
    samples_fold(&race->peer_notes.frame_ms, race->plan.rounds);
    return true;
}

static void end(pile_race *race)
{
    for (size_t i = 0; i < race->run_count; i++)
        pile_end(&race->runs[i]);
    if (PEER != NULL)
        PEER->end(race->peer_pile);
    samples_free(&race->peer_notes.frame_ms);
}

/* ---- what follows from it ------------------------------------------------------------------------------- */

static bool add_ratio(bench_report *report, const report_pile *run, const report_pile *other)
{
    report_ratio ratio = {.value = run->busiest_rate / other->busiest_rate};
    snprintf(ratio.key, sizeof ratio.key, "%s_%" PRIu32 "_threads_%" PRIu32 "_against_%s", run->name,
             run->threads, run->objects, other->engine);
    snprintf(ratio.text, sizeof ratio.text,
             "%s, %" PRIu32 " objects: %" PRIu32 " threads against %s on %" PRIu32, run->name, run->objects,
             run->threads, other->engine, other->threads);
    return report_add_ratio(report, &ratio);
}

static bool add_results(const pile_race *race, bench_report *report)
{
    report_pile peer = {0}, single = {0};
    bool added = true;
    for (size_t i = 0; added && i < race->run_count; i++) {
        report_pile run = pile_report(&race->runs[i], &race->plan);
        added = report_add_pile(report, &run);
        if (run.threads == 1)
            single = run;
    }
    if (added && PEER != NULL) {
        peer = PEER->report(race->peer_pile, &race->plan);
        pile_report_notes(&race->peer_notes, &peer);
        added = report_add_pile(report, &peer);
    }
    for (size_t i = 0; added && i < race->run_count; i++) {
        report_pile run = pile_report(&race->runs[i], &race->plan);
        if (run.threads != 1 && single.busiest_rate > 0.0)
            added = add_ratio(report, &run, &single);
        if (added && peer.busiest_rate > 0.0)
            added = add_ratio(report, &run, &peer);
    }
    return added;
}

/* ---- figures of others ---------------------------------------------------------------------------------- */

typedef struct published_figure {
    const char *engine;
    uint32_t objects;
    double rate; /* frames a second */
} published_figure;

/* The processor of the first two was an i7-6800K; theirs is the engine of the paper about joints of shared
 * particles. */
static const published_figure PILE_FIGURES[] = {
    {"UE4 PhysX", 300, 195}, {"paper, Quadro P6000", 300, 273}, {"paper, GTX 1080", 300, 233},
    {"UE4 PhysX", 600, 95},  {"paper, Quadro P6000", 600, 133}, {"paper, GTX 1080", 600, 95},
    {"UE4 PhysX", 1200, 39}, {"paper, Quadro P6000", 1200, 40}, {"paper, GTX 1080", 1200, 36},
};

/* "Over 60". */
static const published_figure PAIRS_FIGURES[] = {{"paper, GTX 970", PAIRS_540_OBJECTS, 60}};

static bool add_published(bench_report *report, const char *name, uint32_t objects,
                          const published_figure *figures, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        report_pile row = {.name = name,
                           .engine = figures[i].engine,
                           .simd = "-",
                           .published = true,
                           .objects = figures[i].objects,
                           .busiest_rate = figures[i].rate};
        if (figures[i].objects == objects && !report_add_pile(report, &row))
            return false;
    }
    return true;
}

/* ---- the benchmarks ------------------------------------------------------------------------------------- */

static bool run_race(pile_race *race, const bench_options *options, bench_report *report)
{
    bench_list threads = bench_threads(options);
    if (options->frames > 0)
        race->plan.frames = options->frames;
    race->plan.rounds = options->repeat > 0 ? options->repeat : DEFAULT_ROUNDS;
    bench_begin(race->plan.name, race->plan.objects, race->plan.frames, race->plan.rounds);
    bool done = run_rounds(race, &threads) && add_results(race, report);
    end(race);
    return done;
}

/* Until the highest object has been down for two seconds, and at least until two seconds after the tenth. */
static uint32_t frames_of(jointed_object_def highest)
{
    double fall = sqrt(2.0 * (double)highest.center.y / 10.0);
    return PILE_RATE * (uint32_t)fmax(12.0, ceil(fall) + 2.0);
}

bool jointed_pile_bench(const bench_options *options, bench_report *report)
{
    bench_list sizes = options->objects;
    if (sizes.count == 0)
        sizes = (bench_list){{300, 600, 1200}, 3};
    bool done = true;
    for (size_t i = 0; done && i < sizes.count; i++) {
        uint32_t objects = sizes.values[i];
        pile_race race = {.plan = {.name = "jointed-pile",
                                   .objects = objects,
                                   .frames = frames_of(jointed_pile_object(objects - 1)),
                                   .build = jointed_pile_build,
                                   .object = jointed_pile_object,
                                   .block_count = JOINTED_PILE_BLOCKS}};
        done = run_race(&race, options, report) && add_published(report, race.plan.name, objects, PILE_FIGURES,
                                                                 sizeof PILE_FIGURES / sizeof PILE_FIGURES[0]);
    }
    return done;
}

static mote_result build_pairs(mote_world *world, uint32_t objects)
{
    (void)objects;
    return pairs_540_build(world);
}

bool pairs_540_bench(const bench_options *options, bench_report *report)
{
    pile_race race = {.plan = {.name = "pairs-540",
                               .objects = PAIRS_540_OBJECTS,
                               .frames = frames_of(pairs_540_object(PAIRS_540_OBJECTS - 1)),
                               .build = build_pairs,
                               .object = pairs_540_object}};
    return run_race(&race, options, report) &&
           add_published(report, race.plan.name, PAIRS_540_OBJECTS, PAIRS_FIGURES, 1);
}
