/* Surfaces: what each particle's material says of its contacts, laid beside the particle for the kernels. */
#include "base/vec.h"
#include "step/substep.h"

#include <string.h>

#define BLOCK_SLOTS (MT_BLOCK * MT_SLICE)

typedef struct surface_job {
    mote_world *world;
    mote_vec4 table[MT_MAX_MATERIALS];
    mote_vec4 first;
} surface_job;

/* A particle's material says what its surface is like; its inverse mass stands beside it, 0 for who sleeps. */
static mote_vec4 surface_of(const surface_job *job, uint32_t slot)
{
    mote_vec4 surface = job->table[mt_material_indices(job->world)[slot]];
    surface.z = mt_rest_times(job->world)[slot] < 0 ? 0.0f : mt_velocities(job->world)[slot].w;
    return surface;
}

static bool is_alike(mote_vec4 a, mote_vec4 b)
{
    return a.x == b.x && a.y == b.y && (a.z == b.z || a.z == 0);
}

static void fill_surfaces(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const surface_job *job = context;
    mt_scratch *scratch = job->world->scratch;
    mote_vec4 *surface = scratch->surface.data;
    mote_vec4 *facing = job->world->bodies.count > 0 ? scratch->facing.data : NULL;
    uint32_t differs = UINT32_MAX;
    (void)worker;
    if (facing != NULL) /* bodies will say so of theirs */
        memset(facing + begin, 0, (end - begin) * sizeof *facing);
    uint32_t asked = facing != NULL ? 0 : job->world->particles.count; /* where there are bodies they differ */
    for (uint32_t i = begin; i < end; i++) {
        surface[i] = surface_of(job, i);
        if (i < asked && !is_alike(surface[i], job->first))
            differs = i;
    }
    ((uint32_t *)scratch->block_bad.data)[begin / BLOCK_SLOTS] = differs;
}

/* The first that can move: like whom are all the others? */
static mote_vec4 first_surface(const surface_job *job)
{
    for (uint32_t i = 0; i < job->world->particles.count; i++) {
        mote_vec4 surface = surface_of(job, i);
        if (surface.z > 0)
            return surface;
    }
    return surface_of(job, 0);
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
    job.first = first_surface(&job);
    mt_parallel_for(&world->threads, s->slices * MT_SLICE, BLOCK_SLOTS, fill_surfaces, &job);
    mt_scratch *scratch = world->scratch;
    scratch->mixed =
        mt_first_marked(s) != UINT32_MAX || world->bodies.count > 0; /* bodies have masses of their own */
    scratch->static_friction = fmaxf(job.first.x, 0.0f) * fmaxf(job.first.x, 0.0f);
    scratch->kinetic_friction = job.first.y * job.first.y;
    mt_substep_attach(world, s);
}

bool mt_any_adhesion(const mote_world *world)
{
    for (uint32_t i = 0; i < world->material_count; i++)
        if (world->materials[i].adhesion > 0)
            return true;
    return false;
}

bool mt_any_compliance(const mote_world *world)
{
    for (uint32_t i = 0; i < world->material_count; i++)
        if (world->materials[i].compliance > 0)
            return true;
    return false;
}

bool mt_any_restitution(const mote_world *world)
{
    for (uint32_t i = 0; i < world->material_count; i++)
        if (world->materials[i].restitution > 0)
            return true;
    return false;
}
