/* Reordering: particles that are near in space are brought near in memory. It happens once a step and costs a
 * copy; the copy's source stays as it is and is what the world goes back to if the step fails. */
#include "step/neighbors/neighbors.h"

#include <string.h>

#define BLOCK_SLOTS (MT_BLOCK * MT_SLICE)

typedef struct reorder_job {
    mote_world *world;
    const uint32_t *order;
    uint32_t *moved_to; /* by the slot before */
} reorder_job;

/* Bodies keep their places from step to step. */
static bool stay_where_they_are(const reorder_job *job, uint32_t begin, uint32_t end)
{
    uint32_t differing = 0;
    for (uint32_t rank = begin; rank < end; rank++)
        differing |= job->order[rank] ^ rank;
    return differing == 0;
}

static void copy_range(mt_array *to, const mt_array *from, uint32_t begin, uint32_t end)
{
    memcpy((char *)to->data + begin * to->element, (const char *)from->data + begin * to->element,
           (end - begin) * to->element);
}

#define MOVE_ELEMENTS(type)                                                                                    \
    for (uint32_t rank = begin; rank < end; rank++)                                                            \
        ((type *)to->data)[rank] = ((const type *)from->data)[order[rank]];

static void move_elements(mt_array *to, const mt_array *from, const uint32_t *order, uint32_t begin,
                          uint32_t end)
{
    if (to->element == sizeof(mote_vec4))
        MOVE_ELEMENTS(mote_vec4)
    else if (to->element == sizeof(mote_particle_id))
        MOVE_ELEMENTS(mote_particle_id)
    else if (to->element == sizeof(uint32_t))
        MOVE_ELEMENTS(uint32_t)
    else
        for (uint32_t rank = begin; rank < end; rank++)
            memcpy((char *)to->data + rank * to->element, (const char *)from->data + order[rank] * to->element,
                   to->element);
}

static void copy_particles(const reorder_job *job, uint32_t begin, uint32_t end)
{
    mote_world *world = job->world;
    mt_scratch *s = world->scratch;
    const mt_particle_arrays *from = &world->particles.now;
    mt_particle_arrays *to = &world->particles.other;
    for (uint32_t k = 0; k < mt_attribute_count; k++)
        copy_range(&to->of[k], &from->of[k], begin, end);
    copy_range(&s->particles.moved_transport, &s->particles.transport, begin, end);
    copy_range(&s->particles.moved_predicted, &s->particles.predicted[0], begin, end);
    if (s->search.grid.plan.looks_ahead)
        copy_range(&s->search.moved_ahead, &s->search.ahead, begin, end);
    if (s->search.grid.plan.follows)
        copy_range(&s->search.flow.moved_drift, &s->search.flow.drift, begin, end);
    for (uint32_t i = begin; i < end; i++)
        job->moved_to[i] = i;
}

static void move_particles(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const reorder_job *job = context;
    mote_world *world = job->world;
    mt_scratch *s = world->scratch;
    const mt_particle_arrays *from = &world->particles.now;
    mt_particle_arrays *to = &world->particles.other;
    const mote_particle_id *ids = to->of[MT_ID].data;
    mt_handle_entry *entries = mt_handle_entries(&world->particles.handles);
    (void)worker;
    if (stay_where_they_are(job, begin, end)) {
        copy_particles(job, begin, end);
        return;
    }
    for (uint32_t k = 0; k < mt_attribute_count; k++)
        move_elements(&to->of[k], &from->of[k], job->order, begin, end);
    for (uint32_t rank = begin; rank < end; rank++) {
        uint32_t i = job->order[rank];
        ((mote_vec4 *)s->particles.moved_transport.data)[rank] =
            ((const mote_vec4 *)s->particles.transport.data)[i];
        ((mote_vec4 *)s->particles.moved_predicted.data)[rank] =
            ((const mote_vec4 *)s->particles.predicted[0].data)[i];
        if (s->search.grid.plan.looks_ahead)
            ((mote_vec4 *)s->search.moved_ahead.data)[rank] = ((const mote_vec4 *)s->search.ahead.data)[i];
        if (s->search.grid.plan.follows)
            ((mote_vec4 *)s->search.flow.moved_drift.data)[rank] =
                ((const mote_vec4 *)s->search.flow.drift.data)[i];
        entries[ids[rank].index].slot = rank;
        job->moved_to[i] = rank;
    }
}

static void rename_ranks(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const reorder_job *job = context;
    uint32_t *slot = job->world->scratch->search.grid.slot.data;
    (void)worker;
    for (uint32_t rank = begin; rank < end; rank++)
        slot[rank] = job->moved_to[slot[rank]];
}

static void swap_particles(mote_world *world)
{
    mt_particle_arrays now = world->particles.now;
    world->particles.now = world->particles.other;
    world->particles.other = now;
}

static void swap(mt_array *a, mt_array *b)
{
    mt_array c = *a;
    *a = *b;
    *b = c;
}

/* ---- if all stay where they are ------------------------------------------------------------------------
 * Then only what a step changes is copied. */

static void keep_range(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    mote_world *world = context;
    const mt_particle_arrays *from = &world->particles.now;
    mt_particle_arrays *to = &world->particles.other;
    (void)worker;
    for (uint32_t k = 0; k < mt_attribute_count; k++)
        if ((mt_attributes[k].flags & MT_CHANGES) != 0)
            copy_range(&to->of[k], &from->of[k], begin, end);
}

static void swap_changing(mote_world *world)
{
    mt_particle_arrays *now = &world->particles.now, *other = &world->particles.other;
    for (uint32_t k = 0; k < mt_attribute_count; k++)
        if ((mt_attributes[k].flags & MT_CHANGES) != 0)
            swap(&now->of[k], &other->of[k]);
}

/* ---- once a step --------------------------------------------------------------------------------------- */

/* Writes the dummies behind the last. */
static void pad(mote_world *world)
{
    mt_scratch *s = world->scratch;
    uint32_t count = world->particles.count;
    mt_particles_pad(world);
    for (uint32_t i = count; i < (mt_slice_count(count) + 1) * MT_SLICE; i++) {
        ((mote_vec4 *)s->particles.transport.data)[i] = (mote_vec4){0.0f, 0.0f, 0.0f, 0.0f};
        ((mote_vec4 *)s->particles.predicted[0].data)[i] = (mote_vec4){MT_FAR, MT_FAR, MT_FAR, 0.0f};
    }
}

void mt_reorder(mote_world *world)
{
    mt_scratch *s = world->scratch;
    s->search.stays = mt_all_stay(world);
    if (s->search.stays) {
        mt_parallel_for(&world->threads, world->particles.count, BLOCK_SLOTS, keep_range, world);
        swap_changing(world);
        pad(world);
        return;
    }
    reorder_job job = {world, mt_order_particles(world), s->search.moved_to.data};
    mt_parallel_for(&world->threads, world->particles.count, BLOCK_SLOTS, move_particles, &job);
    mt_parallel_for(&world->threads, s->search.grid.count, BLOCK_SLOTS, rename_ranks, &job);
    swap_particles(world);
    swap(&s->particles.transport, &s->particles.moved_transport);
    swap(&s->particles.predicted[0], &s->particles.moved_predicted);
    swap(&s->search.ahead, &s->search.moved_ahead);
    swap(&s->search.flow.drift, &s->search.flow.moved_drift);
    pad(world);
}

void mt_reorder_undo(mote_world *world)
{
    if (world->scratch->search.stays) {
        swap_changing(world);
        return;
    }
    swap_particles(world);
    mt_handle_entry *entries = mt_handle_entries(&world->particles.handles);
    for (uint32_t i = 0; i < world->particles.count; i++)
        entries[mt_particle_ids(world)[i].index].slot = i;
}
