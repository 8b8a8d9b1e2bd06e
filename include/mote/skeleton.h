/* Skeletons: bones with bodies and joints. A skeleton is driven by poses, as an animation gives them, and
 * pushes what is in its way; or it is limp, a ragdoll; or some bones are the one and some the other. */
#ifndef MOTE_SKELETON_H
#define MOTE_SKELETON_H

#include "mote/rigid.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MOTE_NO_BONE   UINT32_MAX /* the parent of a root */
#define MOTE_ALL_BONES UINT32_MAX
#define MOTE_MAX_BONES 1024

typedef struct mote_bone_def {
    const char *name; /* copied, at most 63 bytes; NULL: none */
    uint32_t parent;  /* its index, less than the bone's own; MOTE_NO_BONE: a root */
    mote_pose rest;   /* at the start, in the skeleton's coordinates */
    /* What it is made of: points in the bone's own coordinates; or, if there are none, a capsule along
     * `axis` from its origin (the joint) to axis * length, of the thickness given. */
    const mote_vec3 *points;
    size_t point_count;
    mote_vec3 axis;  /* unit; default +Y */
    float length;    /* m; 0: a ball at the origin */
    float thickness; /* m; less than a particle's radius: one line of particles */
    /* The joint to the parent, at the bone's origin. */
    mote_joint_type joint; /* default MOTE_JOINT_BALL */
    uint32_t joint_size;   /* shared particles; 0: the type's default */
    mote_vec3 joint_axis;  /* of a hinge, in the bone's own coordinates; default +X */
    float min_angle, max_angle, swing_limit, twist_limit; /* as in mote_joint_def; default: no limits */
    mote_vec3 joint_middle; /* of a ball, as in mote_joint_def, in the bone's own coordinates; default 0 */
} mote_bone_def;

MOTE_API mote_bone_def mote_default_bone_def(void);

typedef struct mote_skeleton_def {
    const mote_bone_def *bones;
    uint32_t bone_count;       /* 1..MOTE_MAX_BONES */
    mote_pose pose;            /* of the skeleton's coordinates in the world; default: as the world's */
    bool driven;               /* default false: limp */
    float radius;              /* of the particles, m; default MOTE_WORLD_RADIUS */
    float spacing;             /* m; default: twice the radius */
    float mass;                /* of the whole, kg; 0 (default): from the material's density */
    float damping;             /* of the joints, 1/s; default 2 */
    mote_material_id material; /* default (null): the world's default material */
    uint32_t phase;            /* default MOTE_PHASE_DEFAULT */
} mote_skeleton_def;

MOTE_API mote_skeleton_def mote_default_skeleton_def(void);

/* Adds bodies and joints; null on failure, and nothing is added. */
MOTE_API mote_skeleton_id mote_skeleton_add(mote_world *world, const mote_skeleton_def *def);
/* With its bodies. */
MOTE_API mote_result mote_skeleton_remove(mote_world *world, mote_skeleton_id skeleton);
MOTE_API bool mote_skeleton_is_valid(const mote_world *world, mote_skeleton_id skeleton);
MOTE_API uint32_t mote_skeleton_count(const mote_world *world);
MOTE_API uint32_t mote_skeleton_list(const mote_world *world, mote_skeleton_id *ids, uint32_t capacity);
MOTE_API uint32_t mote_skeleton_bone_count(const mote_world *world, mote_skeleton_id skeleton);
/* The body of a bone, and the joint to its parent; null if there is none. */
MOTE_API mote_body_id mote_skeleton_body(const mote_world *world, mote_skeleton_id skeleton, uint32_t bone);
MOTE_API mote_joint_id mote_skeleton_joint(const mote_world *world, mote_skeleton_id skeleton, uint32_t bone);
/* The bone of that name, or MOTE_NO_BONE. */
MOTE_API uint32_t mote_skeleton_find_bone(const mote_world *world, mote_skeleton_id skeleton, const char *name);

/* Where the bones are in the world now: `count` of them, the first bones. One whose body was removed is where its
 * parent is; a root, at the origin. */
MOTE_API mote_result mote_skeleton_get_poses(const mote_world *world, mote_skeleton_id skeleton,
                                             mote_pose *poses, uint32_t count);
/* Where the bones are to be in the world at the end of the next step, one pose a bone. Driven bones go there;
 * bones on their way back from being limp are between where they lay and there; limp ones do not care. */
MOTE_API mote_result mote_skeleton_move_to(mote_world *world, mote_skeleton_id skeleton, const mote_pose *poses,
                                           uint32_t count);
/* A bone (or MOTE_ALL_BONES) goes limp, with the velocity that it has. Bones that touch or overlap each other
 * then do not collide until they have come apart once. With all bones, hinges and stiff joints that were led
 * into a pose which they do not allow are straightened at once. */
MOTE_API mote_result mote_skeleton_release(mote_world *world, mote_skeleton_id skeleton, uint32_t bone);
/* A bone is driven again: for `blend` seconds (0 or more) it goes over from where it is to where it is
 * moved. */
MOTE_API mote_result mote_skeleton_drive(mote_world *world, mote_skeleton_id skeleton, uint32_t bone,
                                         float blend);
MOTE_API bool mote_skeleton_is_driven(const mote_world *world, mote_skeleton_id skeleton, uint32_t bone);

/* ---- animation -----------------------------------------------------------------------------------------
 * Clips and skins are the caller's own data; these functions only read them. */

/* Poses of all bones at even times, each beside its parent's (a root's: in the skeleton's coordinates). */
typedef struct mote_clip {
    float rate; /* frames a second, > 0 */
    uint32_t frame_count, bone_count;
    const mote_pose *frames; /* frame_count x bone_count */
    const uint32_t *parents; /* a bone: less than its own index, or MOTE_NO_BONE */
} mote_clip;

/* Poses at `time` seconds, in the coordinates of `root`, between the two frames around it. A loop lasts
 * frame_count / rate seconds, its last frame going over to its first; else the first and the last frame stand
 * before and after the clip. */
MOTE_API mote_result mote_clip_sample(const mote_clip *clip, double time, bool loop, mote_pose root,
                                      mote_pose *poses);

/* A mesh that bones carry: every vertex follows up to four. */
typedef struct mote_skin {
    size_t vertex_count;
    const mote_vec3 *vertices; /* when all bones are as `bind` says, m */
    const uint32_t *bones;     /* four a vertex */
    const float *weights;      /* four a vertex, their sum 1 */
    uint32_t bone_count;
    const mote_pose *bind; /* of the bones */
} mote_skin;

/* The vertices when the bones are at `poses`. */
MOTE_API mote_result mote_skin_apply(const mote_skin *skin, const mote_pose *poses, mote_vec3 *vertices);

#ifdef __cplusplus
}
#endif

#endif
