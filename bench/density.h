/* How dense a liquid is beside what it is at rest: the error of any engine, measured from outside. */
#ifndef MOTE_BENCH_DENSITY_H
#define MOTE_BENCH_DENSITY_H

#include "mote/mote.h"

typedef struct density_state {
    double mean_error, largest_error; /* of max(0, density / rest - 1) over all particles */
    double neighbors;                 /* mean number of others within four radii */
} density_state;

/* Particles of one radius, each standing for a cube twice as wide. The density is the sum of Wendland's C2
 * function over all within four radii, over that of the cubic lattice at rest. Planes (unit normal, offset)
 * count as mirrors: what is in front of them is behind them as well. False when there is no memory. */
bool density_measure(const mote_vec4 *particles, size_t count, const mote_vec4 *planes, size_t plane_count,
                     density_state *result);

#endif
