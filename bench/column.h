/* The scene `grains-column` in Mote, measured while it collapses. */
#ifndef MOTE_BENCH_COLUMN_H
#define MOTE_BENCH_COLUMN_H

#include "mote/mote.h"
#include "report.h"
#include "sampling.h"
#include "stepping.h"

/* The column is 50 rows high. Its foot hits the floor after 9 frames; from about frame 40 on most of it is in
 * the crush or flows out, and until frame 90 its top is still falling: these are the busiest frames. */
enum { COLUMN_BUSY_FRAME = 40 };

/* The column just before its busiest frames, from which worlds with any number of threads can go on: the bits
 * are the same for all. */
typedef struct column_start {
    uint32_t asked; /* particles asked for; the scene may make a few less */
    float dt;       /* s a frame */
    kept_state state;
} column_start;

/* One world and what was measured of it. */
typedef struct column_run {
    mote_world *world;
    float dt;
    sample_set frame_ms;                    /* of whole steps */
    sample_set search_ms;                   /* of one making of the neighbour lists, sort included */
    double stage_ms[REPORT_STAGE_CAPACITY]; /* sums */
    double max_penetration;                 /* m */
    double residual_sum;                    /* m */
    size_t memory;                          /* bytes, the most after any frame */
} column_run;

/* All of these say on stderr what went wrong before they answer false. */

/* The column as it stands before the first frame. */
bool column_create(uint32_t particles, uint32_t threads, mote_world **world, float *dt);

/* Warms up with all cores. */
bool column_warm_up(uint32_t particles, column_start *start);
void column_start_free(column_start *start);

bool column_begin(column_run *run, const column_start *start, uint32_t threads);
bool column_measure(column_run *run, uint32_t frames);
void column_end(column_run *run);

/* What was measured so far; the name and the times of the benchmark are the whole step's. */
report_run column_report(column_run *run, const char *name);

#endif
