/* Drops of one liquid that are caught in another seep through it.
 *
 * Particles at rest lock each other in place like those of a crystal, more so the higher the pressure, and a
 * lattice of them holds single particles of a lighter or heavier liquid for ever, as no liquid does. Two
 * neighbours of different density, the denser one above, that hardly move beside each other, and one of which
 * is a stray, with more of the other liquid about it than of its own, change places now and then. Each keeps
 * its velocity: mass, momentum and the density of particles stay as they are, and potential energy falls. */
#ifndef MOTE_STEP_FLUID_SEEP_H
#define MOTE_STEP_FLUID_SEEP_H

#include "mote/world.h"

/* At the end of a step of dt seconds; nothing if all fluids have one density, or where contacts are impulses. */
void mt_fluid_seep(mote_world *world, float dt);

#endif
