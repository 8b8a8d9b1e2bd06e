/* A loop whose stretches are run one after the other, each by all workers: what a call of mt_parallel_in_turn is made of.
 * threads.c calls it for as many workers as there are. */
#ifndef MOTE_BASE_TURNS_H
#define MOTE_BASE_TURNS_H

#include "base/threads.h"

#include <stdatomic.h>

typedef struct mt_turn_part {
    _Alignas(
        64) _Atomic uint64_t taken; /* blocks of its worker's part of a stretch, and in which turn: blocks.h */
    _Alignas(64) _Atomic uint32_t done; /* blocks that its worker has done in all turns */
} mt_turn_part;

typedef struct mt_turns {
    const mt_stretch *stretches;
    uint32_t count, workers;
    uint32_t spin_rounds; /* of waiting before others may have the core */
    mt_range_task *task;
    void *context;
    mt_turn_part parts[MT_MAX_WORKERS];
} mt_turns;

/* Nobody has taken anything yet. Parts of who does not come are left as they are. */
void mt_turns_init(mt_turns *turns);

/* Takes part, as a worker, until the last stretch has no block left to take. Whoever does not come, or comes late, does
 * not hold up the others: they take its blocks. */
void mt_turns_run(mt_turns *turns, uint32_t worker);

#endif
