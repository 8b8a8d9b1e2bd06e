/* Loops of the pool: every index once, stretches in their order, however late workers are; and the way that takes less is
 * the one that is taken. */
#include "support.h"

#include "base/loop_costs.h"
#include "base/threads.h"

#include <stdatomic.h>
#include <string.h>

enum { INDICES = 300, CALLS = TEST_BY_BUILD(20000, 4000, 2000), STRETCHES = 4 };

typedef struct counting {
    uint32_t times[INDICES]; /* that an index was run; each by one worker at a time */
    uint32_t before[STRETCHES + 1];
    _Atomic uint32_t done[STRETCHES]; /* indices of a stretch */
    _Atomic bool early;               /* some stretch began before the one before was done */
} counting;

static void count_range(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    counting *c = context;
    (void)worker;
    for (uint32_t i = begin; i < end; i++)
        c->times[i]++;
}

static void count_in_turn(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    counting *c = context;
    uint32_t s = 0;
    while (begin >= c->before[s + 1])
        s++;
    if (s > 0 && atomic_load(&c->done[s - 1]) != c->before[s] - c->before[s - 1])
        atomic_store(&c->early, true);
    count_range(context, begin, end, worker);
    atomic_fetch_add(&c->done[s], end - begin);
}

static void with_memory(void (*then)(mt_memory *memory, uint32_t workers))
{
    static const uint32_t workers[] = {2, 3, 5};
    for (size_t k = 0; k < sizeof workers / sizeof workers[0]; k++) {
        mt_memory memory = mt_memory_make((mote_allocator){0});
        then(&memory, workers[k]);
    }
}

static void run_short_loops(mt_memory *memory, uint32_t workers)
{
    counting c = {.early = false};
    mt_threads threads;
    check_true(mt_threads_start(&threads, memory, (mote_task_system){0}, workers) == MOTE_OK, "%u workers",
               workers);
    for (uint32_t call = 0; call < CALLS; call++)
        mt_parallel_for(&threads, 1 + call % INDICES, 1 + call % 7, count_range, &c);
    mt_threads_stop(&threads, memory);
    for (uint32_t i = 0; i < INDICES; i++) {
        uint32_t whole = CALLS / INDICES, rest = CALLS % INDICES, expected = whole * (INDICES - i);
        expected += rest > i ? rest - i : 0;
        check_true(c.times[i] == expected, "%u workers: index %u was run %u times, not %u", workers, i,
                   c.times[i], expected);
    }
}

static void short_loops(void **state)
{
    (void)state;
    with_memory(run_short_loops);
}

static void run_turns(mt_memory *memory, uint32_t workers)
{
    counting c = {.before = {0, 100, 101, 140, INDICES}};
    const mt_stretch stretches[STRETCHES] = {{100, 3}, {101, 1}, {140, 39}, {INDICES, 8}};
    mt_threads threads;
    check_true(mt_threads_start(&threads, memory, (mote_task_system){0}, workers) == MOTE_OK, "%u workers",
               workers);
    for (uint32_t call = 0; call < CALLS / 8; call++) {
        for (uint32_t s = 0; s < STRETCHES; s++)
            atomic_store(&c.done[s], 0);
        mt_parallel_in_turn(&threads, stretches, STRETCHES, count_in_turn, &c);
    }
    mt_threads_stop(&threads, memory);
    check_true(!atomic_load(&c.early), "%u workers: no stretch began early", workers);
    for (uint32_t i = 0; i < INDICES; i++)
        check_true(c.times[i] == CALLS / 8, "%u workers: index %u was run %u times", workers, i, c.times[i]);
}

static void turns(void **state)
{
    (void)state;
    with_memory(run_turns);
}

/* Of so many calls, how many were alone where a call takes so many seconds in the two ways. */
static uint32_t alone_of(mt_loop_cost *costs, uint32_t calls, double alone, double by_all)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < calls; k++) {
        mt_loop_choice choice = mt_loop_choose(costs, count_range, INDICES);
        count += choice.alone;
        if (choice.timed)
            mt_loop_took(&choice, choice.alone ? alone : by_all, INDICES);
    }
    return count;
}

static void the_better_way(void **state)
{
    (void)state;
    static mt_loop_cost costs[MT_LOOP_COSTS];
    memset(costs, 0, sizeof costs);
    alone_of(costs, 20, 10e-6, 6e-6);
    check_true(alone_of(costs, 2000, 10e-6, 6e-6) < 40, "by all is better, and alone is hardly tried");
    alone_of(costs, 2000, 10e-6, 20e-6);
    check_true(alone_of(costs, 2000, 10e-6, 20e-6) > 1960, "cores are far from each other now: alone");
    alone_of(costs, 2000, 10e-6, 6e-6);
    check_true(alone_of(costs, 2000, 10e-6, 6e-6) < 40, "and near again");
    alone_of(costs, 2000, 0.5e-6, 6e-6);
    check_true(alone_of(costs, 2000, 0.5e-6, 6e-6) == 2000, "what is very short is not tried by all");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_loops),
        cmocka_unit_test(turns),
        cmocka_unit_test(the_better_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
