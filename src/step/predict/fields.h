/* Fields: how forces that depend on place and motion change a velocity. */
#ifndef MOTE_STEP_PREDICT_FIELDS_H
#define MOTE_STEP_PREDICT_FIELDS_H

#include "world/world.h"

/* The velocity after `time` seconds of gravity, fields and damping. What slows comes last, solved backwards in
 * time, so that terminal velocities are exact. */
mote_vec3 mt_kick(const mote_world *world, mote_vec3 x, mote_vec3 v, uint32_t phase, float time);

#endif
