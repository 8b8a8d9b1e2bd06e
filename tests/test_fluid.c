/* Liquids: a column at rest, a collapse that comes to lie flat, momentum, bodies that float and sink. */
#include "step/scratch.h"
#include "support.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

#define R 0.025f

static mote_material_id liquid(mote_world *world, float density)
{
    mote_material_def def = mote_default_material_def();
    def.fluid = true;
    def.density = density;
    def.static_friction = def.kinetic_friction = 0.0f;
    return mote_material_add(world, &def);
}

static mote_world *wet_world(mote_settings settings, uint32_t threads)
{
    mote_world_def def = mote_default_world_def();
    def.radius = R;
    def.settings = settings;
    def.thread_count = threads;
    mote_world *world = NULL;
    must(mote_world_create(&def, &world));
    return world;
}

/* An open tank on the floor, from 0 to width along x and to depth along z. */
static void add_tank(mote_world *world, float width, float depth)
{
    mote_plane_def wall = mote_default_plane_def();
    const mote_vec3 normals[5] = {vec(0, 1, 0), vec(1, 0, 0), vec(-1, 0, 0), vec(0, 0, 1), vec(0, 0, -1)};
    const float offsets[5] = {0.0f, 0.0f, -width, 0.0f, -depth};
    for (int k = 0; k < 5; k++) {
        wall.normal = normals[k];
        wall.offset = offsets[k];
        assert_false(mote_is_null(mote_plane_add(world, &wall)));
    }
}

static void add_block(mote_world *world, mote_material_id material, uint32_t x, uint32_t y, uint32_t z)
{
    mote_grains_def block = mote_default_grains_def();
    block.origin = vec(R, R, R);
    block.count[0] = x;
    block.count[1] = y;
    block.count[2] = z;
    block.material = material;
    must(mote_grains_block(world, &block, NULL));
}

typedef struct density_errors {
    double mean, largest; /* in rest densities: what there is too much */
} density_errors;

static density_errors errors_of(const mote_world *world)
{
    const float *excess = world->scratch->liquids.excess.data;
    density_errors e = {0, 0};
    for (uint32_t i = 0; i < world->particles.count; i++) {
        double over = fmax((double)excess[i], 0.0);
        e.mean += over / world->particles.count;
        e.largest = fmax(e.largest, over);
    }
    return e;
}

static double highest_of(const mote_world *world, float from_x, float to_x)
{
    mote_particles_view view = mote_particles_get_view(world);
    double highest = 0.0;
    for (size_t i = 0; i < view.count; i++)
        if (view.position[i].x >= from_x && view.position[i].x < to_x)
            highest = fmax(highest, (double)view.position[i].y);
    return highest;
}

/* A metre deep, for a minute. Its particles stand for cubes, so the mass is that of the water in the column. */
static void a_column_rests(void **state)
{
    (void)state;
    mote_world *world = wet_world(mote_default_settings(), 2);
    add_tank(world, 20 * R, 20 * R);
    add_block(world, liquid(world, 1000.0f), 10, 20, 10);
    step_times(world, 480, TEST_FRAME);
    density_errors e = errors_of(world);
    mote_stats stats = stats_of(world);
    check_below(e.mean, 0.01, "mean density error");
    check_below(e.largest, 0.03, "largest density error");
    check_near(highest_of(world, 0.0f, 1.0f) + (double)R, 1.0, (double)R, "surface");
    double speed = sqrt(2.0 * stats.kinetic_energy / 250.0);
    check_below(speed, 0.02, "speed of 250 kg, m/s");
    step_times(world, 3600 - 480, TEST_FRAME);
    mote_stats later = stats_of(world);
    check_below(later.kinetic_energy, fmax(stats.kinetic_energy, 0.01), "energy after a minute, J");
    check_near(later.fluid_volume, stats.fluid_volume, 0.02 * stats.fluid_volume, "volume after a minute, m^3");
    check_near(later.fluid_volume, 0.25, 0.02 * 0.25, "volume of the water that was poured in, m^3");
    double highest = 0.0, lowest = 2.0;
    for (int x = 0; x < 5; x++) { /* a particle wanders to and fro, so strips of four radii */
        double top = highest_of(world, (float)x * 4 * R, (float)(x + 1) * 4 * R);
        highest = fmax(highest, top);
        lowest = fmin(lowest, top);
    }
    check_below(highest - lowest, (double)R, "unevenness of the surface after a minute, m");
    mote_world_destroy(world);
}

/* Let go into a tank three times as long it ends at a third of its height, flat within half a spacing. */
static void a_column_collapses(void **state)
{
    (void)state;
    mote_world *world = wet_world(mote_default_settings(), 2);
    add_tank(world, 48 * R, 10 * R);
    add_block(world, liquid(world, 1000.0f), 8, 18, 5);
    step_times(world, 600, TEST_FRAME);
    for (int part = 0; part < 4; part++) {
        double top = highest_of(world, 12.0f * R * (float)part, 12.0f * R * (float)(part + 1)) + (double)R;
        check_near(top, 12.0 * (double)R, (double)R, "surface in quarter %d", part);
    }
    mote_world_destroy(world);
}

/* Two liquids, one ten times as dense, thrown at each other without walls. */
static void momentum_is_kept(void **state)
{
    (void)state;
    mote_world *world = wet_world(weightless(), 2);
    const float densities[2] = {100.0f, 1000.0f};
    for (int k = 0; k < 2; k++) {
        mote_grains_def block = mote_default_grains_def();
        block.count[0] = block.count[1] = block.count[2] = 8;
        block.origin = vec(k == 0 ? 0.0f : 17.0f * R, k == 0 ? 0.0f : 2.0f * R, 0.0f);
        block.velocity = vec(k == 0 ? 1.0f : -1.0f, 0.0f, 0.1f);
        block.material = liquid(world, densities[k]);
        must(mote_grains_block(world, &block, NULL));
    }
    mote_vec3 before = {0}, after = {0};
    for (int k = 0; k < 2; k++) {
        mote_particles_view view = mote_particles_get_view(world);
        double sum[3] = {0, 0, 0};
        for (size_t i = 0; i < view.count; i++) {
            double mass = 1.0 / (double)view.velocity[i].w;
            sum[0] += mass * (double)view.velocity[i].x;
            sum[1] += mass * (double)view.velocity[i].y;
            sum[2] += mass * (double)view.velocity[i].z;
        }
        *(k == 0 ? &before : &after) = vec((float)sum[0], (float)sum[1], (float)sum[2]);
        if (k == 0)
            step_times(world, 500, TEST_FRAME);
    }
    check_below(distance_of(before, after), 1e-3 * length_of(before), "change of momentum, kg m/s");
    mote_world_destroy(world);
}

static mote_body_id add_slab(mote_world *world, float density, mote_vec3 place)
{
    mote_material_def material = mote_default_material_def();
    material.density = density;
    mote_rigid_def def = mote_default_rigid_def();
    def.material = mote_material_add(world, &material);
    def.pose.position = place;
    return mote_rigid_box(world, &def, (const uint32_t[3]){6, 3, 6});
}

static double height_of(const mote_world *world, mote_body_id body)
{
    mote_body_state state;
    must(mote_body_get(world, body, &state));
    return (double)state.pose.position.y;
}

static void bodies_float_and_sink(void **state)
{
    (void)state;
    mote_world *world = wet_world(mote_default_settings(), 2);
    add_tank(world, 40 * R, 20 * R);
    add_block(world, liquid(world, 1000.0f), 20, 8, 10);
    mote_body_id light = add_slab(world, 400.0f, vec(10 * R, 22 * R, 10 * R));
    mote_body_id heavy = add_slab(world, 2000.0f, vec(30 * R, 22 * R, 10 * R));
    step_times(world, 420, TEST_FRAME);
    double surface = highest_of(world, 0.0f, 1.0f);
    check_near(height_of(world, light), surface, 4.0 * (double)R, "the light one is at the surface");
    check_below(height_of(world, heavy), 0.5 * surface, "the heavy one sinks");
    mote_world_destroy(world);
}

/* Water, sand and a body: the same for all numbers of threads. */
static void threads_agree(void **state)
{
    (void)state;
    const uint32_t threads[4] = {1, 2, 3, 5};
    uint64_t hash[4];
    for (int k = 0; k < 4; k++) {
        mote_world *world = wet_world(mote_default_settings(), threads[k]);
        add_tank(world, 40 * R, 20 * R);
        add_block(world, liquid(world, 1000.0f), 12, 10, 10);
        mote_grains_def sand = mote_default_grains_def();
        sand.origin = vec(30 * R, 4 * R, 4 * R);
        sand.count[0] = sand.count[1] = sand.count[2] = 4;
        must(mote_grains_block(world, &sand, NULL));
        add_slab(world, 400.0f, vec(10 * R, 26 * R, 10 * R));
        step_times(world, 40, TEST_FRAME);
        hash[k] = mote_world_hash(world);
        mote_world_destroy(world);
    }
    for (int k = 1; k < 4; k++)
        assert_int_equal(hash[k], hash[0]);
}

static void other_radii_are_refused(void **state)
{
    (void)state;
    mote_world *world = wet_world(mote_default_settings(), 1);
    mote_particle_def def = mote_default_particle_def();
    def.material = liquid(world, 1000.0f);
    def.radius = 2.0f * R;
    assert_true(mote_is_null(mote_particle_add(world, &def)));
    assert_non_null(strstr(mote_last_error(), "particle.radius is 0.05"));
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_rests),   cmocka_unit_test(a_column_collapses),
        cmocka_unit_test(momentum_is_kept), cmocka_unit_test(bodies_float_and_sink),
        cmocka_unit_test(threads_agree),    cmocka_unit_test(other_radii_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
