/* A figure of eight bones waves its arms as it is told, then goes limp and falls down; in the end it is told to
 * stand again, and takes half a second for that.
 *
 *     cc ragdoll.c $(pkg-config --cflags --libs mote) -lm -o ragdoll && ./ragdoll */
#include <mote/mote.h>

#include <math.h>
#include <stdio.h>

#define FRAME (1.0f / 60.0f) /* s */

enum { TRUNK, HEAD, LEFT_ARM, RIGHT_ARM, LEFT_THIGH, RIGHT_THIGH, LEFT_SHIN, RIGHT_SHIN, BONES };

static bool succeeded(mote_result result)
{
    if (result != MOTE_OK)
        fprintf(stderr, "%s\n", mote_last_error());
    return result == MOTE_OK;
}

/* Where a bone starts, and how it is turned about z: 0 is up. Bones are capsules along their own +y. */
static mote_bone_def bone(const char *name, uint32_t parent, float x, float y, float angle, float length,
                          float thickness)
{
    mote_bone_def def = mote_default_bone_def();
    def.name = name;
    def.parent = parent;
    def.rest = (mote_pose){{x, y, 0.0f}, {0.0f, 0.0f, sinf(0.5f * angle), cosf(0.5f * angle)}};
    def.length = length;
    def.thickness = thickness;
    def.swing_limit = 1.4f; /* rad: of the ball joint to the parent */
    def.twist_limit = 0.5f;
    return def;
}

static void make_bones(mote_bone_def bones[BONES])
{
    const float down = 3.14159265f, left = -0.5f * down, right = 0.5f * down;
    bones[TRUNK] = bone("trunk", MOTE_NO_BONE, 0.0f, 1.0f, 0.0f, 0.45f, 0.14f);
    bones[HEAD] = bone("head", TRUNK, 0.0f, 1.6f, 0.0f, 0.15f, 0.09f);
    bones[HEAD].joint = MOTE_JOINT_STIFF;
    bones[LEFT_ARM] = bone("left arm", TRUNK, 0.22f, 1.45f, left, 0.6f, 0.04f);
    bones[RIGHT_ARM] = bone("right arm", TRUNK, -0.22f, 1.45f, right, 0.6f, 0.04f);
    for (uint32_t side = 0; side < 2; side++) {
        float x = side == 0 ? 0.1f : -0.1f;
        bones[LEFT_THIGH + side] = bone("thigh", TRUNK, x, 0.9f, down, 0.4f, 0.07f);
        mote_bone_def *shin = &bones[LEFT_SHIN + side];
        *shin = bone("shin", LEFT_THIGH + side, x, 0.5f, down, 0.45f, 0.05f);
        shin->joint = MOTE_JOINT_HINGE; /* a knee: about the bone's own x, and only one way */
        shin->joint_axis = (mote_vec3){-1.0f, 0.0f, 0.0f};
        shin->min_angle = 0.0f;
        shin->max_angle = 2.4f;
    }
}

/* Where the bones are to be after this frame: the arms turned about their shoulders, the rest as it was. Real
 * motion would come from a mote_clip. */
static bool wave(mote_world *world, mote_skeleton_id figure, const mote_bone_def bones[BONES], int frame)
{
    mote_pose poses[BONES];
    for (int i = 0; i < BONES; i++)
        poses[i] = bones[i].rest;
    float angle = 0.6f * sinf(6.0f * (float)frame * FRAME);
    for (int i = LEFT_ARM; i <= RIGHT_ARM; i++) {
        float side = i == LEFT_ARM ? -0.5f : 0.5f, half = side * (1.5707963f + angle);
        poses[i].rotation = (mote_quat){0.0f, 0.0f, sinf(half), cosf(half)};
    }
    return succeeded(mote_skeleton_move_to(world, figure, poses, BONES));
}

static bool report(const mote_world *world, mote_skeleton_id figure, const char *what)
{
    mote_pose poses[BONES];
    if (!succeeded(mote_skeleton_get_poses(world, figure, poses, BONES)))
        return false;
    printf("%5.2f s: neck at %.2f m, left knee at %.2f m: %s\n", mote_world_time(world),
           (double)poses[HEAD].position.y, (double)poses[LEFT_SHIN].position.y, what);
    return true;
}

static bool play(mote_world *world, mote_skeleton_id figure, const mote_bone_def bones[BONES])
{
    for (int frame = 0; frame < 360; frame++) {
        if (frame == 60 && !(report(world, figure, "let go") &&
                             succeeded(mote_skeleton_release(world, figure, MOTE_ALL_BONES))))
            return false;
        if (frame == 300 && !(report(world, figure, "get up") &&
                              succeeded(mote_skeleton_drive(world, figure, MOTE_ALL_BONES, 0.5f))))
            return false;
        if (!wave(world, figure, bones, frame) || !succeeded(mote_world_step(world, FRAME)))
            return false;
    }
    return report(world, figure, "up again");
}

int main(void)
{
    mote_world_def def = mote_default_world_def();
    def.radius = 0.04f;
    mote_world *world;
    if (!succeeded(mote_world_create(&def, &world)))
        return 1;
    mote_bone_def bones[BONES];
    make_bones(bones);
    mote_skeleton_def skeleton = mote_default_skeleton_def();
    skeleton.bones = bones;
    skeleton.bone_count = BONES;
    skeleton.mass = 70.0f;
    skeleton.driven = true;
    mote_plane_def ground = mote_default_plane_def();
    mote_skeleton_id figure = {0, 0};
    bool good = !mote_is_null(mote_plane_add(world, &ground));
    if (good)
        figure = mote_skeleton_add(world, &skeleton);
    good = succeeded(mote_is_null(figure) ? mote_last_result() : MOTE_OK) && play(world, figure, bones);
    mote_world_destroy(world);
    return good ? 0 : 1;
}
