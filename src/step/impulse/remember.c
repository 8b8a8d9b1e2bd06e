/* What contacts bear is kept for the next step: those that bear something, by their owners. */
#include "step/impulse/impulse.h"

#include "base/vec.h"
#include "world/check.h"

#include <string.h>

#define ROWS 1024u /* that a thread takes at once */

typedef struct remember_job {
    const mote_world *world;
    const mt_substep *s;
    mt_impulses *w;
} remember_job;

static bool bears(const mt_contact_row *row, uint32_t n)
{
    return row->impulse[n] != 0 || row->friction_x[n] != 0 || row->friction_y[n] != 0 ||
           row->friction_z[n] != 0;
}

static void note(const remember_job *job, mt_contact_impulse *to, const mt_contact_row *row, uint32_t n)
{
    float scale = job->s->inverse_h;
    to->normal = (mote_vec3){row->normal_x[n], row->normal_y[n], row->normal_z[n]};
    to->force = row->impulse[n] * scale;
    to->friction =
        (mote_vec3){row->friction_x[n] * scale, row->friction_y[n] * scale, row->friction_z[n] * scale};
}

static void name_other(const remember_job *job, const mt_pair *pair, mt_contact_impulse *to)
{
    if (pair->surface != 0) {
        mote_body_id body = mt_mover_body(job->world, ((const uint32_t *)job->w->mover_of.data)[pair->b]);
        to->kind = MT_CONTACT_BODY;
        to->other = body.index;
        to->other_generation = body.generation;
        return;
    }
    mote_particle_id other = mt_particle_ids(job->world)[pair->b];
    to->kind = MT_CONTACT_PARTICLE;
    to->other = other.index;
    to->other_generation = other.generation;
}

/* ---- who bears something -------------------------------------------------------------------------------- */

/* Rows are gone through as they are in memory; only who bears something is looked up. */
static void mark_rows(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const remember_job *job = context;
    const mt_contact_row *rows = job->w->rows.data;
    const uint32_t *pair = job->w->lane_pair.data;
    (void)worker;
    for (uint32_t r = begin; r < end; r++)
        for (uint32_t rest = mt_may_bear(job->w, r) ? rows[r].lanes : 0; rest != 0; rest &= rest - 1) {
            uint32_t n = (uint32_t)__builtin_ctz(rest);
            ((uint8_t *)job->w->marks.data)[pair[(size_t)r * MT_SLICE + n]] = bears(&rows[r], n);
        }
}

/* Whether a particle's k-th contact with shapes bears something. */
static bool bears_on_shape(const mt_contact_row *row, uint32_t k, uint32_t n)
{
    return (row[k].more->known >> n & 1u) != 0 && bears(&row[k], n);
}

/* The contacts of a slice with shapes, and how many rows they are. */
static const mt_contact_row *shape_rows(const mt_impulses *w, uint32_t slice, uint32_t *number)
{
    const mt_shape_side *side = &w->sides[w->side];
    *number = ((const uint32_t *)side->number.data)[slice];
    return (const mt_contact_row *)side->rows.data + ((const uint32_t *)side->first.data)[slice];
}

static void count_on_shapes(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const remember_job *job = context;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        uint32_t number, *kept = job->w->kept.data;
        const mt_contact_row *row = shape_rows(job->w, slice, &number);
        for (uint32_t i = slice * MT_SLICE; number > 0 && i < (slice + 1) * MT_SLICE && i < job->s->count; i++)
            for (uint32_t k = 0; k < number; k++)
                kept[mt_particle_ids(job->world)[i].index] += bears_on_shape(row, k, i % MT_SLICE);
    }
}

/* From how many each owner keeps on shapes to where its impulses begin; answers how many there are. */
static uint32_t place_owners(const mt_impulses *w, uint32_t owners)
{
    const uint32_t *start = w->start.data;
    const uint8_t *marks = w->marks.data;
    uint32_t *kept = w->kept.data, next = 0;
    for (uint32_t owner = 0; owner < owners; owner++) {
        uint32_t count = kept[owner];
        kept[owner] = next;
        for (uint32_t k = start[owner]; k < start[owner + 1]; k++)
            count += marks[k];
        next += count;
    }
    return kept[owners] = next;
}

/* ---- what they bear -------------------------------------------------------------------------------------- */

static void remember(const remember_job *job, uint32_t slot, mt_contact_impulse *to)
{
    const mt_impulses *w = job->w;
    const mote_particle_id owner = mt_particle_ids(job->world)[slot];
    const uint32_t *start = w->start.data, *lane = w->lane_of.data;
    const uint8_t *marks = w->marks.data;
    uint32_t number, n = slot % MT_SLICE;
    for (uint32_t k = start[owner.index]; k < start[owner.index + 1]; k++) {
        if (marks[k] == 0)
            continue;
        *to = (mt_contact_impulse){.owner = owner.index, .owner_generation = owner.generation};
        name_other(job, (const mt_pair *)w->pairs.data + k, to);
        note(job, to++, (const mt_contact_row *)w->rows.data + lane[k] / MT_SLICE, lane[k] % MT_SLICE);
    }
    const mt_contact_row *row = shape_rows(w, slot / MT_SLICE, &number);
    for (uint32_t k = 0; k < number; k++) {
        if (!bears_on_shape(row, k, n))
            continue;
        mote_shape_id shape = mt_shapes(job->world)[row[k].shape[n]].id;
        *to = (mt_contact_impulse){.owner = owner.index,
                                   .owner_generation = owner.generation,
                                   .kind = MT_CONTACT_SHAPE,
                                   .other = shape.index,
                                   .other_generation = shape.generation};
        note(job, to++, &row[k], n);
    }
}

/* Particles are gone through as they are in memory, and with them rows: a colour's are in the order of their owners. */
static void remember_range(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const remember_job *job = context;
    const uint32_t *kept = job->w->kept.data;
    (void)worker;
    for (uint32_t i = begin * MT_SLICE; i < end * MT_SLICE && i < job->s->count; i++) {
        uint32_t index = mt_particle_ids(job->world)[i].index;
        if (kept[index] < kept[index + 1])
            remember(job, i, (mt_contact_impulse *)job->w->remembered.data + kept[index]);
    }
}

mote_result mt_impulses_remember(mote_world *world, const mt_substep *s)
{
    mt_impulses *w = &world->scratch->impulses;
    remember_job job = {world, s, w};
    uint32_t owners = world->particles.handles.count;
    MT_TRY(mt_array_reserve(&w->kept, &world->memory, (size_t)owners + 1, 0));
    MT_TRY(mt_array_reserve(&w->marks, &world->memory, (size_t)w->pair_count + 1, 0));
    memset(w->kept.data, 0, owners * sizeof(uint32_t));
    memset(w->marks.data, 0, w->pair_count);
    mt_parallel_for(&world->threads, w->row_count, ROWS, mark_rows, &job);
    mt_parallel_for(&world->threads, s->slices, MT_BLOCK, count_on_shapes, &job);
    w->remembered_count = place_owners(w, owners);
    MT_TRY(mt_array_reserve(&w->remembered, &world->memory, w->remembered_count, 0));
    if (w->remembered_count > 0)
        mt_parallel_for(&world->threads, s->slices, MT_BLOCK, remember_range, &job);
    return MOTE_OK;
}

void mt_impulses_commit(mote_world *world)
{
    mt_impulses *w = &world->scratch->impulses;
    mt_array last = world->impulses;
    world->impulses = w->remembered;
    w->remembered = last;
    world->impulse_count = w->remembered_count;
}
