/* Boxes of every kind of shape hold water for a minute while they are moved, tilted and stirred: none of it
 * comes through. */
#include "leaks.h"
#include "meshes.h"

#include <math.h>

static const mote_vec3 HALF = {0.12f, 0.2f, 0.12f}; /* of the boxes, m */
#define ROUND 0.22f                                 /* radius of the sphere and the capsule, m */

static double room_in_box(mote_vec3 x)
{
    return fmin((double)HALF.x - fabs((double)x.x),
                fmin((double)HALF.y - fabs((double)x.y), (double)HALF.z - fabs((double)x.z)));
}

static double room_in_ball(mote_vec3 x)
{
    return (double)ROUND - length_of(x);
}

static double room_in_capsule(mote_vec3 x)
{
    double y = fabs((double)x.y) - 0.1;
    return (double)ROUND - length_of(vec(x.x, y > 0 ? (float)y : 0, x.z));
}

static mote_shape_def plain(mote_shape_type type, bool inside)
{
    mote_shape_def def = mote_default_shape_def();
    def.type = type;
    def.inside = inside;
    def.half_extents = HALF;
    def.radius = ROUND;
    def.half_height = 0.1f;
    return def;
}

static void add(mote_world *world, const mote_shape_def *def)
{
    must_exist(mote_shape_add(world, def));
}

static void add_geometry(mote_world *world, mote_geometry_id geometry, bool inside)
{
    must_exist(geometry);
    mote_shape_def def = plain(MOTE_SHAPE_GEOMETRY, inside);
    def.geometry = geometry;
    add(world, &def);
}

static void build_ball(mote_world *world)
{
    mote_shape_def def = plain(MOTE_SHAPE_SPHERE, true);
    add(world, &def);
}

static void build_box(mote_world *world)
{
    mote_shape_def def = plain(MOTE_SHAPE_BOX, true);
    add(world, &def);
}

static void build_capsule(mote_world *world)
{
    mote_shape_def def = plain(MOTE_SHAPE_CAPSULE, true);
    add(world, &def);
}

/* Side i of six: where it is and how it is turned, so that its own y looks into the box. */
static mote_shape_def side_of(mote_shape_type type, int i)
{
    static const mote_quat turns[6] = {
        {0, 0, 0.70710678f, 0.70710678f},  {0, 0, -0.70710678f, 0.70710678f}, {1, 0, 0, 0}, {0, 0, 0, 1},
        {-0.70710678f, 0, 0, 0.70710678f}, {0.70710678f, 0, 0, 0.70710678f}};
    mote_shape_def def = plain(type, false);
    def.rotation = turns[i];
    (&def.position.x)[i / 2] = (i % 2 == 0 ? 1.0f : -1.0f) * (&HALF.x)[i / 2];
    return def;
}

static void build_planes(mote_world *world)
{
    for (int i = 0; i < 6; i++) {
        mote_shape_def def = side_of(MOTE_SHAPE_PLANE, i);
        add(world, &def);
    }
}

/* Solid slabs, thinner than a particle. */
static void build_slabs(mote_world *world)
{
    for (int i = 0; i < 6; i++) {
        mote_shape_def def = side_of(MOTE_SHAPE_BOX, i);
        float thin = 0.2f * LEAK_RADIUS;
        (&def.position.x)[i / 2] *= 1.0f + thin / (&HALF.x)[i / 2];
        def.half_extents = vec(0.25f, thin, 0.25f);
        add(world, &def);
    }
}

static void build_hull(mote_world *world)
{
    test_mesh box = box_mesh(HALF);
    add_geometry(world, mote_hull_add(world, box.vertices, box.vertex_count), true);
    mesh_free(&box);
}

static void build_hull_walls(mote_world *world)
{
    test_mesh wall = box_mesh(vec(0.25f, 0.2f * LEAK_RADIUS, 0.25f));
    mote_geometry_id geometry = mote_hull_add(world, wall.vertices, wall.vertex_count);
    must_exist(geometry);
    for (int i = 0; i < 6; i++) {
        mote_shape_def def = side_of(MOTE_SHAPE_GEOMETRY, i);
        def.geometry = geometry;
        (&def.position.x)[i / 2] *= 1.0f + 0.2f * LEAK_RADIUS / (&HALF.x)[i / 2];
        add(world, &def);
    }
    mesh_free(&wall);
}

static void build_mesh(mote_world *world)
{
    test_mesh box = box_mesh(HALF);
    mote_mesh view = mesh_view(&box);
    add_geometry(world, mote_mesh_add(world, &view), false);
    mesh_free(&box);
}

/* Half a sphere of flat triangles under another. */
static void build_bowls(mote_world *world)
{
    test_mesh bowl = bowl_mesh((double)ROUND, 16, 5);
    mote_mesh view = mesh_view(&bowl);
    mote_geometry_id geometry = mote_mesh_add(world, &view);
    add_geometry(world, geometry, false);
    mote_shape_def lid = plain(MOTE_SHAPE_GEOMETRY, false);
    lid.geometry = geometry;
    lid.rotation = (mote_quat){1, 0, 0, 0};
    add(world, &lid);
    mesh_free(&bowl);
}

static void build_sdf(mote_world *world)
{
    test_mesh box = box_mesh(HALF);
    mote_mesh view = mesh_view(&box);
    add_geometry(world, mote_sdf_add_mesh(world, &view, 0.02f), true);
    mesh_free(&box);
}

/* Two height fields, each a pit with a rim at height 0, one upside down on the other. */
static double pit(double x, double z)
{
    double out = sqrt(x * x + z * z) / 0.26;
    return out < 1 ? -0.2 * (1 - out * out) : 0.0;
}

static double room_in_pits(mote_vec3 x)
{
    return -pit((double)x.x, (double)x.z) - fabs((double)x.y) + 0.01; /* flat triangles on a round pit */
}

static void build_pits(mote_world *world)
{
    enum { NODES = 21 };
    static float heights[NODES * NODES];
    for (int row = 0; row < NODES; row++)
        for (int column = 0; column < NODES; column++)
            heights[row * NODES + column] = (float)pit(0.03 * (column - 10), 0.03 * (row - 10));
    mote_heightfield_def field = {NODES, NODES, 0.03f, heights};
    mote_geometry_id geometry = mote_heightfield_add(world, &field);
    must_exist(geometry);
    mote_shape_def def = plain(MOTE_SHAPE_GEOMETRY, false);
    def.geometry = geometry;
    def.position = vec(-0.3f, 0, -0.3f); /* a height field begins at its corner */
    add(world, &def);
    def.position = vec(-0.3f, 0, 0.3f);
    def.rotation = (mote_quat){1, 0, 0, 0};
    add(world, &def);
}

#define IN_BOX                                                                                                 \
    .fill_min = {-0.12f, -0.2f, -0.12f}, .fill_max = {0.12f, 0.04f, 0.12f}, .rod = 0.05, .rod_end = -0.13
#define IN_BALL                                                                                                \
    .fill_min = {-0.12f, -0.12f, -0.12f}, .fill_max = {0.12f, 0.08f, 0.12f}, .rod = 0.08, .rod_end = -0.06

LEAK_TEST(planes_hold, build_planes, room_in_box, IN_BOX)
LEAK_TEST(box_holds, build_box, room_in_box, IN_BOX)
LEAK_TEST(ball_holds, build_ball, room_in_ball, IN_BALL)
LEAK_TEST(capsule_holds, build_capsule, room_in_capsule, IN_BALL)
LEAK_TEST(slabs_hold, build_slabs, room_in_box, IN_BOX)
LEAK_TEST(hull_holds, build_hull, room_in_box, IN_BOX)
LEAK_TEST(hull_walls_hold, build_hull_walls, room_in_box, IN_BOX)
LEAK_TEST(mesh_holds, build_mesh, room_in_box, IN_BOX, .seconds = LEAK_SECONDS)
LEAK_TEST(bowls_hold, build_bowls, room_in_ball, IN_BALL, .seconds = 0.5 * LEAK_SHORTER)
LEAK_TEST(sdf_holds, build_sdf, room_in_box, IN_BOX)
LEAK_TEST(pits_hold, build_pits, room_in_pits, IN_BALL, .seconds = 0.5 * LEAK_SHORTER)
LEAK_TEST(mesh_holds_at_2_by_2, build_mesh, room_in_box, IN_BOX, .substeps = 2, .iterations = 2)
LEAK_TEST(planes_hold_at_2_by_2, build_planes, room_in_box, IN_BOX, .substeps = 2, .iterations = 2)
LEAK_TEST(mesh_holds_dense, build_mesh, room_in_box, IN_BOX, .density = 13500, .surface_tension = 0.5f)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes_hold),
        cmocka_unit_test(box_holds),
        cmocka_unit_test(ball_holds),
        cmocka_unit_test(capsule_holds),
        cmocka_unit_test(slabs_hold),
        cmocka_unit_test(hull_holds),
        cmocka_unit_test(hull_walls_hold),
        cmocka_unit_test(mesh_holds),
        cmocka_unit_test(bowls_hold),
        cmocka_unit_test(sdf_holds),
        cmocka_unit_test(pits_hold),
        cmocka_unit_test(mesh_holds_at_2_by_2),
        cmocka_unit_test(planes_hold_at_2_by_2),
        cmocka_unit_test(mesh_holds_dense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
