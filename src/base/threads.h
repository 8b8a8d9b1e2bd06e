/* Threads: a pool of the world's own, or the host's task system, behind one parallel loop. What a loop computes
 * never depends on how many threads there are: each index writes only its own place. */
#ifndef MOTE_BASE_THREADS_H
#define MOTE_BASE_THREADS_H

#include "base/memory.h"

#define MT_MAX_WORKERS 64

typedef struct mt_pool mt_pool;

typedef struct mt_threads {
    mote_task_system host; /* without a function if threads are the pool's */
    uint32_t workers;      /* 1 .. MT_MAX_WORKERS */
    mt_pool *pool;         /* NULL with a task system of the host, or with one worker */
} mt_threads;

mote_result mt_threads_start(mt_threads *threads, mt_memory *memory, mote_task_system host, uint32_t count);
void mt_threads_stop(mt_threads *threads, mt_memory *memory);

/* Called with pieces [begin, end) of a loop; begin is a multiple of the block. `worker` is below the number of
 * workers and tells apart calls that may run at the same time. */
typedef void mt_range_task(void *context, uint32_t begin, uint32_t end, uint32_t worker);

/* Cuts [0, count) into blocks and runs them all. Every worker starts in its own contiguous part, so that a loop
 * finds in its cache what the loop before left there; who is done early takes blocks from the others. */
void mt_parallel_for(mt_threads *threads, uint32_t count, uint32_t block, mt_range_task *task, void *context);

/* A stretch of a loop: from where the one before ends, in blocks. */
typedef struct mt_stretch {
    uint32_t end, block;
} mt_stretch;

/* Runs stretches one after the other: none of a stretch begins before all of the one before is done. Pieces are within a
 * stretch, and no longer than its block where there is more than one worker. It is one call of the pool for all, where a
 * loop for each would be as many; a worker has the same part of every stretch, as far as they are alike. */
void mt_parallel_in_turn(mt_threads *threads, const mt_stretch *stretches, uint32_t count, mt_range_task *task,
                         void *context);

static inline void mt_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
