/* The form of a heap of grains: its slope and how much it still moves. */
#ifndef MOTE_TESTS_HEAP_SLOPE_H
#define MOTE_TESTS_HEAP_SLOPE_H

#include "support.h"

/* The slope of the flank, degrees, from 80 % to 20 % of the height: below lie the grains that ran away, above the
 * round top. What is not higher than two grains of TEST_RADIUS is no heap: 0. */
double flank_angle(const mote_world *world);
double mean_speed(const mote_world *world);    /* m/s */
double highest_grain(const mote_world *world); /* m */

#endif
