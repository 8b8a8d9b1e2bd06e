/* The angle of repose: a column of grains collapses on a rough floor, and the slope of the heap that is left
 * grows with the friction of the grains. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 12, HEIGHT = 21, GRAINS = WIDTH * HEIGHT * WIDTH /* 3024 */, RINGS = 100, SECTORS = 8 };

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

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The heap seen as a height over the distance from its middle. Its surface is the highest grain of each cell of
 * a target: rings one grain wide, cut into eight sectors, averaged over the sectors. The slope is that of the
 * straight line (least squares) through the rings out to where nine tenths of the grains are; what lies outside
 * are single grains that ran away. */
static double flank_angle(const mote_world *world)
{
    mote_particles_view view = mote_particles_get_view(world);
    static double tops[RINGS][SECTORS], radii[GRAINS];
    double middle_x = 0, middle_z = 0;
    const double ring = 2 * TEST_RADIUS;
    memset(tops, 0, sizeof tops);
    for (size_t i = 0; i < view.count; ++i) {
        middle_x += (double)view.position[i].x / (double)view.count;
        middle_z += (double)view.position[i].z / (double)view.count;
    }
    for (size_t i = 0; i < view.count; ++i) {
        double x = (double)view.position[i].x - middle_x, z = (double)view.position[i].z - middle_z;
        radii[i] = hypot(x, z);
        int k = (int)(radii[i] / ring), sector = (int)((atan2(z, x) / TEST_PI + 1) * SECTORS / 2) % SECTORS;
        if (k < RINGS)
            tops[k][sector] = fmax(tops[k][sector], (double)view.position[i].y);
    }
    qsort(radii, view.count, sizeof radii[0], by_size);
    int last = (int)fmin(radii[view.count * 9 / 10] / ring, RINGS - 1);
    double n = 0, r_sum = 0, y_sum = 0, rr_sum = 0, ry_sum = 0;
    for (int k = 0; k <= last; ++k) {
        double r = (k + 0.5) * ring, y = 0;
        for (int sector = 0; sector < SECTORS; ++sector)
            y += tops[k][sector] / SECTORS;
        n += 1, r_sum += r, y_sum += y, rr_sum += r * r, ry_sum += r * y;
    }
    double slope = -(n * ry_sum - r_sum * y_sum) / (n * rr_sum - r_sum * r_sum);
    return atan(slope) * 180 / TEST_PI;
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

/* Frictionless grains run out to a single layer, so there is no slope to speak of: 3 degrees are one grain in
 * twenty. From a mu of 0.1 on, where hardly more than that is left of the heap, every further step must make it
 * steeper by more than the scatter of the fit, about a degree. And it must be a heap: at rest, or nearly (a
 * grain that goes 1 cm/s needs ten seconds for its own width). */
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
        check_above(angles[i], angles[i - 1] + 1, "slope with mu %g against that with mu %g, degrees",
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
