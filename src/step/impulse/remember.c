/* What contacts bear is kept for the next step: those that bear something, by their owners; of an owner first those with
 * particles and bodies, in the order of its pairs, then those with shapes. */
#include "step/impulse/remember.h"

#include "base/vec.h"
#include "step/kernels.h"
#include "world/check.h"

#include <string.h>

#define ROWS   256u  /* that a thread takes at once */
#define OWNERS 2048u /* the same */

/* ---- contacts with shapes ------------------------------------------------------------------------------- */

static bool has_impulse(const mt_contact_row *row, uint32_t n)
{
    return row->impulse[n] != 0 || row->friction_x[n] != 0 || row->friction_y[n] != 0 ||
           row->friction_z[n] != 0;
}

/* The contact in lane n of a row of a slice, if it bears something; else NULL. */
static const mt_contact_row *with_impulse_on(const mt_shape_side *side, uint32_t r, uint32_t n, uint32_t *lane)
{
    const mt_contact_row *row = mt_contact_on_shape(side, r, n, lane);
    return row != NULL && has_impulse(row, *lane) ? row : NULL;
}

/* The rows of a slice's contacts with shapes, [*first, end). */
static uint32_t rows_on_shapes(const mt_impulses *w, uint32_t slice, uint32_t *first)
{
    const mt_shape_side *side = &w->shapes.sides[w->shapes.side];
    *first = ((const uint32_t *)side->first.data)[slice];
    return *first + ((const uint32_t *)side->number.data)[slice];
}

static void count_on_shapes(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_remember_job *job = context;
    const mt_shape_side *side = &job->w->shapes.sides[job->w->shapes.side];
    uint32_t *kept = job->w->kept.on_shapes.data;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        uint32_t first, last = rows_on_shapes(job->w, slice, &first), lane;
        for (uint32_t i = slice * MT_SLICE; first < last && i < (slice + 1) * MT_SLICE && i < job->s->count;
             i++)
            for (uint32_t r = first; r < last; r++)
                kept[mt_particle_ids(job->world)[i].index] +=
                    with_impulse_on(side, r, i % MT_SLICE, &lane) != NULL;
    }
}

static void remember_on_shapes(const mt_remember_job *job, uint32_t slot, uint32_t first, uint32_t last)
{
    const mote_particle_id owner = mt_particle_ids(job->world)[slot];
    mt_contact_impulse *to = (mt_contact_impulse *)job->w->kept.remembered.data +
                             ((const uint32_t *)job->w->kept.on_shapes.data)[owner.index];
    for (uint32_t r = first; r < last; r++) {
        uint32_t n;
        const mt_contact_row *row =
            with_impulse_on(&job->w->shapes.sides[job->w->shapes.side], r, slot % MT_SLICE, &n);
        if (row == NULL)
            continue;
        mote_shape_id shape = mt_shapes(job->world)[row->shape[n]].id;
        *to = (mt_contact_impulse){.owner = owner.index,
                                   .owner_generation = owner.generation,
                                   .kind = MT_CONTACT_SHAPE,
                                   .other = shape.index,
                                   .other_generation = shape.generation};
        mt_note_impulse(job, to++, row, n);
    }
}

static void remember_slices(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_remember_job *job = context;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        uint32_t first, last = rows_on_shapes(job->w, slice, &first);
        for (uint32_t i = slice * MT_SLICE; first < last && i < (slice + 1) * MT_SLICE && i < job->s->count;
             i++)
            remember_on_shapes(job, i, first, last);
    }
}

/* ---- where they go ---------------------------------------------------------------------------------------
 * Whether each pair bears something, and how many contacts with shapes each owner has that do, become places: block by
 * block of owners, without asking each owner where its pairs end. */

static uint32_t owner_count(const mt_remember_job *job)
{
    return job->world->particles.handles.count;
}

static uint32_t end_of_block(const mt_remember_job *job, uint32_t owner)
{
    return owner_count(job) - owner < OWNERS ? owner_count(job) : owner + OWNERS;
}

static void count_block(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_remember_job *job = context;
    const uint32_t *start = job->w->search.start.data, *kept = job->w->kept.pairs.data,
                   *on_shapes = job->w->kept.on_shapes.data;
    (void)worker;
    uint32_t count = 0;
    for (uint32_t owner = begin; owner < end; owner++)
        count += on_shapes[owner];
    for (uint32_t k = start[begin]; k < start[end]; k++)
        count += kept[k];
    ((uint32_t *)job->w->kept.blocks.data)[begin / OWNERS] = count;
}

/* Answers how many there are in all. */
static uint32_t place_blocks(const mt_remember_job *job)
{
    uint32_t *first = job->w->kept.blocks.data, next = 0;
    for (uint32_t owner = 0; owner < owner_count(job); owner = end_of_block(job, owner)) {
        uint32_t count = first[owner / OWNERS];
        first[owner / OWNERS] = next;
        next += count;
    }
    return next;
}

static uint32_t place_pairs(uint32_t *kept, uint32_t k, uint32_t end, uint32_t next)
{
    for (; k < end; k++) {
        uint32_t count = kept[k];
        kept[k] = next;
        next += count;
    }
    return next;
}

static void place_block(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_remember_job *job = context;
    const uint32_t *start = job->w->search.start.data;
    uint32_t *on_shapes = job->w->kept.on_shapes.data, k = start[begin];
    const uint32_t *first = (const uint32_t *)job->w->kept.blocks.data + begin / OWNERS;
    uint32_t next = first[0], last = end < owner_count(job) ? first[1] : job->w->kept.count;
    (void)worker;
    if (next == last)
        return; /* nobody of the block is asked */
    for (uint32_t owner = begin; owner < end; owner++) {
        if (on_shapes[owner] == 0)
            continue;
        uint32_t count = on_shapes[owner];
        on_shapes[owner] = next = place_pairs(job->w->kept.pairs.data, k, start[owner + 1], next);
        next += count;
        k = start[owner + 1];
    }
    place_pairs(job->w->kept.pairs.data, k, start[end], next);
}

mote_result mt_impulses_remember(mote_world *world, const mt_substep *s)
{
    mt_impulses *w = &world->scratch->impulses;
    mt_remember_job job = {world, s, w};
    uint32_t owners = world->particles.handles.count;
    MT_TRY(mt_array_reserve(&w->kept.pairs, &world->memory, (size_t)w->search.count + 1, 0));
    MT_TRY(mt_array_reserve(&w->kept.on_shapes, &world->memory, owners, 0));
    MT_TRY(mt_array_reserve(&w->kept.blocks, &world->memory, owners / OWNERS + 1, 0));
    memset(w->kept.pairs.data, 0, w->search.count * sizeof(uint32_t));
    memset(w->kept.on_shapes.data, 0, owners * sizeof(uint32_t));
    mt_parallel_for(&world->threads, w->rows.count, ROWS, world->kernels->remember_mark, &job);
    mt_parallel_for(&world->threads, s->slices, MT_BLOCK, count_on_shapes, &job);
    mt_parallel_for(&world->threads, owners, OWNERS, count_block, &job);
    w->kept.count = place_blocks(&job);
    MT_TRY(mt_array_reserve(&w->kept.remembered, &world->memory, w->kept.count, 0));
    if (w->kept.count == 0)
        return MOTE_OK;
    mt_parallel_for(&world->threads, owners, OWNERS, place_block, &job);
    mt_parallel_for(&world->threads, w->rows.count, ROWS, world->kernels->remember_rows, &job);
    mt_parallel_for(&world->threads, s->slices, MT_BLOCK, remember_slices, &job);
    return MOTE_OK;
}

void mt_impulses_commit(mote_world *world)
{
    mt_impulses *w = &world->scratch->impulses;
    mt_array last = world->impulses;
    world->impulses = w->kept.remembered;
    w->kept.remembered = last;
    world->impulse_count = w->kept.count;
}
