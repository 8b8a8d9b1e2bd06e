/* Boxes and meshes full of a liquid. */
#include "mote/fluid.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/vec.h"
#include "build/packing.h"
#include "collide/collide.h"
#include "world/check.h"
#include "world/mesh_check.h"
#include "world/world.h"

#define BATCH    256u   /* definitions made at a time */
#define ROUNDING 0.001f /* of a particle's width, that a box may miss */

mote_fluid_def mote_default_fluid_def(void)
{
    return (mote_fluid_def){
        .min = {-0.5f, -0.5f, -0.5f}, .max = {0.5f, 0.5f, 0.5f}, .seed = 1, .phase = MOTE_PHASE_DEFAULT};
}

/* ---- checks -------------------------------------------------------------------------------------------- */

static mote_result check_fluid(const mote_world *world, const mote_fluid_def *def)
{
    MT_TRY(mt_check_pointer("def", def));
    MT_TRY(mt_check_vec3("fluid.velocity", def->velocity, MT_MAX_VELOCITY));
    MT_TRY(mt_check_range("fluid.jitter", def->jitter, 0.0f, 0.5f));
    MT_TRY(mt_check_count("fluid.packing", (uint32_t)def->packing, 0, MOTE_PACKING_COUNT - 1));
    uint32_t material = 0;
    MT_TRY(mt_material_resolve(world, def->material, "fluid.material", &material));
    if (!world->materials[material].fluid)
        return mt_fail(MOTE_ERROR_ARGUMENT, "fluid.material '%s' is no fluid", world->materials[material].name);
    return MOTE_OK;
}

static mote_result count_along(const mote_world *world, char axis, float min, float max, uint32_t *count)
{
    float width = 2.0f * world->radius, wide = (max - min) / width;
    if (!(min < max))
        return mt_fail(MOTE_ERROR_ARGUMENT, "fluid.max.%c is %g, not above fluid.min.%c, %g: the box is empty",
                       axis, (double)max, axis, (double)min);
    if (wide < 1.0f - ROUNDING)
        return mt_fail(MOTE_ERROR_ARGUMENT,
                       "fluid.max.%c - fluid.min.%c is %g, less than a particle is wide, %g: no liquid fits in",
                       axis, axis, (double)(max - min), (double)width);
    float most = (float)world->max_particles + 1.0f; /* more are refused anyway */
    *count = (uint32_t)floorf(fminf(wide + ROUNDING, most));
    return MOTE_OK;
}

static mote_result count_box(const mote_world *world, const mote_fluid_def *def, uint32_t counts[3])
{
    MT_TRY(check_fluid(world, def));
    MT_TRY(mt_check_vec3("fluid.min", def->min, MT_MAX_COORDINATE));
    MT_TRY(mt_check_vec3("fluid.max", def->max, MT_MAX_COORDINATE));
    MT_TRY(count_along(world, 'x', def->min.x, def->max.x, &counts[0]));
    MT_TRY(count_along(world, 'y', def->min.y, def->max.y, &counts[1]));
    MT_TRY(count_along(world, 'z', def->min.z, def->max.z, &counts[2]));
    uint64_t total = 1;
    for (int axis = 0; axis < 3; axis++) {
        total *= counts[axis];
        if (total > world->max_particles - world->particles.count)
            return mt_fail(MOTE_ERROR_LIMIT,
                           "fluid.min and max: %u x %u x %u particles more than the %u there are would pass "
                           "max_particles, %u",
                           counts[0], counts[1], counts[2], world->particles.count, world->max_particles);
    }
    return MOTE_OK;
}

/* ---- particles ----------------------------------------------------------------------------------------- */

/* Evenly from [-1, 1), the same for the same numbers. */
static float random_part(uint32_t seed, uint64_t number, uint32_t axis)
{
    uint64_t bits = mt_hash_add(mt_hash_add(seed, number), axis);
    return (float)(bits >> 40) * 0x1p-23f - 1.0f;
}

/* Where the particles are: the points of a list, or in a box, in which they are packed or, if they are not, on a
 * lattice. */
typedef struct places {
    const mote_vec3 *points;
    const mt_packing *packing;
    mote_vec3 corner, first, last; /* of the box, and of the lattice, m */
    uint32_t counts[3];
    float spacing;
    uint32_t total;
} places;

static mote_vec3 lattice_place(const places *p, uint32_t x, uint32_t y, uint32_t z)
{
    return (mote_vec3){p->first.x + p->spacing * (float)x, p->first.y + p->spacing * (float)y,
                       p->first.z + p->spacing * (float)z};
}

static mote_vec3 place(const places *p, uint32_t number)
{
    if (p->points != NULL)
        return p->points[number];
    uint32_t x = number % p->counts[0], y = number / p->counts[0] % p->counts[1],
             z = number / p->counts[0] / p->counts[1];
    if (p->packing != NULL)
        return mt_add(p->corner, mt_scale(mt_packing_place(p->packing, x, y, z), p->spacing));
    return lattice_place(p, x, y, z);
}

/* Within a box particles stay in it. */
static float moved(float at, float shift, float low, float high)
{
    return fminf(fmaxf(at + shift, low), high);
}

static mote_vec3 shaken_place(const mote_fluid_def *def, const places *p, uint32_t number)
{
    mote_vec3 at = place(p, number);
    float shift = def->jitter * p->spacing;
    mote_vec3 by = {shift * random_part(def->seed, number, 0), shift * random_part(def->seed, number, 1),
                    shift * random_part(def->seed, number, 2)};
    if (shift == 0.0f)
        return at;
    if (p->points != NULL)
        return mt_add(at, by);
    return (mote_vec3){moved(at.x, by.x, p->first.x, p->last.x), moved(at.y, by.y, p->first.y, p->last.y),
                       moved(at.z, by.z, p->first.z, p->last.z)};
}

static mote_particle_def drop_at(const mote_world *world, const mote_fluid_def *def, const places *p,
                                 uint32_t number)
{
    float r = world->radius;
    uint32_t material = 0;
    mt_material_resolve(world, def->material, "fluid.material", &material);
    return (mote_particle_def){
        .position = shaken_place(def, p, number),
        .velocity = def->velocity,
        .mass = world->materials[material].density * (8.0f * r * r * r),
        .radius = r,
        .material = def->material,
        .phase = def->phase,
    };
}

static mote_result add_all(mote_world *world, const mote_fluid_def *def, const places *p, mote_particle_id *ids)
{
    for (uint32_t i = 0; i < p->total; i++) { /* one may be out of space, or its mass out of range */
        mote_particle_def drop = drop_at(world, def, p, i);
        MT_TRY(mt_particle_check(world, &drop));
    }
    MT_TRY(mt_particles_reserve(world, world->particles.count + p->total));
    mote_particle_def batch[BATCH];
    for (uint32_t done = 0; done < p->total; done += BATCH) {
        uint32_t count = p->total - done < BATCH ? p->total - done : BATCH;
        for (uint32_t i = 0; i < count; i++)
            batch[i] = drop_at(world, def, p, done + i);
        MT_TRY(mote_particles_add(world, batch, count, ids != NULL ? ids + done : NULL));
    }
    return MOTE_OK;
}

/* ---- boxes --------------------------------------------------------------------------------------------- */

mote_result mote_fluid_block_counts(const mote_world *world, const mote_fluid_def *def, uint32_t counts[3])
{
    MT_TRY(mt_check_pointer("world", world));
    MT_TRY(mt_check_pointer("counts", counts));
    uint32_t found[3];
    MT_TRY(count_box(world, def, found));
    for (int axis = 0; axis < 3; axis++)
        counts[axis] = found[axis];
    return MOTE_OK;
}

static mote_result add_packed(mote_world *world, const mote_fluid_def *def, places *p, mote_particle_id *ids)
{
    mt_packing packing;
    MT_TRY(mt_packing_make(&packing, p->counts, def->seed, &world->memory));
    p->packing = &packing;
    mote_result result = add_all(world, def, p, ids);
    mt_packing_free(&packing, &world->memory);
    return result;
}

mote_result mote_fluid_block(mote_world *world, const mote_fluid_def *def, mote_particle_id *ids)
{
    MT_TRY(mt_enter(world, "mote_fluid_block"));
    places p = {.spacing = 2.0f * world->radius};
    MT_TRY(count_box(world, def, p.counts));
    p.total = p.counts[0] * p.counts[1] * p.counts[2];
    p.corner = def->min;
    p.first = (mote_vec3){def->min.x + world->radius, def->min.y + world->radius, def->min.z + world->radius};
    p.last = lattice_place(&p, p.counts[0] - 1, p.counts[1] - 1, p.counts[2] - 1);
    return def->packing == MOTE_PACKING_RANDOM ? add_packed(world, def, &p, ids) : add_all(world, def, &p, ids);
}

/* ---- meshes -------------------------------------------------------------------------------------------- */

static mote_result add_points(mote_world *world, const mote_fluid_def *def, const mote_mesh *mesh,
                              const mote_sample_def *sample, size_t count)
{
    size_t size = count * sizeof(mote_vec3);
    mote_vec3 *points = mt_allocate(&world->memory, size);
    if (points == NULL)
        return MOTE_ERROR_MEMORY;
    mote_result result = mt_mesh_sample(&world->memory, mesh, sample, points, count, &count);
    places p = {.points = points, .spacing = sample->spacing, .total = (uint32_t)count};
    if (result == MOTE_OK)
        result = add_all(world, def, &p, NULL);
    mt_release(&world->memory, points, size);
    return result;
}

mote_result mote_fluid_mesh(mote_world *world, const mote_fluid_def *def, const mote_mesh *mesh,
                            mote_sample_method method, size_t *count)
{
    MT_TRY(mt_enter(world, "mote_fluid_mesh"));
    MT_TRY(check_fluid(world, def));
    MT_TRY(mt_check_count("method", (uint32_t)method, 0, MOTE_SAMPLE_COUNT - 1));
    if (def->packing != MOTE_PACKING_LATTICE)
        return mt_fail(MOTE_ERROR_ARGUMENT, "fluid.packing: meshes are filled with a lattice only");
    mote_sample_def sample = mote_default_sample_def();
    sample.spacing = 2.0f * world->radius;
    sample.method = method;
    size_t found = 0;
    MT_TRY(mt_mesh_sample(&world->memory, mesh, &sample, NULL, 0, &found));
    if (found == 0)
        return mt_fail(MOTE_ERROR_MESH,
                       "the mesh is smaller than a particle: no cube of %g m has its middle inside of it",
                       (double)sample.spacing);
    if (found > world->max_particles - world->particles.count)
        return mt_fail(MOTE_ERROR_LIMIT,
                       "the mesh takes %zu particles; with the %u there are that would pass max_particles, %u",
                       found, world->particles.count, world->max_particles);
    MT_TRY(add_points(world, def, mesh, &sample, found));
    if (count != NULL)
        *count = found;
    return MOTE_OK;
}
