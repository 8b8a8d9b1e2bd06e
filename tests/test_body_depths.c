/* How deep particles are below the surface of their body: that of large bodies is found with a grid, and must
 * be to the bit what looking at all pairs finds. */
#include "support.h"

#include "world/bodies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The body's links as the grid made them beside those without it. */
static void check_same(mote_world *world, uint32_t slot, const char *what)
{
    const mt_body *body = &mt_bodies(world)[slot];
    size_t bytes = body->link_count * sizeof(mt_link), room_size = mt_body_depth_room(body->link_count);
    check_above((double)room_size, 0, "%s: the body is large", what);
    mt_link *links = mt_body_links(world, slot), *found = malloc(bytes);
    void *room = malloc(room_size);
    assert_true(found != NULL && room != NULL);
    mt_body_find_depths(world, slot, room);
    memcpy(found, links, bytes);
    for (uint32_t k = 0; k < body->link_count; k++) {
        links[k].depth = 0;
        links[k].normal = vec(0, 0, 0);
    }
    mt_body_find_depths(world, slot, NULL);
    uint32_t different = 0, deep = 0;
    for (uint32_t k = 0; k < body->link_count; k++) {
        different += memcmp(&links[k], &found[k], sizeof links[k]) != 0;
        deep += links[k].depth > 0;
    }
    check_near(different, 0, 0, "%s: different links of %u", what, body->link_count);
    check_above(deep, 0, "%s: particles with a depth", what);
    free(found);
    free(room);
}

/* A body of particles, in coordinates that are turned beside the world's or not. */
static void add_body(mote_world *world, const mote_particle_def *defs, size_t count, bool is_turned)
{
    mote_particle_id *ids = malloc(count * sizeof *ids);
    assert_non_null(ids);
    must(mote_particles_add(world, defs, count, ids));
    mote_body_def def = mote_default_body_def();
    def.particles = ids;
    def.particle_count = count;
    if (is_turned)
        def.frame = (mote_pose){vec(3, -2, 1), {0.1f, 0.5f, -0.3f, 0.8f}};
    must_exist(mote_body_add(world, &def));
    free(ids);
}

/* Touching particles, the first at the origin. */
static void add_lattice(mote_world *world, uint32_t nx, uint32_t ny, uint32_t nz)
{
    size_t count = (size_t)nx * ny * nz;
    mote_particle_def *defs = malloc(count * sizeof *defs);
    assert_non_null(defs);
    for (size_t i = 0; i < count; i++) {
        defs[i] = mote_default_particle_def();
        defs[i].position =
            vec(0.1f * (float)(i % nx), 0.1f * (float)(i / nx % ny), 0.1f * (float)(i / nx / ny));
    }
    add_body(world, defs, count, false);
    free(defs);
}

/* `count` points at random in a box, of radii from r to `spread` times r. */
static void add_cloud(mote_world *world, size_t count, mote_vec3 size, float r, float spread)
{
    uint64_t seed = count;
    mote_particle_def *defs = malloc(count * sizeof *defs);
    assert_non_null(defs);
    for (size_t i = 0; i < count; i++) {
        defs[i] = mote_default_particle_def();
        defs[i].position = vec(random_between(&seed, 0, size.x), random_between(&seed, 0, size.y),
                               random_between(&seed, 0, size.z));
        defs[i].radius = r * random_between(&seed, 1, spread);
    }
    add_body(world, defs, count, true);
    free(defs);
}

static void grid_and_all_pairs(void **state)
{
    (void)state;
    const mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    add_lattice(world, 13, 9, 8);
    add_lattice(world, 30, 10, 2);
    add_cloud(world, 900, vec(1, 1, 1), 0.05f, 1.01f);         /* as dense as a lattice */
    add_cloud(world, 700, vec(1, 1, 1), 0.02f, 8);             /* of many sizes */
    add_cloud(world, 300, vec(0.05f, 0.05f, 0.05f), 0.05f, 2); /* all neighbours of all */
    add_cloud(world, 500, vec(1000, 1000, 1000), 10, 8);       /* most alone, and far from a surface */
    add_cloud(world, 400, vec(900000, 5, 5), 0.2f, 3);         /* more cells than a grid has */
    static const char *const names[] = {"block", "slab", "cloud", "sizes", "heap", "dust", "line"};
    for (uint32_t i = 0; i < mote_body_count(world); i++)
        check_same(world, i, names[i]);
    mote_world_destroy(world);
}

/* In a cube of n^3 touching particles the depth of one is its distance to the nearest outer layer, and the
 * radius. */
static void depths_in_a_cube(void **state)
{
    (void)state;
    const mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    add_lattice(world, 9, 9, 9);
    const mt_body *body = &mt_bodies(world)[0];
    check_near(body->link_count, 729, 0, "particles");
    for (uint32_t k = 0; k < body->link_count; k++) {
        const mt_link *link = mt_body_links(world, 0) + k;
        const double own[3] = {(double)link->rest.x, (double)link->rest.y, (double)link->rest.z};
        double layer = 8;
        for (int i = 0; i < 3; i++) {
            double from_middle = fabs(own[i] - 0.4) / 0.1;
            layer = fmin(layer, 4 - from_middle);
        }
        check_near((double)link->depth, 0.1 * layer + 0.05, 1e-5, "depth of particle %u, m", k);
    }
    mote_world_destroy(world);
}

/* An open box of one layer, and a round pipe: nothing is inside of them. Of a box whose walls are two layers thick
 * every particle has a depth. */
static void layers_have_no_depth(void **state)
{
    (void)state;
    const mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    static mote_particle_def defs[1000];
    for (int walls = 1; walls <= 2; walls++) {
        size_t count = 0;
        for (int x = 0; x < 10; x++)
            for (int y = 0; y < 10; y++)
                for (int z = 0; z < 10; z++)
                    if (fmin(fmin(x, 9 - x), fmin(y, fmin(z, 9 - z))) < walls) {
                        defs[count] = mote_default_particle_def();
                        defs[count++].position = vec(0.1f * (float)x, 0.1f * (float)y, 0.1f * (float)z);
                    }
        add_body(world, defs, count, true);
    }
    size_t count = 0;
    for (int ring = 0; ring < 12; ring++)
        for (int i = 0; i < 16; i++) {
            double angle = 2 * TEST_PI * (i + 0.5 * (ring % 2)) / 16;
            defs[count] = mote_default_particle_def();
            defs[count++].position =
                vec((float)(0.25 * cos(angle)), (float)(0.0875 * ring), (float)(0.25 * sin(angle)));
        }
    add_body(world, defs, count, true);
    static const char *const names[] = {"box", "thick box", "pipe"};
    for (uint32_t slot = 0; slot < 3; slot++)
        for (uint32_t k = 0; k < mt_bodies(world)[slot].link_count; k++) {
            const mt_link *link = mt_body_links(world, slot) + k;
            mote_vec3 x = link->rest;
            if (slot == 0 && fabs((double)x.x - 0.45) > 0.3 && fabs((double)x.z - 0.45) > 0.3)
                continue; /* where walls meet, others may be behind */
            check_true((link->depth > 0) == (slot == 1), "depth of particle %u of the %s", k, names[slot]);
        }
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grid_and_all_pairs),
        cmocka_unit_test(depths_in_a_cube),
        cmocka_unit_test(layers_have_no_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
