/* Picks in a step. They are no kind of constraint: those have one number that they measure and hold, after bodies have flown;
 * a pick is a spring in three directions with a largest force, solved with the contacts, so that what is dragged against a
 * wall does not go into it. They are solved one after the other: there are few. */
#ifndef MOTE_STEP_IMPULSE_PICKS_H
#define MOTE_STEP_IMPULSE_PICKS_H

#include "step/impulse/impulse.h"

/* Room for what picks gave, at the start of a step. */
mote_result mt_picks_begin(mote_world *world);
/* Once before each pass over contacts. */
void mt_impulse_picks(mt_impulse_job *job, bool first);
/* Adds up what they gave in the substep. */
void mt_picks_sum(mote_world *world, const mt_substep *s);
/* After the step: forces, and an end for the picks whose particle is gone. */
void mt_picks_commit(mote_world *world);

#endif
