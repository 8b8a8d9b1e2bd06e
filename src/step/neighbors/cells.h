/* Cells: from coordinates to entries of the wrapped table. */
#ifndef MOTE_STEP_NEIGHBORS_CELLS_H
#define MOTE_STEP_NEIGHBORS_CELLS_H

#include "step/scratch.h"

/* Cells further out than this share one coordinate. They stay correct, since distances decide, but get slow. */
#define MT_CELL_LIMIT 1e9f

/* The whole number below. */
static inline int32_t mt_cell_coordinate(float x, float inverse_cell)
{
    float cell = x * inverse_cell;
    cell = cell > -MT_CELL_LIMIT ? cell : -MT_CELL_LIMIT;
    cell = cell < MT_CELL_LIMIT ? cell : MT_CELL_LIMIT;
    int32_t whole = (int32_t)cell;
    return whole - (cell < (float)whole);
}

static inline uint32_t mt_wrap(int32_t coordinate, uint32_t bits)
{
    return (uint32_t)coordinate & ((1u << bits) - 1u);
}

/* Where a cell is in the table. Cells are kept in tiles of 8 x 8 x 8, x fastest within a tile, so that the
 * particles around a particle are near in memory in all three directions, and cells that follow each other
 * along x mostly do so in the table. An index is the sum of a part for x and a part for y and z. */
#define MT_TILE_BITS 3u
#define MT_TILE      (1u << MT_TILE_BITS)

static inline uint32_t mt_cell_x(uint32_t x)
{
    return (x % MT_TILE) | (x / MT_TILE) << (3 * MT_TILE_BITS);
}

static inline uint32_t mt_cell_yz(const mt_grid_level *level, uint32_t y, uint32_t z)
{
    uint32_t in_tile = (y % MT_TILE) << MT_TILE_BITS | (z % MT_TILE) << (2 * MT_TILE_BITS);
    uint32_t tile = (y / MT_TILE) << (level->bits[0] - MT_TILE_BITS) |
                    (z / MT_TILE) << (level->bits[0] + level->bits[1] - 2 * MT_TILE_BITS);
    return level->first_cell + (in_tile | tile << (3 * MT_TILE_BITS));
}

/* How many of `count` cells from x on follow each other in the table. */
static inline uint32_t mt_cells_in_tile(uint32_t x, uint32_t count)
{
    uint32_t rest = MT_TILE - x % MT_TILE;
    return count < rest ? count : rest;
}

/* The cells along one axis that a search touches; never one entry of the table twice. */
typedef struct mt_window {
    int32_t first;
    uint32_t count;
} mt_window;

static inline mt_window mt_window_between(float low, float high, float inverse_cell, uint32_t bits)
{
    int32_t first = mt_cell_coordinate(low, inverse_cell);
    int32_t last = mt_cell_coordinate(high, inverse_cell);
    uint32_t count = (uint32_t)(last - first) + 1u;
    uint32_t width = 1u << bits;
    return (mt_window){first, count < width ? count : width};
}

/* The level that a particle with this reach is on: each level takes those up to its own reach. */
static inline uint32_t mt_level_of(const mt_grid *grid, float reach)
{
    uint32_t level = 0;
    while (level + 1 < grid->level_count && reach <= grid->levels[level + 1].reach)
        level++;
    return level;
}

#endif
