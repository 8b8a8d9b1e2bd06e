/* Points in the cells of a grid, for those who look for near ones: the cells that are not empty, sorted. It
 * takes as much memory for points far apart as for points close together. */
#ifndef MOTE_BASE_POINT_GRID_H
#define MOTE_BASE_POINT_GRID_H

#include "mote/base.h"

typedef struct mt_grid_entry {
    uint64_t key; /* of the cell */
    uint64_t point;
} mt_grid_entry;

typedef struct mt_point_grid {
    mt_grid_entry *entries; /* the caller's, with room for all points; so is `spare` */
    mt_grid_entry *spare;
    uint32_t count;
    mote_vec3 low; /* the least coordinates */
    double cell;   /* how wide a cell is */
} mt_point_grid;

/* Starts with no points. All of them will be between `low` and `high`. Cells are at least `cell` wide (above
 * 0), and wider where there would be more than a million of them along an axis. */
void mt_point_grid_start(mt_point_grid *grid, mote_vec3 low, mote_vec3 high, double cell);
void mt_point_grid_put(mt_point_grid *grid, uint32_t point, mote_vec3 place);
/* When all points are there. */
void mt_point_grid_sort(mt_point_grid *grid);

/* The cell of a place that is between `low` and `high`. */
typedef struct mt_grid_cell {
    int32_t x, y, z;
} mt_grid_cell;
mt_grid_cell mt_point_grid_cell(const mt_point_grid *grid, mote_vec3 place);

/* The points of the cells (x, y, low_z) to (x, y, high_z), which need not be within the grid: entries *begin to
 * *end, without that one. */
void mt_point_grid_run(const mt_point_grid *grid, int32_t x, int32_t y, int32_t low_z, int32_t high_z,
                       uint32_t *begin, uint32_t *end);

#endif
