/* Neighbour lists: for each particle, who is within reach. Particles that follow each other, up to eight of a
 * slice, look through the cells around them together, row by row along x: cells of a row follow each other in rank
 * order as long as they are in one tile, so a row is one run of candidates or two, taken eight at a time. Who
 * is near the group's box, and not of its family, is then held against each of the eight. Lists come out in
 * the order of cells, whatever thread makes them. */
#include "base/simd.h"
#include "step/kernels.h"
#include "step/neighbors/cells.h"
#include "step/neighbors/reach.h"

#define CHUNK       256u  /* rows that a worker takes at once */
#define BUFFER_SIZE 1024u /* candidates around a group; if there are more, each particle looks for itself */
#define MOST_WIDTH  8.0f  /* reaches: a group of particles is no wider */
#define NO_FAMILY   UINT32_MAX

typedef struct seeker {
    float x, y, z, reach;
    uint32_t slot;
    uint32_t family; /* as in grid->family; NO_FAMILY: none, or several */
} seeker;

typedef struct columns {
    const float *x, *y, *z, *reach;
    const uint32_t *slot, *family; /* family: NULL if there are no bodies */
} columns;

/* Who is around a group, side by side: what its particles look through. */
typedef struct candidates {
    uint32_t count;
    bool complete; /* all of them fitted */
    float x[BUFFER_SIZE + LANES], y[BUFFER_SIZE + LANES], z[BUFFER_SIZE + LANES], reach[BUFFER_SIZE + LANES];
    uint32_t slot[BUFFER_SIZE + LANES], family[BUFFER_SIZE + LANES];
} candidates;

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
    if (c.family != NULL) /* most of what a body's particle finds */
        found &= lanes_differ(lanes_load_index(c.family + at), lanes_all_index(who->family));
    return count + lanes_compress(list + count, slots, lanes_bits(found)); /* a jump would be guessed wrong */
}

LANE_FUNCTION columns columns_of(const mt_grid *grid)
{
    return (columns){grid->x.data,     grid->y.data,    grid->z.data,
                     grid->reach.data, grid->slot.data, grid->bodies ? grid->family.data : NULL};
}

/* Looks through ranks [begin, end). A list that does not fit is said to be longer than its capacity. */
LANE_FUNCTION uint32_t scan_run(const mt_grid *grid, const seeker *who, uint32_t begin, uint32_t end,
                                uint32_t *list, uint32_t count, uint32_t capacity)
{
    columns ranks = columns_of(grid);
    for (uint32_t rank = begin; rank < end; rank += LANES) {
        if (count + LANES > capacity)
            return capacity + 1; /* the caller makes room and comes again */
        lane_mask counted = (lane_mask)(lanes_iota() < lanes_all_index(end - rank));
        count = scan_eight(ranks, rank, who, counted, list, count);
    }
    return count;
}

static uint32_t scan_level(const mt_grid *grid, const mt_grid_level *level, const seeker *who, uint32_t *list,
                           uint32_t count, uint32_t capacity)
{
    const uint32_t *cell_start = grid->cell_start.data;
    float range = who->reach + level->reach, cell = level->inverse_cell;
    mt_window wx = mt_window_between(who->x - range, who->x + range, cell, level->bits[0]);
    mt_window wy = mt_window_between(who->y - range, who->y + range, cell, level->bits[1]);
    mt_window wz = mt_window_between(who->z - range, who->z + range, cell, level->bits[2]);
    for (uint32_t kz = 0; kz < wz.count; kz++) {
        uint32_t z = mt_wrap(wz.first + (int32_t)kz, level->bits[2]);
        for (uint32_t ky = 0; ky < wy.count; ky++) {
            const uint32_t *row =
                cell_start + mt_cell_yz(level, mt_wrap(wy.first + (int32_t)ky, level->bits[1]), z);
            for (uint32_t kx = 0, run; kx < wx.count; kx += run) {
                uint32_t x = mt_wrap(wx.first + (int32_t)kx, level->bits[0]);
                run = mt_cells_in_tile(x, wx.count - kx);
                count = scan_run(grid, who, row[mt_cell_x(x)], row[mt_cell_x(x) + run], list, count, capacity);
            }
        }
    }
    return count;
}

static uint32_t scan_grid(const mt_grid *grid, const seeker *who, uint32_t *list, uint32_t count,
                          uint32_t capacity)
{
    for (uint32_t l = 0; l < grid->level_count; l++)
        if (grid->levels[l].count > 0)
            count = scan_level(grid, &grid->levels[l], who, list, count, capacity);
    return count;
}

/* ---- groups: particles of a slice that are near each other ---------------------------------------------- */

/* The box of some particles of a slice, and how far they reach. */
typedef struct group {
    float low[3], high[3], reach;
    uint32_t lanes;  /* bits */
    uint32_t family; /* if it is that of all of them; else NO_FAMILY */
} group;

/* Eight particles that look for neighbours, field by field. */
typedef struct seekers {
    float x[LANES], y[LANES], z[LANES], reach[LANES];
    uint32_t first_slot, family[LANES];
    uint32_t alive; /* bits of those that do look */
    uint32_t fixed; /* of these, who needs no list, but others must know of it */
} seekers;

static seeker seeker_of(const seekers *who, uint32_t lane)
{
    return (seeker){who->x[lane],     who->y[lane],           who->z[lane],
                    who->reach[lane], who->first_slot + lane, who->family[lane]};
}

static group group_of(const seeker *one, uint32_t lane)
{
    return (group){{one->x, one->y, one->z}, {one->x, one->y, one->z}, one->reach, 1u << lane, one->family};
}

/* Takes a particle in, if the group then is still no wider than `most`. */
static bool join(group *g, const seeker *one, uint32_t lane, float most)
{
    const float at[3] = {one->x, one->y, one->z};
    group grown = *g;
    for (int axis = 0; axis < 3; axis++) {
        grown.low[axis] = at[axis] < g->low[axis] ? at[axis] : g->low[axis];
        grown.high[axis] = at[axis] > g->high[axis] ? at[axis] : g->high[axis];
        if (!(grown.high[axis] - grown.low[axis] <= most))
            return false;
    }
    grown.reach = one->reach > g->reach ? one->reach : g->reach;
    grown.family = one->family == g->family ? g->family : NO_FAMILY;
    grown.lanes |= 1u << lane;
    *g = grown;
    return true;
}

LANE_FUNCTION float least_of(const float *values, lane_mask alive)
{
    return lanes_least(lanes_select(alive, lanes_load(values), lanes_all(MT_FAR)));
}

LANE_FUNCTION float largest_of(const float *values, lane_mask alive)
{
    return lanes_largest(lanes_select(alive, lanes_load(values), lanes_all(-MT_FAR)));
}

/* All of a slice at once. */
LANE_FUNCTION group group_of_all(const seekers *who)
{
    lane_mask alive = lanes_of_bits(who->alive);
    group g = {{least_of(who->x, alive), least_of(who->y, alive), least_of(who->z, alive)},
               {largest_of(who->x, alive), largest_of(who->y, alive), largest_of(who->z, alive)},
               largest_of(who->reach, alive),
               who->alive,
               who->family[__builtin_ctz(who->alive)]};
    lane_mask other = lanes_differ(lanes_load_index(who->family), lanes_all_index(g.family));
    if (lanes_bits(other & alive) != 0)
        g.family = NO_FAMILY;
    return g;
}

/* How far a place is outside of a box along an axis. Rounded like the distance to each particle in the box, so
 * it is never larger than that. */
LANE_FUNCTION lanes outside(const group *box, int axis, lanes x)
{
    return lanes_max(lanes_max(lanes_all(box->low[axis]) - x, x - lanes_all(box->high[axis])), lanes_all(0.0f));
}

/* Keeps those of ranks [begin, end) that are near the box and not of its family. */
LANE_FUNCTION void gather_run(columns ranks, const group *box, uint32_t begin, uint32_t end, candidates *near)
{
    uint32_t to = near->count;
    for (uint32_t rank = begin; rank < end; rank += LANES) {
        if (to + LANES > BUFFER_SIZE) {
            near->complete = false;
            return;
        }
        lanes x = lanes_load(ranks.x + rank), y = lanes_load(ranks.y + rank), z = lanes_load(ranks.z + rank);
        lanes reach = lanes_load(ranks.reach + rank), within = reach + lanes_all(box->reach);
        lanes dx = outside(box, 0, x), dy = outside(box, 1, y), dz = outside(box, 2, z);
        lane_mask kept = (lane_mask)(lanes_iota() < lanes_all_index(end - rank));
        kept &= lanes_below(dx * dx + dy * dy + dz * dz, within * within);
        if (ranks.family != NULL)
            kept &= lanes_differ(lanes_load_index(ranks.family + rank), lanes_all_index(box->family));
        uint32_t bits = lanes_bits(kept);
        if (bits == 0)
            continue;
        lanes_compress((uint32_t *)(near->x + to), (lane_index)x, bits);
        lanes_compress((uint32_t *)(near->y + to), (lane_index)y, bits);
        lanes_compress((uint32_t *)(near->z + to), (lane_index)z, bits);
        lanes_compress((uint32_t *)(near->reach + to), (lane_index)reach, bits);
        if (ranks.family != NULL)
            lanes_compress(near->family + to, lanes_load_index(ranks.family + rank), bits);
        to += lanes_compress(near->slot + to, lanes_load_index(ranks.slot + rank), bits);
    }
    near->count = to;
}

static void gather_level(const mt_grid *grid, const mt_grid_level *level, const group *box, candidates *near)
{
    const uint32_t *cell_start = grid->cell_start.data;
    columns ranks = columns_of(grid);
    float range = box->reach + level->reach, cell = level->inverse_cell;
    mt_window wx = mt_window_between(box->low[0] - range, box->high[0] + range, cell, level->bits[0]);
    mt_window wy = mt_window_between(box->low[1] - range, box->high[1] + range, cell, level->bits[1]);
    mt_window wz = mt_window_between(box->low[2] - range, box->high[2] + range, cell, level->bits[2]);
    for (uint32_t kz = 0; near->complete && kz < wz.count; kz++) {
        uint32_t z = mt_wrap(wz.first + (int32_t)kz, level->bits[2]);
        for (uint32_t ky = 0; ky < wy.count; ky++) {
            const uint32_t *row =
                cell_start + mt_cell_yz(level, mt_wrap(wy.first + (int32_t)ky, level->bits[1]), z);
            for (uint32_t kx = 0, run; kx < wx.count; kx += run) {
                uint32_t x = mt_wrap(wx.first + (int32_t)kx, level->bits[0]);
                run = mt_cells_in_tile(x, wx.count - kx);
                gather_run(ranks, box, row[mt_cell_x(x)], row[mt_cell_x(x) + run], near);
            }
        }
    }
}

/* Whether all in a grid are too far from a group. */
static bool is_beyond(const mt_grid *grid, const group *box)
{
    float range = box->reach + grid->levels[0].reach;
    for (int axis = 0; axis < 3; axis++)
        if (box->low[axis] - range > grid->high[axis] || box->high[axis] + range < grid->low[axis])
            return true;
    return false;
}

static void gather_grid(const mt_grid *grid, const group *box, candidates *near)
{
    if (is_beyond(grid, box))
        return;
    for (uint32_t l = 0; near->complete && l < grid->level_count; l++)
        if (grid->levels[l].count > 0)
            gather_level(grid, &grid->levels[l], box, near);
}

static void gather_around(const mt_list_job *job, const group *box, candidates *near)
{
    near->count = 0;
    near->complete = true;
    gather_grid(job->grid, box, near);
    if (job->second != NULL)
        gather_grid(job->second, box, near);
    lanes_store(near->x + near->count, lanes_all(MT_FAR));
    lanes_store(near->reach + near->count, lanes_all(0.0f));
}

/* ---- who does not collide ------------------------------------------------------------------------------ */

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

/* Whether a body has a truce with one that a particle is in. */
static bool has_truce(const mt_list_job *job, uint32_t body, uint32_t other)
{
    for (uint32_t k = job->truce_start[body]; k < job->truce_start[body + 1]; k++) {
        uint32_t entry = job->truces[k] + 1;
        if (other < MT_SHARED ? other == entry : is_shared_in(job->shared, other, entry))
            return true;
    }
    return false;
}

/* Whether the bodies of two particles do not collide until they are apart. */
static bool have_truce(const mt_list_job *job, uint32_t a, uint32_t b)
{
    if (a < MT_SHARED)
        return has_truce(job, a - 1, b);
    const mt_shared *shared = (const mt_shared *)job->shared->shared.data + (a & ~MT_SHARED);
    const uint32_t *bodies = (const uint32_t *)job->shared->shared_bodies.data + shared->first_body;
    for (uint32_t k = 0; k < shared->bodies; k++)
        if (has_truce(job, bodies[k], b))
            return true;
    return false;
}

/* Whether two particles are in one body, or in two that do not collide. */
static bool are_one(const mt_list_job *job, uint32_t i, uint32_t j)
{
    uint32_t a = job->bodies[i], b = job->bodies[j];
    if (a == 0 || b == 0)
        return false;
    if (job->truce_start != NULL && have_truce(job, a, b))
        return true;
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

/* ---- lists --------------------------------------------------------------------------------------------- */

LANE_FUNCTION void make_seekers(const mt_list_job *job, uint32_t slice, seekers *who)
{
    uint32_t i = slice * LANES;
    lanes4 at = lanes_load4(job->where + i), v = lanes_load4(job->velocity + i);
    lanes radius = lanes_load4(job->size + i).w;
    lanes_store(who->x, at.x);
    lanes_store(who->y, at.y);
    lanes_store(who->z, at.z);
    lanes_store(who->reach, lanes_reach(&job->grid->plan, radius, v));
    who->first_slot = i;
    lane_index none = lanes_all_index(NO_FAMILY);
    lane_index family = job->families != NULL ? lanes_load_index(job->families + i) : none;
    lane_mask has = lanes_differ(family, lanes_all_index(0));
    lanes_store_index(who->family, (family & (lane_index)has) | (none & ~(lane_index)has));
    who->alive = lanes_bits(lanes_above(v.w, lanes_all(0.0f)));
    if (job->count - i < LANES)
        who->alive &= (1u << (job->count - i)) - 1u;
    who->fixed = job->left != NULL ? job->left[slice] & ~who->alive : 0u;
    who->alive |= who->fixed;
}

LANE_FUNCTION uint32_t scan_candidates(const mt_list_job *job, const seeker *who, const candidates *near,
                                       uint32_t *list, uint32_t capacity)
{
    columns around = {near->x,     near->y,    near->z,
                      near->reach, near->slot, job->grid->bodies ? near->family : NULL};
    uint32_t count = 0;
    if (near->count + LANES > capacity)
        return capacity + 1;
    for (uint32_t at = 0; at < near->count; at += LANES)
        count = scan_eight(around, at, who, lanes_iota() < lanes_all_index(LANES), list, count);
    return count;
}

static uint32_t find_neighbors(const mt_list_job *job, const seeker *who, const candidates *near,
                               uint32_t *list, uint32_t capacity)
{
    uint32_t count = 0;
    if (near->complete)
        count = scan_candidates(job, who, near, list, capacity);
    else {
        count = scan_grid(job->grid, who, list, count, capacity);
        if (job->second != NULL)
            count = scan_grid(job->second, who, list, count, capacity);
    }
    if (job->phase != NULL && count <= capacity)
        count = filter(job, who->slot, list, count);
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

/* Lists of eight lanes, one behind the other, become rows of eight: four rows at a time. Their places behind
 * the last are filled up with the dummy, for which there is room. */
LANE_FUNCTION void write_rows(const mt_list_job *job, uint32_t *rows, uint32_t row_count, uint32_t *list,
                              const uint32_t length[LANES])
{
    uint32_t stride = mt_lane_stride(job->lists);
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t k = length[lane]; k < row_count; k += LANES)
            lanes_store_index(list + (size_t)lane * stride + k, lanes_all_index(job->dummy));
    for (uint32_t k = 0; k < row_count; k += 4) {
        lanes four[4];
        lanes_across((const float *)list + k, stride, four);
        for (uint32_t j = 0; j < 4 && k + j < row_count; j++)
            lanes_store((float *)rows + (size_t)(k + j) * LANES, four[j]);
    }
}

typedef struct slice_lists {
    uint32_t *list; /* of eight lanes, one behind the other */
    uint32_t length[LANES], longest;
    size_t entries;
} slice_lists;

/* Those in the list of who has left its slack get new lists as well. */
static void mark_reached(const mt_list_job *job, const uint32_t *list, uint32_t length)
{
    for (uint32_t k = 0; k < length; k++)
        atomic_store_explicit(&job->reached[list[k] / LANES], 1, memory_order_relaxed);
}

static void find_group(const mt_list_job *job, const seekers *who, const group *g, candidates *near,
                       slice_lists *out)
{
    uint32_t capacity = job->lists->lane_capacity;
    gather_around(job, g, near);
    if (near->complete && near->count == 0)
        return;
    for (uint32_t rest = g->lanes; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        seeker one = seeker_of(who, lane);
        uint32_t *list = out->list + (size_t)lane * mt_lane_stride(job->lists);
        uint32_t length = find_neighbors(job, &one, near, list, capacity);
        if (job->left != NULL && (job->left[one.slot / LANES] >> lane & 1u) != 0 && length <= capacity)
            mark_reached(job, list, length);
        if ((who->fixed >> lane & 1u) != 0)
            continue;
        out->length[lane] = length;
        out->longest = length > out->longest ? length : out->longest;
        out->entries += length;
    }
}

/* Group by group, where the eight are too far from each other to be one. */
static void find_apart(const mt_list_job *job, const seekers *who, float most, candidates *near,
                       slice_lists *out)
{
    uint32_t alive = who->alive, lane = (uint32_t)__builtin_ctz(alive);
    seeker one = seeker_of(who, lane);
    group g = group_of(&one, lane);
    for (alive &= alive - 1; alive != 0; alive &= alive - 1) {
        lane = (uint32_t)__builtin_ctz(alive);
        one = seeker_of(who, lane);
        if (join(&g, &one, lane, most))
            continue;
        find_group(job, who, &g, near, out);
        g = group_of(&one, lane);
    }
    find_group(job, who, &g, near, out);
}

static void find_slice(const mt_list_job *job, uint32_t slice, candidates *near, slice_lists *out)
{
    seekers who;
    make_seekers(job, slice, &who);
    if (who.alive == 0)
        return;
    group all = group_of_all(&who);
    float most = MOST_WIDTH * job->grid->levels[mt_level_of(job->grid, all.reach)].reach;
    if (all.high[0] - all.low[0] <= most && all.high[1] - all.low[1] <= most &&
        all.high[2] - all.low[2] <= most)
        find_group(job, &who, &all, near, out);
    else
        find_apart(job, &who, most, near, out);
}

void MT_KERNEL(list)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    mt_list_job *job = context;
    mt_lists *lists = job->lists;
    uint32_t capacity = lists->lane_capacity;
    uint32_t *list = (uint32_t *)lists->lane_scratch.data + (size_t)worker * LANES * mt_lane_stride(lists);
    candidates near;
    for (uint32_t slice = begin; slice < end; slice++) {
        if (job->only != NULL && job->only[slice] == 0)
            continue;
        slice_lists found = {.list = list};
        find_slice(job, slice, &near, &found);
        uint32_t longest = found.longest;
        if (longest > job->worker[worker].longest)
            job->worker[worker].longest = longest;
        uint32_t first = longest <= capacity ? take_rows(job, worker, longest) : 0;
        bool fits = longest <= capacity && first + longest <= job->row_capacity;
        ((uint32_t *)lists->start.data)[slice] = fits ? first : 0;
        ((uint32_t *)lists->length.data)[slice] = fits ? longest : 0;
        job->worker[worker].entries += found.entries;
        if (fits && longest > 0)
            write_rows(job, (uint32_t *)lists->rows.data + (size_t)first * LANES, longest, list, found.length);
    }
}
