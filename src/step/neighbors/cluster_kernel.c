/* Which particles of a slice make a cluster: see clusters.c. */
#include "base/simd.h"
#include "step/kernels.h"
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

LANE_FUNCTION mt_cluster cluster_of(const eight *p, uint32_t slice, uint32_t bits)
{
    lane_mask in = lanes_of_bits(bits);
    lanes far = lanes_all(MT_FAR);
    return (mt_cluster){{lanes_least(lanes_select(in, p->x, far)), lanes_least(lanes_select(in, p->y, far)),
                         lanes_least(lanes_select(in, p->z, far))},
                        {lanes_largest(lanes_select(in, p->x, -far)),
                         lanes_largest(lanes_select(in, p->y, -far)),
                         lanes_largest(lanes_select(in, p->z, -far))},
                        lanes_largest(lanes_keep(in, p->reach)),
                        p->family[__builtin_ctz(bits)],
                        mt_cluster_name(slice, bits)};
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
                made[next++] = cluster_of(&p, slice, bits);
                rest &= ~bits;
            }
        }
        ((uint8_t *)c->number.data)[slice] = (uint8_t)(next - first);
    }
    ((uint32_t *)c->block_count.data)[begin / MT_BLOCK] = next - begin * LANES;
}
