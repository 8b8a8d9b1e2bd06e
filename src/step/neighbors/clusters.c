/* Clusters: the broad phase of bodies. A body's particles lie in memory as whole slices (order.c), and such a
 * slice is mostly a compact piece of the body that finds its neighbours as one: the box around it is held
 * against the boxes of other clusters, and only where two are near each other are their particles looked at,
 * eight at a time and straight from where they lie. What is left of bodies, less than a slice each, makes
 * smaller clusters. Clusters are an eighth as many as particles or little more, so they are made and sorted
 * anew whenever lists are made, even if it is for a few particles only. */
#include "step/kernels.h"
#include "step/neighbors/neighbors.h"
#include "world/check.h"

#include <math.h>

/* Room for a little more than what there is, so that a steady world asks once. */
static mote_result reserve_table(mote_world *world, uint32_t total)
{
    mt_clusters *c = &world->scratch->clusters;
    if (total <= c->where.capacity && c->stride != 0)
        return MOTE_OK;
    size_t most = (size_t)total + total / 4 + 64;
    c->stride = 0;
    MT_TRY(mt_array_reserve(&c->place, &world->memory, most, 0));
    MT_TRY(mt_array_reserve(&c->grid.key, &world->memory, most + MT_SLICE, 0));
    MT_TRY(mt_array_reserve(&c->grid.own_reach, &world->memory, most + MT_SLICE, 0));
    MT_TRY(mt_array_reserve(&c->columns, &world->memory, MT_CLUSTER_COLUMNS * (most + MT_RANK_PADDING), 0));
    MT_TRY(mt_array_reserve(&c->where, &world->memory, most + MT_SLICE, 0));
    c->stride = c->columns.capacity / MT_CLUSTER_COLUMNS;
    return MOTE_OK;
}

static mote_result reserve(mote_world *world)
{
    mt_clusters *c = &world->scratch->clusters;
    size_t slices = mt_slice_count(world->particles.count), slots = slices * MT_SLICE;
    mt_array *const per_slot[] = {&c->x, &c->y, &c->z, &c->reach, &c->made};
    mt_array *const per_slice[] = {&c->first, &c->number, &c->alive};
    for (size_t i = 0; i < sizeof per_slot / sizeof per_slot[0]; i++)
        MT_TRY(mt_array_reserve(per_slot[i], &world->memory, slots, 0));
    for (size_t i = 0; i < sizeof per_slice / sizeof per_slice[0]; i++)
        MT_TRY(mt_array_reserve(per_slice[i], &world->memory, slices, 0));
    return mt_array_reserve(&c->block_count, &world->memory, mt_block_count((uint32_t)slices) + 1, 0);
}

/* How far a cluster's particles are from its middle along an axis, at most, and how far they reach beyond that.
 * A little more, for what is lost in rounding. */
static float size_of(const mt_cluster *cluster, const float middle[3])
{
    float most = 0.0f;
    for (int axis = 0; axis < 3; axis++) {
        float up = cluster->high[axis] - middle[axis], down = middle[axis] - cluster->low[axis];
        most = up > most ? up : most;
        most = down > most ? down : most;
    }
    return 1.0001f * (most + cluster->reach);
}

/* block_count becomes the number of all clusters before a block. */
static uint32_t sum_blocks(mt_clusters *c, uint32_t blocks)
{
    uint32_t *count = c->block_count.data, total = 0;
    for (uint32_t b = 0; b < blocks; b++) {
        uint32_t here = count[b];
        count[b] = total;
        total += here;
    }
    count[blocks] = total;
    return total;
}

/* Brings the places of all together. */
static void put_blocks(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_clusters *c = context;
    const uint32_t *count = c->block_count.data;
    uint32_t *place = c->place.data;
    mote_vec4 *where = c->where.data;
    (void)worker;
    for (uint32_t block = begin; block < end; block++) {
        uint32_t from = block * MT_BLOCK * MT_SLICE;
        for (uint32_t k = count[block]; k < count[block + 1]; k++, from++) {
            const mt_cluster *cluster = (const mt_cluster *)c->made.data + from;
            float middle[3];
            for (int axis = 0; axis < 3; axis++)
                middle[axis] = 0.5f * (cluster->low[axis] + cluster->high[axis]);
            where[k] = (mote_vec4){middle[0], middle[1], middle[2], size_of(cluster, middle)};
            place[k] = from;
        }
    }
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
                          .count = world->particles.count,
                          .clusters = c};
    mt_parallel_for(&world->threads, slices, MT_BLOCK, world->kernels->clusters, &job);
    uint32_t total = sum_blocks(c, blocks);
    MT_TRY(reserve_table(world, total));
    mt_parallel_for(&world->threads, blocks, 1, put_blocks, c);
    for (uint32_t k = total; k < mt_slice_count(total) * MT_SLICE; k++)
        ((mote_vec4 *)c->where.data)[k] = (mote_vec4){MT_FAR, MT_FAR, MT_FAR, 0.0f};
    return mt_grid_sort_clusters(world, total);
}
