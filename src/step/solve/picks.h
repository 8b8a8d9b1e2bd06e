/* Picks: a compliant distance of 0 between a particle and a point (XPBD, Macklin et al. 2016). Solved one
 * after the other, after each iteration: there are few. */
#ifndef MOTE_STEP_SOLVE_PICKS_H
#define MOTE_STEP_SOLVE_PICKS_H

#include "step/scratch.h"

/* Room for what picks gave, at the start of a step. */
mote_result mt_picks_begin(mote_world *world);
/* At the start of a substep nothing is given yet. */
void mt_picks_start(mote_world *world);
void mt_picks_solve(mote_world *world, const mt_substep *s);
/* Adds up what they gave in the substep. */
void mt_picks_sum(mote_world *world, const mt_substep *s);
/* After the step: forces, and an end for the picks whose particle is gone. */
void mt_picks_commit(mote_world *world);

#endif
