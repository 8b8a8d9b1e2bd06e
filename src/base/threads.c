#define _GNU_SOURCE
#include "base/threads.h"

#include "base/blocks.h"
#include "base/error.h"
#include "base/loop_costs.h"
#include "base/timer.h"
#include "base/turns.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

/* ---- the parallel loop ---------------------------------------------------------------------------------
 * Loops are short, and what a core fetches from another one takes long. So all that tells a worker what to do
 * is in one cache line, which blocks are its own follows from that, and what it has taken of them stands in a
 * line of its own, which nobody has to make ready for it. */

typedef struct loop_part {
    _Alignas(64) _Atomic uint64_t taken; /* blocks, and in which call: blocks.h */
    _Atomic uint64_t state;              /* of the pool's worker: in which call, and how far it is */
} loop_part;

#define BLOCK_BITS 28u /* there are fewer blocks in a part */
#define CALL_SHIFT (2 * BLOCK_BITS)

typedef struct loop {
    _Alignas(64) _Atomic uint32_t call; /* counts them */
    uint32_t count, block, blocks, workers;
    mt_range_task *task;
    void *context;
    loop_part parts[MT_MAX_WORKERS];
} loop;

/* The part's count of a call, as long as nobody has taken anything. */
static uint64_t untouched(uint32_t call)
{
    return (uint64_t)call << CALL_SHIFT;
}

static bool is_of_call(uint64_t taken, uint32_t call)
{
    return (taken ^ untouched(call)) >> CALL_SHIFT == 0;
}

/* Every worker does so in every call, so that what it finds is of the call before, or of this one if somebody
 * was there earlier. */
static void open_part(loop_part *part, uint32_t call)
{
    uint64_t seen = atomic_load_explicit(&part->taken, memory_order_relaxed);
    if (!is_of_call(seen, call))
        atomic_compare_exchange_strong_explicit(&part->taken, &seen, untouched(call), memory_order_relaxed,
                                                memory_order_relaxed);
}

/* Runs blocks of a part until none is left. */
static void run_part(loop *l, uint32_t call, uint32_t which, uint32_t worker)
{
    uint32_t first = (uint32_t)((uint64_t)l->blocks * which / l->workers);
    uint32_t size = (uint32_t)((uint64_t)l->blocks * (which + 1) / l->workers) - first;
    bool own = which == worker;
    for (;;) {
        uint32_t k = mt_take_block(&l->parts[which].taken, untouched(call), BLOCK_BITS, false, size, own);
        if (k == size)
            return;
        uint32_t begin = (first + (own ? k : size - 1 - k)) * l->block;
        l->task(l->context, begin, l->count - begin < l->block ? l->count : begin + l->block, worker);
    }
}

/* A worker's own part, then what the others have left. */
static void run_worker(void *context, uint32_t worker)
{
    loop *l = context;
    uint32_t call = atomic_load_explicit(&l->call, memory_order_relaxed), workers = l->workers;
    open_part(&l->parts[worker], call);
    for (uint32_t k = 0; k < workers; k++)
        run_part(l, call, (worker + k) % workers, worker);
}

/* All but the call's number. */
static void describe(loop *l, uint32_t count, uint32_t block, mt_range_task *task, void *context)
{
    l->count = count;
    l->block = block;
    l->blocks = count / block + (count % block != 0);
    l->task = task;
    l->context = context;
}

/* ---- the pool ------------------------------------------------------------------------------------------
 * A call raises its loop's number; a worker that sees it joins, does its work, and says so in its part. Who calls takes
 * what blocks others leave, and then waits only for those that have joined: a worker that comes later finds itself left
 * out. So a loop takes hardly longer than it would alone, however long it takes a worker to see it; another program may
 * have the worker's core. Workers spin for a while before they sleep, because the loops of a step follow each other
 * within microseconds. */

#define SPIN_ROUNDS 4000 /* 50 to 200 microseconds of pauses */
#define WAIT_ROUNDS 1000 /* of who waits for blocks that others are at */

enum { JOINED, DONE, LEFT_OUT };

#define STATE_BITS 2u

static uint64_t state_of(uint32_t call, uint64_t how_far)
{
    return (uint64_t)call << STATE_BITS | how_far;
}

/* Whether what a state says is of the call or of a later one. Calls may begin again at 0. */
static bool is_as_late(uint64_t state, uint32_t call)
{
    return (int32_t)((uint32_t)(state >> STATE_BITS) - call) >= 0;
}

struct mt_pool {
    loop loop;
    uint32_t started;
    uint32_t spin_rounds;
    _Atomic uint32_t sleepers;
    _Atomic bool stopping;
    mt_loop_cost costs[MT_LOOP_COSTS]; /* of who calls */
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    pthread_t handles[MT_MAX_WORKERS];
    struct pool_worker {
        mt_pool *pool;
        uint32_t index;
    } workers[MT_MAX_WORKERS];
};

/* Answers the number of the call that is now. */
static uint32_t wait_for_call(mt_pool *pool, uint32_t seen)
{
    uint32_t call;
    for (uint32_t i = 0; i < pool->spin_rounds; i++) {
        if ((call = atomic_load_explicit(&pool->loop.call, memory_order_acquire)) != seen)
            return call;
        mt_pause();
    }
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->sleepers, 1);
    while ((call = atomic_load(&pool->loop.call)) == seen)
        pthread_cond_wait(&pool->wake, &pool->mutex);
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->mutex);
    return call;
}

/* As long as it has neither joined nor been left out, who calls does not go on to the next call. */
static bool join(_Atomic uint64_t *state, uint32_t call)
{
    uint64_t seen = atomic_load_explicit(state, memory_order_relaxed);
    return !is_as_late(seen, call) &&
           atomic_compare_exchange_strong_explicit(state, &seen, state_of(call, JOINED), memory_order_acquire,
                                                   memory_order_relaxed);
}

static void *pool_thread(void *argument)
{
    struct pool_worker *worker = argument;
    mt_pool *pool = worker->pool;
    _Atomic uint64_t *state = &pool->loop.parts[worker->index].state;
    for (uint32_t call = 0;;) {
        call = wait_for_call(pool, call);
        if (atomic_load_explicit(&pool->stopping, memory_order_relaxed))
            return NULL;
        if (!join(state, call))
            continue;
        run_worker(&pool->loop, worker->index);
        atomic_store_explicit(state, state_of(call, DONE), memory_order_release);
    }
}

/* Answers the number of the call. */
static uint32_t announce(mt_pool *pool)
{
    uint32_t call = atomic_load_explicit(&pool->loop.call, memory_order_relaxed) + 1;
    atomic_store(&pool->loop.call, call);
    if (atomic_load(&pool->sleepers) > 0) {
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->mutex);
    }
    return call;
}

/* Leaves a worker out if it has not joined: then its part is as if it had opened it. */
static bool leave_out(loop_part *part, uint32_t call)
{
    uint64_t seen = atomic_load_explicit(&part->state, memory_order_relaxed);
    if (is_as_late(seen, call) ||
        !atomic_compare_exchange_strong_explicit(&part->state, &seen, state_of(call, LEFT_OUT),
                                                 memory_order_relaxed, memory_order_relaxed))
        return false;
    open_part(part, call);
    return true;
}

static void wait_for_worker(mt_pool *pool, uint32_t worker, uint32_t call)
{
    loop_part *part = &pool->loop.parts[worker];
    if (leave_out(part, call))
        return;
    uint32_t rounds = pool->spin_rounds < WAIT_ROUNDS ? pool->spin_rounds : WAIT_ROUNDS;
    for (uint32_t i = 0; atomic_load_explicit(&part->state, memory_order_acquire) != state_of(call, DONE); i++)
        if (i < rounds)
            mt_pause();
        else
            sched_yield();
}

static void pool_run(mt_pool *pool)
{
    uint32_t call = announce(pool);
    run_worker(&pool->loop, 0);
    for (uint32_t worker = 1; worker < pool->loop.workers; worker++)
        wait_for_worker(pool, worker, call);
}

static void pool_stop(mt_pool *pool, mt_memory *memory)
{
    atomic_store_explicit(&pool->stopping, true, memory_order_relaxed);
    announce(pool);
    for (uint32_t i = 0; i < pool->started; i++)
        pthread_join(pool->handles[i], NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    mt_release(memory, pool, sizeof *pool);
}

static mt_pool *pool_start(mt_memory *memory, uint32_t count)
{
    mt_pool *pool = mt_allocate(memory, sizeof *pool);
    if (pool == NULL)
        return NULL;
    memset(pool, 0, sizeof *pool);
    pool->loop.workers = count;
    pool->spin_rounds = count <= mote_core_count() ? SPIN_ROUNDS : 0; /* spinning would only steal time */
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    for (uint32_t i = 1; i < count; i++) {
        pool->workers[i] = (struct pool_worker){pool, i};
        if (pthread_create(&pool->handles[i - 1], NULL, pool_thread, &pool->workers[i]) != 0) {
            mt_fail(MOTE_ERROR_MEMORY, "thread %u of %u could not be started", i, count);
            pool_stop(pool, memory);
            return NULL;
        }
        pool->started++;
    }
    return pool;
}

/* ---- the two sources of threads ------------------------------------------------------------------------ */

mote_result mt_threads_start(mt_threads *threads, mt_memory *memory, mote_task_system host, uint32_t count)
{
    *threads = (mt_threads){.host = host, .workers = 1};
    if (host.run != NULL) {
        threads->workers = host.worker_count > MT_MAX_WORKERS ? MT_MAX_WORKERS : host.worker_count;
        return MOTE_OK;
    }
    if (count <= 1)
        return MOTE_OK;
    threads->pool = pool_start(memory, count);
    if (threads->pool == NULL)
        return mote_last_result();
    threads->workers = count;
    return MOTE_OK;
}

void mt_threads_stop(mt_threads *threads, mt_memory *memory)
{
    if (threads->pool != NULL)
        pool_stop(threads->pool, memory);
    *threads = (mt_threads){0};
}

uint32_t mote_core_count(void)
{
#if defined(__linux__)
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 0)
        return (uint32_t)CPU_COUNT(&allowed);
#endif
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (uint32_t)cores : 1;
}

/* With the host's threads: the loop is on the stack of who calls. */
static void run_on_host(const mt_threads *threads, uint32_t count, uint32_t block, mt_range_task *task,
                        void *context)
{
    loop l; /* most of its parts are never looked at: clearing them would take longer than a short loop */
    describe(&l, count, block, task, context);
    l.workers = threads->workers;
    atomic_init(&l.call, 1);
    for (uint32_t i = 0; i < l.workers; i++)
        atomic_init(&l.parts[i].taken, untouched(0));
    threads->host.run(threads->host.user, run_worker, &l, l.workers);
}

/* A loop, run alone or by all workers of a pool. */
typedef void loop_way(mt_pool *pool, void *way);

static void run_here(uint32_t count, uint32_t block, mt_range_task *task, void *context)
{
    for (uint32_t begin = 0; begin < count; begin += block)
        task(context, begin, count - begin < block ? count : begin + block, 0);
}

/* Runs a loop of so many indices in the way that takes less. Where there are more workers than cores they are not there
 * for speed. */
static void run_where_it_pays(mt_pool *pool, uint32_t count, mt_range_task *task, loop_way *alone,
                              loop_way *by_all, void *way)
{
    if (pool->spin_rounds == 0) {
        by_all(pool, way);
        return;
    }
    mt_loop_choice choice = mt_loop_choose(pool->costs, task, count);
    double start = choice.timed ? mt_seconds() : 0;
    (choice.alone ? alone : by_all)(pool, way);
    if (choice.timed)
        mt_loop_took(&choice, mt_seconds() - start, count);
}

/* ---- the plain loop */

typedef struct plain_loop {
    uint32_t count, block;
    mt_range_task *task;
    void *context;
} plain_loop;

static void run_plain_alone(mt_pool *pool, void *way)
{
    const plain_loop *l = way;
    (void)pool;
    run_here(l->count, l->block, l->task, l->context);
}

static void run_plain_by_all(mt_pool *pool, void *way)
{
    const plain_loop *l = way;
    describe(&pool->loop, l->count, l->block, l->task, l->context);
    pool_run(pool);
}

void mt_parallel_for(mt_threads *threads, uint32_t count, uint32_t block, mt_range_task *task, void *context)
{
    if (threads->workers == 1 || count <= block) {
        run_here(count, block, task, context);
        return;
    }
    if (threads->pool == NULL) {
        run_on_host(threads, count, block, task, context);
        return;
    }
    plain_loop plain = {count, block, task, context};
    run_where_it_pays(threads->pool, count, task, run_plain_alone, run_plain_by_all, &plain);
}

/* ---- stretches in turn: a loop over workers, each of which goes through all stretches -------------------- */

static void run_turns_here(const mt_turns *t)
{
    for (uint32_t k = 0, begin = 0; k < t->count; begin = t->stretches[k++].end)
        if (t->stretches[k].end > begin)
            t->task(t->context, begin, t->stretches[k].end, 0);
}

static void run_turns_alone(mt_pool *pool, void *way)
{
    (void)pool;
    run_turns_here(way);
}

static void take_turns(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    (void)begin;
    (void)end;
    mt_turns_run(context, worker);
}

static void run_turns_by_all(mt_pool *pool, void *way)
{
    describe(&pool->loop, pool->loop.workers, 1, take_turns, way);
    pool_run(pool);
}

void mt_parallel_in_turn(mt_threads *threads, const mt_stretch *stretches, uint32_t count, mt_range_task *task,
                         void *context)
{
    mt_turns turns; /* most of its parts are never looked at */
    turns.stretches = stretches;
    turns.count = count;
    turns.workers = threads->workers;
    turns.spin_rounds = threads->pool != NULL && threads->pool->spin_rounds == 0 ? 0 : WAIT_ROUNDS;
    turns.task = task;
    turns.context = context;
    uint32_t indices = count > 0 ? stretches[count - 1].end : 0;
    if (threads->workers == 1 || indices == 0) {
        run_turns_here(&turns);
        return;
    }
    mt_turns_init(&turns);
    if (threads->pool == NULL)
        run_on_host(threads, threads->workers, 1, take_turns, &turns);
    else
        run_where_it_pays(threads->pool, indices, task, run_turns_alone, run_turns_by_all, &turns);
}
