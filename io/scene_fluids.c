/* The liquids of a scene, and how a scene grows with the number of particles that is asked for. */
#include "io/scene_file.h"

#include <math.h>
#include <string.h>

/* ---- how many ------------------------------------------------------------------------------------------- */

static double side(const scene_description *d, float min, float max)
{
    return floor(((double)max - (double)min) / (2.0 * (double)d->world.radius) + 1e-3);
}

uint64_t scene_fluid_count(const scene_description *d, const scene_fluid *fluid)
{
    double count = side(d, fluid->min.x, fluid->max.x) * side(d, fluid->min.y, fluid->max.y) *
                   side(d, fluid->min.z, fluid->max.z);
    return count < 0.0 ? 0 : count > 1e12 ? UINT64_C(1000000000000) : (uint64_t)count;
}

uint64_t scene_scaling_particles(const scene_description *d)
{
    const scene_grains *grains = d->grains.items;
    uint64_t sum = 0;
    for (size_t i = 0; i < d->grains.count; i++)
        sum += grains[i].total;
    const scene_fluid *fluids = d->fluids.items;
    for (size_t i = 0; i < d->fluids.count; i++)
        sum += fluids[i].grows ? scene_fluid_count(d, &fluids[i]) : 0;
    return sum;
}

/* ---- growing -------------------------------------------------------------------------------------------- */

static mote_vec3 times(mote_vec3 v, float factor)
{
    return (mote_vec3){v.x * factor, v.y * factor, v.z * factor};
}

static void grow_shape(scene_shape *shape, float factor)
{
    shape->position = times(shape->position, factor);
    shape->half_extents = times(shape->half_extents, factor);
    shape->offset *= factor;
    shape->radius *= factor;
    shape->half_height *= factor;
    shape->scale *= factor;
}

void scene_grow(scene_file *file)
{
    scene_description *d = &file->description;
    file->scaling = scene_scaling_particles(d);
    if (file->asked == 0 || file->scaling == 0)
        return;
    double ratio = (double)file->asked / (double)file->scaling, root = 1.0;
    for (int i = 0; i < 100; i++) /* the cube root by Newton's method, which is the same everywhere */
        root = (2.0 * root + ratio / (root * root)) / 3.0;
    file->grown = (float)root;
    scene_fluid *fluids = d->fluids.items;
    for (size_t i = 0; i < d->fluids.count; i++)
        if (fluids[i].grows) {
            fluids[i].min = times(fluids[i].min, file->grown);
            fluids[i].max = times(fluids[i].max, file->grown);
        }
    scene_shape *shapes = d->shapes.items;
    for (size_t i = 0; i < d->shapes.count; i++)
        if (shapes[i].grows)
            grow_shape(&shapes[i], file->grown);
}

/* ---- filling -------------------------------------------------------------------------------------------- */

mote_result scene_add_fluid(const scene_description *d, const scene_fluid *fluid, mote_world *world)
{
    mote_fluid_def def = mote_default_fluid_def();
    def.min = fluid->min;
    def.max = fluid->max;
    def.material = scene_material_id(d, world, fluid->matter.material);
    def.velocity = fluid->velocity;
    def.jitter = fluid->jitter;
    def.packing = (mote_packing)fluid->packing;
    def.seed = fluid->matter.seed;
    def.phase = mote_phase(fluid->matter.group, true, fluid->matter.channels);
    return mote_fluid_block(world, &def, NULL);
}
