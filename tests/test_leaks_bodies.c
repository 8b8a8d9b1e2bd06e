/* Bodies one particle layer thick hold water for a minute while they are moved, tilted, pushed and stirred:
 * none of it comes through. */
#include "leaks.h"
#include "meshes.h"

#include <math.h>

#define R           LEAK_RADIUS
#define MOST_POINTS 4000

typedef struct points {
    mote_vec3 at[MOST_POINTS];
    uint32_t count;
} points;

static void put(points *p, double x, double y, double z)
{
    assert_true(p->count < MOST_POINTS);
    p->at[p->count++] = vec((float)(x * (double)R), (float)(y * (double)R), (float)(z * (double)R));
}

static mote_body_id make_body(mote_world *world, const points *p, mote_body_mode mode)
{
    mote_material_def glass = mote_default_material_def();
    glass.density = 2500.0f;
    mote_rigid_def def = mote_default_rigid_def();
    def.material = mote_material_add(world, &glass);
    def.mode = mode;
    mote_body_id body = mote_rigid_points(world, &def, p->at, p->count);
    must_exist(body);
    return body;
}

/* Open bodies are closed by a plane above, or water would come out over the rim. */
static void add_lid(mote_world *world, double height)
{
    mote_shape_def def = mote_default_shape_def();
    def.type = MOTE_SHAPE_PLANE;
    def.position = vec(0, (float)(height * (double)R), 0);
    def.rotation = (mote_quat){1, 0, 0, 0};
    must_exist(mote_shape_add(world, &def));
}

/* ---- a round glass, as that of the scenes; lengths in radii --------------------------------------------- */

#define GLASS_WALL  8.0  /* of the wall's particles from the axis */
#define GLASS_ROW   1.75 /* between two rings, which are turned by half a gap */
#define GLASS_RINGS 14

static void put_ring(points *p, double distance, double height, double phase)
{
    int count = (int)fmax(ceil(TEST_PI * distance - 1e-6), 1.0);
    for (int i = 0; i < count; i++) {
        double angle = 2 * TEST_PI * (i + phase) / count;
        put(p, distance * cos(angle), height, distance * sin(angle));
    }
}

static void put_glass(points *p, double wall, int rings)
{
    p->count = 0;
    const int bottom = (int)ceil((wall - GLASS_ROW) / 2.0);
    for (int ring = bottom; ring >= 0; ring--)
        put_ring(p, (wall - GLASS_ROW) * ring / bottom, 1.0, 0.0);
    for (int ring = 0; ring <= rings; ring++)
        put_ring(p, wall, 1.0 + GLASS_ROW * ring, 0.5 * (ring % 2));
}

static void build_glass(mote_world *world)
{
    static points p;
    put_glass(&p, GLASS_WALL, GLASS_RINGS);
    make_body(world, &p, MOTE_BODY_DRIVEN);
    add_lid(world, 2.0 + GLASS_ROW * GLASS_RINGS);
}

static void build_large_glass(mote_world *world)
{
    static points p;
    put_glass(&p, 15.0, 22);
    make_body(world, &p, MOTE_BODY_DRIVEN);
    add_lid(world, 2.0 + GLASS_ROW * 22);
}

static void build_standing_glass(mote_world *world)
{
    static points p;
    put_glass(&p, GLASS_WALL, GLASS_RINGS);
    make_body(world, &p, MOTE_BODY_DYNAMIC);
    add_floor(world, mote_world_default_material(world));
}

/* Of a cylinder from y = 0 up that is open above. */
static double room_in_cylinder(mote_vec3 x, double radius)
{
    return fmin(radius - length_of(vec(x.x, 0, x.z)), (double)x.y);
}

static double room_in_glass(mote_vec3 x)
{
    return room_in_cylinder(x, (GLASS_WALL + 1) * (double)R);
}

static double room_in_large_glass(mote_vec3 x)
{
    return room_in_cylinder(x, 16 * (double)R);
}

/* ---- a square box of a cubic lattice --------------------------------------------------------------------- */

#define BOX_SIDE 9  /* particles along a side */
#define BOX_TALL 13 /* and upwards */

static void build_lattice_box(mote_world *world)
{
    static points p;
    p.count = 0;
    for (int x = 0; x < BOX_SIDE; x++)
        for (int y = 0; y < BOX_TALL; y++)
            for (int z = 0; z < BOX_SIDE; z++)
                if (y == 0 || x == 0 || z == 0 || x == BOX_SIDE - 1 || z == BOX_SIDE - 1)
                    put(&p, 2.0 * x - (BOX_SIDE - 1), 2.0 * y + 1, 2.0 * z - (BOX_SIDE - 1));
    make_body(world, &p, MOTE_BODY_DRIVEN);
    add_lid(world, 2.0 * BOX_TALL);
}

static double room_in_lattice_box(mote_vec3 x)
{
    double half = BOX_SIDE * (double)R;
    return fmin(fmin(half - fabs((double)x.x), half - fabs((double)x.z)), (double)x.y);
}

/* ---- a cup from a closed mesh: a bowl within a bowl, as thick as a particle ------------------------- */

#define CUP_OUT (10 * (double)R) /* m, radius of the outside */

/* Two half balls around the origin, joined at the rim, and a wall upwards. */
static test_mesh cup_mesh(void)
{
    enum { AROUND = 32, DOWN = 8, SHELL = DOWN + 1 };
    test_mesh mesh = empty_mesh(2 * (SHELL * AROUND + 1), 2 * (AROUND * (2 * DOWN + 1)) + 2 * AROUND);
    size_t t = 0, v = 0;
    for (int side = 0; side < 2; side++) {
        double radius = CUP_OUT - 2 * side * (double)R;
        for (int ring = 0; ring < SHELL; ring++) /* the first is the rim, high above the half ball */
            for (int i = 0; i < AROUND; i++) {
                double down = 0.5 * TEST_PI * (ring - 1) / DOWN, turn = 2 * TEST_PI * i / AROUND;
                double out = ring == 0 ? radius : radius * cos(down);
                double y = ring == 0 ? 12 * (double)R : -radius * sin(down);
                mesh.vertices[v++] = vec((float)(out * cos(turn)), (float)y, (float)(out * sin(turn)));
            }
        mesh.vertices[v++] = vec(0, (float)-radius, 0);
    }
    uint32_t shell = SHELL * AROUND + 1;
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t i = 0; i < AROUND; i++) {
            uint32_t next = (i + 1) % AROUND, base = side * shell;
            for (uint32_t ring = 0; ring < DOWN; ring++) {
                uint32_t a = base + ring * AROUND + i, b = base + ring * AROUND + next, c = a + AROUND,
                         d = b + AROUND;
                uint32_t quad[6] = {a, b, c, b, d, c};
                for (int k = 0; k < 6; k++)
                    mesh.triangles[3 * t + (side == 0 ? k : 5 - k)] = quad[k];
                t += 2;
            }
            uint32_t a = base + DOWN * AROUND + i, b = base + DOWN * AROUND + next, low = base + shell - 1;
            uint32_t fan[3] = {a, b, low};
            for (int k = 0; k < 3; k++)
                mesh.triangles[3 * t + (side == 0 ? k : 2 - k)] = fan[k];
            t++;
        }
    for (uint32_t i = 0; i < AROUND; i++) { /* the rim */
        uint32_t next = (i + 1) % AROUND;
        uint32_t quad[6] = {i, shell + i, next, next, shell + i, shell + next};
        for (int k = 0; k < 6; k++)
            mesh.triangles[3 * t + k] = quad[k];
        t += 2;
    }
    mesh.triangle_count = t;
    return mesh;
}

static void build_cup(mote_world *world)
{
    test_mesh mesh = cup_mesh();
    mote_mesh view = mesh_view(&mesh);
    mote_rigid_def def = mote_default_rigid_def();
    def.mode = MOTE_BODY_DRIVEN;
    must_exist(mote_rigid_mesh(world, &def, &view, MOTE_SAMPLE_PARITY));
    mesh_free(&mesh);
    add_lid(world, 12.0);
}

static double room_in_cup(mote_vec3 x)
{
    return CUP_OUT - length_of(vec(x.x, fminf(x.y, 0), x.z));
}

#define IN_GLASS                                                                                               \
    .fill_min = {-4 * R, 2 * R, -4 * R}, .fill_max = {4 * R, 22 * R, 4 * R}, .rod = 3 * (double)R,             \
    .rod_end = 5 * (double)R
#define IN_LARGE                                                                                               \
    .fill_min = {-8 * R, 2 * R, -8 * R}, .fill_max = {8 * R, 30 * R, 8 * R}, .rod = 9 * (double)R,             \
    .rod_end = 5 * (double)R
#define IN_LATTICE                                                                                             \
    .fill_min = {-6 * R, 2 * R, -6 * R}, .fill_max = {6 * R, 16 * R, 6 * R}, .rod = 3 * (double)R,             \
    .rod_end = 5 * (double)R
#define IN_CUP                                                                                                 \
    .fill_min = {-4 * R, -5 * R, -4 * R}, .fill_max = {4 * R, 7 * R, 4 * R}, .rod = 3 * (double)R,             \
    .rod_end = -3 * (double)R

LEAK_TEST(glass_holds, build_glass, room_in_glass, IN_GLASS, .seconds = LEAK_SECONDS)
LEAK_TEST(glass_holds_at_2_by_2, build_glass, room_in_glass, IN_GLASS, .substeps = 2, .iterations = 2)
LEAK_TEST(glass_holds_dense, build_glass, room_in_glass, IN_GLASS, .density = 13500, .surface_tension = 0.5f)
LEAK_TEST(standing_glass_holds, build_standing_glass, room_in_glass, IN_GLASS, .loose = true)
/* Thrown in at four fifths of a radius a substep. */
LEAK_TEST(glass_holds_a_gush, build_large_glass, room_in_large_glass, IN_LARGE, .velocity = {1, -4, 0},
          .seconds = 0.2 * LEAK_SHORTER)
LEAK_TEST(large_glass_holds, build_large_glass, room_in_large_glass, IN_LARGE, .seconds = 0.2 * LEAK_SHORTER)
LEAK_TEST(lattice_box_holds, build_lattice_box, room_in_lattice_box, IN_LATTICE)
LEAK_TEST(cup_holds, build_cup, room_in_cup, IN_CUP)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(glass_holds),       cmocka_unit_test(glass_holds_at_2_by_2),
        cmocka_unit_test(glass_holds_dense), cmocka_unit_test(standing_glass_holds),
        cmocka_unit_test(lattice_box_holds), cmocka_unit_test(cup_holds),
        cmocka_unit_test(large_glass_holds), cmocka_unit_test(glass_holds_a_gush),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
