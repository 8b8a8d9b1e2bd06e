/* Surfaces: what each particle's material says of its contacts, laid beside the particle for the kernels. */
#include "base/vec.h"
#include "step/scratch.h"

#include <string.h>

#define BLOCK_SLOTS (MT_BLOCK * MT_SLICE)

typedef struct surface_job {
    mote_world *world;
    mote_vec4 table[MT_MAX_MATERIALS];
} surface_job;

static void fill_surfaces(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const surface_job *job = context;
    mote_vec4 *surface = job->world->scratch->particles.surface.data;
    (void)worker;
    for (uint32_t i = begin; i < end; i++)
        surface[i] = job->table[mt_material_indices(job->world)[i]];
}

void mt_fill_surfaces(mote_world *world, mt_substep *s)
{
    surface_job job = {.world = world};
    for (uint32_t i = 0; i < world->material_count; i++) {
        const mt_material *m = &world->materials[i];
        job.table[i] =
            (mote_vec4){sqrtf(m->static_friction), sqrtf(m->kinetic_friction), 0.0f, sqrtf(m->adhesion)};
        if (m->fluid) /* it slips */
            job.table[i] = (mote_vec4){-1.0f, 0.0f, 0.0f, 0.0f};
    }
    mt_parallel_for(&world->threads, s->slices * MT_SLICE, BLOCK_SLOTS, fill_surfaces, &job);
    mt_substep_attach(world, s);
}
