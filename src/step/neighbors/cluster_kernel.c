/* Which particles of a slice make a cluster, and which packs are near each other: see clusters.c. */
#include "base/simd.h"
#include "step/kernels.h"
#include "step/neighbors/cluster_search.h"
#include "step/neighbors/reach.h"

#define MOST_DISTANCE 6.0f /* reaches: nobody is further from the first of a cluster */

typedef struct eight {
    lanes x, y, z, reach;
    lane_index family;
} eight;

/* Those of the lanes in `rest` that are near the first of them and of its family. */
LANE_FUNCTION uint32_t near_first(const eight *p, uint32_t rest)
{
    uint32_t first = (uint32_t)__builtin_ctz(rest);
    lanes dx = p->x - lanes_all(p->x[first]), dy = p->y - lanes_all(p->y[first]),
          dz = p->z - lanes_all(p->z[first]);
    float most = MOST_DISTANCE * p->reach[first];
    uint32_t near = lanes_bits(lanes_at_most(dx * dx + dy * dy + dz * dz, lanes_all(most * most)));
    uint32_t stranger = lanes_bits(lanes_differ(p->family, lanes_all_index(p->family[first])));
    return (near & ~stranger & rest) | 1u << first;
}

/* The one or two bodies that a particle is in; none if they are more. */
static void bodies_of(const mt_cluster_job *job, uint32_t slot, uint32_t body[2])
{
    const mt_membership *m = job->membership;
    uint32_t entry = job->bodies[slot];
    body[0] = body[1] = entry;
    if (entry < MT_SHARED)
        return;
    const mt_shared *shared = (const mt_shared *)m->shared.data + (entry & ~MT_SHARED);
    const uint32_t *bodies = (const uint32_t *)m->shared_bodies.data + shared->first_body;
    for (uint32_t k = 0; k < 2; k++)
        body[k] = shared->bodies == 2 ? bodies[k] + 1 : 0;
}

static uint32_t kin_of(const mt_cluster_job *job, uint32_t slot)
{
    const mt_membership *m = job->membership;
    uint32_t entry = job->bodies[slot];
    if (entry < MT_SHARED)
        return job->kin[entry - 1];
    const mt_shared *shared = (const mt_shared *)m->shared.data + (entry & ~MT_SHARED);
    return job->kin[((const uint32_t *)m->shared_bodies.data)[shared->first_body]];
}

/* What does not depend on where particles are, once it is known who they are. */
static void name_cluster(const mt_cluster_job *job, uint32_t slice, uint32_t bits, mt_cluster *cluster)
{
    uint32_t slot = slice * LANES, first = slot + (uint32_t)__builtin_ctz(bits);
    lane_mask other = lanes_differ(lanes_load_index(job->bodies + slot), lanes_all_index(job->bodies[first]));
    cluster->family = job->families[first];
    cluster->name = mt_cluster_name(slice, bits);
    cluster->kin = kin_of(job, first);
    bodies_of(job, first, cluster->body);
    for (uint32_t rest = lanes_bits(other) & bits; rest != 0; rest &= rest - 1) {
        uint32_t body[2];
        bodies_of(job, slot + (uint32_t)__builtin_ctz(rest), body);
        if (body[0] != cluster->body[0] || body[1] != cluster->body[1])
            cluster->body[0] = cluster->body[1] = 0;
    }
}

/* The least of each. */
LANE_FUNCTION quad least_of_each(lanes x, lanes y, lanes z, lanes w)
{
    lanes xy = lanes_min(__builtin_shufflevector(x, y, 0, 8, 1, 9, 4, 12, 5, 13),
                         __builtin_shufflevector(x, y, 2, 10, 3, 11, 6, 14, 7, 15));
    lanes zw = lanes_min(__builtin_shufflevector(z, w, 0, 8, 1, 9, 4, 12, 5, 13),
                         __builtin_shufflevector(z, w, 2, 10, 3, 11, 6, 14, 7, 15));
    lanes all = lanes_min(__builtin_shufflevector(xy, zw, 0, 1, 8, 9, 4, 5, 12, 13),
                          __builtin_shufflevector(xy, zw, 2, 3, 10, 11, 6, 7, 14, 15));
    all = lanes_min(all, __builtin_shufflevector(all, all, 4, 5, 6, 7, 0, 1, 2, 3));
    return __builtin_shufflevector(all, all, 0, 1, 2, 3);
}

/* The box of some of eight. */
LANE_FUNCTION void put_box(const eight *p, uint32_t bits, mt_cluster *cluster)
{
    lane_mask in = lanes_of_bits(bits);
    lanes far = lanes_all(MT_FAR);
    quad low = least_of_each(lanes_select(in, p->x, far), lanes_select(in, p->y, far),
                             lanes_select(in, p->z, far), far);
    quad high = -least_of_each(lanes_select(in, -p->x, far), lanes_select(in, -p->y, far),
                               lanes_select(in, -p->z, far), lanes_select(in, -p->reach, far));
    memcpy(cluster->low, &low, sizeof cluster->low);
    memcpy(cluster->high, &high, sizeof cluster->high);
    cluster->reach = high[3];
}

/* Where a slice's particles are, side by side. */
LANE_FUNCTION eight note_places(const mt_cluster_job *job, uint32_t slice, uint32_t members)
{
    mt_clusters *c = job->clusters;
    uint32_t i = slice * LANES;
    lanes4 at = lanes_load4(job->where + i), v = lanes_load4(job->velocity + i);
    lanes reach = lanes_reach(job->plan, at, lanes_load4(job->size + i).w, v);
    eight p = {at.x, at.y, at.z, reach, lanes_load_index(job->families + i)};
    lanes_store((float *)c->x.data + i, p.x);
    lanes_store((float *)c->y.data + i, p.y);
    lanes_store((float *)c->z.data + i, p.z);
    lanes_store((float *)c->reach.data + i, p.reach);
    ((uint8_t *)c->alive.data)[slice] = (uint8_t)(lanes_bits(lanes_above(v.w, lanes_all(0.0f))) & members);
    return p;
}

/* Into its lane of its pack. */
static void put_in_pack(const mt_clusters *c, const mt_cluster *cluster)
{
    mt_pack *pack = (mt_pack *)c->packs.data + cluster->place / LANES;
    uint32_t lane = cluster->place % LANES;
    for (int axis = 0; axis < 3; axis++) {
        pack->low[axis][lane] = cluster->low[axis];
        pack->high[axis][lane] = cluster->high[axis];
    }
    pack->reach[lane] = cluster->reach;
}

/* Whether two clusters have the same particles, of the same bodies. */
static bool is_same(const mt_cluster *a, const mt_cluster *b)
{
    return a->name == b->name && a->family == b->family && a->kin == b->kin && a->body[0] == b->body[0] &&
           a->body[1] == b->body[1];
}

/* Makes the clusters of a slice's particles in `rest`; answers how many. There are packs with so many of them
 * from before: tells if these were others. */
static uint32_t make_clusters(const mt_cluster_job *job, uint32_t slice, uint32_t rest, uint32_t before)
{
    mt_clusters *c = job->clusters;
    mt_cluster *made = (mt_cluster *)c->made.data + slice * LANES;
    uint32_t number = 0;
    bool same = true;
    eight p = note_places(job, slice, rest);
    for (uint32_t bits; rest != 0; rest &= ~bits) {
        bits = near_first(&p, rest);
        if (job->named && same && number < before && made[number].name == mt_cluster_name(slice, bits)) {
            put_box(&p, bits, &made[number]);
            put_in_pack(c, &made[number++]);
            continue;
        }
        mt_cluster cluster = {.place = 0};
        name_cluster(job, slice, bits, &cluster);
        put_box(&p, bits, &cluster);
        same = same && number < before && is_same(&cluster, &made[number]);
        cluster.place = same ? made[number].place : 0;
        made[number++] = cluster;
        if (same)
            put_in_pack(c, &cluster);
    }
    if (!same)
        atomic_store_explicit(&c->differs, true, memory_order_relaxed);
    return number;
}

void MT_KERNEL(clusters)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_cluster_job *job = context;
    mt_clusters *c = job->clusters;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        uint32_t i = slice * LANES, number = 0;
        lane_mask real = (lane_mask)(lanes_iota() < lanes_all_index(job->count - i));
        lane_mask member = lanes_differ(lanes_load_index(job->bodies + i), lanes_all_index(0)) & real;
        uint32_t rest = lanes_bits(member);
        ((uint8_t *)c->alive.data)[slice] = 0;
        uint32_t before = job->packed ? ((const uint8_t *)c->number.data)[slice] : 0;
        if (rest != 0)
            number = make_clusters(job, slice, rest, before);
        if (number < before)
            atomic_store_explicit(&c->differs, true, memory_order_relaxed);
        ((uint8_t *)c->number.data)[slice] = (uint8_t)number;
    }
}

/* Of each pack its box and middle, and how far its particles are from there along an axis, at most, and reach.
 * A little more, for what is lost in rounding. */
void MT_KERNEL(pack_boxes)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_clusters *c = context;
    (void)worker;
    for (uint32_t p = begin; p < end; p++) {
        const mt_pack *pack = (const mt_pack *)c->packs.data + p;
        mt_pack_box *box = (mt_pack_box *)c->boxes.data + p;
        quad low = least_of_each(lanes_load(pack->low[0]), lanes_load(pack->low[1]), lanes_load(pack->low[2]),
                                 lanes_all(0.0f));
        quad high = -least_of_each(-lanes_load(pack->high[0]), -lanes_load(pack->high[1]),
                                   -lanes_load(pack->high[2]), -lanes_load(pack->reach));
        quad middle = 0.5f * (low + high), up = high - middle, down = middle - low;
        float most = 0.0f;
        for (int axis = 0; axis < 3; axis++) {
            most = up[axis] > most ? up[axis] : most;
            most = down[axis] > most ? down[axis] : most;
        }
        ((mote_vec4 *)c->where.data)[p] =
            (mote_vec4){middle[0], middle[1], middle[2], 1.0001f * (most + high[3])};
        memcpy(box->low, &low, sizeof box->low);
        memcpy(box->high, &high, sizeof box->high);
        box->reach = high[3];
        lane_mask other = lanes_differ(lanes_load_index(pack->family), lanes_all_index(pack->family[0]));
        uint32_t others = lanes_bits(other) & ((1u << pack->count) - 1u);
        box->family = others == 0 ? pack->family[0] : MT_FAMILY_NONE;
    }
}

LANE_FUNCTION group box_of(const mt_pack_box *pack)
{
    group box = {.reach = pack->reach, .family = family_to_leave(pack->family)};
    memcpy(box.low, pack->low, sizeof box.low);
    memcpy(box.high, pack->high, sizeof box.high);
    return box;
}

/* Notes those of the packs near the box of one that have clusters near it. */
static void note_near(const mt_clusters *c, uint32_t number, const group *box, const near_packs *near)
{
    const mt_pack *packs = c->packs.data;
    mt_pack_list *list = (mt_pack_list *)c->lists.data + number;
    wide_box wide = widen(box);
    uint32_t count = 0;
    for (uint32_t k = 0; k < near->count && count <= MT_PACK_NEAR; k++) {
        uint32_t other = near->pack[k];
        if (clusters_near(&packs[other], &wide) == 0)
            continue;
        group other_box = box_of((const mt_pack_box *)c->boxes.data + other);
        wide_box other_wide = widen(&other_box);
        uint32_t bits = clusters_near(&packs[number], &other_wide);
        if (bits != 0 && count++ < MT_PACK_NEAR) {
            list->near[count - 1] = other;
            list->lanes_near[count - 1] = (uint8_t)bits;
        }
    }
    list->count = near->complete ? count : MT_PACK_NEAR + 1;
}

void MT_KERNEL(packs)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_clusters *c = context;
    near_packs near;
    (void)worker;
    for (uint32_t p = begin; p < end; p++) {
        group box = box_of((const mt_pack_box *)c->boxes.data + p);
        gather_packs(c, &box, &near);
        note_near(c, p, &box, &near);
    }
}
