#include "heap_slope.h"

#include <math.h>

enum { RINGS = 40, SECTORS = 8 };
static const double RING = 2 * TEST_RADIUS; /* m, the width of a ring */

/* The heap seen as a height over the distance from its middle: the highest grain of each cell of a target,
 * rings one grain wide that are cut into eight sectors, averaged over the sectors. */
static void measure_surface(const mote_world *world, double surface[RINGS])
{
    mote_particles_view view = mote_particles_get_view(world);
    double tops[RINGS][SECTORS] = {{0}}, middle_x = 0, middle_z = 0;
    for (size_t i = 0; i < view.count; ++i) {
        middle_x += (double)view.position[i].x / (double)view.count;
        middle_z += (double)view.position[i].z / (double)view.count;
    }
    for (size_t i = 0; i < view.count; ++i) {
        double x = (double)view.position[i].x - middle_x, z = (double)view.position[i].z - middle_z;
        double ring = hypot(x, z) / RING, sector = (atan2(z, x) / TEST_PI + 1) * SECTORS / 2;
        double height = (double)view.position[i].y - TEST_RADIUS; /* of what lies on a single layer */
        if (ring < RINGS)
            tops[(int)ring][(int)sector % SECTORS] = fmax(tops[(int)ring][(int)sector % SECTORS], height);
    }
    for (int k = 0; k < RINGS; ++k) {
        surface[k] = 0;
        for (int sector = 0; sector < SECTORS; ++sector)
            surface[k] += tops[k][sector] / SECTORS;
    }
}

/* The distance from the middle beyond which the surface stays below a height. */
static double last_above(const double surface[RINGS], double height)
{
    int k = RINGS - 1;
    while (k > 0 && surface[k] < height)
        --k;
    double next = k + 1 < RINGS ? surface[k + 1] : 0;
    return (k + 0.5 + (surface[k] - height) / (surface[k] - next)) * RING;
}

double flank_angle(const mote_world *world)
{
    double surface[RINGS], peak = 0;
    measure_surface(world, surface);
    for (int k = 1; k < RINGS; ++k) /* the innermost ring is too small for eight sectors */
        peak = fmax(peak, surface[k]);
    if (peak < 4 * TEST_RADIUS)
        return 0;
    double run = last_above(surface, 0.2 * peak) - last_above(surface, 0.8 * peak);
    return atan(0.6 * peak / run) * 180 / TEST_PI;
}

double mean_speed(const mote_world *world)
{
    mote_particles_view view = mote_particles_get_view(world);
    double sum = 0;
    for (size_t i = 0; i < view.count; ++i)
        sum += length_of(vec(view.velocity[i].x, view.velocity[i].y, view.velocity[i].z));
    return sum / (double)view.count;
}

double highest_grain(const mote_world *world)
{
    mote_particles_view view = mote_particles_get_view(world);
    double top = 0;
    for (size_t i = 0; i < view.count; ++i)
        top = fmax(top, (double)view.position[i].y);
    return top;
}
