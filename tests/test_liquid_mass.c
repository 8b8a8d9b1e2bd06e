/* How heavy a liquid is says nothing of how it lies when it is alone: pressures are as much larger as what they move is
 * harder to move. */
#include "wet_tank.h"

#define WIDE   6 /* spacings */
#define LAYERS 12

typedef struct column {
    double height, mean; /* of the middle of mass, m; mean error of density */
} column;

static column column_of(float density)
{
    mote_world *world = tank_world();
    add_tank(world, WIDE, WIDE);
    mote_fluid_def def = mote_default_fluid_def();
    def.material = add_matter(world, density, true);
    def.min = vec(0, 0, 0);
    def.max = vec(2.0f * R * WIDE, 2.0f * R * LAYERS, 2.0f * R * WIDE);
    must(mote_fluid_block(world, &def, NULL));
    step_times(world, 120, TEST_FRAME);
    mote_stats stats;
    must(mote_world_stats(world, &stats));
    mote_particles_view view = mote_particles_get_view(world);
    double sum = 0.0;
    for (size_t i = 0; i < view.count; i++)
        sum += (double)view.position[i].y;
    column c = {sum / (double)view.count, (double)stats.mean_density_error};
    mote_world_destroy(world);
    return c;
}

static void liquids_alone_lie_alike(void **state)
{
    (void)state;
    const float densities[] = {1e-8f, 1e-5f, 1e-2f, 1.0f, 2e4f};
    column water = column_of(1000.0f);
    for (size_t k = 0; k < sizeof densities / sizeof densities[0]; k++) {
        column c = column_of(densities[k]);
        check_near(c.height, water.height, 0.01 * water.height, "middle at %g kg/m^3, m", (double)densities[k]);
        check_below(c.mean, 0.003, "mean error of density at %g kg/m^3", (double)densities[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(liquids_alone_lie_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
