/* Which shapes are near which place, remembered from step to step for as long as shapes stand still. */
#ifndef MOTE_STEP_CONTACTS_SHAPE_CACHE_H
#define MOTE_STEP_CONTACTS_SHAPE_CACHE_H

#include "world/world.h"

/* Before a step: keeps the caches of slices, or clears them where they are old. */
mote_result mt_shape_cache_prepare(mote_world *world);

#endif
