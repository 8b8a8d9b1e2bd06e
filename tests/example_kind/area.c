/* The area of three places: what it measures. */
#include "base/vec.h"
#include "world/constraints.h"

float mt_area_measure(const mote_vec3 *places, const float *values)
{
    (void)values;
    return 0.5f * mt_length(mt_cross(mt_sub(places[1], places[0]), mt_sub(places[2], places[0])));
}

/* Particles of an area collide unless they are told not to. */
bool mt_area_overlaps(const float *values, float radii)
{
    (void)values;
    (void)radii;
    return false;
}
