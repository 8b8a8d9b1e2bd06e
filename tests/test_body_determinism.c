/* Bodies give the same bits whatever computes them: every number of threads, every SIMD level, and a world that
 * was restored from a snapshot on the way. */
#include "jointed_world.h"

#include <stdlib.h>

enum {
    STEPS = TEST_BY_BUILD(200, 60, 8),
    HALF = STEPS / 2,
    BLOCKS = TEST_BY_BUILD(10, 10, 5),
};

static mote_world_def def_with(uint32_t threads, mote_simd simd)
{
    mote_settings settings = mote_default_settings();
    settings.sleep_speed = 0.05f;
    settings.sleep_time = 0.1f;
    mote_world_def def = test_world_def(&settings);
    def.number = 1; /* of all, so that handles of one are handles of its twin */
    def.thread_count = threads;
    def.simd = simd;
    return def;
}

/* Blocks that lie still far from the paddle, and fall asleep. */
static jointed_world make_world(uint32_t threads, mote_simd simd)
{
    static const uint32_t count[3] = {4, 2, 4};
    mote_world_def def = def_with(threads, simd);
    jointed_world made = make_jointed_world(&def, BLOCKS);
    for (int i = 0; i < 2; ++i)
        add_block(made.world, count, vec(0.65f, 0.05f + 0.2f * (float)i, 0.65f), vec(0, 0, 0),
                  MOTE_BODY_DYNAMIC);
    mote_shape_def wedge = mote_default_shape_def();
    wedge.type = MOTE_SHAPE_BOX;
    wedge.half_extents = vec(0.2f, 0.2f, 0.2f);
    wedge.position = vec(0.2f, 0.1f, 0.1f);
    wedge.rotation = (mote_quat){0.3f, 0, 0.3f, 1};
    must_exist(mote_shape_add(made.world, &wedge));
    return made;
}

static void note_hashes(jointed_world *made, uint32_t from, uint64_t *hashes)
{
    for (uint32_t i = from; i < STEPS; ++i)
        hashes[i] = run_jointed(made->world, made->paddle, 1);
}

static uint64_t expected[STEPS];
static unsigned char *halfway; /* a snapshot */
static size_t halfway_size;

static void run_the_first(void)
{
    jointed_world made = make_world(1, MOTE_SIMD_AUTO);
    for (uint32_t i = 0; i < HALF; ++i)
        expected[i] = run_jointed(made.world, made.paddle, 1);
    halfway_size = mote_snapshot_size(made.world);
    halfway = malloc(halfway_size);
    assert_non_null(halfway);
    must(mote_snapshot_take(made.world, halfway, halfway_size, NULL));
    note_hashes(&made, HALF, expected);
    mote_stats stats = stats_of(made.world);
#if !defined(TEST_UNDER_THREAD_SANITIZER)
    check_above((double)stats.asleep, 32, "particles that sleep at the end");
#endif
    check_above((double)stats.bodies, 20, "bodies");
    check_above((double)stats.joints, 6, "joints");
    mote_world_destroy(made.world);
}

static void check_same(const uint64_t *hashes, uint32_t from, const char *what, uint32_t number)
{
    for (uint32_t i = from; i < STEPS; ++i)
        check_true(hashes[i] == expected[i], "%s %u, step %u: %016llx, expected %016llx", what, number, i,
                   (unsigned long long)hashes[i], (unsigned long long)expected[i]);
}

/* Each number of threads with another level, where the machine has it; else with the best that it has. */
static void threads_and_simd_levels(void **state)
{
    (void)state;
    static const uint32_t numbers[] = {2, 3, 5};
    static const mote_simd levels[] = {MOTE_SIMD_BASELINE, MOTE_SIMD_AVX2, MOTE_SIMD_AVX512};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; ++k) {
        uint64_t hashes[STEPS];
        jointed_world made =
            make_world(numbers[k], mote_simd_supported(levels[k]) ? levels[k] : MOTE_SIMD_AUTO);
        note_hashes(&made, 0, hashes);
        mote_world_destroy(made.world);
        check_same(hashes, 0, "threads", numbers[k]);
    }
}

/* Restored into a world with other threads, halfway. */
static void after_a_snapshot(void **state)
{
    (void)state;
    jointed_world original = make_world(1, MOTE_SIMD_AUTO);
    mote_world_def def = def_with(3, MOTE_SIMD_BASELINE);
    jointed_world fresh = {.paddle = original.paddle};
    mote_world_destroy(original.world);
    must(mote_world_create(&def, &fresh.world));
    must(mote_snapshot_restore(fresh.world, halfway, halfway_size));
    uint64_t hashes[STEPS];
    note_hashes(&fresh, HALF, hashes);
    mote_world_destroy(fresh.world);
    check_same(hashes, HALF, "threads in a restored world:", 3);
}

/* All solvers and integrators, on any level and any number of threads. */
static void every_setting(void **state)
{
    (void)state;
    for (int variant = 0; variant < 3; ++variant) {
        uint64_t first = 0;
        for (uint32_t run = 1; run <= 3; ++run) {
            jointed_world made = make_world(run, run == 2 ? MOTE_SIMD_BASELINE : MOTE_SIMD_AUTO);
            mote_settings settings = mote_world_settings(made.world);
            settings.solver = (mote_solver)(variant % MOTE_SOLVER_COUNT);
            settings.integrator = (mote_integrator)(variant % MOTE_INTEGRATOR_COUNT);
            settings.mass_scaling = variant == 1 ? 1.0f : 0;
            must(mote_world_set_settings(made.world, &settings));
            uint64_t hash = run_jointed(made.world, made.paddle, STEPS / 10 + 1);
            mote_world_destroy(made.world);
            first = run == 1 ? hash : first;
            check_true(hash == first, "settings %d, run %u", variant, run);
        }
    }
}

/* Driven bodies and the limp ones that hang on them, side by side: who is first must not matter. */
static uint64_t run_hanging(uint32_t thread_count)
{
    enum { PAIRS = 64 };
    static const uint32_t two[3] = {2, 1, 1};
    mote_world_def def = def_with(thread_count, MOTE_SIMD_AUTO);
    mote_world *world = NULL;
    must(mote_world_create(&def, &world));
    mote_body_id held[PAIRS];
    for (int i = 0; i < PAIRS; ++i) /* all of them first, so that different threads get them and what hangs */
        held[i] = add_block(world, two, vec(0, 1, 0.5f * (float)i), vec(0, 0, 0), MOTE_BODY_DRIVEN);
    for (int i = 0; i < PAIRS; ++i) {
        float z = 0.5f * (float)i;
        mote_body_id hangs = add_block(world, two, vec(0.3f, 1, z), vec(0, 0, 0), MOTE_BODY_DYNAMIC);
        add_joint(world, MOTE_JOINT_BALL, held[i], hangs, vec(0.2f, 1, z));
    }
    for (int step = 1; step <= TEST_BY_BUILD(10, 10, 3); ++step) {
        for (int i = 0; i < PAIRS; ++i)
            must(mote_body_move_to(world, held[i], (mote_pose){vec(0, 0.01f * (float)step, 0), {0, 0, 0, 1}}));
        step_times(world, 1, TEST_FRAME);
    }
    uint64_t hash = mote_world_hash(world);
    mote_world_destroy(world);
    return hash;
}

static void hanging_on_driven_bodies(void **state)
{
    (void)state;
    uint64_t first = run_hanging(1);
    for (uint32_t run = 0; run < TEST_BY_BUILD(12, 4, 2); ++run)
        check_true(run_hanging(2 + run % 3) == first, "run %u with %u threads", run, 2 + run % 3);
}

/* ---- the hash sees every change -------------------------------------------------------------------------- */

static uint64_t hash_after(int change)
{
    static const uint32_t count[3] = {2, 2, 2};
    mote_world *world = test_world(NULL);
    mote_body_id a = add_block(world, count, vec(0, 1, 0), vec(0, 0, 0), MOTE_BODY_DYNAMIC);
    mote_body_id b = add_block(world, count, vec(0.3f, 1, 0), vec(0, 0, 0), MOTE_BODY_DRIVEN);
    mote_joint_id joint = add_joint(world, MOTE_JOINT_BALL, a, b, vec(0.2f, 1.05f, 0.05f));
    mote_joint_def def = mote_default_joint_def();
    mote_pose pose = {vec(0, 0, 1e-6f), {0, 0, 0, 1}};
    switch (change) {
    case 1:
        must(mote_body_set_velocity(world, b, vec(0, 0, 1e-30f), vec(0, 0, 0)));
        break;
    case 2:
        must(mote_body_set_velocity(world, b, vec(0, 0, 0), vec(0, 1e-30f, 0)));
        break;
    case 3:
        must(mote_body_move_to(world, b, pose));
        break;
    case 4:
        must(mote_joint_set(world, joint, &def)); /* other limits */
        break;
    case 5:
        def.break_force = 1000;
        must(mote_joint_set(world, joint, &def));
        break;
    case 6:
        must(mote_joint_remove(world, joint));
        break;
    case 7:
        must(mote_body_dissolve(world, a));
        break;
    case 8:
        must(mote_body_set_mode(world, b, MOTE_BODY_DYNAMIC));
        break;
    default:
        break;
    }
    uint64_t hash = mote_world_hash(world);
    mote_world_destroy(world);
    return hash;
}

static void hash_sees_every_change(void **state)
{
    (void)state;
    enum { CHANGES = 9 };
    uint64_t hashes[CHANGES];
    for (int i = 0; i < CHANGES; ++i) {
        hashes[i] = hash_after(i);
        for (int k = 0; k < i; ++k)
            check_true(hashes[i] != hashes[k], "changes %d and %d give different hashes", k, i);
    }
    check_true(hash_after(0) == hashes[0], "no change, no other hash");
}

static int prepare(void **state)
{
    (void)state;
    run_the_first();
    return 0;
}

static int clean_up(void **state)
{
    (void)state;
    free(halfway);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {

        cmocka_unit_test(threads_and_simd_levels), cmocka_unit_test(after_a_snapshot),
        cmocka_unit_test(every_setting),           cmocka_unit_test(hanging_on_driven_bodies),
        cmocka_unit_test(hash_sees_every_change),
    };
    return cmocka_run_group_tests(tests, prepare, clean_up);
}
