/* Viscosity, XSPH and vorticity confinement: what makes velocities of a fluid alike, and what keeps it turning. */
#ifndef MOTE_STEP_FLUID_VISCOSITY_H
#define MOTE_STEP_FLUID_VISCOSITY_H

#include "step/scratch.h"

/* Changes velocities, at the end of a substep. */
void mt_apply_viscosity(mote_world *world, mt_substep *s);

#endif
