/* The rules of queries: what is looked at, where a ray may start, what is refused. */
#include "support.h"

#include <math.h>

static mote_ray_hit one_ray(mote_world *world, mote_vec3 origin, mote_vec3 direction,
                            const mote_query_filter *filter)
{
    mote_ray ray = {origin, direction, 100};
    mote_ray_hit hit;
    must(mote_ray_cast(world, &ray, 1, filter, &hit));
    return hit;
}

static void filters(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_particle_id balls[3];
    mote_shape_id shapes[3];
    for (int i = 0; i < 3; i++) { /* groups 1, 2, 3 at x = 1, 2, 3; channels 0, 1, 2 at x = 11, 12, 13 */
        mote_particle_def ball = mote_default_particle_def();
        ball.position = vec((float)i + 1, 0, 0);
        ball.phase = mote_phase((uint32_t)i + 1, true, 0x7F);
        balls[i] = mote_particle_add(world, &ball);
        mote_shape_def shape = mote_default_shape_def();
        shape.position = vec((float)i + 11, 0, 0);
        shape.radius = 0.1f;
        shape.channels = 1u << i;
        shapes[i] = mote_shape_add(world, &shape);
    }
    mote_query_filter filter = mote_default_query_filter();
    mote_vec3 start = vec(0, 0, 0), x = vec(1, 0, 0);
    check_true(one_ray(world, start, x, &filter).particle.index == balls[0].index, "the first of all");
    for (uint32_t i = 0; i < 3; i++) {
        filter.group = i + 1;
        check_true(one_ray(world, start, x, &filter).particle.index == balls[i].index, "group %u", i + 1);
    }
    filter.group = 9;
    check_true(one_ray(world, start, x, &filter).shape.index == shapes[0].index, "no such group");
    filter = mote_default_query_filter();
    filter.particles = false;
    for (uint32_t i = 0; i < 3; i++) {
        filter.channels = 1u << i;
        mote_ray_hit hit = one_ray(world, start, x, &filter);
        check_true(hit.hit && hit.shape.index == shapes[i].index, "channel %u", i);
    }
    filter.channels = 1u << 5;
    check_true(!one_ray(world, start, x, &filter).hit, "no such channel");
    filter = mote_default_query_filter();
    filter.particles = filter.shapes = false;
    check_true(!one_ray(world, start, x, &filter).hit, "neither particles nor shapes");
    mote_world_destroy(world);
}

static void starting_inside_and_ties(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_shape_def shape = mote_default_shape_def();
    mote_shape_id first = mote_shape_add(world, &shape), second = mote_shape_add(world, &shape);
    mote_particle_def ball = mote_default_particle_def();
    ball.radius = shape.radius;
    mote_particle_id a = mote_particle_add(world, &ball), b = mote_particle_add(world, &ball);
    mote_vec3 x = vec(1, 0, 0);
    check_true(!one_ray(world, vec(0.2f, 0, 0), x, NULL).hit, "from inside of all nothing is met");
    mote_ray_hit hit = one_ray(world, vec(-2, 0, 0), x, NULL);
    check_true(hit.particle.index == a.index && mote_is_null(hit.shape), "of equals the first particle");
    must(mote_particle_remove(world, a));
    check_true(one_ray(world, vec(-2, 0, 0), x, NULL).particle.index == b.index, "then the other one");
    must(mote_particle_remove(world, b));
    check_true(one_ray(world, vec(-2, 0, 0), x, NULL).shape.index == first.index, "then the first shape");
    shape.trigger = true;
    must(mote_shape_set(world, first, &shape));
    check_true(one_ray(world, vec(-2, 0, 0), x, NULL).shape.index == second.index, "a trigger is not met");
    must(mote_shape_move_to(world, second, vec(5, 0, 0), shape.rotation));
    check_near(one_ray(world, vec(-2, 0, 0), x, NULL).distance, 1.5, 1e-5, "a shape is where it is now");
    step_times(world, 1, TEST_FRAME);
    check_near(one_ray(world, vec(-2, 0, 0), x, NULL).distance, 6.5, 1e-5, "and there after the step");
    mote_world_destroy(world);
}

/* Hills: met from above only, and not at all by a ray that starts in the ground. */
static void hills(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    float heights[5 * 3];
    for (int i = 0; i < 15; i++)
        heights[i] = i % 5 % 2 == 1 ? 1.0f : 0.0f; /* ridges along z at x = 1 and x = 3 */
    mote_heightfield_def field = {5, 3, 1, heights};
    mote_shape_def shape = mote_default_shape_def();
    shape.type = MOTE_SHAPE_GEOMETRY;
    shape.geometry = mote_heightfield_add(world, &field);
    must_exist(mote_shape_add(world, &shape));
    mote_ray_hit hit = one_ray(world, vec(0.5f, 50, 1.2f), vec(0, -1, 0), NULL);
    check_near(hit.point.y, 0.5, 1e-5, "half way up the slope");
    check_near(hit.normal.x, -sqrt(0.5), 1e-5, "the slope's normal");
    check_near(one_ray(world, vec(-1, 0.25f, 1.2f), vec(1, 0, 0), NULL).point.x, 0.25, 1e-5, "from the side");
    check_true(!one_ray(world, vec(1, 0.5f, 1.2f), vec(1, 0, 0), NULL).hit, "from within the first ridge");
    check_true(!one_ray(world, vec(0.5f, -5, 1.2f), vec(0, 1, 0), NULL).hit, "from below");
    mote_world_destroy(world);
}

static void bad_input(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    add_floor(world, (mote_material_id){0});
    const mote_ray good = {{0, 1, 0}, {0, -1, 0}, 10};
    mote_ray rays[2] = {good, good};
    mote_ray_hit hits[2];
    must(mote_ray_cast(world, NULL, 0, NULL, NULL));
    assert_int_equal(mote_ray_cast(NULL, rays, 2, NULL, hits), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_ray_cast(world, NULL, 2, NULL, hits), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_ray_cast(world, rays, 2, NULL, NULL), MOTE_ERROR_ARGUMENT);
    rays[1].direction = vec(0, 0, 0);
    assert_int_equal(mote_ray_cast(world, rays, 2, NULL, hits), MOTE_ERROR_ARGUMENT);
    assert_string_equal(mote_last_error(), "rays[1].direction has no length");
    rays[1].direction = vec(0, NAN, 0);
    assert_int_equal(mote_ray_cast(world, rays, 2, NULL, hits), MOTE_ERROR_NOT_FINITE);
    rays[1] = good;
    rays[1].origin.z = INFINITY;
    assert_int_equal(mote_ray_cast(world, rays, 2, NULL, hits), MOTE_ERROR_NOT_FINITE);
    const float lengths[] = {0, -1, NAN, 2e7f};
    for (int i = 0; i < 4; i++) {
        rays[1] = good;
        rays[1].length = lengths[i];
        assert_true(mote_ray_cast(world, rays, 2, NULL, hits) != MOTE_OK);
    }
    mote_query_filter filter = mote_default_query_filter();
    filter.channels = 0x80;
    assert_int_equal(mote_ray_cast(world, rays, 1, &filter, hits), MOTE_ERROR_ARGUMENT);
    filter = mote_default_query_filter();
    filter.group = 0x100000;
    assert_int_equal(mote_ray_cast(world, rays, 1, &filter, hits), MOTE_ERROR_ARGUMENT);
    rays[0].direction = vec(0, -1e-40f, 0); /* tiny, but a direction */
    must(mote_ray_cast(world, rays, 1, NULL, hits));
    check_near(hits[0].distance, 1, 1e-6, "distance to the floor");
    mote_world_destroy(world);
}

/* Every allocation of a cast may fail; the call says so, nothing leaks, and the next one works. */
static void memory_runs_out(void **state)
{
    (void)state;
    test_heap heap = {0};
    mote_world_def def = test_world_def(NULL);
    def.allocator = heap_allocator(&heap);
    mote_world *world = tumbling_world(&def, 6, 6, 6);
    must_exist(mote_shape_add(world, &(mote_shape_def){.type = MOTE_SHAPE_BOX,
                                                       .rotation = {0, 0, 0, 1},
                                                       .half_extents = {1, 1, 1},
                                                       .channels = 1}));
    mote_ray ray = {{0, 10, 0}, {0, -1, 0}, 100};
    mote_ray_hit hit;
    mote_overlap_result result = {0};
    int failures = 0;
    for (size_t n = 1;; n++) {
        heap.fail_at = heap.calls + n;
        mote_result cast = mote_ray_cast(world, &ray, 1, NULL, &hit);
        mote_result found = cast == MOTE_OK ? mote_overlap_sphere(world, vec(0, 0, 0), 1, NULL, &result) : cast;
        if (cast == MOTE_OK && found == MOTE_OK)
            break;
        assert_int_equal(found, MOTE_ERROR_MEMORY);
        failures++;
    }
    check_above(failures, 3, "allocations that failed");
    check_true(hit.hit && result.particle_count > 0, "it works in the end");
    mote_world_destroy(world);
    assert_int_equal(heap.live_blocks, 0);
    assert_int_equal(heap.wrong_sizes + heap.overruns, 0);
}

/* While rays are cast the host's tasks must not call into the world, whatever they call. */
typedef struct host {
    mote_world *world;
    mote_result step, cast, ball, box;
    uint32_t calls;
} host;

static void call_back(void *user, mote_task *task, void *context, uint32_t count)
{
    host *h = user;
    mote_ray ray = {{0, 1, 0}, {0, -1, 0}, 10};
    mote_ray_hit hit;
    mote_overlap_result result = {0};
    h->step = mote_world_step(h->world, TEST_FRAME);
    h->cast = mote_ray_cast(h->world, &ray, 1, NULL, &hit);
    h->ball = mote_overlap_sphere(h->world, ray.origin, 1, NULL, &result);
    h->box = mote_overlap_box(h->world, ray.origin, ray.origin, NULL, &result);
    h->calls++;
    for (uint32_t i = 0; i < count; i++)
        task(context, i);
}

static void busy_world(void **state)
{
    (void)state;
    host h = {0};
    mote_world_def def = test_world_def(NULL);
    def.tasks = (mote_task_system){call_back, &h, 2};
    must(mote_world_create(&def, &h.world));
    add_floor(h.world, (mote_material_id){0});
    enum { RAYS = 100 };
    mote_ray rays[RAYS];
    mote_ray_hit hits[RAYS];
    for (int i = 0; i < RAYS; i++)
        rays[i] = (mote_ray){{(float)i, 1, 0}, {0, -1, 0}, 10};
    must(mote_ray_cast(h.world, rays, RAYS, NULL, hits));
    check_above(h.calls, 1, "calls of the host's task system");
    assert_int_equal(h.step, MOTE_ERROR_BUSY);
    assert_int_equal(h.cast, MOTE_ERROR_BUSY);
    assert_int_equal(h.ball, MOTE_ERROR_BUSY);
    assert_int_equal(h.box, MOTE_ERROR_BUSY);
    for (int i = 0; i < RAYS; i++)
        check_near(hits[i].distance, 1, 1e-6, "ray %d", i);
    must(mote_world_step(h.world, TEST_FRAME)); /* busy no more */
    mote_world_destroy(h.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters),   cmocka_unit_test(starting_inside_and_ties), cmocka_unit_test(hills),
        cmocka_unit_test(bad_input), cmocka_unit_test(memory_runs_out),          cmocka_unit_test(busy_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
