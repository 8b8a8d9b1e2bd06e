/* What contacts bear is kept for the next step: those that bear something, by their owners. */
#include "step/impulse/impulse.h"

#include "base/vec.h"
#include "world/check.h"

#include <string.h>

#define BLOCK 1024u /* owners */

typedef struct remember_job {
    const mote_world *world;
    const mt_substep *s;
    mt_impulses *w;
    mt_contact_impulse *to; /* NULL: only count */
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

/* Marks the pairs that bear something. Rows are gone through as they are in memory; only who bears is looked up by its
 * owner. */
static void mark_range(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const remember_job *job = context;
    const mt_contact_row *rows = job->w->rows.data;
    const uint32_t *pair = job->w->lane_pair.data;
    (void)worker;
    for (uint32_t r = begin; r < end; r++)
        for (uint32_t rest = rows[r].more != NULL || rows[r].bears ? rows[r].lanes : 0; rest != 0;
             rest &= rest - 1) {
            uint32_t n = (uint32_t)__builtin_ctz(rest);
            ((uint8_t *)job->w->borne.data)[pair[(size_t)r * MT_SLICE + n]] = bears(&rows[r], n);
        }
}

/* Of one owner; answers how many. */
static uint32_t remember(const remember_job *job, uint32_t index, uint32_t slot, mt_contact_impulse *to)
{
    const mt_impulses *w = job->w;
    const mote_particle_id *id = mt_particle_ids(job->world);
    const uint32_t *start = w->start.data;
    uint32_t count = 0;
    for (uint32_t k = start[index]; k < start[index + 1]; k++) {
        if (((const uint8_t *)w->borne.data)[k] == 0)
            continue;
        if (to != NULL) {
            const mt_pair *pair = (const mt_pair *)w->pairs.data + k;
            uint32_t lane = ((const uint32_t *)w->lane_of.data)[k];
            const mt_contact_row *row = (const mt_contact_row *)w->rows.data + lane / MT_SLICE;
            to[count] = (mt_contact_impulse){.owner = index, .owner_generation = id[pair->a].generation};
            name_other(job, pair, &to[count]);
            note(job, &to[count], row, lane % MT_SLICE);
        }
        count++;
    }
    const mt_shape_side *side = &w->sides[w->side];
    uint32_t slice = slot / MT_SLICE, n = slot % MT_SLICE;
    const mt_contact_row *row =
        (const mt_contact_row *)side->rows.data + ((const uint32_t *)side->first.data)[slice];
    for (uint32_t k = 0; k < ((const uint32_t *)side->number.data)[slice]; k++) {
        if ((row[k].more->known >> n & 1u) == 0 || !bears(&row[k], n))
            continue;
        if (to != NULL) {
            mote_shape_id shape = mt_shapes(job->world)[row[k].shape[n]].id;
            to[count] = (mt_contact_impulse){.owner = index,
                                             .owner_generation = id[slot].generation,
                                             .kind = MT_CONTACT_SHAPE,
                                             .other = shape.index,
                                             .other_generation = shape.generation};
            note(job, &to[count], &row[k], n);
        }
        count++;
    }
    return count;
}

static void remember_range(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const remember_job *job = context;
    const mt_handle_entry *entries = mt_handle_entries(&job->world->particles.handles);
    uint32_t *sums = job->w->block_sum.data, count = 0;
    mt_contact_impulse *to = job->to != NULL ? job->to + sums[begin / BLOCK] : NULL;
    (void)worker;
    for (uint32_t k = begin; k < end; k++)
        if (entries[k].slot != MT_NO_SLOT)
            count += remember(job, k, entries[k].slot, to != NULL ? to + count : NULL);
    if (job->to == NULL)
        sums[begin / BLOCK] = count;
}

mote_result mt_impulses_remember(mote_world *world, const mt_substep *s)
{
    mt_impulses *w = &world->scratch->impulses;
    remember_job job = {world, s, w, NULL};
    uint32_t owners = world->particles.handles.count, blocks = (owners + BLOCK - 1) / BLOCK, next = 0;
    MT_TRY(mt_array_reserve(&w->block_sum, &world->memory, blocks, 0));
    MT_TRY(mt_array_reserve(&w->borne, &world->memory, w->pair_count, 0));
    if (w->pair_count > 0)
        memset(w->borne.data, 0, w->pair_count);
    mt_parallel_for(&world->threads, w->row_count, BLOCK, mark_range, &job);
    mt_parallel_for(&world->threads, owners, BLOCK, remember_range, &job);
    uint32_t *sums = w->block_sum.data;
    for (uint32_t k = 0; k < blocks; k++) {
        uint32_t count = sums[k];
        sums[k] = next;
        next += count;
    }
    MT_TRY(mt_array_reserve(&w->remembered, &world->memory, next, 0));
    w->remembered_count = next;
    job.to = w->remembered.data;
    if (next > 0)
        mt_parallel_for(&world->threads, owners, BLOCK, remember_range, &job);
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
