/* A raft under the impulse solver: water, the raft and what lies on it are solved by one law, so it sinks until it
 * displaces its own weight and that of its load. */
#include "impulse_world.h"

static const float HALF_WIDTH = 0.8f, WATER = 0.8f; /* m: of the tank, and how deep it is filled */
static const double RAFT_HEIGHT = 0.4;              /* m */
enum { FRAMES = TEST_BY_BUILD(900, 20, 2), LAST = FRAMES / 3 };

static double fill_tank(mote_world *world, float half_width)
{
    mote_material_def def = mote_default_material_def();
    def.fluid = true;
    mote_shape_def tank = mote_default_shape_def();
    tank.type = MOTE_SHAPE_BOX;
    tank.inside = true;
    tank.half_extents = vec(half_width, 4, half_width);
    tank.position = vec(0, 4, 0);
    must_exist(mote_shape_add(world, &tank));
    mote_fluid_def block = mote_default_fluid_def();
    block.material = mote_material_add(world, &def);
    block.min = vec(-half_width, 0, -half_width);
    block.max = vec(half_width, WATER, half_width);
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
    double volume = fill_tank(world, HALF_WIDTH), mass = raft_mass + (double)boxes * (double)box_mass, mean = 0;
    mote_body_id raft = add_box_of(world, raft_count, 1.05f, (float)raft_mass);
    for (uint32_t n = 0; n < boxes; n++)
        add_box_of(world, box_count, 1.45f + 0.3f * (float)n, box_mass);
    for (int n = 0; n < FRAMES; n++) {
        step_times(world, 1, TEST_FRAME);
        if (n >= FRAMES - LAST)
            mean += (double)body_of(world, raft).center.y / LAST;
    }
    double width = 2 * (double)HALF_WIDTH, level = (volume + mass / density) / (width * width);
    double expected = level - mass / density + RAFT_HEIGHT / 2;
    print_message("%u boxes of %g kg: %.4f m high, by Archimedes %.4f\n", boxes, (double)box_mass, mean,
                  expected);
    if (FRAMES >= 900) /* else it is still on its way */
        check_near(mean, expected, 0.03 * RAFT_HEIGHT, "height of a raft with %u boxes of %g kg, m", boxes,
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

/* Ten boxes of half a metre on each other, for a minute, with MOTE_LONG=1: the raft turns back when it tilts, and they
 * stand. Of a raft of 2 m x 0.4 m x 2 m and 800 kg with 100 kg on it, 2.9 m above its bottom, the draft is 0.225 m; the
 * centre of buoyancy is 0.1125 m above the bottom, the metacentre 2^2 / (12 x 0.225) = 1.48 m above that, and the centre
 * of gravity at (800 x 0.2 + 100 x 2.9) / 900 = 0.5 m: 1.09 m below the metacentre. The tower itself would fall at a heel
 * of 4.6 degrees: so far out, 2.5 m high, its weight leaves the 0.2 m to the outermost particles. */
static void raft_with_ten(void **state)
{
    (void)state;
    if (!test_is_long())
        return;
    enum { BOXES = 10 };
    static const uint32_t raft_count[3] = {20, 4, 20}, box_count[3] = {5, 5, 5};
    const float half_width = 1.6f;
    const double raft_mass = 800, box_mass = 10, mass = raft_mass + BOXES * box_mass;
    mote_world *world = impulse_world();
    double volume = fill_tank(world, half_width), mean = 0;
    mote_body_id raft = add_box_of(world, raft_count, 1.05f, (float)raft_mass), box[BOXES];
    step_times(world, LAST, TEST_FRAME); /* the raft comes to rest, and then they are put on it */
    float deck = body_of(world, raft).center.y + 0.2f;
    for (int n = 0; n < BOXES; n++)
        box[n] = add_box_of(world, box_count, deck + 0.25f + 0.5f * (float)n, (float)box_mass);
    const int frames = 3600;
    for (int n = 0; n < frames; n++) {
        step_times(world, 1, TEST_FRAME);
        if (n >= frames - LAST)
            mean += (double)body_of(world, raft).center.y / LAST;
    }
    double width = 2 * (double)half_width, level = (volume + mass / 1000) / (width * width);
    double expected = level - mass / (1000 * 2 * 2) + RAFT_HEIGHT / 2;
    double height = (double)body_of(world, raft).center.y;
    print_message("ten boxes: %.4f m high, by Archimedes %.4f\n", mean, expected);
    for (int n = 0; n < BOXES; n++)
        check_near((double)body_of(world, box[n]).center.y - height, 0.45 + 0.5 * n, 0.5 * (double)TEST_RADIUS,
                   "box %d: height above the raft, m", n);
    if (FRAMES >= 900) /* else it is still on its way */
        check_near(mean, expected, 0.03 * RAFT_HEIGHT, "height of a raft with ten boxes, m");
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
