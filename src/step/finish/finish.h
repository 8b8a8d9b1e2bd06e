/* The end of a step: who falls asleep or wakes, who is removed, what is reported. Judging may fail and changes
 * nothing that a user sees; committing does not fail. */
#ifndef MOTE_STEP_FINISH_FINISH_H
#define MOTE_STEP_FINISH_FINISH_H

#include "step/scratch.h"

mote_result mt_sleep_judge(mote_world *world, float dt);
void mt_sleep_commit(mote_world *world);

bool mt_volume_contains(const mote_volume_def *volume, mote_vec4 x);
bool mt_volume_kills(const mote_volume_def *volume, mote_vec4 x);
mote_result mt_volumes_judge(mote_world *world);
void mt_volumes_commit(mote_world *world);

mote_result mt_touches_find(mote_world *world);

mote_result mt_events_reserve(mote_world *world);
void mt_events_make(mote_world *world);

#endif
