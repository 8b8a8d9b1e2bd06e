/* What is asked of joints once a substep, and what is not hot. */
#ifndef MOTE_STEP_BODIES_JOINT_FINISH_H
#define MOTE_STEP_BODIES_JOINT_FINISH_H

#include "step/bodies/bodies.h"
#include "step/scratch.h"

/* Takes what was given in the substep, and counts it for the bodies. Places change by h times the new velocities,
 * so only what two bodies give each other at one place at the start of the substep adds up to 0; with the arms of
 * the end a jointed assembly would lose (spin h)^2 of its spin each time. */
void mt_joint_book(const mt_substep *s, mt_joint_work *joint);
/* Adds up its force, lets it yield and judges whether it breaks. */
void mt_joint_finish(const mt_substep *s, mt_joint_work *joint);
/* The spin that takes one rotation to another in 1 / inverse_time seconds, the shorter way round. */
mote_vec3 mt_spin_between(mote_quat from, mote_quat to, float inverse_time);

#endif
