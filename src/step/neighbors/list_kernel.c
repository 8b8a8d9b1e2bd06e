/* Neighbour lists: for each particle, who is within reach. A particle looks through the cells around it, row by
 * row along x: the cells of a row follow each other in rank order, so a row is one run of candidates, taken
 * eight at a time. Lists come out in rank order, whatever thread makes them. */
#include "base/simd.h"
#include "step/kernels.h"
#include "step/neighbors/cells.h"

#define CHUNK 256u /* rows that a worker takes at once */

typedef struct seeker {
    float x, y, z, reach;
    uint32_t slot, phase;
} seeker;

/* Appends the candidates of ranks [begin, end) that are within reach. A list that does not fit is
 * said to be longer than its capacity. */
LANE_FUNCTION uint32_t scan_run(const mt_list_job *job, const seeker *who, uint32_t begin, uint32_t end,
                                uint32_t *list, uint32_t count, uint32_t capacity)
{
    const mt_grid *grid = job->grid;
    const float *x = grid->x.data, *y = grid->y.data, *z = grid->z.data, *reach = grid->reach.data;
    const uint32_t *slot = grid->slot.data;
    for (uint32_t rank = begin; rank < end; rank += LANES) {
        lanes dx = lanes_load(x + rank) - lanes_all(who->x);
        lanes dy = lanes_load(y + rank) - lanes_all(who->y);
        lanes dz = lanes_load(z + rank) - lanes_all(who->z);
        lanes within = lanes_load(reach + rank) + lanes_all(who->reach);
        lane_index slots = lanes_load_index(slot + rank);
        lane_mask found = (dx * dx + dy * dy + dz * dz < within * within) &
                          (lane_mask)(lanes_iota() < lanes_all_index(end - rank)) &
                          (lane_mask)(slots != lanes_all_index(who->slot));
        uint32_t bits = lanes_bits(found);
        if (count + LANES <= capacity)
            count += lanes_compress(list + count, slots, bits);
        else if (bits != 0)
            return capacity + 1; /* too long: the caller makes room and comes again */
    }
    return count;
}

LANE_FUNCTION uint32_t scan_level(const mt_list_job *job, const mt_grid_level *level, const seeker *who,
                                  uint32_t *list, uint32_t count, uint32_t capacity)
{
    const uint32_t *cell_start = job->grid->cell_start.data;
    float range = who->reach + level->reach;
    mt_window wx = mt_window_of(who->x, range, level->inverse_cell, level->bits[0]);
    mt_window wy = mt_window_of(who->y, range, level->inverse_cell, level->bits[1]);
    mt_window wz = mt_window_of(who->z, range, level->inverse_cell, level->bits[2]);
    uint32_t width = 1u << level->bits[0];
    for (uint32_t kz = 0; kz < wz.count; kz++) {
        uint32_t cz = mt_wrap(wz.first + (int32_t)kz, level->bits[2]) << level->bits[1];
        for (uint32_t ky = 0; ky < wy.count; ky++) {
            uint32_t cy = mt_wrap(wy.first + (int32_t)ky, level->bits[1]);
            const uint32_t *row = cell_start + level->first_cell + ((cz | cy) << level->bits[0]);
            uint32_t cx = mt_wrap(wx.first, level->bits[0]);
            uint32_t straight = wx.count <= width - cx ? wx.count : width - cx;
            count = scan_run(job, who, row[cx], row[cx + straight], list, count, capacity);
            if (straight < wx.count) /* around the end of the table */
                count = scan_run(job, who, row[0], row[wx.count - straight], list, count, capacity);
        }
    }
    return count;
}

/* Keeps those that the phases let collide. */
static uint32_t filter(const mt_list_job *job, uint32_t phase, uint32_t *list, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < count; k++) {
        bool same_group = ((job->phase[list[k]] ^ phase) & MOTE_PHASE_GROUP_MASK) == 0;
        if (!same_group || (phase & job->phase[list[k]] & MOTE_PHASE_SELF_COLLIDE) != 0)
            list[kept++] = list[k];
    }
    return kept;
}

LANE_FUNCTION uint32_t find_neighbors(const mt_list_job *job, uint32_t slot, uint32_t *list, uint32_t capacity)
{
    const mt_grid *grid = job->grid;
    if (slot >= job->count || job->velocity[slot].w == 0)
        return 0;
    mote_vec4 at = job->where[slot];
    seeker who = {at.x, at.y, at.z, job->position[slot].w * grid->reach_factor, slot, 0};
    uint32_t count = 0;
    for (uint32_t l = 0; l < grid->level_count; l++)
        if (grid->levels[l].count > 0)
            count = scan_level(job, &grid->levels[l], &who, list, count, capacity);
    if (job->phase != NULL && count <= capacity)
        count = filter(job, job->phase[slot], list, count);
    return count;
}

/* Rows for a slice from the worker's own supply; job->row_capacity or more if there are none left. */
static uint32_t take_rows(mt_list_job *job, uint32_t worker, uint32_t count)
{
    if (job->worker[worker].end - job->worker[worker].next < count) {
        uint32_t chunk = count > CHUNK ? count : CHUNK;
        job->worker[worker].next = atomic_fetch_add_explicit(&job->rows_used, chunk, memory_order_relaxed);
        job->worker[worker].end = job->worker[worker].next + chunk;
    }
    uint32_t first = job->worker[worker].next;
    job->worker[worker].next += count;
    return first;
}

/* Lists of eight lanes, one behind the other, become rows of eight. */
static void write_rows(const mt_list_job *job, uint32_t *rows, uint32_t row_count, const uint32_t *list,
                       const uint32_t length[LANES])
{
    uint32_t capacity = job->lists->lane_capacity;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const uint32_t *from = list + (size_t)lane * capacity;
        for (uint32_t k = 0; k < length[lane]; k++)
            rows[k * LANES + lane] = from[k];
        for (uint32_t k = length[lane]; k < row_count; k++)
            rows[k * LANES + lane] = job->dummy;
    }
}

void MT_KERNEL(list)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    mt_list_job *job = context;
    mt_lists *lists = job->lists;
    uint32_t capacity = lists->lane_capacity;
    uint32_t *list = (uint32_t *)lists->lane_scratch.data + (size_t)worker * LANES * capacity;
    for (uint32_t slice = begin; slice < end; slice++) {
        uint32_t length[LANES], longest = 0;
        size_t entries = 0;
        for (uint32_t lane = 0; lane < LANES; lane++) {
            length[lane] = find_neighbors(job, slice * LANES + lane, list + (size_t)lane * capacity, capacity);
            longest = length[lane] > longest ? length[lane] : longest;
            entries += length[lane];
        }
        if (longest > job->worker[worker].longest)
            job->worker[worker].longest = longest;
        uint32_t first = longest <= capacity ? take_rows(job, worker, longest) : 0;
        bool fits = longest <= capacity && first + longest <= job->row_capacity;
        ((uint32_t *)lists->start.data)[slice] = fits ? first : 0;
        ((uint32_t *)lists->length.data)[slice] = fits ? longest : 0;
        job->worker[worker].entries += entries;
        if (fits)
            write_rows(job, (uint32_t *)lists->rows.data + (size_t)first * LANES, longest, list, length);
    }
}
