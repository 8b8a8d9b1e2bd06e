/* A human figure of fifteen bones, for scenes and tests. */
#ifndef MOTE_SCENES_HUMANOID_H
#define MOTE_SCENES_HUMANOID_H

#include "mote/mote.h"

/* Bones, parents first; left is on the side of +x. */
typedef enum humanoid_bone {
    HUMANOID_PELVIS,
    HUMANOID_CHEST,
    HUMANOID_HEAD,
    HUMANOID_LEFT_UPPER_ARM,
    HUMANOID_LEFT_FOREARM,
    HUMANOID_LEFT_HAND,
    HUMANOID_RIGHT_UPPER_ARM,
    HUMANOID_RIGHT_FOREARM,
    HUMANOID_RIGHT_HAND,
    HUMANOID_LEFT_THIGH,
    HUMANOID_LEFT_SHIN,
    HUMANOID_LEFT_FOOT,
    HUMANOID_RIGHT_THIGH,
    HUMANOID_RIGHT_SHIN,
    HUMANOID_RIGHT_FOOT,
    HUMANOID_BONES
} humanoid_bone;

/* Of the particles beside the height: with it a figure has about 257 of them. */
#define HUMANOID_RADIUS 0.0165f

/* The figure stands on y = 0 at the origin, its arms stretched out to the sides, and looks along +z; `height`
 * in m, above 0. Every bone lies along the +y of its own coordinates. Knees and elbows are hinges about their
 * own +x that only bend the way they do; hips and shoulders are balls; waist, neck, wrists and ankles are
 * stiff. The first `capacity` bones are written; the answer is how many there are. */
uint32_t humanoid_bones(float height, mote_bone_def bones[], uint32_t capacity);

#endif
