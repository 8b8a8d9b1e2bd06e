/* Skeletons between steps. */
#ifndef MOTE_WORLD_SKELETONS_H
#define MOTE_WORLD_SKELETONS_H

#include "world/world.h"

/* Adds a skeleton with room for `bone_count` bones, but none of them so far. */
mote_result mt_skeleton_begin(mote_world *world, uint32_t bone_count, mote_skeleton_id *id);
/* One more bone for the skeleton that was added last. */
void mt_skeleton_append(mote_world *world, const mt_bone *bone);
/* The skeleton with the bodies and joints of its bones, those that are left. */
void mt_skeleton_drop(mote_world *world, mote_skeleton_id id);
/* Before all its driven bones are let go: puts right what hinges and stiff joints do not allow, without
 * changing speeds. */
void mt_skeleton_fit(mote_world *world, const mt_bone *bones, uint32_t count);
/* At the end of a step that lasted dt seconds: bones that come back are nearer to where they are moved. */
void mt_skeletons_advance(mote_world *world, float dt);

#endif
