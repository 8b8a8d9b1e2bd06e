#include "step/substep.h"

#include "base/error.h"
#include "base/vec.h"
#include "step/kernels.h"
#include "step/predict/fields.h"

#define BLOCK_SLOTS (MT_BLOCK * MT_SLICE)
#define MOST_GUESS  19.0 /* times what is found: 0.95 / (1 - 0.95) */

/* ---- setting up ---------------------------------------------------------------------------------------- */

static mote_vec3 up_of(mote_vec3 gravity)
{
    float length = mt_length(gravity);
    return length > 0 ? mt_scale(gravity, -1.0f / length) : (mote_vec3){0.0f, 1.0f, 0.0f};
}

/* Planes as they stand at the end of the substep. */
static void place_planes(mote_world *world, float time)
{
    mt_plane *planes = world->scratch->planes.data;
    for (uint32_t i = 0; i < world->shapes.count; i++) {
        planes[i] = mt_shapes(world)[i].plane;
        planes[i].offset += mt_dot(planes[i].normal, planes[i].velocity) * time;
    }
}

/* How much of the forces acts before the drift. */
static float early_kick(mote_integrator integrator, float h)
{
    switch (integrator) {
    case MOTE_INTEGRATOR_EXPLICIT_EULER:
        return 0.0f;
    case MOTE_INTEGRATOR_VERLET:
        return 0.5f * h;
    default:
        return h;
    }
}

mt_substep mt_substep_make(mote_world *world, float dt, uint32_t index)
{
    const mote_settings *set = &world->settings;
    float h = dt / (float)set->substeps;
    float kick = early_kick(set->integrator, h);
    place_planes(world, h * (float)(index + 1));
    uint32_t slices = mt_slice_count(world->particles.count);
    float weight_depth = fmaxf(2.0f * mt_length(set->gravity) * h * h, 1e-9f);
    return (mt_substep){
        .h = h,
        .inverse_h = 1.0f / h,
        .time_left = h * (float)(set->substeps - index - 1),
        .gravity = set->gravity,
        .kick = kick,
        .keep = 1.0f / (1.0f + set->damping * kick),
        .relaxation = set->relaxation,
        .inverse_relaxation = 1.0f / set->relaxation,
        .weight_depth = weight_depth,
        .inverse_weight_depth = 1.0f / weight_depth,
        .contact_margin = set->contact_margin,
        .mass_scaling = set->mass_scaling,
        .max_speed = set->max_speed,
        .max_change = set->max_acceleration * h,
        .bounce_speed =
            set->restitution_speed > 0 ? set->restitution_speed : 2.0f * mt_length(set->gravity) * h,
        .guess = set->warm_starting * h * h,
        .up = up_of(set->gravity),
        .count = world->particles.count,
        .slices = slices,
        .dummy = slices * MT_SLICE,
    };
}

/* The dummies that padded lists point at: passes never write them. */
static void write_dummies(mt_array *array, uint32_t slot, mote_vec4 value)
{
    for (uint32_t i = 0; i < MT_SLICE; i++)
        ((mote_vec4 *)array->data)[slot + i] = value;
}

void mt_substep_attach_rows(mote_world *world, mt_substep *s)
{
    mt_scratch *scratch = world->scratch;
    s->shape_rows = scratch->shape_rows.data;
    s->shape_row_capacity = (uint32_t)scratch->shape_rows.capacity;
}

void mt_substep_attach(mote_world *world, mt_substep *s)
{
    mt_scratch *scratch = world->scratch;
    const mote_vec4 far_away = {MT_FAR, MT_FAR, MT_FAR, 0.0f}, zero = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int i = 0; i < 2; i++) {
        write_dummies(&scratch->position[i], s->dummy, far_away);
        write_dummies(&scratch->predicted[i], s->dummy, far_away);
    }
    write_dummies(&scratch->transport, s->dummy, zero);
    write_dummies(&scratch->settled, s->dummy, zero);
    write_dummies(&scratch->surface, s->dummy, zero);
    s->source = s->velocity = mt_velocities(world);
    s->rest_time = mt_rest_times(world);
    s->phase = mt_phases(world);
    s->material = mt_material_indices(world);
    s->surface = scratch->surface.data;
    s->support = mt_supports(world);
    s->sticky = mt_any_adhesion(world);
    s->pull_share = s->h * s->h / (float)world->settings.iterations;
    s->position = mt_positions(world);
    s->position_out = scratch->position[0].data;
    s->transport = scratch->transport.data;
    s->predicted = scratch->predicted[0].data;
    s->predicted_out = scratch->predicted[1].data;
    s->settled = scratch->settled.data;
    s->built_at = scratch->lists.built_at.data;
    s->lists = &scratch->lists;
    s->planes = scratch->planes.data;
    s->plane_count = world->shapes.count;
    s->materials = world->materials;
    s->shape_rows_used = &scratch->shape_rows_used;
    s->shape_start = scratch->shape_start.data;
    s->shape_length = scratch->shape_length.data;
    s->block_bad = scratch->block_bad.data;
    s->mixed = scratch->mixed;
    s->static_friction = scratch->static_friction;
    s->kinetic_friction = scratch->kinetic_friction;
    mt_substep_attach_rows(world, s);
}

void mt_substep_advance_position(mote_world *world, mt_substep *s)
{
    mote_vec4 *written = s->position_out;
    mote_vec4 *first = world->scratch->position[0].data, *second = world->scratch->position[1].data;
    s->position_out = written == first ? second : first;
    s->position = written;
}

/* ---- checks -------------------------------------------------------------------------------------------- */

static uint32_t first_marked(const mt_substep *s)
{
    for (uint32_t block = 0; block < mt_block_count(s->slices); block++)
        if (s->block_bad[block] != UINT32_MAX)
            return s->block_bad[block];
    return UINT32_MAX;
}

mote_result mt_report_bad(mote_world *world, const mt_substep *s, const char *doing)
{
    uint32_t slot = first_marked(s);
    if (slot == UINT32_MAX)
        return MOTE_OK;
    mote_particle_id id = mt_particle_ids(world)[slot];
    mote_vec4 x = s->predicted[slot];
    return mt_fail(MOTE_ERROR_NOT_FINITE,
                   "%s: particle %u (generation %u) would be at (%g, %g, %g), which is not a place in space",
                   doing, id.index, id.generation, (double)x.x, (double)x.y, (double)x.z);
}

/* The drift is where the plan's mean velocity and gravity take a free particle. */
bool mt_skins_hold(mote_world *world, mt_substep *s)
{
    mt_scratch *scratch = world->scratch;
    const mt_list_plan *plan = &scratch->grid.plan;
    if (plan->skin == 0)
        return false; /* made for one substep only */
    scratch->list_age += s->h;
    s->drift = mt_scale(plan->drift, scratch->list_age);
    if (mt_dot(plan->drift, plan->drift) > 0) {
        float fall = 0.5f * scratch->list_age * (scratch->list_age + s->h);
        s->drift = mt_add(s->drift, mt_scale(world->settings.gravity, fall));
    }
    mt_parallel_for(&world->threads, s->slices, MT_BLOCK, world->kernels->displaced, s);
    return first_marked(s) == UINT32_MAX;
}

/* ---- surfaces ------------------------------------------------------------------------------------------ */

typedef struct surface_job {
    mote_world *world;
    mote_vec4 table[MT_MAX_MATERIALS];
    mote_vec4 first;
} surface_job;

/* A particle's material says what its surface is like; its inverse mass stands beside it, 0 for who sleeps. */
static mote_vec4 surface_of(const surface_job *job, uint32_t slot)
{
    mote_vec4 surface = job->table[mt_material_indices(job->world)[slot]];
    surface.z = mt_rest_times(job->world)[slot] < 0 ? 0.0f : mt_velocities(job->world)[slot].w;
    return surface;
}

static bool is_alike(mote_vec4 a, mote_vec4 b)
{
    return a.x == b.x && a.y == b.y && (a.z == b.z || a.z == 0);
}

static void fill_surfaces(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const surface_job *job = context;
    mt_scratch *scratch = job->world->scratch;
    mote_vec4 *surface = scratch->surface.data;
    uint32_t differs = UINT32_MAX;
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        surface[i] = surface_of(job, i);
        if (i < job->world->particles.count && !is_alike(surface[i], job->first))
            differs = i;
    }
    ((uint32_t *)scratch->block_bad.data)[begin / BLOCK_SLOTS] = differs;
}

/* The first that can move: like whom are all the others? */
static mote_vec4 first_surface(const surface_job *job)
{
    for (uint32_t i = 0; i < job->world->particles.count; i++) {
        mote_vec4 surface = surface_of(job, i);
        if (surface.z > 0)
            return surface;
    }
    return surface_of(job, 0);
}

void mt_fill_surfaces(mote_world *world, mt_substep *s)
{
    surface_job job = {.world = world};
    for (uint32_t i = 0; i < world->material_count; i++) {
        const mt_material *m = &world->materials[i];
        job.table[i] =
            (mote_vec4){sqrtf(m->static_friction), sqrtf(m->kinetic_friction), 0.0f, sqrtf(m->adhesion)};
    }
    job.first = first_surface(&job);
    mt_parallel_for(&world->threads, s->slices * MT_SLICE, BLOCK_SLOTS, fill_surfaces, &job);
    mt_scratch *scratch = world->scratch;
    scratch->mixed = first_marked(s) != UINT32_MAX;
    scratch->static_friction = job.first.x * job.first.x;
    scratch->kinetic_friction = job.first.y * job.first.y;
    mt_substep_attach(world, s);
}

bool mt_any_adhesion(const mote_world *world)
{
    for (uint32_t i = 0; i < world->material_count; i++)
        if (world->materials[i].adhesion > 0)
            return true;
    return false;
}

bool mt_any_restitution(const mote_world *world)
{
    for (uint32_t i = 0; i < world->material_count; i++)
        if (world->materials[i].restitution > 0)
            return true;
    return false;
}

/* ---- kicks that are not the kernel's ------------------------------------------------------------------- */

typedef struct kick_job {
    mote_world *world;
    mt_substep *s;
} kick_job;

static bool feels_forces(const mt_substep *s, uint32_t i)
{
    return s->velocity[i].w > 0 && s->rest_time[i] >= 0;
}

static void apply_fields(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const kick_job *job = context;
    mt_substep *s = job->s;
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        mote_vec4 v = s->velocity[i];
        if (feels_forces(s, i)) {
            mote_vec3 kicked = mt_kick(job->world, mt_xyz(s->position[i]), mt_xyz(v), s->phase[i], s->kick);
            v = (mote_vec4){kicked.x, kicked.y, kicked.z, v.w};
        }
        s->transport[i] = v;
    }
}

void mt_apply_fields(mote_world *world, mt_substep *s)
{
    kick_job job = {world, s};
    mt_parallel_for(&world->threads, s->slices * MT_SLICE, BLOCK_SLOTS, apply_fields, &job);
    s->source = s->transport;
    s->gravity = (mote_vec3){0.0f, 0.0f, 0.0f}; /* is in it, and so is damping */
    s->keep = 1.0f;
}

/* Explicit Euler takes the forces where the particle was, Verlet's second half where it is now. */
static void apply_late_kick(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const kick_job *job = context;
    mt_substep *s = job->s;
    bool verlet = job->world->settings.integrator == MOTE_INTEGRATOR_VERLET;
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        mote_vec4 *v = &mt_velocities(job->world)[i];
        if (!feels_forces(s, i))
            continue;
        mote_vec3 now = mt_xyz(mt_positions(job->world)[i]);
        mote_vec3 where = verlet ? now : mt_sub(now, mt_scale(mt_xyz(s->transport[i]), s->h));
        mote_vec3 kicked = mt_kick(job->world, where, mt_xyz(*v), s->phase[i], s->h - s->kick);
        *v = (mote_vec4){kicked.x, kicked.y, kicked.z, v->w};
    }
}

void mt_apply_late_kick(mote_world *world, mt_substep *s)
{
    if (s->kick == s->h)
        return;
    kick_job job = {world, s};
    mt_parallel_for(&world->threads, s->count, BLOCK_SLOTS, apply_late_kick, &job);
}

/* ---- shapes -------------------------------------------------------------------------------------------- */

/* The solver finds only what the guess of the last support left over. A contact's part of the guess is taken to be its part
 * of what the solver found: this is the factor from the one to both. */
static double whole_of_push(const mt_substep *s, uint32_t i)
{
    mote_vec3 guess = mt_scale(mt_xyz(s->support[i]), s->guess);
    mote_vec3 carried = mt_add(mt_xyz(s->position[i]), mt_scale(mt_xyz(s->transport[i]), s->h));
    mote_vec3 found = mt_sub(mt_sub(mt_xyz(s->predicted[i]), carried), guess);
    float along = mt_dot(guess, found), square = mt_dot(found, found);
    return along > 0 && square > 0 ? 1.0 + fmin((double)along / (double)square, MOST_GUESS) : 1.0;
}

static void sum_row(double push[3], mt_shape_row *row, uint32_t lane, double scale)
{
    push[0] += scale * (double)row->push_x[lane];
    push[1] += scale * (double)row->push_y[lane];
    push[2] += scale * (double)row->push_z[lane];
    row->push_x[lane] = row->push_y[lane] = row->push_z[lane] = 0.0f;
}

void mt_sum_shape_pushes(mote_world *world, const mt_substep *s, bool guessed)
{
    double(*push)[3] = world->scratch->shape_push.data;
    double scale = (double)s->inverse_h * (double)s->inverse_h;
    for (uint32_t slice = 0; slice < s->slices; slice++) {
        for (uint32_t k = 0; k < s->shape_length[slice]; k++) {
            mt_shape_row *row = &s->shape_rows[s->shape_start[slice] + k];
            for (uint32_t lane = 0; lane < MT_SLICE; lane++) {
                double whole = guessed ? whole_of_push(s, slice * MT_SLICE + lane) : 1.0;
                sum_row(push[row->shape], row, lane, scale * whole);
            }
        }
    }
}

void mt_shapes_commit(mote_world *world, float dt)
{
    const double(*push)[3] = (const double(*)[3])world->scratch->shape_push.data;
    double share = -1.0 / (double)world->settings.substeps;
    for (uint32_t i = 0; i < world->shapes.count; i++) {
        mt_shape *shape = &mt_shapes(world)[i];
        shape->force =
            (mote_vec3){(float)(push[i][0] * share), (float)(push[i][1] * share), (float)(push[i][2] * share)};
        shape->plane.offset += mt_dot(shape->plane.normal, shape->plane.velocity) * dt;
    }
}
