/* Distance: what it measures. */
#include "base/vec.h"
#include "world/constraints.h"

float mt_distance_measure(const mote_vec3 *places, const float *values)
{
    (void)values;
    return mt_length(mt_sub(places[1], places[0]));
}

bool mt_distance_overlaps(const float *values, float radii)
{
    return values[MT_REST] < radii;
}
