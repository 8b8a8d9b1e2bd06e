#ifndef MOTE_STEP_FLUID_COARSE_H
#define MOTE_STEP_FLUID_COARSE_H

#include "step/scratch.h"

void mt_press_coarsely(mote_world *world, mt_substep *s);

#endif
