/* Water much deeper than wide: what is at its bottom bears all of it and is not pressed together, and nothing boils. */
#include "wet_tank.h"

#include <math.h>

#define WIDE 8 /* spacings, both ways */

typedef struct tank_look {
    double mean, most, speed; /* errors of density; root of the mean square of speeds, m/s */
} tank_look;

static tank_look look_at(mote_world *world)
{
    mote_stats stats;
    must(mote_world_stats(world, &stats));
    mote_particles_view view = mote_particles_get_view(world);
    double sum = 0.0;
    for (size_t i = 0; i < view.count; i++) {
        const mote_vec4 v = view.velocity[i];
        sum += (double)(v.x * v.x + v.y * v.y + v.z * v.z);
    }
    return (tank_look){(double)stats.mean_density_error, (double)stats.max_density_error,
                       sqrt(sum / (double)view.count)};
}

/* From the lattice on, which is a bit too high: it drops, and comes to rest slowly, as what is still out of place finds
 * its place. */
static void check_tank(int layers)
{
    mote_world *world = tank_world();
    add_tank(world, WIDE, WIDE);
    add_water(world, WIDE, layers, WIDE);
    double slow = sqrt(TEST_GRAVITY * 2.0 * (double)R), before = INFINITY;
    step_times(world, 120, TEST_FRAME);
    for (int second = 3; second <= 8; second++) {
        step_times(world, 60, TEST_FRAME);
        tank_look now = look_at(world);
        check_below(now.mean, 0.003, "mean error of density, %d layers, %d s", layers, second);
        check_below(now.most, 0.02, "largest error of density, %d layers, %d s", layers, second);
        check_below(now.speed, before, "speed beside that a second before, %d layers, %d s", layers, second);
        before = now.speed;
    }
    check_below(before, 0.05 * slow, "speed of what lies still, %d layers, m/s", layers);
    mote_world_destroy(world);
}

static void deep_water_lies_still(void **state)
{
    (void)state;
    check_tank(20);
    check_tank(40);
    check_tank(80);
}

/* What begins in no order is as still, and as dense, a second later. */
static void packed_water_lies_still(void **state)
{
    (void)state;
    const int layers[2] = {20, 40};
    for (int k = 0; k < 2; k++) {
        mote_world *world = tank_world();
        add_tank(world, WIDE, WIDE);
        pack_water(world, WIDE, layers[k], WIDE);
        step_times(world, 60, TEST_FRAME);
        tank_look first = look_at(world);
        step_times(world, 120, TEST_FRAME);
        tank_look last = look_at(world);
        check_below(first.mean, 0.003, "mean error of density, %d layers, 1 s", layers[k]);
        check_below(first.most, 0.02, "largest error of density, %d layers, 1 s", layers[k]);
        check_below(last.speed, first.speed, "speed beside that 2 s before, %d layers", layers[k]);
        double top = highest_of(world, 0.0, 1.0), full = 2.0 * (double)R * ((double)layers[k] - 0.5);
        check_near(top, full, 2.0 * (double)R * 0.5, "height of the topmost, %d layers, m", layers[k]);
        mote_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deep_water_lies_still),
        cmocka_unit_test(packed_water_lies_still),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
