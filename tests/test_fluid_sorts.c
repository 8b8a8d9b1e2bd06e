/* Things of different density in one tank sort themselves: sand sinks in water, and a liquid on one half as
 * dense changes places with it. */
#include "support.h"

#include <math.h>

#define R 0.025f

static mote_world *wet_world(void)
{
    mote_world_def def = mote_default_world_def();
    def.radius = R;
    def.thread_count = 1;
    mote_world *world = NULL;
    must(mote_world_create(&def, &world));
    return world;
}

static mote_material_id matter(mote_world *world, float density, bool fluid)
{
    mote_material_def def = mote_default_material_def();
    def.fluid = fluid;
    def.density = density;
    def.static_friction = def.kinetic_friction = fluid ? 0.0f : 0.3f;
    return mote_material_add(world, &def);
}

/* From 0 to wide along x and to deep along z, in spacings. */
static void add_tank(mote_world *world, int wide, int deep)
{
    mote_plane_def wall = mote_default_plane_def();
    const mote_vec3 normals[5] = {vec(0, 1, 0), vec(1, 0, 0), vec(-1, 0, 0), vec(0, 0, 1), vec(0, 0, -1)};
    const float offsets[5] = {0.0f, 0.0f, -2.0f * R * (float)wide, 0.0f, -2.0f * R * (float)deep};
    for (int k = 0; k < 5; k++) {
        wall.normal = normals[k];
        wall.offset = offsets[k];
        must_exist(mote_plane_add(world, &wall));
    }
}

/* As many particles along x, y and z, from the tank's corner on. */
static void add_water(mote_world *world, int x, int y, int z)
{
    mote_fluid_def def = mote_default_fluid_def();
    def.material = matter(world, 1000.0f, true);
    def.min = vec(0, 0, 0);
    def.max = vec(2.0f * R * (float)x, 2.0f * R * (float)y, 2.0f * R * (float)z);
    must(mote_fluid_block(world, &def, NULL));
}

/* Grains that lie on the water go down, most of them to the ground. */
static void sand_sinks(void **state)
{
    (void)state;
    mote_world *world = wet_world();
    add_tank(world, 12, 8);
    add_water(world, 12, 6, 8);
    mote_grains_def sand = mote_default_grains_def();
    sand.origin = vec(5 * R, 14 * R, 5 * R);
    sand.count[0] = 6;
    sand.count[1] = 1;
    sand.count[2] = 4;
    sand.material = matter(world, 3000.0f, false);
    mote_particle_id grains[24];
    must(mote_grains_block(world, &sand, grains));
    step_times(world, 300, TEST_FRAME);
    double mean = 0.0;
    for (int k = 0; k < 24; k++)
        mean += (double)state_of(world, grains[k]).position.y / 24;
    check_below(mean, 6.0 * (double)R, "mean height of the grains, m");
    mote_world_destroy(world);
}

static double highest_of(const mote_world *world, double from, double to)
{
    mote_particles_view view = mote_particles_get_view(world);
    double highest = 0.0;
    for (size_t i = 0; i < view.count; i++)
        if ((double)view.position[i].x >= from && (double)view.position[i].x < to)
            highest = fmax(highest, (double)view.position[i].y);
    return highest;
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
    mote_world *world = wet_world();
    add_tank(world, 10, 6);
    for (int k = 0; k < 2; k++) {
        mote_fluid_def def = mote_default_fluid_def();
        def.material = matter(world, k == 0 ? 500.0f : 1000.0f, true);
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
