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

static uint32_t kin_of(const mt_cluster_job *job, uint32_t slot)
{
    const mt_membership *m = job->membership;
    uint32_t entry = job->bodies[slot];
    if (entry < MT_SHARED)
        return job->kin[entry - 1];
    const mt_shared *shared = (const mt_shared *)m->shared.data + (entry & ~MT_SHARED);
    return job->kin[((const uint32_t *)m->shared_bodies.data)[shared->first_body]];
}

/* The least of x, y, z and reach, in this order. */
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

LANE_FUNCTION mt_cluster cluster_of(const mt_cluster_job *job, const eight *p, uint32_t slice, uint32_t bits)
{
    lane_mask in = lanes_of_bits(bits);
    lanes far = lanes_all(MT_FAR);
    uint32_t first = (uint32_t)__builtin_ctz(bits);
    quad low = least_of_each(lanes_select(in, p->x, far), lanes_select(in, p->y, far),
                             lanes_select(in, p->z, far), far);
    quad high = -least_of_each(lanes_select(in, -p->x, far), lanes_select(in, -p->y, far),
                               lanes_select(in, -p->z, far), lanes_select(in, -p->reach, far));
    return (mt_cluster){
        {low[0], low[1], low[2]}, {high[0], high[1], high[2]},  high[3],
        p->family[first],         mt_cluster_name(slice, bits), kin_of(job, slice * LANES + first)};
}

void MT_KERNEL(clusters)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_cluster_job *job = context;
    mt_clusters *c = job->clusters;
    mt_cluster *made = c->made.data;
    uint32_t next = begin * LANES;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        uint32_t i = slice * LANES;
        lane_mask real = (lane_mask)(lanes_iota() < lanes_all_index(job->count - i));
        lane_mask member = lanes_differ(lanes_load_index(job->bodies + i), lanes_all_index(0)) & real;
        uint32_t rest = lanes_bits(member), first = next;
        ((uint32_t *)c->first.data)[slice] = first;
        if (rest != 0) {
            lanes4 at = lanes_load4(job->where + i), v = lanes_load4(job->velocity + i);
            lanes reach = lanes_reach(job->plan, lanes_load4(job->size + i).w, v);
            eight p = {at.x, at.y, at.z, reach, lanes_load_index(job->families + i)};
            lanes_store((float *)c->x.data + i, p.x);
            lanes_store((float *)c->y.data + i, p.y);
            lanes_store((float *)c->z.data + i, p.z);
            lanes_store((float *)c->reach.data + i, p.reach);
            ((uint8_t *)c->alive.data)[slice] = (uint8_t)(lanes_bits(lanes_above(v.w, lanes_all(0.0f))) & rest);
            while (rest != 0) {
                uint32_t bits = near_first(&p, rest);
                made[next++] = cluster_of(job, &p, slice, bits);
                rest &= ~bits;
            }
        }
        ((uint8_t *)c->number.data)[slice] = (uint8_t)(next - first);
    }
    ((uint32_t *)c->block_count.data)[begin / MT_BLOCK] = next - begin * LANES;
}

void MT_KERNEL(packs)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_clusters *c = context;
    uint8_t *state = c->pack_state.data;
    near_packs near;
    (void)worker;
    for (uint32_t p = begin; p < end; p++) {
        if (state[p] != MT_PACK_WANTED)
            continue;
        mt_pack_list *list = (mt_pack_list *)c->pack_lists.data + p;
        group box = box_of((const mt_cluster *)c->packs.data + p);
        gather_packs(c, &box, &near);
        bool fits = near.complete && near.count <= MT_PACK_NEAR;
        list->count = fits ? near.count : MT_PACK_NEAR + 1;
        if (fits)
            memcpy(list->near, near.pack, near.count * sizeof *near.pack);
        state[p] = MT_PACK_KNOWN;
    }
}
