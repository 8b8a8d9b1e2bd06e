/* Blocks of loose grains. */
#include "mote/grains.h"

#include "base/error.h"
#include "base/hash.h"
#include "world/check.h"
#include "world/world.h"

#define PI    3.14159265f
#define BATCH 256u /* definitions made at a time */

mote_grains_def mote_default_grains_def(void)
{
    return (mote_grains_def){.count = {10, 10, 10},
                             .radius = MOTE_WORLD_RADIUS,
                             .spacing = MOTE_TOUCHING,
                             .seed = 1,
                             .phase = MOTE_PHASE_DEFAULT};
}

static mote_result check_grains(const mote_world *world, const mote_grains_def *def)
{
    MT_TRY(mt_check_vec3("grains.origin", def->origin, MT_MAX_COORDINATE));
    MT_TRY(mt_check_vec3("grains.velocity", def->velocity, MT_MAX_VELOCITY));
    uint64_t total = 1;
    for (int axis = 0; axis < 3; axis++) {
        MT_TRY(mt_check_count("grains.count", def->count[axis], 1, world->max_particles));
        total *= def->count[axis];
        if (total > world->max_particles - world->particles.count)
            return mt_fail(MOTE_ERROR_LIMIT,
                           "grains.count: %u x %u x %u more than the %u there are would pass "
                           "max_particles, %u",
                           def->count[0], def->count[1], def->count[2], world->particles.count,
                           world->max_particles);
    }
    if (def->radius != MOTE_WORLD_RADIUS)
        MT_TRY(mt_check_range("grains.radius", def->radius, 1e-6f, 1e4f));
    if (def->spacing != MOTE_TOUCHING)
        MT_TRY(mt_check_range("grains.spacing", def->spacing, 1e-6f, 1e4f));
    MT_TRY(mt_check_range("grains.radius_spread", def->radius_spread, 0.0f, 0.95f));
    MT_TRY(mt_check_range("grains.jitter", def->jitter, 0.0f, 1.0f));
    uint32_t material;
    return mt_material_resolve(world, def->material, "grains.material", &material);
}

/* Evenly from [0, 1), the same for the same numbers. */
static float random_part(uint32_t seed, uint64_t grain, uint32_t which)
{
    uint64_t bits = mt_hash_add(mt_hash_add(seed, grain), which);
    return (float)(bits >> 40) * 0x1p-24f;
}

static mote_particle_def grain_at(const mote_world *world, const mote_grains_def *def, uint32_t index)
{
    float radius = def->radius != MOTE_WORLD_RADIUS ? def->radius : world->radius;
    float spacing = def->spacing != MOTE_TOUCHING ? def->spacing : 2.0f * radius;
    uint32_t ix = index % def->count[0];
    uint32_t iy = index / def->count[0] % def->count[1];
    uint32_t iz = index / def->count[0] / def->count[1];
    float jitter = def->jitter * spacing;
    float grain_radius = radius * (1.0f - def->radius_spread * random_part(def->seed, index, 3));
    uint32_t material = 0;
    mt_material_resolve(world, def->material, "grains.material", &material);
    float cube = grain_radius * grain_radius * grain_radius; /* a liquid leaves no gaps */
    float volume = world->materials[material].fluid ? 8.0f * cube : 4.0f / 3.0f * PI * cube;
    mote_particle_def grain = {
        .position =
            {def->origin.x + spacing * (float)ix + jitter * (2.0f * random_part(def->seed, index, 0) - 1.0f),
             def->origin.y + spacing * (float)iy + jitter * (2.0f * random_part(def->seed, index, 1) - 1.0f),
             def->origin.z + spacing * (float)iz + jitter * (2.0f * random_part(def->seed, index, 2) - 1.0f)},
        .velocity = def->velocity,
        .mass = world->materials[material].density * volume,
        .radius = grain_radius,
        .material = def->material,
        .phase = def->phase,
    };
    return grain;
}

mote_result mote_grains_block(mote_world *world, const mote_grains_def *def, mote_particle_id *ids)
{
    MT_TRY(mt_enter(world, "mote_grains_block"));
    MT_TRY(mt_check_pointer("def", def));
    MT_TRY(check_grains(world, def));
    uint32_t total = def->count[0] * def->count[1] * def->count[2];
    for (uint32_t i = 0; i < total; i++) { /* a grain may be out of space, or its mass out of range */
        mote_particle_def grain = grain_at(world, def, i);
        MT_TRY(mt_particle_check(world, &grain));
    }
    MT_TRY(mt_particles_reserve(world, world->particles.count + total));
    mote_particle_def batch[BATCH];
    for (uint32_t done = 0; done < total; done += BATCH) {
        uint32_t count = total - done < BATCH ? total - done : BATCH;
        for (uint32_t i = 0; i < count; i++)
            batch[i] = grain_at(world, def, done + i);
        MT_TRY(mote_particles_add(world, batch, count, ids != NULL ? ids + done : NULL));
    }
    return MOTE_OK;
}
