/* Clusters: the broad phase of bodies. A body's particles lie in memory as whole slices (order.c), and such a
 * slice is mostly a compact piece of the body that finds its neighbours as one: the box around it is held
 * against the boxes of other clusters, and only where two are near each other are their particles looked at,
 * eight at a time and straight from where they lie. What is left of bodies, less than a slice each, makes
 * smaller clusters. An object's clusters together are a pack, or several if it is large. Only packs are in a
 * grid: one that is alone, as those that fall are, finds that out for all its particles at once.
 *
 * There are far fewer clusters than particles, so they are made and sorted anew whenever lists are made, even
 * if it is for a few particles only. */
#include "step/kernels.h"
#include "step/neighbors/neighbors.h"
#include "world/check.h"

#include <math.h>
#include <string.h>

#define MOST_WIDTH 24.0f /* reaches: a pack is no wider */

/* ---- room ---------------------------------------------------------------------------------------------- */

static mote_result reserve(mote_world *world)
{
    mt_clusters *c = &world->scratch->clusters;
    size_t slices = mt_slice_count(world->particles.count), slots = slices * MT_SLICE;
    mt_array *const per_slot[] = {&c->x, &c->y, &c->z, &c->reach, &c->made, &c->pack_of};
    mt_array *const per_slice[] = {&c->first, &c->number, &c->alive};
    for (size_t i = 0; i < sizeof per_slot / sizeof per_slot[0]; i++)
        MT_TRY(mt_array_reserve(per_slot[i], &world->memory, slots, 0));
    for (size_t i = 0; i < sizeof per_slice / sizeof per_slice[0]; i++)
        MT_TRY(mt_array_reserve(per_slice[i], &world->memory, slices, 0));
    MT_TRY(mt_array_reserve(&c->kin_start, &world->memory, (size_t)world->bodies.count + 1, 0));
    return mt_array_reserve(&c->block_count, &world->memory, mt_block_count((uint32_t)slices), 0);
}

static mote_result reserve_table(mote_world *world, mt_box_table *table, size_t boxes)
{
    size_t needed = MT_BOX_COLUMNS * (boxes + MT_RANK_PADDING);
    MT_TRY(mt_array_reserve(&table->columns, &world->memory, needed, 0));
    table->stride = table->columns.capacity / MT_BOX_COLUMNS;
    return MOTE_OK;
}

/* Room for a little more than what there is, so that a steady world asks once. */
static mote_result reserve_packs(mote_world *world, uint32_t total)
{
    mt_clusters *c = &world->scratch->clusters;
    if (total <= c->order.capacity)
        return MOTE_OK;
    size_t most = (size_t)total + total / 4 + 64;
    mt_array *const per_pack[] = {&c->packs,      &c->pack_start, &c->pack_where,    &c->pack_state,
                                  &c->pack_lists, &c->grid.key,   &c->grid.own_reach};
    for (size_t i = 0; i < sizeof per_pack / sizeof per_pack[0]; i++)
        MT_TRY(mt_array_reserve(per_pack[i], &world->memory, most + MT_SLICE, 0));
    MT_TRY(reserve_table(world, &c->table, most));
    MT_TRY(reserve_table(world, &c->pack_table, most));
    return mt_array_reserve(&c->order, &world->memory, most, 0);
}

/* ---- packs --------------------------------------------------------------------------------------------- */

static const mt_cluster *made_at(const mt_clusters *c, uint32_t place)
{
    return (const mt_cluster *)c->made.data + place;
}

static uint32_t count_all(const mt_clusters *c, uint32_t blocks)
{
    uint32_t total = 0;
    for (uint32_t b = 0; b < blocks; b++)
        total += ((const uint32_t *)c->block_count.data)[b];
    return total;
}

/* Those of one kin together, in the order of slots. */
static void sort_by_kin(mt_clusters *c, uint32_t blocks, uint32_t bodies)
{
    const uint32_t *count = c->block_count.data;
    uint32_t *start = c->kin_start.data, *order = c->order.data, next = 0;
    memset(start, 0, ((size_t)bodies + 1) * sizeof *start);
    for (uint32_t b = 0; b < blocks; b++)
        for (uint32_t k = 0, at = b * MT_BLOCK * MT_SLICE; k < count[b]; k++, at++)
            start[made_at(c, at)->kin]++;
    for (uint32_t kin = 0; kin < bodies; kin++) {
        uint32_t here = start[kin];
        start[kin] = next;
        next += here;
    }
    for (uint32_t b = 0; b < blocks; b++)
        for (uint32_t k = 0, at = b * MT_BLOCK * MT_SLICE; k < count[b]; k++, at++)
            order[start[made_at(c, at)->kin]++] = at;
}

/* Takes a cluster in, if the pack then is not too wide. */
static bool join(mt_cluster *pack, const mt_cluster *cluster)
{
    mt_cluster grown = *pack;
    float width = 0.0f;
    if (pack->kin != cluster->kin)
        return false;
    for (int axis = 0; axis < 3; axis++) {
        float low = cluster->low[axis], high = cluster->high[axis];
        grown.low[axis] = low < pack->low[axis] ? low : pack->low[axis];
        grown.high[axis] = high > pack->high[axis] ? high : pack->high[axis];
        float wide = grown.high[axis] - grown.low[axis];
        width = wide > width ? wide : width;
    }
    grown.reach = cluster->reach > pack->reach ? cluster->reach : pack->reach;
    grown.family = cluster->family == pack->family ? pack->family : MT_FAMILY_NONE;
    if (!(width <= MOST_WIDTH * grown.reach))
        return false;
    *pack = grown;
    return true;
}

/* Fills the table of clusters, pack by pack. */
static uint32_t make_packs(mt_clusters *c, uint32_t total)
{
    const uint32_t *order = c->order.data;
    uint32_t *start = c->pack_start.data, *pack_of = c->pack_of.data, count = 0;
    mt_cluster *packs = c->packs.data;
    for (uint32_t k = 0; k < total; k++) {
        const mt_cluster *cluster = made_at(c, order[k]);
        if (count == 0 || k - start[count - 1] == MT_PACK || !join(&packs[count - 1], cluster)) {
            packs[count] = *cluster;
            packs[count].name = count;
            start[count++] = k;
        }
        mt_box_put(&c->table, k, cluster);
        pack_of[order[k]] = count - 1;
    }
    start[count] = total;
    return count;
}

/* The middle of each, and how far its particles are from there along an axis, at most, and reach. A little more,
 * for what is lost in rounding. */
static void place_packs(mt_clusters *c, uint32_t count)
{
    mote_vec4 *where = c->pack_where.data;
    for (uint32_t p = 0; p < count; p++) {
        const mt_cluster *pack = (const mt_cluster *)c->packs.data + p;
        float middle[3], most = 0.0f;
        for (int axis = 0; axis < 3; axis++) {
            middle[axis] = 0.5f * (pack->low[axis] + pack->high[axis]);
            float up = pack->high[axis] - middle[axis], down = middle[axis] - pack->low[axis];
            most = up > most ? up : most;
            most = down > most ? down : most;
        }
        where[p] = (mote_vec4){middle[0], middle[1], middle[2], 1.0001f * (most + pack->reach)};
    }
    for (uint32_t p = count; p < mt_slice_count(count) * MT_SLICE; p++)
        where[p] = (mote_vec4){MT_FAR, MT_FAR, MT_FAR, 0.0f};
}

mote_result mt_clusters_make(mote_world *world, const mote_vec4 *where, const mote_vec4 *size)
{
    mt_scratch *s = world->scratch;
    mt_clusters *c = &s->clusters;
    uint32_t slices = mt_slice_count(world->particles.count), blocks = mt_block_count(slices);
    MT_TRY(reserve(world));
    mt_cluster_job job = {.plan = &s->grid.plan,
                          .where = where,
                          .size = size,
                          .velocity = mt_velocities(world),
                          .bodies = s->bodies.membership.data,
                          .families = s->bodies.families.data,
                          .kin = s->bodies.kin.data,
                          .membership = &world->membership,
                          .count = world->particles.count,
                          .clusters = c};
    mt_parallel_for(&world->threads, slices, MT_BLOCK, world->kernels->clusters, &job);
    uint32_t total = count_all(c, blocks);
    MT_TRY(reserve_packs(world, total));
    sort_by_kin(c, blocks, world->bodies.count);
    uint32_t packs = make_packs(c, total);
    place_packs(c, packs);
    memset(c->pack_state.data, MT_PACK_UNKNOWN, packs);
    return mt_grid_sort_packs(world, packs);
}

/* ---- who is near --------------------------------------------------------------------------------------- */

void mt_packs_find(mote_world *world, const uint8_t *only)
{
    mt_clusters *c = &world->scratch->clusters;
    uint8_t *state = c->pack_state.data;
    const uint32_t *first = c->first.data, *pack_of = c->pack_of.data;
    uint32_t slices = mt_slice_count(world->particles.count);
    if (only == NULL)
        memset(state, MT_PACK_WANTED, c->grid.count);
    for (uint32_t slice = 0; only != NULL && slice < slices; slice++) {
        uint32_t number = only[slice] != 0 ? ((const uint8_t *)c->number.data)[slice] : 0;
        for (uint32_t k = 0; k < number; k++) {
            uint8_t *one = &state[pack_of[first[slice] + k]];
            *one = *one == MT_PACK_UNKNOWN ? MT_PACK_WANTED : *one;
        }
    }
    mt_parallel_for(&world->threads, c->grid.count, MT_BLOCK, world->kernels->packs, c);
}
