/* Bodies, joints and skeletons of scene files: copies stand where the lattice says, joints hold the bodies that
 * they name, driven bodies follow their keys, figures play their clips and go limp when it is time, and a run
 * that goes on from a snapshot is the same. */
#include "support.h"

#include "io/scene_file.h"
#include "io/scene_math.h"
#include "scenes/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening -------------------------------------------------------------------------------------------- */

/* A scene that must be without any fault. Single quotes stand for double ones. */
static scene *must_open(const char *text, const scene_request *request)
{
    char quoted[4096], folder[4096];
    const char *source = getenv("SOURCE_DIR");
    snprintf(quoted, sizeof quoted, "{'mote': 1, 'dt': 0.1, 'gravity': [0, 0, 0], %s}", text);
    snprintf(folder, sizeof folder, "%s/tests/good-scenes", source != NULL ? source : ".");
    for (char *at = quoted; *at != '\0'; at++)
        if (*at == '\'')
            *at = '"';
    scene_faults faults = {0};
    scene *s = scene_open_text(quoted, strlen(quoted), "test", folder, request, &faults);
    check_true(s != NULL && faults.count == 0, "%s: %s", faults.count > 0 ? faults.items[0].field : "",
               faults.count > 0 ? faults.items[0].text : text);
    scene_faults_free(&faults);
    return s;
}

static mote_world *must_create(scene *s)
{
    mote_world *world;
    must(scene_create(s, 1, MOTE_SIMD_AUTO, &world));
    check_near((double)mote_particle_count(world), (double)s->particles, 0.0,
               "particles that the scene tells of");
    return world;
}

static void run(scene *s, mote_world *world, uint32_t from, uint32_t to)
{
    for (uint32_t frame = from; frame < to; frame++) {
        must(scene_before_frame(s, world, frame));
        must(mote_world_step(world, s->dt));
    }
}

static mote_body_state body_at(const mote_world *world, uint32_t place)
{
    mote_body_id ids[64];
    mote_body_state state = {0};
    check_above(mote_body_list(world, ids, 64), place, "bodies");
    must(mote_body_get(world, ids[place], &state));
    return state;
}

static double degrees_between(mote_quat a, mote_quat b)
{
    double dot = fabs((double)a.x * b.x + (double)a.y * b.y + (double)a.z * b.z + (double)a.w * b.w);
    return 2.0 * acos(fmin(dot, 1.0)) * 180.0 / TEST_PI;
}

/* ---- copies --------------------------------------------------------------------------------------------- */

static void copies_stand_on_a_lattice(void **state)
{
    (void)state;
    scene *s = must_open("'bodies': [{'type': 'box', 'count': [2, 2, 2], 'position': [1, 2, 3], 'mass': 4,"
                         " 'repeat': {'count': [2, 3, 2], 'spacing': [5, 6, 7]}}]",
                         NULL);
    mote_world *world = must_create(s);
    assert_int_equal(mote_body_count(world), 12);
    for (uint32_t i = 0; i < 12; i++) {
        mote_body_state body = body_at(world, i);
        mote_vec3 place =
            vec(1.0f + 5.0f * (float)(i % 2), 2.0f + 6.0f * (float)(i / 2 % 3), 3.0f + 7.0f * (float)(i / 6));
        check_near(distance_of(body.center, place), 0.0, 1e-5, "copy %u", i);
        check_near(body.mass, 4.0, 1e-5, "its mass");
        assert_int_equal(body.particle_count, 8);
    }
    mote_world_destroy(world);
    scene_close(s);
}

/* Moved and turned by chance, but no further than they may be, and not all the same way. */
static void copies_are_turned_within_bounds(void **state)
{
    (void)state;
    scene *s = must_open("'bodies': [{'type': 'box', 'count': [3, 2, 2],"
                         " 'repeat': {'count': [30, 1, 1], 'spacing': [5, 0, 0], 'jitter': 0.5, 'turn': 40}}]",
                         NULL);
    mote_world *world = must_create(s);
    double most = 0.0, farthest = 0.0;
    for (uint32_t i = 0; i < 30; i++) {
        mote_body_state body = body_at(world, i);
        double degrees = degrees_between(body.pose.rotation, (mote_quat){0, 0, 0, 1});
        double aside = fabs((double)body.pose.position.x - 5.0 * i);
        check_below(degrees, 40.01, "degrees of copy %u", i);
        check_below(aside, 0.5001, "metres of copy %u", i);
        check_below(fabs((double)body.pose.position.y), 0.5001, "metres of copy %u", i);
        most = fmax(most, degrees);
        farthest = fmax(farthest, aside);
    }
    check_above(most, 30.0, "degrees of the one that is turned most");
    check_above(farthest, 0.3, "metres of the one that is moved most");
    mote_world_destroy(world);
    scene_close(s);
}

static void overrides_reach_bodies(void **state)
{
    (void)state;
    static const char *const overrides[] = {"bodies.a.mass=9", "bodies[0].repeat.count=[1,1,3]",
                                            "bodies.a.velocity[0]=2"};
    scene *s =
        must_open("'bodies': [{'name': 'a', 'type': 'ball', 'size': 0.2, 'repeat': {'spacing': [1, 1, 4]}}]",
                  &(scene_request){.overrides = overrides, .override_count = 3});
    mote_world *world = must_create(s);
    assert_int_equal(mote_body_count(world), 3);
    check_near(body_at(world, 2).mass, 9.0, 1e-4, "mass");
    check_near(body_at(world, 2).velocity.x, 2.0, 1e-5, "velocity");
    check_near(body_at(world, 2).center.z, 8.0, 1e-5, "place");
    mote_world_destroy(world);
    scene_close(s);
}

/* ---- joints --------------------------------------------------------------------------------------------- */

static void joints_hold_whom_they_name(void **state)
{
    (void)state;
    scene *s = must_open("'bodies': [{'name': 'post', 'type': 'box', 'count': [2, 2, 2], 'mode': 'driven'},"
                         " {'name': 'link', 'type': 'box', 'count': [2, 4, 2], 'position': [0, -0.5, 0],"
                         "  'repeat': {'count': [1, 2, 1], 'spacing': [0, -0.6, 0]}}],"
                         " 'joints': [{'type': 'hinge', 'a': 'post', 'b': 'link[0]', 'anchor': [0, -0.2, 0],"
                         "  'axis': [0, 0, 2]}, {'type': 'ball', 'a': 'link[0]', 'b': 'link[1]',"
                         "  'anchor': [0, -0.8, 0]}, {'type': 'ball', 'a': 'link[1]', 'anchor': [0, -1.4, 0]}]",
                         NULL);
    mote_world *world = must_create(s);
    mote_body_id ids[3];
    assert_int_equal(mote_body_list(world, ids, 3), 3);
    assert_int_equal(mote_joint_count(world), 3);
    mote_joint_state joint;
    must(mote_joint_get(world, mote_joint_between(world, ids[0], ids[1]), &joint));
    assert_int_equal(joint.type, MOTE_JOINT_HINGE);
    check_near(distance_of(joint.anchor, vec(0, -0.2f, 0)), 0.0, 1e-5, "the first anchor");
    check_near(fabs((double)joint.axis.z), 1.0, 1e-5, "the axis is a unit");
    must(mote_joint_get(world, mote_joint_between(world, ids[2], ids[1]), &joint));
    assert_int_equal(joint.type, MOTE_JOINT_BALL);
    assert_true(mote_is_null(mote_joint_between(world, ids[0], ids[2])));
    mote_world_destroy(world);
    scene_close(s);
}

/* ---- motion --------------------------------------------------------------------------------------------- */

static void driven_bodies_follow_their_keys(void **state)
{
    (void)state;
    scene *s =
        must_open("'bodies': [{'type': 'box', 'count': [2, 2, 2], 'mode': 'driven', 'position': [0, 5, 0],"
                  " 'repeat': {'count': [2, 1, 1], 'spacing': [10, 1, 1]}, 'motion': {'keys': ["
                  " {'time': 1, 'rotation': {'axis': [0, 1, 0], 'degrees': 0}},"
                  " {'time': 3, 'position': [4, 5, 0], 'rotation': {'axis': [0, 1, 0], 'degrees': 90}}]}}]",
                  NULL);
    mote_world *world = must_create(s);
    run(s, world, 0, 10);
    check_near(body_at(world, 0).pose.position.x, 0.0, 1e-5, "it waits for the first key");
    run(s, world, 10, 20);
    check_near(body_at(world, 0).pose.position.x, 2.0, 1e-4, "half way");
    check_near(body_at(world, 1).pose.position.x, 12.0, 1e-4, "its copy goes the same way");
    check_near(degrees_between(body_at(world, 1).pose.rotation, (mote_quat){0, 0, 0, 1}), 45.0, 0.01,
               "half a quarter");
    run(s, world, 20, 40);
    check_near(body_at(world, 0).pose.position.x, 4.0, 1e-4, "it stays behind the last key");
    mote_world_destroy(world);
    scene_close(s);
}

/* ---- skeletons ------------------------------------------------------------------------------------------ */

#define FIGURE "'skeletons': [{'type': 'humanoid', 'position': [0, 3, 0], 'radius': 0.03, 'mass': 70"

static uint32_t driven_bones(const mote_world *world)
{
    mote_skeleton_id id;
    uint32_t count = 0;
    assert_int_equal(mote_skeleton_list(world, &id, 1), 1);
    for (uint32_t i = 0; i < mote_skeleton_bone_count(world, id); i++)
        count += mote_skeleton_is_driven(world, id, i);
    return count;
}

/* A time of 0.5 s is the beginning of frame 5. */
static void bones_go_limp_in_time(void **state)
{
    (void)state;
    scene *s = must_open(FIGURE ", 'release': 0.5}]", NULL);
    mote_world *world = must_create(s);
    run(s, world, 0, 5);
    assert_int_equal(driven_bones(world), 15);
    run(s, world, 5, 6);
    assert_int_equal(driven_bones(world), 0);
    mote_world_destroy(world);
    scene_close(s);
    s = must_open(FIGURE ", 'actions': [{'time': 0, 'action': 'release', 'bone': 'left forearm'},"
                         " {'time': 0.2, 'action': 'release'},"
                         " {'time': 0.3, 'action': 'drive', 'bone': 'chest', 'blend': 0.2}]}]",
                  NULL);
    world = must_create(s);
    run(s, world, 0, 2);
    assert_int_equal(driven_bones(world), 14);
    run(s, world, 2, 3);
    assert_int_equal(driven_bones(world), 0);
    run(s, world, 3, 4);
    assert_int_equal(driven_bones(world), 1);
    mote_world_destroy(world);
    scene_close(s);
}

#define WALKER                                                                                                 \
    "'skeletons': [{'type': 'rig', 'file': 'walker.bvh', 'position': [0, 1, 0], 'radius': 0.05, 'height': "    \
    "1.4,"                                                                                                     \
    " 'clip': 'Motion', 'speed': 0.5, 'start': 0.05%s}]"

/* Bones stand where the file's animation has them, from the start; the root goes 1 cm a frame of the file. */
static void clips_are_played(void **state)
{
    (void)state;
    char text[1024];
    snprintf(text, sizeof text, WALKER, "");
    scene *s = must_open(text, NULL);
    mote_world *world = must_create(s);
    mote_skeleton_id id;
    mote_pose poses[3], begin[3];
    assert_int_equal(mote_skeleton_list(world, &id, 1), 1);
    assert_int_equal(mote_skeleton_bone_count(world, id), 3);
    must(mote_skeleton_get_poses(world, id, begin, 3));
    run(s, world, 0, 3); /* 0.3 s are 1.5 frames of the file at half its speed */
    must(mote_skeleton_get_poses(world, id, poses, 3));
    double scale = 1.4 / 140.0; /* m a unit of the file: it is 140 units high */
    check_near(begin[0].position.x, 0.5 * scale, 1e-5, "half a frame of the file at the start");
    check_near(poses[0].position.x, 2.0 * scale, 1e-5, "two frames after 0.3 s");
    uint32_t leg = mote_skeleton_find_bone(world, id, "leg"),
             chest = mote_skeleton_find_bone(world, id, "chest");
    mote_quat at_rest = {0, 0, 0, 1};
    check_near(degrees_between(poses[leg].rotation, at_rest), 40.0, 0.05, "the leg");
    check_near(degrees_between(begin[leg].rotation, at_rest), 10.0, 0.05, "the leg at the start");
    check_near(degrees_between(poses[chest].rotation, at_rest), 20.0, 0.05, "the chest");
    mote_world_destroy(world);
    scene_close(s);
}

/* ---- the same again ------------------------------------------------------------------------------------- */

static uint64_t hash_of_run(const char *text, uint32_t frames, uint32_t broken_at)
{
    scene *s = must_open(text, NULL);
    mote_world *world = must_create(s);
    for (uint32_t frame = 0; frame < frames; frame++) {
        if (frame == broken_at) {
            size_t size = mote_snapshot_size(world);
            void *snapshot = malloc(size);
            must(mote_snapshot_take(world, snapshot, size, NULL));
            mote_world_destroy(world);
            scene_close(s);
            s = must_open(text, NULL);
            world = must_create(s);
            must(mote_snapshot_restore(world, snapshot, size));
            free(snapshot);
        }
        run(s, world, frame, frame + 1);
    }
    uint64_t hash = mote_world_hash(world);
    mote_world_destroy(world);
    scene_close(s);
    return hash;
}

/* Before, between and after actions, and while bones are on their way back. */
static void resumed_runs_are_the_same(void **state)
{
    (void)state;
    char walker[1024];
    snprintf(walker, sizeof walker, WALKER, ", 'loop': true, 'release': 0.6");
    const char *const texts[] = {
        walker,
        FIGURE
        ", 'motion': {'keys': [{'time': 0}, {'time': 1, 'position': [0, 3, 1]}]},"
        " 'actions': [{'time': 0.2, 'action': 'release'}, {'time': 0.5, 'action': 'drive', 'blend': 0.5}]}]",
        "'bodies': [{'name': 'post', 'type': 'box', 'count': [2, 2, 2], 'mode': 'driven', 'motion': {'keys': ["
        " {'time': 0}, {'time': 0.6, 'position': [1, 0, 0]}]}}, {'name': 'link', 'type': 'box', 'count': [2, "
        "4, 2],"
        " 'position': [0, -0.5, 0]}], 'joints': [{'type': 'ball', 'a': 'post', 'b': 'link',"
        " 'anchor': [0, -0.2, 0]}]"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        uint64_t whole = hash_of_run(texts[i], 10, UINT32_MAX);
        for (uint32_t frame = 1; frame < 10; frame += 2)
            check_true(hash_of_run(texts[i], 10, frame) == whole, "scene %zu goes on from frame %u", i, frame);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_stand_on_a_lattice),
        cmocka_unit_test(copies_are_turned_within_bounds),
        cmocka_unit_test(overrides_reach_bodies),
        cmocka_unit_test(joints_hold_whom_they_name),
        cmocka_unit_test(driven_bodies_follow_their_keys),
        cmocka_unit_test(bones_go_limp_in_time),
        cmocka_unit_test(clips_are_played),
        cmocka_unit_test(resumed_runs_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
