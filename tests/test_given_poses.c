/* Rotations that a program gives may have any length but 0, wherever poses are given: what comes of them is
 * what comes of the unit quaternion. */
#include "jointed_world.h"
#include "refused.h"

#include <math.h>

static const mote_quat UNIT = {0.18257419f, 0.36514837f, 0.54772256f, 0.73029674f}; /* (1, 2, 3, 4) / sqrt 30 */

static mote_pose turned(float length)
{
    return (mote_pose){vec(1, 2, 3), {length * UNIT.x, length * UNIT.y, length * UNIT.z, length * UNIT.w}};
}

static void check_pose(mote_pose measured, mote_pose expected, float length)
{
    check_near(distance_of(measured.position, expected.position), 0, 1e-5, "place, of a length of %g",
               (double)length);
    double dot = (double)measured.rotation.x * (double)expected.rotation.x +
                 (double)measured.rotation.y * (double)expected.rotation.y +
                 (double)measured.rotation.z * (double)expected.rotation.z +
                 (double)measured.rotation.w * (double)expected.rotation.w;
    check_near(fabs(dot), 1, 1e-6, "turn, of a length of %g", (double)length);
}

static mote_body_id add_bent(mote_world *world, mote_pose frame, mote_body_mode mode)
{
    mote_particle_id ids[4];
    for (int i = 0; i < 4; i++)
        ids[i] = add_particle(world, vec(0.1f * (float)i, i == 3 ? 0.1f : 0, i == 1 ? 0.05f : 0), vec(0, 0, 0),
                              (mote_material_id){0});
    mote_body_def def = mote_default_body_def();
    def.particles = ids;
    def.particle_count = 4;
    def.frame = frame;
    def.mode = mode;
    mote_body_id body = mote_body_add(world, &def);
    must_exist(body);
    return body;
}

static const float lengths[] = {1, 0.99f, 1.01f, 0.5f, 3, 1e-3f, 1e4f};
#define LENGTHS (sizeof lengths / sizeof *lengths)

static mote_pose body_pose(const mote_world *world, mote_body_id body)
{
    return body_state_of(world, body).pose;
}

/* A body's own coordinates; and its particles stay where they were when it is put where it is. */
static void frames(void **state)
{
    (void)state;
    const mote_settings settings = weightless();
    for (size_t i = 0; i < LENGTHS; i++) {
        mote_world *world = test_world(&settings);
        mote_body_id body = add_bent(world, turned(lengths[i]), MOTE_BODY_DYNAMIC);
        check_pose(body_pose(world, body), turned(1), lengths[i]);
        mote_particle_id ids[4];
        assert_int_equal(mote_body_particles(world, body, ids, 4), 4);
        mote_vec3 before = state_of(world, ids[3]).position;
        must(mote_body_set_pose(world, body, turned(lengths[i])));
        check_near(distance_of(state_of(world, ids[3]).position, before), 0, 3e-6,
                   "a particle, of a length of %g", (double)lengths[i]);
        mote_world_destroy(world);
    }
}

static void moved_bodies(void **state)
{
    (void)state;
    const mote_settings settings = weightless();
    const mote_pose start = {vec(0, 0, 0), {0, 0, 0, 1}};
    for (size_t i = 0; i < LENGTHS; i++) {
        mote_world *world = test_world(&settings);
        mote_body_id put = add_bent(world, start, MOTE_BODY_DYNAMIC);
        must(mote_body_set_pose(world, put, turned(lengths[i])));
        check_pose(body_pose(world, put), turned(1), lengths[i]);
        must(mote_body_remove(world, put));
        mote_body_id led = add_bent(world, start, MOTE_BODY_DRIVEN);
        must(mote_body_move_to(world, led, turned(lengths[i])));
        step_times(world, 1, TEST_FRAME);
        check_pose(body_pose(world, led), turned(1), lengths[i]);
        mote_world_destroy(world);
    }
}

static void skeletons(void **state)
{
    (void)state;
    const mote_settings settings = weightless();
    for (size_t i = 0; i < LENGTHS; i++) {
        mote_world *world = test_world(&settings);
        mote_bone_def bone = mote_default_bone_def();
        bone.rest.rotation = (mote_quat){0, 0, 0, lengths[i]};
        bone.length = 0.5f;
        bone.thickness = 0.06f;
        mote_skeleton_def def = mote_default_skeleton_def();
        def.bones = &bone;
        def.bone_count = 1;
        def.driven = true;
        def.pose = turned(lengths[i]);
        mote_skeleton_id skeleton = mote_skeleton_add(world, &def);
        must_exist(skeleton);
        mote_pose pose;
        must(mote_skeleton_get_poses(world, skeleton, &pose, 1));
        check_pose(pose, turned(1), lengths[i]);
        mote_pose target = {vec(1, 2, 2.9f), {0, 0, 0, lengths[i]}}, unit = {target.position, {0, 0, 0, 1}};
        must(mote_skeleton_move_to(world, skeleton, &target, 1));
        step_times(world, 1, TEST_FRAME);
        must(mote_skeleton_get_poses(world, skeleton, &pose, 1));
        check_pose(pose, unit, lengths[i]);
        mote_world_destroy(world);
    }
}

static void builders(void **state)
{
    (void)state;
    const mote_settings settings = weightless();
    for (size_t i = 0; i < LENGTHS; i++) {
        mote_world *world = test_world(&settings);
        mote_rigid_def def = mote_default_rigid_def();
        def.pose = turned(lengths[i]);
        mote_body_id body = mote_rigid_box(world, &def, (uint32_t[3]){4, 2, 2});
        must_exist(body);
        check_pose(body_pose(world, body), turned(1), lengths[i]);
        mote_particle_id ids[2];
        mote_body_particles(world, body, ids, 2);
        check_near(distance_of(state_of(world, ids[0]).position, state_of(world, ids[1]).position), 0.1, 1e-5,
                   "particles beside each other, of a length of %g", (double)lengths[i]);
        mote_world_destroy(world);
    }
}

/* No length, or one that cannot be told. */
static void refusals(void **state)
{
    (void)state;
    static const struct {
        mote_quat rotation;
        mote_result result;
    } cases[] = {
        {{0, 0, 0, 0}, MOTE_ERROR_ARGUMENT},     {{1e-9f, 0, 0, 0}, MOTE_ERROR_ARGUMENT},
        {{0, NAN, 0, 1}, MOTE_ERROR_NOT_FINITE}, {{0, 0, INFINITY, 1}, MOTE_ERROR_NOT_FINITE},
        {{0, 0, 0, 1e9f}, MOTE_ERROR_ARGUMENT},
    };
    const mote_pose start = {vec(0, 0, 0), {0, 0, 0, 1}};
    mote_world *world = test_world(NULL);
    mote_body_id body = add_bent(world, start, MOTE_BODY_DRIVEN);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mote_pose pose = {vec(0, 0, 0), cases[i].rotation};
        refused(world, mote_body_set_pose(world, body, pose), cases[i].result, "pose.rotation");
        refused(world, mote_body_move_to(world, body, pose), cases[i].result, "pose.rotation");
    }
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames),   cmocka_unit_test(moved_bodies), cmocka_unit_test(skeletons),
        cmocka_unit_test(builders), cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
