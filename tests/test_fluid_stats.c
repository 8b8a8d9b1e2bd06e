/* What the statistics say of liquids, beside what a lattice gives by hand. */
#include "support.h"

#include <math.h>

#define R 0.025f

static mote_world *wet_world(void)
{
    mote_world_def def = test_world_def(NULL);
    def.radius = R;
    mote_world *world = NULL;
    must(mote_world_create(&def, &world));
    return world;
}

static mote_material_id add_liquid(mote_world *world, float density)
{
    mote_material_def def = mote_default_material_def();
    def.fluid = true;
    def.density = density;
    return mote_material_add(world, &def);
}

/* The sum of the kernel (1 - q)^4 (4 q + 1), which reaches 4 R, over a cubic lattice. */
static double kernel_sum(double spacing)
{
    double sum = 0.0;
    for (int x = -4; x <= 4; x++)
        for (int y = -4; y <= 4; y++)
            for (int z = -4; z <= 4; z++) {
                double q = sqrt((double)(x * x + y * y + z * z)) * spacing / (4.0 * (double)R);
                sum += q < 1.0 ? pow(1.0 - q, 4.0) * (4.0 * q + 1.0) : 0.0;
            }
    return sum;
}

/* A lattice a tenth too narrow: who is deep inside sees all of it. */
static void a_compressed_lattice(void **state)
{
    (void)state;
    mote_world *world = wet_world();
    mote_grains_def block = mote_default_grains_def();
    block.spacing = 1.8f * R;
    block.material = add_liquid(world, 1000.0f);
    must(mote_grains_block(world, &block, NULL));
    mote_stats stats = stats_of(world);
    double expected = kernel_sum(1.8 * (double)R) / kernel_sum(2.0 * (double)R) - 1.0;
    assert_int_equal(stats.fluid_particles, 1000);
    check_near(stats.max_density_error, expected, 1e-4, "largest density error");
    check_below(stats.mean_density_error, expected, "mean density error");
    check_below(0.2 * expected, stats.mean_density_error, "mean density error, from below");
    double volume = 1000 * pow(2.0 * (double)R, 3.0);
    check_below(stats.fluid_volume, volume, "volume of what is compressed");
    check_below(volume / (1.0 + expected), stats.fluid_volume, "volume, from below");
    mote_world_destroy(world);
}

/* At rest spacing between walls nothing is too dense, and the volume is that of the box. */
static void a_full_box(void **state)
{
    (void)state;
    mote_world *world = wet_world();
    mote_shape_def box = mote_default_shape_def();
    box.type = MOTE_SHAPE_BOX;
    box.half_extents = vec(0.25f, 0.25f, 0.25f);
    box.inside = true;
    assert_false(mote_is_null(mote_shape_add(world, &box)));
    mote_fluid_def fluid = mote_default_fluid_def();
    fluid.min = vec(-0.25f, -0.25f, -0.25f);
    fluid.max = vec(0.25f, 0.25f, 0.25f);
    fluid.material = add_liquid(world, 700.0f);
    must(mote_fluid_block(world, &fluid, NULL));
    uint64_t hash = mote_world_hash(world);
    mote_stats stats = stats_of(world);
    check_near(stats.fluid_volume, 0.125, 1e-3, "volume, m^3");
    check_below(stats.max_density_error, 0.01, "largest density error");
    assert_int_equal(mote_world_hash(world), hash);
    mote_world_destroy(world);
}

/* Grains count for nothing, and a world without liquids has zeros. */
static void others_do_not_count(void **state)
{
    (void)state;
    mote_world *world = wet_world();
    mote_grains_def block = mote_default_grains_def();
    block.spacing = 1.8f * R;
    must(mote_grains_block(world, &block, NULL));
    mote_stats stats = stats_of(world);
    assert_int_equal(stats.fluid_particles, 0);
    check_near((double)stats.max_density_error + (double)stats.mean_density_error, 0.0, 0.0, "density errors");
    check_near(stats.fluid_volume, 0.0, 0.0, "volume");
    mote_fluid_def drop = mote_default_fluid_def();
    drop.min = vec(5, 5, 5);
    drop.max = vec(5 + 4 * R, 5 + 4 * R, 5 + 4 * R);
    drop.material = add_liquid(world, 1000.0f);
    must(mote_fluid_block(world, &drop, NULL));
    stats = stats_of(world);
    assert_int_equal(stats.fluid_particles, 8);
    check_near(stats.fluid_volume, 8 * pow(2.0 * (double)R, 3.0), 1e-9, "volume of the drop, m^3");
    mote_world_destroy(world);
}

/* Water is taken out after a step, all but a drop: what the step knew of more of it is not asked. */
static void less_than_in_the_last_step(void **state)
{
    (void)state;
    mote_world *world = wet_world();
    mote_fluid_def def = mote_default_fluid_def();
    def.material = add_liquid(world, 1000.0f);
    def.min = vec(0, 0, 0);
    def.max = vec(1, 1, 1);
    must(mote_fluid_block(world, &def, NULL));
    must(mote_world_step(world, TEST_FRAME));
    mote_particles_view view = mote_particles_get_view(world);
    while (view.count > 1) {
        must(mote_particle_remove(world, view.id[view.count - 1]));
        view = mote_particles_get_view(world);
    }
    mote_stats stats;
    must(mote_world_stats(world, &stats));
    check_near(stats.max_density_error, 0.0, 0.0, "error of density of a drop");
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_compressed_lattice),
        cmocka_unit_test(a_full_box),
        cmocka_unit_test(others_do_not_count),
        cmocka_unit_test(less_than_in_the_last_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
