/* Bodies when memory fails: the call fails as a whole, the world is what it was, and once there is memory again
 * it goes where an equal world goes that never had a failure. And steady steps of bodies ask for no memory. */
#include "jointed_world.h"

static mote_world_def counted_def(test_heap *heap)
{
    mote_world_def def = test_world_def(NULL);
    def.allocator = heap_allocator(heap);
    def.number = 1; /* of all, so that handles of one are handles of its twin */
    return def;
}

static void check_balance(const test_heap *heap)
{
    check_near((double)heap->live_blocks, 0, 0, "blocks that were not given back");
    check_near((double)heap->wrong_sizes, 0, 0, "blocks that were given back with another size");
    check_near((double)heap->overruns, 0, 0, "blocks that were written past their end");
}

/* ---- calls ----------------------------------------------------------------------------------------------- */

/* Both worlds hand out the same handles, so one note of them is enough. */
static mote_particle_id loose[8];
static mote_body_id bodies[2];

static void add_loose(mote_world *world)
{
    float y = 2 + 0.3f * (float)mote_body_count(world);
    for (int i = 0; i < 8; ++i)
        loose[i] = add_particle(world, vec(0.1f * (float)(i % 4), y + 0.1f * (float)(i / 4), 2), vec(0, 0, 0),
                                (mote_material_id){0});
}

static mote_result result_of(uint32_t generation)
{
    return generation == 0 ? mote_last_result() : MOTE_OK;
}

static mote_result add_body(mote_world *world)
{
    mote_body_def def = mote_default_body_def();
    def.particles = loose;
    def.particle_count = 8;
    return result_of(mote_body_add(world, &def).generation);
}

/* Half of the particles are in the last body already. */
static void add_neighbor(mote_world *world)
{
    add_loose(world);
    must(add_body(world));
    for (int i = 0; i < 4; ++i)
        loose[i] = add_particle(world, vec(0.1f * (float)i, 9, 2), vec(0, 0, 0), (mote_material_id){0});
}

static void add_two_bodies(mote_world *world)
{
    static const uint32_t count[3] = {2, 1, 2};
    float y = 2 + 0.3f * (float)mote_body_count(world);
    for (int i = 0; i < 2; ++i)
        bodies[i] = add_block(world, count, vec(0.4f * (float)i, y, -2), vec(0, 0, 0), MOTE_BODY_DYNAMIC);
}

static mote_result join(mote_world *world, mote_joint_type type, mote_body_id b)
{
    mote_joint_def def = mote_default_joint_def();
    def.type = type;
    def.a = bodies[0];
    def.b = b;
    def.anchor = vec(0.25f, 2, -2);
    return result_of(mote_joint_add(world, &def).generation);
}

static mote_result join_two(mote_world *world)
{
    return join(world, MOTE_JOINT_STIFF, bodies[1]);
}

static mote_result join_to_world(mote_world *world)
{
    return join(world, MOTE_JOINT_HINGE, (mote_body_id){0, 0});
}

static void add_jointed(mote_world *world)
{
    add_two_bodies(world);
    must(join_two(world));
}

static mote_result part(mote_world *world)
{
    return mote_joint_remove(world, mote_joint_between(world, bodies[0], bodies[1]));
}

static mote_result drive(mote_world *world)
{
    return mote_body_set_mode(world, bodies[0], MOTE_BODY_DRIVEN);
}

static mote_result dissolve(mote_world *world)
{
    return mote_body_dissolve(world, bodies[1]);
}

static mote_result remove_body(mote_world *world)
{
    return mote_body_remove(world, bodies[0]);
}

static mote_result step(mote_world *world)
{
    return mote_world_step(world, TEST_FRAME);
}

static void prepare_nothing(mote_world *world)
{
    (void)world;
}

static const struct attempt {
    const char *name;
    void (*prepare)(mote_world *world);
    mote_result (*call)(mote_world *world);
    int repeats;
    bool needs_memory; /* how else could it fail */
} attempts[] = {
    {"mote_body_add", add_loose, add_body, 40, true},
    {"mote_body_add with shared particles", add_neighbor, add_body, 40, true},
    {"mote_joint_add", add_two_bodies, join_two, 20, true},
    {"mote_joint_add to the world", add_two_bodies, join_to_world, 20, true},
    {"mote_joint_remove", add_jointed, part, 5, false},
    {"mote_body_set_mode", add_jointed, drive, 5, false},
    {"mote_body_dissolve", add_jointed, dissolve, 5, false},
    {"mote_body_remove", add_jointed, remove_body, 5, false},
    {"mote_world_step", prepare_nothing, step, 40, true},
};

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
            check_true(result == MOTE_OK, "%s with memory: %s", attempt->name, mote_last_error());
            return n - 1;
        }
        check_true(result == MOTE_ERROR_MEMORY, "%s with allocation %zu failing answers \"%s\"", attempt->name,
                   n, mote_result_text(result));
        check_true(mote_world_hash(world) == hash, "%s with allocation %zu failing changed the world",
                   attempt->name, n);
        check_below((double)n, 1000, "%s: allocations of one call", attempt->name);
    }
}

static void check_attempt(const struct attempt *attempt, bool onwards)
{
    test_heap calm_heap = {0}, heap = {0};
    mote_world_def calm_def = counted_def(&calm_heap), def = counted_def(&heap);
    mote_world *calm = make_jointed_world(&calm_def, 2).world, *world = make_jointed_world(&def, 2).world;
    size_t failures = 0;
    for (int i = 0; i < attempt->repeats; ++i) {
        attempt->prepare(calm);
        attempt->prepare(world);
        must(attempt->call(calm));
        failures += succeed_at_last(attempt, world, &heap, onwards);
        check_true(mote_world_hash(world) == mote_world_hash(calm), "%s, repeat %d: the same state",
                   attempt->name, i);
    }
    check_true(failures > 1 || !attempt->needs_memory, "%s: memory failed", attempt->name);
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
    for (size_t i = 0; i < sizeof attempts / sizeof attempts[0]; ++i) {
        check_attempt(&attempts[i], false);
        check_attempt(&attempts[i], true);
    }
}

/* ---- steady steps ---------------------------------------------------------------------------------------- */

/* Once the paddle has been everywhere, its rounds need no more memory. */
static void steady_steps_allocate_nothing(void **state)
{
    (void)state;
    test_heap heap = {0};
    mote_world_def def = counted_def(&heap);
    jointed_world made = make_jointed_world(&def, 5);
    run_jointed(made.world, made.paddle, 480);
    size_t before = heap.calls;
    run_jointed(made.world, made.paddle, TEST_BY_BUILD(480, 120, 10));
    check_near((double)(heap.calls - before), 0, 0, "allocations of bodies that go on moving");
    mote_world_destroy(made.world);
    check_balance(&heap);
}

/* What a new block contains must not matter. */
static void contents_of_new_memory_do_not_matter(void **state)
{
    (void)state;
    static const int fills[] = {0x00, 0xFF, 0x7E};
    uint64_t first = 0;
    for (int run = 0; run < 3; ++run) {
        test_heap heap = {.fill = fills[run]};
        mote_world_def def = counted_def(&heap);
        def.thread_count = 2;
        jointed_world made = make_jointed_world(&def, 10);
        uint64_t hash = run_jointed(made.world, made.paddle, 40);
        first = run == 0 ? hash : first;
        check_true(hash == first, "memory filled with 0x%02X", fills[run]);
        mote_world_destroy(made.world);
        check_balance(&heap);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failing_calls_leave_no_trace),
        cmocka_unit_test(steady_steps_allocate_nothing),
        cmocka_unit_test(contents_of_new_memory_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
