#include "scenes/humanoid.h"

#define HALF 0.70710678f /* sine and cosine of half a quarter turn */

/* The four ways that bones lie: their own +y is the world's ... */
static const mote_quat UP = {0.0f, 0.0f, 0.0f, 1.0f};
static const mote_quat DOWN = {1.0f, 0.0f, 0.0f, 0.0f};
static const mote_quat LEFT = {0.0f, 0.0f, -HALF, HALF}; /* +x */
static const mote_quat RIGHT = {0.0f, 0.0f, HALF, HALF}; /* -x */
static const mote_quat AHEAD = {HALF, 0.0f, 0.0f, HALF}; /* +z */

/* Lengths are parts of the height, places those of the joints; the right side is the left one's mirror
 * image. */
typedef struct part {
    const char *name;
    uint32_t parent;
    float x, y, z, length, thickness;
    const mote_quat *way;
    mote_joint_type joint;
    uint32_t size; /* shared particles */
    float bend;    /* rad: of a hinge, forwards from straight; of a ball, to all sides */
} part;

#define ROOT  MOTE_NO_BONE
#define STIFF MOTE_JOINT_STIFF
#define BALL  MOTE_JOINT_BALL
#define HINGE MOTE_JOINT_HINGE

static const part PARTS[HUMANOID_BONES] = {
    {"pelvis", ROOT, 0.0f, 0.52f, 0.0f, 0.08f, 0.07f, &UP, STIFF, 0, 0.0f},
    {"chest", HUMANOID_PELVIS, 0.0f, 0.63f, 0.0f, 0.19f, 0.075f, &UP, STIFF, 6, 0.0f},
    {"head", HUMANOID_CHEST, 0.0f, 0.845f, 0.0f, 0.11f, 0.045f, &UP, STIFF, 4, 0.0f},
    {"left upper arm", HUMANOID_CHEST, 0.115f, 0.80f, 0.0f, 0.16f, 0.0285f, &LEFT, BALL, 1, 1.5f},
    {"left forearm", HUMANOID_LEFT_UPPER_ARM, 0.275f, 0.80f, 0.0f, 0.145f, 0.025f, &LEFT, HINGE, 2, 2.4f},
    {"left hand", HUMANOID_LEFT_FOREARM, 0.42f, 0.80f, 0.0f, 0.08f, 0.025f, &LEFT, STIFF, 4, 0.0f},
    {"right upper arm", HUMANOID_CHEST, -0.115f, 0.80f, 0.0f, 0.16f, 0.0285f, &RIGHT, BALL, 1, 1.5f},
    {"right forearm", HUMANOID_RIGHT_UPPER_ARM, -0.275f, 0.80f, 0.0f, 0.145f, 0.025f, &RIGHT, HINGE, 2, 2.4f},
    {"right hand", HUMANOID_RIGHT_FOREARM, -0.42f, 0.80f, 0.0f, 0.08f, 0.025f, &RIGHT, STIFF, 4, 0.0f},
    {"left thigh", HUMANOID_PELVIS, 0.055f, 0.515f, 0.0f, 0.245f, 0.042f, &DOWN, BALL, 3, 1.2f},
    {"left shin", HUMANOID_LEFT_THIGH, 0.055f, 0.27f, 0.0f, 0.23f, 0.030f, &DOWN, HINGE, 2, 2.4f},
    {"left foot", HUMANOID_LEFT_SHIN, 0.055f, 0.03f, -0.01f, 0.12f, 0.025f, &AHEAD, STIFF, 4, 0.0f},
    {"right thigh", HUMANOID_PELVIS, -0.055f, 0.515f, 0.0f, 0.245f, 0.042f, &DOWN, BALL, 3, 1.2f},
    {"right shin", HUMANOID_RIGHT_THIGH, -0.055f, 0.27f, 0.0f, 0.23f, 0.030f, &DOWN, HINGE, 2, 2.4f},
    {"right foot", HUMANOID_RIGHT_SHIN, -0.055f, 0.03f, -0.01f, 0.12f, 0.025f, &AHEAD, STIFF, 4, 0.0f},
};

static mote_bone_def bone_of(const part *p, float height)
{
    mote_bone_def bone = mote_default_bone_def();
    bone.name = p->name;
    bone.parent = p->parent;
    bone.rest = (mote_pose){{p->x * height, p->y * height, p->z * height}, *p->way};
    bone.length = p->length * height;
    bone.thickness = p->thickness * height;
    bone.joint = p->joint;
    bone.joint_size = p->size;
    if (p->joint == HINGE) {
        bone.min_angle = 0.0f;
        bone.max_angle = p->bend;
    }
    if (p->joint == BALL) {
        bone.swing_limit = p->bend;
        bone.twist_limit = 0.6f;
    }
    return bone;
}

uint32_t humanoid_bones(float height, mote_bone_def bones[], uint32_t capacity)
{
    for (uint32_t i = 0; i < HUMANOID_BONES && i < capacity; i++)
        bones[i] = bone_of(&PARTS[i], height);
    return HUMANOID_BONES;
}
