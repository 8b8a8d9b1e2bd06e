/* Viscosity, XSPH and vorticity confinement: what makes velocities of a fluid alike, and what keeps it turning.
 * stir.h says what is solved. */
#ifndef MOTE_STEP_FLUID_VISCOSITY_H
#define MOTE_STEP_FLUID_VISCOSITY_H

#include "step/scratch.h"

/* Room for the world's particles, `slots` with dummies; nothing if no fluid of the world needs any. */
mote_result mt_viscosity_reserve(mote_world *world, size_t slots);

/* Whether some fluid has any. */
bool mt_any_viscosity(const mote_world *world);

/* Changes velocities, at the end of a substep. */
mote_result mt_apply_viscosity(mote_world *world, mt_substep *s);

#endif
