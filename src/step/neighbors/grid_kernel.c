/* The passes of the grid that look at every particle: the box around all of them, and the cell of each. */
#include "step/kernels.h"
#include "step/neighbors/cells.h"
#include "step/neighbors/reach.h"

/* ---- bounds -------------------------------------------------------------------------------------------- */

/* True for the slots of a slice that are particles. */
LANE_FUNCTION lane_mask particles_of(const mt_sort_job *job, uint32_t i)
{
    return (lane_mask)(lanes_iota() < lanes_all_index(job->count - i));
}

LANE_FUNCTION void stretch(lanes *low, lanes *high, lanes value, lane_mask real)
{
    *low = lanes_min(lanes_select(real, value, lanes_all(MT_FAR)), *low);
    *high = lanes_max(lanes_select(real, value, lanes_all(-MT_FAR)), *high);
}

void MT_KERNEL(bounds)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_sort_job *job = context;
    lanes low[5], high[5];
    (void)worker;
    for (int k = 0; k < 5; k++) {
        low[k] = lanes_all(MT_FAR);
        high[k] = lanes_all(-MT_FAR);
    }
    for (uint32_t slice = begin; slice < end; slice++) {
        uint32_t i = slice * LANES;
        lanes4 x = lanes_load4(job->where + i);
        lanes reach = lanes_reach(&job->grid->plan, x, x.w, lanes_load4(job->velocity + i));
        lane_mask real = particles_of(job, i);
        stretch(&low[0], &high[0], x.x, real);
        stretch(&low[1], &high[1], x.y, real);
        stretch(&low[2], &high[2], x.z, real);
        stretch(&low[3], &high[3], reach, real);
        stretch(&low[4], &high[4], x.w, real);
    }
    mt_grid_bounds *b = (mt_grid_bounds *)job->bounds + begin / MT_BLOCK;
    for (int k = 0; k < 3; k++) {
        b->min[k] = lanes_least(low[k]);
        b->max[k] = lanes_largest(high[k]);
    }
    b->min_reach = lanes_least(low[3]);
    b->most_reach = lanes_largest(high[3]);
    b->max_radius = lanes_largest(high[4]);
}

/* ---- keys ---------------------------------------------------------------------------------------------- */

/* As mt_cell_coordinate and mt_wrap. */
LANE_FUNCTION lane_index wrapped_cells(lanes x, float inverse_cell, uint32_t bits)
{
    lanes cell =
        lanes_min(lanes_max(x * lanes_all(inverse_cell), lanes_all(-MT_CELL_LIMIT)), lanes_all(MT_CELL_LIMIT));
    lane_mask whole = __builtin_convertvector(cell, lane_mask);
    whole += lanes_below(cell, __builtin_convertvector(whole, lanes));
    return (lane_index)whole & lanes_all_index((1u << bits) - 1u);
}

/* As mt_cell_x and mt_cell_yz. */
LANE_FUNCTION lane_index keys_in(const mt_grid_level *level, lanes4 at)
{
    lane_index x = wrapped_cells(at.x, level->inverse_cell, level->bits[0]);
    lane_index y = wrapped_cells(at.y, level->inverse_cell, level->bits[1]);
    lane_index z = wrapped_cells(at.z, level->inverse_cell, level->bits[2]);
    const lane_index in_tile = lanes_all_index(MT_TILE - 1), tile = lanes_all_index(MT_TILE_BITS);
    lane_index inside =
        (x & in_tile) | (y & in_tile) << tile | (z & in_tile) << lanes_all_index(2 * MT_TILE_BITS);
    lane_index which = x >> tile | (y >> tile) << lanes_all_index(level->bits[0] - MT_TILE_BITS) |
                       (z >> tile) << lanes_all_index(level->bits[0] + level->bits[1] - 2 * MT_TILE_BITS);
    return lanes_all_index(level->first_cell) + (inside | which << lanes_all_index(3 * MT_TILE_BITS));
}

void MT_KERNEL(keys)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_sort_job *job = context;
    const mt_grid *grid = job->grid;
    uint32_t *key = grid->key.data;
    float *reaches = grid->own_reach.data;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        uint32_t i = slice * LANES;
        lanes4 at = lanes_load4(job->where + i);
        lanes reach = lanes_reach(&grid->plan, at, at.w, lanes_load4(job->velocity + i));
        lane_index found = keys_in(&grid->levels[0], at);
        for (uint32_t l = 1; l < grid->level_count; l++) {
            lane_mask lower = lanes_at_most(reach, lanes_all(grid->levels[l].reach));
            if (lanes_bits(lower) == 0)
                break;
            lane_index here = keys_in(&grid->levels[l], at);
            found = (here & (lane_index)lower) | (found & ~(lane_index)lower);
        }
        lanes_store_index(key + i, found);
        lanes_store(reaches + i, reach);
    }
}
