/* The angle of repose: a column of grains collapses on a rough floor, and the slope of the heap that is left
 * grows with the friction of the grains. */
#include "heap_slope.h"

enum { WIDTH = 12, HEIGHT = 21 }; /* 12 * 21 * 12 = 3024 grains */

static mote_world *collapsed_column(float friction)
{
    mote_settings settings = mote_default_settings();
    settings.sleep_speed = 0.02f; /* as the sand-pile scene has it */
    mote_world *world = test_world(&settings);
    mote_material_id sand = add_material(world, friction, friction, 0);
    add_floor(world, sand);
    mote_grains_def column = mote_default_grains_def();
    column.count[0] = column.count[2] = WIDTH;
    column.count[1] = HEIGHT;
    column.origin = vec(-(WIDTH - 1) * TEST_RADIUS, TEST_RADIUS, -(WIDTH - 1) * TEST_RADIUS);
    column.spacing = 3 * TEST_RADIUS; /* grains that do not roll would stand as a crystal, let go as one */
    column.jitter = 0.45f;
    column.radius_spread = 0.2f; /* grains of one size would stack like cannonballs */
    column.material = sand;
    must(mote_grains_block(world, &column, NULL));
    step_times(world, 240, TEST_FRAME);
    return world;
}

/* Frictionless grains run out to a single layer, and with a mu of 0.1 hardly more is left; from there on
 * every further step must make the heap steeper by more than the scatter of the measure, some degrees. And
 * it must be a heap: at rest, or nearly (a grain that goes 1 cm/s needs ten seconds for its own width). */
static void angle_grows_with_friction(void **state)
{
    (void)state;
    static const float values[] = {0, 0.1f, 0.3f, 0.6f};
    double angles[4], speeds[4];
    for (int i = 0; i < 4; ++i) {
        mote_world *world = collapsed_column(values[i]);
        angles[i] = flank_angle(world);
        speeds[i] = mean_speed(world);
        print_message(
            "mu %.1f: slope %.1f degrees, height %.2f m, mean speed %.4f m/s, deepest overlap %.1f %% of a "
            "radius\n",
            (double)values[i], angles[i], highest_grain(world), speeds[i],
            100 * (double)stats_of(world).max_penetration / TEST_RADIUS);
        if (values[i] == 0)
            check_below(highest_grain(world), 4 * TEST_RADIUS, "height of a heap without friction");
        mote_world_destroy(world);
    }
    check_below(angles[0], 3, "slope without friction, degrees");
    check_above(angles[1], angles[0], "slope with mu 0.1 against none, degrees");
    for (int i = 2; i < 4; ++i) {
        check_above(angles[i], angles[i - 1] + 5, "slope with mu %g against that with mu %g, degrees",
                    (double)values[i], (double)values[i - 1]);
        check_below(speeds[i], 0.01, "mean speed of the heap with mu %g", (double)values[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(angle_grows_with_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
