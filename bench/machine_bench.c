/* What the machine allows: the roof over every other number. Medians of several passes each. */
#include "machine_kernels.h"
#include "suite.h"
#include "team.h"
#include "tools/command.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { DEFAULT_PASSES = 25, CACHE_LINE = 64 };
#define KIB ((size_t)1024)
#define MIB (1024 * KIB)

/* Keeps results alive, so that no loop is optimised away. */
static volatile float float_sink;
static void *volatile pointer_sink;

/* Times the work and adds a line to the report. `amount` is what a pass does in the unit's own count: bytes for
 * GB/s, operations for GFLOP/s; for ns it is the count that the time is divided by. */
static bool measure(report_limit limit, double amount, team_work *prepare, team_work *work, void *context,
                    bench_report *report)
{
    bench_progress("machine: %s, %u thread%s", limit.measure, limit.threads, limit.threads == 1 ? "" : "s");
    sample_set times_ms = {0};
    if (!team_run(limit.threads, limit.passes, prepare, work, context, &times_ms)) {
        complain("bench: cannot run %u threads", limit.threads);
        samples_free(&times_ms);
        return false;
    }
    limit.ms_median = samples_median(&times_ms);
    limit.ms_p95 = samples_quantile(&times_ms, 0.95);
    bool is_time = limit.unit[0] == 'n';
    limit.value = is_time ? 1e6 * limit.ms_median / amount : 1e-6 * amount / limit.ms_median;
    samples_free(&times_ms);
    return report_add_limit(report, &limit);
}

static void *allocate(size_t bytes)
{
    void *block = aligned_alloc(CACHE_LINE, bytes);
    if (block == NULL)
        complain("bench: no memory for %zu bytes", bytes);
    return block;
}

/* ---- triad: a = b + s c, three streams ------------------------------------------------------------------- */

typedef struct triad {
    const machine_kernels *kernels;
    float *a, *b, *c;
    size_t count;  /* floats an array */
    size_t sweeps; /* a pass: small sets need many to be timed at all */
} triad;

/* Threads share the arrays in blocks of 16 floats, so that no cache line belongs to two. */
static size_t triad_share(size_t count, uint32_t member, uint32_t size)
{
    return count / 16 * member / size * 16;
}

static void triad_prepare(void *context, uint32_t member, uint32_t size)
{
    triad *self = context;
    for (size_t i = triad_share(self->count, member, size); i < triad_share(self->count, member + 1, size);
         i++) {
        self->a[i] = 0.0f;
        self->b[i] = 1.0f;
        self->c[i] = 2.0f;
    }
}

static void triad_pass(void *context, uint32_t member, uint32_t size)
{
    triad *self = context;
    size_t begin = triad_share(self->count, member, size), end = triad_share(self->count, member + 1, size);
    for (size_t i = 0; i < self->sweeps; i++) {
        self->kernels->triad(self->a + begin, self->b + begin, self->c + begin, 0.5f, end - begin);
        float_sink = self->a[begin];
    }
}

/* `bytes` are those of all three arrays. Writing also reads the line first; that is not counted, as usual. */
static bool measure_triad(size_t bytes, uint32_t threads, uint32_t passes, bench_report *report)
{
    size_t kernels_count, array = bytes / 3;
    const machine_kernels *kernels = machine_kernels_list(&kernels_count) + kernels_count - 1;
    float *memory = allocate(3 * array);
    if (memory == NULL)
        return false;
    size_t count = array / sizeof(float), sweeps = 192 * MIB / bytes;
    triad context = {kernels, memory, memory + count, memory + 2 * count, count, sweeps};
    report_limit limit = {.measure = "triad",
                          .simd = mote_simd_name(kernels->level),
                          .bytes = bytes,
                          .operations = count * sweeps,
                          .threads = threads,
                          .passes = passes,
                          .unit = "GB/s"};
    bool done = measure(limit, (double)bytes * (double)sweeps, triad_prepare, triad_pass, &context, report);
    free(memory);
    return done;
}

/* ---- multiplications and additions in registers -----------------------------------------------------------
 */

typedef struct multiply_add {
    const machine_kernels *kernels;
    size_t rounds;
} multiply_add;

static void multiply_add_pass(void *context, uint32_t member, uint32_t size)
{
    (void)member;
    (void)size;
    multiply_add *self = context;
    float_sink = self->kernels->multiply_add(self->rounds, 0.999f, 0.001f);
}

static bool measure_multiply_add(const machine_kernels *kernels, uint32_t threads, uint32_t passes,
                                 bench_report *report)
{
    multiply_add context = {kernels, 1000 * 1000};
    uint64_t operations = 2ull * kernels->lanes * MACHINE_CHAINS * context.rounds * threads;
    report_limit limit = {.measure = "multiply-add",
                          .simd = mote_simd_name(kernels->level),
                          .operations = operations,
                          .threads = threads,
                          .passes = passes,
                          .unit = "GFLOP/s"};
    return measure(limit, (double)operations, multiply_add_pass, multiply_add_pass, &context, report);
}

/* ---- latency: each load says where the next one is ----------------------------------------------------------
 */

typedef struct chase_node {
    struct chase_node *next;
    char rest_of_line[CACHE_LINE - sizeof(void *)];
} chase_node;

typedef struct chase {
    chase_node *nodes;
    size_t node_count, hops;
} chase;

/* Links all nodes into one cycle in random order: Sattolo's shuffle, with a small generator of its own. */
static void chase_prepare(void *context, uint32_t member, uint32_t size)
{
    (void)member;
    (void)size;
    chase *self = context;
    uint64_t random = 88172645463325252ull;
    for (size_t i = 0; i < self->node_count; i++)
        self->nodes[i].next = &self->nodes[i];
    for (size_t i = self->node_count - 1; i > 0; --i) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        size_t j = (size_t)(random % i);
        chase_node *next = self->nodes[i].next;
        self->nodes[i].next = self->nodes[j].next;
        self->nodes[j].next = next;
    }
}

static void chase_pass(void *context, uint32_t member, uint32_t size)
{
    (void)member;
    (void)size;
    chase *self = context;
    chase_node *node = self->nodes;
    for (size_t i = 0; i < self->hops; i++)
        node = node->next;
    self->nodes = node; /* the next pass goes on from here */
    pointer_sink = node;
}

static bool measure_latency(size_t bytes, uint32_t passes, bench_report *report)
{
    chase_node *memory = allocate(bytes);
    if (memory == NULL)
        return false;
    chase context = {memory, bytes / CACHE_LINE, 100 * 1000};
    report_limit limit = {.measure = "latency",
                          .simd = "scalar",
                          .bytes = bytes,
                          .operations = context.hops,
                          .threads = 1,
                          .passes = passes,
                          .unit = "ns"};
    bool done = measure(limit, (double)context.hops, chase_prepare, chase_pass, &context, report);
    free(memory);
    return done;
}

/* ---- round trip of a cache line between two threads
 * ---------------------------------------------------------- */

typedef struct ping_pong {
    _Alignas(2 * CACHE_LINE) atomic_uint turn; /* even: the first thread's */
    uint32_t trips;
} ping_pong;

static void ping_pong_pass(void *context, uint32_t member, uint32_t size)
{
    (void)size;
    ping_pong *self = context;
    for (uint32_t i = 0; i < self->trips; i++) {
        while ((atomic_load_explicit(&self->turn, memory_order_acquire) & 1) != member)
            ;
        atomic_fetch_add_explicit(&self->turn, 1, memory_order_release);
    }
}

static bool measure_round_trip(uint32_t passes, bench_report *report)
{
    ping_pong context = {.trips = 10 * 1000};
    report_limit limit = {.measure = "round trip",
                          .simd = "scalar",
                          .bytes = CACHE_LINE,
                          .operations = context.trips,
                          .threads = 2,
                          .passes = passes,
                          .unit = "ns"};
    return measure(limit, context.trips, NULL, ping_pong_pass, &context, report);
}

/* ---- the whole ----------------------------------------------------------------------------------------------
 */

/* The user's list, or one thread and all cores. */
static bench_list machine_threads(const bench_options *options)
{
    bench_list list = options->threads;
    if (list.count == 0) {
        list.values[list.count++] = 1;
        if (mote_core_count() > 1)
            list.values[list.count++] = mote_core_count();
    }
    return list;
}

static bool measure_throughput(uint32_t threads, uint32_t passes, bench_report *report)
{
    /* From memory; from the last cache; from the core's own. */
    const size_t sets[] = {192 * MIB, 12 * MIB, 768 * KIB};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (!measure_triad(sets[i], threads, passes, report))
            return false;

    size_t count;
    const machine_kernels *kernels = machine_kernels_list(&count);
    for (size_t i = 0; i < count; i++)
        if (!measure_multiply_add(&kernels[i], threads, passes, report))
            return false;
    return true;
}

bool machine_bench(const bench_options *options, bench_report *report)
{
    uint32_t passes = options->repeat ? options->repeat : DEFAULT_PASSES;
    bench_list threads = machine_threads(options);
    for (size_t i = 0; i < threads.count; i++)
        if (!measure_throughput(threads.values[i], passes, report))
            return false;

    const size_t sets[] = {16 * KIB, 256 * KIB, 1 * MIB, 2 * MIB, 4 * MIB, 6 * MIB, 16 * MIB, 64 * MIB};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (!measure_latency(sets[i], passes, report))
            return false;

    /* On a single core the threads would wait for the scheduler, not for the line. */
    return mote_core_count() < 2 || measure_round_trip(passes, report);
}
