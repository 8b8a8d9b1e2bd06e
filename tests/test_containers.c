/* Containers of every shape, turned, shaken and accelerated for 20 seconds: nothing gets out. */
#include "meshes.h"

#include <math.h>
#include <stdlib.h>

#define GRAINS  400
#define RADIUS  0.04f                         /* m, of the grains */
#define SECONDS TEST_BY_BUILD(20.0, 5.0, 1.0) /* of shaking */

typedef struct pose {
    mote_vec3 position;
    mote_quat rotation;
} pose;

/* Turns twice a second about an axis that wanders, and swings 0.3 m three times a second: eleven times
 * gravity. */
static pose pose_at(double time)
{
    double swing = 0.3 * sin(2 * TEST_PI * 3.0 * time) * fmin(time, 1.0),
           angle = 2 * TEST_PI * time * fmin(time, 2.0);
    double ax = sin(0.7 * time), ay = cos(0.9 * time), az = sin(1.3 * time + 1.0);
    double length = sqrt(ax * ax + ay * ay + az * az), s = sin(0.5 * angle) / length;
    double drift = 2.0 * time * fmin(time, 1.0); /* and drives off */
    return (pose){vec((float)(swing + drift), (float)(0.5 * swing), (float)(-0.7 * swing)),
                  {(float)(s * ax), (float)(s * ay), (float)(s * az), (float)cos(0.5 * angle)}};
}

static mote_vec3 to_local(pose p, mote_vec3 x)
{
    mote_vec3 d = vec(x.x - p.position.x, x.y - p.position.y, x.z - p.position.z);
    mote_quat q = p.rotation; /* the other way round */
    mote_vec3 u = vec(-q.x, -q.y, -q.z);
    mote_vec3 c = vec(u.y * d.z - u.z * d.y + q.w * d.x, u.z * d.x - u.x * d.z + q.w * d.y,
                      u.x * d.y - u.y * d.x + q.w * d.z);
    return vec(d.x + 2 * (u.y * c.z - u.z * c.y), d.y + 2 * (u.z * c.x - u.x * c.z),
               d.z + 2 * (u.x * c.y - u.y * c.x));
}

typedef struct container {
    const char *name;
    void (*build)(mote_world *world);
    double (*room)(mote_vec3 x); /* how deep inside a point is, m; below 0: out */
} container;

static const mote_vec3 HALF = {0.5f, 0.45f, 0.55f}; /* of the boxes */

static double room_in_box(mote_vec3 x)
{
    return fmin((double)HALF.x - fabs((double)x.x),
                fmin((double)HALF.y - fabs((double)x.y), (double)HALF.z - fabs((double)x.z)));
}

static double room_in_ball(mote_vec3 x)
{
    return 0.55 - length_of(x);
}

static double room_in_capsule(mote_vec3 x)
{
    double y = fabs((double)x.y) - 0.3;
    return 0.4 - length_of(vec(x.x, y > 0 ? (float)y : 0, x.z));
}

static mote_shape_def plain(mote_shape_type type)
{
    mote_shape_def def = mote_default_shape_def();
    def.type = type;
    def.inside = type != MOTE_SHAPE_PLANE;
    return def;
}

static void build_ball(mote_world *world)
{
    mote_shape_def def = plain(MOTE_SHAPE_SPHERE);
    def.radius = 0.55f;
    must_exist(mote_shape_add(world, &def));
}

static void build_box(mote_world *world)
{
    mote_shape_def def = plain(MOTE_SHAPE_BOX);
    def.half_extents = HALF;
    must_exist(mote_shape_add(world, &def));
}

static void build_capsule(mote_world *world)
{
    mote_shape_def def = plain(MOTE_SHAPE_CAPSULE);
    def.radius = 0.4f;
    def.half_height = 0.3f;
    must_exist(mote_shape_add(world, &def));
}

static void build_geometry(mote_world *world, mote_geometry_id geometry, bool inside)
{
    mote_shape_def def = plain(MOTE_SHAPE_GEOMETRY);
    must_exist(geometry);
    def.geometry = geometry;
    def.inside = inside;
    must_exist(mote_shape_add(world, &def));
}

static void build_hull(mote_world *world)
{
    test_mesh box = box_mesh(HALF);
    build_geometry(world, mote_hull_add(world, box.vertices, box.vertex_count), true);
    mesh_free(&box);
}

static void build_mesh(mote_world *world)
{
    test_mesh box = box_mesh(HALF);
    mote_mesh view = mesh_view(&box);
    build_geometry(world, mote_mesh_add(world, &view), false);
    mesh_free(&box);
}

static void build_sdf(mote_world *world)
{
    test_mesh box = box_mesh(HALF);
    mote_mesh view = mesh_view(&box);
    build_geometry(world, mote_sdf_add_mesh(world, &view, 0.05f), true);
    mesh_free(&box);
}

/* Six solid slabs. */
static void build_slabs(mote_world *world)
{
    for (int i = 0; i < 6; i++) {
        mote_shape_def def = plain(MOTE_SHAPE_BOX);
        def.inside = false;
        float side = i % 2 == 0 ? 1.0f : -1.0f, thin = 0.01f;
        float *half = &def.half_extents.x, *position = &def.position.x;
        for (int axis = 0; axis < 3; axis++)
            half[axis] = (&HALF.x)[axis] + 2 * thin;
        half[i / 2] = thin;
        position[i / 2] = side * ((&HALF.x)[i / 2] + thin);
        must_exist(mote_shape_add(world, &def));
    }
}

/* Two height fields, each a pit with a rim at height 0, one upside down on the other. */
static double pit(double x, double z)
{
    double out = sqrt(x * x + z * z) / 0.6;
    return out < 1 ? -0.5 * (1 - out * out) : 0.0;
}

static double room_in_pits(mote_vec3 x)
{
    double depth = -pit((double)x.x, (double)x.z);
    return depth - fabs((double)x.y) + 0.02; /* flat triangles on a round pit */
}

static void build_pits(mote_world *world)
{
    enum { NODES = 61 };
    static float heights[NODES * NODES];
    for (int row = 0; row < NODES; row++)
        for (int column = 0; column < NODES; column++)
            heights[row * NODES + column] = (float)pit(0.025 * (column - 30), 0.025 * (row - 30));
    mote_heightfield_def field = {NODES, NODES, 0.025f, heights};
    mote_geometry_id geometry = mote_heightfield_add(world, &field);
    build_geometry(world, geometry, false);
    build_geometry(world, geometry, false);
}

static void fill(mote_world *world, const container *c, mote_particle_id ids[GRAINS])
{
    uint64_t state = 3;
    for (int made = 0; made < GRAINS;) {
        mote_vec3 x = vec(random_between(&state, -0.6f, 0.6f), random_between(&state, -0.6f, 0.6f),
                          random_between(&state, -0.6f, 0.6f));
        if (c->room(x) < 1.2 * (double)RADIUS)
            continue;
        mote_particle_def def = mote_default_particle_def();
        def.position = x;
        def.radius = RADIUS * random_between(&state, 0.8f, 1.0f);
        def.mass = 0.5f;
        ids[made] = mote_particle_add(world, &def);
        must_exist(ids[made++]);
    }
}

/* Shapes keep their places within the container: the first pose, then the container's. */
static void move_all(mote_world *world, const mote_shape_def *first, const mote_shape_id *ids, uint32_t count,
                     pose p)
{
    for (uint32_t i = 0; i < count; i++) {
        pose back = {vec(0, 0, 0), {-p.rotation.x, -p.rotation.y, -p.rotation.z, p.rotation.w}};
        mote_vec3 at = to_local(back, first[i].position);
        mote_quat a = p.rotation, b = first[i].rotation;
        mote_quat q = {
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
        must(mote_shape_move_to(world, ids[i],
                                vec(at.x + p.position.x, at.y + p.position.y, at.z + p.position.z), q));
    }
}

static void shake(const container *c)
{
    mote_world_def def = test_world_def(NULL);
    def.radius = RADIUS;
    mote_world *world;
    must(mote_world_create(&def, &world));
    c->build(world);
    static mote_particle_id ids[GRAINS];
    fill(world, c, ids);
    mote_shape_id shapes[8];
    mote_shape_def first[8];
    uint32_t count = mote_shape_list(world, shapes, 8);
    for (uint32_t i = 0; i < count; i++)
        must(mote_shape_get(world, shapes[i], &first[i]));
    if (c->build == build_pits) { /* a height field begins at its corner; the second one hangs upside down */
        first[0].position = vec(-0.75f, 0, -0.75f);
        first[1].position = vec(-0.75f, 0, 0.75f);
        first[1].rotation = (mote_quat){1, 0, 0, 0};
        for (int i = 0; i < 2; i++)
            must(mote_shape_set(world, shapes[i], &first[i]));
    }
    double least = 1e9;
    for (uint32_t frame = 1; frame <= (uint32_t)(60 * SECONDS); frame++) {
        pose p = pose_at(frame / 60.0);
        move_all(world, first, shapes, count, p);
        must(mote_world_step(world, TEST_FRAME));
        for (int i = 0; i < GRAINS; i++) {
            double room = c->room(to_local(p, state_of(world, ids[i]).position));
            least = fmin(least, room);
            check_above(room, 0.0, "%s: room of grain %d after frame %u", c->name, i, frame);
        }
    }
    print_message("%s: %g mm is the nearest that any centre came to a wall\n", c->name, 1000 * least);
    mote_world_destroy(world);
}

#define CONTAINER_TEST(name, build, room)                                                                      \
    static void name(void **unused)                                                                            \
    {                                                                                                          \
        (void)unused;                                                                                          \
        shake(&(container){#name, build, room});                                                               \
    }

CONTAINER_TEST(ball_holds, build_ball, room_in_ball)
CONTAINER_TEST(box_holds, build_box, room_in_box)
CONTAINER_TEST(capsule_holds, build_capsule, room_in_capsule)
CONTAINER_TEST(hull_holds, build_hull, room_in_box)
CONTAINER_TEST(mesh_holds, build_mesh, room_in_box)
CONTAINER_TEST(sdf_holds, build_sdf, room_in_box)
CONTAINER_TEST(slabs_hold, build_slabs, room_in_box)
CONTAINER_TEST(pits_hold, build_pits, room_in_pits)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball_holds), cmocka_unit_test(box_holds),  cmocka_unit_test(capsule_holds),
        cmocka_unit_test(hull_holds), cmocka_unit_test(mesh_holds), cmocka_unit_test(sdf_holds),
        cmocka_unit_test(slabs_hold), cmocka_unit_test(pits_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
