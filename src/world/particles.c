/* The particle store: arrays in slot order, handles from the outside. */
#include "base/error.h"
#include "base/vec.h"
#include "world/bodies.h"
#include "world/check.h"
#include "world/world.h"

#include <string.h>

#define MAX_MASS   1e12f  /* kg */
#define MIN_MASS   1e-12f /* kg */
#define MAX_RADIUS 1e4f   /* m */
#define MIN_RADIUS 1e-6f  /* m */

mote_particle_def mote_default_particle_def(void)
{
    return (mote_particle_def){.mass = 1.0f, .radius = MOTE_WORLD_RADIUS, .phase = MOTE_PHASE_DEFAULT};
}

/* ---- storage ------------------------------------------------------------------------------------------- */

mote_result mt_particles_reserve(mote_world *world, uint32_t count)
{
    mt_particles *p = &world->particles;
    size_t slots = (size_t)count + 2 * MT_SLICE;
    MT_TRY(mt_particle_arrays_reserve(&p->now, &world->memory, slots, p->count));
    MT_TRY(mt_particle_arrays_reserve(&p->other, &world->memory, slots, 0));
    uint32_t more = count > p->count ? count - p->count : 0;
    MT_TRY(mt_handles_reserve(&p->handles, &world->memory, more));
    mt_particles_pad(world);
    return MOTE_OK;
}

void mt_particles_pad(mote_world *world)
{
    uint32_t count = world->particles.count;
    uint32_t end = (count + MT_SLICE - 1) / MT_SLICE * MT_SLICE + MT_SLICE;
    mt_particle_arrays_reset(&world->particles.now, count, end);
}

/* ---- sleep --------------------------------------------------------------------------------------------- */

void mt_wake_slot(mote_world *world, uint32_t slot)
{
    float *rest_time = &mt_rest_times(world)[slot];
    if (*rest_time < 0)
        *rest_time = 0.0f;
}

void mt_disturb(mote_world *world, mote_vec3 center, float reach)
{
    mt_disturbance *d = &world->disturbance;
    mote_vec3 low = {center.x - reach, center.y - reach, center.z - reach};
    mote_vec3 high = {center.x + reach, center.y + reach, center.z + reach};
    if (!d->any) {
        *d = (mt_disturbance){true, low, high};
        return;
    }
    d->min = (mote_vec3){fminf(d->min.x, low.x), fminf(d->min.y, low.y), fminf(d->min.z, low.z)};
    d->max = (mote_vec3){fmaxf(d->max.x, high.x), fmaxf(d->max.y, high.y), fmaxf(d->max.z, high.z)};
}

/* What rests on the particle at a slot may be left without its support. */
static void disturb_slot(mote_world *world, uint32_t slot)
{
    mote_vec4 p = mt_positions(world)[slot];
    mt_disturb(world, mt_xyz(p), 2.0f * p.w);
}

/* ---- adding and removing ------------------------------------------------------------------------------- */

static mote_result check_mass(const char *field, float mass)
{
    MT_TRY(mt_check_positive(field, mass, MAX_MASS));
    return mt_check_range(field, mass, MIN_MASS, MAX_MASS);
}

static mote_result check_velocity(const char *field, mote_vec3 velocity)
{
    MT_TRY(mt_check_vec3(field, velocity, MT_MAX_VELOCITY));
    if (mt_length(velocity) > MT_MAX_VELOCITY)
        return mt_fail(MOTE_ERROR_ARGUMENT, "%s is %g m/s long; it must be at most %g", field,
                       (double)mt_length(velocity), (double)MT_MAX_VELOCITY);
    return MOTE_OK;
}

/* So that no place of the surface is faster than a particle may be. */
static mote_result check_spin(mote_vec3 spin, float radius)
{
    MT_TRY(mt_check_vec3("spin", spin, MT_MAX_VELOCITY / MIN_RADIUS));
    if (radius * mt_length(spin) > MT_MAX_VELOCITY)
        return mt_fail(MOTE_ERROR_ARGUMENT, "spin is %g rad/s; with a radius of %g m it must be at most %g",
                       (double)mt_length(spin), (double)radius, (double)(MT_MAX_VELOCITY / radius));
    return MOTE_OK;
}

mote_result mt_check_spin_at(const mote_world *world, uint32_t slot, const float *values)
{
    return check_spin((mote_vec3){values[0], values[1], values[2]}, mt_positions(world)[slot].w);
}

static mote_result check_phase(const char *field, uint32_t phase)
{
    if ((phase & ~MOTE_PHASE_MASK) != 0)
        return mt_fail(MOTE_ERROR_ARGUMENT, "%s is 0x%08X, which has bits that mean nothing", field, phase);
    return MOTE_OK;
}

mote_result mt_radius_check(const char *field, float radius)
{
    MT_TRY(mt_check_positive(field, radius, MAX_RADIUS));
    return mt_check_range(field, radius, MIN_RADIUS, MAX_RADIUS);
}

static bool is_within(mote_vec4 v, float limit)
{
    return fabsf(v.x) <= limit && fabsf(v.y) <= limit && fabsf(v.z) <= limit;
}

bool mt_particle_fits(mote_vec4 x, mote_vec4 v, mote_vec3 spin, uint32_t phase)
{
    bool mass_fits = v.w == 0 || (v.w >= 0.5f / MAX_MASS && v.w <= 2.0f / MIN_MASS);
    return is_within(x, MT_FAR) && x.w >= MIN_RADIUS && x.w <= MAX_RADIUS && is_within(v, 1e13f) && mass_fits &&
           x.w * mt_length(spin) <= 2.0f * MT_MAX_VELOCITY && (phase & ~MOTE_PHASE_MASK) == 0;
}

mote_result mt_fluid_radius_check(const mote_world *world, const char *field, float radius)
{
    if (fabsf(radius - world->radius) > 1e-4f * world->radius)
        return mt_fail(MOTE_ERROR_ARGUMENT,
                       "%s is %g, but a fluid's particles are as large as the world's radius, %g", field,
                       (double)radius, (double)world->radius);
    return MOTE_OK;
}

mote_result mt_particle_check(const mote_world *world, const mote_particle_def *def)
{
    MT_TRY(mt_check_vec3("particle.position", def->position, MT_MAX_COORDINATE));
    MT_TRY(check_velocity("particle.velocity", def->velocity));
    MT_TRY(check_mass("particle.mass", def->mass));
    MT_TRY(check_phase("particle.phase", def->phase));
    if (def->radius != MOTE_WORLD_RADIUS)
        MT_TRY(mt_radius_check("particle.radius", def->radius));
    uint32_t material;
    MT_TRY(mt_material_resolve(world, def->material, "particle.material", &material));
    float radius = def->radius != MOTE_WORLD_RADIUS ? def->radius : world->radius;
    return world->materials[material].fluid ? mt_fluid_radius_check(world, "particle.radius", radius) : MOTE_OK;
}

static mote_particle_id append(mote_world *world, const mote_particle_def *def)
{
    uint32_t slot = world->particles.count++;
    mt_handle handle = mt_handles_take(&world->particles.handles, slot);
    mote_particle_id id = {handle.index, handle.generation};
    uint32_t material = 0;
    mt_material_resolve(world, def->material, "particle.material", &material);
    float radius = def->radius != MOTE_WORLD_RADIUS ? def->radius : world->radius;
    float inverse_mass = def->fixed ? 0.0f : 1.0f / def->mass;
    mote_vec3 x = def->position, v = def->velocity;
    mt_particle_arrays_reset(&world->particles.now, slot, slot + 1);
    mt_positions(world)[slot] = (mote_vec4){x.x, x.y, x.z, radius};
    mt_velocities(world)[slot] = (mote_vec4){v.x, v.y, v.z, inverse_mass};
    mt_particle_ids(world)[slot] = id;
    mt_phases(world)[slot] = def->phase;
    mt_material_indices(world)[slot] = material;
    return id;
}

static mote_result check_room(const mote_world *world, size_t count)
{
    if (count > world->max_particles - world->particles.count)
        return mt_fail(MOTE_ERROR_LIMIT,
                       "%zu particles more than the %u there are would pass max_particles, %u", count,
                       world->particles.count, world->max_particles);
    return MOTE_OK;
}

mote_result mote_particles_add(mote_world *world, const mote_particle_def *defs, size_t count,
                               mote_particle_id *ids)
{
    MT_TRY(mt_enter(world, "mote_particles_add"));
    if (count == 0)
        return MOTE_OK;
    MT_TRY(mt_check_pointer("defs", defs));
    MT_TRY(check_room(world, count));
    for (size_t i = 0; i < count; i++)
        MT_TRY(mt_particle_check(world, &defs[i]));
    MT_TRY(mt_particles_reserve(world, world->particles.count + (uint32_t)count));
    for (size_t i = 0; i < count; i++) {
        mote_particle_id id = append(world, &defs[i]);
        if (ids != NULL)
            ids[i] = id;
    }
    mt_particles_pad(world);
    return MOTE_OK;
}

mote_particle_id mote_particle_add(mote_world *world, const mote_particle_def *def)
{
    mote_particle_id id = {0, 0};
    return mote_particles_add(world, def, 1, &id) == MOTE_OK ? id : (mote_particle_id){0, 0};
}

mote_result mt_particle_find(const mote_world *world, mote_particle_id particle, uint32_t *slot)
{
    *slot = mt_handles_find(&world->particles.handles, particle.index, particle.generation);
    if (*slot == MT_NO_SLOT)
        return mt_handle_refused(&world->particles.handles, "particle handle", particle.index,
                                 particle.generation);
    return MOTE_OK;
}

void mt_particle_remove_slot(mote_world *world, uint32_t slot)
{
    mt_constraints_release(world, MOTE_END_PARTICLE, mt_particle_ids(world)[slot].index);
    mt_particle_unlink(world, mt_particle_ids(world)[slot]);
    uint32_t last = --world->particles.count;
    disturb_slot(world, slot);
    mt_handles_drop(&world->particles.handles, mt_particle_ids(world)[slot].index);
    if (slot != last) {
        mt_particle_arrays_copy(&world->particles.now, slot, last);
        mt_handle_entries(&world->particles.handles)[mt_particle_ids(world)[slot].index].slot = slot;
    }
}

mote_result mote_particle_remove(mote_world *world, mote_particle_id particle)
{
    MT_TRY(mt_enter(world, "mote_particle_remove"));
    uint32_t slot;
    MT_TRY(mt_particle_find(world, particle, &slot));
    mt_particle_remove_slot(world, slot);
    mt_particles_pad(world);
    return MOTE_OK;
}

bool mote_particle_is_valid(const mote_world *world, mote_particle_id particle)
{
    return world != NULL &&
           mt_handles_find(&world->particles.handles, particle.index, particle.generation) != MT_NO_SLOT;
}

size_t mote_particle_count(const mote_world *world)
{
    return world != NULL ? world->particles.count : 0;
}

/* ---- one at a time ------------------------------------------------------------------------------------- */

mote_result mote_particle_get(const mote_world *world, mote_particle_id particle, mote_particle_state *state)
{
    MT_TRY(mt_check_pointer("world", world));
    MT_TRY(mt_check_pointer("state", state));
    uint32_t slot;
    MT_TRY(mt_particle_find(world, particle, &slot));
    float inverse_mass = mt_velocities(world)[slot].w;
    *state = (mote_particle_state){
        .position = mt_xyz(mt_positions(world)[slot]),
        .velocity = mt_xyz(mt_velocities(world)[slot]),
        .spin = mt_xyz(mt_spins(world)[slot]),
        .mass = inverse_mass > 0 ? 1.0f / inverse_mass : INFINITY,
        .radius = mt_positions(world)[slot].w,
        .phase = mt_phases(world)[slot],
        .material = mote_material_at(world, mt_material_indices(world)[slot]),
        .fixed = inverse_mass == 0,
        .asleep = mt_rest_times(world)[slot] < 0,
    };
    return MOTE_OK;
}

static void write_position(mote_world *world, uint32_t slot, mote_vec3 position)
{
    disturb_slot(world, slot);
    mote_vec4 *p = &mt_positions(world)[slot];
    *p = (mote_vec4){position.x, position.y, position.z, p->w};
    disturb_slot(world, slot);
    mt_wake_slot(world, slot);
}

static void write_velocity(mote_world *world, uint32_t slot, mote_vec3 velocity)
{
    mote_vec4 *v = &mt_velocities(world)[slot];
    *v = (mote_vec4){velocity.x, velocity.y, velocity.z, v->w};
    mt_wake_slot(world, slot);
}

mote_result mote_particle_set_position(mote_world *world, mote_particle_id particle, mote_vec3 position)
{
    return mote_particles_write(world, &particle, 1, &position, NULL);
}

mote_result mote_particle_set_velocity(mote_world *world, mote_particle_id particle, mote_vec3 velocity)
{
    return mote_particles_write(world, &particle, 1, NULL, &velocity);
}

mote_result mote_particle_set_spin(mote_world *world, mote_particle_id particle, mote_vec3 spin)
{
    return mote_particles_write_spins(world, &particle, 1, &spin);
}

mote_result mote_particle_set_phase(mote_world *world, mote_particle_id particle, uint32_t phase)
{
    MT_TRY(mt_enter(world, "mote_particle_set_phase"));
    uint32_t slot;
    MT_TRY(mt_particle_find(world, particle, &slot));
    MT_TRY(check_phase("phase", phase));
    mt_phases(world)[slot] = phase;
    disturb_slot(world, slot);
    return MOTE_OK;
}

mote_result mote_particle_set_material(mote_world *world, mote_particle_id particle, mote_material_id material)
{
    MT_TRY(mt_enter(world, "mote_particle_set_material"));
    uint32_t slot, index;
    MT_TRY(mt_particle_find(world, particle, &slot));
    MT_TRY(mt_material_resolve(world, material, "material", &index));
    if (world->materials[index].fluid)
        MT_TRY(mt_fluid_radius_check(world, "material: particle.radius", mt_positions(world)[slot].w));
    mt_material_indices(world)[slot] = index;
    disturb_slot(world, slot);
    return MOTE_OK;
}

mote_result mote_particle_set_mass(mote_world *world, mote_particle_id particle, float mass)
{
    MT_TRY(mt_enter(world, "mote_particle_set_mass"));
    uint32_t slot;
    MT_TRY(mt_particle_find(world, particle, &slot));
    MT_TRY(check_mass("mass", mass));
    if (mt_velocities(world)[slot].w == 0)
        return mt_fail(MOTE_ERROR_ARGUMENT, "particle %u is fixed: mote_particle_set_fixed gives it a mass",
                       particle.index);
    mt_velocities(world)[slot].w = 1.0f / mass;
    mt_member member;
    mt_membership_know(world);
    if (mt_membership_of(world, particle.index, &member) > 0)
        mt_body_refresh(world, mt_member_body(&member, 0));
    disturb_slot(world, slot);
    return MOTE_OK;
}

mote_result mote_particle_set_fixed(mote_world *world, mote_particle_id particle, bool fixed, float mass)
{
    MT_TRY(mt_enter(world, "mote_particle_set_fixed"));
    uint32_t slot;
    MT_TRY(mt_particle_find(world, particle, &slot));
    if (!fixed)
        MT_TRY(check_mass("mass", mass));
    mt_member member;
    mt_membership_know(world);
    if (mt_membership_of(world, particle.index, &member) > 0)
        return mt_fail(MOTE_ERROR_ARGUMENT,
                       "particle %u belongs to a body: mote_body_set_mode holds the body, a joint a part of it",
                       particle.index);
    mt_velocities(world)[slot].w = fixed ? 0.0f : 1.0f / mass;
    disturb_slot(world, slot);
    mt_wake_slot(world, slot);
    return MOTE_OK;
}

mote_result mote_particle_apply_impulse(mote_world *world, mote_particle_id particle, mote_vec3 impulse)
{
    MT_TRY(mt_enter(world, "mote_particle_apply_impulse"));
    uint32_t slot;
    MT_TRY(mt_particle_find(world, particle, &slot));
    MT_TRY(mt_check_vec3("impulse", impulse, 1e12f));
    mote_vec4 v = mt_velocities(world)[slot];
    if (v.w == 0)
        return MOTE_OK;
    mote_vec3 changed = mt_add(mt_xyz(v), mt_scale(impulse, v.w));
    MT_TRY(check_velocity("velocity after the impulse", changed));
    write_velocity(world, slot, changed);
    return MOTE_OK;
}

/* ---- in bulk ------------------------------------------------------------------------------------------- */

mote_particles_view mote_particles_get_view(const mote_world *world)
{
    if (world == NULL)
        return (mote_particles_view){0};
    return (mote_particles_view){
        .count = world->particles.count,
        .position = mt_positions(world),
        .velocity = mt_velocities(world),
        .spin = mt_spins(world),
        .phase = mt_phases(world),
        .material = mt_material_indices(world),
        .id = mt_particle_ids(world),
        .rest_time = mt_rest_times(world),
    };
}

mote_result mote_particles_read(const mote_world *world, const mote_particle_id *ids, size_t count,
                                mote_vec3 *positions, mote_vec3 *velocities)
{
    MT_TRY(mt_check_pointer("world", world));
    if (count > 0)
        MT_TRY(mt_check_pointer("ids", ids));
    for (size_t i = 0; i < count; i++) {
        uint32_t slot;
        MT_TRY(mt_particle_find(world, ids[i], &slot));
        if (positions != NULL)
            positions[i] = mt_xyz(mt_positions(world)[slot]);
        if (velocities != NULL)
            velocities[i] = mt_xyz(mt_velocities(world)[slot]);
    }
    return MOTE_OK;
}

mote_result mote_particles_write(mote_world *world, const mote_particle_id *ids, size_t count,
                                 const mote_vec3 *positions, const mote_vec3 *velocities)
{
    MT_TRY(mt_enter(world, "mote_particles_write"));
    if (count > 0)
        MT_TRY(mt_check_pointer("ids", ids));
    uint32_t slot;
    for (size_t i = 0; i < count; i++) {
        MT_TRY(mt_particle_find(world, ids[i], &slot));
        if (positions != NULL)
            MT_TRY(mt_check_vec3("position", positions[i], MT_MAX_COORDINATE));
        if (velocities != NULL)
            MT_TRY(check_velocity("velocity", velocities[i]));
    }
    for (size_t i = 0; i < count; i++) {
        MT_TRY(mt_particle_find(world, ids[i], &slot));
        if (positions != NULL)
            write_position(world, slot, positions[i]);
        if (velocities != NULL)
            write_velocity(world, slot, velocities[i]);
    }
    mt_particles_rematch(world, ids, positions != NULL ? count : 0);
    return MOTE_OK;
}

mote_result mote_particles_read_spins(const mote_world *world, const mote_particle_id *ids, size_t count,
                                      mote_vec3 *spins)
{
    MT_TRY(mt_check_pointer("world", world));
    if (count > 0) {
        MT_TRY(mt_check_pointer("ids", ids));
        MT_TRY(mt_check_pointer("spins", spins));
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t slot;
        MT_TRY(mt_particle_find(world, ids[i], &slot));
        spins[i] = mt_xyz(mt_spins(world)[slot]);
    }
    return MOTE_OK;
}

mote_result mote_particles_write_spins(mote_world *world, const mote_particle_id *ids, size_t count,
                                       const mote_vec3 *spins)
{
    MT_TRY(mt_enter(world, "mote_particles_write_spins"));
    if (count > 0) {
        MT_TRY(mt_check_pointer("ids", ids));
        MT_TRY(mt_check_pointer("spins", spins));
    }
    uint32_t slot;
    for (size_t i = 0; i < count; i++) {
        MT_TRY(mt_particle_find(world, ids[i], &slot));
        MT_TRY(check_spin(spins[i], mt_positions(world)[slot].w));
    }
    for (size_t i = 0; i < count; i++) {
        MT_TRY(mt_particle_find(world, ids[i], &slot));
        mt_spins(world)[slot] = (mote_vec4){spins[i].x, spins[i].y, spins[i].z, 0.0f};
        mt_wake_slot(world, slot);
    }
    return MOTE_OK;
}
