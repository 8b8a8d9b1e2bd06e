/* Bodies mostly lie in memory where they lay before, and what follows from that is kept from step to step. A
 * world that keeps it goes through the same states as one that has to find out everything anew. */
#include "scenes/jointed_objects.h"
#include "support.h"

#include <stdlib.h>

/* Until objects lie on each other; then so many steps that are compared. */
enum { OBJECTS = 24, BEFORE = TEST_BY_BUILD(150, 150, 60), STEPS = TEST_BY_BUILD(40, 40, 30) };

static mote_world *make_world(uint32_t threads, test_heap *heap)
{
    mote_world_def def = mote_default_world_def();
    def.radius = JOINTED_RADIUS;
    def.thread_count = threads;
    if (heap != NULL)
        def.allocator = heap_allocator(heap);
    mote_world *world = NULL;
    must(mote_world_create(&def, &world));
    return world;
}

static mote_world *make_pile(uint32_t threads, test_heap *heap)
{
    mote_world *world = make_world(threads, heap);
    must(jointed_pile_build(world, OBJECTS));
    step_times(world, BEFORE, TEST_FRAME);
    return world;
}

/* The hash after one more step of a world that is made for that step only. */
static uint64_t step_anew(const mote_world *world)
{
    size_t size = mote_snapshot_size(world);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    must(mote_snapshot_take(world, bytes, size, NULL));
    mote_world *fresh = make_world(1, NULL);
    must(mote_snapshot_restore(fresh, bytes, size));
    step_times(fresh, 1, TEST_FRAME);
    uint64_t hash = mote_world_hash(fresh);
    mote_world_destroy(fresh);
    free(bytes);
    return hash;
}

static mote_body_id body_at(const mote_world *world, uint32_t place)
{
    mote_body_id ids[256];
    uint32_t count = mote_body_list(world, ids, 256);
    check_true(place < count && count <= 256, "there are more than %u bodies, and no more than 256", place);
    return ids[place];
}

static mote_particle_id particle_at(const mote_world *world, uint32_t place)
{
    return mote_particles_get_view(world).id[place];
}

/* What a program may do between two steps, one thing at a time. */
static void disturb(mote_world *world, uint32_t step)
{
    mote_joint_id joints[64];
    switch (step) {
    case 6:
        must(mote_particle_set_phase(world, particle_at(world, 50), mote_phase(3, false, 0x7F)));
        break;
    case 10:
        must(mote_particle_remove(world, particle_at(world, 70)));
        break;
    case 14:
        must(mote_body_remove(world, body_at(world, 5)));
        break;
    case 18: /* bodies that were jointed collide from now on */
        for (uint32_t left = mote_joint_list(world, joints, 64); left > 0 && left <= 64; --left)
            must(mote_joint_remove(world, joints[left - 1]));
        break;
    case 22:
        must(mote_body_set_mode(world, body_at(world, 3), MOTE_BODY_DRIVEN));
        break;
    case 25: {
        mote_rigid_def def = mote_default_rigid_def();
        def.pose.position = vec(0, 30, 0);
        must_exist(mote_rigid_box(world, &def, (uint32_t[3]){3, 2, 2}));
        break;
    }
    case 28: /* wider than a pack may be, and turning */
    {
        mote_rigid_def def = mote_default_rigid_def();
        def.pose.position = vec(0, 40, 0);
        def.spin = vec(0, 6, 0);
        must_exist(mote_rigid_box(world, &def, (uint32_t[3]){30, 1, 1}));
        break;
    }
    default:
        break;
    }
}

static void check_against_anew(uint32_t threads)
{
    mote_world *world = make_pile(threads, NULL);
    for (uint32_t step = 0; step < STEPS; ++step) {
        disturb(world, step);
        uint64_t anew = step_anew(world);
        step_times(world, 1, TEST_FRAME);
        check_true(mote_world_hash(world) == anew, "step %u with %u threads: as a world that knows nothing",
                   step, threads);
    }
    mote_world_destroy(world);
}

static void keeping_changes_nothing(void **state)
{
    (void)state;
    check_against_anew(1);
    check_against_anew(3);
}

/* Loose particles come, so that the bodies are no longer alone, and go again. */
static void loose_ones_come_and_go(void **state)
{
    (void)state;
    mote_world *world = make_pile(2, NULL);
    mote_particle_id loose[2] = {{0, 0}, {0, 0}};
    for (uint32_t step = 0; step < 24; ++step) {
        if (step == 6 || step == 9)
            loose[step / 9] =
                add_particle(world, vec(0.2f, 25, (float)step), vec(0, 0, 0), (mote_material_id){0, 0});
        if (step == 14 || step == 17)
            must(mote_particle_remove(world, loose[step / 17]));
        uint64_t anew = step_anew(world);
        step_times(world, 1, TEST_FRAME);
        check_true(mote_world_hash(world) == anew, "step %u: as a world that knows nothing", step);
    }
    mote_world_destroy(world);
}

/* What lies on a box that stands is not dragged by one that moves beneath others. */
static void a_belt_beside(void **state)
{
    (void)state;
    mote_world *alone = NULL;
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        mote_world *world = make_world(threads, NULL);
        must(jointed_pile_build(world, OBJECTS));
        mote_shape_def belt = mote_default_shape_def();
        belt.type = MOTE_SHAPE_BOX;
        belt.half_extents = vec(4, 0.5f, 4);
        belt.position = vec(-10, 0.5f, 0);
        belt.velocity = vec(0.3f, 0, 0);
        must_exist(mote_shape_add(world, &belt));
        step_times(world, BEFORE, TEST_FRAME);
        for (uint32_t step = 0; step < STEPS; ++step) {
            uint64_t anew = step_anew(world);
            step_times(world, 1, TEST_FRAME);
            check_true(mote_world_hash(world) == anew, "step %u with %u threads: as a world that knows nothing",
                       step, threads);
        }
        if (threads == 1) {
            alone = world;
            continue;
        }
        check_true(mote_world_hash(world) == mote_world_hash(alone), "1 and %u threads agree", threads);
        mote_world_destroy(world);
    }
    mote_world_destroy(alone);
}

/* Who asks for contacts needs room for them at the end of a step. If there is none, all is left as it was. */
static void a_step_that_fails_late(void **state)
{
    (void)state;
    test_heap heap = {0};
    mote_world *world = make_pile(2, &heap);
    mote_material_def def;
    mote_material_id material = mote_material_at(world, mote_material_count(world) - 1);
    must(mote_material_get(world, material, &def));
    def.report_contacts = true;
    must(mote_material_set(world, material, &def));
    uint64_t before = mote_world_hash(world), anew = step_anew(world);
    uint32_t failures = 0;
    for (;; ++failures) {
        heap.fail_at = heap.calls + 1 + failures;
        if (mote_world_step(world, TEST_FRAME) == MOTE_OK)
            break;
        check_true(mote_last_result() == MOTE_ERROR_MEMORY, "it fails for want of memory");
        check_true(mote_world_hash(world) == before, "a step that fails leaves the world as it was");
    }
    check_above(failures, 0, "a step has failed");
    check_true(mote_world_hash(world) == anew, "in the end the step is the one that it would have been");
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeping_changes_nothing),
        cmocka_unit_test(loose_ones_come_and_go),
        cmocka_unit_test(a_belt_beside),
        cmocka_unit_test(a_step_that_fails_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
