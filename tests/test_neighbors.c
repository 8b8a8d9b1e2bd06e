/* The neighbour search against brute force: every pair of n (n - 1) / 2 is looked at here, and what the world
 * says about its overlaps and contacts must agree. The clouds are those that grids get wrong: mixed radii,
 * negative coordinates, lone particles far away, particles on the borders of cells, all in one place. */
#include "support.h"

#include <math.h>
#include <stdlib.h>

typedef struct overlaps {
    double sum, deepest; /* m */
    size_t touching;     /* pairs nearer than the sum of their radii */
    size_t in_margin;    /* pairs nearer than contact_margin times that */
    size_t in_reach;     /* pairs nearer than a neighbour list needs to reach */
} overlaps;

static overlaps brute_force(mote_world *world)
{
    mote_settings settings = mote_world_settings(world);
    mote_particles_view view = mote_particles_get_view(world);
    overlaps found = {0};
    for (size_t i = 0; i < view.count; ++i) {
        for (size_t k = i + 1; k < view.count; ++k) {
            mote_vec4 a = view.position[i], b = view.position[k];
            double distance = distance_of(vec(a.x, a.y, a.z), vec(b.x, b.y, b.z));
            double radii = (double)a.w + (double)b.w, depth = radii - distance;
            found.in_margin += distance < radii * (double)settings.contact_margin;
            found.in_reach +=
                distance < radii * ((double)settings.contact_margin + (double)settings.neighbor_skin);
            if (depth <= 0)
                continue;
            ++found.touching;
            found.sum += depth;
            found.deepest = fmax(found.deepest, depth);
        }
    }
    return found;
}

typedef mote_vec3 place_function(uint64_t *seed);

typedef struct cloud {
    const char *name;
    place_function *place;
    uint32_t count;
    float smallest, largest; /* radii, m */
} cloud;

static mote_vec3 in_a_box(uint64_t *seed)
{
    return vec(random_between(seed, 0, 1), random_between(seed, 0, 1), random_between(seed, 0, 1));
}

static mote_vec3 around_the_origin(uint64_t *seed)
{
    return vec(random_between(seed, -0.5f, 0.5f), random_between(seed, -0.5f, 0.5f),
               random_between(seed, -0.5f, 0.5f));
}

static mote_vec3 far_below_zero(uint64_t *seed)
{
    mote_vec3 p = in_a_box(seed);
    return vec(p.x - 100, p.y - 200, p.z - 300);
}

/* Every tenth particle is up to 100 km away; cells must not be made for what lies between. */
static mote_vec3 with_outliers(uint64_t *seed)
{
    mote_vec3 p = in_a_box(seed);
    if (random_between(seed, 0, 1) < 0.1f)
        return vec(random_between(seed, -1e5f, 1e5f), random_between(seed, -1e5f, 1e5f), p.z * 1e5f);
    return p;
}

/* A lattice whose points are multiples of a radius: whatever the cell size, many lie on borders. */
static mote_vec3 on_borders(uint64_t *seed)
{
    mote_vec3 p = in_a_box(seed);
    const float step = 0.5f * TEST_RADIUS;
    return vec(floorf(p.x / step) * step, floorf(p.y / step) * step - 0.5f, floorf(p.z / step) * step - 0.5f);
}

static mote_vec3 in_one_place(uint64_t *seed)
{
    return vec(3 + random_between(seed, 0, 0.01f), -2 + random_between(seed, 0, 0.01f),
               random_between(seed, 0, 0.01f));
}

/* A long thin line: the worst case for anything that sorts along one axis. */
static mote_vec3 in_a_line(uint64_t *seed)
{
    return vec(random_between(seed, -30, 30), 0, random_between(seed, 0, 0.02f));
}

static const cloud clouds[] = {
    {"equal radii", in_a_box, 1500, TEST_RADIUS, TEST_RADIUS},
    {"radii 1:10", around_the_origin, 1500, 0.1f * TEST_RADIUS, TEST_RADIUS},
    {"radii 1:10, the largest twice the world's", around_the_origin, 800, 0.2f * TEST_RADIUS, 2 * TEST_RADIUS},
    {"negative coordinates", far_below_zero, 1500, 0.5f * TEST_RADIUS, TEST_RADIUS},
    {"outliers 100 km away", with_outliers, 1500, 0.5f * TEST_RADIUS, TEST_RADIUS},
    {"on the borders of cells", on_borders, 1500, TEST_RADIUS, TEST_RADIUS},
    {"all in one place", in_one_place, 300, 0.5f * TEST_RADIUS, TEST_RADIUS},
    {"in a line", in_a_line, 1500, 0.5f * TEST_RADIUS, TEST_RADIUS},
};
enum { CLOUDS = sizeof clouds / sizeof clouds[0] };

static mote_world *cloud_world(const cloud *shape, const mote_settings *settings)
{
    mote_world *world = test_world(settings);
    mote_particle_def def = mote_default_particle_def();
    uint64_t seed = 11;
    for (uint32_t i = 0; i < shape->count; ++i) {
        def.position = shape->place(&seed);
        def.radius = shape->smallest < shape->largest ? random_between(&seed, shape->smallest, shape->largest)
                                                      : shape->largest;
        must_exist(mote_particle_add(world, &def));
    }
    return world;
}

/* A step parts them a little, then the two sums must agree. Distances are worked out in single precision by the
 * library: near coordinates of 300 m a float is right to 3e-5 m, and the sum over the pairs that touch gathers
 * one such error for each. */
static void overlaps_agree(void **state)
{
    (void)state;
    for (int i = 0; i < CLOUDS; ++i) {
        mote_settings settings = weightless();
        settings.substeps = 1;
        settings.iterations = 1;
        mote_world *world = cloud_world(&clouds[i], &settings);
        for (int step = 0; step < 3; ++step) {
            must(mote_world_step(world, 1e-3f));
            overlaps expected = brute_force(world);
            mote_stats stats = stats_of(world);
            double rounding = 3e-5 * (double)expected.touching;
            if (clouds[i].place != far_below_zero)
                rounding /= 100;
            check_above((double)expected.touching, 5, "%s, step %d: pairs that touch", clouds[i].name, step);
            check_near(stats.residual, expected.sum, 1e-5 * expected.sum + rounding,
                       "%s, step %d: sum of overlaps", clouds[i].name, step);
            check_near(stats.max_penetration, expected.deepest, 1e-4 * TEST_RADIUS,
                       "%s, step %d: deepest overlap", clouds[i].name, step);
        }
        mote_world_destroy(world);
    }
}

/* Particles thrown one by one, each only where it touches nobody (so a step moves nothing), but dense enough
 * for many pairs in the margin: the contact list must have each of these twice, and nothing else. The neighbour
 * lists reach further by the skin and must hold at least those pairs. */
static void counts_agree(void **state)
{
    (void)state;
    for (int mixed = 0; mixed < 2; ++mixed) {
        mote_settings settings = weightless();
        mote_world *world = test_world(&settings);
        mote_particle_def def = mote_default_particle_def();
        static mote_vec4 placed[1200];
        size_t count = 0;
        uint64_t seed = 77;
        for (int attempt = 0; attempt < 200000 && count < 1200; ++attempt) {
            float radius = mixed ? random_between(&seed, 0.1f * TEST_RADIUS, TEST_RADIUS) : TEST_RADIUS;
            mote_vec3 p = around_the_origin(&seed);
            bool room = true;
            for (size_t i = 0; i < count && room; ++i)
                room = distance_of(p, vec(placed[i].x, placed[i].y, placed[i].z)) >
                       1.0001 * ((double)radius + (double)placed[i].w);
            if (!room)
                continue;
            placed[count++] = (mote_vec4){p.x, p.y, p.z, radius};
            def.position = p;
            def.radius = radius;
            must_exist(mote_particle_add(world, &def));
        }
        step_times(world, 1, TEST_FRAME);
        overlaps expected = brute_force(world);
        mote_stats stats = stats_of(world);
        check_above((double)expected.in_margin, 100, "pairs in the margin among %zu", count);
        check_near((double)expected.touching, 0, 0, "pairs that touch");
        check_near(stats.residual, 0, 0, "sum of overlaps");
        check_near((double)stats.contacts, 2.0 * (double)expected.in_margin, 0, "contacts, %s radii",
                   mixed ? "mixed" : "equal");
        check_above((double)stats.neighbors, 2.0 * (double)expected.in_margin, "neighbours, %s radii",
                    mixed ? "mixed" : "equal");
        check_below((double)stats.neighbors, 8.0 * (double)expected.in_reach + 8.0 * (double)count,
                    "neighbours, %s radii", mixed ? "mixed" : "equal");
        mote_world_destroy(world);
    }
}

/* A plane counts too: the particles of a row, each a little deeper than the one before. */
static void plane_overlaps_agree(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    add_floor(world, (mote_material_id){0});
    double sum = 0;
    for (int i = 0; i < 20; ++i) {
        float depth = 0.002f * (float)(i - 5); /* some do not touch */
        add_particle(world, vec(0.5f * (float)i, TEST_RADIUS - depth, 0), vec(0, 0, 0), (mote_material_id){0});
        sum += depth > 0 ? (double)depth : 0;
    }
    mote_stats stats = stats_of(world);
    check_near(stats.residual, sum, 1e-5 * sum, "sum of overlaps with a plane");
    check_near(stats.max_penetration, 0.028, 1e-6, "deepest overlap with a plane");
    mote_world_destroy(world);
}

/* Fast particles outrun the skin within a step; the lists must be made again in time. Two streams pass each
 * other at 40 m/s, which is 0.17 m or almost two diameters a substep. Nothing may be forgotten afterwards. */
static void fast_particles_are_not_forgotten(void **state)
{
    (void)state;
    mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    mote_grains_def grains = mote_default_grains_def();
    grains.count[0] = grains.count[1] = grains.count[2] = 8;
    grains.jitter = 0.1f;
    grains.origin = vec(-3, 0, 0);
    grains.velocity = vec(20, 0, 0);
    must(mote_grains_block(world, &grains, NULL));
    grains.origin = vec(3, 0.02f, 0);
    grains.velocity = vec(-20, 0, 0);
    grains.seed = 2;
    must(mote_grains_block(world, &grains, NULL));
    for (int i = 0; i < 20; ++i) {
        step_times(world, 1, TEST_FRAME);
        overlaps expected = brute_force(world);
        mote_stats stats = stats_of(world);
        check_near(stats.residual, expected.sum, 1e-5 * expected.sum + 1e-6 * (double)expected.touching + 1e-9,
                   "sum of overlaps, frame %d", i);
    }
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlaps_agree),
        cmocka_unit_test(counts_agree),
        cmocka_unit_test(plane_overlaps_agree),
        cmocka_unit_test(fast_particles_are_not_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
