/* Spheres in cells, the cells in buckets by a hash, so that space has no bounds: for measures from outside. */
#ifndef MOTE_BENCH_SPHERE_GRID_H
#define MOTE_BENCH_SPHERE_GRID_H

#include "mote/mote.h"

typedef struct grid_cell {
    int32_t x, y, z;
} grid_cell;

/* entries[starts[b] .. starts[b + 1]) are the spheres of bucket b, which hold several cells; they rise. */
typedef struct sphere_grid {
    double inverse_cell_size;
    uint32_t mask;
    uint32_t *starts;
    uint32_t *entries;
} sphere_grid;

/* Cells are `cell_size` wide, m. False when there is no memory; free it in any case. */
bool sphere_grid_build(sphere_grid *grid, const mote_vec4 *spheres, size_t count, double cell_size);
void sphere_grid_free(sphere_grid *grid);

grid_cell sphere_grid_cell(const sphere_grid *grid, mote_vec4 sphere);
uint32_t sphere_grid_bucket(const sphere_grid *grid, grid_cell cell);

#endif
