/* Fields: how forces that depend on place and motion change a velocity. */
#ifndef MOTE_STEP_PREDICT_FIELDS_H
#define MOTE_STEP_PREDICT_FIELDS_H

#include "world/world.h"

/* The velocity after `time` seconds in the fields alone. */
mote_vec3 mt_fields_kick(const mote_world *world, mote_vec3 x, mote_vec3 v, uint32_t phase, float time);

/* The velocity after `time` seconds of gravity, fields and damping. */
mote_vec3 mt_full_kick(const mote_world *world, mote_vec3 x, mote_vec3 v, uint32_t phase, float time);

#endif
