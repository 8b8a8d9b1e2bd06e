/* The particles that a scene begins with. */
#include "io/scene_file.h"

#include "io/scene_math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 256 /* definitions made at a time */

/* ---- what they have in common --------------------------------------------------------------------------- */

float scene_radius(const scene_description *d, const scene_matter *matter)
{
    return matter->radius > 0.0f ? matter->radius : d->world.radius;
}

uint32_t scene_phase(const scene_matter *matter)
{
    return mote_phase(matter->group, matter->self_collide, matter->channels);
}

/* ---- how many ------------------------------------------------------------------------------------------- */

/* Two neighbours may both be moved towards each other. */
float scene_grains_spacing(const scene_description *d, const scene_grains *grains)
{
    return grains->spacing > 0.0f ? grains->spacing
                                  : 2.0f * scene_radius(d, &grains->matter) / (1.0f - 2.0f * grains->jitter);
}

bool scene_is_scalable(const scene_description *d)
{
    return scene_scaling_particles(d) > 0;
}

/* What is asked for is shared by the blocks that have a total, and by liquids that grow. */
static uint32_t wanted_total(const scene_file *file, const scene_grains *grains)
{
    uint64_t share = file->asked > 0 ? (uint64_t)file->asked * grains->total / file->scaling : grains->total;
    return share > 0 ? (uint32_t)share : 1;
}

/* Numbers of grains along x, y and z of a block of about `total` grains that is `height` times as high as it is
 * wide, or just `rows` grains high if that is not 0. Exactly `total` if it has suitable divisors, else fewer.
 */
static void block_counts(uint32_t total, double height, uint32_t rows, uint32_t counts[3])
{
    double ideal = rows > 0 ? sqrt((double)total / rows) : 1.0;
    if (rows == 0) /* the cube root of total / height, by Newton's method, which is the same everywhere */
        for (int i = 0; i < 100; i++)
            ideal = (2.0 * ideal + total / height / (ideal * ideal)) / 3.0;
    uint32_t lowest = (uint32_t)(0.7 * ideal), highest = (uint32_t)(1.5 * ideal);
    if (lowest < 1)
        lowest = 1;

    counts[0] = counts[2] = ideal < 1.0 ? 1 : (uint32_t)(ideal + 0.5);
    double best = INFINITY;
    for (uint32_t x = lowest; x <= highest; x++) {
        for (uint32_t z = lowest; z <= highest; z++) {
            bool exact = rows > 0 ? (uint64_t)x * z * rows == total : total % ((uint64_t)x * z) == 0;
            double bend = (x - ideal) * (x - ideal) + (z - ideal) * (z - ideal);
            if (exact && bend < best) {
                best = bend;
                counts[0] = x;
                counts[2] = z;
            }
        }
    }
    counts[1] = rows > 0 ? rows : total / (counts[0] * counts[2]);
    if (counts[1] < 1)
        counts[1] = 1;
}

/* As many as fit along an axis; one always does. */
static uint32_t region_count(float low, float high, float spacing)
{
    double count = floor((double)(high - low) / (double)spacing + 1e-6);
    return count < 1.0 ? 1 : count > 1e8 ? 100000000u : (uint32_t)count;
}

void scene_grains_counts(const scene_file *file, const scene_grains *grains, uint32_t counts[3])
{
    float spacing = scene_grains_spacing(&file->description, grains);
    if (grains->total > 0) {
        block_counts(wanted_total(file, grains), grains->height, grains->rows, counts);
    } else if (scene_given(&SCENE_GRAINS, grains, "min")) {
        counts[0] = region_count(grains->min.x, grains->max.x, spacing);
        counts[1] = region_count(grains->min.y, grains->max.y, spacing);
        counts[2] = region_count(grains->min.z, grains->max.z, spacing);
    } else {
        memcpy(counts, grains->count, 3 * sizeof *counts);
    }
}

uint64_t scene_grains_count(const scene_file *file, const scene_grains *grains)
{
    if (grains->file != NULL)
        return grains->fill.count;
    uint32_t counts[3];
    scene_grains_counts(file, grains, counts);
    double count = (double)counts[0] * counts[1] * counts[2];
    return count > 1e12 ? UINT64_C(1000000000000) : (uint64_t)count;
}

/* ---- blocks --------------------------------------------------------------------------------------------- */

static mote_vec3 block_origin(const scene_description *d, const scene_grains *grains, const uint32_t counts[3],
                              float spacing)
{
    float radius = scene_radius(d, &grains->matter);
    if (scene_given(&SCENE_GRAINS, grains, "origin"))
        return grains->origin;
    mote_vec3 wide = {0.5f * spacing * (float)(counts[0] - 1), 0.5f * spacing * (float)(counts[1] - 1),
                      0.5f * spacing * (float)(counts[2] - 1)};
    if (scene_given(&SCENE_GRAINS, grains, "min"))
        return (mote_vec3){0.5f * (grains->min.x + grains->max.x) - wide.x,
                           0.5f * (grains->min.y + grains->max.y) - wide.y,
                           0.5f * (grains->min.z + grains->max.z) - wide.z};
    return (mote_vec3){grains->base.x - wide.x, radius + spacing * grains->jitter + grains->base.y,
                       grains->base.z - wide.z};
}

/* Makes the particles fixed that were just added. */
static mote_result fix_particles(mote_world *world, const mote_particle_id *ids, size_t count)
{
    mote_result result = MOTE_OK;
    for (size_t i = 0; i < count && result == MOTE_OK; i++)
        result = mote_particle_set_fixed(world, ids[i], true, 1.0f);
    return result;
}

static mote_result add_block(const scene_file *file, const scene_grains *grains, mote_world *world)
{
    const scene_description *d = &file->description;
    mote_grains_def def = mote_default_grains_def();
    scene_grains_counts(file, grains, def.count);
    def.spacing = scene_grains_spacing(d, grains);
    def.origin = block_origin(d, grains, def.count, def.spacing);
    def.radius = scene_radius(d, &grains->matter);
    def.radius_spread = grains->matter.radius_spread;
    def.jitter = grains->jitter;
    def.seed = grains->matter.seed;
    def.velocity = grains->velocity;
    def.material = scene_material_id(d, world, grains->matter.material);
    def.phase = scene_phase(&grains->matter);
    if (!grains->fixed)
        return mote_grains_block(world, &def, NULL);
    uint64_t count = scene_grains_count(file, grains);
    mote_particle_id *ids = count <= d->world.max_particles ? malloc((count + 1) * sizeof *ids) : NULL;
    mote_result result = mote_grains_block(world, &def, ids);
    if (result == MOTE_OK)
        result = ids != NULL ? fix_particles(world, ids, count) : MOTE_ERROR_MEMORY;
    free(ids);
    return result;
}

/* ---- points --------------------------------------------------------------------------------------------- */

/* A radius of its own for each, if there is a spread, and the mass that goes with it. */
static void draw_radius(const scene_description *d, const scene_matter *matter, scene_random *random,
                        mote_particle_def *def)
{
    def->radius = scene_radius(d, matter);
    if (matter->radius_spread > 0.0f)
        def->radius *= (float)(1.0 - (double)matter->radius_spread * scene_random_next(random));
    def->mass = scene_particle_mass(d, matter->material, def->radius);
}

/* Particles at given points, each moved by up to `jitter` metres along each axis. */
static mote_result add_points(const scene_description *d, const scene_matter *matter, mote_particle_def common,
                              float mass, float jitter, const scene_points *points, mote_world *world)
{
    mote_particle_def batch[BATCH];
    common.material = scene_material_id(d, world, matter->material);
    common.phase = scene_phase(matter);
    mote_result result = MOTE_OK;
    for (size_t done = 0; done < points->count && result == MOTE_OK; done += BATCH) {
        size_t count = points->count - done < BATCH ? points->count - done : BATCH;
        for (size_t i = 0; i < count; i++) {
            scene_random random = scene_random_of(matter->seed, done + i);
            mote_particle_def *def = &batch[i];
            *def = common;
            draw_radius(d, matter, &random, def);
            if (mass > 0.0f)
                def->mass = mass;
            def->position = points->items[done + i];
            def->position.x += jitter * (float)(2.0 * scene_random_next(&random) - 1.0);
            def->position.y += jitter * (float)(2.0 * scene_random_next(&random) - 1.0);
            def->position.z += jitter * (float)(2.0 * scene_random_next(&random) - 1.0);
        }
        result = mote_particles_add(world, batch, count, NULL);
    }
    return result;
}

static mote_result add_fill(const scene_description *d, const scene_grains *grains, mote_world *world)
{
    mote_particle_def common = mote_default_particle_def();
    common.velocity = grains->velocity;
    common.fixed = grains->fixed;
    float jitter = grains->jitter * scene_grains_spacing(d, grains);
    return add_points(d, &grains->matter, common, 0.0f, jitter, &grains->fill, world);
}

static mote_result add_particles(const scene_description *d, const scene_particles *particles,
                                 mote_world *world)
{
    mote_particle_def common = mote_default_particle_def();
    common.velocity = particles->velocity;
    common.fixed = particles->fixed;
    mote_vec3 position = particles->position;
    scene_points points = {&position, 1};
    if (particles->positions.items != NULL)
        points = particles->positions;
    return add_points(d, &particles->matter, common, particles->mass, 0.0f, &points, world);
}

mote_result scene_build_particles(const scene_file *file, mote_world *world)
{
    const scene_description *d = &file->description;
    const scene_grains *grains = d->grains.items;
    mote_result result = MOTE_OK;
    for (size_t i = 0; i < d->grains.count && result == MOTE_OK; i++)
        result = grains[i].file != NULL ? add_fill(d, &grains[i], world) : add_block(file, &grains[i], world);
    const scene_fluid *fluids = d->fluids.items;
    for (size_t i = 0; i < d->fluids.count && result == MOTE_OK; i++)
        result = scene_add_fluid(d, &fluids[i], world);
    const scene_particles *particles = d->particles.items;
    for (size_t i = 0; i < d->particles.count && result == MOTE_OK; i++)
        result = add_particles(d, &particles[i], world);
    return result;
}
