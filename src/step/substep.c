#include "step/substep.h"

#include "base/error.h"
#include "base/vec.h"

#include <string.h>

/* ---- setting up ---------------------------------------------------------------------------------------- */

static mote_vec3 up_of(mote_vec3 gravity)
{
    float length = mt_length(gravity);
    return length > 0 ? mt_scale(gravity, -1.0f / length) : (mote_vec3){0.0f, 1.0f, 0.0f};
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
    mt_placement_advance(world, dt, index);
    uint32_t slices = mt_slice_count(world->particles.count);
    return (mt_substep){
        .h = h,
        .inverse_h = 1.0f / h,
        .time_left = h * (float)(set->substeps - index - 1),
        .part = (float)(index + 1) / (float)set->substeps,
        .dt = dt,
        .opens_step = index == 0,
        .guesses = index % 2 == 0,
        .closes_step = index + 1 == set->substeps,
        .closed = 1e-4f * world->radius,
        .share = 1.0f / (float)set->substeps,
        .gravity = set->gravity,
        .kick = kick,
        .keep = 1.0f / (1.0f + set->damping * kick),
        .fall = mt_scale(set->gravity, kick),
        .damped = 1.0f / (1.0f + set->damping * kick),
        .heeds = world->fields.count > 0 || kick != h,
        .contact_margin = set->contact_margin,
        .max_speed = set->max_speed,
        .most_push = set->max_depenetration_speed > 0 ? set->max_depenetration_speed : 20.0f * world->radius,
        .max_change = set->max_acceleration * h,
        .bounce_speed =
            set->restitution_speed > 0 ? set->restitution_speed : 2.0f * mt_length(set->gravity) * h,
        .pull = set->gravity,
        .fluid = mt_fluid_of(world),
        .tensile = mt_tensile_of(world, h),
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
    write_dummies(&scratch->surface, s->dummy, zero);
    if (s->fluid.any) {
        write_dummies(&scratch->wet, s->dummy, zero);
        write_dummies(&scratch->dense, s->dummy, far_away);
        memset((float *)scratch->lift.data + s->dummy, 0, MT_SLICE * sizeof(float));
        write_dummies(&scratch->now, s->dummy, zero);
    }
    s->wet = scratch->wet.data;
    s->near_liquid = scratch->near_liquid.data;
    s->asks = scratch->asks_lists.data;
    s->has_liquid = s->fluid.any ? scratch->has_liquid.data : NULL;
    s->dense = scratch->dense.data;
    s->pressure = scratch->pressure.data;
    s->remembered_pressure = mt_pressures(world);
    s->excess = scratch->excess.data;
    s->shift = scratch->shift.data;
    s->lift = scratch->lift.data;
    s->lean = scratch->lean.data;
    s->wanted = scratch->wanted.data;
    s->spring = scratch->spring.data;
    s->guess = scratch->guess.data;
    s->lifted = scratch->lifted.data;
    s->moving = mt_velocities(world);
    s->source = s->velocity = mt_velocities(world);
    s->rest_time = mt_rest_times(world);
    s->phase = mt_phases(world);
    s->material = mt_material_indices(world);
    s->surface = scratch->surface.data;
    s->position = mt_positions(world);
    s->position_out = scratch->position[0].data;
    s->transport = scratch->transport.data;
    s->predicted = scratch->predicted[0].data;
    s->predicted_out = scratch->predicted[1].data;
    s->built_at = scratch->lists.built_at.data;
    s->lists = &scratch->lists;
    s->list_plan = &scratch->grid.plan;
    s->placement = &world->placement;
    s->placed = world->placement.placed.data;
    s->reaches = world->placement.reaches.data;
    s->shape_count = world->shapes.count;
    s->planes = world->placement.planes.data;
    s->plane_count = world->placement.plane_count;
    s->solids = world->placement.standing.count + world->placement.moving.count > 0;
    s->shape_cache = scratch->shape_cache.data;
    s->candidates = scratch->candidates.data;
    s->candidate_capacity = (uint32_t)scratch->candidates.capacity;
    s->candidates_used = &scratch->candidates_used;
    s->guarded = &scratch->guarded;
    s->origin = mt_positions(world);
    s->watch = scratch->watch.data;
    s->cubes = scratch->cubes.data;
    s->materials = world->materials;
    s->shape_rows_used = &scratch->shape_rows_used;
    s->shape_start = scratch->shape_start.data;
    s->shape_length = scratch->shape_length.data;
    s->block_bad = scratch->block_bad.data;
    s->bodies = &scratch->bodies;
    s->flying = world->bodies.count > 0 ? scratch->flying.data : NULL;
    s->nowhere = &scratch->nowhere;
    s->shapes_move = world->placement.moving.count > 0;
    for (uint32_t k = 0; k < s->plane_count; k++)
        s->shapes_move = s->shapes_move || s->placed[s->planes[k]].moving;
    s->body_table = mt_bodies(world);
    s->joints = mt_joints(world);
    mt_substep_attach_rows(world, s);
}

static void copy_positions(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    (void)worker;
    memcpy(s->position_out + (size_t)begin * MT_SLICE, s->position + (size_t)begin * MT_SLICE,
           (size_t)(end - begin) * MT_SLICE * sizeof *s->position);
}

void mt_substep_copy_position(mote_world *world, mt_substep *s)
{
    mt_parallel_for(&world->threads, s->slices, MT_BLOCK, copy_positions, s);
}

void mt_substep_advance_position(mote_world *world, mt_substep *s)
{
    mote_vec4 *written = s->position_out;
    mote_vec4 *first = world->scratch->position[0].data, *second = world->scratch->position[1].data;
    s->position_out = written == first ? second : first;
    s->position = written;
}

/* ---- checks -------------------------------------------------------------------------------------------- */

void mt_mark_nowhere(const mt_substep *s)
{
    for (uint32_t i = 0; i < s->count && atomic_load(s->nowhere); i++)
        if (s->flying[i / MT_SLICE] != 0 && !mt_is_somewhere(s->predicted[i])) {
            uint32_t *bad = &s->block_bad[i / (MT_BLOCK * MT_SLICE)];
            *bad = i < *bad ? i : *bad;
            return;
        }
}

uint32_t mt_first_marked(const mt_substep *s)
{
    for (uint32_t block = 0; block < mt_block_count(s->slices); block++)
        if (s->block_bad[block] != UINT32_MAX)
            return s->block_bad[block];
    return UINT32_MAX;
}

mote_result mt_report_bad(mote_world *world, const mt_substep *s, const char *doing)
{
    uint32_t slot = mt_first_marked(s);
    if (slot == UINT32_MAX)
        return MOTE_OK;
    mote_particle_id id = mt_particle_ids(world)[slot];
    mote_vec4 x = s->predicted[slot];
    return mt_fail(MOTE_ERROR_NOT_FINITE,
                   "%s: particle %u (generation %u) would be at (%g, %g, %g), which is not a place in space",
                   doing, id.index, id.generation, (double)x.x, (double)x.y, (double)x.z);
}
