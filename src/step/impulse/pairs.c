/* The pairs of a step in the order in which contacts are coloured: by the index of the owner, then by that of the other.
 * Where in memory they are found has nothing to do with that order, and depends on what is far away. */
#include "step/impulse/contact_set.h"
#include "step/impulse/impulse.h"

#include "step/neighbors/neighbors.h"
#include "world/check.h"

#include <string.h>

#define OWNERS 1024u /* that a thread takes at once */

/* ---- by owner: a counting sort --------------------------------------------------------------------------
 * Slices are cut into ranges; each has a count for every owner, so that all can count and put at once. */

static uint32_t *counts_of(const mt_set_job *job, uint32_t range)
{
    return (uint32_t *)job->w->counts.data + (size_t)range * job->world->particles.handles.count;
}

/* Calls for what was found in the slices of a range. */
typedef void found_task(const mt_set_job *job, uint32_t *count, size_t at, uint32_t number);

static inline void for_range(const mt_set_job *job, uint32_t range, found_task *task)
{
    const uint32_t *start = job->world->scratch->lists.start.data, *number = job->w->number.data;
    uint32_t slice = mt_range_start(job, range), end = mt_range_start(job, range + 1);
    for (; slice < end; slice++)
        task(job, counts_of(job, range), (size_t)start[slice] * MT_SLICE, number[slice]);
}

static void count_found(const mt_set_job *job, uint32_t *count, size_t at, uint32_t number)
{
    const uint32_t *owner = (const uint32_t *)job->w->found_owner.data + at;
    for (uint32_t k = 0; k < number; k++)
        count[owner[k]]++;
}

static void count_range(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_set_job *job = context;
    (void)worker;
    for (uint32_t range = begin; range < end; range++) {
        memset(counts_of(job, range), 0, job->world->particles.handles.count * sizeof(uint32_t));
        for_range(job, range, count_found);
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

static void put_found(const mt_set_job *job, uint32_t *place, size_t at, uint32_t number)
{
    const uint32_t *owner = (const uint32_t *)job->w->found_owner.data + at,
                   *other = (const uint32_t *)job->w->found_other.data + at;
    uint32_t *others = job->w->others.data;
    for (uint32_t k = 0; k < number; k++)
        others[place[owner[k]]++] = other[k];
}

static void put_range(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_set_job *job = context;
    (void)worker;
    for (uint32_t range = begin; range < end; range++)
        for_range(job, range, put_found);
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

/* Of those of the owner, [first, end). */
static uint32_t recall(const mt_set_job *job, const mt_pair *pair, uint32_t first, uint32_t end)
{
    const mt_contact_impulse *last = job->world->impulses.data;
    const mote_particle_id *id = mt_particle_ids(job->world);
    uint32_t kind = MT_CONTACT_PARTICLE, other = id[pair->b].index, generation = id[pair->b].generation;
    if (pair->surface != 0) {
        mote_body_id body = mt_mover_body(job->world, ((const uint32_t *)job->w->mover_of.data)[pair->b]);
        kind = MT_CONTACT_BODY;
        other = body.index;
        generation = body.generation;
    }
    for (uint32_t k = first; k < end; k++)
        if (last[k].kind == kind && last[k].other == other && last[k].other_generation == generation &&
            last[k].owner_generation == id[pair->a].generation)
            return k + 1;
    return 0;
}

/* ---- one owner ------------------------------------------------------------------------------------------ */

static void sort(uint32_t *others, uint32_t count)
{
    for (uint32_t k = 1; k < count; k++) {
        uint32_t one = others[k], n = k;
        for (; n > 0 && others[n - 1] > one; n--)
            others[n] = others[n - 1];
        others[n] = one;
    }
}

/* Which movers a pair gives colours to; what does not move takes none. */
static mt_pair_ends ends_of(const mt_set_job *job, const mt_pair *pair)
{
    const mt_impulses *w = job->w;
    const uint32_t none = job->s->dummy;
    if (job->world->scratch->lists.once) /* loose ones that move */
        return (mt_pair_ends){pair->a, pair->b, pair->remembered != 0};
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
    const mt_handle_entry *entries = mt_handle_entries(&job->world->particles.handles);
    mt_impulses *w = job->w;
    const uint32_t *start = w->start.data, *remembered = w->remembered_start.data;
    (void)worker;
    for (uint32_t owner = begin; owner < end; owner++) {
        uint32_t *others = (uint32_t *)w->others.data + start[owner], count = start[owner + 1] - start[owner];
        uint32_t first = remembered[owner], last = remembered[owner + 1];
        sort(others, count);
        for (uint32_t k = 0; k < count; k++) {
            mt_pair pair = {entries[owner].slot, entries[others[k] >> 1].slot, others[k] & 1u, 0};
            if (first < last)
                pair.remembered = recall(job, &pair, first, last);
            ((mt_pair *)w->pairs.data)[start[owner] + k] = pair;
            ((mt_pair_ends *)w->ends.data)[start[owner] + k] = ends_of(job, &pair);
        }
    }
}

mote_result mt_pairs_order(mt_set_job *job)
{
    mote_world *world = job->world;
    mt_impulses *w = job->w;
    size_t owners = world->particles.handles.count;
    MT_TRY(mt_array_reserve(&w->counts, &world->memory, job->ranges * owners, 0));
    MT_TRY(mt_array_reserve(&w->start, &world->memory, owners + 1, 0));
    MT_TRY(mt_array_reserve(&w->remembered_start, &world->memory, owners + 1, 0));
    mt_parallel_for(&world->threads, job->ranges, 1, count_range, job);
    place_owners(job);
    place_remembered(job);
    MT_TRY(mt_array_reserve(&w->others, &world->memory, w->pair_count, 0));
    MT_TRY(mt_array_reserve(&w->pairs, &world->memory, w->pair_count, 0));
    MT_TRY(mt_array_reserve(&w->ends, &world->memory, w->pair_count, 0));
    mt_parallel_for(&world->threads, job->ranges, 1, put_range, job);
    mt_parallel_for(&world->threads, (uint32_t)owners, OWNERS, finish_owners, job);
    return MOTE_OK;
}
