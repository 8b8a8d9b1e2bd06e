/* The order of a particle's neighbours. Lists come in the order of cells, and that follows from how many particles
 * there are and how fast, wherever they are. Where sums run over a list their order must not: it is then that of
 * the particles' names, which only what is in the list has a say in. */
#ifndef MOTE_STEP_NEIGHBORS_NAME_ORDER_H
#define MOTE_STEP_NEIGHBORS_NAME_ORDER_H

#include "base/simd.h"
#include "step/scratch.h"

#define MOST_COUNTED 96u /* entries: with more it is faster to compare fewer of them */

/* Each entry's place is how many names are below its own: no jump that could be guessed wrong. */
LANE_FUNCTION void order_by_counting(const mote_particle_id *ids, uint32_t *list, uint32_t count)
{
    uint32_t name[MOST_COUNTED], slot[MOST_COUNTED], place[MOST_COUNTED];
    for (uint32_t k = 0; k < count; k++) {
        slot[k] = list[k];
        name[k] = ids[list[k]].index;
    }
    for (uint32_t k = count; k % LANES != 0; k++)
        name[k] = INT32_MAX;
    for (uint32_t k = 0; k < count; k += LANES) {
        lane_mask own = (lane_mask)lanes_load_index(name + k), below = {0};
        for (uint32_t j = 0; j < count; j++)
            below += (lane_mask)lanes_all_index(name[j]) < own; /* -1 where it is */
        lanes_store_index(place + k, (lane_index)-below);
    }
    for (uint32_t k = 0; k < count; k++)
        list[place[k]] = slot[k];
}

/* Shell's sort, with Ciura's gaps. */
static inline void order_by_steps(const mote_particle_id *ids, uint32_t *list, uint32_t count)
{
    static const uint32_t gaps[] = {701, 301, 132, 57, 23, 10, 4, 1};
    for (uint32_t g = 0; g < sizeof gaps / sizeof gaps[0]; g++)
        for (uint32_t k = gaps[g]; k < count; k++) {
            uint32_t slot = list[k], name = ids[slot].index, at = k;
            for (; at >= gaps[g] && ids[list[at - gaps[g]]].index > name; at -= gaps[g])
                list[at] = list[at - gaps[g]];
            list[at] = slot;
        }
}

/* Whether a liquid has to do with a list: its particle or an entry is of one. */
LANE_FUNCTION bool is_wet(const mote_vec4 *wet, uint32_t slot, const uint32_t *list, uint32_t count)
{
    if (wet[slot].z > 0)
        return true;
    for (uint32_t k = 0; k < count; k++)
        if (wet[list[k]].z > 0)
            return true;
    return false;
}

LANE_FUNCTION void order_by_name(const mote_particle_id *ids, uint32_t *list, uint32_t count)
{
    if (count <= MOST_COUNTED)
        order_by_counting(ids, list, count);
    else
        order_by_steps(ids, list, count);
}

#endif
