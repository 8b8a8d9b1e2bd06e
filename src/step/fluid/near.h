/* Who is near liquids. The passes over liquids leave alone what is not: it costs nothing that there is a drop of water
 * somewhere else. This decides how fast a step is, never what it does: what is left alone would have been given 0. */
#ifndef MOTE_STEP_FLUID_NEAR_H
#define MOTE_STEP_FLUID_NEAR_H

#include "step/scratch.h"

/* Marks slices (mt_substep.near_liquid) and assemblies (mt_assembly.wet) that have a liquid, or come within reach of the
 * box around all liquids, with particles at `where`. `again`: those that are marked already stay so. */
void mt_mark_near_liquids(mote_world *world, mt_substep *s, const mote_vec4 *where, bool again);

#endif
