/* What contacts bear is kept for the next step: those that bear something, by their owners. */
#include "step/impulse/impulse.h"

#include "base/vec.h"
#include "world/check.h"

#include <string.h>

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

/* Of one particle; answers how many. Particles are gone through as they are in memory, and so are rows then: a colour's
 * are in the order of their owners. */
static uint32_t remember(const remember_job *job, uint32_t slot, mt_contact_impulse *to)
{
    const mt_impulses *w = job->w;
    const mote_particle_id owner = mt_particle_ids(job->world)[slot];
    const uint32_t *start = w->start.data;
    uint32_t count = 0;
    for (uint32_t k = start[owner.index]; k < start[owner.index + 1]; k++) {
        uint32_t lane = ((const uint32_t *)w->lane_of.data)[k];
        const mt_contact_row *row = (const mt_contact_row *)w->rows.data + lane / MT_SLICE;
        if ((row->more == NULL && !row->bears) || !bears(row, lane % MT_SLICE))
            continue;
        if (to != NULL) {
            to[count] = (mt_contact_impulse){.owner = owner.index, .owner_generation = owner.generation};
            name_other(job, (const mt_pair *)w->pairs.data + k, &to[count]);
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
            to[count] = (mt_contact_impulse){.owner = owner.index,
                                             .owner_generation = owner.generation,
                                             .kind = MT_CONTACT_SHAPE,
                                             .other = shape.index,
                                             .other_generation = shape.generation};
            note(job, &to[count], &row[k], n);
        }
        count++;
    }
    return count;
}

static void count_range(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const remember_job *job = context;
    uint32_t *borne = job->w->borne.data;
    (void)worker;
    for (uint32_t i = begin * MT_SLICE; i < end * MT_SLICE && i < job->s->count; i++)
        borne[mt_particle_ids(job->world)[i].index] = remember(job, i, NULL);
}

static void remember_range(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const remember_job *job = context;
    const uint32_t *first = job->w->borne.data;
    (void)worker;
    for (uint32_t i = begin * MT_SLICE; i < end * MT_SLICE && i < job->s->count; i++) {
        uint32_t index = mt_particle_ids(job->world)[i].index;
        if (first[index] < first[index + 1])
            remember(job, i, (mt_contact_impulse *)job->w->remembered.data + first[index]);
    }
}

mote_result mt_impulses_remember(mote_world *world, const mt_substep *s)
{
    mt_impulses *w = &world->scratch->impulses;
    remember_job job = {world, s, w};
    uint32_t owners = world->particles.handles.count, next = 0;
    MT_TRY(mt_array_reserve(&w->borne, &world->memory, (size_t)owners + 1, 0));
    uint32_t *borne = w->borne.data;
    memset(borne, 0, owners * sizeof *borne);
    mt_parallel_for(&world->threads, s->slices, MT_BLOCK, count_range, &job);
    for (uint32_t k = 0; k < owners; k++) {
        uint32_t count = borne[k];
        borne[k] = next;
        next += count;
    }
    borne[owners] = w->remembered_count = next;
    MT_TRY(mt_array_reserve(&w->remembered, &world->memory, next, 0));
    if (next > 0)
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
