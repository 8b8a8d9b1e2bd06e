/* Snapshots of worlds with bodies, joints and skeletons: back to the same bits, and proof against damage that a
 * checksum does not show. */
#include "jointed_world.h"
#include "wet_tank.h"

#include <stdlib.h>
#include <string.h>

typedef struct snapshot {
    unsigned char *bytes;
    size_t size;
} snapshot;

static snapshot take(const mote_world *world)
{
    snapshot taken = {.size = mote_snapshot_size(world)};
    taken.bytes = malloc(taken.size);
    assert_non_null(taken.bytes);
    must(mote_snapshot_take(world, taken.bytes, taken.size, NULL));
    return taken;
}

static mote_world_def sleepy_def(void)
{
    mote_settings settings = mote_default_settings();
    settings.sleep_speed = 0.05f;
    return test_world_def(&settings);
}

enum { STEPS = TEST_BY_BUILD(100, 40, 10), BEFORE = TEST_BY_BUILD(30, 30, 5) };

/* In the middle of it, with a paddle that has been told where to go next. */
static jointed_world moving_world(void)
{
    mote_world_def def = sleepy_def();
    jointed_world made = make_jointed_world(&def, 10);
    run_jointed(made.world, made.paddle, BEFORE);
    move_paddle(made.world, made.paddle);
    return made;
}

/* ---- back to the same bits ------------------------------------------------------------------------------ */

static void back_to_the_same_bits(void **state)
{
    (void)state;
    jointed_world made = moving_world();
    snapshot taken = take(made.world);
    uint64_t start = mote_world_hash(made.world), first = run_jointed(made.world, made.paddle, STEPS);
    check_true(mote_world_hash(made.world) != start, "the world moved");
    must(mote_snapshot_restore(made.world, taken.bytes, taken.size));
    check_true(mote_world_hash(made.world) == start, "restored: the hash of that time");
    check_true(run_jointed(made.world, made.paddle, STEPS) == first, "the same steps: the same states");
    free(taken.bytes);
    mote_world_destroy(made.world);
}

/* The target of the paddle is in the snapshot, so the first step needs no word from outside. */
static void into_a_fresh_world(void **state)
{
    (void)state;
    jointed_world made = moving_world();
    snapshot taken = take(made.world);
    step_times(made.world, 1, TEST_FRAME);
    uint64_t first = run_jointed(made.world, made.paddle, STEPS);
    for (uint32_t threads = 1; threads <= 3; ++threads) {
        mote_world_def def = test_world_def(NULL);
        def.thread_count = threads;
        def.number = mote_world_number(made.world);
        mote_world *fresh = NULL;
        must(mote_world_create(&def, &fresh));
        must(mote_snapshot_restore(fresh, taken.bytes, taken.size));
        step_times(fresh, 1, TEST_FRAME);
        check_true(run_jointed(fresh, made.paddle, STEPS) == first, "in a fresh world with %u threads",
                   threads);
        mote_world_destroy(fresh);
    }
    free(taken.bytes);
    mote_world_destroy(made.world);
}

/* What a liquid gave a body last is part of the state. */
static void floating_bodies_go_on(void **state)
{
    (void)state;
    mote_world *world = tank_world();
    add_tank(world, 8, 8);
    add_water(world, 8, 3, 8);
    mote_rigid_def def = mote_default_rigid_def();
    def.material = add_matter(world, 500.0f, false);
    def.pose.position = vec(8 * R, 8 * R, 8 * R);
    must_exist(mote_rigid_box(world, &def, (const uint32_t[3]){4, 2, 4}));
    step_times(world, 30, TEST_FRAME);
    snapshot taken = take(world);
    step_times(world, 5, TEST_FRAME);
    uint64_t first = mote_world_hash(world);
    must(mote_snapshot_restore(world, taken.bytes, taken.size));
    step_times(world, 5, TEST_FRAME);
    check_true(mote_world_hash(world) == first, "the same steps of a floating box: the same state");
    free(taken.bytes);
    mote_world_destroy(world);
}

/* Of a snapshot's snapshot every byte is the same; and what is counted is there. */
static void snapshots_of_equal_worlds_are_equal(void **state)
{
    (void)state;
    jointed_world made = moving_world();
    mote_world *fresh = twin_of(made.world);
    snapshot taken = take(made.world);
    must(mote_snapshot_restore(fresh, taken.bytes, taken.size));
    snapshot again = take(fresh);
    check_near((double)again.size, (double)taken.size, 0, "size");
    check_true(memcmp(again.bytes, taken.bytes, taken.size) == 0, "the same bytes");
    check_near(mote_body_count(fresh), mote_body_count(made.world), 0, "bodies");
    check_near(mote_joint_count(fresh), mote_joint_count(made.world), 0, "joints");
    check_near((double)stats_of(fresh).bodies, mote_body_count(made.world), 0, "bodies that are counted");
    check_near((double)stats_of(fresh).joints, mote_joint_count(made.world), 0, "joints that are counted");
    mote_particle_id particle;
    mote_body_id bodies[3];
    for (int k = 0; k < 2; ++k) { /* who belongs to whom is not in the snapshot, but comes back with it */
        check_near((double)mote_body_particles(fresh, made.pair[k], &particle, 1), 5, 0,
                   "particles of the pair");
        check_near(mote_particle_bodies(fresh, particle, bodies, 3), 1 + (k == 1), 0,
                   "bodies of its first particle");
    }
    free(taken.bytes);
    free(again.bytes);
    mote_world_destroy(fresh);
    mote_world_destroy(made.world);
}

/* A driven body may be told to be anywhere a moment later; what that makes of velocities is no damage. */
static void a_paddle_at_any_speed(void **state)
{
    (void)state;
    static const uint32_t count[3] = {2, 1, 1};
    static const float ways[] = {1, 1000, 9e5f};
    for (int i = 0; i < 3; ++i) {
        mote_world *world = test_world(NULL);
        mote_body_id body = add_block(world, count, vec(0, 0, 0), vec(0, 0, 0), MOTE_BODY_DRIVEN);
        must(mote_body_move_to(world, body, (mote_pose){vec(ways[i], 0, 0), {0, 0, 0, 1}}));
        step_times(world, 1, TEST_FRAME);
        check_near(body_state_of(world, body).pose.position.x, ways[i], 1e-6 * (double)ways[i],
                   "where it was told");
        snapshot taken = take(world);
        must(mote_snapshot_restore(world, taken.bytes, taken.size));
        free(taken.bytes);
        mote_world_destroy(world);
    }
}

/* ---- going back ------------------------------------------------------------------------------------------ */

static void remove_bodies(jointed_world *made)
{
    must(mote_body_remove(made->world, made->jointed[0][0]));
    must(mote_body_remove(made->world, made->pair[1]));
    must(mote_body_remove(made->world, made->paddle));
}

static void dissolve_bodies(jointed_world *made)
{
    must(mote_body_dissolve(made->world, made->jointed[1][1]));
    must(mote_body_dissolve(made->world, made->pair[0]));
    must(mote_body_dissolve(made->world, made->door));
}

static void take_joints_apart(jointed_world *made)
{
    for (int i = 0; i < 5; ++i)
        must(mote_joint_remove(made->world, made->joints[i]));
}

/* The weakest joint breaks in the next step. */
static void break_joints(jointed_world *made)
{
    mote_joint_def def = mote_default_joint_def();
    def.type = MOTE_JOINT_STIFF;
    def.break_force = 1e-6f;
    must(mote_joint_set(made->world, made->joints[2], &def));
    step_times(made->world, 2, TEST_FRAME);
    check_true(!mote_joint_is_valid(made->world, made->joints[2]), "a joint without strength breaks");
}

static void add_more(jointed_world *made)
{
    static const uint32_t count[3] = {2, 2, 2};
    mote_body_id a = add_block(made->world, count, vec(0, 3, 0), vec(0, 0, 0), MOTE_BODY_DYNAMIC);
    add_joint(made->world, MOTE_JOINT_BALL, a, (mote_body_id){0}, vec(0, 3.5f, 0));
}

static void remove_everything(jointed_world *made)
{
    mote_body_id bodies[128];
    uint32_t count = mote_body_list(made->world, bodies, 128);
    assert_true(count > 10 && count <= 128);
    for (uint32_t i = 0; i < count; ++i)
        must(mote_body_remove(made->world, bodies[i]));
    check_near(mote_joint_count(made->world), 0, 0, "joints without bodies");
}

/* Whatever was done since, everything is there again, with its handles, and goes on as it did. */
static void rollback(void **state)
{
    (void)state;
    void (*const changes[])(jointed_world *) = {remove_bodies, dissolve_bodies, take_joints_apart,
                                                break_joints,  add_more,        remove_everything};
    jointed_world made = moving_world();
    snapshot taken = take(made.world);
    uint64_t start = mote_world_hash(made.world), first = run_jointed(made.world, made.paddle, STEPS / 4);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; ++i) {
        must(mote_snapshot_restore(made.world, taken.bytes, taken.size));
        changes[i](&made);
        check_true(mote_world_hash(made.world) != start, "change %zu changes the world", i);
        step_times(made.world, 3, TEST_FRAME);
        must(mote_snapshot_restore(made.world, taken.bytes, taken.size));
        check_true(mote_world_hash(made.world) == start, "after change %zu: the hash of that time", i);
        for (int k = 0; k < 5; ++k)
            check_true(mote_joint_is_valid(made.world, made.joints[k]), "after change %zu: joint %d", i, k);
        check_true(mote_body_is_valid(made.world, made.pair[1]), "after change %zu: a body", i);
        check_true(run_jointed(made.world, made.paddle, STEPS / 4) == first, "after change %zu: the same way",
                   i);
    }
    free(taken.bytes);
    mote_world_destroy(made.world);
}

/* New bodies and joints get the handles that they would have got. */
static void handles_of_what_comes_next(void **state)
{
    (void)state;
    jointed_world made = moving_world();
    remove_bodies(&made);
    mote_world *fresh = twin_of(made.world);
    snapshot taken = take(made.world);
    must(mote_snapshot_restore(fresh, taken.bytes, taken.size));
    static const uint32_t count[3] = {2, 1, 1};
    for (int i = 0; i < 6; ++i) {
        mote_vec3 at = vec(0, 4 + (float)i, 0);
        mote_body_id a = add_block(made.world, count, at, vec(0, 0, 0), MOTE_BODY_DYNAMIC);
        mote_body_id b = add_block(fresh, count, at, vec(0, 0, 0), MOTE_BODY_DYNAMIC);
        check_true(a.index == b.index && a.generation == b.generation, "body %d: %u.%u, expected %u.%u", i,
                   b.index, b.generation, a.index, a.generation);
        mote_joint_id c = add_joint(made.world, MOTE_JOINT_BALL, a, (mote_body_id){0}, at);
        mote_joint_id d = add_joint(fresh, MOTE_JOINT_BALL, b, (mote_body_id){0}, at);
        check_true(c.index == d.index && c.generation == d.generation, "joint %d: %u.%u, expected %u.%u", i,
                   d.index, d.generation, c.index, c.generation);
    }
    check_true(mote_world_hash(fresh) == mote_world_hash(made.world), "the same state");
    free(taken.bytes);
    mote_world_destroy(fresh);
    mote_world_destroy(made.world);
}

/* Restoring with its n-th allocation failing leaves the world as it was; false if it needed fewer. */
static bool check_failure(const snapshot *taken, size_t n, uint64_t start)
{
    test_heap heap = {0};
    mote_world_def def = test_world_def(NULL);
    def.allocator = heap_allocator(&heap);
    mote_world *world = NULL;
    must(mote_world_create(&def, &world));
    add_particle(world, vec(5, 5, 5), vec(0, 0, 0), (mote_material_id){0});
    uint64_t before = mote_world_hash(world);
    heap.calls = 0;
    heap.fail_at = n;
    mote_result result = mote_snapshot_restore(world, taken->bytes, taken->size);
    bool failed = heap.calls >= n;
    check_true(result == (failed ? MOTE_ERROR_MEMORY : MOTE_OK), "allocation %zu fails: \"%s\"", n,
               mote_result_text(result));
    check_true(mote_world_hash(world) == (failed ? before : start), "allocation %zu fails: all or nothing", n);
    heap.fail_at = 0;
    must(mote_snapshot_restore(world, taken->bytes, taken->size));
    check_true(mote_world_hash(world) == start, "restored at last, after allocation %zu failed", n);
    mote_world_destroy(world);
    check_near((double)heap.live_blocks + (double)heap.wrong_sizes + (double)heap.overruns, 0, 0,
               "blocks that were lost, or written past their end");
    return failed;
}

static void without_memory(void **state)
{
    (void)state;
    jointed_world made = moving_world();
    snapshot taken = take(made.world);
    size_t n = 1;
    while (check_failure(&taken, n, mote_world_hash(made.world)))
        ++n;
    check_above((double)n, 20, "allocations of a restore");
    free(taken.bytes);
    mote_world_destroy(made.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(back_to_the_same_bits),      cmocka_unit_test(into_a_fresh_world),
        cmocka_unit_test(floating_bodies_go_on),      cmocka_unit_test(snapshots_of_equal_worlds_are_equal),
        cmocka_unit_test(a_paddle_at_any_speed),      cmocka_unit_test(rollback),
        cmocka_unit_test(handles_of_what_comes_next), cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
