/* Cells and nodes of the long waves of a liquid's pressure: see coarse.h. */
#ifndef MOTE_STEP_FLUID_COARSE_WORK_H
#define MOTE_STEP_FLUID_COARSE_WORK_H

#include "base/memory.h"

#include <stdint.h>

typedef struct mt_coarse_cell {
    int32_t at[3];
    uint32_t node[8];           /* its corners */
    uint32_t first, count;      /* its particles, in `slots` */
    float mass, lean[3], stiff; /* sums of w, w g H and w (g H)^2, beside the lightest mass's w */
    float rest, tilt[3];        /* of r, and of r times the place from the cell's middle, in cells */
} mt_coarse_cell;

typedef struct mt_coarse_node {
    int32_t at[3];
    uint32_t cell[8]; /* those of which it is the k-th corner */
    uint32_t beside[27];
    float a[27], over; /* its row of A; 1 over the sum of its sizes: with that Jacobi never overshoots */
    float x, residual;
} mt_coarse_node;

typedef struct mt_coarse {
    mt_array cells, nodes, cell_table, node_table; /* uint32_t: where they are, by their coordinates */
    mt_array cell_of, slots;                       /* uint32_t a slot: its cell; particles by cells */
    mt_array step[2];                              /* float a node: what the last two sweeps changed */
    uint32_t cell_count, node_count;
} mt_coarse;

#endif
