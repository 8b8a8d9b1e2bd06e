/* Picks: a compliant distance of 0 between a particle and a point (XPBD, Macklin et al. 2016). Solved one
 * after the other: there are few. */
#ifndef MOTE_STEP_SOLVE_PICKS_H
#define MOTE_STEP_SOLVE_PICKS_H

#include "step/scratch.h"

/* Room for what picks gave, at the start of a step. */
mote_result mt_picks_begin(mote_world *world);
/* Once a substep, before the iterations. A pick alone is solved whole. */
void mt_picks_solve(mote_world *world, const mt_substep *s);
/* What one gave in this substep: impulse times h, kg m. */
mote_vec3 *mt_pick_given(mote_world *world, uint32_t pick);
/* Adds up what they gave in the substep. */
void mt_picks_sum(mote_world *world, const mt_substep *s);
/* What contacts gave is not known apart from what picks gave, so there is nothing to guess from in the next
 * substep. */
/* After the step: forces, and an end for the picks whose particle is gone. */
void mt_picks_commit(mote_world *world);

#endif
