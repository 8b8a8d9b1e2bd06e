/* The tensile correction: two particles part with the acceleration that it says, splashes do not clump, and
 * what rests stays as it is. */
#include "lattices.h"
#include "step/scratch.h"
#include "support.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define R       0.025f /* radius, m */
#define PUSH    98.1   /* m/s^2: of two particles half a spacing apart, for a correction of 1 */
#define SUGGEST 0.1f   /* the value that material.h suggests */

enum { SIDE = 8, MOST = 2 * SIDE * SIDE * SIDE };

static mote_world *wet_world(mote_settings settings, float radius, uint32_t threads, mote_simd simd)
{
    mote_world_def def = mote_default_world_def();
    def.radius = radius;
    def.settings = settings;
    def.thread_count = threads;
    def.simd = simd;
    mote_world *world = NULL;
    must(mote_world_create(&def, &world));
    return world;
}

static mote_material_id liquid(mote_world *world, float density, float tensile)
{
    mote_material_def def = mote_default_material_def();
    def.fluid = true;
    def.density = density;
    def.tensile_correction = tensile;
    mote_material_id material = mote_material_add(world, &def);
    must_exist(material);
    return material;
}

static void add_block(mote_world *world, mote_material_id material, const uint32_t count[3], mote_vec3 origin,
                      mote_vec3 velocity)
{
    mote_grains_def block = mote_default_grains_def();
    for (int axis = 0; axis < 3; axis++)
        block.count[axis] = count[axis];
    block.origin = origin;
    block.velocity = velocity;
    block.material = material;
    must(mote_grains_block(world, &block, NULL));
}

/* ---- how even a liquid is ------------------------------------------------------------------------------- */

/* How far each particle's nearest neighbour is, in rest spacings. */
typedef struct evenness {
    double least, tenth; /* of all, and what a tenth of them is below */
    double variation;    /* standard deviation beside the mean, of those with a neighbour within two spacings */
} evenness;

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double nearest_to(const mote_particles_view *view, size_t i)
{
    double nearest = INFINITY;
    for (size_t j = 0; j < view->count; j++) {
        const mote_vec4 a = view->position[i], b = view->position[j];
        if (j != i)
            nearest = fmin(nearest, distance_of(vec(a.x, a.y, a.z), vec(b.x, b.y, b.z)));
    }
    return nearest;
}

static evenness evenness_of(const mote_world *world)
{
    double nearest[MOST], sum = 0, squares = 0;
    size_t near = 0;
    mote_particles_view view = mote_particles_get_view(world);
    assert_in_range(view.count, 10, MOST);
    for (size_t i = 0; i < view.count; i++) {
        nearest[i] = nearest_to(&view, i) / (2.0 * (double)world->radius);
        if (nearest[i] >= 2.0)
            continue;
        near++;
        sum += nearest[i];
        squares += nearest[i] * nearest[i];
    }
    qsort(nearest, view.count, sizeof *nearest, by_size);
    double mean = sum / (double)near;
    return (evenness){nearest[0], nearest[view.count / 10],
                      sqrt(fmax(squares / (double)near - mean * mean, 0.0)) / mean};
}

/* Two cubes that meet, not quite head on, and make a sheet that tears into drops. Speeds go with the root of
 * the radius, and so do times: then all accelerations are the same. */
static mote_world *splash(float tensile, float density, float radius, uint32_t substeps, uint32_t iterations)
{
    mote_settings settings = weightless();
    settings.substeps = substeps;
    settings.iterations = iterations;
    mote_world *world = wet_world(settings, radius, 1, MOTE_SIMD_AUTO);
    mote_material_id material = liquid(world, density, tensile);
    float pace = sqrtf(radius / R);
    const uint32_t count[3] = {SIDE, SIDE, SIDE};
    add_block(world, material, count, vec(0, 0, 0), vec(pace, 0, 0));
    add_block(world, material, count, vec(17.0f * radius, 2.0f * radius, 0), vec(-pace, 0, 0));
    step_times(world, 30, pace * TEST_FRAME);
    return world;
}

static evenness splash_evenness(float tensile, float density, float radius, uint32_t substeps,
                                uint32_t iterations)
{
    mote_world *world = splash(tensile, density, radius, substeps, iterations);
    evenness e = evenness_of(world);
    mote_world_destroy(world);
    return e;
}

/* Where neighbours are missing density does not keep particles apart: they lie on each other by pairs. */
static void splashes_do_not_clump(void **state)
{
    (void)state;
    evenness without = splash_evenness(0.0f, 1000.0f, R, 4, 2);
    evenness some = splash_evenness(SUGGEST, 1000.0f, R, 4, 2);
    evenness full = splash_evenness(1.0f, 1000.0f, R, 4, 2);
    check_below(without.least, 0.2, "least distance without");
    check_above(some.least, 0.4, "least distance with the suggested value");
    check_above(full.least, 0.6, "least distance with 1");
    check_below(without.tenth, 0.55, "distance of the nearest tenth, without");
    check_above(some.tenth, 0.6, "with the suggested value");
    check_above(full.tenth, 0.75, "with 1");
    check_below(some.variation, 0.9 * without.variation, "variation of distances, suggested value");
    check_below(full.variation, 0.8 * without.variation, "with 1");
}

/* It pushes, but makes no motion of its own: a splash is no faster for it. */
static void splashes_gain_nothing(void **state)
{
    (void)state;
    double energy[2];
    for (int k = 0; k < 2; k++) {
        mote_world *world = splash((float)k, 1000.0f, R, 4, 2);
        energy[k] = stats_of(world).kinetic_energy;
        mote_world_destroy(world);
    }
    check_below(energy[1], energy[0], "kinetic energy with 1 beside that without, J");
    check_above(energy[1], 0.9 * energy[0], "kinetic energy that is left, J");
}

/* ---- what the number means ------------------------------------------------------------------------------ */

typedef struct pair {
    float radius, density, other_density;
    float tensile, other_tensile;
    uint32_t substeps, iterations;
} pair;

/* Two particles half a rest spacing apart, too few for any pressure: how fast they part after dt, m/s. */
static double parting_speed(const pair *p, float dt)
{
    mote_settings settings = weightless();
    settings.substeps = p->substeps;
    settings.iterations = p->iterations;
    mote_world *world = wet_world(settings, p->radius, 1, MOTE_SIMD_AUTO);
    mote_particle_def def = mote_default_particle_def();
    mote_particle_id ids[2];
    for (int k = 0; k < 2; k++) {
        float density = k == 0 ? p->density : p->other_density;
        def.material = liquid(world, density, k == 0 ? p->tensile : p->other_tensile);
        def.mass = 8.0f * p->radius * p->radius * p->radius * density;
        def.radius = p->radius;
        def.position = vec(((float)k - 0.5f) * p->radius, 0, 0);
        ids[k] = mote_particle_add(world, &def);
        must_exist(ids[k]);
    }
    step_times(world, 1, dt);
    mote_vec3 a = state_of(world, ids[0]).velocity, b = state_of(world, ids[1]).velocity;
    double momentum = (double)(a.x * p->density + b.x * p->other_density);
    check_near(momentum / (double)(b.x * p->other_density), 0.0, 2e-3, "momentum of a pair beside one's own");
    mote_world_destroy(world);
    return (double)(b.x - a.x);
}

/* The acceleration is a k, less what the term is at the rest spacing; of two materials it is the mean by
 * multiplying. Within dt they part by up to two thousandths of their distance, so the push is the same all the
 * time; rounding of places is a thousandth of that. */
static void it_is_an_acceleration(void **state)
{
    (void)state;
    static const pair pairs[] = {
        {0.025f, 1000, 1000, 1, 1, 1, 1}, {0.025f, 1000, 1000, 0.1f, 0.1f, 1, 1},
        {0.025f, 1000, 1000, 1, 1, 1, 8}, {0.025f, 1000, 1000, 1, 1, 16, 2},
        {0.025f, 100, 1000, 1, 1, 4, 2},  {0.0025f, 1000, 1000, 0.5f, 0.5f, 4, 2},
        {0.25f, 1, 10, 0.7f, 0.7f, 4, 2}, {0.025f, 1000, 1000, 1, 0.25f, 4, 2},
    };
    const double at = 0.75 * 0.75 * 0.75 * 0.75 * 2.0, at_spacing = 3.0 / 16.0;
    const double left = 1.0 - pow(at_spacing / at, 4.0);
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        const pair *p = &pairs[k];
        double correction = sqrt((double)p->tensile * (double)p->other_tensile);
        float dt = sqrtf(4e-5f * p->radius);
        double speed = parting_speed(p, dt), expected = PUSH * correction * (double)dt * left;
        check_near(speed / expected, 1.0, 0.01, "speed of pair %zu beside what it should be", k);
    }
}

/* What it makes of a splash is the same however the time is cut, and for all sizes and densities. */
static void it_means_the_same(void **state)
{
    (void)state;
    const float tensile = 0.3f;
    double usual = splash_evenness(tensile, 1000.0f, R, 4, 2).tenth;
    check_near(splash_evenness(tensile, 1000.0f, R, 2, 2).tenth, usual, 0.06, "half the substeps");
    check_near(splash_evenness(tensile, 1000.0f, R, 8, 2).tenth, usual, 0.06, "twice the substeps");
    check_near(splash_evenness(tensile, 1000.0f, R, 4, 6).tenth, usual, 0.06, "three times the iterations");
    check_near(splash_evenness(tensile, 1000.0f, 0.1f * R, 4, 2).tenth, usual, 0.06, "a tenth of the radius");
    check_near(splash_evenness(tensile, 1.0f, R, 4, 2).tenth, usual, 0.06, "a thousandth of the density");
}

/* ---- momentum ------------------------------------------------------------------------------------------- */

/* Two liquids, one ten times as dense, and a body between them. */
static void momentum_is_kept(void **state)
{
    (void)state;
    mote_world *world = wet_world(weightless(), R, 1, MOTE_SIMD_AUTO);
    const uint32_t count[3] = {6, 6, 6};
    add_block(world, liquid(world, 100.0f, 1.0f), count, vec(0, 0, 0), vec(0.5f, 0, 0.1f));
    add_block(world, liquid(world, 1000.0f, 0.5f), count, vec(13 * R, 2 * R, 0), vec(-0.3f, 0, 0.1f));
    mote_rigid_def body = mote_default_rigid_def();
    body.pose.position = vec(12 * R, 18 * R, 6 * R);
    body.velocity = vec(0, -0.5f, 0);
    must_exist(mote_rigid_box(world, &body, (const uint32_t[3]){4, 3, 4}));
    motion before = motion_of(world);
    step_times(world, 500, TEST_FRAME);
    motion after = motion_of(world);
    check_below(size_of(minus(after.momentum, before.momentum)), 1e-3 * size_of(before.momentum),
                "change of momentum, kg m/s");
    mote_world_destroy(world);
}

/* ---- rest ----------------------------------------------------------------------------------------------- */

static void add_tank(mote_world *world, float width)
{
    mote_plane_def wall = mote_default_plane_def();
    const mote_vec3 normals[5] = {vec(0, 1, 0), vec(1, 0, 0), vec(-1, 0, 0), vec(0, 0, 1), vec(0, 0, -1)};
    const float offsets[5] = {0.0f, 0.0f, -width, 0.0f, -width};
    for (int k = 0; k < 5; k++) {
        wall.normal = normals[k];
        wall.offset = offsets[k];
        must_exist(mote_plane_add(world, &wall));
    }
}

typedef struct column {
    double mean_error, max_error; /* of the density */
    double height;                /* of the centre, m: half of a metre if nothing is pressed together */
    double speed;                 /* m/s */
    double at_walls;              /* the part of all that is nearer than a spacing to a side wall */
} column;

static column settled_column(float tensile)
{
    mote_world *world = wet_world(mote_default_settings(), R, 1, MOTE_SIMD_AUTO);
    const float width = 12 * R;
    add_tank(world, width);
    add_block(world, liquid(world, 1000.0f, tensile), (const uint32_t[3]){6, 20, 6}, vec(R, R, R),
              vec(0, 0, 0));
    step_times(world, 480, TEST_FRAME);
    mote_stats stats = stats_of(world);
    mote_particles_view view = mote_particles_get_view(world);
    column c = {(double)stats.mean_density_error, (double)stats.max_density_error, 0,
                sqrt(2.0 * stats.kinetic_energy / 90.0), 0};
    for (size_t i = 0; i < view.count; i++) {
        const mote_vec4 x = view.position[i];
        float from_wall = fminf(fminf(x.x, width - x.x), fminf(x.z, width - x.z));
        c.height += (double)x.y / (double)view.count;
        c.at_walls += from_wall < 2.0f * R ? 1.0 / (double)view.count : 0.0;
    }
    mote_world_destroy(world);
    return c;
}

/* A metre deep. Nothing piles up at the walls, density errors and volume are the same. */
static void columns_rest_as_without(void **state)
{
    (void)state;
    column without = settled_column(0.0f);
    for (int k = 0; k < 2; k++) {
        float tensile = k == 0 ? SUGGEST : 1.0f;
        column with = settled_column(tensile);
        check_near(with.mean_error, without.mean_error, 2e-4, "mean density error with %g", (double)tensile);
        check_near(with.max_error, without.max_error, 2e-3, "largest density error with %g", (double)tensile);
        check_near(with.height / without.height, 1.0, 2e-4, "height with %g", (double)tensile);
        check_below(with.speed, 0.02, "speed with %g, m/s", (double)tensile);
        check_near(with.at_walls, without.at_walls, 0.02, "part at the walls with %g", (double)tensile);
    }
}

/* Pressures do not pull: what it pushed beyond the rest spacing would fly apart. */
static void blocks_stay_as_they_are(void **state)
{
    (void)state;
    mote_world *world = wet_world(weightless(), R, 1, MOTE_SIMD_AUTO);
    add_block(world, liquid(world, 1000.0f, 1.0f), (const uint32_t[3]){8, 8, 8}, vec(0, 0, 0), vec(0, 0, 0));
    mote_particle_id corner = mote_particles_get_view(world).id[0];
    double before = length_of(state_of(world, corner).position);
    step_times(world, 100, TEST_FRAME);
    check_near(evenness_of(world).least, 1.0, 1e-3, "least distance in a lattice");
    check_near(length_of(state_of(world, corner).position), before, 1e-3 * (double)R, "its first particle, m");
    check_below(stats_of(world).kinetic_energy, 1e-9, "its energy, J");
    mote_world_destroy(world);
}

/* ---- bits ----------------------------------------------------------------------------------------------- */

/* One particle with the correction among many without: the product is 0, and nothing changes. Sand, far away,
 * because worlds of liquids only are added up in another order. */
static void nothing_changes_at_zero(void **state)
{
    (void)state;
    mote_vec4 *places[2];
    size_t count = 0;
    for (int k = 0; k < 2; k++) {
        mote_world *world = wet_world(mote_default_settings(), R, 1, MOTE_SIMD_AUTO);
        add_tank(world, 30 * R);
        add_block(world, liquid(world, 1000.0f, 0.0f), (const uint32_t[3]){8, 12, 8}, vec(R, R, R),
                  vec(0, 0, 0));
        mote_particle_def def = mote_default_particle_def();
        def.position = vec(6 * R, 30 * R, 6 * R);
        def.material = liquid(world, 1000.0f, (float)k);
        must_exist(mote_particle_add(world, &def));
        add_particle(world, vec(28 * R, 2 * R, 28 * R), vec(0, 0, 0), mote_world_default_material(world));
        step_times(world, 40, TEST_FRAME);
        mote_particles_view view = mote_particles_get_view(world);
        count = view.count;
        places[k] = test_malloc(count * sizeof *places[k]);
        memcpy(places[k], view.position, count * sizeof *places[k]);
        mote_world_destroy(world);
    }
    assert_memory_equal(places[0], places[1], count * sizeof *places[0]);
    test_free(places[0]);
    test_free(places[1]);
}

static uint64_t hash_with(uint32_t threads, mote_simd simd)
{
    mote_world *world = wet_world(mote_default_settings(), R, threads, simd);
    add_tank(world, 30 * R);
    add_block(world, liquid(world, 1000.0f, 0.5f), (const uint32_t[3]){8, 12, 8}, vec(R, R, R), vec(0, 0, 0));
    add_block(world, liquid(world, 500.0f, 0.1f), (const uint32_t[3]){6, 6, 6}, vec(17 * R, R, R),
              vec(-1, 0, 0));
    step_times(world, 40, TEST_FRAME);
    uint64_t hash = mote_world_hash(world);
    mote_world_destroy(world);
    return hash;
}

static void threads_and_simd_levels_agree(void **state)
{
    (void)state;
    check_same_hashes(hash_with);
}

static void bad_values_are_refused(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    static const float bad[4] = {-0.1f, NAN, INFINITY, 1.1f};
    for (int k = 0; k < 4; k++) {
        mote_material_def def = mote_default_material_def();
        def.fluid = true;
        def.tensile_correction = bad[k];
        assert_true(mote_is_null(mote_material_add(world, &def)));
        assert_non_null(strstr(mote_last_error(), "material.tensile_correction"));
    }
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splashes_do_not_clump),
        cmocka_unit_test(splashes_gain_nothing),
        cmocka_unit_test(it_is_an_acceleration),
        cmocka_unit_test(it_means_the_same),
        cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(columns_rest_as_without),
        cmocka_unit_test(blocks_stay_as_they_are),
        cmocka_unit_test(nothing_changes_at_zero),
        cmocka_unit_test(threads_and_simd_levels_agree),
        cmocka_unit_test(bad_values_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
