#ifndef MOTE_STEP_CONTACTS_GUARD_H
#define MOTE_STEP_CONTACTS_GUARD_H

#include "step/scratch.h"

/* How near to a surface a particle's middle may come, in radii. The quick test of guard_kernel.c lets no one
 * by who is nearer, so that what is done here never depends on who is let by. */
#define MT_SURFACE_SKIN 0.04f

/* Lets the particle's predicted place cross no surface. */
void mt_guard_particle(const mt_substep *s, uint32_t slot);

#endif
