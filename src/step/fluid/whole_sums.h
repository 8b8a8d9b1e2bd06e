/* Sums over neighbours that do not depend on their order. Who is in a list, and where, follows from when it was made
 * and for whom; what is out of reach must not change a bit of a sum for that. So terms are rounded to whole multiples
 * of a unit and added as integers: any order gives the same bits, and whoever is in a list without being
 * in reach adds 0. What a pair gives its two particles in the same unit is opposite to the bit.
 *
 * Units follow from constants of the world or of the particle alone. Sums are of 32 bits. Units leave room for
 * hundreds of neighbours in one place with the largest terms that there can be; single terms far beyond that are cut
 * off where nothing else bounds them, and a sum that is still too large wraps around: such liquid is compressed more
 * than forty times. */
#ifndef MOTE_STEP_FLUID_WHOLE_SUMS_H
#define MOTE_STEP_FLUID_WHOLE_SUMS_H

#include "base/lanes3.h"

typedef lane_index whole; /* unsigned, because it may wrap around */

typedef struct whole3 {
    whole x, y, z;
} whole3;

LANE_FUNCTION whole whole_of(lanes term)
{
    return (whole)lanes_round(term);
}

LANE_FUNCTION lanes whole_value(whole sum, lanes unit)
{
    return __builtin_convertvector((lane_mask)sum, lanes) * unit;
}

/* Adds scale times a vector, in units. */
LANE_FUNCTION void whole3_add(whole3 *sum, lanes scale, lanes x, lanes y, lanes z)
{
    sum->x += whole_of(scale * x);
    sum->y += whole_of(scale * y);
    sum->z += whole_of(scale * z);
}

LANE_FUNCTION lanes3 whole3_value(const whole3 *sum, lanes unit)
{
    return (lanes3){whole_value(sum->x, unit), whole_value(sum->y, unit), whole_value(sum->z, unit)};
}

LANE_FUNCTION lanes lanes_cut(lanes value, lanes most)
{
    return lanes_max(lanes_min(value, most), -most);
}

/* The power of two at or below a number above 0; else about 0. */
LANE_FUNCTION lanes lanes_power_below(lanes value)
{
    return (lanes)((lane_index)value & lanes_all_index(0x7F800000u));
}

#endif
