/* Contacts that are reported, from what report.c has summed up: sorted by their first particle, then by what it touches. */
#include "base/vec.h"
#include "step/finish/finish.h"
#include "step/impulse/impulse.h"
#include "world/check.h"
#include "world/touches.h"

typedef struct contact_job {
    const mote_world *world;
    const mt_impulses *w;
    const mt_report *report;
    mt_findings *found;
} contact_job;

mt_touch mt_touch_of_contact(const mote_contact *c)
{
    mt_touch touch = {.particle = c->a};
    if (!mote_is_null(c->b)) {
        touch.kind = MT_TOUCH_PARTICLE;
        touch.other_index = c->b.index;
        touch.other_generation = c->b.generation;
    } else if (!mote_is_null(c->shape)) {
        touch.kind = MT_TOUCH_SHAPE;
        touch.other_index = c->shape.index;
        touch.other_generation = c->shape.generation;
    } else {
        touch.kind = MT_TOUCH_BODY;
        touch.other_index = c->body_b.index;
        touch.other_generation = c->body_b.generation;
    }
    return touch;
}

/* ---- one owner -------------------------------------------------------------------------------------------- */

/* Calls for every contact of a particle; sums of pairs first. */
typedef void owner_task(const contact_job *job, const mt_pair *pair, const mt_shape_sum *on_shape,
                        const mt_contact_sum *sum, mote_contact **to);

static inline void for_owner(const contact_job *job, uint32_t owner, owner_task *task, mote_contact **to)
{
    const mt_impulses *w = job->w;
    const mt_report *report = job->report;
    const uint32_t *start = w->search.start.data, *lane = w->rows.lane_of.data, *first = report->row_sums.data;
    const uint8_t *gave = report->gave.data;
    uint32_t slot = mt_handle_entries(&job->world->particles.handles)[owner].slot;
    for (uint32_t k = start[owner]; k < start[owner + 1]; k++)
        if (gave[k] != 0)
            task(job, (const mt_pair *)w->search.pairs.data + k, NULL,
                 (const mt_contact_sum *)report->sums.data + first[lane[k] / MT_SLICE] + lane[k] % MT_SLICE,
                 to);
    if (report->shape_count == 0 || slot == MT_NO_SLOT)
        return;
    const uint32_t *in_slice = (const uint32_t *)report->shape_first[report->side].data + slot / MT_SLICE;
    const mt_shape_sum *on_shape = report->shape_sums[report->side].data;
    for (uint32_t k = in_slice[0]; k < in_slice[1]; k++)
        if (on_shape[k].slot == slot)
            task(job, NULL, &on_shape[k], &on_shape[k].sum, to);
}

static void count_contact(const contact_job *job, const mt_pair *pair, const mt_shape_sum *on_shape,
                          const mt_contact_sum *sum, mote_contact **to)
{
    (void)job;
    (void)pair;
    (void)on_shape;
    (void)sum;
    (*to)++;
}

static mote_body_id body_of(const contact_job *job, uint32_t slot)
{
    uint32_t mover = ((const uint32_t *)job->w->movers.of.data)[slot];
    return mover >= job->w->movers.first_body ? mt_mover_body(job->world, mover) : (mote_body_id){0, 0};
}

static void write_contact(const contact_job *job, const mt_pair *pair, const mt_shape_sum *on_shape,
                          const mt_contact_sum *sum, mote_contact **to)
{
    const mote_particle_id *id = mt_particle_ids(job->world);
    uint32_t a = pair != NULL ? pair->a : on_shape->slot;
    float length = mt_length(sum->normal);
    mote_vec3 up = {0.0f, 1.0f, 0.0f}, normal = length > 0 ? mt_scale(sum->normal, 1.0f / length) : up;
    float impulse = mt_dot(sum->push, normal);
    mote_contact c = {
        .a = id[a],
        .body_a = body_of(job, a),
        .point = sum->point,
        .normal = normal,
        .separation = sum->separation,
        .impulse = impulse,
        .friction = mt_sub(sum->push, mt_scale(normal, impulse)),
        .approach_speed = sum->approach,
        .sliding_speed = sum->sliding,
    };
    if (pair == NULL)
        c.shape = mt_shapes(job->world)[on_shape->shape].id;
    else
        c.body_b = body_of(job, pair->b);
    if (pair != NULL && pair->surface == 0)
        c.b = id[pair->b];
    *(*to)++ = c;
}

/* They come nearly in order; those in several places of one shape stay as they come. */
static void sort_contacts(mote_contact *all, uint32_t count)
{
    for (uint32_t k = 1; k < count; k++) {
        mt_touch touch = mt_touch_of_contact(&all[k]), before = mt_touch_of_contact(&all[k - 1]);
        if (mt_touch_compare(&before, &touch) <= 0)
            continue;
        mote_contact one = all[k];
        uint32_t n = k;
        do {
            all[n] = all[n - 1];
            n--;
            if (n > 0)
                before = mt_touch_of_contact(&all[n - 1]);
        } while (n > 0 && mt_touch_compare(&before, &touch) > 0);
        all[n] = one;
    }
}

/* ---- all of them ------------------------------------------------------------------------------------------ */

static mt_touch_block *block_of(const contact_job *job, uint32_t begin)
{
    return (mt_touch_block *)job->found->blocks.data + begin / MT_OWNERS;
}

static void count_block(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const contact_job *job = context;
    mote_contact *first = job->found->contacts.data, *to = first;
    (void)worker;
    for (uint32_t owner = begin; owner < end; owner++)
        for_owner(job, owner, count_contact, &to);
    block_of(job, begin)->contacts = (uint32_t)(to - first);
}

static void write_block(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const contact_job *job = context;
    uint32_t *start = job->found->contact_start.data;
    mote_contact *first = job->found->contacts.data, *to = first + block_of(job, begin)->first_contact;
    (void)worker;
    for (uint32_t owner = begin; owner < end; owner++) {
        mote_contact *own = to;
        start[owner] = (uint32_t)(to - first);
        for_owner(job, owner, write_contact, &to);
        sort_contacts(own, (uint32_t)(to - own));
    }
}

mote_result mt_contacts_gather(mote_world *world)
{
    mt_findings *found = &world->scratch->finish.found;
    contact_job job = {world, &world->scratch->impulses, &world->scratch->finish.report, found};
    uint32_t owners = world->particles.handles.count;
    MT_TRY(mt_array_reserve(&found->contact_start, &world->memory, (size_t)owners + 1, 0));
    mt_parallel_for(&world->threads, owners, MT_OWNERS, count_block, &job);
    found->contact_count = 0;
    for (uint32_t k = 0; k < found->block_count; k++) {
        mt_touch_block *block = (mt_touch_block *)found->blocks.data + k;
        block->first_contact = found->contact_count;
        found->contact_count += block->contacts;
    }
    MT_TRY(mt_array_reserve(&found->contacts, &world->memory, found->contact_count, 0));
    mt_parallel_for(&world->threads, owners, MT_OWNERS, write_block, &job);
    ((uint32_t *)found->contact_start.data)[owners] = found->contact_count;
    return MOTE_OK;
}

void mt_contacts_commit(mote_world *world)
{
    mt_findings *found = &world->scratch->finish.found;
    mt_array last = world->contacts;
    world->contacts = found->contacts;
    found->contacts = last;
    world->contact_count = found->contact_count;
    world->contact_index.is_made = false;
}
