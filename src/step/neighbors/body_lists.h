/* Lists of particles in bodies, by clusters: see clusters.c. */
#ifndef MOTE_STEP_NEIGHBORS_BODY_LISTS_H
#define MOTE_STEP_NEIGHBORS_BODY_LISTS_H

#include "step/neighbors/cluster_search.h"
#include "step/neighbors/filter.h"
#include "step/neighbors/slice_lists.h"

/* A cluster that looks for neighbours. */
typedef struct looking {
    group box;
    uint32_t name, kin;
    uint32_t own, bits; /* the slice's first slot, and which of its particles look */
} looking;

/* Those who look and are near the box of the cluster at a place of the table. */
LANE_FUNCTION uint32_t lookers_near(const mt_clusters *c, const looking *who, uint32_t place)
{
    const float *table = (const float *)c->table.columns.data + place;
    const size_t stride = c->table.stride;
    group box = {{table[0], table[stride], table[2 * stride]},
                 {table[3 * stride], table[4 * stride], table[5 * stride]},
                 table[MT_BOX_REACH * stride],
                 0,
                 0};
    lanes dx = outside(&box, 0, lanes_load((const float *)c->x.data + who->own));
    lanes dy = outside(&box, 1, lanes_load((const float *)c->y.data + who->own));
    lanes dz = outside(&box, 2, lanes_load((const float *)c->z.data + who->own));
    lanes within = lanes_load((const float *)c->reach.data + who->own) + lanes_all(box.reach);
    return lanes_bits(lanes_below(dx * dx + dy * dy + dz * dz, within * within)) & who->bits;
}

/* Some of a slice's particles, bits of them, against those of a cluster. */
LANE_FUNCTION void hold_against(const mt_list_job *job, uint32_t own, uint32_t bits, uint32_t name,
                                slice_lists *out)
{
    const mt_clusters *c = job->clusters;
    uint32_t slot = mt_cluster_slot(name), capacity = job->lists->lane_capacity;
    const float *all_x = c->x.data, *all_y = c->y.data, *all_z = c->z.data, *all_reach = c->reach.data;
    lanes x = lanes_load(all_x + slot), y = lanes_load(all_y + slot), z = lanes_load(all_z + slot);
    lanes reach = lanes_load(all_reach + slot);
    lane_index slots = lanes_iota() + lanes_all_index(slot);
    for (; bits != 0; bits &= bits - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(bits), i = own + lane, length = out->length[lane];
        lanes dx = x - lanes_all(all_x[i]), dy = y - lanes_all(all_y[i]), dz = z - lanes_all(all_z[i]);
        lanes within = reach + lanes_all(all_reach[i]);
        uint32_t found =
            lanes_bits(lanes_below(dx * dx + dy * dy + dz * dz, within * within)) & mt_cluster_bits(name);
        if (slot == own)
            found &= ~(1u << lane);
        if (length + LANES > capacity)
            out->length[lane] = capacity + 1; /* the caller makes room and comes again */
        else
            out->length[lane] = length + lanes_compress(list_of(job, out, lane) + length, slots, found);
    }
}

/* The lanes of a cluster that stand for all of it: one, if all are in the same body. */
LANE_FUNCTION uint32_t speakers_of(const mt_list_job *job, uint32_t slot, uint32_t bits)
{
    uint32_t body = job->bodies[slot + (uint32_t)__builtin_ctz(bits)];
    lane_mask other = lanes_differ(lanes_load_index(job->bodies + slot), lanes_all_index(body));
    return body < MT_SHARED && (lanes_bits(other) & bits) == 0 ? bits & (0u - bits) : bits;
}

typedef enum relation { STRANGERS, RELATED, ONE } relation;

/* Of two clusters of one kin: whether no two of their particles, some, or all are in one body or in two
 * that do not collide. RELATED also where that would take long to find out. */
static inline relation relation_of(const mt_list_job *job, uint32_t a, uint32_t b)
{
    uint32_t first_a = mt_cluster_slot(a), first_b = mt_cluster_slot(b), found[2] = {0, 0};
    uint32_t bits_a = speakers_of(job, first_a, mt_cluster_bits(a)),
             bits_b = speakers_of(job, first_b, mt_cluster_bits(b));
    if (__builtin_popcount(bits_a) * __builtin_popcount(bits_b) > 8)
        return RELATED;
    for (uint32_t i = bits_a; i != 0; i &= i - 1)
        for (uint32_t j = bits_b; j != 0; j &= j - 1)
            found[are_one(job, first_a + (uint32_t)__builtin_ctz(i), first_b + (uint32_t)__builtin_ctz(j))]++;
    return found[1] == 0 ? STRANGERS : found[0] == 0 ? ONE : RELATED;
}

/* Against the clusters of a pack. */
LANE_FUNCTION void hold_pack(const mt_list_job *job, const looking *who, uint32_t pack, slice_lists *out)
{
    const mt_clusters *c = job->clusters;
    uint32_t place;
    for (uint32_t rest = clusters_near(c, pack, &who->box, &place); rest != 0; rest &= rest - 1) {
        uint32_t k = place + (uint32_t)__builtin_ctz(rest), name = name_at(c, k);
        uint32_t bits = lookers_near(c, who, k);
        if (bits == 0)
            continue;
        relation r = kin_at(c, k) == who->kin ? relation_of(job, who->name, name) : STRANGERS;
        out->check = out->check || r == RELATED;
        if (r != ONE)
            hold_against(job, who->own, bits, name, out);
    }
}

/* Where more packs are near than are noted: part by part of all of them. */
static inline void hold_crowd(const mt_list_job *job, const looking *who, near_packs *near, slice_lists *out)
{
    for (uint32_t from = 0; from < job->clusters->grid.count;) {
        from = gather_packs_from(job->clusters, &who->box, from, near);
        for (uint32_t k = 0; k < near->count; k++)
            hold_pack(job, who, near->pack[k], out);
    }
}

/* Loose particles near a cluster. */
static inline void hold_loose(const mt_list_job *job, const looking *who, candidates *near, slice_lists *out)
{
    const mt_clusters *c = job->clusters;
    gather_loose(job, &who->box, near);
    pad_candidates(near);
    for (uint32_t rest = near->complete && near->count == 0 ? 0 : who->bits; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), i = who->own + lane;
        seeker one = {((const float *)c->x.data)[i],
                      ((const float *)c->y.data)[i],
                      ((const float *)c->z.data)[i],
                      ((const float *)c->reach.data)[i],
                      i,
                      NO_FAMILY};
        out->length[lane] = find_loose(job, &one, near, list_of(job, out, lane), out->length[lane]);
    }
}

/* The lists of a cluster's particles; it is at `place` of those made. */
static inline void find_cluster(const mt_list_job *job, uint32_t place, search_buffers *buffers,
                                slice_lists *out)
{
    const mt_clusters *c = job->clusters;
    const mt_cluster *cluster = (const mt_cluster *)c->made.data + place;
    const mt_pack_list *near =
        (const mt_pack_list *)c->pack_lists.data + ((const uint32_t *)c->pack_of.data)[place];
    uint32_t own = mt_cluster_slot(cluster->name);
    uint32_t bits = seeking_in(job, own / LANES) & mt_cluster_bits(cluster->name);
    if (bits == 0)
        return;
    looking who = {box_of(cluster), cluster->name, cluster->kin, own, bits};
    if (near->count > MT_PACK_NEAR)
        hold_crowd(job, &who, &buffers->packs, out);
    else
        for (uint32_t k = 0; k < near->count; k++)
            hold_pack(job, &who, near->near[k], out);
    if (job->grid->count > 0 || (job->second != NULL && job->second->count > 0))
        hold_loose(job, &who, &buffers->particles, out);
    finish_lanes(job, own / LANES, bits, out->check || job->phases_differ, out);
    out->check = false;
}

#endif
