/* Neighbour lists: for each particle, who is within reach. A particle looks through the cells around it, row
 * by row along x: cells of a row follow each other in rank order as long as they are in one tile, so a row
 * is one run of candidates or two, taken eight at a time. Lists come out in the order of cells, whatever
 * thread makes them. */
#include "base/simd.h"
#include "step/kernels.h"
#include "step/neighbors/cells.h"
#include "step/neighbors/plan.h"

#define CHUNK       256u /* rows that a worker takes at once */
#define BUFFER_SIZE 512u /* candidates around one cell; more are looked through where they are */
#define COPIED      MT_RANK_PADDING

typedef struct seeker {
    float x, y, z, reach;
    uint32_t slot;
    uint32_t body;          /* the one that it is in, as in `bodies`; UINT32_MAX: none, or several */
    const uint32_t *bodies; /* of all slots */
} seeker;

/* The particles in and around one cell, side by side. Those who look for neighbours from the same cell share
 * it. */
typedef struct candidates {
    bool filled;
    int32_t cell[3];
    uint32_t count;
    bool complete; /* all of them fitted */
    float x[BUFFER_SIZE + COPIED], y[BUFFER_SIZE + COPIED], z[BUFFER_SIZE + COPIED],
        reach[BUFFER_SIZE + COPIED];
    uint32_t slot[BUFFER_SIZE + COPIED];
} candidates;

typedef struct columns {
    const float *x, *y, *z, *reach;
    const uint32_t *slot;
} columns;

/* Eight candidates against one particle: appends the slots of those within reach. */
LANE_FUNCTION uint32_t scan_eight(columns c, uint32_t at, const seeker *who, lane_mask counted, uint32_t *list,
                                  uint32_t count)
{
    lanes dx = lanes_load(c.x + at) - lanes_all(who->x);
    lanes dy = lanes_load(c.y + at) - lanes_all(who->y);
    lanes dz = lanes_load(c.z + at) - lanes_all(who->z);
    lanes within = lanes_load(c.reach + at) + lanes_all(who->reach);
    lane_index slots = lanes_load_index(c.slot + at);
    lane_mask found = lanes_below(dx * dx + dy * dy + dz * dz, within * within) & counted &
                      lanes_differ(slots, lanes_all_index(who->slot));
    uint32_t bits = lanes_bits(found);
    if (who->body != UINT32_MAX) /* most of what a body's particle finds is its own body */
        for (uint32_t rest = bits; rest != 0; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            if (who->bodies[c.slot[at + lane]] == who->body)
                bits &= ~(1u << lane);
        }
    return bits != 0 ? count + lanes_compress(list + count, slots, bits) : count;
}

LANE_FUNCTION columns columns_of(const mt_grid *grid)
{
    return (columns){grid->x.data, grid->y.data, grid->z.data, grid->reach.data, grid->slot.data};
}

/* Looks through ranks [begin, end). A list that does not fit is said to be longer than its capacity. */
LANE_FUNCTION uint32_t scan_run(const mt_list_job *job, const seeker *who, uint32_t begin, uint32_t end,
                                uint32_t *list, uint32_t count, uint32_t capacity)
{
    columns ranks = columns_of(job->grid);
    for (uint32_t rank = begin; rank < end; rank += LANES) {
        if (count + LANES > capacity)
            return capacity + 1; /* the caller makes room and comes again */
        lane_mask counted = (lane_mask)(lanes_iota() < lanes_all_index(end - rank));
        count = scan_eight(ranks, rank, who, counted, list, count);
    }
    return count;
}

static uint32_t scan_level(const mt_list_job *job, const mt_grid_level *level, const seeker *who,
                           uint32_t *list, uint32_t count, uint32_t capacity)
{
    const uint32_t *cell_start = job->grid->cell_start.data;
    float range = who->reach + level->reach;
    mt_window wx = mt_window_of(who->x, range, level->inverse_cell, level->bits[0]);
    mt_window wy = mt_window_of(who->y, range, level->inverse_cell, level->bits[1]);
    mt_window wz = mt_window_of(who->z, range, level->inverse_cell, level->bits[2]);
    for (uint32_t kz = 0; kz < wz.count; kz++) {
        uint32_t z = mt_wrap(wz.first + (int32_t)kz, level->bits[2]);
        for (uint32_t ky = 0; ky < wy.count; ky++) {
            const uint32_t *row =
                cell_start + mt_cell_yz(level, mt_wrap(wy.first + (int32_t)ky, level->bits[1]), z);
            for (uint32_t kx = 0, run; kx < wx.count; kx += run) {
                uint32_t x = mt_wrap(wx.first + (int32_t)kx, level->bits[0]);
                run = mt_cells_in_tile(x, wx.count - kx);
                count = scan_run(job, who, row[mt_cell_x(x)], row[mt_cell_x(x) + run], list, count, capacity);
            }
        }
    }
    return count;
}

/* ---- a particle's own level: the 27 cells around it, gathered once for all particles of its cell
 * --------------- */

LANE_FUNCTION void copy_run(const mt_grid *grid, candidates *near, uint32_t begin, uint32_t end)
{
    columns ranks = columns_of(grid);
    uint32_t to = near->count;
    if (end - begin > BUFFER_SIZE - to) {
        near->complete = false;
        return;
    }
    near->count += end - begin;
    for (uint32_t rank = begin; rank < end;
         rank += LANES, to += LANES) { /* what is copied too much is overwritten */
        lanes_store(near->x + to, lanes_load(ranks.x + rank));
        lanes_store(near->y + to, lanes_load(ranks.y + rank));
        lanes_store(near->z + to, lanes_load(ranks.z + rank));
        lanes_store(near->reach + to, lanes_load(ranks.reach + rank));
        lanes_store_index(near->slot + to, lanes_load_index(ranks.slot + rank));
    }
}

static void gather_around(const mt_grid *grid, const mt_grid_level *level, candidates *near)
{
    const uint32_t *cell_start = grid->cell_start.data;
    uint32_t x = mt_wrap(near->cell[0] - 1, level->bits[0]);
    uint32_t first = mt_cell_x(x), run = mt_cells_in_tile(x, 3);
    uint32_t second = mt_cell_x(mt_wrap(near->cell[0] - 1 + (int32_t)run, level->bits[0]));
    near->count = 0;
    near->complete = true;
    for (int32_t dz = -1; dz <= 1; dz++) {
        uint32_t z = mt_wrap(near->cell[2] + dz, level->bits[2]);
        for (int32_t dy = -1; dy <= 1; dy++) {
            const uint32_t *row =
                cell_start + mt_cell_yz(level, mt_wrap(near->cell[1] + dy, level->bits[1]), z);
            copy_run(grid, near, row[first], row[first + run]);
            if (run < 3)
                copy_run(grid, near, row[second], row[second + 3 - run]);
        }
    }
    lanes_store(near->x + near->count, lanes_all(MT_FAR));
    lanes_store(near->reach + near->count, lanes_all(0.0f));
}

LANE_FUNCTION uint32_t scan_around(const mt_list_job *job, const mt_grid_level *level, const seeker *who,
                                   candidates *near, uint32_t *list, uint32_t count, uint32_t capacity)
{
    int32_t x = mt_cell_coordinate(who->x, level->inverse_cell);
    int32_t y = mt_cell_coordinate(who->y, level->inverse_cell);
    int32_t z = mt_cell_coordinate(who->z, level->inverse_cell);
    if (!near->filled || near->cell[0] != x || near->cell[1] != y || near->cell[2] != z) {
        near->filled = true;
        near->cell[0] = x;
        near->cell[1] = y;
        near->cell[2] = z;
        gather_around(job->grid, level, near);
    }
    if (!near->complete)
        return scan_level(job, level, who, list, count, capacity);
    if (count + near->count + LANES > capacity)
        return capacity + 1;
    columns around = {near->x, near->y, near->z, near->reach, near->slot};
    for (uint32_t at = 0; at < near->count; at += LANES)
        count = scan_eight(around, at, who, lanes_iota() < lanes_all_index(LANES), list, count);
    return count;
}

/* Whether a shared particle is in a body, or shares one with another. */
static bool is_shared_in(const mt_membership *m, uint32_t entry, uint32_t other)
{
    const mt_shared *shared = (const mt_shared *)m->shared.data + (entry & ~MT_SHARED);
    const uint32_t *bodies = (const uint32_t *)m->shared_bodies.data + shared->first_body;
    for (uint32_t k = 0; k < shared->bodies; k++)
        if (other < MT_SHARED ? other == bodies[k] + 1 : is_shared_in(m, other, bodies[k] + 1))
            return true;
    return false;
}

/* Whether two bodies do not collide because of a joint. */
static bool are_partners(const mt_list_job *job, uint32_t a, uint32_t b)
{
    for (uint32_t k = job->partner_start[a]; k < job->partner_start[a + 1]; k++)
        if (job->partners[k] == b)
            return true;
    return false;
}

/* Whether two particles are in one body, or in two that do not collide. */
static bool are_one(const mt_list_job *job, uint32_t i, uint32_t j)
{
    uint32_t a = job->bodies[i], b = job->bodies[j];
    if (a == 0 || b == 0)
        return false;
    if ((a | b) < MT_SHARED)
        return a == b || are_partners(job, a - 1, b - 1);
    return a >= MT_SHARED ? is_shared_in(job->shared, a, b) : is_shared_in(job->shared, b, a);
}

/* Keeps those that the phases let collide, and that are not in one body. */
static uint32_t filter(const mt_list_job *job, uint32_t slot, uint32_t *list, uint32_t count)
{
    uint32_t kept = 0, phase = job->phase[slot];
    for (uint32_t k = 0; k < count; k++) {
        bool same_group = ((job->phase[list[k]] ^ phase) & MOTE_PHASE_GROUP_MASK) == 0;
        if (same_group && (phase & job->phase[list[k]] & MOTE_PHASE_SELF_COLLIDE) == 0)
            continue;
        if (job->bodies == NULL || !are_one(job, slot, list[k]))
            list[kept++] = list[k];
    }
    return kept;
}

static uint32_t find_neighbors(const mt_list_job *job, uint32_t slot, candidates *near, uint32_t *list,
                               uint32_t capacity)
{
    const mt_grid *grid = job->grid;
    if (slot >= job->count || job->velocity[slot].w == 0)
        return 0;
    mote_vec4 at = job->where[slot];
    float reach = mt_reach(&grid->plan, at.w, job->velocity[slot]);
    seeker who = {at.x, at.y, at.z, reach, slot, UINT32_MAX, job->bodies};
    if (job->bodies != NULL && job->bodies[slot] != 0 && job->bodies[slot] < MT_SHARED)
        who.body = job->bodies[slot];
    uint32_t count = 0, own = mt_level_of(grid, reach);
    for (uint32_t l = 0; l < grid->level_count; l++) {
        const mt_grid_level *level = &grid->levels[l];
        if (level->count == 0)
            continue;
        count = l <= own ? scan_around(job, level, &who, &near[l], list, count, capacity)
                         : scan_level(job, level, &who, list, count, capacity);
    }
    if (job->phase != NULL && count <= capacity)
        count = filter(job, slot, list, count);
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
    candidates near[MT_MAX_LEVELS];
    for (uint32_t l = 0; l < MT_MAX_LEVELS; l++)
        near[l].filled = false;
    for (uint32_t slice = begin; slice < end; slice++) {
        uint32_t length[LANES], longest = 0;
        size_t entries = 0;
        for (uint32_t lane = 0; lane < LANES; lane++) {
            length[lane] =
                find_neighbors(job, slice * LANES + lane, near, list + (size_t)lane * capacity, capacity);
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
