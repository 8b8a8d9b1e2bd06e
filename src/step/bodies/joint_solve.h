/* The joints of a batch, once an iteration. */
#ifndef MOTE_STEP_BODIES_JOINT_SOLVE_H
#define MOTE_STEP_BODIES_JOINT_SOLVE_H

#include "step/bodies/bodies.h"
#include "step/kernels.h"

/* Bodies move by what particles told them; then joints are closed by moving them on. */
void MT_KERNEL(joints_solve)(const mt_substep *s, mt_batch *batch);
/* The same at the start of the substep: what contacts left of gaps in the one before. */
void MT_KERNEL(joints_stabilize)(const mt_substep *s, mt_batch *batch);
/* Under the impulse solver: joints are closed where bodies end, along the directions that they had at the start. */
void MT_KERNEL(joints_shake)(const mt_substep *s, mt_batch *batch);

#endif
