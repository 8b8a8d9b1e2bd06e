#include "step/fluid/seep.h"

#include "base/hash.h"
#include "base/vec.h"
#include "step/scratch.h"
#include "world/world.h"

#define BLOCK_SLOTS (MT_BLOCK * MT_SLICE)
#define AROUND      3.0f  /* how far a particle looks for its own kind, in radii */
#define NEAR        2.6f  /* and for a partner */
#define DROP        0.6f  /* by how much the denser one is above at least, in radii */
#define STRAY       0.5f  /* a part of its kind about it below this makes a stray */
#define STILL       0.04f /* squared relative speed, in gravity times radius, up to which two are still */
#define RATE        3.0f  /* changes of a pair a second, 1/s */
#define NOBODY      UINT32_MAX

/* What is found out about a particle, where the solver kept the pressures' changes. */
typedef struct finding {
    float own;        /* the part of its kind among the liquids about it, 0 to 1 */
    uint32_t partner; /* slot, or NOBODY */
    float unused[2];
} finding;

typedef struct seep_job {
    mote_world *world;
    finding *findings;
    mote_vec3 up;
    float around, near, drop, still; /* m^2, m^2, m, m^2/s^2 */
    uint64_t chance;                 /* of 2^32 */
} seep_job;

static const mt_material *liquid_of(const mote_world *world, uint32_t slot)
{
    if (slot >= world->particles.count || mt_rest_times(world)[slot] < 0 || mt_velocities(world)[slot].w == 0)
        return NULL;
    const mt_material *material = &world->materials[mt_material_indices(world)[slot]];
    return material->fluid ? material : NULL;
}

static mote_vec3 between(const mote_vec4 *values, uint32_t i, uint32_t j)
{
    return mt_sub(mt_xyz(values[j]), mt_xyz(values[i]));
}

static void count_own(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const seep_job *job = context;
    const mt_lists *lists = &job->world->scratch->lists;
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        const mt_material *mine = liquid_of(job->world, i), *other;
        uint32_t all = 0, own = 0;
        for (uint32_t k = 0; mine != NULL && k < mt_neighbor_count(lists, i); k++) {
            uint32_t j = mt_neighbor(lists, i, k);
            if ((other = liquid_of(job->world, j)) == NULL)
                continue;
            mote_vec3 way = between(mt_positions(job->world), i, j);
            if (mt_dot(way, way) < job->around) {
                all++;
                own += mine == other;
            }
        }
        job->findings[i] = (finding){all > 0 ? (float)own / (float)all : 1.0f, NOBODY, {0.0f, 0.0f}};
    }
}

/* How far the denser of two would come down; 0 if they are to stay. */
static float drop_of(const seep_job *job, uint32_t i, uint32_t j)
{
    const mt_material *mine = liquid_of(job->world, i), *other = liquid_of(job->world, j);
    if (other == NULL || mine->density == other->density ||
        (job->findings[i].own >= STRAY && job->findings[j].own >= STRAY))
        return 0.0f;
    mote_vec3 way = between(mt_positions(job->world), i, j), speed = between(mt_velocities(job->world), i, j);
    if (mt_dot(way, way) > job->near || mt_dot(speed, speed) > job->still)
        return 0.0f;
    float rise = mt_dot(way, job->up);
    return fmaxf(mine->density > other->density ? -rise : rise, 0.0f);
}

static void choose(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const seep_job *job = context;
    const mt_lists *lists = &job->world->scratch->lists;
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        float most = job->drop;
        for (uint32_t k = 0; liquid_of(job->world, i) != NULL && k < mt_neighbor_count(lists, i); k++) {
            uint32_t j = mt_neighbor(lists, i, k);
            float drop = drop_of(job, i, j);
            if (drop > most) {
                most = drop;
                job->findings[i].partner = j;
            }
        }
    }
}

/* Only those that chose each other, so that nobody is asked for twice. */
static void change_places(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const seep_job *job = context;
    mote_vec4 *x = mt_positions(job->world);
    const mote_particle_id *ids = mt_particle_ids(job->world);
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t j = job->findings[i].partner;
        if (j == NOBODY || j < i || job->findings[j].partner != i)
            continue;
        uint32_t low = ids[i].index < ids[j].index ? ids[i].index : ids[j].index;
        uint64_t pair = ((uint64_t)low << 32) + (uint64_t)(ids[i].index ^ ids[j].index);
        if (mt_hash_add(mt_mix(pair), job->world->step_count) >> 32 >= job->chance)
            continue;
        mote_vec4 mine = x[i];
        x[i] = (mote_vec4){x[j].x, x[j].y, x[j].z, mine.w};
        x[j] = (mote_vec4){mine.x, mine.y, mine.z, x[j].w};
    }
}

static bool has_several_densities(const mote_world *world)
{
    float density = 0.0f;
    for (uint32_t i = 0; i < world->material_count; i++) {
        if (!world->materials[i].fluid)
            continue;
        if (density > 0 && world->materials[i].density != density)
            return true;
        density = world->materials[i].density;
    }
    return false;
}

void mt_fluid_seep(mote_world *world, float dt)
{
    float gravity = mt_length(world->settings.gravity), radius = world->radius;
    uint32_t count = world->particles.count;
    if (count == 0 || !(gravity > 0) || mt_solves_impulses(world) || !has_several_densities(world))
        return;
    seep_job job = {.world = world,
                    .findings = world->scratch->dense.data,
                    .up = mt_scale(world->settings.gravity, -1.0f / gravity),
                    .around = AROUND * AROUND * radius * radius,
                    .near = NEAR * NEAR * radius * radius,
                    .drop = DROP * radius,
                    .still = STILL * gravity * radius,
                    .chance = (uint64_t)(fminf(RATE * dt, 1.0f) * 4294967296.0f)};
    mt_parallel_for(&world->threads, count, BLOCK_SLOTS, count_own, &job);
    mt_parallel_for(&world->threads, count, BLOCK_SLOTS, choose, &job);
    mt_parallel_for(&world->threads, count, BLOCK_SLOTS, change_places, &job);
}
