/* Mending neighbour lists. In a pile on which fast bodies fall, most particles stay within the slack of their
 * lists for a whole step, and some do not: those that fall, and those that are hit. Making all lists anew for
 * the sake of these costs as much as the first time. Instead new lists are made for who has left its slack and
 * for those whom it came near; the other lists stay. Clusters are made anew for that; a loose particle is taken
 * out of the grid and sorted into a small one of its own. A list names particles of clusters, then loose ones
 * that never moved on, then those that did, each in the order of cells, so it is the same for any number of
 * threads. */
#include "step/neighbors/neighbors.h"
#include "step/neighbors/plan.h"
#include "world/check.h"

#include <string.h>

#define BLOCK_RANKS (MT_BLOCK * MT_SLICE)

typedef struct mend_job {
    const mt_scratch *scratch;
    const mt_substep *s;
    mt_grid_bounds *bounds; /* a block: of who stays in the grid */
} mend_job;

/* How many have left their slack now. */
static uint32_t count_left(const mt_movers *m, uint32_t slices)
{
    const uint8_t *left = m->left.data;
    uint32_t count = 0;
    for (uint32_t slice = 0; slice < slices; slice += 8) { /* eight slices at a time */
        uint64_t bits = 0;
        memcpy(&bits, left + slice, slices - slice < 8 ? slices - slice : 8);
        count += (uint32_t)__builtin_popcountll(bits);
    }
    return count;
}

/* Loose ones that have left their slack, now or before in this step; in the order of slots. */
static uint32_t collect(const mote_world *world, mt_movers *m, uint32_t slices)
{
    const uint8_t *left = m->left.data;
    const uint32_t *bodies = world->scratch->bodies.membership.data;
    uint8_t *moved = m->moved.data;
    uint32_t *slots = m->slots.data, count = 0;
    for (uint32_t slice = 0; slice < slices; slice++) {
        moved[slice] |= left[slice];
        for (uint32_t bits = moved[slice]; bits != 0; bits &= bits - 1) {
            slots[count] = slice * MT_SLICE + (uint32_t)__builtin_ctz(bits);
            count += bodies[slots[count]] == 0;
        }
    }
    return count;
}

/* The lists of those that left their slack are for where they are now, beside the drift of all. */
static void note_left(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mend_job *job = context;
    const uint8_t *left = job->scratch->movers.left.data;
    const mote_vec3 drift = job->s->drift;
    mote_vec4 *built_at = job->scratch->lists.built_at.data;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++)
        for (uint32_t bits = left[slice]; bits != 0; bits &= bits - 1) {
            uint32_t slot = slice * MT_SLICE + (uint32_t)__builtin_ctz(bits);
            mote_vec4 now = job->s->predicted[slot];
            built_at[slot] = (mote_vec4){now.x - drift.x, now.y - drift.y, now.z - drift.z, built_at[slot].w};
        }
}

static void note_movers(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mend_job *job = context;
    const mt_movers *m = &job->scratch->movers;
    const mote_vec4 *built_at = job->scratch->lists.built_at.data;
    mote_vec4 *where = m->where.data;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        uint32_t slot = ((const uint32_t *)m->slots.data)[k];
        where[k] = (mote_vec4){built_at[slot].x, built_at[slot].y, built_at[slot].z, job->s->predicted[slot].w};
    }
}

static void stretch(mt_grid_bounds *b, int axis, float value)
{
    b->min[axis] = value < b->min[axis] ? value : b->min[axis];
    b->max[axis] = value > b->max[axis] ? value : b->max[axis];
}

/* Nobody finds them any more where they were. */
static void take_out(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mend_job *job = context;
    const mt_grid *grid = &job->scratch->grid;
    const uint8_t *moved = job->scratch->movers.moved.data;
    mt_grid_bounds stay = {{MT_FAR, MT_FAR, MT_FAR}, {-MT_FAR, -MT_FAR, -MT_FAR}, 0.0f, 0.0f, 0.0f};
    float *x = grid->x.data;
    const float *y = grid->y.data, *z = grid->z.data;
    (void)worker;
    for (uint32_t rank = begin; rank < end; rank++) {
        uint32_t slot = ((const uint32_t *)grid->slot.data)[rank];
        if ((moved[slot / MT_SLICE] >> slot % MT_SLICE & 1u) != 0) {
            x[rank] = MT_FAR;
            continue;
        }
        stretch(&stay, 0, x[rank]);
        stretch(&stay, 1, y[rank]);
        stretch(&stay, 2, z[rank]);
    }
    job->bounds[begin / BLOCK_RANKS] = stay;
}

/* The box of who stays: those that fall from above it need not look there. */
static void narrow(mt_grid *grid, const mt_grid_bounds *blocks, uint32_t block_count)
{
    mt_grid_bounds all = blocks[0];
    for (uint32_t block = 1; block < block_count; block++)
        for (int axis = 0; axis < 3; axis++) {
            all.min[axis] = fminf(all.min[axis], blocks[block].min[axis]);
            all.max[axis] = fmaxf(all.max[axis], blocks[block].max[axis]);
        }
    memcpy(grid->low, all.min, sizeof grid->low);
    memcpy(grid->high, all.max, sizeof grid->high);
}

/* Fills the last slice of the movers. */
static void pad_movers(mt_movers *m, uint32_t count)
{
    for (uint32_t k = count; k < mt_slice_count(count) * MT_SLICE; k++)
        ((mote_vec4 *)m->where.data)[k] = (mote_vec4){MT_FAR, MT_FAR, MT_FAR, 0.0f};
}

/* Loose particles that have moved on go from the grid of all to one of their own. */
static mote_result move_loose(mote_world *world, mend_job *job)
{
    mt_scratch *scratch = world->scratch;
    uint32_t count = collect(world, &scratch->movers, job->s->slices);
    mt_parallel_for(&world->threads, count, BLOCK_RANKS, note_movers, job);
    mt_parallel_for(&world->threads, scratch->grid.count, BLOCK_RANKS, take_out, job);
    narrow(&scratch->grid, job->bounds, mt_block_count(mt_slice_count(scratch->grid.count)));
    pad_movers(&scratch->movers, count);
    return mt_grid_sort_movers(world, count);
}

mote_result mt_lists_mend(mote_world *world, const mt_substep *s, bool *mended)
{
    mt_scratch *scratch = world->scratch;
    mt_movers *m = &scratch->movers;
    *mended = false;
    if (!mt_lists_can_be_mended(world) || scratch->grid.plan.skin == 0)
        return MOTE_OK;
    if (count_left(m, s->slices) > s->count / 8 * 7) /* there is little to keep */
        return MOTE_OK;
    mend_job job = {scratch, s, scratch->block_bounds.data};
    mt_parallel_for(&world->threads, s->slices, MT_BLOCK, note_left, &job);
    m->grid.count = 0;
    if (scratch->grid.count > 0)
        MT_TRY(move_loose(world, &job));
    uint8_t *left = m->left.data, *reached = m->reached.data;
    MT_TRY(mt_clusters_move(world, scratch->lists.built_at.data, left));
    memset(reached, 0, s->slices);
    MT_TRY(mt_lists_rebuild(world, left, true));
    for (uint32_t slice = 0; slice < s->slices; slice++)
        reached[slice] = left[slice] == 0 ? reached[slice] : 0;
    MT_TRY(mt_lists_rebuild(world, reached, false));
    *mended = true;
    return MOTE_OK;
}
