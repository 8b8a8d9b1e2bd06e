/* What the benchmarks found, and its two forms: tables for people, one JSON object for programs. */
#ifndef MOTE_BENCH_REPORT_H
#define MOTE_BENCH_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REPORT_STAGE_CAPACITY = 32, REPORT_RATIO_TEXT = 96 };

typedef struct report_stage {
    const char *name;
    double ms; /* mean of the measured frames */
} report_stage;

/* One engine running one scene at one size. */
typedef struct report_run {
    const char *name;    /* of the benchmark */
    const char *subject; /* what the times are of */
    const char *engine;  /* "mote" or a peer's name */
    const char *simd;
    uint64_t particles;
    uint32_t threads;
    uint32_t frames;                  /* measured, all rounds together */
    double ms_median, ms_p95;         /* of a frame */
    double ns_per_particle_iteration; /* median / particles / (substeps x iterations) */
    size_t stage_count;
    report_stage stages[REPORT_STAGE_CAPACITY];
    double radius;                /* of the particles, m: what penetration compares to */
    double max_penetration;       /* deepest overlap after any measured frame, m */
    double residual_per_particle; /* mean over the frames of the sum of overlaps, m */
    uint64_t memory;              /* bytes; 0: not known */
} report_run;

/* One thing that the machine can do. */
typedef struct report_limit {
    const char *measure; /* "triad", "latency", ... */
    const char *simd;
    uint64_t bytes;      /* of memory touched; 0: none */
    uint64_t operations; /* a pass */
    uint32_t threads, passes;
    double value;             /* of the median pass, in `unit` */
    const char *unit;         /* "GB/s", "GFLOP/s", "ns" */
    double ms_median, ms_p95; /* of a pass */
} report_limit;

/* One engine with one pile of jointed objects, or what others have published of theirs. */
typedef struct report_pile {
    const char *name;   /* of the benchmark */
    const char *engine; /* "mote", a peer's name, or whose figure it is */
    const char *simd;
    bool published; /* only engine, objects and busiest_rate are known */
    uint32_t objects, bodies, joints;
    uint64_t particles;                      /* 0: of boxes, not particles */
    uint32_t threads, frames, rounds;        /* a frame's time is the median over the rounds */
    uint32_t busiest_frame;                  /* where the slowest two seconds begin */
    double busiest_rate, late_rate;          /* frames a second in these, and in the two after ten; 0: none */
    double gap_mean, gap_largest, gap_worst; /* of joints, m: at the end; the worst after any second */
    size_t stage_count;
    report_stage stages[REPORT_STAGE_CAPACITY]; /* of the busiest frames */
} report_pile;

/* A liquid in one engine at one size, or what others took for theirs on another machine. */
typedef struct report_fluid {
    const char *engine; /* "mote", or whose figure it is */
    const char *simd;
    bool published; /* only the engine, sizes, settings, times and neighbours are known */
    uint64_t particles;
    uint32_t threads;
    uint32_t rate; /* steps a simulated second; 0: not known */
    uint32_t substeps, iterations;
    uint32_t first_frame, frames;      /* where measuring began; how many, all rounds together */
    double ms_best, ms_median, ms_p95; /* of a step; what others do on the machine can only add to the best */
    double ns_per_particle_iteration;  /* median / particles / (substeps x iterations) */
    double ns_best;                    /* the same of the best step */
    double ns_per_pair;                /* the same over the neighbours, so each pair counts twice */
    double neighbors;                  /* mean number within four radii */
    double seconds_per_second;         /* of the median step, a simulated second */
    double density_mean, density_largest; /* what there is too much, in rest densities */
    size_t stage_count;
    report_stage stages[REPORT_STAGE_CAPACITY];
    uint64_t memory; /* bytes */
} report_fluid;

/* What follows from several runs: "two threads against one at 10,000 particles", 1.8. */
typedef struct report_ratio {
    char key[REPORT_RATIO_TEXT];  /* "speedup-2-threads-10000" */
    char text[REPORT_RATIO_TEXT]; /* for people */
    double value;
} report_ratio;

typedef struct bench_report {
    report_run *runs;
    size_t run_count;
    report_limit *limits;
    size_t limit_count;
    report_pile *piles;
    size_t pile_count;
    report_fluid *fluids;
    size_t fluid_count;
    report_ratio *ratios;
    size_t ratio_count;
} bench_report;

/* Start with an empty report, {0}. All say so on stderr and answer false when there is no memory. */
bool report_add_run(bench_report *report, const report_run *run);
bool report_add_limit(bench_report *report, const report_limit *limit);
bool report_add_pile(bench_report *report, const report_pile *pile);
bool report_add_fluid(bench_report *report, const report_fluid *fluid);
bool report_add_ratio(bench_report *report, const report_ratio *ratio);
void report_free(bench_report *report);

/* Both print to stdout. */
void report_print_tables(const bench_report *report);
bool report_print_json(const bench_report *report);

/* The CPU's name as the system gives it; "unknown" if it does not. */
const char *report_cpu_name(void);

#endif
