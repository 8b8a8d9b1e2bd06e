/* The joints of a batch. */
#ifndef MOTE_STEP_BODIES_JOINT_SOLVE_H
#define MOTE_STEP_BODIES_JOINT_SOLVE_H

#include "step/bodies/bodies.h"
#include "step/kernels.h"

/* Joints are closed where bodies end, along the directions that they had at the start. */
void MT_KERNEL(joints_shake)(const mt_substep *s, mt_batch *batch);

#endif
