/* Of what a skeleton will be made: worked out, with all that can be wrong, before the world is touched. */
#ifndef MOTE_BUILD_SKELETON_PLAN_H
#define MOTE_BUILD_SKELETON_PLAN_H

#include "world/pose_chain.h"
#include "world/world.h"

#define MT_MAX_JOINT_SIZE 64 /* particles */

typedef struct mt_bone_plan {
    mt_pose pose; /* in the world */
    uint32_t first_point, point_count;
} mt_bone_plan;

typedef struct mt_skeleton_plan {
    const mote_skeleton_def *def;
    float radius, spacing; /* m */
    float particle_mass;   /* kg */
    mt_bone_plan *bones;   /* bone_count */
    mt_array points;       /* mote_vec3, bone by bone, each in its bone's own coordinates, m */
    uint32_t point_count;
    uint32_t joint_points; /* particles of joints */
} mt_skeleton_plan;

/* How many particles a bone and its parent share; 0: it has none. */
uint32_t mt_bone_joint_size(const mote_bone_def *bone);
/* Where the k-th of them is, in the bone's own coordinates: in a ring across the bone, or along a hinge's axis,
 * each touching the next. */
mote_vec3 mt_bone_joint_point(const mote_bone_def *bone, uint32_t k, float radius);
/* Two unit directions across a unit one, all three at right angles. */
void mt_bone_across(mote_vec3 axis, mote_vec3 *u, mote_vec3 *v);

/* skeleton_check.c: every number of the definition. */
mote_result mt_skeleton_check(const mote_world *world, const mote_skeleton_def *def);
/* skeleton_fill.c: the points of all bones. */
mote_result mt_skeleton_fill(const mote_world *world, mt_memory *memory, mt_skeleton_plan *plan);
/* skeleton_thin.c: takes out points that would overlap those of other bones; every bone keeps one at least. */
mote_result mt_skeleton_thin(mt_memory *memory, mt_skeleton_plan *plan);

#endif
