/* The grid of a distance field, shared by its files. */
#ifndef MOTE_COLLIDE_SDF_GRID_H
#define MOTE_COLLIDE_SDF_GRID_H

#include "collide/collide.h"

#define MT_SDF_MAX_SIDE  2048u               /* nodes along an axis */
#define MT_SDF_MAX_NODES ((size_t)256000000) /* in all */

struct mt_sdf {
    mote_vec3 origin;
    float cell;
    uint32_t count[3];
    float *values;
    size_t node_count;
    double low;       /* the least value, m */
    double steepness; /* no two points at a distance of 1 m differ by more, m */
};

typedef struct mt_sdf_sample {
    double value;       /* m */
    double gradient[3]; /* of the interpolated values */
} mt_sdf_sample;

/* At any point, in the grid or not. */
mt_sdf_sample mt_sdf_at(const mt_sdf *sdf, const double x[3]);
/* Unit; up where the field has no direction. */
void mt_sdf_direction(const mt_sdf *sdf, const double x[3], const mt_sdf_sample *sample, double direction[3]);

/* A field with room for values, which are not set; NULL after an error. */
mt_sdf *mt_sdf_make_grid(mt_memory *memory, mote_vec3 origin, float cell, const uint32_t count[3]);
/* Looks through the values when they are there. */
void mt_sdf_measure(mt_sdf *sdf);

#endif
