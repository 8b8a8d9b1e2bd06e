/* The angle of repose: a column of grains collapses on a rough floor, and the slope of the heap that is left
 * grows with the friction of the grains. */
#include "support.h"

#include <math.h>

enum { WIDTH = 12, HEIGHT = 21, RINGS = 40, SECTORS = 8 }; /* 12 * 21 * 12 = 3024 grains */
static const double RING = 2 * TEST_RADIUS;                /* m, the width of a ring */

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
    column.radius_spread = 0.2f; /* grains of one size would stack like cannonballs */
    column.jitter = 0.05f;
    column.material = sand;
    must(mote_grains_block(world, &column, NULL));
    step_times(world, 240, TEST_FRAME);
    return world;
}

/* The heap seen as a height over the distance from its middle: the highest grain of each cell of a target,
 * rings one grain wide that are cut into eight sectors, averaged over the sectors. */
static void measure_surface(const mote_world *world, double surface[RINGS])
{
    mote_particles_view view = mote_particles_get_view(world);
    double tops[RINGS][SECTORS] = {{0}}, middle_x = 0, middle_z = 0;
    for (size_t i = 0; i < view.count; ++i) {
        middle_x += (double)view.position[i].x / (double)view.count;
        middle_z += (double)view.position[i].z / (double)view.count;
    }
    for (size_t i = 0; i < view.count; ++i) {
        double x = (double)view.position[i].x - middle_x, z = (double)view.position[i].z - middle_z;
        double ring = hypot(x, z) / RING, sector = (atan2(z, x) / TEST_PI + 1) * SECTORS / 2;
        double height = (double)view.position[i].y - TEST_RADIUS; /* of what lies on a single layer */
        if (ring < RINGS)
            tops[(int)ring][(int)sector % SECTORS] = fmax(tops[(int)ring][(int)sector % SECTORS], height);
    }
    for (int k = 0; k < RINGS; ++k) {
        surface[k] = 0;
        for (int sector = 0; sector < SECTORS; ++sector)
            surface[k] += tops[k][sector] / SECTORS;
    }
}

/* The distance from the middle beyond which the surface stays below a height. */
static double last_above(const double surface[RINGS], double height)
{
    int k = RINGS - 1;
    while (k > 0 && surface[k] < height)
        --k;
    double next = k + 1 < RINGS ? surface[k + 1] : 0;
    return (k + 0.5 + (surface[k] - height) / (surface[k] - next)) * RING;
}

/* The slope of the flank, in degrees, from 80 % to 20 % of the height: below lie the grains that ran away,
 * above the round top. What is not higher than two grains is no heap. */
static double flank_angle(const mote_world *world)
{
    double surface[RINGS], peak = 0;
    measure_surface(world, surface);
    for (int k = 1; k < RINGS; ++k) /* the innermost ring is too small for eight sectors */
        peak = fmax(peak, surface[k]);
    if (peak < 4 * TEST_RADIUS)
        return 0;
    double run = last_above(surface, 0.2 * peak) - last_above(surface, 0.8 * peak);
    return atan(0.6 * peak / run) * 180 / TEST_PI;
}

static double mean_speed(const mote_world *world)
{
    mote_particles_view view = mote_particles_get_view(world);
    double sum = 0;
    for (size_t i = 0; i < view.count; ++i)
        sum += length_of(vec(view.velocity[i].x, view.velocity[i].y, view.velocity[i].z));
    return sum / (double)view.count;
}

static double highest_grain(const mote_world *world)
{
    mote_particles_view view = mote_particles_get_view(world);
    double top = 0;
    for (size_t i = 0; i < view.count; ++i)
        top = fmax(top, (double)view.position[i].y);
    return top;
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
