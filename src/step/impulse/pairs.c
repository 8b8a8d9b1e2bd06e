/* The pairs of a step in the order in which contacts are coloured: by the index of the owner, then by that of the other.
 * Where in memory they are found has nothing to do with that order, and depends on what is far away. */
#include "step/impulse/contact_set.h"
#include "step/impulse/impulse.h"

#include "step/neighbors/neighbors.h"
#include "world/check.h"

#include <string.h>

#define OWNERS 1024u /* or impulses, that a thread takes at once */

/* ---- by owner: a counting sort --------------------------------------------------------------------------
 * Slices are cut into ranges; each has a count for every owner, so that all can count and put at once. */

static uint32_t *counts_of(const mt_set_job *job, uint32_t range)
{
    return (uint32_t *)job->w->search.counts.data + (size_t)range * job->world->particles.handles.count;
}

/* Calls for what was found in the slices of a range. */
typedef void found_task(const mt_set_job *job, uint32_t *count, size_t at, uint32_t number);

static inline void for_range(const mt_set_job *job, uint32_t range, found_task *task)
{
    const uint32_t *start = job->world->scratch->search.lists.start.data, *number = job->w->search.number.data;
    uint32_t slice = mt_range_start(job, range), end = mt_range_start(job, range + 1);
    for (; slice < end; slice++)
        task(job, counts_of(job, range), (size_t)start[slice] * MT_SLICE, number[slice]);
}

static void count_found(const mt_set_job *job, uint32_t *count, size_t at, uint32_t number)
{
    const uint32_t *owner = (const uint32_t *)job->w->search.found_owner.data + at;
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
    uint32_t owners = job->world->particles.handles.count, *start = job->w->search.start.data, next = 0;
    for (uint32_t k = 0; k < owners; k++) {
        start[k] = next;
        for (uint32_t range = 0; range < job->ranges; range++) {
            uint32_t *count = counts_of(job, range) + k, number = *count;
            *count = next;
            next += number;
        }
    }
    start[owners] = job->w->search.count = next;
}

static void put_found(const mt_set_job *job, uint32_t *place, size_t at, uint32_t number)
{
    const uint32_t *owner = (const uint32_t *)job->w->search.found_owner.data + at,
                   *other = (const uint32_t *)job->w->search.found_other.data + at;
    uint32_t *others = job->w->search.others.data;
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

/* ---- one owner ------------------------------------------------------------------------------------------ */

static inline void put_in_order(uint32_t *a, uint32_t *b)
{
    uint32_t least = *a < *b ? *a : *b, most = *a < *b ? *b : *a;
    *a = least;
    *b = most;
}

/* Most owners have four others or less: these are sorted without a jump, which would be guessed wrong. */
static void sort(uint32_t *others, uint32_t count)
{
    if (count <= 4) {
        uint32_t four[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
        for (uint32_t k = 0; k < 4; k++)
            four[k] = k < count ? others[k] : UINT32_MAX;
        put_in_order(&four[0], &four[1]);
        put_in_order(&four[2], &four[3]);
        put_in_order(&four[0], &four[2]);
        put_in_order(&four[1], &four[3]);
        put_in_order(&four[1], &four[2]);
        for (uint32_t k = 0; k < count; k++)
            others[k] = four[k];
        return;
    }
    for (uint32_t k = 1; k < count; k++) {
        uint32_t one = others[k], n = k;
        for (; n > 0 && others[n - 1] > one; n--)
            others[n] = others[n - 1];
        others[n] = one;
    }
}

/* Which movers a pair gives colours to; what does not move takes none. */
static inline mt_pair_ends ends_of(const mt_set_job *job, const mt_pair *pair, mt_pair_sort sort)
{
    const mt_impulses *w = job->w;
    const uint32_t none = job->s->dummy;
    if (job->world->scratch->search.lists.once) /* loose ones that move */
        return (mt_pair_ends){pair->a, pair->b, sort};
    const uint32_t *of = w->movers.of.data;
    uint32_t a = of[pair->a], b = of[pair->b];
    if (a >= w->movers.first_body || b >= w->movers.first_body)
        return (mt_pair_ends){MT_OF_BODY, 0, sort};
    return (mt_pair_ends){mt_mover_moves(w, a) ? a : none, mt_mover_moves(w, b) ? b : none, sort};
}

static void finish_owners(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_set_job *job = context;
    const mt_handle_entry *entries = mt_handle_entries(&job->world->particles.handles);
    mt_impulses *w = job->w;
    const uint32_t *start = w->search.start.data;
    (void)worker;
    for (uint32_t owner = begin; owner < end; owner++) {
        if (start[owner] == start[owner + 1])
            continue;
        uint32_t *others = w->search.others.data, slot = entries[owner].slot;
        sort(others + start[owner], start[owner + 1] - start[owner]);
        for (uint32_t k = start[owner]; k < start[owner + 1]; k++) {
            mt_pair pair = {slot, entries[mt_found_index(others[k])].slot, mt_found_surface(others[k]), 0};
            ((mt_pair *)w->search.pairs.data)[k] = pair;
            ((mt_pair_ends *)w->search.ends.data)[k] = ends_of(job, &pair, mt_found_sort(others[k]));
        }
    }
}

/* ---- what was remembered -------------------------------------------------------------------------------- */

static bool is_of_body(const mt_set_job *job, const mt_pair *pair, const mt_contact_impulse *last)
{
    mote_body_id body = mt_mover_body(job->world, ((const uint32_t *)job->w->movers.of.data)[pair->b]);
    return body.index == last->other && body.generation == last->other_generation;
}

/* Whether that was borne by the k-th pair, which is of the same owner. */
static inline bool is_of_pair(const mt_set_job *job, uint32_t k, const mt_contact_impulse *last)
{
    uint32_t found = ((const uint32_t *)job->w->search.others.data)[k];
    if (last->kind == MT_CONTACT_PARTICLE)
        return !mt_found_surface(found) && mt_found_index(found) == last->other;
    return last->kind == MT_CONTACT_BODY && mt_found_surface(found) &&
           is_of_body(job, (const mt_pair *)job->w->search.pairs.data + k, last);
}

/* Whether the two of an impulse are still there. */
static inline bool is_alive(const mt_set_job *job, const mt_contact_impulse *last)
{
    const mt_handle_entry *entries = mt_handle_entries(&job->world->particles.handles);
    if (last->owner_generation != entries[last->owner].generation)
        return false;
    return last->kind != MT_CONTACT_PARTICLE || (last->other < job->world->particles.handles.count &&
                                                 last->other_generation == entries[last->other].generation);
}

static void recall(const mt_set_job *job, uint32_t m)
{
    const mt_contact_impulse *last = (const mt_contact_impulse *)job->world->impulses.data + m;
    const uint32_t *start = job->w->search.start.data;
    if (last->kind == MT_CONTACT_SHAPE || !is_alive(job, last))
        return;
    uint32_t k = start[last->owner], none = start[last->owner + 1];
    while (k < none && !is_of_pair(job, k, last))
        k++;
    if (k == none)
        return;
    ((mt_pair *)job->w->search.pairs.data)[k].remembered = m + 1;
    ((mt_pair_ends *)job->w->search.ends.data)[k].sort = MT_PAIR_BORE;
}

/* Where the impulses of each owner begin, from behind the owner before this one's on. */
static void note_start(const mt_set_job *job, uint32_t m)
{
    const mt_contact_impulse *last = job->world->impulses.data;
    uint32_t *start = job->w->search.remembered_start.data, owner = m > 0 ? last[m - 1].owner + 1 : 0;
    uint32_t end = m < job->world->impulse_count ? last[m].owner : job->world->particles.handles.count;
    for (; owner <= end; owner++)
        start[owner] = m;
}

/* The last of all is that of nobody. */
static void recall_range(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_set_job *job = context;
    (void)worker;
    for (uint32_t m = begin; m < end; m++) {
        note_start(job, m);
        if (m < job->world->impulse_count)
            recall(job, m);
    }
}

mote_result mt_pairs_order(mt_set_job *job)
{
    mote_world *world = job->world;
    mt_impulses *w = job->w;
    size_t owners = world->particles.handles.count;
    MT_TRY(mt_array_reserve(&w->search.counts, &world->memory, job->ranges * owners, 0));
    MT_TRY(mt_array_reserve(&w->search.start, &world->memory, owners + 1, 0));
    MT_TRY(mt_array_reserve(&w->search.remembered_start, &world->memory, owners + 1, 0));
    mt_parallel_for(&world->threads, job->ranges, 1, count_range, job);
    place_owners(job);
    MT_TRY(mt_array_reserve(&w->search.others, &world->memory, w->search.count, 0));
    MT_TRY(mt_array_reserve(&w->search.pairs, &world->memory, w->search.count, 0));
    MT_TRY(mt_array_reserve(&w->search.ends, &world->memory, w->search.count, 0));
    mt_parallel_for(&world->threads, job->ranges, 1, put_range, job);
    mt_parallel_for(&world->threads, (uint32_t)owners, OWNERS, finish_owners, job);
    mt_parallel_for(&world->threads, (uint32_t)world->impulse_count + 1, OWNERS, recall_range, job);
    return MOTE_OK;
}
