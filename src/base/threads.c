#define _GNU_SOURCE
#include "base/threads.h"

#include "base/error.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

/* ---- the pool ------------------------------------------------------------------------------------------
 * A call bumps `generation`; a worker that sees it runs its share and counts itself out of `pending`. Workers
 * spin for a while before they sleep, because the loops of a step follow each other within microseconds. */

#define SPIN_ROUNDS 4000 /* about 50 microseconds of pauses */

struct mt_pool {
    uint32_t count; /* threads, the caller included */
    uint32_t started;
    uint32_t spin_rounds;
    mote_task *task;
    void *context;
    uint32_t task_count;
    /* Who waits reads these all the time: each has a cache line of its own, so that writing the call or counting
     * out does not have to take the line away from a reader. */
    _Alignas(64) _Atomic uint32_t generation;
    _Alignas(64) _Atomic uint32_t pending;
    _Alignas(64) _Atomic uint32_t sleepers;
    _Atomic bool stopping;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    pthread_t handles[MT_MAX_WORKERS];
    struct pool_worker {
        mt_pool *pool;
        uint32_t index;
    } workers[MT_MAX_WORKERS];
};

static void pause_cpu(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void run_share(mt_pool *pool, uint32_t worker)
{
    for (uint32_t i = worker; i < pool->task_count; i += pool->count)
        pool->task(pool->context, i);
}

static void wait_for_call(mt_pool *pool, uint32_t seen)
{
    for (uint32_t i = 0; i < pool->spin_rounds; i++) {
        if (atomic_load_explicit(&pool->generation, memory_order_acquire) != seen)
            return;
        pause_cpu();
    }
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->sleepers, 1);
    while (atomic_load(&pool->generation) == seen)
        pthread_cond_wait(&pool->wake, &pool->mutex);
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->mutex);
}

static void *pool_thread(void *argument)
{
    struct pool_worker *worker = argument;
    mt_pool *pool = worker->pool;
    for (uint32_t seen = 0;; seen++) {
        wait_for_call(pool, seen);
        if (atomic_load(&pool->stopping))
            return NULL;
        run_share(pool, worker->index);
        atomic_fetch_sub_explicit(&pool->pending, 1, memory_order_release);
    }
}

static void announce(mt_pool *pool)
{
    atomic_fetch_add(&pool->generation, 1);
    if (atomic_load(&pool->sleepers) > 0) {
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->mutex);
    }
}

static void pool_run(void *user, mote_task *task, void *context, uint32_t count)
{
    mt_pool *pool = user;
    pool->task = task;
    pool->context = context;
    pool->task_count = count;
    atomic_store(&pool->pending, pool->count - 1);
    announce(pool);
    run_share(pool, 0);
    for (uint32_t i = 0; atomic_load_explicit(&pool->pending, memory_order_acquire) != 0; i++) {
        if (i < pool->spin_rounds)
            pause_cpu();
        else
            sched_yield();
    }
}

static void pool_stop(mt_pool *pool, mt_memory *memory)
{
    atomic_store(&pool->stopping, true);
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
    *pool = (mt_pool){.count = count};
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

static void run_here(void *user, mote_task *task, void *context, uint32_t count)
{
    (void)user;
    for (uint32_t i = 0; i < count; i++)
        task(context, i);
}

mote_result mt_threads_start(mt_threads *threads, mt_memory *memory, mote_task_system host, uint32_t count)
{
    *threads = (mt_threads){.tasks = host, .workers = 1};
    if (host.run != NULL) {
        threads->workers = host.worker_count > MT_MAX_WORKERS ? MT_MAX_WORKERS : host.worker_count;
        return MOTE_OK;
    }
    threads->tasks.run = run_here;
    if (count <= 1)
        return MOTE_OK;
    threads->pool = pool_start(memory, count);
    if (threads->pool == NULL)
        return mote_last_result();
    threads->tasks = (mote_task_system){.run = pool_run, .user = threads->pool, .worker_count = count};
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

/* ---- the parallel loop --------------------------------------------------------------------------------- */

typedef struct loop_part {
    _Alignas(64) _Atomic uint32_t next; /* the next block of this part that nobody has taken */
    uint32_t end;
} loop_part;

typedef struct loop {
    mt_range_task *task;
    void *context;
    uint32_t count, block, workers;
    loop_part parts[MT_MAX_WORKERS];
} loop;

static void run_worker(void *context, uint32_t worker)
{
    loop *l = context;
    for (uint32_t k = 0; k < l->workers; k++) {
        loop_part *part = &l->parts[(worker + k) % l->workers];
        for (;;) {
            uint32_t block = atomic_fetch_add_explicit(&part->next, 1, memory_order_relaxed);
            if (block >= part->end)
                break;
            uint32_t begin = block * l->block;
            uint32_t end = l->count - begin < l->block ? l->count : begin + l->block;
            l->task(l->context, begin, end, worker);
        }
    }
}

void mt_parallel_for(mt_threads *threads, uint32_t count, uint32_t block, mt_range_task *task, void *context)
{
    uint32_t blocks = count / block + (count % block != 0);
    if (threads->workers == 1 || blocks <= 1) {
        for (uint32_t begin = 0; begin < count; begin += block)
            task(context, begin, count - begin < block ? count : begin + block, 0);
        return;
    }
    loop l; /* most of its parts are never looked at: clearing them would take longer than a short loop */
    l.task = task;
    l.context = context;
    l.count = count;
    l.block = block;
    l.workers = threads->workers;
    for (uint32_t i = 0; i < l.workers; i++) {
        atomic_init(&l.parts[i].next, (uint32_t)((uint64_t)blocks * i / l.workers));
        l.parts[i].end = (uint32_t)((uint64_t)blocks * (i + 1) / l.workers);
    }
    threads->tasks.run(threads->tasks.user, run_worker, &l, l.workers);
}
