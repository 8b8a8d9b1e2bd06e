/* From rigs to bodies: which bones get one, capsules in closed form, hinges that bend as the limb does,
 * limits that the clip stays within, and poses that go there and back. */
#define _POSIX_C_SOURCE 200809L
#include "io/rig_bones.h"
#include "io/rig_file_math.h"
#include "rig_models.h"
#include "temp_folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEGREES (TEST_PI / 180)

typedef struct figure {
    rig model;
    mote_bone_def bones[RIG_MAX_BONES];
    uint32_t rig_bone_of[RIG_MAX_BONES], body_of[RIG_MAX_BONES], count;
} figure;

static figure shared;

static void make_bodies(figure *f, const rig_body_options *options)
{
    char error[RIG_ERROR];
    f->count = rig_bone_defs(&f->model, options, f->bones, f->rig_bone_of, RIG_MAX_BONES, f->body_of, error);
    check_true(f->count > 0 && error[0] == '\0', "%s", error);
    for (uint32_t i = 0; i < f->count; i++) {
        const mote_bone_def *b = &f->bones[i];
        check_true(b->parent == MOTE_NO_BONE || b->parent < i, "parents come first");
        check_true(b->length >= 0 && b->thickness > 0, "%s has a form", b->name);
        check_true(b->min_angle <= b->max_angle && b->swing_limit > 0 && b->twist_limit > 0, "%s has limits",
                   b->name);
        check_near((double)(b->axis.x * b->axis.x + b->axis.y * b->axis.y + b->axis.z * b->axis.z), 1, 1e-5,
                   "axis of %s", b->name);
    }
}

static figure *load_shipped(const char *name, const rig_options *options)
{
    const char *source = getenv("SOURCE_DIR");
    char path[512], error[RIG_ERROR];
    snprintf(path, sizeof path, "%s/scenes/rigs/%s", source != NULL ? source : ".", name);
    check_true(rig_load(path, options, &shared.model, error, sizeof error), "%s", error);
    make_bodies(&shared, NULL);
    return &shared;
}

static uint32_t body_named(const figure *f, const char *name)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (strcmp(f->bones[i].name, name) == 0)
            return i;
    fail_msg("there is no body '%s'", name);
    return 0;
}

/* A direction of a bone's own, in the model at rest. */
static mote_vec3 in_model(const mote_bone_def *b, mote_vec3 v)
{
    return rig_turned(b->rest.rotation, v);
}

/* Where the end of a bone goes when it turns about its hinge: axis x direction. */
static mote_vec3 bends_to(const mote_bone_def *b)
{
    mote_vec3 a = in_model(b, b->joint_axis), d = in_model(b, b->axis);
    return (mote_vec3){a.y * d.z - a.z * d.y, a.z * d.x - a.x * d.z, a.x * d.y - a.y * d.x};
}

/* ---- the figures that come with the scenes -------------------------------------------------------------- */

/* Directions within `tolerance`: elbows of people turn a little inwards. */
static void check_hinges_within(const figure *f, double tolerance)
{
    static const char *const knees[2] = {"LeftLeg", "RightLeg"}, *const elbows[2] = {"LeftForeArm",
                                                                                     "RightForeArm"};
    for (int i = 0; i < 2; i++) {
        const mote_bone_def *knee = &f->bones[body_named(f, knees[i])],
                            *elbow = &f->bones[body_named(f, elbows[i])];
        assert_true(knee->joint == MOTE_JOINT_HINGE && elbow->joint == MOTE_JOINT_HINGE);
        check_place(bends_to(knee), 0, 0, -1, 0.01, "the way a shin goes: back");
        check_place(bends_to(elbow), 0, 0, 1, tolerance, "the way a forearm goes: forward");
        check_below((double)knee->min_angle, -5 * DEGREES + 1e-6, "a knee's least angle");
        check_above((double)knee->min_angle, -15 * DEGREES, "a knee does not bend forward");
        check_above((double)knee->max_angle, 150 * DEGREES - 1e-6, "a knee's largest angle");
    }
}

/* Its clip keeps within the limits of every ball and hinge. */
static void check_limits(const figure *f)
{
    mote_pose poses[RIG_MAX_BONES];
    for (uint32_t frame = 0; frame < f->model.clips[0].frame_count; frame += 3) {
        place_frame(&f->model, 0, frame, poses);
        for (uint32_t i = 0; i < f->count; i++) {
            const mote_bone_def *b = &f->bones[i];
            if (b->parent == MOTE_NO_BONE)
                continue;
            mote_quat rest = rig_turn(rig_turn_back(f->bones[b->parent].rest.rotation), b->rest.rotation);
            mote_quat now = rig_turn(rig_turn_back(poses[f->rig_bone_of[b->parent]].rotation),
                                     poses[f->rig_bone_of[i]].rotation);
            mote_vec3 was = rig_turned(rest, b->axis), is = rig_turned(now, b->axis);
            double cosine = (double)(was.x * is.x + was.y * is.y + was.z * is.z), swing = acos(fmin(cosine, 1));
            if (b->joint == MOTE_JOINT_BALL)
                check_below(swing, (double)b->swing_limit, "swing of %s", b->name);
            else
                check_below(swing, fmax((double)b->max_angle, -(double)b->min_angle), "turn of %s", b->name);
        }
    }
}

static void dancer(void **state)
{
    (void)state;
    figure *f = load_shipped("dancer.gltf", NULL);
    check_near(f->model.bone_count, 19, 0, "bones of the dancer");
    check_near(f->count, 19, 0, "bodies of the dancer");
    check_near(f->model.clips[0].frame_count, 240, 0, "frames of the dance");
    check_near((double)f->model.clips[0].rate, 30, 0, "frames a second");
    assert_string_equal(f->model.clips[0].name, "dance");
    mote_mesh mesh = rig_mesh_view(&f->model);
    mote_mesh_report report;
    must(mote_mesh_inspect(&mesh, &report));
    check_true(report.closed, "the skin is closed");
    const mote_bone_def *shin = &f->bones[body_named(f, "LeftLeg")], *arm = &f->bones[body_named(f, "LeftArm")];
    check_near((double)shin->length, 0.41, 1e-5, "length of a shin, from joint to joint");
    check_near((double)arm->length, 0.28, 1e-5, "length of an upper arm");
    check_place(in_model(arm, arm->axis), HALF, -HALF, 0, 1e-5, "direction of an upper arm");
    /* The mesh is made of capsules of these radii, blended at the joints. */
    check_near((double)shin->thickness, 0.055, 0.005, "thickness of a shin");
    check_near((double)arm->thickness, 0.052, 0.005, "thickness of an upper arm");
    check_near((double)f->bones[body_named(f, "Chest")].thickness, 0.11, 0.02, "thickness of a chest");
    /* Ends without a bone behind them: the head's capsule ends at the top of the head, 1.75 m. */
    const mote_bone_def *head = &f->bones[body_named(f, "Head")];
    check_near((double)(head->rest.position.y + head->length + head->thickness), 1.75, 0.03, "top of the head");
    check_hinges_within(f, 0.01);
    check_limits(f);
    rig_free(&f->model);
}

static void dance_of_bvh(void **state)
{
    (void)state;
    rig_options options = rig_default_options();
    options.scale = 0.01f;
    figure *f = load_shipped("dance.bvh", &options);
    check_near(f->model.bone_count, 19 + 5, 0, "bones and ends");
    check_near(f->count, 19, 0, "bodies: ends have none");
    check_near(f->model.clips[0].frame_count, 180, 0, "frames");
    check_near((double)f->bones[body_named(f, "LeftLeg")].length, 0.41, 1e-5, "length of a shin");
    check_near((double)f->bones[body_named(f, "Head")].length, 0.19, 1e-5, "length of a head, to its end");
    check_hinges_within(f, 0.01);
    check_limits(f);
    /* Left and right do not touch. */
    double left = (double)f->bones[body_named(f, "LeftUpLeg")].thickness;
    double right = (double)f->bones[body_named(f, "RightUpLeg")].thickness;
    check_below(left + right, 0.2, "thighs 0.2 m apart are not within each other");
    for (uint32_t b = 0; b < f->model.bone_count; b++)
        check_true(f->body_of[b] < f->count, "every bone is carried");
    rig_free(&f->model);
}

/* A walk of the CMU's motion capture, with its own names and lengths in a unit of its own. */
static void motion_capture(void **state)
{
    (void)state;
    rig_options options = rig_default_options();
    options.height = 1.7f;
    char error[RIG_ERROR];
    figure *f = &shared;
    static const char path[] = "/usr/share/assimp/models/BVH/01_01.bvh";
    if (access(path, R_OK) != 0)
        skip();
    check_true(rig_load(path, &options, &f->model, error, sizeof error), "%s", error);
    make_bodies(f, NULL);
    check_hinges_within(f, 0.55);
    check_limits(f);
    /* It has no mesh, and short bones in the trunk: people are thickest there. */
    static const char *const thinner[] = {"LowerBack", "LeftUpLeg", "LeftLeg", "LeftForeArm"};
    for (int i = 0; i < 3; i++)
        check_above((double)f->bones[body_named(f, thinner[i])].thickness,
                    (double)f->bones[body_named(f, thinner[i + 1])].thickness, "thickness of %s", thinner[i]);
    check_near((double)f->bones[body_named(f, "LowerBack")].thickness, 0.06 * 1.7, 1e-5, "of the trunk, m");
    assert_string_equal(f->bones[f->body_of[rig_find_bone(&f->model, "LThumb")]].name, "LeftHand");
    assert_string_equal(f->bones[f->body_of[rig_find_bone(&f->model, "RightToeBase")]].name, "RightFoot");
    rig_free(&f->model);
}

static void poses(void **state)
{
    (void)state;
    figure *f = load_shipped("dancer.gltf", NULL);
    mote_pose root = {{3, 1, 2}, {0, (float)HALF, 0, (float)HALF}}, out[32], all[32], back[32];
    /* Halfway between two frames, of which the mean is not far. */
    must(rig_sample(&f->model, 0, 10.0 / 30, false, root, f->rig_bone_of, f->count, out));
    place_frame(&f->model, 0, 10, all);
    for (uint32_t i = 0; i < f->count; i++) {
        mote_vec3 p = all[f->rig_bone_of[i]].position;
        /* A quarter turn about y: x becomes -z and z becomes x. */
        check_place(out[i].position, 3 + (double)p.z, 1 + (double)p.y, 2 - (double)p.x, 1e-5, f->bones[i].name);
    }
    must(rig_sample(&f->model, RIG_NO_CLIP, 99, true, root, f->rig_bone_of, f->count, out));
    rig_poses_from_bodies(&f->model, f->rig_bone_of, f->body_of, out, back);
    for (uint32_t b = 0; b < f->model.bone_count; b++) {
        mote_vec3 p = f->model.rest[b].position;
        check_place(back[b].position, 3 + (double)p.z, 1 + (double)p.y, 2 - (double)p.x, 1e-5,
                    f->model.names[b]);
    }
    assert_int_equal(rig_sample(&f->model, 0, NAN, false, root, f->rig_bone_of, f->count, out),
                     MOTE_ERROR_NOT_FINITE);
    rig_free(&f->model);
}

/* ---- bones that get no body ----------------------------------------------------------------------------- */

/* A leg of 1 m with small bones: a twist bone, toes, and a chain of five vertebrae of 2 cm. */
static const char *const leg_bvh =
    "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "JOINT Thigh\n{\nOFFSET 0.1 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "JOINT ThighTwist\n{\nOFFSET 0 -0.2 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "End Site\n{\nOFFSET 0 -0.2 0\n}\n}\n"
    "JOINT Shin\n{\nOFFSET 0 -0.5 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "JOINT Foot\n{\nOFFSET 0 -0.5 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "JOINT Toe1\n{\nOFFSET 0 0 0.15\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "End Site\n{\nOFFSET 0 0 0.1\n}\n}\n}\n}\n}\n"
    "JOINT Spine1\n{\nOFFSET 0 0.02 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "JOINT Spine2\n{\nOFFSET 0 0.02 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "JOINT Spine3\n{\nOFFSET 0 0.02 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "End Site\n{\nOFFSET 0 0.02 0\n}\n}\n}\n}\n}\n"
    "MOTION\nFrames: 3\nFrame Time: 0.1\n";

/* Numbers of one frame: all 0 but the shin's, about z, x and y. */
static char *leg_frame(double z, double x, double y)
{
    return text_of("0 0 0 0 0 0 0 0 0 %g %g %g 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n", z, x, y);
}

static figure *load_leg(double first, double second)
{
    char *a = leg_frame(0, first, 0), *b = leg_frame(0, second, 0),
         *text = text_of("%s%s%s%s", leg_bvh, a, b, a);
    write_text("leg.bvh", text);
    free(a);
    free(b);
    free(text);
    shared.model = must_load("leg.bvh", NULL);
    make_bodies(&shared, NULL);
    return &shared;
}

static const char *carrier_of(const figure *f, const char *bone)
{
    return f->bones[f->body_of[rig_find_bone(&f->model, bone)]].name;
}

static void small_bones(void **state)
{
    (void)state;
    figure *f = load_leg(0, 60);
    /* 4 % of the height of 1.08 m: 4.3 cm. The vertebrae from the second on make 4 cm, from the first 6. */
    check_near(f->count, 5, 0, "hips, thigh, shin, foot and one vertebra");
    assert_string_equal(carrier_of(f, "ThighTwist"), "Thigh");
    assert_string_equal(carrier_of(f, "Toe1"), "Foot");
    assert_string_equal(carrier_of(f, "Spine3"), "Spine1");
    const mote_bone_def *thigh = &f->bones[body_named(f, "Thigh")], *foot = &f->bones[body_named(f, "Foot")];
    check_near((double)thigh->length, 0.5, 1e-6, "a thigh ends at the knee, not at its twist bone");
    check_near((double)foot->length, 0.25, 1e-6, "a foot has its toes");
    check_near((double)f->bones[body_named(f, "Spine1")].length, 0.06, 1e-6, "three vertebrae as one");
    /* Smaller ones, by choice. */
    rig_body_options options = rig_default_body_options();
    options.min_length = 0.015f;
    make_bodies(f, &options);
    check_near(f->count, 7, 0, "all but toes and twist bone");
    options.min_length = 0.3f;
    make_bodies(f, &options);
    check_near(f->count, 3, 0, "hips, thigh and shin");
    rig_free(&f->model);
}

/* ---- hinges --------------------------------------------------------------------------------------------- */

static void hinges(void **state)
{
    (void)state;
    /* Bent back by 60 degrees, or over-stretched by 20 and bent by 60. */
    figure *f = load_leg(0, 60);
    const mote_bone_def *shin = &f->bones[body_named(f, "Shin")];
    check_place(shin->joint_axis, 1, 0, 0, 1e-4, "axis of a knee");
    check_near((double)shin->min_angle, -5 * DEGREES, 1e-4, "least angle");
    check_near((double)shin->max_angle, 150 * DEGREES, 1e-4, "largest angle");
    rig_free(&f->model);
    f = load_leg(-20, 170);
    check_near((double)shin->min_angle, -25 * DEGREES, 1e-3, "least angle of a knee that over-stretches");
    check_near((double)shin->max_angle, 175 * DEGREES, 1e-3,
               "largest angle of a knee that bends by 170 degrees");
    rig_free(&f->model);
    /* Of a bird it bends the other way. */
    f = load_leg(0, -60);
    check_place(shin->joint_axis, -1, 0, 0, 1e-4, "axis of a knee that bends forward");
    rig_free(&f->model);
    /* No motion: as knees do, by the way the foot points. */
    f = load_leg(0, 0);
    check_place(bends_to(shin), 0, 0, -1, 1e-4, "the way the shin goes without a clip");
    rig_free(&f->model);
    /* About an axis between x and y, as some rigs have it. */
    char *still = leg_frame(0, 0, 0), *bent = leg_frame(0, 0, 40);
    char *text = text_of("%s%s%s%s", leg_bvh, still, bent, still);
    write_text("leg.bvh", text);
    f->model = must_load("leg.bvh", NULL);
    make_bodies(f, NULL);
    check_near(fabs((double)shin->joint_axis.y), 1, 1e-4, "the axis that the clip turns about");
    rig_free(&f->model);
    free(still);
    free(bent);
    free(text);
}

static void rules(void **state)
{
    (void)state;
    figure *f = load_leg(0, 60);
    rig_bone_rule list[3] = {rig_default_bone_rule("Shin"), rig_default_bone_rule("Toe1"),
                             rig_default_bone_rule("Foot")};
    list[0].joint = MOTE_JOINT_BALL;
    list[0].swing_limit = 0.25f;
    list[0].thickness = 0.07f;
    list[0].joint_axis = (mote_vec3){0, 0, 2};
    list[1].body = RIG_BODY_YES;
    list[2].max_angle = 0.5f;
    rig_body_options options = rig_default_body_options();
    options.rules = list;
    options.rule_count = 3;
    make_bodies(f, &options);
    check_near(f->count, 6, 0, "a body more: the toe's");
    const mote_bone_def *shin = &f->bones[body_named(f, "Shin")];
    check_near((double)shin->swing_limit, 0.25, 0, "the limit that is asked for");
    check_near((double)shin->thickness, 0.07, 1e-7, "the thickness that is asked for");
    check_place(shin->joint_axis, 0, 0, 1, 1e-6, "the axis that is asked for");
    check_near(shin->joint, MOTE_JOINT_BALL, 0, "the joint that is asked for");
    static const struct {
        size_t at;
        float value;
        const char *words;
    } wrong[] = {{offsetof(rig_bone_rule, swing_limit), 4, "limit of bone 'Shin' is 4"},
                 {offsetof(rig_bone_rule, min_angle), -4, "angle of bone 'Shin' is -4"},
                 {offsetof(rig_bone_rule, thickness), 0, "thickness of bone 'Shin' is 0"},
                 {offsetof(rig_bone_rule, length), -1, "length of bone 'Shin' is -1"}};
    char error[RIG_ERROR];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        rig_bone_rule bad = rig_default_bone_rule("Shin");
        memcpy((char *)&bad + wrong[i].at, &wrong[i].value, sizeof(float));
        options.rules = &bad;
        options.rule_count = 1;
        assert_int_equal(rig_bone_defs(&f->model, &options, NULL, NULL, 0, NULL, error), 0);
        check_true(strstr(error, wrong[i].words) != NULL, "%s", error);
    }
    rig_bone_rule unknown = rig_default_bone_rule("Wing"), root = rig_default_bone_rule("Hips");
    root.body = RIG_BODY_NO;
    options.rules = &unknown;
    assert_int_equal(rig_bone_defs(&f->model, &options, NULL, NULL, 0, NULL, error), 0);
    check_true(strstr(error, "no bone 'Wing'") != NULL, "%s", error);
    options.rules = &root;
    assert_int_equal(rig_bone_defs(&f->model, &options, NULL, NULL, 0, NULL, error), 0);
    check_true(strstr(error, "must have a body") != NULL, "%s", error);
    options = rig_default_body_options();
    options.clip = 5;
    assert_int_equal(rig_bone_defs(&f->model, &options, NULL, NULL, 0, NULL, error), 0);
    check_true(strstr(error, "no clip 5") != NULL, "%s", error);
    assert_int_equal(rig_bone_defs(&f->model, NULL, NULL, NULL, 0, NULL, error), 5);
    rig_free(&f->model);
}

/* ---- in the world --------------------------------------------------------------------------------------- */

/* The dancer as a skeleton: as many bones, where the rig has them. */
static void in_a_world(void **state)
{
    (void)state;
    figure *f = load_shipped("dancer.gltf", NULL);
    mote_world *world = test_world(NULL);
    mote_skeleton_def def = mote_default_skeleton_def();
    def.bones = f->bones;
    def.bone_count = f->count;
    def.driven = true;
    def.radius = 0.02f;
    mote_skeleton_id skeleton = mote_skeleton_add(world, &def);
    must_exist(skeleton);
    check_near(mote_skeleton_bone_count(world, skeleton), 19, 0, "bones in the world");
    mote_pose wanted[32], got[32], root = {{0, 0, 0}, {0, 0, 0, 1}};
    for (uint32_t step = 1; step <= 20; step++) {
        must(rig_sample(&f->model, 0, step / 60.0, true, root, f->rig_bone_of, f->count, wanted));
        must(mote_skeleton_move_to(world, skeleton, wanted, f->count));
        step_times(world, 1, TEST_FRAME);
    }
    must(mote_skeleton_get_poses(world, skeleton, got, f->count));
    for (uint32_t i = 0; i < f->count; i++)
        check_place(got[i].position, (double)wanted[i].position.x, (double)wanted[i].position.y,
                    (double)wanted[i].position.z, 1e-3, f->bones[i].name);
    mote_world_destroy(world);
    rig_free(&f->model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dancer), cmocka_unit_test(dance_of_bvh), cmocka_unit_test(motion_capture),
        cmocka_unit_test(poses),  IN_TEMP_FOLDER(small_bones),    IN_TEMP_FOLDER(hinges),
        IN_TEMP_FOLDER(rules),    cmocka_unit_test(in_a_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
