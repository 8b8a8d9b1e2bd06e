/* A tank of planes with water in it, for tests of liquids. */
#ifndef MOTE_TESTS_WET_TANK_H
#define MOTE_TESTS_WET_TANK_H

#include "support.h"

#define R 0.025f /* radius, m */

mote_world *tank_world(void);
/* Solids have a friction of 0.3. */
mote_material_id add_matter(mote_world *world, float density, bool fluid);
/* From 0 to wide along x and to deep along z, in spacings. */
void add_tank(mote_world *world, int wide, int deep);
/* As many particles along x, y and z, from the tank's corner on. */
void add_water(mote_world *world, int x, int y, int z);
/* As many in no order. */
void pack_water(mote_world *world, int x, int y, int z);
/* The height of the highest particle between two places along x, m. */
double highest_of(const mote_world *world, double from, double to);

#endif
