/* Threads: the library's own pool and the host's task systems give the same bits, frame by frame, and worlds do
 * not know of each other. */
#include "support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

/* 14^3 = 2744 grains: enough for every loop to be cut into several parts. */
enum { FRAMES = TEST_BY_BUILD(40, 20, 4), WIDTH = 14 };

static void run_frames(const mote_world_def *def, uint64_t *hashes)
{
    mote_world *world = tumbling_world(def, WIDTH, WIDTH, WIDTH);
    for (int i = 0; i < FRAMES; ++i) {
        step_times(world, 1, TEST_FRAME);
        hashes[i] = mote_world_hash(world);
    }
    mote_world_destroy(world);
}

static const uint64_t *reference_hashes(void)
{
    static uint64_t hashes[FRAMES];
    if (hashes[0] == 0) {
        mote_world_def def = test_world_def(NULL);
        run_frames(&def, hashes);
    }
    return hashes;
}

static void check_same(const uint64_t *hashes, const char *what)
{
    const uint64_t *reference = reference_hashes();
    for (int i = 0; i < FRAMES; ++i)
        check_true(hashes[i] == reference[i], "%s: frame %d has the hash of one thread", what, i);
}

static void own_pool(void **state)
{
    (void)state;
    static const uint32_t counts[] = {2, 3, 5, 8};
    for (int i = 0; i < 4; ++i) {
        mote_world_def def = test_world_def(NULL);
        def.thread_count = counts[i];
        uint64_t hashes[FRAMES];
        run_frames(&def, hashes);
        check_same(hashes, "own pool");
    }
}

/* Every solver, not only the default one. */
static void every_solver(void **state)
{
    (void)state;
    for (int solver = 0; solver < MOTE_SOLVER_COUNT; ++solver) {
        mote_settings settings = mote_default_settings();
        settings.solver = (mote_solver)solver;
        mote_world_def def = test_world_def(&settings);
        uint64_t one[FRAMES], three[FRAMES];
        run_frames(&def, one);
        def.thread_count = 3;
        run_frames(&def, three);
        for (int i = 0; i < FRAMES; ++i)
            check_true(one[i] == three[i], "solver %d: frame %d with three threads", solver, i);
    }
}

static void thread_count_is_told(void **state)
{
    (void)state;
    for (uint32_t threads = 0; threads <= 3; ++threads) {
        mote_world_def def = test_world_def(NULL);
        def.thread_count = threads;
        mote_world *world = NULL;
        must(mote_world_create(&def, &world));
        check_near(mote_world_thread_count(world), threads ? threads : mote_core_count(), 0, "threads");
        mote_world_destroy(world);
    }
}

/* ---- task systems of the host --------------------------------------------------------------------------- */

static void run_backwards(void *user, mote_task *task, void *context, uint32_t count)
{
    ++*(uint32_t *)user;
    for (uint32_t i = count; i > 0; --i)
        task(context, i - 1);
}

static void backwards(void **state)
{
    (void)state;
    uint32_t calls = 0;
    mote_world_def def = test_world_def(NULL);
    def.tasks = (mote_task_system){run_backwards, &calls, 7};
    uint64_t hashes[FRAMES];
    run_frames(&def, hashes);
    check_above(calls, FRAMES, "calls of the host's task system");
    check_same(hashes, "tasks from last to first");
}

typedef struct team {
    mote_task *task;
    void *context;
    uint32_t count;
    _Atomic uint32_t next;
} team;

static void *team_member(void *argument)
{
    team *t = argument;
    for (uint32_t i; (i = atomic_fetch_add(&t->next, 1)) < t->count;)
        t->task(t->context, i);
    return NULL;
}

/* New threads for every call: slow, but a task system. Whoever comes first takes the next task. */
static void run_with_threads(void *user, mote_task *task, void *context, uint32_t count)
{
    (void)user;
    team t = {.task = task, .context = context, .count = count};
    pthread_t threads[3];
    for (int i = 0; i < 3; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, team_member, &t), 0);
    for (int i = 0; i < 3; ++i)
        pthread_join(threads[i], NULL);
}

static void threads_of_the_host(void **state)
{
    (void)state;
    mote_world_def def = test_world_def(NULL);
    def.tasks = (mote_task_system){run_with_threads, NULL, 3};
    uint64_t hashes[FRAMES];
    run_frames(&def, hashes);
    check_same(hashes, "threads of the host");
}

/* ---- two worlds at once --------------------------------------------------------------------------------- */

static void *run_beside(void *argument)
{
    mote_world_def def = test_world_def(NULL);
    def.thread_count = 2;
    run_frames(&def, argument);
    return NULL;
}

static void two_worlds_at_once(void **state)
{
    (void)state;
    uint64_t first[FRAMES], second[FRAMES];
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run_beside, first), 0);
    run_beside(second);
    pthread_join(thread, NULL);
    check_same(first, "a world beside another");
    check_same(second, "a world beside another");
}

/* Errors belong to the thread that made them. */
static void *fail_beside(void *argument)
{
    (void)argument;
    mote_world_step(NULL, TEST_FRAME);
    return NULL;
}

static void errors_belong_to_their_thread(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    assert_int_equal(mote_world_step(world, -1), MOTE_ERROR_ARGUMENT);
    char before[256];
    snprintf(before, sizeof before, "%s", mote_last_error());
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, fail_beside, NULL), 0);
    pthread_join(thread, NULL);
    assert_string_equal(mote_last_error(), before);
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_pool),
        cmocka_unit_test(every_solver),
        cmocka_unit_test(thread_count_is_told),
        cmocka_unit_test(backwards),
        cmocka_unit_test(threads_of_the_host),
        cmocka_unit_test(two_worlds_at_once),
        cmocka_unit_test(errors_belong_to_their_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
