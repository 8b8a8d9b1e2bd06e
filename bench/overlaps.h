/* How far spheres are inside each other and below planes: the error of any engine, measured from outside. */
#ifndef MOTE_BENCH_OVERLAPS_H
#define MOTE_BENCH_OVERLAPS_H

#include "mote/mote.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct overlaps {
    double deepest; /* m */
    double sum;     /* of all overlaps, each pair once, m */
} overlaps;

/* Spheres are (x, y, z, radius); planes are (unit normal, offset). False when there is no memory. */
bool overlaps_measure(const mote_vec4 *spheres, size_t sphere_count, const mote_vec4 *planes,
                      size_t plane_count, overlaps *result);

#ifdef __cplusplus
}
#endif

#endif
