/* Things of different density in one tank sort themselves: sand sinks in water, and a liquid on one half as
 * dense changes places with it. */
#include "wet_tank.h"

#include <math.h>

/* Grains that lie on the water go down, most of them to the ground. */
static void sand_sinks(void **state)
{
    (void)state;
    mote_world *world = tank_world();
    add_tank(world, 12, 8);
    add_water(world, 12, 6, 8);
    mote_grains_def sand = mote_default_grains_def();
    sand.origin = vec(5 * R, 14 * R, 5 * R);
    sand.count[0] = 6;
    sand.count[1] = 1;
    sand.count[2] = 4;
    sand.material = add_matter(world, 3000.0f, false);
    mote_particle_id grains[24];
    must(mote_grains_block(world, &sand, grains));
    step_times(world, 300, TEST_FRAME);
    double mean = 0.0;
    for (int k = 0; k < 24; k++)
        mean += (double)state_of(world, grains[k]).position.y / 24;
    check_below(mean, 6.0 * (double)R, "mean height of the grains, m");
    mote_world_destroy(world);
}

/* The part of the particles on the wrong side of the height below which there
 * is room for the denser liquid. */
static double wrong_part(const mote_world *world, double middle)
{
    mote_particles_view view = mote_particles_get_view(world);
    double heaviest = 0.0;
    for (size_t i = 0; i < view.count; i++)
        heaviest = fmax(heaviest, 1.0 / (double)view.velocity[i].w);
    size_t wrong = 0;
    for (size_t i = 0; i < view.count; i++) {
        bool heavy = 1.0 / (double)view.velocity[i].w > 0.75 * heaviest;
        wrong += heavy == ((double)view.position[i].y > middle);
    }
    return (double)wrong / (double)view.count;
}

/* A liquid lies on one half as dense: they change places, and no drop of one is
 * left in the other. */
static void liquids_turn_over(void **state)
{
    (void)state;
    skip_unmet();
    mote_world *world = tank_world();
    add_tank(world, 10, 6);
    for (int k = 0; k < 2; k++) {
        mote_fluid_def def = mote_default_fluid_def();
        def.material = add_matter(world, k == 0 ? 500.0f : 1000.0f, true);
        def.min = vec(0, 16.0f * R * (float)k, 0);
        def.max = vec(20.0f * R, 16.0f * R * (float)(k + 1), 12.0f * R);
        def.jitter = 0.3f;
        must(mote_fluid_block(world, &def, NULL));
    }
    check_above(wrong_part(world, 16.0 * (double)R), 0.99, "in the wrong half at first");
    step_times(world, 1200, TEST_FRAME);
    check_below(wrong_part(world, 0.5 * (highest_of(world, 0.0, 10.0) + (double)R)), 0.03, "in the wrong half");
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sand_sinks), cmocka_unit_test(liquids_turn_over)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
