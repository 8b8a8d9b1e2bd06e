/* Poses beside each other, as in a chain of bones. */
#ifndef MOTE_WORLD_POSE_CHAIN_H
#define MOTE_WORLD_POSE_CHAIN_H

#include "base/pose.h"

/* Between two poses (part 0..1): the position on the straight way, the rotation evenly about one axis, the
 * shorter way round. Both rotations are unit. */
mt_pose mt_pose_blend(mt_pose a, mt_pose b, float part);

#define MT_NO_INDEX SIZE_MAX

/* Whether a pose from outside can be used: finite, within the world, with a rotation of some length. An error
 * names it by `what`, `index` and `field`: "bones[3].rest"; with MT_NO_INDEX: "root". *pose gets it with a unit
 * rotation; it may be NULL. */
mote_result mt_check_pose(const char *what, size_t index, const char *field, mote_pose given, mt_pose *pose);

#endif
