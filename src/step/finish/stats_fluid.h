/* The part of the statistics that is about liquids. */
#ifndef MOTE_STEP_FINISH_STATS_FLUID_H
#define MOTE_STEP_FINISH_STATS_FLUID_H

#include "world/world.h"

/* Densities of the liquids where they are now, by the step's own kernels. The scratch has been reserved, and
 * has shapes in place, what each particle is to liquids, and neighbour lists. */
mote_result mt_stats_add_fluids(mote_world *world, mote_stats *stats);

#endif
