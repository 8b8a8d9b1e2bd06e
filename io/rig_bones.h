/* From a rig to a skeleton with bodies: which of its bones get one, of what form, with what joints. A bone
 * with a body has the same coordinates as the rig's bone; the rig's other bones (fingers, toes, twist bones,
 * ends) go with the body of the nearest bone above them that has one. */
#ifndef MOTE_IO_RIG_BONES_H
#define MOTE_IO_RIG_BONES_H

#include "io/rig_file.h"

/* What is to be otherwise than worked out, for one bone. Numbers that are NAN, and the joint type
 * MOTE_JOINT_TYPE_COUNT, mean: as worked out. Start with rig_default_bone_rule(). */
typedef struct rig_bone_rule {
    const char *bone; /* its name in the rig */
    enum { RIG_BODY_AUTO, RIG_BODY_YES, RIG_BODY_NO } body;
    mote_joint_type joint;
    mote_vec3 joint_axis;           /* of a hinge, in the bone's own coordinates, any length but 0 */
    float min_angle, max_angle;     /* of a hinge, rad */
    float swing_limit, twist_limit; /* of a ball, rad */
    float length, thickness;        /* of the capsule, m */
} rig_bone_rule;

rig_bone_rule rig_default_bone_rule(const char *bone);

#define RIG_THICKNESS 0.2f

typedef struct rig_body_options {
    float min_length;    /* shorter bones get no body, m; default 0: 4 % of the rig's height */
    float thickness;     /* of bones without a mesh around them, a part of their length; default
                          * RIG_THICKNESS. Trunk and head get 2.5 times that. With the default a person (a rig
                          * with thighs, arms and a spine) is as thick as people are, with twice that twice as
                          * thick */
    float max_thickness; /* m; default 0: 6 % of the height without a mesh, 15 % with one */
    uint32_t clip; /* from which axes and limits of joints come; default 0; RIG_NO_CLIP: from names only */
    const rig_bone_rule *rules;
    size_t rule_count;
} rig_body_options;

rig_body_options rig_default_body_options(void);

/* Makes the definitions of the bones that get bodies, parents first. The first `capacity` are written, the
 * answer is how many there are (at most the rig's bone_count); 0 with a text in `error` if it cannot be done.
 *   rig_bone_of (capacity entries, or NULL): the rig's bone that each follows.
 *   body_of (bone_count entries, or NULL): the bone with a body that carries each of the rig's bones.
 * Names are the rig's own, so that the rig must outlive the definitions. Options may be NULL: the defaults. */
uint32_t rig_bone_defs(const rig *model, const rig_body_options *options, mote_bone_def *bones,
                       uint32_t *rig_bone_of, uint32_t capacity, uint32_t *body_of, char error[RIG_ERROR]);

/* Where the `count` bones with bodies are at `time` seconds of a clip (RIG_NO_CLIP: at rest), in the world
 * if `root` is the pose of the model in the world. For mote_skeleton_move_to. */
mote_result rig_sample(const rig *model, uint32_t clip, double time, bool loop, mote_pose root,
                       const uint32_t *rig_bone_of, uint32_t count, mote_pose *out);

/* The other way round: where all of the rig's bones are (bone_count poses, for mote_skin_apply) when
 * those with bodies are at `bodies`. Bones without one keep their rest pose beside the one that carries
 * them. */
void rig_poses_from_bodies(const rig *model, const uint32_t *rig_bone_of, const uint32_t *body_of,
                           const mote_pose *bodies, mote_pose *out);

#endif
