/* The order of particles in memory. Loose ones follow the grid, so that those near in space are near in memory.
 * Eight particles of a body's row make a slice of their own, and an assembly's rows follow each other: the
 * body's passes then read and write whole slices, and a slice looks for neighbours that are not its own body.
 * What is left of bodies, less than a slice each, and what bodies share comes last. */
#include "step/bodies/bodies.h"
#include "step/neighbors/neighbors.h"

typedef struct order_job {
    mote_world *world;
    const mt_body_plan *plan;
    const mt_handle_entry *entries;
    uint32_t *order;
    uint32_t *sequence, met;    /* assemblies, in the order of the grid */
    uint32_t rows, loose, rest; /* how many particles are in whole rows, in no body, and left over */
} order_job;

/* Bodies in the order of the plan: whose assembly it is. */
static const uint32_t *assemblies_of_bodies(const order_job *job)
{
    return job->plan->order.data;
}

static void meet(order_job *job, uint32_t which)
{
    mt_assembly *a = (mt_assembly *)job->plan->assemblies.data + which;
    if (a->met)
        return;
    a->met = true;
    a->rows_at = job->rows;
    a->rest_at = job->rest;
    job->rows += a->row_slots;
    job->rest += a->rest_slots;
    job->sequence[job->met++] = which;
}

/* Assemblies as the grid has them, and behind the rows the loose particles. */
static void meet_all(order_job *job)
{
    const mt_grid *grid = &job->world->scratch->grid;
    const uint32_t *family = grid->family.data, *slot = grid->slot.data;
    mt_assembly *assemblies = job->plan->assemblies.data;
    uint32_t *loose = job->order + job->plan->row_slots;
    for (uint32_t a = 0; a < job->plan->assembly_count; a++)
        assemblies[a].met = false;
    for (uint32_t rank = 0; rank < job->world->particles.count; rank++) {
        if (family[rank] != 0)
            meet(job, assemblies_of_bodies(job)[family[rank] - 1]);
        else if (mt_body_of(job->world, slot[rank]) == 0)
            loose[job->loose++] = slot[rank];
    }
    for (uint32_t a = 0; a < job->plan->assembly_count; a++) /* those of shared particles only */
        meet(job, a);
}

static void put_rows(const order_job *job, const mt_assembly *a, uint32_t *whole, uint32_t *rest)
{
    for (uint32_t i = 0; i < a->bodies; i++) {
        const mt_body_work *work = &mt_body_works(job->plan)[a->first_body + i];
        for (uint32_t k = 0; k < work->rows; k++) {
            const mt_body_row *row = (const mt_body_row *)job->plan->rows.data + work->first_row + k;
            uint32_t **to = row->count == MT_SLICE ? &whole : &rest;
            for (uint32_t n = 0; n < row->count; n++)
                *(*to)++ = job->entries[row->particle[n]].slot;
        }
    }
    const uint32_t *list = (const uint32_t *)job->plan->order.data + 2 * (size_t)job->plan->body_count;
    for (uint32_t k = 0; k < a->places; k++)
        *rest++ = job->entries[mt_shared_places(job->plan)[list[a->first_place + k]].particle].slot;
}

static void put_assemblies(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const order_job *job = context;
    uint32_t *rest = job->order + job->rows + job->loose;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        const mt_assembly *a = (const mt_assembly *)job->plan->assemblies.data + job->sequence[k];
        put_rows(job, a, job->order + a->rows_at, rest + a->rest_at);
    }
}

const uint32_t *mt_order_particles(mote_world *world)
{
    mt_scratch *s = world->scratch;
    if (world->bodies.count == 0)
        return s->grid.slot.data;
    order_job job = {.world = world,
                     .plan = &s->bodies,
                     .entries = mt_handle_entries(&world->particles.handles),
                     .order = s->order.data,
                     .sequence = s->bodies.sequence.data};
    meet_all(&job);
    mt_parallel_for(&world->threads, job.met, 16, put_assemblies, &job);
    return job.order;
}
