/* The grid: which cell each particle is in, and the particles sorted by cell with a counting sort. O(n) in any
 * space: the table of cells has about twice as many entries as there are particles, and coordinates wrap around
 * in it. */
#include "step/kernels.h"
#include "step/neighbors/cells.h"
#include "step/neighbors/neighbors.h"
#include "step/neighbors/plan.h"
#include "world/check.h"

#include <math.h>
#include <string.h>

#define MIN_BITS    MT_TILE_BITS /* a table is at least one tile wide */
#define FAST_LEVELS 4u
#define PACK_CELLS  2.0f /* how wide cells of packs are, in their reaches */

_Static_assert(sizeof(mt_grid_bounds) <= MT_BLOCK_RECORD, "a block's record must hold it");

/* ---- bounds -------------------------------------------------------------------------------------------- */

static void grow(mt_grid_bounds *b, const mt_grid_bounds *by)
{
    for (int axis = 0; axis < 3; axis++) {
        b->min[axis] = by->min[axis] < b->min[axis] ? by->min[axis] : b->min[axis];
        b->max[axis] = by->max[axis] > b->max[axis] ? by->max[axis] : b->max[axis];
    }
    b->min_reach = by->min_reach < b->min_reach ? by->min_reach : b->min_reach;
    b->most_reach = by->most_reach > b->most_reach ? by->most_reach : b->most_reach;
    b->max_radius = by->max_radius > b->max_radius ? by->max_radius : b->max_radius;
}

static mt_grid_bounds nothing(void)
{
    return (mt_grid_bounds){{MT_FAR, MT_FAR, MT_FAR}, {-MT_FAR, -MT_FAR, -MT_FAR}, MT_FAR, 0.0f, 0.0f};
}

static mt_grid_bounds bounds_of_all(mt_sort_job *job)
{
    uint32_t slices = mt_slice_count(job->count);
    mt_parallel_for(&job->world->threads, slices, MT_BLOCK, job->world->kernels->bounds, job);
    mt_grid_bounds all = nothing();
    for (uint32_t i = 0; i < mt_block_count(slices); i++)
        grow(&all, &job->bounds[i]);
    return all;
}

/* ---- levels -------------------------------------------------------------------------------------------- */

static uint32_t bits_for(uint64_t value)
{
    uint32_t bits = 0;
    while ((UINT64_C(1) << bits) < value)
        bits++;
    return bits;
}

/* A table that covers the bounds, narrowed along its longest axis until it is small enough. */
static void size_level(mt_grid_level *level, const mt_grid_bounds *b, uint32_t budget_bits)
{
    for (int axis = 0; axis < 3; axis++) {
        int64_t low = mt_cell_coordinate(b->min[axis], level->inverse_cell);
        int64_t high = mt_cell_coordinate(b->max[axis], level->inverse_cell);
        uint32_t bits = bits_for((uint64_t)(high - low + 1));
        level->bits[axis] = bits > MIN_BITS ? bits : MIN_BITS;
    }
    while (level->bits[0] + level->bits[1] + level->bits[2] > budget_bits) {
        int longest = 0;
        for (int axis = 1; axis < 3; axis++)
            longest = level->bits[axis] > level->bits[longest] ? axis : longest;
        if (level->bits[longest] == MIN_BITS)
            break;
        level->bits[longest]--;
    }
}

/* The first levels are for those who reach further than the largest particle at rest, the next for reaches down
 * to half of that particle's (the plan's step), then down to a quarter, and so on. */
static void make_levels(mt_grid *grid, const mt_grid_bounds *b, uint32_t count)
{
    float base = b->max_radius * grid->plan.margin;
    base = (base > grid->plan.least ? base : grid->plan.least) + b->max_radius * grid->plan.skin;
    base = base > grid->plan.usual ? base : grid->plan.usual;
    uint32_t levels = 0;
    for (float reach = b->most_reach;
         reach > base && levels < FAST_LEVELS && (levels == 0 || reach > 1.25f * base); reach *= 0.7f)
        grid->levels[levels++].reach = reach;
    for (float reach = base; levels == 0 || (b->min_reach <= reach && levels < MT_MAX_LEVELS);
         reach *= grid->plan.step)
        grid->levels[levels++].reach = reach;
    uint64_t cells = levels == 1 ? 4 * (uint64_t)count : 8 * (uint64_t)count / levels;
    uint32_t budget = bits_for(cells + 64), first = 0;
    for (uint32_t l = 0; l < levels; l++) {
        mt_grid_level *level = &grid->levels[l];
        level->cell = grid->plan.cells * level->reach;
        level->inverse_cell = 1.0f / level->cell;
        size_level(level, b, budget);
        level->first_cell = first;
        first += 1u << (level->bits[0] + level->bits[1] + level->bits[2]);
    }
    grid->level_count = levels;
    grid->cell_count = first;
}

/* ---- sorting ------------------------------------------------------------------------------------------- */

/* The table is cut into one range of cells a worker. Each goes through all keys and takes care of those in its
 * range: no two write the same place, and the order within a cell is the order of the slots. */
static void range_of(const mt_sort_job *job, uint32_t range, uint32_t *low, uint32_t *high)
{
    *low = (uint32_t)((uint64_t)job->grid->cell_count * range / job->ranges);
    *high = (uint32_t)((uint64_t)job->grid->cell_count * (range + 1) / job->ranges);
}

/* Counts the particles of cell c at place c + 1. */
static void count_range(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    mt_sort_job *job = context;
    (void)worker;
    for (uint32_t range = begin; range < end; range++) {
        uint32_t low, high, total = 0;
        range_of(job, range, &low, &high);
        const uint32_t *key = job->grid->key.data;
        uint32_t *counts = (uint32_t *)job->grid->cell_start.data + 1;
        memset(counts + low, 0, (high - low) * sizeof *counts);
        for (uint32_t i = 0; i < job->count; i++) {
            if (key[i] - low < high - low) {
                counts[key[i]]++;
                total++;
            }
        }
        job->range_total[range] = total;
    }
}

/* As place_range does with particles. */
static void place_packs(const mt_sort_job *job, uint32_t low, uint32_t high)
{
    const mt_clusters *c = job->packs;
    const uint32_t *key = job->grid->key.data;
    uint32_t *place = (uint32_t *)job->grid->cell_start.data + 1;
    for (uint32_t i = 0; i < job->count; i++) {
        if (key[i] - low >= high - low)
            continue;
        const mt_pack_box *box = (const mt_pack_box *)c->boxes.data + i;
        float *to = (float *)c->table.data + place[key[i]]++;
        for (int axis = 0; axis < 3; axis++) {
            to[(size_t)axis * c->stride] = box->low[axis];
            to[(size_t)(3 + axis) * c->stride] = box->high[axis];
        }
        to[MT_BOX_REACH * c->stride] = box->reach;
        ((uint32_t *)to)[MT_BOX_FAMILY * c->stride] = box->family;
        ((uint32_t *)to)[MT_BOX_NUMBER * c->stride] = i;
    }
}

/* Turns counts into places and puts every particle into its place, which leaves at c + 1 the end of cell c. */
static void place_range(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    mt_sort_job *job = context;
    mt_grid *grid = job->grid;
    (void)worker;
    for (uint32_t range = begin; range < end; range++) {
        uint32_t low, high, next = job->range_first[range];
        range_of(job, range, &low, &high);
        uint32_t *place = (uint32_t *)grid->cell_start.data + 1;
        for (uint32_t cell = low; cell < high; cell++) {
            uint32_t count = place[cell];
            place[cell] = next;
            next += count;
        }
        if (job->packs != NULL) {
            place_packs(job, low, high);
            continue;
        }
        const uint32_t *key = grid->key.data;
        const float *own_reach = grid->own_reach.data;
        float *x = grid->x.data, *y = grid->y.data, *z = grid->z.data, *reach = grid->reach.data;
        uint32_t *slot = grid->slot.data, *family = grid->family.data;
        for (uint32_t i = 0; i < job->count; i++) {
            if (key[i] - low >= high - low)
                continue;
            uint32_t rank = place[key[i]]++;
            x[rank] = job->where[i].x;
            y[rank] = job->where[i].y;
            z[rank] = job->where[i].z;
            reach[rank] = own_reach[i];
            slot[rank] = job->slots != NULL ? job->slots[i] : i;
            if (grid->bodies)
                family[rank] = mt_family_of(job->world, slot[rank]);
        }
    }
}

/* A run is read up to sixteen at a time, so places behind the last are read as well. */
static void pad_ranks(mt_grid *grid, uint32_t count)
{
    for (uint32_t i = count; i < count + MT_RANK_PADDING; i++) {
        ((float *)grid->x.data)[i] = ((float *)grid->y.data)[i] = ((float *)grid->z.data)[i] = MT_FAR;
        ((float *)grid->reach.data)[i] = 0.0f;
        ((uint32_t *)grid->slot.data)[i] = count;
        ((uint32_t *)grid->family.data)[i] = 0;
    }
}

static mote_result sort(mt_sort_job *job)
{
    mote_world *world = job->world;
    mt_grid *grid = job->grid;
    uint32_t count = job->count;
    grid->count = count;
    if (count == 0) {
        grid->level_count = 0;
        return MOTE_OK;
    }
    job->bounds = world->scratch->block_bounds.data;
    job->ranges = world->threads.workers;
    mt_grid_bounds all = bounds_of_all(job);
    make_levels(grid, &all, count);
    memcpy(grid->low, all.min, sizeof grid->low);
    memcpy(grid->high, all.max, sizeof grid->high);
    /* Room for any number of levels at once, so that a world that changes its pace need not ask again. */
    size_t most_cells = 16 * job->most + 1024 * MT_MAX_LEVELS;
    MT_TRY(mt_array_reserve(&grid->cell_start, &world->memory, most_cells + 1, 0));
    mt_parallel_for(&world->threads, mt_slice_count(count), MT_BLOCK, world->kernels->keys, job);
    ((uint32_t *)grid->cell_start.data)[0] = 0;
    mt_parallel_for(&world->threads, job->ranges, 1, count_range, job);
    for (uint32_t range = 0, first = 0; range < job->ranges; first += job->range_total[range++])
        job->range_first[range] = first;
    mt_parallel_for(&world->threads, job->ranges, 1, place_range, job);
    if (job->packs == NULL)
        pad_ranks(grid, count);
    const uint32_t *start = grid->cell_start.data;
    for (uint32_t l = 0; l < grid->level_count; l++) {
        uint32_t end = l + 1 < grid->level_count ? grid->levels[l + 1].first_cell : grid->cell_count;
        grid->levels[l].count = start[end] - start[grid->levels[l].first_cell];
    }
    return MOTE_OK;
}

/* ---- who is sorted ------------------------------------------------------------------------------------- */

/* Loose particles, side by side. */
static mote_result gather_loose(mote_world *world, mt_sort_job *job)
{
    mt_scratch *s = world->scratch;
    uint32_t count = 0, all = world->particles.count;
    job->count = 0;
    if (s->bodies.edits == world->body_edits && s->bodies.slot_count == all)
        return MOTE_OK;
    size_t slots = (size_t)mt_slice_count(all) * MT_SLICE;
    MT_TRY(mt_array_reserve(&s->search.loose_slot, &world->memory, slots, 0));
    MT_TRY(mt_array_reserve(&s->search.loose_where, &world->memory, slots, 0));
    MT_TRY(mt_array_reserve(&s->search.loose_velocity, &world->memory, slots, 0));
    uint32_t *slot = s->search.loose_slot.data;
    mote_vec4 *where = s->search.loose_where.data, *velocity = s->search.loose_velocity.data;
    for (uint32_t i = s->search.in_sequence ? s->bodies.slot_count : 0; i < all; i++) {
        if (mt_body_of(world, i) != 0)
            continue;
        slot[count] = i;
        where[count] = job->where[i];
        velocity[count++] = job->velocity[i];
    }
    for (uint32_t k = count; k < mt_slice_count(count) * MT_SLICE; k++) {
        where[k] = (mote_vec4){MT_FAR, MT_FAR, MT_FAR, 0.0f};
        velocity[k] = (mote_vec4){0.0f, 0.0f, 0.0f, 0.0f};
    }
    job->count = count;
    job->slots = slot;
    job->where = where;
    job->velocity = velocity;
    return MOTE_OK;
}

mote_result mt_grid_sort(mote_world *world, const mote_vec4 *where, const mt_list_plan *plan)
{
    mt_grid *grid = &world->scratch->search.grid;
    uint32_t count = world->particles.count;
    mt_sort_job job = {.world = world, .grid = grid, .where = where, .count = count, .most = count};
    grid->plan = *plan;
    job.velocity = mt_list_velocities(world);
    grid->bodies = world->bodies.count > 0 && !mt_has_clusters(world);
    if (world->bodies.count > 0)
        MT_TRY(mt_families_find(world));
    if (mt_has_clusters(world))
        MT_TRY(gather_loose(world, &job));
    return sort(&job);
}

mote_result mt_grid_sort_packs(mote_world *world)
{
    mt_clusters *c = &world->scratch->search.clusters;
    mt_sort_job job = {.world = world,
                       .grid = &c->grid,
                       .where = c->where.data,
                       .velocity = c->where.data, /* not asked for */
                       .count = c->pack_count,
                       .most = c->packs.capacity,
                       .packs = c};
    c->grid.plan = (mt_list_plan){.margin = 1.0f, .cells = PACK_CELLS, .step = 0.25f};
    return sort(&job);
}
