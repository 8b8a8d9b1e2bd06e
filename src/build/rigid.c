/* Bodies of any points: the particles, their masses and velocities, and the body. */
#include "build/rigid_form.h"

#include "base/error.h"
#include "mote/grains.h"
#include "world/check.h"
#include "world/pose_chain.h"

#define BATCH       256u   /* definitions made at a time */
#define MAX_SPIN    1e6f   /* rad/s */
#define MIN_MASS    1e-12f /* kg, of a particle */
#define MAX_MASS    1e12f  /* kg */
#define MIN_SPACING 1e-6f  /* m */
#define MAX_SPACING 1e4f   /* m */
#define NULL_BODY   ((mote_body_id){0, 0})

mote_rigid_def mote_default_rigid_def(void)
{
    return (mote_rigid_def){.pose = {.rotation = {0.0f, 0.0f, 0.0f, 1.0f}},
                            .radius = MOTE_WORLD_RADIUS,
                            .spacing = MOTE_TOUCHING,
                            .phase = MOTE_PHASE_DEFAULT,
                            .mode = MOTE_BODY_DYNAMIC};
}

/* ---- checks --------------------------------------------------------------------------------------------- */

static mote_result check_def(const mote_world *world, const mote_rigid_def *def)
{
    MT_TRY(mt_check_pose("rigid.pose", MT_NO_INDEX, "", def->pose, NULL));
    MT_TRY(mt_check_vec3("rigid.velocity", def->velocity, MT_MAX_VELOCITY));
    MT_TRY(mt_check_vec3("rigid.spin", def->spin, MAX_SPIN));
    if (def->radius != MOTE_WORLD_RADIUS)
        MT_TRY(mt_radius_check("rigid.radius", def->radius));
    if (def->spacing != MOTE_TOUCHING)
        MT_TRY(mt_check_range("rigid.spacing", def->spacing, MIN_SPACING, MAX_SPACING));
    MT_TRY(mt_check_range("rigid.mass", def->mass, 0.0f, MAX_MASS));
    if ((def->phase & ~MOTE_PHASE_MASK) != 0)
        return mt_fail(MOTE_ERROR_ARGUMENT, "rigid.phase is 0x%08X, which has bits that mean nothing",
                       def->phase);
    MT_TRY(mt_check_count("rigid.mode", (uint32_t)def->mode, 0, MOTE_BODY_MODE_COUNT - 1));
    uint32_t material;
    return mt_material_resolve(world, def->material, "rigid.material", &material);
}

mote_result mt_rigid_begin(const mote_world *world, const char *call, const mote_rigid_def *def)
{
    MT_TRY(mt_enter(world, call));
    MT_TRY(mt_check_pointer("def", def));
    return check_def(world, def);
}

static mote_result check_room(const mote_world *world, size_t count)
{
    if (count > world->max_particles - world->particles.count)
        return mt_fail(MOTE_ERROR_LIMIT,
                       "a body of %zu particles more than the %u there are would pass max_particles, %u", count,
                       world->particles.count, world->max_particles);
    return MOTE_OK;
}

static mote_result check_point(mote_vec3 point, size_t i)
{
    if (!mt_is_finite3(point))
        return mt_fail(MOTE_ERROR_NOT_FINITE, "points[%zu] is (%g, %g, %g); it must have finite coordinates", i,
                       (double)point.x, (double)point.y, (double)point.z);
    if (fmaxf(fabsf(point.x), fmaxf(fabsf(point.y), fabsf(point.z))) > MT_MAX_COORDINATE)
        return mt_fail(MOTE_ERROR_ARGUMENT, "points[%zu] is (%g, %g, %g); each coordinate must be within +-%g",
                       i, (double)point.x, (double)point.y, (double)point.z, (double)MT_MAX_COORDINATE);
    return MOTE_OK;
}

mote_result mt_rigid_check_points(const mote_world *world, const mote_vec3 *points, size_t count)
{
    if (count == 0)
        return mt_fail(MOTE_ERROR_ARGUMENT, "count is 0; a body has at least one point");
    MT_TRY(mt_check_pointer("points", points));
    MT_TRY(check_room(world, count));
    for (size_t i = 0; i < count; i++)
        MT_TRY(check_point(points[i], i));
    return MOTE_OK;
}

/* ---- what a definition means ---------------------------------------------------------------------------- */

float mt_rigid_radius(const mote_world *world, const mote_rigid_def *def)
{
    return def->radius != MOTE_WORLD_RADIUS ? def->radius : world->radius;
}

float mt_rigid_spacing(const mote_world *world, const mote_rigid_def *def)
{
    return def->spacing != MOTE_TOUCHING ? def->spacing : 2.0f * mt_rigid_radius(world, def);
}

mt_pose mt_rigid_pose(const mote_rigid_def *def)
{
    return (mt_pose){def->pose.position, mt_quat_unit(def->pose.rotation)};
}

/* Of each particle, kg. */
static mote_result choose_mass(const mote_world *world, const mote_rigid_def *def, size_t count, float *mass)
{
    uint32_t material = 0;
    MT_TRY(mt_material_resolve(world, def->material, "rigid.material", &material));
    float density = world->materials[material].density, spacing = mt_rigid_spacing(world, def);
    *mass = def->mass > 0 ? (float)((double)def->mass / (double)count) : density * spacing * spacing * spacing;
    if (*mass >= MIN_MASS && *mass <= MAX_MASS)
        return MOTE_OK;
    if (def->mass > 0)
        return mt_fail(MOTE_ERROR_ARGUMENT,
                       "rigid.mass is %g, for %zu particles %g kg each; it must be within %g and %g",
                       (double)def->mass, count, (double)*mass, (double)MIN_MASS, (double)MAX_MASS);
    return mt_fail(
        MOTE_ERROR_ARGUMENT,
        "rigid.spacing is %g, with a density of %g kg/m^3 a particle has %g kg; it must be within %g "
        "and %g",
        (double)spacing, (double)density, (double)*mass, (double)MIN_MASS, (double)MAX_MASS);
}

/* ---- particles ------------------------------------------------------------------------------------------ */

/* How points become particles. */
typedef struct motion {
    mt_frame frame;
    mote_vec3 center; /* of mass, in the body's own coordinates */
    float mass;       /* of a particle, kg */
} motion;

/* All have the same mass. */
static mote_vec3 center_of(const mote_vec3 *points, size_t count)
{
    double x = 0, y = 0, z = 0;
    for (size_t i = 0; i < count; i++) {
        x += (double)points[i].x;
        y += (double)points[i].y;
        z += (double)points[i].z;
    }
    return (mote_vec3){(float)(x / (double)count), (float)(y / (double)count), (float)(z / (double)count)};
}

static mote_particle_def particle_at(const mote_rigid_def *def, const motion *m, mote_vec3 point)
{
    mote_vec3 arm = mt_turn(&m->frame, mt_sub(point, m->center));
    return (mote_particle_def){.position = mt_to_world(&m->frame, point),
                               .velocity = mt_add(def->velocity, mt_cross(def->spin, arm)),
                               .mass = m->mass,
                               .radius = def->radius,
                               .material = def->material,
                               .phase = def->phase};
}

/* The two that only pose and motion can have put out of range. */
static mote_result check_particle(const mote_particle_def *particle, size_t i)
{
    mote_vec3 x = particle->position;
    if (!(fabsf(x.x) <= MT_MAX_COORDINATE && fabsf(x.y) <= MT_MAX_COORDINATE &&
          fabsf(x.z) <= MT_MAX_COORDINATE))
        return mt_fail(MOTE_ERROR_ARGUMENT,
                       "rigid.pose puts point %zu at (%g, %g, %g); each coordinate must be within +-%g", i,
                       (double)x.x, (double)x.y, (double)x.z, (double)MT_MAX_COORDINATE);
    float speed = mt_length(particle->velocity);
    if (!(speed <= MT_MAX_VELOCITY))
        return mt_fail(MOTE_ERROR_ARGUMENT,
                       "rigid.velocity and rigid.spin give point %zu %g m/s; it must be at most %g", i,
                       (double)speed, (double)MT_MAX_VELOCITY);
    return MOTE_OK;
}

mote_result mt_rigid_add_particles(mote_world *world, const mote_rigid_def *def, const mote_vec3 *points,
                                   size_t count, mote_particle_id *ids)
{
    MT_TRY(check_room(world, count));
    motion m = {mt_frame_of(mt_rigid_pose(def)), center_of(points, count), 0.0f};
    MT_TRY(choose_mass(world, def, count, &m.mass));
    for (size_t i = 0; i < count; i++) {
        mote_particle_def particle = particle_at(def, &m, points[i]);
        MT_TRY(check_particle(&particle, i));
    }
    MT_TRY(mt_particles_reserve(world, world->particles.count + (uint32_t)count));
    mote_particle_def batch[BATCH];
    for (size_t done = 0; done < count; done += BATCH) {
        size_t size = count - done < BATCH ? count - done : BATCH;
        for (size_t i = 0; i < size; i++)
            batch[i] = particle_at(def, &m, points[done + i]);
        mote_result result = mote_particles_add(world, batch, size, ids + done);
        if (result != MOTE_OK) {
            mt_rigid_take_back(world, ids, done);
            return result;
        }
    }
    return MOTE_OK;
}

void mt_rigid_take_back(mote_world *world, const mote_particle_id *ids, size_t count)
{
    for (size_t i = count; i-- > 0;) /* the last first: handles and slots are then handed out as before */
        if (mote_particle_is_valid(world, ids[i]))
            mote_particle_remove(world, ids[i]);
}

/* ---- bodies --------------------------------------------------------------------------------------------- */

mote_result mt_rigid_form_make(mote_world *world, size_t count, mt_rigid_form *form)
{
    *form = (mt_rigid_form){.count = count};
    MT_TRY(check_room(world, count));
    form->points = mt_allocate(&world->memory, count * sizeof *form->points);
    return form->points != NULL ? MOTE_OK : MOTE_ERROR_MEMORY;
}

void mt_rigid_form_free(mote_world *world, mt_rigid_form *form)
{
    mt_release(&world->memory, form->points, form->count * sizeof *form->points);
    *form = (mt_rigid_form){0};
}

mote_body_id mt_rigid_add(mote_world *world, const mote_rigid_def *def, const mote_vec3 *points, size_t count)
{
    mote_particle_id *ids = mt_allocate(&world->memory, count * sizeof *ids);
    if (ids == NULL)
        return NULL_BODY;
    mote_body_id body = NULL_BODY;
    if (mt_rigid_add_particles(world, def, points, count, ids) == MOTE_OK) {
        mote_body_def body_def = mote_default_body_def();
        body_def.particles = ids;
        body_def.particle_count = count;
        body_def.mode = def->mode;
        body_def.frame = mt_rigid_pose(def);
        body = mote_body_add(world, &body_def);
        if (mote_is_null(body))
            mt_rigid_take_back(world, ids, count);
    }
    mt_release(&world->memory, ids, count * sizeof *ids);
    return body;
}

mote_body_id mt_rigid_add_form(mote_world *world, const mote_rigid_def *def, mt_rigid_form *form)
{
    mote_body_id body = mt_rigid_add(world, def, form->points, form->count);
    if (!mote_is_null(body))
        mt_bodies(world)[world->bodies.count - 1].surface = form->surface;
    mt_rigid_form_free(world, form);
    return body;
}

mote_body_id mote_rigid_points(mote_world *world, const mote_rigid_def *def, const mote_vec3 *points,
                               size_t count)
{
    if (mt_rigid_begin(world, "mote_rigid_points", def) != MOTE_OK ||
        mt_rigid_check_points(world, points, count) != MOTE_OK)
        return NULL_BODY;
    return mt_rigid_add(world, def, points, count);
}
