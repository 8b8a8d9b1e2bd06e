/* The order of particles in memory. Loose ones follow the grid, so that those near in space are near in memory.
 * Those of bodies come before them and follow the plan of bodies: eight particles of a body's row make a slice
 * of their own, so that the body's passes read and write whole slices, and a slice looks for neighbours that
 * are not its own body. An assembly's rows follow each other; what is left of bodies, less than a slice each,
 * and what they share comes behind them, as soon as eight are together. Passes over bodies and passes over
 * particles then go through memory in the same order, and of two threads each finds in its cache what it left
 * there. */
#include "step/bodies/bodies.h"
#include "step/neighbors/neighbors.h"

#define BLOCK_SLOTS (MT_BLOCK * MT_SLICE)

typedef struct order_job {
    const uint32_t *sequence;
    const mt_handle_entry *entries;
    uint32_t *order;
} order_job;

static void put_bodies(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const order_job *job = context;
    (void)worker;
    for (uint32_t k = begin; k < end; k++)
        job->order[k] = job->entries[job->sequence[k]].slot;
}

/* As the grid has them. */
static void put_loose(const mote_world *world, uint32_t *order)
{
    const uint32_t *slot = world->scratch->search.grid.slot.data;
    for (uint32_t rank = 0; rank < world->scratch->search.grid.count; rank++)
        if (mt_body_of(world, slot[rank]) == 0)
            *order++ = slot[rank];
}

bool mt_all_stay(const mote_world *world)
{
    const mt_scratch *s = world->scratch;
    const uint32_t *slot = s->search.grid.slot.data;
    uint32_t next = s->bodies.slot_count;
    if (world->bodies.count == 0 || !s->search.in_sequence)
        return false;
    for (uint32_t rank = 0; next < world->particles.count && rank < s->search.grid.count; rank++)
        if (mt_body_of(world, slot[rank]) == 0 && slot[rank] != next++)
            return false;
    return true;
}

const uint32_t *mt_order_particles(mote_world *world)
{
    mt_scratch *s = world->scratch;
    if (world->bodies.count == 0)
        return s->search.grid.slot.data;
    order_job job = {s->bodies.slots.sequence.data, mt_handle_entries(&world->particles.handles),
                     s->search.order.data};
    mt_parallel_for(&world->threads, s->bodies.slot_count, BLOCK_SLOTS, put_bodies, &job);
    if (world->particles.count > s->bodies.slot_count)
        put_loose(world, job.order + s->bodies.slot_count);
    return job.order;
}
