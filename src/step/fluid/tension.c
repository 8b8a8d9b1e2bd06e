#include "step/fluid/tension.h"

#include "step/kernels.h"
#include "step/substep.h"
#include <stdlib.h>

#define BLOCK_SLOTS (MT_BLOCK * MT_SLICE)

static float env(const char *name, float value)
{
    return getenv(name) ? (float)atof(getenv(name)) : value;
}

typedef struct bond_job {
    const mote_world *world;
    mt_tension *tension;
} bond_job;

static bool any_tension(const mote_world *world)
{
    for (uint32_t i = 0; i < world->material_count; i++)
        if (world->materials[i].fluid && world->materials[i].surface_tension > 0)
            return true;
    return false;
}

/* Fluids that wet: some fluid has adhesion, and some other material. */
static bool any_wetting(const mote_world *world)
{
    bool fluid = false, solid = false;
    for (uint32_t i = 0; i < world->material_count; i++) {
        bool sticks = world->materials[i].adhesion > 0;
        fluid = fluid || (sticks && world->materials[i].fluid);
        solid = solid || (sticks && !world->materials[i].fluid);
    }
    return fluid && solid;
}

/* The tension of all fluids, if there is but one; else -1. */
static float one_tension(const mote_world *world)
{
    float tension = -1.0f;
    for (uint32_t i = 0; i < world->material_count; i++) {
        const mt_material *m = &world->materials[i];
        if (m->fluid && tension >= 0 && m->surface_tension != tension)
            return -1.0f;
        if (m->fluid)
            tension = m->surface_tension;
    }
    return tension;
}

static void fill_bonds(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const bond_job *job = context;
    const mote_world *world = job->world;
    mote_vec4 *bond = world->scratch->settled.data;
    float spacing = 2.0f * world->radius;
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        bond[i] = (mote_vec4){0.0f, 0.0f, 0.0f, 0.0f};
        if (i >= world->particles.count)
            continue;
        const mt_material *m = &world->materials[mt_material_indices(world)[i]];
        float stick = sqrtf(0.5f * spacing * m->adhesion);
        float size = mt_positions(world)[i].w / world->radius;
        if (m->fluid)
            bond[i] = (mote_vec4){sqrtf(spacing * m->surface_tension), stick, 0.0f, 0.0f};
        else
            bond[i].z = stick * size * size * size;
    }
}

void mt_apply_tension(mote_world *world, mt_substep *s)
{
    bool wets = any_wetting(world);
    if (!any_tension(world) && !wets)
        return;
    float tension = one_tension(world);
    mt_tension job = {
        .s = s,
        .normal = s->dense,
        .bond = world->scratch->settled.data,
        .alike = s->fluid.pure && !s->mixed && tension >= 0,
        .wets = wets && s->shape_count > 0,
        .strength = 2.0f * world->radius * tension,
        .most = env("BETA", 0.1f) * 2.0f * world->radius * s->inverse_h * s->inverse_h,
        .cohesion = env("COH", 0.35f),
        .smoothing = env("SMO", 0.35f),
        .wall = env("WALL", 1.164f),
    };
    bond_job bonds = {world, &job};
    mt_parallel_for(&world->threads, s->slices * MT_SLICE, BLOCK_SLOTS, fill_bonds, &bonds);
    mt_parallel_for(&world->threads, s->slices, MT_BLOCK, world->kernels->tension_normals, &job);
    mt_parallel_for(&world->threads, s->slices, MT_BLOCK, world->kernels->tension, &job);
    mote_vec4 *moved = s->predicted_out;
    s->predicted_out = s->predicted;
    s->predicted = moved;
    mt_bodies_run(world, s, world->kernels->bodies_float);
}
