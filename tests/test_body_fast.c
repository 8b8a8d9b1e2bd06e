/* Bodies thrown at thin walls: none passes, and none comes back faster than it went. */
#include "support.h"

#include <math.h>

#define BODIES 20
#define RADIUS 0.05f

static mote_shape_def thin_box(mote_world *world)
{
    (void)world;
    mote_shape_def def = mote_default_shape_def();
    def.type = MOTE_SHAPE_BOX;
    def.half_extents = (mote_vec3){3, 3, 0.02f};
    return def;
}

/* Two triangles. */
static mote_shape_def sheet(mote_world *world)
{
    static const mote_vec3 corners[4] = {{-3, -3, 0}, {3, -3, 0}, {3, 3, 0}, {-3, 3, 0}};
    static const uint32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    mote_mesh mesh = {corners, 4, triangles, 2};
    mote_shape_def def = mote_default_shape_def();
    def.type = MOTE_SHAPE_GEOMETRY;
    def.geometry = mote_mesh_add(world, &mesh);
    must_exist(def.geometry);
    return def;
}

static double speed_of(mote_body_state state)
{
    return sqrt((double)(state.velocity.x * state.velocity.x + state.velocity.y * state.velocity.y +
                         state.velocity.z * state.velocity.z));
}

static void throw_at(mote_shape_def (*wall)(mote_world *world), float speed)
{
    static const uint32_t count[3] = {3, 3, 3};
    mote_settings settings = mote_default_settings();
    settings.gravity = (mote_vec3){0, 0, 0};
    mote_world *world = test_world(&settings);
    mote_shape_def def = wall(world);
    must_exist(mote_shape_add(world, &def));
    mote_body_id body[BODIES];
    for (int i = 0; i < BODIES; i++) {
        mote_rigid_def rigid = mote_default_rigid_def();
        rigid.radius = RADIUS;
        rigid.pose.position =
            (mote_vec3){-2 + 0.4f * (float)(i % 10), (float)(i / 10) - 0.5f, 1 + 0.07f * (float)i};
        rigid.velocity = (mote_vec3){0, 0, -speed};
        rigid.spin = (mote_vec3){3 * (float)i, 2, 1};
        body[i] = mote_rigid_box(world, &rigid, count);
        must_exist(body[i]);
    }
    for (int step = 0; step < 120; step++)
        must(mote_world_step(world, 1.0f / 60.0f));
    for (int i = 0; i < BODIES; i++) {
        mote_body_state now;
        must(mote_body_get(world, body[i], &now));
        check_above((double)now.center.z, 0, "body %d thrown with %g m/s: its side of the wall, m", i,
                    (double)speed);
        check_below(speed_of(now), (double)speed, "body %d thrown with %g m/s: its speed after, m/s", i,
                    (double)speed);
    }
    mote_world_destroy(world);
}

static void at_a_thin_box(void **state)
{
    (void)state;
    for (float speed = 10; speed < 400; speed *= 3)
        throw_at(thin_box, speed);
}

static void at_a_sheet(void **state)
{
    (void)state;
    for (float speed = 10; speed < 400; speed *= 3)
        throw_at(sheet, speed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_a_thin_box),
        cmocka_unit_test(at_a_sheet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
