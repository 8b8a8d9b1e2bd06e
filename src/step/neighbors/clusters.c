/* Clusters: the broad phase of bodies. A body's particles lie in memory as whole slices (order.c), and such a
 * slice is mostly a compact piece of the body that finds its neighbours as one: the box around it is held
 * against the boxes of other clusters, and only where two are near each other are their particles looked at,
 * eight at a time and straight from where they lie. What is left of bodies, less than a slice each, makes
 * smaller clusters. An object's clusters together are a pack, or several if it is large. Only packs are in a
 * grid: one that is alone, as those that fall are, finds that out for all its particles at once.
 *
 * There are far fewer clusters than particles, so they are made and sorted anew whenever lists are made.
 * Which clusters make a pack hardly ever changes, so packs are kept from
 * step to step as long as making them would lead to the same ones. */
#include "step/kernels.h"
#include "step/neighbors/neighbors.h"
#include "step/neighbors/plan.h"
#include "world/check.h"

#include <math.h>
#include <string.h>

#define PACK_PIECE 8u /* packs that a thread takes at once: a pack may be a whole body */

#define MOST_WIDTH 24.0f /* reaches: a pack is no wider */

/* ---- room ---------------------------------------------------------------------------------------------- */

static mote_result reserve(mote_world *world)
{
    mt_clusters *c = &world->scratch->search.clusters;
    size_t slices = mt_slice_count(world->particles.count), slots = slices * MT_SLICE;
    mt_array *const per_slot[] = {&c->x, &c->y, &c->z, &c->reach, &c->made};
    mt_array *const per_slice[] = {&c->number, &c->alive};
    if (slots > c->made.capacity || slices > c->number.capacity)
        c->slices = 0; /* larger arrays are empty */
    for (size_t i = 0; i < sizeof per_slot / sizeof per_slot[0]; i++)
        MT_TRY(mt_array_reserve(per_slot[i], &world->memory, slots, 0));
    for (size_t i = 0; i < sizeof per_slice / sizeof per_slice[0]; i++)
        MT_TRY(mt_array_reserve(per_slice[i], &world->memory, slices, 0));
    return mt_array_reserve(&c->kin_start, &world->memory, world->bodies.count, 0);
}

/* Room for so many. A little more, so that a steady world asks once. */
static mote_result reserve_packs(mote_world *world, uint32_t clusters, uint32_t packs)
{
    mt_clusters *c = &world->scratch->search.clusters;
    c->slices = 0;
    if (clusters > c->order.capacity)
        MT_TRY(mt_array_reserve(&c->order, &world->memory, (size_t)clusters + clusters / 4 + 64, 0));
    if (packs <= c->lists.capacity)
        return MOTE_OK;
    size_t most = (size_t)packs + packs / 4 + 64;
    mt_array *const per_pack[] = {&c->packs, &c->boxes, &c->where, &c->grid.key, &c->grid.own_reach};
    for (size_t i = 0; i < sizeof per_pack / sizeof per_pack[0]; i++)
        MT_TRY(mt_array_reserve(per_pack[i], &world->memory, most + MT_SLICE, 0));
    MT_TRY(mt_array_reserve(&c->table, &world->memory, MT_BOX_COLUMNS * (most + MT_RANK_PADDING), 0));
    c->stride = c->table.capacity / MT_BOX_COLUMNS;
    return mt_array_reserve(&c->lists, &world->memory, most, 0);
}

/* ---- packs --------------------------------------------------------------------------------------------- */

/* Those of one kin together, in the order of slots. Answers how many there are. */
static mote_result sort_by_kin(mote_world *world, uint32_t *total)
{
    mt_clusters *c = &world->scratch->search.clusters;
    const uint8_t *number = c->number.data;
    const mt_cluster *made = c->made.data;
    uint32_t *start = c->kin_start.data, slices = mt_slice_count(world->particles.count), next = 0, kins = 0;
    memset(start, 0, world->bodies.count * sizeof *start);
    for (uint32_t slice = 0; slice < slices; slice++)
        for (uint32_t k = 0; k < number[slice]; k++)
            start[made[slice * MT_SLICE + k].kin]++;
    for (uint32_t kin = 0; kin < world->bodies.count; kin++) {
        uint32_t here = start[kin];
        start[kin] = next;
        next += here;
        kins += here > 0;
    }
    MT_TRY(reserve_packs(world, next, kins + next / MT_SLICE));
    for (uint32_t slice = 0; slice < slices; slice++)
        for (uint32_t k = 0; k < number[slice]; k++)
            ((uint32_t *)c->order.data)[start[made[slice * MT_SLICE + k].kin]++] = slice * MT_SLICE + k;
    *total = next;
    return MOTE_OK;
}

/* A box that takes clusters in. */
typedef struct span {
    float low[3], high[3], reach;
} span;

/* Takes a cluster in, if the box then is not too wide. */
static bool join(span *box, const mt_cluster *cluster)
{
    span grown = *box;
    float width = 0.0f;
    for (int axis = 0; axis < 3; axis++) {
        float low = cluster->low[axis], high = cluster->high[axis];
        grown.low[axis] = low < box->low[axis] ? low : box->low[axis];
        grown.high[axis] = high > box->high[axis] ? high : box->high[axis];
        float wide = grown.high[axis] - grown.low[axis];
        width = wide > width ? wide : width;
    }
    grown.reach = cluster->reach > box->reach ? cluster->reach : box->reach;
    if (!(width <= MOST_WIDTH * grown.reach))
        return false;
    *box = grown;
    return true;
}

/* Writes a cluster's box into its lane. */
static void put_box(mt_pack *pack, uint32_t lane, const mt_cluster *cluster)
{
    for (int axis = 0; axis < 3; axis++) {
        pack->low[axis][lane] = cluster->low[axis];
        pack->high[axis][lane] = cluster->high[axis];
    }
    pack->reach[lane] = cluster->reach;
}

static void put_cluster(mt_pack *pack, uint32_t lane, const mt_cluster *cluster)
{
    put_box(pack, lane, cluster);
    pack->family[lane] = cluster->family;
    pack->name[lane] = cluster->name;
    pack->body[0][lane] = cluster->body[0];
    pack->body[1][lane] = cluster->body[1];
}

/* Lanes that are left over. */
static void fill_up(mt_pack *pack)
{
    const mt_cluster nobody = {.low = {MT_FAR, MT_FAR, MT_FAR}, .high = {-MT_FAR, -MT_FAR, -MT_FAR}};
    for (uint32_t lane = pack->count; lane < MT_SLICE; lane++)
        put_cluster(pack, lane, &nobody);
}

static span span_of(const mt_cluster *cluster)
{
    span box = {.reach = cluster->reach};
    memcpy(box.low, cluster->low, sizeof box.low);
    memcpy(box.high, cluster->high, sizeof box.high);
    return box;
}

/* Packs from all clusters in order. */
static mote_result make_packs(mote_world *world, uint32_t total)
{
    mt_clusters *c = &world->scratch->search.clusters;
    const uint32_t *order = c->order.data;
    mt_cluster *made = c->made.data;
    uint32_t count = 0;
    span box = {{0}, {0}, 0};
    for (uint32_t k = 0; k < total; k++) {
        mt_cluster *cluster = &made[order[k]];
        mt_pack *pack = (mt_pack *)c->packs.data + count;
        if (count == 0 || pack[-1].count == MT_SLICE || pack[-1].kin != cluster->kin || !join(&box, cluster)) {
            if (count > 0)
                fill_up(&pack[-1]);
            if (count == c->lists.capacity) { /* they are wide: room for one of each, and all over again */
                MT_TRY(reserve_packs(world, total, total));
                return make_packs(world, total);
            }
            pack->kin = cluster->kin;
            pack->count = 0;
            box = span_of(cluster);
            count++;
            pack++;
        }
        cluster->place = (count - 1) * MT_SLICE + pack[-1].count;
        put_cluster(&pack[-1], pack[-1].count++, cluster);
    }
    if (count > 0)
        fill_up((mt_pack *)c->packs.data + count - 1);
    c->pack_count = count;
    c->slices = mt_slice_count(world->particles.count);
    return MOTE_OK;
}

/* A cluster that is in a pack, as far as it matters for making packs. */
static mt_cluster cluster_in(const mt_pack *pack, uint32_t lane)
{
    mt_cluster cluster = {.reach = pack->reach[lane]};
    for (int axis = 0; axis < 3; axis++) {
        cluster.low[axis] = pack->low[axis][lane];
        cluster.high[axis] = pack->high[axis][lane];
    }
    return cluster;
}

/* Whether the whole of a pack is not too wide for the first of its clusters: then it takes in all of them. */
static bool is_narrow(const mt_pack *pack, const mt_pack_box *box)
{
    float most = MOST_WIDTH * pack->reach[0];
    return box->high[0] - box->low[0] <= most && box->high[1] - box->low[1] <= most &&
           box->high[2] - box->low[2] <= most;
}

/* Whether clusters, which are the same as before but lie elsewhere, would make this pack again: it has to take
 * in all that it has, and not the next one. */
static bool is_still_made(const mt_clusters *c, uint32_t p)
{
    const mt_pack *pack = (const mt_pack *)c->packs.data + p;
    bool ends = p + 1 == c->pack_count || pack->count == MT_SLICE || pack->kin != pack[1].kin;
    if (ends && is_narrow(pack, (const mt_pack_box *)c->boxes.data + p))
        return true;
    mt_cluster cluster = cluster_in(pack, 0);
    span box = span_of(&cluster);
    for (uint32_t lane = 1; lane < pack->count; lane++) {
        cluster = cluster_in(pack, lane);
        if (!join(&box, &cluster))
            return false;
    }
    if (ends)
        return true;
    cluster = cluster_in(pack + 1, 0);
    return !join(&box, &cluster);
}

/* Of packs whose clusters are the same as before. Tells if one would now end elsewhere. */
static void keep_packs(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mote_world *world = context;
    mt_clusters *c = &world->scratch->search.clusters;
    world->kernels->pack_boxes(c, begin, end, worker);
    for (uint32_t p = begin; p < end; p++)
        if (!is_still_made(c, p))
            atomic_store_explicit(&c->differs, true, memory_order_relaxed);
}

static void run_over_packs(mote_world *world, mt_range_task *task, void *context)
{
    mt_parallel_for(&world->threads, world->scratch->search.clusters.pack_count, PACK_PIECE, task, context);
}

/* Small ones that are few go to the level of the others: a search then looks through one level less. */
static void raise_small(mt_clusters *c)
{
    mote_vec4 *where = c->where.data;
    double sum = 0;
    for (uint32_t p = 0; p < c->pack_count; p++)
        sum += (double)where[p].w;
    float least = c->pack_count > 0 ? (float)(0.5 * sum / c->pack_count) : 0.0f;
    for (uint32_t p = 0; p < c->pack_count; p++)
        where[p].w = where[p].w > least ? where[p].w : least;
}

/* When their boxes are known. */
static mote_result sort_packs(mote_world *world)
{
    mt_clusters *c = &world->scratch->search.clusters;
    raise_small(c);
    for (uint32_t p = c->pack_count; p < mt_slice_count(c->pack_count) * MT_SLICE; p++)
        ((mote_vec4 *)c->where.data)[p] = (mote_vec4){MT_FAR, MT_FAR, MT_FAR, 0.0f};
    return mt_grid_sort_packs(world);
}

static mt_cluster_job make_job(mote_world *world, const mote_vec4 *where, const mote_vec4 *size)
{
    mt_scratch *s = world->scratch;
    return (mt_cluster_job){.plan = &s->search.grid.plan,
                            .where = where,
                            .size = size,
                            .velocity = mt_list_velocities(world),
                            .bodies = s->bodies.slots.membership.data,
                            .families = s->bodies.slots.families.data,
                            .kin = s->bodies.families.kin.data,
                            .membership = &world->membership,
                            .count = world->particles.count,
                            .clusters = &s->search.clusters};
}

mote_result mt_clusters_make(mote_world *world, const mote_vec4 *where)
{
    mt_clusters *c = &world->scratch->search.clusters;
    uint32_t total;
    MT_TRY(reserve(world));
    mt_cluster_job job = make_job(world, where, where);
    mt_body_plan *bodies = &world->scratch->bodies;
    bool in_sequence = world->scratch->search.in_sequence;
    job.packed = c->slices == mt_slice_count(job.count);
    job.named = job.packed && in_sequence && bodies->slots.named_edits == bodies->edits;
    atomic_store(&c->differs, !job.packed);
    mt_parallel_for(&world->threads, mt_slice_count(job.count), MT_BLOCK, world->kernels->clusters, &job);
    bodies->slots.named_edits = in_sequence ? bodies->edits : 0;
    if (!atomic_load(&c->differs))
        run_over_packs(world, keep_packs, world);
    if (atomic_load(&c->differs)) {
        MT_TRY(sort_by_kin(world, &total));
        MT_TRY(make_packs(world, total));
        run_over_packs(world, world->kernels->pack_boxes, c);
    }
    return sort_packs(world);
}

/* ---- who is near --------------------------------------------------------------------------------------- */

void mt_packs_find(mote_world *world)
{
    mt_clusters *c = &world->scratch->search.clusters;
    run_over_packs(world, world->kernels->packs, c);
}
