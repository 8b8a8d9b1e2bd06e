/* Who is near liquids. The passes over liquids leave alone what is not: it costs nothing that there is a drop of water
 * somewhere else. This decides how fast a step is, never what it does: what is left alone would have been given 0. */
#ifndef MOTE_STEP_FLUID_NEAR_H
#define MOTE_STEP_FLUID_NEAR_H

#include "step/scratch.h"

/* Between substeps: finds the assemblies that liquids may reach in the next one (mt_assembly.near); no others are looked
 * at in it. The velocities of their particles are made where the last substep left them out. */
void mt_find_near_liquids(mote_world *world, mt_substep *s);

/* Marks the slices of such assemblies: their particles may have left their places in the lists (mt_substep.asks). */
void mt_mark_assemblies_asked(const mt_substep *s);

/* Marks slices (mt_substep.near_liquid) and assemblies (mt_assembly.wet) that have a liquid, or come within reach of the
 * box around all liquids, with particles at `where`. `again`: those that are marked already stay so. */
void mt_mark_near_liquids(mote_world *world, mt_substep *s, const mote_vec4 *where, bool again);

#endif
