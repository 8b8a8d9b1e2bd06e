/* The order of particles in memory. Loose ones follow the grid, so that those near in space are near in memory.
 * Eight particles of a body's row make a slice of their own, and an assembly's rows follow each other: the
 * body's passes then read and write whole slices, and a slice looks for neighbours that are not its own body.
 * What is left of bodies, less than a slice each, and what bodies share comes last. */
#include "step/bodies/bodies.h"
#include "step/neighbors/neighbors.h"

typedef struct order_job {
    const mote_world *world;
    const mt_body_plan *plan;
    const mt_handle_entry *entries;
    uint32_t *order, next;
    uint32_t *sequence, met; /* assemblies, in the order of the grid */
} order_job;

static void put(order_job *job, uint32_t particle)
{
    job->order[job->next++] = job->entries[particle].slot;
}

/* The assembly that a particle is with, if it is in a body at all. */
static uint32_t assembly_of_member(const order_job *job, uint32_t entry)
{
    const mt_membership *m = &job->world->membership;
    if (entry >= MT_SHARED) {
        const mt_shared *shared = (const mt_shared *)m->shared.data + (entry & ~MT_SHARED);
        entry = ((const uint32_t *)m->shared_bodies.data)[shared->first_body] + 1;
    }
    return ((const uint32_t *)job->plan->order.data)[entry - 1];
}

static void meet_assemblies(order_job *job)
{
    const mt_grid *grid = &job->world->scratch->grid;
    const uint32_t *slot = grid->slot.data;
    mt_assembly *assemblies = job->plan->assemblies.data;
    for (uint32_t a = 0; a < job->plan->assembly_count; a++)
        assemblies[a].met = false;
    for (uint32_t rank = 0; rank < job->world->particles.count; rank++) {
        uint32_t entry = mt_body_of(job->world, slot[rank]);
        if (entry == 0)
            continue;
        uint32_t a = assembly_of_member(job, entry);
        if (!assemblies[a].met)
            job->sequence[job->met++] = a;
        assemblies[a].met = true;
    }
}

static void put_rows(order_job *job, const mt_assembly *a, bool full)
{
    for (uint32_t i = 0; i < a->bodies; i++) {
        const mt_body_work *work = &mt_body_works(job->plan)[a->first_body + i];
        for (uint32_t k = 0; k < work->rows; k++) {
            const mt_body_row *row = (const mt_body_row *)job->plan->rows.data + work->first_row + k;
            for (uint32_t n = 0; n < row->count && (row->count == MT_SLICE) == full; n++)
                put(job, row->particle[n]);
        }
    }
}

static void put_places(order_job *job, const mt_assembly *a)
{
    const uint32_t *list = (const uint32_t *)job->plan->order.data + 2 * (size_t)job->plan->body_count;
    for (uint32_t k = 0; k < a->places; k++)
        put(job, mt_shared_places(job->plan)[list[a->first_place + k]].particle);
}

const uint32_t *mt_order_particles(mote_world *world)
{
    mt_scratch *s = world->scratch;
    const uint32_t *slot = s->grid.slot.data;
    if (world->bodies.count == 0)
        return slot;
    order_job job = {.world = world,
                     .plan = &s->bodies,
                     .entries = mt_handle_entries(&world->particles.handles),
                     .order = s->order.data,
                     .sequence = s->bodies.sequence.data};
    const mt_assembly *assemblies = s->bodies.assemblies.data;
    meet_assemblies(&job);
    for (uint32_t k = 0; k < job.met; k++)
        put_rows(&job, &assemblies[job.sequence[k]], true);
    for (uint32_t rank = 0; rank < world->particles.count; rank++)
        if (mt_body_of(world, slot[rank]) == 0)
            job.order[job.next++] = slot[rank];
    for (uint32_t k = 0; k < job.met; k++) {
        put_rows(&job, &assemblies[job.sequence[k]], false);
        put_places(&job, &assemblies[job.sequence[k]]);
    }
    return job.order;
}
