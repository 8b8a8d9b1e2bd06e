/* The lists of a slice while they are made. */
#ifndef MOTE_STEP_NEIGHBORS_SLICE_LISTS_H
#define MOTE_STEP_NEIGHBORS_SLICE_LISTS_H

#include "step/neighbors/cluster_search.h"
#include "step/neighbors/filter.h"

/* What a worker looks through. */
typedef struct search_buffers {
    candidates particles;
    near_packs packs;
} search_buffers;

typedef struct slice_lists {
    uint32_t *list; /* of eight lanes, one behind the other */
    uint32_t length[LANES], longest;
    bool check; /* some of them may be in one body, or in two that do not collide */
    size_t entries;
} slice_lists;

LANE_FUNCTION uint32_t *list_of(const mt_list_job *job, const slice_lists *out, uint32_t lane)
{
    return out->list + (size_t)lane * mt_lane_stride(job->lists);
}

/* Who of a slice's particles in bodies looks for neighbours: those that can move. */
LANE_FUNCTION uint32_t seeking_in(const mt_list_job *job, uint32_t slice)
{
    return ((const uint8_t *)job->clusters->alive.data)[slice];
}

/* Loose particles near a group. */
static inline void gather_loose(const mt_list_job *job, const group *box, candidates *near)
{
    near->count = 0;
    near->complete = true;
    gather_grid(job->grid, box, near);
}

LANE_FUNCTION uint32_t scan_candidates(const mt_list_job *job, const seeker *who, const candidates *near,
                                       uint32_t *list, uint32_t count, uint32_t capacity)
{
    columns around = {near->x,     near->y,    near->z,
                      near->reach, near->slot, job->grid->bodies ? near->family : NULL};
    if (count + near->count + LANES > capacity)
        return capacity + 1;
    for (uint32_t at = 0; at < near->count; at += LANES)
        count = scan_eight(around, at, lanes_load_index(around.slot + at), who,
                           lanes_iota() < lanes_all_index(LANES), list, count);
    return count;
}

/* The same where not all could be gathered. */
static uint32_t scan_grids(const mt_list_job *job, const seeker *who, uint32_t *list, uint32_t count)
{
    uint32_t capacity = job->lists->lane_capacity;
    if (job->grid->count > 0)
        count = scan_grid(job->grid, who, list, count, capacity);
    return count;
}

/* When all are found whom a particle is near. */
LANE_FUNCTION void finish_lane(const mt_list_job *job, uint32_t slot, uint32_t length, bool check,
                               slice_lists *out)
{
    uint32_t capacity = job->lists->lane_capacity, lane = slot % LANES;
    if (check && length <= capacity)
        length = filter(job, slot, list_of(job, out, lane), length);
    out->length[lane] = length;
    out->longest = length > out->longest ? length : out->longest;
    out->entries += length;
}

#endif
