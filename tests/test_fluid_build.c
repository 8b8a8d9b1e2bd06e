/* Boxes and meshes full of a liquid: how much there is, where it is, and what is refused. */
#include "meshes.h"
#include "refused.h"

#include <string.h>

#define R 0.025f

static mote_world *wet_world(uint32_t most)
{
    mote_world_def def = test_world_def(NULL);
    def.radius = R;
    def.max_particles = most;
    mote_world *world = NULL;
    must(mote_world_create(&def, &world));
    return world;
}

static mote_material_id make_material(mote_world *world, const char *name, float density, bool fluid)
{
    mote_material_def def = mote_default_material_def();
    def.name = name;
    def.density = density;
    def.fluid = fluid;
    return mote_material_add(world, &def);
}

static mote_fluid_def box_of(mote_material_id material, mote_vec3 min, mote_vec3 max)
{
    mote_fluid_def def = mote_default_fluid_def();
    def.material = material;
    def.min = min;
    def.max = max;
    return def;
}

static double mass_of(const mote_world *world)
{
    mote_particles_view view = mote_particles_get_view(world);
    double mass = 0.0;
    for (size_t i = 0; i < view.count; i++)
        mass += 1.0 / (double)view.velocity[i].w;
    return mass;
}

/* A box of 1 x 0.5 x 0.25 m holds an eighth of a cubic metre. */
static void a_box_holds_its_volume(void **state)
{
    (void)state;
    mote_world *world = wet_world(10000);
    mote_fluid_def def = box_of(make_material(world, "oil", 800.0f, true), vec(-1, 0, 2), vec(0, 0.5f, 2.25f));
    def.velocity = vec(1, 2, 3);
    uint32_t counts[3];
    must(mote_fluid_block_counts(world, &def, counts));
    assert_int_equal(counts[0], 20);
    assert_int_equal(counts[1], 10);
    assert_int_equal(counts[2], 5);
    mote_particle_id ids[1000];
    must(mote_fluid_block(world, &def, ids));
    assert_int_equal(mote_particle_count(world), 1000);
    check_near(mass_of(world), 100.0, 1e-3, "mass, kg");
    mote_particle_state first, last;
    must(mote_particle_get(world, ids[0], &first));
    must(mote_particle_get(world, ids[999], &last));
    check_near(distance_of(first.position, vec(-1 + R, R, 2 + R)), 0.0, 1e-6, "the first is in the corner");
    check_near(distance_of(last.position, vec(-R, 0.5f - R, 2.25f - R)), 0.0, 1e-6, "so is the last");
    check_near(distance_of(last.velocity, vec(1, 2, 3)), 0.0, 1e-6, "velocity");
    mote_world_destroy(world);
}

/* What does not fill a particle's width stays empty, at the upper end. */
static void the_rest_stays_empty(void **state)
{
    (void)state;
    mote_world *world = wet_world(10000);
    mote_material_id water = make_material(world, "water", 1000.0f, true);
    mote_fluid_def def = box_of(water, vec(0, 0, 0), vec(3.9f * R, 2 * R, 6.1f * R));
    must(mote_fluid_block(world, &def, NULL));
    assert_int_equal(mote_particle_count(world), 3);
    mote_particles_view view = mote_particles_get_view(world);
    for (size_t i = 0; i < view.count; i++)
        check_near(view.position[i].x, R, 1e-6, "x");
    mote_world_destroy(world);
}

/* The same seed moves the centres the same way, by no more than was asked for. */
static void jitter_is_bounded(void **state)
{
    (void)state;
    mote_vec3 places[2][64];
    for (int k = 0; k < 2; k++) {
        mote_world *world = wet_world(10000);
        mote_material_id water = make_material(world, "water", 1000.0f, true);
        mote_fluid_def def = box_of(water, vec(0, 0, 0), vec(8 * R, 8 * R, 8 * R));
        def.jitter = 0.1f;
        mote_particle_id ids[64];
        must(mote_fluid_block(world, &def, ids));
        must(mote_particles_read(world, ids, 64, places[k], NULL));
        mote_world_destroy(world);
    }
    double furthest = 0.0;
    for (uint32_t i = 0; i < 64; i++) {
        double off = fabs((double)places[0][i].x - (double)R * (1 + 2 * (i % 4)));
        furthest = fmax(furthest, off);
    }
    assert_memory_equal(places[0], places[1], sizeof places[0]);
    check_below(furthest, 0.1001 * 2 * (double)R, "the furthest from its place");
    check_below(0.05 * 2 * (double)R, furthest, "but they do move");
}

/* A torus: 2 pi^2 R r^2. */
static void a_mesh_holds_its_volume(void **state)
{
    (void)state;
    mote_world *world = wet_world(100000);
    mote_fluid_def def = mote_default_fluid_def();
    def.material = make_material(world, "water", 1000.0f, true);
    test_mesh torus = torus_mesh(1.0, 0.4, 96, 48);
    mote_mesh view = mesh_view(&torus);
    size_t count = 0;
    must(mote_fluid_mesh(world, &def, &view, MOTE_SAMPLE_PARITY, &count));
    assert_int_equal(count, mote_particle_count(world));
    double volume = 2.0 * TEST_PI * TEST_PI * 1.0 * 0.4 * 0.4;
    check_near(mass_of(world) / 1000.0, volume, 0.02 * volume, "volume of the torus, m^3");
    mesh_free(&torus);
    mote_world_destroy(world);
}

static mote_result fill(mote_world *world, const void *def, const void *context)
{
    (void)context;
    return mote_fluid_block(world, def, NULL);
}

static void bad_definitions_are_refused(void **state)
{
    (void)state;
    mote_world *world = wet_world(1000);
    mote_material_id water = make_material(world, "water", 1000.0f, true);
    mote_fluid_def good = box_of(water, vec(0, 0, 0), vec(8 * R, 8 * R, 8 * R)), def = good;
    const float_field fields[] = {
        VEC3_FIELDS(mote_fluid_def, min, 2e6f),
        VEC3_FIELDS(mote_fluid_def, max, 2e6f),
        VEC3_FIELDS(mote_fluid_def, velocity, 2e4f),
        {offsetof(mote_fluid_def, jitter), "fluid.jitter", -0.1f, 0.6f},
    };
    check_floats(world, &good, sizeof good, fields, sizeof fields / sizeof fields[0], fill, NULL);
    def.material = make_material(world, "sand", 1600.0f, false);
    refused(world, mote_fluid_block(world, &def, NULL), MOTE_ERROR_ARGUMENT, "'sand' is no fluid");
    def.material = (mote_material_id){0, 0};
    refused(world, mote_fluid_block(world, &def, NULL), MOTE_ERROR_ARGUMENT, "is no fluid");
    def.material = (mote_material_id){99, 1};
    refused(world, mote_fluid_block(world, &def, NULL), MOTE_ERROR_STALE_HANDLE, "fluid.material");
    def = box_of(water, vec(0, 1, 0), vec(1, 1, 1));
    refused(world, mote_fluid_block(world, &def, NULL), MOTE_ERROR_ARGUMENT, "fluid.max.y is 1");
    def = box_of(water, vec(0, 0, 0), vec(1, 1, 1.9f * R));
    refused(world, mote_fluid_block(world, &def, NULL), MOTE_ERROR_ARGUMENT, "fluid.max.z - fluid.min.z");
    def = box_of(water, vec(0, 0, 0), vec(1, 1, 1));
    refused(world, mote_fluid_block(world, &def, NULL), MOTE_ERROR_LIMIT, "20 x 20 x 20");
    def = box_of(water, vec(-1e6f, -1e6f, -1e6f), vec(1e6f, 1e6f, 1e6f));
    refused(world, mote_fluid_block(world, &def, NULL), MOTE_ERROR_LIMIT, "max_particles");
    def = good;
    def.phase = 0x80000000u;
    refused(world, mote_fluid_block(world, &def, NULL), MOTE_ERROR_ARGUMENT, "phase");
    refused(world, mote_fluid_block(NULL, &good, NULL), MOTE_ERROR_ARGUMENT, "world");
    refused(world, mote_fluid_block(world, NULL, NULL), MOTE_ERROR_ARGUMENT, "def");
    refused(world, mote_fluid_block_counts(world, &good, NULL), MOTE_ERROR_ARGUMENT, "counts");
    assert_int_equal(mote_particle_count(world), 0);
    mote_world_destroy(world);
}

static void bad_meshes_are_refused(void **state)
{
    (void)state;
    mote_world *world = wet_world(1000);
    mote_fluid_def def = mote_default_fluid_def();
    def.material = make_material(world, "water", 1000.0f, true);
    test_mesh open = floor_mesh(1, 2), large = box_mesh(vec(5, 5, 5)), dust = torus_mesh(0.05, 0.004, 12, 8);
    mote_mesh open_view = mesh_view(&open), large_view = mesh_view(&large), dust_view = mesh_view(&dust);
    refused(world, mote_fluid_mesh(world, &def, NULL, MOTE_SAMPLE_PARITY, NULL), MOTE_ERROR_ARGUMENT, "mesh");
    refused(world, mote_fluid_mesh(world, &def, &open_view, MOTE_SAMPLE_PARITY, NULL), MOTE_ERROR_MESH, "open");
    refused(world, mote_fluid_mesh(world, &def, &large_view, MOTE_SAMPLE_SDF, NULL), MOTE_ERROR_LIMIT,
            "max_particles");
    refused(world, mote_fluid_mesh(world, &def, &dust_view, MOTE_SAMPLE_PARITY, NULL), MOTE_ERROR_MESH,
            "smaller than a particle");
    refused(world, mote_fluid_mesh(world, &def, &large_view, MOTE_SAMPLE_COUNT, NULL), MOTE_ERROR_ARGUMENT,
            "method");
    mesh_free(&open);
    mesh_free(&large);
    mesh_free(&dust);
    mote_world_destroy(world);
}

/* Fluids are as fine as the world's radius says, whichever way a particle comes to be one. */
static void other_radii_do_not_become_fluids(void **state)
{
    (void)state;
    mote_world *world = wet_world(1000);
    mote_material_id sand = make_material(world, "sand", 1600.0f, false);
    mote_material_id water = make_material(world, "water", 1000.0f, true);
    mote_particle_def grain = mote_default_particle_def();
    grain.material = sand;
    mote_particle_id as_large = mote_particle_add(world, &grain);
    grain.radius = 0.5f * R;
    mote_particle_id finer = mote_particle_add(world, &grain);
    mote_material_def wet = mote_default_material_def();
    wet.fluid = true;
    refused(world, mote_material_set(world, sand, &wet), MOTE_ERROR_ARGUMENT,
            "material.fluid: particle.radius is 0.0125");
    refused(world, mote_particle_set_material(world, finer, water), MOTE_ERROR_ARGUMENT,
            "particle.radius is 0.0125");
    must(mote_particle_set_material(world, as_large, water));
    must(mote_particle_remove(world, finer));
    must(mote_material_set(world, sand, &wet));
    wet.density = 0.0f;
    refused(world, mote_material_set(world, sand, &wet), MOTE_ERROR_ARGUMENT, "material.density is 0");
    wet.density = 1000.0f;
    wet.viscosity = -1.0f;
    refused(world, mote_material_set(world, sand, &wet), MOTE_ERROR_ARGUMENT, "material.viscosity is -1");
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_holds_its_volume),
        cmocka_unit_test(the_rest_stays_empty),
        cmocka_unit_test(jitter_is_bounded),
        cmocka_unit_test(a_mesh_holds_its_volume),
        cmocka_unit_test(bad_definitions_are_refused),
        cmocka_unit_test(bad_meshes_are_refused),
        cmocka_unit_test(other_radii_do_not_become_fluids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
