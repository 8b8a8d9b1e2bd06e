#include "step/finish/stats_fluid.h"

#include "step/contacts/shape_cache.h"
#include "step/kernels.h"
#include "step/substep.h"
#include "world/check.h"
#include "world/placement.h"

#include <string.h>

static void run(mote_world *world, mt_substep *s, mt_range_task *kernel)
{
    mt_parallel_for(&world->threads, s->slices, MT_BLOCK, kernel, s);
}

/* Which shapes are near whom; comes again if there was not room enough. */
static mote_result find_walls(mote_world *world, mt_substep *s)
{
    memset(s->shapes.length, 0, s->slices * sizeof *s->shapes.length);
    uint32_t used = 0;
    do {
        if (used > 0)
            MT_TRY(mt_array_reserve(&world->scratch->shapes.rows, &world->memory, (size_t)used, 0));
        mt_substep_attach_rows(world, s);
        atomic_store(s->shapes.rows_used, 0);
        if (world->shapes.count > 0)
            run(world, s, world->kernels->shapes);
        used = atomic_load(s->shapes.rows_used);
    } while (used > s->shapes.row_capacity);
    return MOTE_OK;
}

/* Leaves how much too dense each particle is in s->excess. */
static mote_result measure_densities(mote_world *world, mt_substep *s)
{
    MT_TRY(mt_shape_cache_prepare(world));
    *s = mt_substep_make(world, MOTE_MIN_DT, 0);
    mt_substep_attach(world, s);
    memcpy(s->particles.predicted, s->particles.position,
           s->slices * MT_SLICE * sizeof *s->particles.predicted);
    MT_TRY(find_walls(world, s));
    memset(s->liquids.pressure, 0, s->slices * MT_SLICE * sizeof *s->liquids.pressure);
    memset(s->liquids.near_liquid, 1, s->slices); /* nobody has been marked here: no slice is left out */
    run(world, s, world->kernels->fluid_press);
    return MOTE_OK;
}

mote_result mt_stats_add_fluids(mote_world *world, mote_stats *stats)
{
    if (!mt_any_fluid(world))
        return MOTE_OK;
    mt_substep s;
    MT_TRY(measure_densities(world, &s));
    double sum = 0.0;
    for (uint32_t i = 0; i < world->particles.count; i++) {
        const mt_material *material = &world->materials[mt_material_indices(world)[i]];
        float error = s.liquids.excess[i] > 0.0f ? s.liquids.excess[i] : 0.0f,
              inverse_mass = mt_velocities(world)[i].w;
        if (!material->fluid)
            continue;
        stats->fluid_particles++;
        sum += (double)error;
        stats->max_density_error = error > stats->max_density_error ? error : stats->max_density_error;
        if (inverse_mass > 0.0f)
            stats->fluid_volume +=
                1.0 / ((double)inverse_mass * (double)material->density * (1.0 + (double)error));
    }
    if (stats->fluid_particles > 0)
        stats->mean_density_error = (float)(sum / (double)stats->fluid_particles);
    return MOTE_OK;
}
