/* Neighbour search: sort by cell, bring the particles into that order, list who is within reach. */
#ifndef MOTE_STEP_NEIGHBORS_NEIGHBORS_H
#define MOTE_STEP_NEIGHBORS_NEIGHBORS_H

#include "step/scratch.h"

/* Sorts the particles by the cells of `where` (x, y, z and radius a slot). Afterwards grid->slot has them in
 * rank order. */
mote_result mt_grid_sort(mote_world *world, const mote_vec4 *where, const mt_list_plan *plan);

/* Puts the particles, and the step's predicted positions and transport velocities, into rank order. What they
 * were stays in world->particles.other until the end of the step. */
void mt_reorder(mote_world *world);

/* Undoes a reorder, and with it everything that the step has changed since. */
void mt_reorder_undo(mote_world *world);

/* Lists for all particles at `where`, after mt_grid_sort. */
mote_result mt_lists_build(mote_world *world, const mote_vec4 *where);

#endif
