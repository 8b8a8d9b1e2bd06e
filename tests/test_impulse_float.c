/* A raft under the impulse solver: water, the raft and what lies on it are solved by one law, so it sinks until it
 * displaces its own weight and that of its load. */
#include "impulse_world.h"

static const float HALF_WIDTH = 0.8f, WATER = 0.8f; /* m: of the tank, and how deep it is filled */
enum { FRAMES = TEST_BY_BUILD(900, 20, 2), LAST = FRAMES / 3 };

static double fill_tank(mote_world *world)
{
    mote_material_def def = mote_default_material_def();
    def.fluid = true;
    mote_shape_def tank = mote_default_shape_def();
    tank.type = MOTE_SHAPE_BOX;
    tank.inside = true;
    tank.half_extents = vec(HALF_WIDTH, 3, HALF_WIDTH);
    tank.position = vec(0, 3, 0);
    must_exist(mote_shape_add(world, &tank));
    mote_fluid_def block = mote_default_fluid_def();
    block.material = mote_material_add(world, &def);
    block.min = vec(-HALF_WIDTH, 0, -HALF_WIDTH);
    block.max = vec(HALF_WIDTH, WATER, HALF_WIDTH);
    must(mote_fluid_block(world, &block, NULL));
    double spacing = 2 * (double)TEST_RADIUS;
    return (double)mote_particle_count(world) * spacing * spacing * spacing;
}

static mote_body_id add_box_of(mote_world *world, const uint32_t count[3], float height, float mass)
{
    mote_rigid_def def = mote_default_rigid_def();
    def.mass = mass;
    def.pose.position.y = height;
    mote_body_id body = mote_rigid_box(world, &def, count);
    must_exist(body);
    return body;
}

/* A raft of 1 m x 0.4 m x 1 m and 200 kg, with a stack of small boxes on it. The water rises by what is displaced. */
static void check_raft(uint32_t boxes, float box_mass)
{
    static const uint32_t raft_count[3] = {10, 4, 10}, box_count[3] = {3, 3, 3};
    const double raft_mass = 200, density = 1000;
    mote_world *world = impulse_world();
    double volume = fill_tank(world), mass = raft_mass + (double)boxes * (double)box_mass, mean = 0;
    mote_body_id raft = add_box_of(world, raft_count, 1.05f, (float)raft_mass);
    for (uint32_t n = 0; n < boxes; n++)
        add_box_of(world, box_count, 1.45f + 0.3f * (float)n, box_mass);
    for (int n = 0; n < FRAMES; n++) {
        step_times(world, 1, TEST_FRAME);
        if (n >= FRAMES - LAST)
            mean += (double)body_of(world, raft).center.y / LAST;
    }
    double width = 2 * (double)HALF_WIDTH, level = (volume + mass / density) / (width * width);
    double expected = level - mass / density + 0.2;
    print_message("%u boxes of %g kg: %.4f m high, by Archimedes %.4f\n", boxes, (double)box_mass, mean,
                  expected);
    if (FRAMES >= 900) /* else it is still on its way */
        check_near(mean, expected, 0.03 * 0.4, "height of a raft with %u boxes of %g kg, m", boxes,
                   (double)box_mass);
    mote_world_destroy(world);
}

static void raft_alone(void **state)
{
    (void)state;
    check_raft(0, 0);
}

static void raft_with_a_stone(void **state)
{
    (void)state;
    check_raft(1, 50);
}

static void raft_with_a_stack(void **state)
{
    (void)state;
    check_raft(4, 20);
}

/* Ten boxes on each other, for a minute in the long version: the raft turns back when it tilts, and they stand. */
static void raft_with_ten(void **state)
{
    (void)state;
    enum { BOXES = 10 };
    static const uint32_t raft_count[3] = {10, 4, 10}, box_count[3] = {2, 2, 2};
    const int frames = test_is_long() ? 3600 : FRAMES;
    mote_world *world = impulse_world();
    double volume = fill_tank(world), mass = 200 + BOXES * 2.0, mean = 0;
    mote_body_id raft = add_box_of(world, raft_count, 1.05f, 200), box[BOXES];
    for (int n = 0; n < BOXES; n++)
        box[n] = add_box_of(world, box_count, 1.35f + 0.2f * (float)n, 2);
    for (int n = 0; n < frames; n++) {
        step_times(world, 1, TEST_FRAME);
        if (n >= frames - LAST)
            mean += (double)body_of(world, raft).center.y / LAST;
    }
    double width = 2 * (double)HALF_WIDTH, level = (volume + mass / 1000) / (width * width);
    double height = (double)body_of(world, raft).center.y;
    print_message("ten boxes: %.4f m high, by Archimedes %.4f\n", mean, level - mass / 1000 + 0.2);
    for (int n = 0; n < BOXES; n++)
        check_near((double)body_of(world, box[n]).center.y - height, 0.3 + 0.2 * n, 0.5 * (double)TEST_RADIUS,
                   "box %d: height above the raft, m", n);
    if (FRAMES >= 900) /* else it is still on its way */
        check_near(mean, level - mass / 1000 + 0.2, 0.03 * 0.4, "height of a raft with ten boxes, m");
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raft_alone),
        cmocka_unit_test(raft_with_a_stone),
        cmocka_unit_test(raft_with_a_stack),
        cmocka_unit_test(raft_with_ten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
