/* The pairs of a step in the order in which contacts are coloured: by the index of the owner, then by that of the other.
 * Where in memory they are found has nothing to do with that order, and depends on what is far away. */
#include "step/impulse/contact_set.h"
#include "step/impulse/impulse.h"

#include "step/neighbors/neighbors.h"
#include "world/check.h"

#include <string.h>

#define OWNERS 1024u /* that a thread takes at once */

/* ---- by owner: a counting sort --------------------------------------------------------------------------
 * Slots are cut into ranges; each has a count for every owner, so that all can count and put at once. */

/* Slots of a range, whole slices. */
static void range_of(const mt_set_job *job, uint32_t range, uint32_t *begin, uint32_t *end)
{
    uint32_t slices = job->s->slices, count = job->s->count;
    *begin = (uint32_t)((uint64_t)slices * range / job->ranges) * MT_SLICE;
    *end = (uint32_t)((uint64_t)slices * (range + 1) / job->ranges) * MT_SLICE;
    *end = *end < count ? *end : count;
}

static uint32_t *counts_of(const mt_set_job *job, uint32_t range)
{
    return (uint32_t *)job->w->counts.data + (size_t)range * job->world->particles.handles.count;
}

/* Whether the other of a pair that a particle found is its owner. */
static bool is_owned_by_other(const mt_set_job *job, uint32_t i, uint32_t j)
{
    const mote_particle_id *id = mt_particle_ids(job->world);
    return job->world->scratch->lists.once && id[j].index < id[i].index;
}

static void count_range(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_set_job *job = context;
    const mt_lists *lists = &job->world->scratch->lists;
    const mote_particle_id *id = mt_particle_ids(job->world);
    const uint32_t *number = job->w->number.data;
    (void)worker;
    for (uint32_t range = begin; range < end; range++) {
        uint32_t *count = counts_of(job, range), i, last;
        memset(count, 0, job->world->particles.handles.count * sizeof *count);
        for (range_of(job, range, &i, &last); i < last; i++) {
            const uint32_t *column = mt_own_pairs(lists, i);
            if (!lists->once)
                count[id[i].index] += number[i];
            for (uint32_t k = 0; lists->once && k < number[i]; k++) {
                uint32_t other = id[column[(size_t)k * MT_SLICE]].index;
                count[other < id[i].index ? other : id[i].index]++;
            }
        }
    }
}

/* Where each owner's pairs begin, and of these those of each range. */
static void place_owners(const mt_set_job *job)
{
    uint32_t owners = job->world->particles.handles.count, *start = job->w->start.data, next = 0;
    for (uint32_t k = 0; k < owners; k++) {
        start[k] = next;
        for (uint32_t range = 0; range < job->ranges; range++) {
            uint32_t *count = counts_of(job, range) + k, number = *count;
            *count = next;
            next += number;
        }
    }
    start[owners] = job->w->pair_count = next;
}

/* `lane` is the other's index until they are sorted. */
static void put_range(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_set_job *job = context;
    const mt_lists *lists = &job->world->scratch->lists;
    const mote_particle_id *id = mt_particle_ids(job->world);
    const uint32_t *number = job->w->number.data;
    mt_pair *pairs = job->w->pairs.data;
    (void)worker;
    for (uint32_t range = begin; range < end; range++) {
        uint32_t *place = counts_of(job, range), i, last;
        for (range_of(job, range, &i, &last); i < last; i++) {
            const uint32_t *column = mt_own_pairs(lists, i);
            for (uint32_t k = 0; k < number[i]; k++) {
                uint32_t j = column[(size_t)k * MT_SLICE] & ~MT_ON_SURFACE,
                         surface = column[(size_t)k * MT_SLICE] & MT_ON_SURFACE;
                bool swap = is_owned_by_other(job, i, j);
                uint32_t a = swap ? j : i, b = swap ? i : j;
                pairs[place[id[a].index]++] = (mt_pair){a, b, surface, 0, id[b].index};
            }
        }
    }
}

/* ---- what was remembered -------------------------------------------------------------------------------- */

static void place_remembered(const mt_set_job *job)
{
    const mote_world *world = job->world;
    const mt_contact_impulse *last = world->impulses.data;
    uint32_t *start = job->w->remembered_start.data, count = world->particles.handles.count, next = 0;
    for (uint32_t k = 0; k <= count; k++) {
        while (next < world->impulse_count && last[next].owner < k)
            next++;
        start[k] = next;
    }
}

static uint32_t recall(const mt_set_job *job, mote_particle_id owner, uint32_t kind, uint32_t other,
                       uint32_t generation)
{
    const mt_contact_impulse *last = job->world->impulses.data;
    const uint32_t *start = job->w->remembered_start.data;
    for (uint32_t k = start[owner.index]; k < start[owner.index + 1]; k++)
        if (last[k].kind == kind && last[k].other == other && last[k].other_generation == generation &&
            last[k].owner_generation == owner.generation)
            return k + 1;
    return 0;
}

static uint32_t recall_pair(const mt_set_job *job, const mt_pair *pair)
{
    const mote_particle_id *id = mt_particle_ids(job->world);
    if (pair->surface == 0)
        return recall(job, id[pair->a], MT_CONTACT_PARTICLE, id[pair->b].index, id[pair->b].generation);
    mote_body_id body = mt_mover_body(job->world, ((const uint32_t *)job->w->mover_of.data)[pair->b]);
    return recall(job, id[pair->a], MT_CONTACT_BODY, body.index, body.generation);
}

/* ---- one owner ------------------------------------------------------------------------------------------ */

static void sort_by_other(mt_pair *pair, uint32_t count)
{
    for (uint32_t k = 1; k < count; k++) {
        mt_pair one = pair[k];
        uint32_t n = k;
        for (; n > 0 && pair[n - 1].lane > one.lane; n--)
            pair[n] = pair[n - 1];
        pair[n] = one;
    }
}

/* Which movers a pair gives colours to; what does not move takes none. */
static mt_pair_ends ends_of(const mt_impulses *w, const mt_pair *pair, uint32_t none)
{
    const uint32_t *of = w->mover_of.data;
    uint32_t a = of[pair->a], b = of[pair->b];
    if (a >= w->first_body || b >= w->first_body)
        return (mt_pair_ends){MT_OF_BODY, 0, false};
    return (mt_pair_ends){mt_mover_moves(w, a) ? a : none, mt_mover_moves(w, b) ? b : none,
                          pair->remembered != 0};
}

static void finish_owners(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_set_job *job = context;
    mt_impulses *w = job->w;
    const uint32_t *start = w->start.data;
    (void)worker;
    for (uint32_t owner = begin; owner < end; owner++) {
        mt_pair *pair = (mt_pair *)w->pairs.data + start[owner];
        sort_by_other(pair, start[owner + 1] - start[owner]);
        for (uint32_t k = start[owner]; k < start[owner + 1]; k++, pair++) {
            pair->remembered = recall_pair(job, pair);
            ((mt_pair_ends *)w->ends.data)[k] = ends_of(w, pair, job->s->dummy);
        }
    }
}

mote_result mt_pairs_order(mt_set_job *job)
{
    mote_world *world = job->world;
    mt_impulses *w = job->w;
    size_t owners = world->particles.handles.count;
    job->ranges = world->threads.workers;
    MT_TRY(mt_array_reserve(&w->counts, &world->memory, job->ranges * owners, 0));
    MT_TRY(mt_array_reserve(&w->start, &world->memory, owners + 1, 0));
    MT_TRY(mt_array_reserve(&w->remembered_start, &world->memory, owners + 1, 0));
    mt_parallel_for(&world->threads, job->ranges, 1, count_range, job);
    place_owners(job);
    place_remembered(job);
    MT_TRY(mt_array_reserve(&w->pairs, &world->memory, w->pair_count, 0));
    MT_TRY(mt_array_reserve(&w->ends, &world->memory, w->pair_count, 0));
    mt_parallel_for(&world->threads, job->ranges, 1, put_range, job);
    mt_parallel_for(&world->threads, (uint32_t)owners, OWNERS, finish_owners, job);
    return MOTE_OK;
}
