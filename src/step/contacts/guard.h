#ifndef MOTE_STEP_CONTACTS_GUARD_H
#define MOTE_STEP_CONTACTS_GUARD_H

#include "step/scratch.h"

/* How near to a surface a particle's middle may come, in radii. */
#define MT_SURFACE_SKIN 0.02f

/* Lets the particle's predicted place cross no surface. */
void mt_guard_particle(const mt_substep *s, uint32_t slot);

#endif
