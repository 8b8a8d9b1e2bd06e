/* Surface tension and wetting: forces between particles of fluids, and of fluids and solids. */
#ifndef MOTE_STEP_FLUID_TENSION_H
#define MOTE_STEP_FLUID_TENSION_H

#include "step/scratch.h"

/* Changes velocities, at the end of a substep. */
void mt_apply_tension(mote_world *world, mt_substep *s);

#endif
