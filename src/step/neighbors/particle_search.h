/* Looking through a grid of particles for those near one particle, or near a group of them. */
#ifndef MOTE_STEP_NEIGHBORS_PARTICLE_SEARCH_H
#define MOTE_STEP_NEIGHBORS_PARTICLE_SEARCH_H

#include "base/simd.h"
#include "step/neighbors/cells.h"

#define BUFFER_SIZE 1024u /* candidates around a group; if there are more, each particle looks for itself */
#define NO_FAMILY   UINT32_MAX

typedef struct seeker {
    float x, y, z, reach;
    uint32_t slot;
    uint32_t family; /* as in grid->family; NO_FAMILY: none, or several */
    bool once;       /* only those that come later in memory are looked for */
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
LANE_FUNCTION uint32_t scan_eight(columns c, uint32_t at, lane_index slots, const seeker *who,
                                  lane_mask counted, uint32_t *list, uint32_t count)
{
    lanes dx = lanes_load(c.x + at) - lanes_all(who->x);
    lanes dy = lanes_load(c.y + at) - lanes_all(who->y);
    lanes dz = lanes_load(c.z + at) - lanes_all(who->z);
    lanes within = lanes_load(c.reach + at) + lanes_all(who->reach);
    lane_mask found = lanes_below(dx * dx + dy * dy + dz * dz, within * within) & counted;
    if (who->once) /* slots are below 2^31 */
        found &= (lane_mask)((lane_mask)slots > (lane_mask)lanes_all_index(who->slot));
    else
        found &= lanes_differ(slots, lanes_all_index(who->slot));
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
        count = scan_eight(ranks, rank, lanes_load_index(ranks.slot + rank), who, counted, list, count);
    }
    return count;
}

/* ---- cells --------------------------------------------------------------------------------------------- */

/* Ranks [begin, end): cells of a row that follow each other in the table. */
typedef void run_visit(void *context, uint32_t begin, uint32_t end);

/* All cells of a level that a box reaches, row by row along x. */
LANE_FUNCTION void visit_runs(const uint32_t *cell_start, const mt_grid_level *level, const float low[3],
                              const float high[3], float reach, run_visit *visit, void *context)
{
    mt_window window[3];
    for (int axis = 0; axis < 3; axis++) {
        float range = reach + level->reach;
        window[axis] =
            mt_window_between(low[axis] - range, high[axis] + range, level->inverse_cell, level->bits[axis]);
    }
    for (uint32_t kz = 0; kz < window[2].count; kz++) {
        uint32_t z = mt_wrap(window[2].first + (int32_t)kz, level->bits[2]);
        for (uint32_t ky = 0; ky < window[1].count; ky++) {
            const uint32_t *row =
                cell_start + mt_cell_yz(level, mt_wrap(window[1].first + (int32_t)ky, level->bits[1]), z);
            for (uint32_t kx = 0, run; kx < window[0].count; kx += run) {
                uint32_t x = mt_wrap(window[0].first + (int32_t)kx, level->bits[0]);
                run = mt_cells_in_tile(x, window[0].count - kx);
                visit(context, row[mt_cell_x(x)], row[mt_cell_x(x) + run]);
            }
        }
    }
}

/* ---- one particle -------------------------------------------------------------------------------------- */

typedef struct scan {
    const mt_grid *grid;
    const seeker *who;
    uint32_t *list, count, capacity;
} scan;

LANE_FUNCTION void scan_visit(void *context, uint32_t begin, uint32_t end)
{
    scan *s = context;
    s->count = scan_run(s->grid, s->who, begin, end, s->list, s->count, s->capacity);
}

static inline uint32_t scan_grid(const mt_grid *grid, const seeker *who, uint32_t *list, uint32_t count,
                                 uint32_t capacity)
{
    const float at[3] = {who->x, who->y, who->z};
    scan s = {grid, who, list, count, capacity};
    for (uint32_t l = 0; l < grid->level_count; l++)
        if (grid->levels[l].count > 0)
            visit_runs(grid->cell_start.data, &grid->levels[l], at, at, who->reach, scan_visit, &s);
    return s.count;
}

/* ---- groups: particles of a slice that are near each other ---------------------------------------------- */

/* The box of some particles of a slice, and how far they reach. */
typedef struct group {
    float low[3], high[3], reach;
    uint32_t lanes;  /* bits */
    uint32_t family; /* if it is that of all of them; else NO_FAMILY */
    uint32_t first;  /* rank from which on they look */
} group;

/* Eight particles that look for neighbours, field by field. */
typedef struct seekers {
    float x[LANES], y[LANES], z[LANES], reach[LANES];
    uint32_t first_slot, family[LANES];
    uint32_t alive; /* bits of those that do look */
    bool once;      /* as in seeker */
} seekers;

static inline seeker seeker_of(const seekers *who, uint32_t lane)
{
    return (seeker){who->x[lane],           who->y[lane],      who->z[lane], who->reach[lane],
                    who->first_slot + lane, who->family[lane], who->once};
}

static inline group group_of(const seeker *one, uint32_t lane)
{
    return (group){{one->x, one->y, one->z},     {one->x, one->y, one->z}, one->reach, 1u << lane, one->family,
                   one->once ? one->slot + 1 : 0};
}

/* Takes a particle in, if the group then is still no wider than `most`. */
static inline bool join(group *g, const seeker *one, uint32_t lane, float most)
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
               who->family[__builtin_ctz(who->alive)],
               who->once ? who->first_slot + (uint32_t)__builtin_ctz(who->alive) + 1 : 0};
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

/* Keeps those of eight that are near the box and not of its family. There must be room for them. */
LANE_FUNCTION uint32_t keep_near(columns c, uint32_t at, lane_index slots, lane_mask kept, const group *box,
                                 candidates *near, uint32_t to)
{
    lanes x = lanes_load(c.x + at), y = lanes_load(c.y + at), z = lanes_load(c.z + at);
    lanes reach = lanes_load(c.reach + at), within = reach + lanes_all(box->reach);
    lanes dx = outside(box, 0, x), dy = outside(box, 1, y), dz = outside(box, 2, z);
    kept &= lanes_below(dx * dx + dy * dy + dz * dz, within * within);
    if (c.family != NULL)
        kept &= lanes_differ(lanes_load_index(c.family + at), lanes_all_index(box->family));
    uint32_t bits = lanes_bits(kept); /* a jump if there are none would be guessed wrong */
    lanes_compress((uint32_t *)(near->x + to), (lane_index)x, bits);
    lanes_compress((uint32_t *)(near->y + to), (lane_index)y, bits);
    lanes_compress((uint32_t *)(near->z + to), (lane_index)z, bits);
    lanes_compress((uint32_t *)(near->reach + to), (lane_index)reach, bits);
    if (c.family != NULL)
        lanes_compress(near->family + to, lanes_load_index(c.family + at), bits);
    return to + lanes_compress(near->slot + to, slots, bits);
}

/* Runs are short, and where they end would be guessed wrong: so they are cut into eights first, and these are gone through
 * in one go. */
#define EIGHTS 256u /* that are kept */

typedef struct gathering {
    columns ranks;
    const group *box;
    candidates *near;
    uint32_t count;
    uint32_t begin[EIGHTS + LANES], end[EIGHTS + LANES]; /* of the eight; of their run */
} gathering;

LANE_FUNCTION void gather_eights(gathering *g)
{
    candidates *near = g->near;
    uint32_t to = near->count;
    for (uint32_t k = 0; k < g->count; k++) {
        if (to + LANES > BUFFER_SIZE) {
            near->complete = false;
            break;
        }
        uint32_t rank = g->begin[k];
        lane_mask counted = (lane_mask)(lanes_iota() < lanes_all_index(g->end[k] - rank));
        to = keep_near(g->ranks, rank, lanes_load_index(g->ranks.slot + rank), counted, g->box, near, to);
    }
    near->count = to;
    g->count = 0;
}

LANE_FUNCTION void gather_visit(void *context, uint32_t begin, uint32_t end)
{
    gathering *g = context;
    begin = begin > g->box->first ? begin : g->box->first;
    uint32_t eights = end > begin ? (end - begin + LANES - 1) / LANES : 0;
    for (;;) {
        lanes_store_index(g->begin + g->count, lanes_all_index(begin) + LANES * lanes_iota());
        lanes_store_index(g->end + g->count, lanes_all_index(end));
        g->count += eights < LANES ? eights : LANES;
        if (g->count > EIGHTS - LANES)
            gather_eights(g);
        if (eights <= LANES)
            return;
        eights -= LANES;
        begin += LANES * LANES;
    }
}

/* Whether all in a grid are too far from a group. */
static inline bool is_beyond(const mt_grid *grid, const group *box)
{
    float range = box->reach + grid->levels[0].reach;
    for (int axis = 0; axis < 3; axis++)
        if (box->low[axis] - range > grid->high[axis] || box->high[axis] + range < grid->low[axis])
            return true;
    return false;
}

/* What is looked through eight at a time ends with nobody. */
LANE_FUNCTION void pad_candidates(candidates *near)
{
    lanes_store(near->x + near->count, lanes_all(MT_FAR));
    lanes_store(near->y + near->count, lanes_all(0.0f));
    lanes_store(near->z + near->count, lanes_all(0.0f));
    lanes_store_index(near->slot + near->count, lanes_all_index(UINT32_MAX));
    lanes_store(near->reach + near->count, lanes_all(0.0f));
}

LANE_CALL void gather_grid(const mt_grid *grid, const group *box, candidates *near)
{
    if (grid->count == 0 || is_beyond(grid, box))
        return;
    gathering g; /* eights are not cleared */
    g.ranks = columns_of(grid);
    g.box = box;
    g.near = near;
    g.count = 0;
    for (uint32_t l = 0, end = 0; near->complete && l < grid->level_count; l++) {
        end += grid->levels[l].count;
        if (grid->levels[l].count > 0 && box->first < end)
            visit_runs(grid->cell_start.data, &grid->levels[l], box->low, box->high, box->reach, gather_visit,
                       &g);
    }
    gather_eights(&g);
}

#endif
