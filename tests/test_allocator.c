/* Memory: a steady step asks for none, whatever is taken is given back with its size, and when there is none
 * the call fails as a whole: the world is what it was, and can go on once there is memory again. */
#include "support.h"

static mote_world_def counted_def(test_heap *heap)
{
    mote_settings settings = mote_default_settings();
    settings.sleep_speed = 0.02f;
    mote_world_def def = test_world_def(&settings);
    def.allocator = heap_allocator(heap);
    return def;
}

static void check_balance(const test_heap *heap)
{
    check_near((double)heap->live_blocks, 0, 0, "blocks that were not given back");
    check_near((double)heap->live_bytes, 0, 0, "bytes that were not given back");
    check_near((double)heap->wrong_sizes, 0, 0, "blocks that were given back with another size");
    check_near((double)heap->overruns, 0, 0, "blocks that were written past their end");
}

/* ---- a steady step allocates nothing -------------------------------------------------------------------- */

static void a_settled_pile_allocates_nothing(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 2; ++threads) {
        test_heap heap = {0};
        mote_world_def def = counted_def(&heap);
        def.thread_count = threads;
        mote_world *world = tumbling_world(&def, 8, 6, 8);
        step_times(world, 240, TEST_FRAME);
        size_t before = heap.calls;
        step_times(world, 1000, TEST_FRAME);
        check_near((double)(heap.calls - before), 0, 0, "allocations in 1000 steps with %u threads", threads);
        mote_world_destroy(world);
        check_balance(&heap);
    }
}

/* A box whose gravity turns with time, so that the pile never rests: after one round the working memory has
 * seen every pose, and the next rounds need no more. Contacts are reported, so events come and go as well. */
static void a_tumbling_box_allocates_nothing(void **state)
{
    (void)state;
    test_heap heap = {0};
    mote_world_def def = counted_def(&heap);
    mote_world *world = tumbling_world(&def, 6, 6, 6);
    mote_plane_def lid = mote_default_plane_def();
    lid.normal = vec(0, -1, 0);
    lid.offset = -1.5f;
    must_exist(mote_plane_add(world, &lid));
    mote_material_def material = mote_default_material_def();
    material.report_contacts = true;
    must(mote_material_set(world, mote_world_default_material(world), &material));
    static const mote_vec3 directions[] = {{9.81f, 0, 0}, {0, 9.81f, 0}, {-9.81f, 0, 0}, {0, -9.81f, 0}};
    size_t before = 0, events = 0;
    for (int i = 0; i < 1600; ++i) {
        mote_settings settings = mote_world_settings(world);
        settings.gravity = directions[i / 50 % 4];
        must(mote_world_set_settings(world, &settings));
        if (i == 600)
            before = heap.calls;
        step_times(world, 1, TEST_FRAME);
        events += mote_world_events(world).count;
    }
    check_above((double)events, 1000, "events while it tumbles");
    check_near((double)(heap.calls - before), 0, 0, "allocations in 1000 steps of a tumbling box");
    mote_world_destroy(world);
    check_balance(&heap);
}

/* Arrays that have an element for a block of particles, not for each, have room to spare in small worlds; sizes
 * around their steps of growth do not. */
static void nothing_is_written_past_its_end(void **state)
{
    (void)state;
    static const uint32_t widths[] = {17, 21, 27, 34};
    for (int i = 0; i < 4; ++i) {
        test_heap heap = {0};
        mote_world_def def = counted_def(&heap);
        mote_world *world = tumbling_world(&def, widths[i], widths[i], widths[i]);
        step_times(world, 2, TEST_FRAME);
        mote_world_destroy(world);
        check_balance(&heap);
    }
}

static void memory_is_counted(void **state)
{
    (void)state;
    test_heap heap = {0};
    mote_world_def def = counted_def(&heap);
    mote_world *world = tumbling_world(&def, 10, 10, 10);
    step_times(world, 5, TEST_FRAME);
    check_near((double)stats_of(world).memory, (double)heap.live_bytes, 0,
               "bytes that the world says it holds");
    mote_world_destroy(world);
    check_balance(&heap);
}

/* What a new block contains must not matter: zeros, NaNs (all bits set) and a large number (0x7E7E7E7E is 8e37)
 * lead to the same bits. */
static void contents_of_new_memory_do_not_matter(void **state)
{
    (void)state;
    static const int fills[] = {0x00, 0xFF, 0x7E};
    enum { FRAMES = 30 };
    uint64_t hashes[3][FRAMES];
    for (int run = 0; run < 3; ++run) {
        test_heap heap = {.fill = fills[run]};
        mote_world_def def = counted_def(&heap);
        def.thread_count = 2;
        mote_world *world = tumbling_world(&def, 18, 10, 18);
        for (int frame = 0; frame < FRAMES; ++frame) {
            if (frame == 10) /* one that is not like the others, and more slots than before */
                add_particle(world, vec(0, 2, 0), vec(0, -3, 0), (mote_material_id){0});
            step_times(world, 1, TEST_FRAME);
            hashes[run][frame] = mote_world_hash(world);
            check_true(hashes[run][frame] == hashes[0][frame], "memory filled with 0x%02X, frame %d",
                       fills[run], frame);
        }
        mote_world_destroy(world);
        check_balance(&heap);
    }
}

/* ---- an allocator that fails at the n-th call -----------------------------------------------------------
 * Each call below is made with its first allocation failing, then with its second, and so on until it has all
 * that it wants; and again and again, so that what grows by doubling grows several times. */

static mote_result add_one_particle(mote_world *world)
{
    mote_particle_def def = mote_default_particle_def();
    def.position = vec(5, 5, 5);
    return mote_is_null(mote_particle_add(world, &def)) ? mote_last_result() : MOTE_OK;
}

static mote_result add_grains(mote_world *world)
{
    mote_grains_def grains = mote_default_grains_def();
    grains.count[0] = grains.count[2] = 6;
    grains.count[1] = 20;
    grains.origin = vec(-0.25f, 1 + 0.003f * (float)mote_particle_count(world), -0.25f); /* above the others */
    grains.radius_spread = 0.3f;
    return mote_grains_block(world, &grains, NULL);
}

static mote_result add_plane(mote_world *world)
{
    mote_plane_def plane = mote_default_plane_def();
    plane.offset = -100;
    return mote_is_null(mote_plane_add(world, &plane)) ? mote_last_result() : MOTE_OK;
}

static mote_result add_field(mote_world *world)
{
    mote_field_def field = mote_default_field_def();
    return mote_is_null(mote_field_add(world, &field)) ? mote_last_result() : MOTE_OK;
}

static mote_result add_volume(mote_world *world)
{
    mote_volume_def volume = mote_default_volume_def();
    return mote_is_null(mote_volume_add(world, &volume)) ? mote_last_result() : MOTE_OK;
}

/* A loose cloud collapses and makes ever more contacts and events, so its working memory grows. */
static mote_result step(mote_world *world)
{
    return mote_world_step(world, TEST_FRAME);
}

static unsigned char snapshot[400000];
static size_t snapshot_size;

static mote_result restore(mote_world *world)
{
    return mote_snapshot_restore(world, snapshot, snapshot_size);
}

static const struct attempt {
    const char *name;
    mote_result (*call)(mote_world *world);
    int repeats;
} attempts[] = {
    {"mote_particle_add", add_one_particle, 300}, {"mote_grains_block", add_grains, 3},
    {"mote_plane_add", add_plane, 100},           {"mote_field_add", add_field, 100},
    {"mote_volume_add", add_volume, 100},         {"mote_world_step", step, 60},
    {"mote_snapshot_restore", restore, 1},
};

static mote_world *reporting_world(const mote_world_def *def)
{
    mote_world *world = tumbling_world(def, 6, 6, 6);
    mote_material_def material = mote_default_material_def();
    material.report_contacts = true;
    must(mote_material_set(world, mote_world_default_material(world), &material));
    mote_volume_def volume = mote_default_volume_def();
    volume.max = vec(1, 0.3f, 1);
    must_exist(mote_volume_add(world, &volume));
    return world;
}

/* Makes the call with the n-th allocation failing, n = 1, 2, ..., until it succeeds; how often it failed. */
static size_t succeed_at_last(const struct attempt *attempt, mote_world *world, test_heap *heap, bool onwards)
{
    for (size_t n = 1;; ++n) {
        uint64_t hash = mote_world_hash(world);
        heap->calls = 0;
        heap->fail_at = n;
        heap->fail_onwards = onwards;
        mote_result result = attempt->call(world);
        heap->fail_at = 0;
        if (heap->calls < n) {
            check_true(result == MOTE_OK, "%s with memory answers \"%s\"", attempt->name,
                       mote_result_text(result));
            return n - 1;
        }
        check_true(result == MOTE_ERROR_MEMORY, "%s with allocation %zu failing answers \"%s\"", attempt->name,
                   n, mote_result_text(result));
        check_true(mote_world_hash(world) == hash, "%s with allocation %zu failing changed the world",
                   attempt->name, n);
        check_below((double)n, 1000, "%s: allocations of one call", attempt->name);
    }
}

/* The world with the failures must go where an equal one without them goes. */
static void check_attempt(const struct attempt *attempt, bool onwards)
{
    test_heap calm_heap = {0}, heap = {0};
    mote_world_def calm_def = counted_def(&calm_heap), def = counted_def(&heap);
    mote_world *calm = reporting_world(&calm_def), *world = reporting_world(&def);
    size_t failures = 0;
    for (int i = 0; i < attempt->repeats; ++i) {
        must(attempt->call(calm));
        failures += succeed_at_last(attempt, world, &heap, onwards);
        check_true(mote_world_hash(world) == mote_world_hash(calm), "%s, repeat %d: the same state",
                   attempt->name, i);
    }
    check_above((double)failures, 1, "%s: times that memory failed", attempt->name);
    step_times(calm, 3, TEST_FRAME);
    step_times(world, 3, TEST_FRAME);
    check_true(mote_world_hash(world) == mote_world_hash(calm), "%s, three steps later", attempt->name);
    mote_world_destroy(world);
    mote_world_destroy(calm);
    check_balance(&heap);
    check_balance(&calm_heap);
}

static void failing_calls_leave_no_trace(void **state)
{
    (void)state;
    test_heap heap = {0};
    mote_world_def def = counted_def(&heap);
    mote_world *source = tumbling_world(&def, 10, 10, 10);
    step_times(source, 20, TEST_FRAME);
    must(mote_snapshot_take(source, snapshot, sizeof snapshot, &snapshot_size));
    mote_world_destroy(source);
    for (size_t i = 0; i < sizeof attempts / sizeof attempts[0]; ++i) {
        check_attempt(&attempts[i], false);
        check_attempt(&attempts[i], true);
    }
}

/* A world that cannot be made leaves nothing behind. */
static void failing_creation_leaves_nothing(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        for (size_t n = 1;; ++n) {
            test_heap heap = {.fail_at = n};
            mote_world_def def = counted_def(&heap);
            def.thread_count = threads;
            mote_world *world = NULL;
            mote_result result = mote_world_create(&def, &world);
            if (heap.calls < n) {
                must(result);
                check_above((double)n, 2, "allocations of a new world");
                mote_world_destroy(world);
                check_balance(&heap);
                break;
            }
            check_true(result == MOTE_ERROR_MEMORY, "creation with allocation %zu failing answers \"%s\"", n,
                       mote_result_text(result));
            assert_null(world);
            check_balance(&heap);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_settled_pile_allocates_nothing),
        cmocka_unit_test(a_tumbling_box_allocates_nothing),
        cmocka_unit_test(memory_is_counted),
        cmocka_unit_test(nothing_is_written_past_its_end),
        cmocka_unit_test(contents_of_new_memory_do_not_matter),
        cmocka_unit_test(failing_calls_leave_no_trace),
        cmocka_unit_test(failing_creation_leaves_nothing),

    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
