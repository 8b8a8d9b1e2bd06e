/* What loops cost alone and by all workers, and so which of the two is taken. It is a matter of time only: what a loop
 * computes is the same. */
#ifndef MOTE_BASE_LOOP_COSTS_H
#define MOTE_BASE_LOOP_COSTS_H

#include "base/threads.h"

#define MT_LOOP_COSTS 256u

/* Seconds of an index: the mean of those that were timed in the last period in which some were. */
typedef struct mt_loop_time {
    float mean; /* 0: none yet */
    float sum;  /* of this period, so far */
    uint32_t count;
} mt_loop_time;

typedef struct mt_loop_cost {
    mt_range_task *task;
    mt_loop_time alone, by_all;
    uint32_t calls;
    bool prefers_alone;
} mt_loop_cost;

/* Of one call. */
typedef struct mt_loop_choice {
    mt_loop_cost *cost;
    bool alone, timed;
} mt_loop_choice;

/* How a loop of so many indices is to be run. */
mt_loop_choice mt_loop_choose(mt_loop_cost costs[MT_LOOP_COSTS], mt_range_task *task, uint32_t count);

/* What a timed one took. */
void mt_loop_took(const mt_loop_choice *choice, double seconds, uint32_t count);

#endif
