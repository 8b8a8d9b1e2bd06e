/* Stretches in turn. Nobody waits for a worker, only for blocks that somebody has taken and is at: so it does not matter
 * whether a host's tasks run side by side, one after the other, or backwards.
 *
 * How far all are is not counted in one place, which every core would have to fetch and to write: each worker says how
 * many blocks it has done so far, and who waits adds them up. The sum cannot go beyond a turn's end before all of the
 * turn is done. */
#include "base/turns.h"

#include "base/blocks.h"

#include <sched.h>

#define BLOCK_BITS  16u
#define MOST_BLOCKS ((UINT64_C(1) << BLOCK_BITS) - 1)

/* Of one turn. */
typedef struct turn {
    uint32_t number; /* from 1 on */
    uint32_t begin, end, block, blocks;
} turn;

static turn turn_of(const mt_turns *t, uint32_t which)
{
    turn now = {.number = which + 1,
                .begin = which > 0 ? t->stretches[which - 1].end : 0,
                .end = t->stretches[which].end,
                .block = t->stretches[which].block};
    uint32_t count = now.end - now.begin;
    while (count / now.block >= MOST_BLOCKS)
        now.block *= 2;
    now.blocks = count / now.block + (count % now.block != 0);
    return now;
}

/* Runs blocks of a part until none is left; answers how many. */
static uint32_t run_part(mt_turns *t, const turn *now, uint32_t which, uint32_t worker)
{
    uint32_t first = (uint32_t)((uint64_t)now->blocks * which / t->workers);
    uint32_t size = (uint32_t)((uint64_t)now->blocks * (which + 1) / t->workers) - first, done = 0;
    const uint64_t untouched = (uint64_t)now->number << 2 * BLOCK_BITS;
    bool own = which == worker;
    for (;; done++) {
        uint32_t k = mt_take_block(&t->parts[which].taken, untouched, BLOCK_BITS, true, size, own);
        if (k == size)
            return done;
        uint32_t begin = now->begin + (first + (own ? k : size - 1 - k)) * now->block;
        t->task(t->context, begin, now->end - begin < now->block ? now->end : begin + now->block, worker);
    }
}

static uint32_t done_by_all(const mt_turns *t)
{
    uint32_t done = 0;
    for (uint32_t worker = 0; worker < t->workers; worker++)
        done += atomic_load_explicit(&t->parts[worker].done, memory_order_acquire);
    return done;
}

static void wait_for(const mt_turns *t, uint32_t blocks)
{
    for (uint32_t i = 0; done_by_all(t) < blocks; i++)
        if (i < t->spin_rounds)
            mt_pause();
        else
            sched_yield();
}

void mt_turns_init(mt_turns *t)
{
    for (uint32_t worker = 0; worker < t->workers; worker++) {
        atomic_init(&t->parts[worker].taken, 0);
        atomic_init(&t->parts[worker].done, 0);
    }
}

void mt_turns_run(mt_turns *t, uint32_t worker)
{
    _Atomic uint32_t *own = &t->parts[worker].done;
    uint32_t done = atomic_load_explicit(own, memory_order_relaxed), blocks = 0;
    for (uint32_t which = 0; which < t->count; which++) {
        turn now = turn_of(t, which);
        uint32_t before = done;
        for (uint32_t k = 0; k < t->workers; k++)
            done += run_part(t, &now, (worker + k) % t->workers, worker);
        if (done != before)
            atomic_store_explicit(own, done, memory_order_release);
        blocks += now.blocks;
        if (which + 1 < t->count)
            wait_for(t, blocks);
    }
}
