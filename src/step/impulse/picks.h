/* Picks under the impulse solver. */
#ifndef MOTE_STEP_IMPULSE_PICKS_H
#define MOTE_STEP_IMPULSE_PICKS_H

#include "step/impulse/impulse.h"

/* Once before each pass over contacts. */
void mt_impulse_picks(mt_impulse_job *job, bool first);

#endif
