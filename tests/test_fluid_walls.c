/* What water puts on walls: the floor of a tank bears its weight, the sides bear what the depth says. */
#include "meshes.h"

#include <math.h>

#define R     0.025f
#define WIDTH (16 * R) /* of the tank, m */
#define HIGH  12       /* layers of particles */

#define WEIGHT (8 * 8 * HIGH * 8.0 * (double)R * (double)R * (double)R * 1000.0 * TEST_GRAVITY) /* N */

static mote_world *make_world(uint32_t substeps, uint32_t iterations)
{
    mote_settings settings = mote_default_settings();
    settings.substeps = substeps;
    settings.iterations = iterations;
    mote_world_def def = test_world_def(&settings);
    def.radius = R;
    mote_world *world;
    must(mote_world_create(&def, &world));
    return world;
}

static void fill(mote_world *world)
{
    mote_material_def water = mote_default_material_def();
    water.fluid = true;
    water.viscosity = 0.001f;
    mote_fluid_def def = mote_default_fluid_def();
    def.material = mote_material_add(world, &water);
    def.min = vec(0, 0, 0);
    def.max = vec(WIDTH, 2 * R * HIGH, WIDTH);
    must(mote_fluid_block(world, &def, NULL));
}

/* The floor first, then x from below and from above, then z. */
static void add_planes(mote_world *world, mote_shape_id ids[5])
{
    static const mote_vec3 inwards[5] = {{0, 1, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}};
    for (int i = 0; i < 5; i++) {
        mote_plane_def def = mote_default_plane_def();
        def.normal = inwards[i];
        def.offset = i == 2 || i == 4 ? -WIDTH : 0.0f;
        ids[i] = mote_plane_add(world, &def);
        must_exist(ids[i]);
    }
}

/* The mean over a second, when the water has come to rest. */
static void measure(mote_world *world, const mote_shape_id *ids, int count, double force[][3])
{
    enum { FRAMES = TEST_BY_BUILD(60, 20, 2) };
    step_times(world, TEST_BY_BUILD(300, 120, 10), TEST_FRAME);
    for (int i = 0; i < count; i++)
        force[i][0] = force[i][1] = force[i][2] = 0.0;
    for (int frame = 0; frame < FRAMES; frame++) {
        must(mote_world_step(world, TEST_FRAME));
        for (int i = 0; i < count; i++) {
            mote_vec3 now;
            must(mote_shape_force(world, ids[i], &now));
            force[i][0] += (double)now.x / FRAMES;
            force[i][1] += (double)now.y / FRAMES;
            force[i][2] += (double)now.z / FRAMES;
        }
    }
}

static void check_planes(uint32_t substeps, uint32_t iterations)
{
    mote_world *world = make_world(substeps, iterations);
    mote_shape_id ids[5];
    double force[5][3];
    add_planes(world, ids);
    fill(world);
    measure(world, ids, 5, force);
    check_near(force[0][1], -WEIGHT, 0.002 * WEIGHT, "force on the floor at %u x %u, N", substeps, iterations);
    double depth = 2 * (double)R * HIGH, side = 0.5 * 1000.0 * TEST_GRAVITY * depth * depth * (double)WIDTH;
    static const int axes[5] = {1, 0, 0, 2, 2};
    for (int i = 1; i < 5; i++) {
        double outwards = (i % 2 == 1 ? -1.0 : 1.0) * force[i][axes[i]];
        check_near(outwards, side, 0.1 * side, "force on side %d at %u x %u, N", i, substeps, iterations);
        check_near(force[i][1], 0.0, 1e-3 * WEIGHT, "no friction on side %d, N", i);
    }
    mote_world_destroy(world);
}

static void planes_bear_the_weight(void **unused)
{
    (void)unused;
    check_planes(4, 2);
    check_planes(2, 2);
    check_planes(8, 3);
}

/* One shape bears all: the sides cancel. */
static void check_one(mote_world *world, mote_shape_id id, const char *name)
{
    double force[1][3];
    must_exist(id);
    fill(world);
    measure(world, &id, 1, force);
    check_near(force[0][1], -WEIGHT, 0.02 * WEIGHT, "force on the %s, N", name);
    check_near(force[0][0], 0.0, 0.01 * WEIGHT, "force of the %s along x, N", name);
    check_near(force[0][2], 0.0, 0.01 * WEIGHT, "force of the %s along z, N", name);
    mote_world_destroy(world);
}

static void a_box_bears_the_weight(void **unused)
{
    (void)unused;
    mote_world *world = make_world(4, 2);
    mote_shape_def def = mote_default_shape_def();
    def.type = MOTE_SHAPE_BOX;
    def.inside = true;
    def.half_extents = vec(WIDTH / 2, 1, WIDTH / 2);
    def.position = vec(WIDTH / 2, 1, WIDTH / 2);
    check_one(world, mote_shape_add(world, &def), "box");
}

static void a_mesh_bears_the_weight(void **unused)
{
    (void)unused;
    mote_world *world = make_world(4, 2);
    test_mesh box = box_between(vec(0, 0, 0), vec(WIDTH, 2, WIDTH));
    mote_mesh view = mesh_view(&box);
    mote_shape_def def = mote_default_shape_def();
    def.type = MOTE_SHAPE_GEOMETRY;
    def.geometry = mote_mesh_add(world, &view);
    mesh_free(&box);
    check_one(world, mote_shape_add(world, &def), "mesh");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes_bear_the_weight),
        cmocka_unit_test(a_box_bears_the_weight),
        cmocka_unit_test(a_mesh_bears_the_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
