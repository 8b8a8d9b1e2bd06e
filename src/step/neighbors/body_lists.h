/* Lists of particles in bodies, by clusters: see clusters.c. */
#ifndef MOTE_STEP_NEIGHBORS_BODY_LISTS_H
#define MOTE_STEP_NEIGHBORS_BODY_LISTS_H

#include "step/neighbors/cluster_search.h"
#include "step/neighbors/filter.h"
#include "step/neighbors/slice_lists.h"

#define MOST_TOGETHER 8u    /* slices of a family that look for clusters at once */
#define TOGETHER      24.0f /* reaches: these are no wider */

/* Some of a slice's particles, bits of them, against those of a cluster. */
LANE_FUNCTION void hold_against(const mt_list_job *job, uint32_t own, uint32_t bits, uint32_t name,
                                slice_lists *out)
{
    const mt_clusters *c = job->clusters;
    uint32_t slot = name >> 8 << 3, capacity = job->lists->lane_capacity;
    const float *all_x = c->x.data, *all_y = c->y.data, *all_z = c->z.data, *all_reach = c->reach.data;
    lanes x = lanes_load(all_x + slot), y = lanes_load(all_y + slot), z = lanes_load(all_z + slot);
    lanes reach = lanes_load(all_reach + slot);
    lane_index slots = lanes_iota() + lanes_all_index(slot);
    for (; bits != 0; bits &= bits - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(bits), i = own + lane, length = out->length[lane];
        lanes dx = x - lanes_all(all_x[i]), dy = y - lanes_all(all_y[i]), dz = z - lanes_all(all_z[i]);
        lanes within = reach + lanes_all(all_reach[i]);
        uint32_t found = lanes_bits(lanes_below(dx * dx + dy * dy + dz * dz, within * within)) & name & 0xFFu;
        if (slot == own)
            found &= ~(1u << lane);
        if (length + LANES > capacity)
            out->length[lane] = capacity + 1; /* the caller makes room and comes again */
        else
            out->length[lane] = length + lanes_compress(list_of(job, out, lane) + length, slots, found);
    }
}

/* A cluster, of which the particles in `bits` look for neighbours, against those of others. */
static void hold_cluster(const mt_list_job *job, const group *box, uint32_t own, uint32_t bits,
                         const near_clusters *near, slice_lists *out)
{
    const mt_clusters *c = job->clusters;
    bool open = is_open(box->family);
    for (uint32_t at = 0; at < near->count; at += LANES) {
        const float(*column)[CLUSTER_BUFFER + LANES] = near->column;
        lanes zero = lanes_all(0.0f);
        lanes x = gap_along(box, 0, lanes_load(column[0] + at), lanes_load(column[3] + at));
        lanes y = gap_along(box, 1, lanes_load(column[1] + at), lanes_load(column[4] + at));
        lanes z = gap_along(box, 2, lanes_load(column[2] + at), lanes_load(column[5] + at));
        x = lanes_max(x, zero), y = lanes_max(y, zero), z = lanes_max(z, zero);
        lanes within = lanes_load(column[MT_CLUSTER_REACH] + at) + lanes_all(box->reach);
        lane_mask close = lanes_below(x * x + y * y + z * z, within * within) &
                          (lane_mask)(lanes_iota() < lanes_all_index(near->count - at));
        for (uint32_t rest = lanes_bits(close); rest != 0; rest &= rest - 1) {
            uint32_t k = at + (uint32_t)__builtin_ctz(rest);
            uint32_t seeking = near_cluster(c, own, bits, near, k);
            if (seeking == 0)
                continue;
            if (open)
                out->check = out->check || is_open(family_of(near, k));
            hold_against(job, own, seeking, name_of(near, k), out);
        }
    }
}

/* The same where there are more near than can be kept: part by part of all of them. */
static void hold_crowd(const mt_list_job *job, const group *box, uint32_t own, uint32_t bits,
                       near_clusters *near, slice_lists *out)
{
    for (uint32_t from = 0; from < job->clusters->grid.count; from += CLUSTER_PART) {
        gather_clusters_from(job->clusters, box, from, near);
        hold_cluster(job, box, own, bits, near, out);
    }
}

/* Loose particles near a cluster. */
static void hold_loose(const mt_list_job *job, const group *box, uint32_t own, uint32_t bits, candidates *near,
                       slice_lists *out)
{
    const mt_clusters *c = job->clusters;
    gather_loose(job, box, near);
    pad_candidates(near);
    for (uint32_t rest = near->complete && near->count == 0 ? 0 : bits; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), i = own + lane;
        seeker one = {((const float *)c->x.data)[i],
                      ((const float *)c->y.data)[i],
                      ((const float *)c->z.data)[i],
                      ((const float *)c->reach.data)[i],
                      i,
                      NO_FAMILY};
        out->length[lane] = find_loose(job, &one, near, list_of(job, out, lane), out->length[lane]);
    }
}

LANE_FUNCTION group box_of(const mt_cluster *cluster)
{
    group box = {.reach = cluster->reach,
                 .lanes = cluster->name & 0xFFu,
                 .family = cluster->family != 0 ? cluster->family : NO_FAMILY};
    memcpy(box.low, cluster->low, sizeof box.low);
    memcpy(box.high, cluster->high, sizeof box.high);
    return box;
}

/* The lists of a cluster's particles. `around`: the clusters near it and perhaps more; NULL: not known. */
static void find_cluster(const mt_list_job *job, const mt_cluster *cluster, const near_clusters *around,
                         search_buffers *buffers, slice_lists *out)
{
    const mt_clusters *c = job->clusters;
    uint32_t own = cluster->name >> 8 << 3;
    uint32_t bits = seeking_in(job, own / LANES) & cluster->name;
    group box = box_of(cluster);
    if (bits == 0)
        return;
    if (around == NULL) {
        gather_clusters(c, &box, &buffers->clusters);
        around = &buffers->clusters;
    }
    if (around->complete)
        hold_cluster(job, &box, own, bits, around, out);
    else
        hold_crowd(job, &box, own, bits, &buffers->clusters, out);
    if (job->grid->count > 0 || (job->second != NULL && job->second->count > 0))
        hold_loose(job, &box, own, bits, &buffers->particles, out);
    finish_lanes(job, own / LANES, bits, out->check || job->phases_differ, out);
    out->check = false;
}

LANE_FUNCTION const mt_cluster *first_cluster(const mt_list_job *job, uint32_t slice)
{
    const mt_clusters *c = job->clusters;
    return (const mt_cluster *)c->made.data + ((const uint32_t *)c->first.data)[slice];
}

/* Whether all of a slice are one cluster that looks for neighbours. */
LANE_FUNCTION bool is_whole(const mt_list_job *job, uint32_t slice)
{
    return ((const uint8_t *)job->clusters->number.data)[slice] == 1 && seeking_in(job, slice) != 0 &&
           (first_cluster(job, slice)->name & 0xFFu) == 0xFFu;
}

/* How many slices from this one on are whole, of one family, and not too far from each other. Their box. */
static uint32_t slices_together(const mt_list_job *job, uint32_t slice, uint32_t end, group *box)
{
    uint32_t count = 1;
    if (!is_whole(job, slice))
        return 0;
    *box = box_of(first_cluster(job, slice));
    for (; count < MOST_TOGETHER && slice + count < end; count++) {
        if ((job->only != NULL && job->only[slice + count] == 0) || !is_whole(job, slice + count))
            break;
        const mt_cluster *next = first_cluster(job, slice + count);
        group grown = *box;
        float width = 0.0f;
        if (next->family != box->family)
            break;
        for (int axis = 0; axis < 3; axis++) {
            grown.low[axis] = fminf(grown.low[axis], next->low[axis]);
            grown.high[axis] = fmaxf(grown.high[axis], next->high[axis]);
            width = fmaxf(width, grown.high[axis] - grown.low[axis]);
        }
        grown.reach = fmaxf(grown.reach, next->reach);
        if (!(width <= TOGETHER * box->reach))
            break;
        *box = grown;
    }
    return count;
}

#endif
