/* The papers' solvers: contacts at position level, cold (Macklin et al. 2014, and XPBD for what is compliant).
 *
 * Contacts are those of the impulse solver, with its geometry, movers and law. What is different is when they are
 * looked at: in every iteration anew, where movers would be at the end of the substep, and what is solved is whether
 * they overlap there. A velocity of a mover is how far it goes in the substep over h, so that v = (x* - x) / h at any
 * time. Nothing is remembered from one substep to the next. */
#ifndef MOTE_STEP_POSITION_POSITION_H
#define MOTE_STEP_POSITION_POSITION_H

#include "step/impulse/impulse.h"

/* position.c: from predicted velocities to those after contacts. */
mote_result mt_position_solve(mote_world *world, mt_substep *s);

/* poses.c: loose particles and bodies where their velocities take them, for contacts to look at. */
void mt_movers_go(mt_impulse_job *job);
/* The same at the start of the substep: moved by the job's velocities times h. */
void mt_movers_shift(mt_impulse_job *job);

#endif
