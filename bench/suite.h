/* The benchmarks, and what one can ask of them. */
#ifndef MOTE_BENCH_SUITE_H
#define MOTE_BENCH_SUITE_H

#include "report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a user may give, and one place more for what a benchmark adds by itself. */
enum { BENCH_LIST_LIMIT = 16, BENCH_LIST_CAPACITY = BENCH_LIST_LIMIT + 1 };

/* A list of numbers from the command line; empty: the benchmark's own default. */
typedef struct bench_list {
    uint32_t values[BENCH_LIST_CAPACITY];
    size_t count;
} bench_list;

typedef struct bench_options {
    bench_list particles;
    bench_list objects; /* jointed ones */
    bench_list threads;
    uint32_t repeat;                     /* rounds; 0: the benchmark's own default */
    uint32_t frames;                     /* measured frames a round; 0: the benchmark's own default */
    uint32_t rate, substeps, iterations; /* of the solver; 0: the benchmark's own default */
} bench_options;

/* Runs and adds what it found to the report. On failure it has said why on stderr. */
typedef bool bench_function(const bench_options *options, bench_report *report);

enum { TAKES_PARTICLES = 1, TAKES_OBJECTS = 2, TAKES_FRAMES = 4, TAKES_ROUNDS = 8, TAKES_SOLVER = 16 };

typedef struct benchmark {
    const char *name;
    const char *title; /* one line for people */
    uint32_t takes;    /* which options mean something: TAKES_PARTICLES | ... */
    bool only_by_name; /* takes minutes: not among all */
    bench_function *run;
} benchmark;

bench_function grains_bench;       /* the falling column, several sizes, beside Bullet */
bench_function neighbors_bench;    /* only the search for neighbours */
bench_function shapes_bench;       /* many shapes against one plane */
bench_function jointed_pile_bench; /* jointed objects on a pile, beside Bullet */
bench_function pairs_540_bench;    /* 270 pairs of long bodies, beside Bullet */
bench_function dam_break_bench;    /* a column of liquid that collapses, several sizes */
bench_function locality_bench;     /* a drop of water far from jointed objects */
bench_function machine_bench;      /* memory, arithmetic and cores */

/* The list that the user gave, or 1 and 2 threads (1 alone on a single core). */
bench_list bench_threads(const bench_options *options);

/* A line about what is going on, on a terminal only. */
void bench_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A line on a stderr that is no terminal: a part of a benchmark that takes a minute or more begins. */
void bench_begin(const char *name, uint32_t objects, uint32_t frames, uint32_t rounds);

#endif
