/* Making and ending worlds, and their settings. */
#include "world/world.h"

#include "base/cpu.h"
#include "base/error.h"
#include "base/vec.h"
#include "world/bodies.h"
#include "world/check.h"

#include <stdatomic.h>
#include <string.h>

mote_settings mote_default_settings(void)
{
    return (mote_settings){
        .gravity = {0.0f, -9.81f, 0.0f},
        .substeps = 8,
        .iterations = 1,
        .stabilization_iterations = 1,
        .solver = MOTE_SOLVER_IMPULSE,
        .integrator = MOTE_INTEGRATOR_SYMPLECTIC_EULER,
        .relaxation = 1.0f,
        .contact_margin = 1.1f,
        .neighbor_skin = 0.5f,
        .sleep_time = 0.5f,
        .max_speed = 1e4f,
        .max_acceleration = 1e9f,
    };
}

mote_world_def mote_default_world_def(void)
{
    return (mote_world_def){.radius = 0.05f, .max_particles = 4000000, .settings = mote_default_settings()};
}

mote_result mt_enter(const mote_world *world, const char *call)
{
    if (world == NULL)
        return mt_fail(MOTE_ERROR_ARGUMENT, "%s: world is NULL", call);
    if (world->busy || world->memory.in_callback)
        return mt_fail(MOTE_ERROR_BUSY, "%s: the world is busy: a callback must not call into it", call);
    return MOTE_OK;
}

mote_result mt_settings_check(const mote_settings *s)
{
    MT_TRY(mt_check_vec3("settings.gravity", s->gravity, 1e6f));
    MT_TRY(mt_check_count("settings.substeps", s->substeps, 1, 1000));
    MT_TRY(mt_check_count("settings.iterations", s->iterations, 1, 10000));
    MT_TRY(mt_check_count("settings.stabilization_iterations", s->stabilization_iterations, 0, 1000));
    MT_TRY(mt_check_count("settings.solver", (uint32_t)s->solver, 0, MOTE_SOLVER_COUNT - 1));
    MT_TRY(mt_check_count("settings.integrator", (uint32_t)s->integrator, 0, MOTE_INTEGRATOR_COUNT - 1));
    MT_TRY(mt_check_positive("settings.relaxation", s->relaxation, 2.0f));
    MT_TRY(mt_check_range("settings.contact_margin", s->contact_margin, 1.0f, 2.0f));
    MT_TRY(mt_check_range("settings.neighbor_skin", s->neighbor_skin, 0.0f, 2.0f));
    MT_TRY(mt_check_range("settings.mass_scaling", s->mass_scaling, 0.0f, 1e6f));
    MT_TRY(mt_check_range("settings.damping", s->damping, 0.0f, 1e6f));
    MT_TRY(mt_check_range("settings.sleep_speed", s->sleep_speed, 0.0f, 1e4f));
    MT_TRY(mt_check_range("settings.sleep_time", s->sleep_time, 0.0f, 1e6f));
    MT_TRY(mt_check_positive("settings.max_speed", s->max_speed, MT_MAX_VELOCITY));
    MT_TRY(mt_check_positive("settings.max_acceleration", s->max_acceleration, 1e12f));
    MT_TRY(mt_check_range("settings.restitution_speed", s->restitution_speed, 0.0f, 1e4f));
    MT_TRY(mt_check_range("settings.max_depenetration_speed", s->max_depenetration_speed, 0.0f, 1e4f));
    MT_TRY(mt_check_range("settings.residual_tolerance", s->residual_tolerance, 0.0f, 1e4f));
    return mt_check_range("settings.time_budget", s->time_budget, 0.0f, 1e4f);
}

static mote_result check_def(const mote_world_def *def)
{
    MT_TRY(mt_radius_check("radius", def->radius));
    MT_TRY(mt_check_count("max_particles", def->max_particles, 1, 100000000));
    MT_TRY(mt_check_count("number", def->number, 0, MT_MAX_NUMBER));
    MT_TRY(mt_check_count("thread_count", def->thread_count, 0, MT_MAX_WORKERS));
    if ((def->allocator.allocate == NULL) != (def->allocator.release == NULL))
        return mt_fail(MOTE_ERROR_ARGUMENT, "allocator: give both allocate and release, or neither");
    if (def->tasks.run != NULL)
        MT_TRY(mt_check_count("tasks.worker_count", def->tasks.worker_count, 1, UINT32_MAX));
    return mt_settings_check(&def->settings);
}

static void init_arrays(mote_world *world)
{
    mt_particle_arrays_init(&world->particles.now);
    mt_particle_arrays_init(&world->particles.other);
    mt_membership_init(&world->membership);
    mt_constraints_init(&world->constraints);
    mt_tables_init(world);
    mt_placement_init(&world->placement);
    mt_array_init(&world->before.items, sizeof(mt_touch));
    mt_array_init(&world->events, sizeof(mote_event));
    mt_array_init(&world->contacts, sizeof(mote_contact));
    mt_contact_index_init(&world->contact_index);
}

/* Worlds are counted, over and over. */
static uint32_t next_number(void)
{
    static atomic_uint made;
    return atomic_fetch_add_explicit(&made, 1, memory_order_relaxed) % MT_MAX_NUMBER + 1;
}

static uint32_t wanted_threads(uint32_t count)
{
    if (count == 0)
        count = mote_core_count();
    return count > MT_MAX_WORKERS ? MT_MAX_WORKERS : count;
}

/* Everything that can fail. What was made before a failure is given back by the caller's mote_world_destroy. */
static mote_result start(mote_world *world, const mote_world_def *def)
{
    MT_TRY(mt_simd_choose(def->simd, &world->simd));
    MT_TRY(mt_threads_start(&world->threads, &world->memory, def->tasks, wanted_threads(def->thread_count)));
    MT_TRY(mt_scratch_create(world));
    MT_TRY(mt_particles_reserve(world, 0));
    mote_material_def plain = mote_default_material_def();
    plain.name = "default";
    return mote_is_null(mote_material_add(world, &plain)) ? mote_last_result() : MOTE_OK;
}

mote_result mote_world_create(const mote_world_def *def, mote_world **world)
{
    MT_TRY(mt_check_pointer("world", world));
    *world = NULL;
    MT_TRY(mt_check_pointer("def", def));
    MT_TRY(check_def(def));
    mt_memory memory = mt_memory_make(def->allocator);
    mote_world *made = mt_allocate(&memory, sizeof *made);
    if (made == NULL)
        return MOTE_ERROR_MEMORY;
    memset(made, 0, sizeof *made);
    made->memory = memory;
    made->radius = def->radius;
    made->max_particles = def->max_particles;
    made->settings = def->settings;
    made->number = def->number != 0 ? def->number : next_number();
    init_arrays(made);
    mote_result result = start(made, def);
    if (result != MOTE_OK) {
        mote_world_destroy(made);
        return result;
    }
    *world = made;
    return MOTE_OK;
}

void mote_world_destroy(mote_world *world)
{
    if (world == NULL || world->busy || world->memory.in_callback)
        return;
    mt_scratch_destroy(world);
    mt_placement_free(&world->placement, &world->memory);
    mt_particle_arrays_free(&world->particles.now, &world->memory);
    mt_particle_arrays_free(&world->particles.other, &world->memory);
    for (uint32_t i = 0; i < world->geometries.count; i++)
        mt_geometry_free(&mt_geometries(world)[i], &world->memory);
    mt_membership_free(&world->membership, &world->memory);
    mt_constraints_free(&world->constraints, &world->memory);
    mt_tables_free(world);
    mt_array_free(&world->before.items, &world->memory);
    mt_array_free(&world->events, &world->memory);
    mt_array_free(&world->contacts, &world->memory);
    mt_contact_index_free(&world->contact_index, &world->memory);
    mt_threads_stop(&world->threads, &world->memory);
    mt_memory memory = world->memory;
    mt_release(&memory, world, sizeof *world);
}

mote_settings mote_world_settings(const mote_world *world)
{
    return world != NULL ? world->settings : mote_default_settings();
}

mote_result mote_world_set_settings(mote_world *world, const mote_settings *settings)
{
    MT_TRY(mt_enter(world, "mote_world_set_settings"));
    MT_TRY(mt_check_pointer("settings", settings));
    MT_TRY(mt_settings_check(settings));
    mote_vec3 change = mt_sub(settings->gravity, world->settings.gravity);
    world->settings = *settings;
    if (mt_dot(change, change) != 0 || settings->sleep_speed == 0)
        return mote_world_wake(world); /* what rests under one gravity may not under another */
    return MOTE_OK;
}

uint32_t mote_world_number(const mote_world *world)
{
    return world != NULL ? world->number : 0;
}

uint32_t mote_world_thread_count(const mote_world *world)
{
    return world != NULL ? world->threads.workers : 0;
}

mote_simd mote_world_simd(const mote_world *world)
{
    return world != NULL ? world->simd : MOTE_SIMD_AUTO;
}

double mote_world_time(const mote_world *world)
{
    return world != NULL ? world->time : 0;
}

uint64_t mote_world_step_count(const mote_world *world)
{
    return world != NULL ? world->step_count : 0;
}

mote_result mote_world_wake(mote_world *world)
{
    MT_TRY(mt_enter(world, "mote_world_wake"));
    for (uint32_t i = 0; i < world->particles.count; i++)
        mt_wake_slot(world, i);
    return MOTE_OK;
}
