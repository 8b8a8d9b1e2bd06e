#include "step/substep.h"

#include "base/error.h"
#include "base/vec.h"
#include "step/scratch.h"

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
        .time.left = h * (float)(set->substeps - index - 1),
        .time.part = (float)(index + 1) / (float)set->substeps,
        .time.dt = dt,
        .time.opens_step = index == 0,
        .time.closes_step = index + 1 == set->substeps,
        .liquids.guesses = index % 2 == 0,
        .limits.closed = 1e-4f * world->radius,
        .time.share = 1.0f / (float)set->substeps,
        .forces.gravity = set->gravity,
        .forces.kick = kick,
        .forces.keep = 1.0f / (1.0f + set->damping * kick),
        .forces.fall = mt_scale(set->gravity, kick),
        .forces.damped = 1.0f / (1.0f + set->damping * kick),
        .bodies.follow_particles = world->fields.count > 0 || kick != h,
        .limits.contact_margin = set->contact_margin,
        .limits.max_speed = set->max_speed,
        .limits.most_push =
            set->max_depenetration_speed > 0 ? set->max_depenetration_speed : 20.0f * world->radius,
        .limits.max_change = set->max_acceleration * h,
        .limits.bounce_speed =
            set->restitution_speed > 0 ? set->restitution_speed : 2.0f * mt_length(set->gravity) * h,
        .forces.pull = set->gravity,
        .liquids.fluid = mt_fluid_of(world),
        .liquids.tensile = mt_tensile_of(world, h),
        .forces.up = up_of(set->gravity),
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
    s->shapes.rows = scratch->shapes.rows.data;
    s->shapes.row_capacity = (uint32_t)scratch->shapes.rows.capacity;
}

void mt_substep_attach(mote_world *world, mt_substep *s)
{
    mt_scratch *scratch = world->scratch;
    const mote_vec4 far_away = {MT_FAR, MT_FAR, MT_FAR, 0.0f}, zero = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int i = 0; i < 2; i++) {
        write_dummies(&scratch->particles.position[i], s->dummy, far_away);
        write_dummies(&scratch->particles.predicted[i], s->dummy, far_away);
    }
    write_dummies(&scratch->particles.transport, s->dummy, zero);
    write_dummies(&scratch->particles.surface, s->dummy, zero);
    if (s->liquids.fluid.any) {
        write_dummies(&scratch->liquids.wet, s->dummy, zero);
        write_dummies(&scratch->liquids.dense, s->dummy, far_away);
        memset((float *)scratch->liquids.lift.data + s->dummy, 0, MT_SLICE * sizeof(float));
        write_dummies(&scratch->liquids.now, s->dummy, zero);
    }
    s->liquids.wet = scratch->liquids.wet.data;
    s->liquids.near_liquid = scratch->liquids.near_liquid.data;
    s->lists.asks = scratch->liquids.asks_lists.data;
    s->liquids.has_liquid = s->liquids.fluid.any ? scratch->liquids.has_liquid.data : NULL;
    s->liquids.dense = scratch->liquids.dense.data;
    s->liquids.pressure = scratch->liquids.pressure.data;
    s->liquids.remembered_pressure = mt_pressures(world);
    s->liquids.excess = scratch->liquids.excess.data;
    s->liquids.shift = scratch->liquids.shift.data;
    s->liquids.lift = scratch->liquids.lift.data;
    s->liquids.lifted = scratch->liquids.lifted.data;
    s->liquids.lean = scratch->liquids.lean.data;
    s->liquids.wanted = scratch->liquids.wanted.data;
    s->liquids.spring = scratch->liquids.spring.data;
    s->liquids.guess = scratch->liquids.guess.data;
    s->liquids.moving = mt_velocities(world);
    s->liquids.now = scratch->liquids.now.data;
    s->particles.source = s->particles.velocity = mt_velocities(world);
    s->particles.rest_time = mt_rest_times(world);
    s->particles.phase = mt_phases(world);
    s->particles.material = mt_material_indices(world);
    s->particles.surface = scratch->particles.surface.data;
    s->particles.position = mt_positions(world);
    s->particles.position_out = scratch->particles.position[0].data;
    s->particles.transport = scratch->particles.transport.data;
    s->particles.predicted = scratch->particles.predicted[0].data;
    s->particles.predicted_out = scratch->particles.predicted[1].data;
    s->lists.built_at = scratch->search.lists.built_at.data;
    s->lists.made = &scratch->search.lists;
    s->lists.plan = &scratch->search.grid.plan;
    s->shapes.placement = &world->placement;
    s->shapes.placed = world->placement.placed.data;
    s->shapes.reaches = world->placement.reaches.data;
    s->shapes.count = world->shapes.count;
    s->shapes.planes = world->placement.planes.data;
    s->shapes.plane_count = world->placement.plane_count;
    s->shapes.solids = world->placement.standing.count + world->placement.moving.count > 0;
    s->shapes.cache = scratch->shapes.cache.data;
    s->shapes.candidates = scratch->shapes.candidates.data;
    s->shapes.candidate_capacity = (uint32_t)scratch->shapes.candidates.capacity;
    s->shapes.candidates_used = &scratch->shapes.candidates_used;
    s->guard.looked = &scratch->shapes.guarded;
    s->particles.origin = mt_positions(world);
    s->guard.watch = scratch->shapes.watch.data;
    s->guard.cubes = scratch->shapes.cubes.data;
    s->particles.materials = world->materials;
    s->shapes.rows_used = &scratch->shapes.rows_used;
    s->shapes.start = scratch->shapes.start.data;
    s->shapes.length = scratch->shapes.length.data;
    s->block_bad = scratch->block_bad.data;
    s->bodies.plan = &scratch->bodies;
    s->bodies.flying = world->bodies.count > 0 ? scratch->flying.data : NULL;
    s->bodies.out_of_space = &scratch->out_of_space;
    s->shapes.move = world->placement.moving.count > 0;
    for (uint32_t k = 0; k < s->shapes.plane_count; k++)
        s->shapes.move = s->shapes.move || s->shapes.placed[s->shapes.planes[k]].moving;
    s->bodies.table = mt_bodies(world);
    s->bodies.joints = mt_joints(world);
    mt_substep_attach_rows(world, s);
}

static void copy_positions(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    (void)worker;
    memcpy(s->particles.position_out + (size_t)begin * MT_SLICE,
           s->particles.position + (size_t)begin * MT_SLICE,
           (size_t)(end - begin) * MT_SLICE * sizeof *s->particles.position);
}

void mt_substep_copy_position(mote_world *world, mt_substep *s)
{
    mt_parallel_for(&world->threads, s->slices, MT_BLOCK, copy_positions, s);
}

void mt_substep_advance_position(mote_world *world, mt_substep *s)
{
    mote_vec4 *written = s->particles.position_out;
    mote_vec4 *first = world->scratch->particles.position[0].data,
              *second = world->scratch->particles.position[1].data;
    s->particles.position_out = written == first ? second : first;
    s->particles.position = written;
}

/* ---- checks -------------------------------------------------------------------------------------------- */

void mt_mark_out_of_space(const mt_substep *s)
{
    for (uint32_t i = 0; i < s->count && atomic_load(s->bodies.out_of_space); i++)
        if (s->bodies.flying[i / MT_SLICE] != 0 && !mt_is_somewhere(s->particles.predicted[i])) {
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
    mote_vec4 x = s->particles.predicted[slot];
    return mt_fail(MOTE_ERROR_NOT_FINITE,
                   "%s: particle %u (generation %u) would be at (%g, %g, %g), which is not a place in space",
                   doing, id.index, id.generation & MT_GENERATION_MASK, (double)x.x, (double)x.y, (double)x.z);
}
