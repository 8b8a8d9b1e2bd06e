/* How dense a liquid is beside what it is at rest: the error of any engine, measured from outside. */
#ifndef MOTE_BENCH_DENSITY_H
#define MOTE_BENCH_DENSITY_H

#include "mote/mote.h"

typedef struct density_state {
    double mean_error, largest_error; /* of max(0, density / rest - 1) over all particles */
    double neighbors;                 /* mean number of others within four radii */
} density_state;

/* Particles of one radius, each standing for a cube twice as wide. The density is the sum of Wendland's C2
 * function over all within four radii, beside that of the cubic lattice at rest. What is behind planes (unit
 * normal, offset) counts as if it were at rest. False when there is no memory. */
bool density_measure(const mote_vec4 *particles, size_t count, const mote_vec4 *planes, size_t plane_count,
                     density_state *result);

#endif
