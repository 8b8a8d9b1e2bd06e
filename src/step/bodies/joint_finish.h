/* What is asked of joints once a substep, and what is not hot. */
#ifndef MOTE_STEP_BODIES_JOINT_FINISH_H
#define MOTE_STEP_BODIES_JOINT_FINISH_H

#include "step/bodies/bodies.h"
#include "step/scratch.h"

/* Adds up its force, lets it yield and judges whether it breaks. */
void mt_joint_finish(const mt_substep *s, mt_joint_work *joint);
/* The spin that takes one rotation to another in 1 / inverse_time seconds, the shorter way round. */
mote_vec3 mt_spin_between(mote_quat from, mote_quat to, float inverse_time);

#endif
