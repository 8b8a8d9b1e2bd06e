#define _GNU_SOURCE
#include "base/threads.h"

#include "base/error.h"
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

/* Blocks of a part are taken from its two ends: by its worker from the front, as memory likes it, and by those
 * who help it from behind, where they are not in its way. */
typedef struct loop_part {
    _Alignas(64) _Atomic uint64_t taken; /* blocks that its worker took, the others took, and in which call */
    _Atomic uint32_t done;               /* the call that its worker was done with last */
} loop_part;

#define HELPED_SHIFT 28u /* there are fewer blocks in a part */
#define CALL_SHIFT   56u
#define MOST_BLOCKS  ((UINT64_C(1) << HELPED_SHIFT) - 1)

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

/* Takes a block of a part that has so many; answers how many were taken from that end before, or `size`. */
static uint32_t take_block(loop_part *part, uint32_t call, uint32_t size, bool own)
{
    uint64_t seen = atomic_load_explicit(&part->taken, memory_order_relaxed), now;
    uint32_t first, last;
    do {
        now = is_of_call(seen, call) ? seen : untouched(call);
        first = (uint32_t)(now & MOST_BLOCKS);
        last = (uint32_t)(now >> HELPED_SHIFT & MOST_BLOCKS);
        if (first + last >= size)
            return size;
        now += own ? 1 : UINT64_C(1) << HELPED_SHIFT;
    } while (!atomic_compare_exchange_weak_explicit(&part->taken, &seen, now, memory_order_relaxed,
                                                    memory_order_relaxed));
    return own ? first : last;
}

/* Runs blocks of a part until none is left. */
static void run_part(loop *l, uint32_t call, uint32_t which, uint32_t worker)
{
    uint32_t first = (uint32_t)((uint64_t)l->blocks * which / l->workers);
    uint32_t size = (uint32_t)((uint64_t)l->blocks * (which + 1) / l->workers) - first;
    bool own = which == worker;
    for (;;) {
        uint32_t k = take_block(&l->parts[which], call, size, own);
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

/* ---- what loops cost -----------------------------------------------------------------------------------
 * A call of the pool and its answer take as long as a few cache lines take between cores, which is more than many
 * loops of small worlds take in all. So the time of an index is noted for each task, now and then, and a loop that is
 * expected to be short runs where it is called. It does the same there. */

#define COSTS       256u
#define WORTH       4e-6f /* s: a loop that takes less is not worth a call of the pool */
#define LOOK_SELDOM 15u   /* of so many calls, and one more, one is timed */

typedef struct loop_cost {
    mt_range_task *task;
    float seconds; /* of an index */
    uint32_t calls;
} loop_cost;

static loop_cost *cost_of(loop_cost *costs, mt_range_task *task)
{
    loop_cost *cost = &costs[((uintptr_t)task >> 4) * 0x9E3779B1u >> 8 & (COSTS - 1)];
    if (cost->task != task) /* the first time, or another has the same place */
        *cost = (loop_cost){.task = task};
    return cost;
}

static void note_cost(loop_cost *cost, double seconds, uint32_t count)
{
    float now = (float)(seconds / (double)count);
    cost->seconds = cost->seconds > 0 ? 0.5f * (cost->seconds + now) : now;
}

/* ---- the pool ------------------------------------------------------------------------------------------
 * A call raises its loop's number; a worker that sees it does its work and says so in its part. Workers spin
 * for a while before they sleep, because the loops of a step follow each other within microseconds. */

#define SPIN_ROUNDS 4000 /* 50 to 200 microseconds of pauses */

struct mt_pool {
    loop loop;
    uint32_t started;
    uint32_t spin_rounds;
    _Atomic uint32_t sleepers;
    _Atomic bool stopping;
    loop_cost costs[COSTS]; /* of who calls */
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    pthread_t handles[MT_MAX_WORKERS];
    struct pool_worker {
        mt_pool *pool;
        uint32_t index;
    } workers[MT_MAX_WORKERS];
};

static void wait_for_call(mt_pool *pool, uint32_t seen)
{
    for (uint32_t i = 0; i < pool->spin_rounds; i++) {
        if (atomic_load_explicit(&pool->loop.call, memory_order_acquire) != seen)
            return;
        mt_pause();
    }
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->sleepers, 1);
    while (atomic_load(&pool->loop.call) == seen)
        pthread_cond_wait(&pool->wake, &pool->mutex);
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->mutex);
}

static void *pool_thread(void *argument)
{
    struct pool_worker *worker = argument;
    mt_pool *pool = worker->pool;
    for (uint32_t call = 1;; call++) {
        wait_for_call(pool, call - 1);
        if (atomic_load_explicit(&pool->stopping, memory_order_relaxed))
            return NULL;
        run_worker(&pool->loop, worker->index);
        atomic_store_explicit(&pool->loop.parts[worker->index].done, call, memory_order_release);
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

static void wait_for_worker(mt_pool *pool, uint32_t worker, uint32_t call)
{
    const loop_part *part = &pool->loop.parts[worker];
    for (uint32_t i = 0; atomic_load_explicit(&part->done, memory_order_acquire) != call; i++) {
        if (i < pool->spin_rounds)
            mt_pause();
        else
            sched_yield();
    }
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

/* Runs a loop of so many indices in either way, and notes now and then what it takes. Where there are more workers than
 * cores they are not there for speed. */
static void run_where_it_pays(mt_pool *pool, uint32_t count, mt_range_task *task, loop_way *alone,
                              loop_way *by_all, void *way)
{
    loop_cost *cost = cost_of(pool->costs, task);
    bool is_short = pool->spin_rounds > 0 && cost->seconds > 0 && cost->seconds * (float)count < WORTH;
    bool timed = cost->seconds <= 0 || (cost->calls++ & LOOK_SELDOM) == 0;
    double start = timed ? mt_seconds() : 0;
    (is_short ? alone : by_all)(pool, way);
    if (timed)
        note_cost(cost, (mt_seconds() - start) * (is_short ? 1 : pool->loop.workers), count);
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
    turns.spin_rounds = threads->pool != NULL ? threads->pool->spin_rounds : SPIN_ROUNDS;
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
