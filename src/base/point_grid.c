#include "base/point_grid.h"

#include "base/sort.h"

#include <math.h>

#define MOST_CELLS 1048576.0 /* along an axis */
#define BITS       21        /* of a coordinate in a key */

void mt_point_grid_start(mt_point_grid *grid, mote_vec3 low, mote_vec3 high, double cell)
{
    const double widths[3] = {(double)high.x - (double)low.x, (double)high.y - (double)low.y,
                              (double)high.z - (double)low.z};
    for (int i = 0; i < 3; i++)
        cell = widths[i] > cell * MOST_CELLS ? widths[i] / MOST_CELLS : cell;
    grid->low = low;
    grid->cell = cell;
    grid->count = 0;
}

mt_grid_cell mt_point_grid_cell(const mt_point_grid *grid, mote_vec3 place)
{
    return (mt_grid_cell){(int32_t)floor(((double)place.x - (double)grid->low.x) / grid->cell),
                          (int32_t)floor(((double)place.y - (double)grid->low.y) / grid->cell),
                          (int32_t)floor(((double)place.z - (double)grid->low.z) / grid->cell)};
}

static uint64_t key_of(int32_t x, int32_t y, int32_t z)
{
    return (uint64_t)x << (2 * BITS) | (uint64_t)y << BITS | (uint64_t)z;
}

void mt_point_grid_put(mt_point_grid *grid, uint32_t point, mote_vec3 place)
{
    mt_grid_cell cell = mt_point_grid_cell(grid, place);
    grid->entries[grid->count++] = (mt_grid_entry){key_of(cell.x, cell.y, cell.z), point};
}

static int compare(const void *a, const void *b)
{
    const mt_grid_entry *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

void mt_point_grid_sort(mt_point_grid *grid)
{
    mt_merge_sort(grid->entries, grid->spare, grid->count, sizeof *grid->entries, compare);
}

/* The first entry whose key is not below. */
static uint32_t find(const mt_point_grid *grid, uint64_t key)
{
    uint32_t low = 0, high = grid->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (grid->entries[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void mt_point_grid_run(const mt_point_grid *grid, int32_t x, int32_t y, int32_t low_z, int32_t high_z,
                       uint32_t *begin, uint32_t *end)
{
    *begin = *end = 0;
    if (x < 0 || y < 0 || high_z < 0 || x > (int32_t)MOST_CELLS || y > (int32_t)MOST_CELLS)
        return;
    low_z = low_z > 0 ? low_z : 0;
    high_z = high_z < (int32_t)MOST_CELLS ? high_z : (int32_t)MOST_CELLS;
    *begin = *end = find(grid, key_of(x, y, low_z));
    uint64_t last = key_of(x, y, high_z);
    while (*end < grid->count && grid->entries[*end].key <= last)
        (*end)++;
}
