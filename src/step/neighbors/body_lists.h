/* Lists of particles in bodies, by clusters: see clusters.c. */
#ifndef MOTE_STEP_NEIGHBORS_BODY_LISTS_H
#define MOTE_STEP_NEIGHBORS_BODY_LISTS_H

#include "step/neighbors/cluster_search.h"
#include "step/neighbors/filter.h"
#include "step/neighbors/slice_lists.h"

/* A cluster that looks for neighbours. */
typedef struct looking {
    group box;
    const mt_cluster *cluster;
    uint32_t own, bits; /* the slice's first slot, and which of its particles look */
} looking;

/* Those who look and are near the box of a cluster in a lane of a pack. */
LANE_FUNCTION uint32_t lookers_near(const mt_clusters *c, const looking *who, const mt_pack *pack,
                                    uint32_t lane)
{
    group box = {.low = {pack->low[0][lane], pack->low[1][lane], pack->low[2][lane]},
                 .high = {pack->high[0][lane], pack->high[1][lane], pack->high[2][lane]},
                 .reach = pack->reach[lane]};
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
    for (; bits != 0; bits &= bits - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(bits), i = own + lane;
        lanes dx = x - lanes_all(all_x[i]), dy = y - lanes_all(all_y[i]), dz = z - lanes_all(all_z[i]);
        lanes within = reach + lanes_all(all_reach[i]);
        uint32_t found =
            lanes_bits(lanes_below(dx * dx + dy * dy + dz * dz, within * within)) & mt_cluster_bits(name);
        if (slot == own)
            found &= ~(1u << lane);
        uint32_t length = out->length[lane];
        if (length + LANES > capacity)
            out->length[lane] = capacity + 1; /* the caller makes room and comes again */
        else                                  /* found or not: a jump would be guessed wrong */
            out->length[lane] = length + lanes_compress(list_of(job, out, lane) + length,
                                                        lanes_iota() + lanes_all_index(slot), found);
    }
}

/* The lanes of a cluster that stand for all of it: one, if all are in the same body. */
LANE_FUNCTION uint32_t speakers_of(const mt_list_job *job, uint32_t slot, uint32_t bits)
{
    uint32_t body = job->bodies.of[slot + (uint32_t)__builtin_ctz(bits)];
    lane_mask other = lanes_differ(lanes_load_index(job->bodies.of + slot), lanes_all_index(body));
    return body < MT_SHARED && (lanes_bits(other) & bits) == 0 ? bits & (0u - bits) : bits;
}

typedef enum relation { STRANGERS, RELATED, ONE } relation;

/* Of two clusters of one kin, of which one is not all in the same bodies: whether no two of their particles,
 * some, or all are in one body or in two that do not collide. RELATED also where that would take long to find
 * out. */
static inline relation relation_by_particles(const mt_list_job *job, uint32_t a, uint32_t b)
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

/* Of two clusters of one kin, the other one in a lane of a pack. */
LANE_FUNCTION relation relation_of(const mt_list_job *job, const mt_cluster *cluster, const mt_pack *pack,
                                   uint32_t lane)
{
    uint32_t a0 = cluster->body[0], a1 = cluster->body[1], b0 = pack->body[0][lane], b1 = pack->body[1][lane];
    if (a0 == 0 || b0 == 0)
        return relation_by_particles(job, cluster->name, pack->name[lane]);
    if (a0 == b0 || a0 == b1 || a1 == b0 || a1 == b1)
        return ONE;
    return a0 == a1 && b0 == b1 && are_partners(job, a0 - 1, b0 - 1) ? ONE : STRANGERS;
}

/* Against the clusters of a pack. */
LANE_FUNCTION void hold_pack(const mt_list_job *job, const looking *who, const wide_box *box,
                             const mt_pack *pack, slice_lists *out)
{
    for (uint32_t rest = clusters_near(pack, box); rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        relation r = pack->kin == who->cluster->kin ? relation_of(job, who->cluster, pack, lane) : STRANGERS;
        if (r == ONE)
            continue;
        uint32_t bits = lookers_near(job->clusters, who, pack, lane);
        out->check = out->check || ((r == RELATED || job->bodies.deferred_start != NULL) && bits != 0);
        hold_against(job, who->own, bits, pack->name[lane], out);
    }
}

/* Where more packs are near than are noted: part by part of all of them. */
static inline void hold_crowd(const mt_list_job *job, const looking *who, near_packs *near, slice_lists *out)
{
    wide_box box = widen(&who->box);
    for (uint32_t from = 0; from < job->clusters->grid.count;) {
        from = gather_packs_from(job->clusters, &who->box, from, near);
        for (uint32_t k = 0; k < near->count; k++)
            hold_pack(job, who, &box, pack_at(job->clusters, near->pack[k]), out);
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
                      NO_FAMILY,
                      false};
        uint32_t *list = list_of(job, out, lane), length = out->length[lane];
        out->length[lane] = near->complete
                                ? scan_candidates(job, &one, near, list, length, job->lists->lane_capacity)
                                : scan_grids(job, &one, list, length);
    }
}

/* Against the packs that are near its own, if they are near the cluster, too. */
LANE_FUNCTION void hold_near(const mt_list_job *job, const looking *who, const mt_pack_list *near,
                             slice_lists *out)
{
    const mt_pack *packs = job->clusters->packs.data;
    uint32_t lane = who->cluster->place % LANES;
    wide_box box = widen(&who->box);
    for (uint32_t k = 0; k < near->count; k++)
        if ((near->lanes_near[k] >> lane & 1u) != 0)
            hold_pack(job, who, &box, packs + near->near[k], out);
}

/* The lists of a cluster's particles; it is at `place` of those made. */
static inline void find_cluster(const mt_list_job *job, uint32_t place, search_buffers *buffers,
                                slice_lists *out)
{
    const mt_clusters *c = job->clusters;
    const mt_cluster *cluster = (const mt_cluster *)c->made.data + place;
    const mt_pack_list *near = (const mt_pack_list *)c->lists.data + cluster->place / LANES;
    uint32_t own = mt_cluster_slot(cluster->name);
    looking who = {.box = {.reach = cluster->reach, .family = family_to_leave(cluster->family)},
                   .cluster = cluster,
                   .own = own,
                   .bits = seeking_in(job, own / LANES) & mt_cluster_bits(cluster->name)};
    if (who.bits == 0)
        return;
    memcpy(who.box.low, cluster->low, sizeof who.box.low);
    memcpy(who.box.high, cluster->high, sizeof who.box.high);
    if (near->count > MT_PACK_NEAR)
        hold_crowd(job, &who, &buffers->packs, out);
    else
        hold_near(job, &who, near, out);
    if (job->grid->count > 0 && !is_beyond(job->grid, &who.box))
        hold_loose(job, &who, &buffers->particles, out);
    bool check = out->check || job->phases_differ;
    uint32_t rest = who.bits & lanes_bits(lanes_differ(lanes_load_index(out->length), lanes_all_index(0)));
    for (; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        finish_lane(job, own + lane, out->length[lane], check, out);
    }
    out->check = false;
}

#endif
