/* Bad input to the builders of bodies, to skeletons, clips and skins: every fault is answered with an error
 * that names it, and the world is as it was before. */
#include "jointed_world.h"
#include "meshes.h"
#include "refused.h"

#include <string.h>

#define COUNT_OF(list) (sizeof(list) / sizeof(list)[0])
#define FIELD(type, member, low, high)                                                                         \
    {                                                                                                          \
        offsetof(type, member), #member, low, high                                                             \
    }

static const mote_result argument = MOTE_ERROR_ARGUMENT, stale = MOTE_ERROR_STALE_HANDLE;

static mote_result result_of(uint32_t generation)
{
    return generation == 0 ? mote_last_result() : MOTE_OK;
}

/* ---- rigid bodies ---------------------------------------------------------------------------------------- */

static const mote_vec3 corners[] = {{0, 0, 0}, {0.1f, 0, 0}, {0, 0.1f, 0}, {0, 0, 0.1f}};
static const uint32_t cube[3] = {2, 2, 2};

static mote_result add_box_of(mote_world *world, const void *def, const void *context)
{
    (void)context;
    return result_of(mote_rigid_box(world, def, cube).generation);
}

static mote_result add_capsule(mote_world *world, const void *def, const void *context)
{
    (void)context;
    return result_of(mote_rigid_capsule(world, def, 0.2f, 0.1f).generation);
}

static mote_result add_ball(mote_world *world, const void *def, const void *context)
{
    (void)context;
    return result_of(mote_rigid_ball(world, def, 0.15f).generation);
}

static mote_result add_points(mote_world *world, const void *def, const void *context)
{
    (void)context;
    return result_of(mote_rigid_points(world, def, corners, 4).generation);
}

static mote_result add_mesh(mote_world *world, const void *def, const void *context)
{
    return result_of(mote_rigid_mesh(world, def, context, MOTE_SAMPLE_PARITY).generation);
}

static mote_result add_pieces(mote_world *world, const void *def, const void *context)
{
    (void)context;
    mote_pieces_def pieces = mote_default_pieces_def();
    pieces.size = 0.15f;
    size_t count;
    return mote_pieces_add(world, def, &pieces, corners, 4, NULL, 0, &count);
}

static const float_field rigid_fields[] = {
    VEC3_FIELDS(mote_rigid_def, pose.position, 2e6f), FIELD(mote_rigid_def, pose.rotation.x, NAN, NAN),
    FIELD(mote_rigid_def, pose.rotation.w, NAN, NAN), FIELD(mote_rigid_def, velocity.x, -2e4f, 2e4f),
    FIELD(mote_rigid_def, velocity.z, -2e4f, 2e4f),   FIELD(mote_rigid_def, spin.y, -1e9f, 1e9f),
    FIELD(mote_rigid_def, radius, -1, 1e9f),          FIELD(mote_rigid_def, mass, -1, 1e20f),
};

/* The rotation is named as a whole. */
static void check_rigid_def(mote_world *world, float_call *call, const void *context)
{
    const mote_rigid_def good = mote_default_rigid_def();
    float_field fields[COUNT_OF(rigid_fields)];
    memcpy(fields, rigid_fields, sizeof fields);
    fields[3].name = fields[4].name = "pose.rotation";
    check_floats(world, &good, sizeof good, fields, COUNT_OF(fields), call, context);
    mote_rigid_def bad = good;
    bad.pose.rotation.w = 0;
    refused(world, call(world, &bad, context), argument, "pose.rotation");
    bad = good, bad.spacing = NAN;
    refused(world, call(world, &bad, context), MOTE_ERROR_NOT_FINITE, "spacing");
    bad = good, bad.spacing = -1;
    refused(world, call(world, &bad, context), argument, "spacing");
    bad = good, bad.phase = UINT32_MAX;
    refused(world, call(world, &bad, context), argument, "phase");
    bad = good, bad.mode = MOTE_BODY_MODE_COUNT;
    refused(world, call(world, &bad, context), argument, "mode");
    bad = good, bad.material = (mote_material_id){7, 1};
    refused(world, call(world, &bad, context), stale, "material");
    refused(world, call(world, NULL, context), argument, "def");
    refused(NULL, call(NULL, &good, context), argument, "world");
    must(call(world, &good, context));
}

static void rigid_definitions(void **state)
{
    (void)state;
    test_mesh box = box_mesh(vec(0.2f, 0.2f, 0.2f));
    mote_mesh view = mesh_view(&box);
    mote_world *world = test_world(NULL);
    check_rigid_def(world, add_box_of, NULL);
    check_rigid_def(world, add_capsule, NULL);
    check_rigid_def(world, add_ball, NULL);
    check_rigid_def(world, add_points, NULL);
    check_rigid_def(world, add_mesh, &view);
    check_rigid_def(world, add_pieces, NULL);
    mesh_free(&box);
    mote_world_destroy(world);
}

static void rigid_forms(void **state)
{
    (void)state;
    static const float bad[] = {NAN, INFINITY, -1};
    mote_world *w = test_world(NULL);
    const mote_rigid_def def = mote_default_rigid_def();
    for (int i = 0; i < 3; ++i) {
        mote_result expected = isfinite(bad[i]) ? argument : MOTE_ERROR_NOT_FINITE;
        refused_handle(w, mote_rigid_capsule(w, &def, bad[i], 0.1f), expected, "half_length");
        refused_handle(w, mote_rigid_capsule(w, &def, 0.1f, bad[i]), expected, "thickness");
        refused_handle(w, mote_rigid_ball(w, &def, bad[i]), expected, "size");
    }
    refused_handle(w, mote_rigid_capsule(w, &def, 0.1f, 0.01f), argument, "thickness");
    refused_handle(w, mote_rigid_capsule(w, &def, 9e5f, 9e5f), MOTE_ERROR_LIMIT, "max_particles");
    refused_handle(w, mote_rigid_ball(w, &def, 9e5f), MOTE_ERROR_LIMIT, "max_particles");
    refused_handle(w, mote_rigid_box(w, &def, NULL), argument, "count");
    for (int k = 0; k < 3; ++k) {
        uint32_t count[3] = {2, 2, 2};
        count[k] = 0;
        refused_handle(w, mote_rigid_box(w, &def, count), argument, "count");
    }
    const uint32_t huge[3] = {65536, 65536, 2}, most[3] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    check_true(mote_is_null(mote_rigid_box(w, &def, huge)), "2^33 particles");
    check_true(mote_is_null(mote_rigid_box(w, &def, most)), "2^96 particles");
    refused_handle(w, mote_rigid_points(w, &def, NULL, 4), argument, "points");
    refused_handle(w, mote_rigid_points(w, &def, corners, 0), argument, "count");
    const mote_vec3 nan_points[] = {{0, 0, 0}, {0, NAN, 0}}, far_points[] = {{0, 0, 0}, {2e6f, 0, 0}};
    refused_handle(w, mote_rigid_points(w, &def, nan_points, 2), MOTE_ERROR_NOT_FINITE, "points[1]");
    refused_handle(w, mote_rigid_points(w, &def, far_points, 2), argument, "points[1]");
    mote_world_destroy(w);
}

static void rigid_meshes(void **state)
{
    (void)state;
    mote_world *w = test_world(NULL);
    const mote_rigid_def def = mote_default_rigid_def();
    test_mesh box = box_mesh(vec(0.2f, 0.2f, 0.2f));
    mote_mesh good = mesh_view(&box), bad = good;
    refused_handle(w, mote_rigid_mesh(w, &def, NULL, MOTE_SAMPLE_PARITY), argument, "mesh");
    bad.triangle_count--;
    refused_handle(w, mote_rigid_mesh(w, &def, &bad, MOTE_SAMPLE_PARITY), MOTE_ERROR_MESH, "");
    refused_handle(w, mote_rigid_mesh(w, &def, &good, (mote_sample_method)77), argument, "method");
    box.vertices[3].y = NAN;
    refused_handle(w, mote_rigid_mesh(w, &def, &good, MOTE_SAMPLE_PARITY), MOTE_ERROR_NOT_FINITE, "vert");
    mesh_free(&box);
    mote_world_destroy(w);
}

/* ---- pieces ---------------------------------------------------------------------------------------------- */

typedef struct pieces_input {
    mote_rigid_def rigid;
} pieces_input;

static mote_result cut(mote_world *world, const void *def, const void *context)
{
    const pieces_input *input = context;
    size_t count;
    return mote_pieces_add(world, &input->rigid, def, corners, 4, NULL, 0, &count);
}

static void pieces(void **state)
{
    (void)state;
    mote_world *w = test_world(NULL);
    const pieces_input input = {mote_default_rigid_def()};
    mote_pieces_def good = mote_default_pieces_def();
    good.size = 0.15f;
    static const float_field fields[] = {
        FIELD(mote_pieces_def, size, -1, 1e9f), FIELD(mote_pieces_def, strength, -1, 1e31f),
        FIELD(mote_pieces_def, yield, -1, 1e31f), FIELD(mote_pieces_def, bend_limit, -1, 1e31f)};
    check_floats(w, &good, sizeof good, fields, COUNT_OF(fields), cut, &input);
    size_t count = 0;
    mote_body_id body;
    const mote_vec3 nan_points[] = {{0, 0, 0}, {0, NAN, 0}};
    refused(w, mote_pieces_add(w, &input.rigid, NULL, corners, 4, NULL, 0, &count), argument, "pieces");
    refused(w, mote_pieces_add(w, &input.rigid, &good, NULL, 4, NULL, 0, &count), argument, "points");
    refused(w, mote_pieces_add(w, &input.rigid, &good, corners, 0, NULL, 0, &count), argument, "count");
    refused(w, mote_pieces_add(w, &input.rigid, &good, nan_points, 2, NULL, 0, &count), MOTE_ERROR_NOT_FINITE,
            "points[1]");
    refused(w, mote_pieces_add(w, &input.rigid, &good, corners, 4, NULL, 3, &count), argument, "bodies");
    must(mote_pieces_add(w, &input.rigid, &good, corners, 4, &body, 1, &count));
    mote_world_destroy(w);
}

/* ---- skeletons ------------------------------------------------------------------------------------------- */

/* Three bones in a row along y, as the context of the float checks: the last one is checked. */
static void make_bones(mote_bone_def bones[3])
{
    for (uint32_t i = 0; i < 3; ++i) {
        bones[i] = mote_default_bone_def();
        bones[i].parent = i == 0 ? MOTE_NO_BONE : i - 1;
        bones[i].rest.position = vec(0, 1 + 0.5f * (float)i, 0);
        bones[i].length = 0.4f;
    }
}

static mote_result add_with_last_bone(mote_world *world, const void *def, const void *context)
{
    (void)context;
    mote_bone_def bones[3];
    make_bones(bones);
    bones[2] = *(const mote_bone_def *)def;
    mote_skeleton_def skeleton = mote_default_skeleton_def();
    skeleton.bones = bones;
    skeleton.bone_count = 3;
    return result_of(mote_skeleton_add(world, &skeleton).generation);
}

static void bones(void **state)
{
    (void)state;
    mote_world *w = test_world(NULL);
    mote_bone_def three[3], bad;
    make_bones(three);
    const mote_bone_def good = three[2];
    static const float_field fields[] = {
        VEC3_FIELDS(mote_bone_def, rest.position, 2e6f), FIELD(mote_bone_def, length, -1, 1e9f),
        FIELD(mote_bone_def, thickness, -1, 1e9f),       FIELD(mote_bone_def, axis.x, NAN, NAN),
        FIELD(mote_bone_def, joint_axis.z, NAN, NAN),    FIELD(mote_bone_def, min_angle, -4, 4),
        FIELD(mote_bone_def, max_angle, -4, 4),          FIELD(mote_bone_def, swing_limit, -1, 4),
        FIELD(mote_bone_def, twist_limit, -1, 4),        FIELD(mote_bone_def, joint_middle.y, -2e6f, 2e6f)};
    check_floats(w, &good, sizeof good, fields, COUNT_OF(fields), add_with_last_bone, NULL);
    static const uint32_t parents[] = {2, 3, 1000, MOTE_NO_BONE - 1};
    for (size_t i = 0; i < COUNT_OF(parents); ++i) {
        bad = good, bad.parent = parents[i];
        refused(w, add_with_last_bone(w, &bad, NULL), argument, "parent");
    }
    bad = good, bad.rest.rotation = (mote_quat){0, 0, 0, 0};
    refused(w, add_with_last_bone(w, &bad, NULL), argument, "rest");
    bad = good, bad.rest.rotation.y = NAN;
    refused(w, add_with_last_bone(w, &bad, NULL), MOTE_ERROR_NOT_FINITE, "rest");
    bad = good, bad.axis = vec(0, 0, 0);
    refused(w, add_with_last_bone(w, &bad, NULL), argument, "axis");
    bad = good, bad.joint_axis = vec(0, 0, 0);
    refused(w, add_with_last_bone(w, &bad, NULL), argument, "joint_axis");
    bad = good, bad.joint = MOTE_JOINT_TYPE_COUNT;
    refused(w, add_with_last_bone(w, &bad, NULL), argument, "joint");
    bad = good, bad.joint_size = 65;
    refused(w, add_with_last_bone(w, &bad, NULL), argument, "joint_size");
    bad = good, bad.min_angle = 1, bad.max_angle = 0;
    refused(w, add_with_last_bone(w, &bad, NULL), argument, "angle");
    bad = good, bad.point_count = 2;
    refused(w, add_with_last_bone(w, &bad, NULL), argument, "points");
    const mote_vec3 nan_points[] = {{0, 0, 0}, {0, NAN, 0}};
    bad = good, bad.points = nan_points, bad.point_count = 2;
    refused(w, add_with_last_bone(w, &bad, NULL), MOTE_ERROR_NOT_FINITE, "points[1]");
    char name[65];
    memset(name, 'a', 64);
    name[64] = 0;
    bad = good, bad.name = name;
    refused(w, add_with_last_bone(w, &bad, NULL), argument, "name");
    name[63] = 0;
    must(add_with_last_bone(w, &bad, NULL));
    mote_world_destroy(w);
}

static mote_result add_skeleton(mote_world *world, const void *def, const void *context)
{
    (void)context;
    return result_of(mote_skeleton_add(world, def).generation);
}

static void skeleton_definitions(void **state)
{
    (void)state;
    mote_world *w = test_world(NULL);
    mote_bone_def three[3];
    make_bones(three);
    mote_skeleton_def good = mote_default_skeleton_def(), bad;
    good.bones = three;
    good.bone_count = 3;
    static const float_field fields[] = {
        VEC3_FIELDS(mote_skeleton_def, pose.position, 2e6f), FIELD(mote_skeleton_def, radius, -1, 1e9f),
        FIELD(mote_skeleton_def, mass, -1, 1e20f), FIELD(mote_skeleton_def, damping, -1, NAN)};
    check_floats(w, &good, sizeof good, fields, COUNT_OF(fields), add_skeleton, NULL);
    bad = good, bad.spacing = NAN;
    refused_handle(w, mote_skeleton_add(w, &bad), MOTE_ERROR_NOT_FINITE, "spacing");
    bad = good, bad.pose.rotation.w = 0;
    refused_handle(w, mote_skeleton_add(w, &bad), argument, "pose");
    bad = good, bad.bones = NULL;
    refused_handle(w, mote_skeleton_add(w, &bad), argument, "bones");
    bad = good, bad.bone_count = 0;
    refused_handle(w, mote_skeleton_add(w, &bad), argument, "bone_count");
    bad = good, bad.bone_count = MOTE_MAX_BONES + 1;
    refused_handle(w, mote_skeleton_add(w, &bad), argument, "bone_count");
    bad = good, bad.phase = UINT32_MAX;
    refused_handle(w, mote_skeleton_add(w, &bad), argument, "phase");
    bad = good, bad.material = (mote_material_id){7, 1};
    refused_handle(w, mote_skeleton_add(w, &bad), stale, "material");
    refused_handle(w, mote_skeleton_add(w, NULL), argument, "def");
    refused_handle(NULL, mote_skeleton_add(NULL, &good), argument, "world");
    must_exist(mote_skeleton_add(w, &good));
    mote_world_destroy(w);
}

static mote_skeleton_id plain_skeleton(mote_world *world)
{
    mote_bone_def three[3];
    make_bones(three);
    mote_skeleton_def def = mote_default_skeleton_def();
    def.bones = three;
    def.bone_count = 3;
    def.driven = true;
    mote_skeleton_id id = mote_skeleton_add(world, &def);
    must_exist(id);
    return id;
}

static void skeleton_handles(void **state)
{
    (void)state;
    mote_world *w = test_world(NULL);
    mote_skeleton_id living = plain_skeleton(w), gone = plain_skeleton(w);
    must(mote_skeleton_remove(w, gone));
    check_near(mote_body_count(w), 3, 0, "its bodies go with it");
    const mote_skeleton_id bad[] = {gone, {0, 0}, {UINT32_MAX, 1}, {living.index, living.generation + 1}};
    for (int i = 0; i < 4; ++i) {
        mote_pose poses[3] = {{vec(0, 0, 0), {0, 0, 0, 1}}};
        refused(w, mote_skeleton_remove(w, bad[i]), stale, "skeleton");
        refused(w, mote_skeleton_get_poses(w, bad[i], poses, 3), stale, "skeleton");
        refused(w, mote_skeleton_move_to(w, bad[i], poses, 3), stale, "skeleton");
        refused(w, mote_skeleton_release(w, bad[i], 0), stale, "skeleton");
        refused(w, mote_skeleton_drive(w, bad[i], 0, 0), stale, "skeleton");
        check_true(!mote_skeleton_is_valid(w, bad[i]) && !mote_skeleton_is_driven(w, bad[i], 0) &&
                       mote_skeleton_bone_count(w, bad[i]) == 0 &&
                       mote_skeleton_find_bone(w, bad[i], "a") == MOTE_NO_BONE &&
                       mote_is_null(mote_skeleton_body(w, bad[i], 0)) &&
                       mote_is_null(mote_skeleton_joint(w, bad[i], 0)),
                   "handle %d answers nothing", i);
    }
    check_near(mote_skeleton_list(w, NULL, 0), 1, 0, "skeletons");
    check_near(mote_skeleton_count(NULL) + mote_skeleton_list(NULL, NULL, 0), 0, 0, "skeletons of no world");
    check_true(mote_skeleton_find_bone(w, living, NULL) == MOTE_NO_BONE, "no name");
    check_true(mote_is_null(mote_skeleton_body(w, living, 3)) && !mote_skeleton_is_driven(w, living, 3),
               "no bone");
    mote_world_destroy(w);
}

static void skeleton_calls(void **state)
{
    (void)state;
    mote_world *w = test_world(NULL);
    mote_skeleton_id s = plain_skeleton(w);
    mote_pose poses[3];
    must(mote_skeleton_get_poses(w, s, poses, 3));
    refused(w, mote_skeleton_get_poses(w, s, poses, 4), argument, "count");
    refused(w, mote_skeleton_get_poses(w, s, NULL, 3), argument, "poses");
    refused(w, mote_skeleton_move_to(w, s, poses, 2), argument, "count");
    refused(w, mote_skeleton_move_to(w, s, NULL, 3), argument, "poses");
    refused(w, mote_skeleton_release(w, s, 3), argument, "bone");
    refused(w, mote_skeleton_drive(w, s, 3, 0), argument, "bone");
    refused(w, mote_skeleton_drive(w, s, 0, -1), argument, "blend");
    refused(w, mote_skeleton_drive(w, s, 0, NAN), MOTE_ERROR_NOT_FINITE, "blend");
    mote_pose good = poses[2];
    poses[2].position.x = NAN;
    refused(w, mote_skeleton_move_to(w, s, poses, 3), MOTE_ERROR_NOT_FINITE, "poses[2]");
    poses[2] = good, poses[2].position.x = 2e6f;
    refused(w, mote_skeleton_move_to(w, s, poses, 3), argument, "poses[2]");
    poses[2] = good, poses[2].rotation = (mote_quat){0, 0, 0, 0};
    refused(w, mote_skeleton_move_to(w, s, poses, 3), argument, "poses[2]");
    must(mote_body_remove(w, mote_skeleton_body(w, s, 2)));
    refused(w, mote_skeleton_release(w, s, 2), stale, "bone 2");
    poses[2] = good;
    must(mote_skeleton_move_to(w, s, poses, 3));
    must(mote_skeleton_release(w, s, MOTE_ALL_BONES));
    step_times(w, 2, TEST_FRAME);
    mote_world_destroy(w);
}

/* ---- clips and skins ------------------------------------------------------------------------------------- */

static void clips(void **state)
{
    (void)state;
    mote_pose frames[4], out[2], root = {vec(0, 0, 0), {0, 0, 0, 1}};
    for (int i = 0; i < 4; ++i)
        frames[i] = root;
    uint32_t parents[2] = {MOTE_NO_BONE, 0};
    const mote_clip good = {30, 2, 2, frames, parents};
    mote_clip bad;
    static const float rates[] = {NAN, INFINITY, 0, -1};
    must(mote_clip_sample(&good, 0.01, true, root, out));
    for (int i = 0; i < 4; ++i) {
        bad = good, bad.rate = rates[i];
        refused(NULL, mote_clip_sample(&bad, 0, true, root, out), i < 2 ? MOTE_ERROR_NOT_FINITE : argument,
                "rate");
    }
    bad = good, bad.frame_count = 0;
    refused(NULL, mote_clip_sample(&bad, 0, true, root, out), argument, "frame_count");
    bad = good, bad.bone_count = 0;
    refused(NULL, mote_clip_sample(&bad, 0, true, root, out), argument, "bone_count");
    bad = good, bad.frames = NULL;
    refused(NULL, mote_clip_sample(&bad, 0, true, root, out), argument, "frames");
    bad = good, bad.parents = NULL;
    refused(NULL, mote_clip_sample(&bad, 0, true, root, out), argument, "parents");
    refused(NULL, mote_clip_sample(NULL, 0, true, root, out), argument, "clip");
    refused(NULL, mote_clip_sample(&good, 0, true, root, NULL), argument, "poses");
    refused(NULL, mote_clip_sample(&good, (double)NAN, true, root, out), MOTE_ERROR_NOT_FINITE, "time");
    must(mote_clip_sample(&good, -1e300, true, root, out));
    must(mote_clip_sample(&good, 1e300, true, root, out));
    must(mote_clip_sample(&good, 1e300, false, root, out));
    parents[1] = 1;
    refused(NULL, mote_clip_sample(&good, 0, true, root, out), argument, "parents[1]");
    parents[1] = 0;
    frames[1].rotation.w = NAN;
    refused(NULL, mote_clip_sample(&good, 0, true, root, out), MOTE_ERROR_NOT_FINITE, "frames[1]");
    root.position.z = INFINITY;
    refused(NULL, mote_clip_sample(&good, 0, true, root, out), MOTE_ERROR_NOT_FINITE, "root");
}

static void skins(void **state)
{
    (void)state;
    mote_vec3 vertices[2] = {{0, 0, 0}, {1, 0, 0}}, out[2];
    uint32_t of[8] = {0, 1, 0, 0, 1, 0, 0, 0};
    float weights[8] = {0.5f, 0.5f, 0, 0, 1, 0, 0, 0};
    mote_pose bind[2] = {{vec(0, 0, 0), {0, 0, 0, 1}}, {vec(1, 0, 0), {0, 0, 0, 1}}};
    const mote_skin good = {2, vertices, of, weights, 2, bind};
    mote_skin bad;
    must(mote_skin_apply(&good, bind, out));
    refused(NULL, mote_skin_apply(NULL, bind, out), argument, "skin");
    refused(NULL, mote_skin_apply(&good, NULL, out), argument, "poses");
    refused(NULL, mote_skin_apply(&good, bind, NULL), argument, "vertices");
    bad = good, bad.vertices = NULL;
    refused(NULL, mote_skin_apply(&bad, bind, out), argument, "vertices");
    bad = good, bad.bones = NULL;
    refused(NULL, mote_skin_apply(&bad, bind, out), argument, "bones");
    bad = good, bad.weights = NULL;
    refused(NULL, mote_skin_apply(&bad, bind, out), argument, "weights");
    bad = good, bad.bind = NULL;
    refused(NULL, mote_skin_apply(&bad, bind, out), argument, "bind");
    bad = good, bad.bone_count = 0;
    refused(NULL, mote_skin_apply(&bad, bind, out), argument, "bone_count");
    of[4] = 2;
    refused(NULL, mote_skin_apply(&good, bind, out), argument, "vertex 1");
    of[4] = 1;
    weights[4] = NAN;
    refused(NULL, mote_skin_apply(&good, bind, out), MOTE_ERROR_NOT_FINITE, "vertex 1");
    weights[4] = 0.5f;
    refused(NULL, mote_skin_apply(&good, bind, out), argument, "vertex 1");
    weights[4] = 1;
    vertices[1].z = INFINITY;
    refused(NULL, mote_skin_apply(&good, bind, out), MOTE_ERROR_NOT_FINITE, "vertices[1]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigid_definitions),
        cmocka_unit_test(rigid_forms),
        cmocka_unit_test(rigid_meshes),
        cmocka_unit_test(pieces),
        cmocka_unit_test(bones),
        cmocka_unit_test(skeleton_definitions),
        cmocka_unit_test(skeleton_handles),
        cmocka_unit_test(skeleton_calls),
        cmocka_unit_test(clips),
        cmocka_unit_test(skins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
