/* Looking for packs and clusters near a box. */
#ifndef MOTE_STEP_NEIGHBORS_CLUSTER_SEARCH_H
#define MOTE_STEP_NEIGHBORS_CLUSTER_SEARCH_H

#include "step/neighbors/particle_search.h"

#define PACK_BUFFER 256u /* packs near a box that are kept */

typedef struct near_packs {
    uint32_t count;
    bool complete; /* all of them fitted */
    uint32_t pack[PACK_BUFFER + LANES];
} near_packs;

/* Families that are none are not left out. */
LANE_FUNCTION uint32_t family_to_leave(uint32_t family)
{
    return family < MT_FAMILY_NONE ? family : NO_FAMILY;
}

/* How far eight boxes are outside of a box along an axis; below 0 where they overlap. Rounded like the distance
 * of any two of their particles, so it is never larger than that. */
LANE_FUNCTION lanes gaps(const float *low, const float *high, const group *box, int axis)
{
    return lanes_max(lanes_load(low) - lanes_all(box->high[axis]),
                     lanes_all(box->low[axis]) - lanes_load(high));
}

/* ---- packs --------------------------------------------------------------------------------------------- */

/* Keeps the numbers of those of ranks [begin, end) that are near the box along every axis and not of its
 * family. */
LANE_FUNCTION void keep_packs(const mt_clusters *c, const group *box, uint32_t begin, uint32_t end,
                              near_packs *near)
{
    const size_t stride = c->stride;
    for (uint32_t rank = begin; rank < end; rank += LANES) {
        const float *at = (const float *)c->table.data + rank;
        const uint32_t *numbers = (const uint32_t *)at + MT_BOX_NUMBER * stride;
        lanes x = gaps(at, at + 3 * stride, box, 0), y = gaps(at + stride, at + 4 * stride, box, 1);
        lanes z = gaps(at + 2 * stride, at + 5 * stride, box, 2);
        lanes within = lanes_load(at + MT_BOX_REACH * stride) + lanes_all(box->reach);
        lane_index family = lanes_load_index((const uint32_t *)at + MT_BOX_FAMILY * stride);
        lane_mask kept = lanes_below(lanes_max(lanes_max(x, y), z), within) &
                         lanes_differ(family, lanes_all_index(box->family)) &
                         (lane_mask)(lanes_iota() < lanes_all_index(end - rank));
        if (near->count + LANES > PACK_BUFFER) {
            near->complete = false;
            return;
        }
        near->count += lanes_compress(near->pack + near->count, lanes_load_index(numbers), lanes_bits(kept));
    }
}

typedef struct pack_gathering {
    const mt_clusters *clusters;
    const group *box;
    near_packs *near;
} pack_gathering;

LANE_FUNCTION void pack_visit(void *context, uint32_t begin, uint32_t end)
{
    const pack_gathering *g = context;
    if (g->near->complete)
        keep_packs(g->clusters, g->box, begin, end, g->near);
}

/* Those near a box, in the order of cells. */
static inline void gather_packs(const mt_clusters *c, const group *box, near_packs *near)
{
    near->count = 0;
    near->complete = true;
    pack_gathering g = {c, box, near};
    for (uint32_t l = 0; near->complete && l < c->grid.level_count; l++)
        if (c->grid.levels[l].count > 0)
            visit_runs(c->grid.cell_start.data, &c->grid.levels[l], box->low, box->high, box->reach, pack_visit,
                       &g);
}

/* Of all packs the next that are near a box, from rank `from` on: for a box that has too many near it. Answers
 * from where to go on. */
static inline uint32_t gather_packs_from(const mt_clusters *c, const group *box, uint32_t from,
                                         near_packs *near)
{
    uint32_t end = c->grid.count - from < PACK_BUFFER - LANES ? c->grid.count : from + PACK_BUFFER - LANES;
    near->count = 0;
    near->complete = true;
    keep_packs(c, box, from, end, near);
    return end;
}

/* ---- clusters ------------------------------------------------------------------------------------------ */

/* A box in every lane. */
typedef struct wide_box {
    lanes low[3], high[3], reach;
    lane_index family;
} wide_box;

LANE_FUNCTION wide_box widen(const group *box)
{
    return (wide_box){{lanes_all(box->low[0]), lanes_all(box->low[1]), lanes_all(box->low[2])},
                      {lanes_all(box->high[0]), lanes_all(box->high[1]), lanes_all(box->high[2])},
                      lanes_all(box->reach),
                      lanes_all_index(box->family)};
}

/* Which of a pack's clusters are near a box, and not of its family. */
LANE_FUNCTION uint32_t clusters_near(const mt_pack *pack, const wide_box *box)
{
    lanes gap[3], zero = lanes_all(0.0f);
    for (int axis = 0; axis < 3; axis++) {
        lanes above = lanes_load(pack->low[axis]) - box->high[axis];
        lanes below = box->low[axis] - lanes_load(pack->high[axis]);
        gap[axis] = lanes_max(lanes_max(above, below), zero);
    }
    lanes within = lanes_load(pack->reach) + box->reach;
    /* Lanes that are left over are far away, but a reach without bounds would find them. */
    return lanes_bits(lanes_below(gap[0] * gap[0] + gap[1] * gap[1] + gap[2] * gap[2], within * within) &
                      lanes_differ(lanes_load_index(pack->family), box->family)) &
           ((1u << pack->count) - 1u);
}

LANE_FUNCTION const mt_pack *pack_at(const mt_clusters *c, uint32_t number)
{
    return (const mt_pack *)c->packs.data + number;
}

LANE_FUNCTION columns columns_of_clusters(const mt_clusters *c)
{
    return (columns){c->x.data, c->y.data, c->z.data, c->reach.data, NULL, NULL};
}

/* Particles of clusters near a group's box join its candidates. */
static inline void gather_from_clusters(const mt_clusters *c, const group *box, near_packs *packs,
                                        candidates *near)
{
    wide_box wide = widen(box);
    gather_packs(c, box, packs);
    near->complete = near->complete && packs->complete;
    for (uint32_t k = 0; near->complete && k < packs->count; k++) {
        const mt_pack *pack = pack_at(c, packs->pack[k]);
        if (near->count + LANES * LANES > BUFFER_SIZE) {
            near->complete = false;
            return;
        }
        for (uint32_t rest = clusters_near(pack, &wide); rest != 0; rest &= rest - 1) {
            uint32_t name = pack->name[__builtin_ctz(rest)], slot = mt_cluster_slot(name);
            near->count = keep_near(columns_of_clusters(c), slot, lanes_iota() + lanes_all_index(slot),
                                    lanes_of_bits(mt_cluster_bits(name)), box, near, near->count);
        }
    }
}

#endif
