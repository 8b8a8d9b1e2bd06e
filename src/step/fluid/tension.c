#include "step/fluid/tension.h"

#include "step/kernels.h"

#define BLOCK_SLOTS (MT_BLOCK * MT_SLICE)

static bool any_tension(const mote_world *world)
{
    for (uint32_t i = 0; i < world->material_count; i++)
        if (world->materials[i].fluid && world->materials[i].surface_tension > 0)
            return true;
    return false;
}

/* Some fluid has adhesion, and so has some solid. */
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

/* ---- what each particle is ----------------------------------------------------------------------------- */

static mote_vec4 bond_of(const mote_world *world, uint32_t slot, float share)
{
    const mt_material *m = &world->materials[mt_material_indices(world)[slot]];
    float spacing = 2.0f * world->radius, size = mt_positions(world)[slot].w / world->radius;
    float stick = sqrtf(0.5f * MT_WETTING * spacing * m->adhesion);
    if (m->fluid)
        return (mote_vec4){sqrtf(spacing * m->surface_tension), stick, 0.0f, share};
    float volume = size * size * size;
    return (mote_vec4){0.0f, 0.0f, stick * volume, share * volume};
}

typedef struct bond_job {
    const mote_world *world;
    mote_vec4 *bond;
    float share;
} bond_job;

static void fill_bonds(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const bond_job *job = context;
    (void)worker;
    for (uint32_t i = begin; i < end; i++)
        job->bond[i] = i < job->world->particles.count ? bond_of(job->world, i, job->share)
                                                       : (mote_vec4){0.0f, 0.0f, 0.0f, 0.0f};
}

/* ---- the pass ------------------------------------------------------------------------------------------ */

bool mt_apply_tension(mote_world *world, mt_substep *s)
{
    bool wets = s->liquids.fluid.any && any_wetting(world);
    if (!s->liquids.fluid.any || (!any_tension(world) && !wets))
        return false;
    float spacing = 2.0f * world->radius;
    /* `settled` is of no use until velocities are made, `dense` until pressures are found. */
    bond_job bonds = {world, world->scratch->particles.settled.data, s->liquids.fluid.share};
    mt_tension job = {
        .s = s,
        .normal = s->liquids.dense,
        .bond = bonds.bond,
        .uniform = s->liquids.fluid.uniform,
        .wets = wets && s->shapes.count > 0,
        .most = MT_TENSION_LIMIT * spacing * s->inverse_h * s->inverse_h,
    };
    if (job.uniform)
        job.all = bond_of(world, 0, bonds.share);
    /* Dummies too: the lists point at them. */
    mt_parallel_for(&world->threads, s->dummy + MT_SLICE, BLOCK_SLOTS, fill_bonds, &bonds);
    mt_parallel_for(&world->threads, s->slices, MT_BLOCK, world->kernels->tension_normals, &job);
    mt_parallel_for(&world->threads, s->slices, MT_BLOCK, world->kernels->tension, &job);
    mote_vec4 *moved = s->particles.predicted_out;
    s->particles.predicted_out = s->particles.predicted;
    s->particles.predicted = moved;
    return true;
}
