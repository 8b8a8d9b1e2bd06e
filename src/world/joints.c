/* Joints: the table, and what a program may ask of them. A joint knows where in each of its two bodies the
 * anchor is, and two directions in each, which agree when the joint is at rest. How it is solved is in
 * step/bodies/joint_lanes.h. */
#include "base/error.h"
#include "base/real.h"
#include "base/rotation.h"
#include "world/bodies.h"
#include "world/check.h"

#define PI          3.14159265f
#define MOST_SHARED 64u
#define ON_A_LINE   1e-3 /* a cloud this much thinner than long is a line, by the root of its moments */

mote_joint_def mote_default_joint_def(void)
{
    return (mote_joint_def){
        .axis = {0.0f, 1.0f, 0.0f},
        .second_axis = {1.0f, 0.0f, 0.0f},
        .radius = MOTE_WORLD_RADIUS,
        .min_angle = -PI,
        .max_angle = PI,
        .swing_limit = PI,
        .twist_limit = PI,
        .break_force = MOTE_UNBREAKABLE,
        .break_torque = MOTE_UNBREAKABLE,
        .yield_torque = MOTE_UNBREAKABLE,
        .bend_limit = MOTE_UNBREAKABLE,
    };
}

mote_result mt_joint_find(const mote_world *world, mote_joint_id joint, mt_joint **found)
{
    MT_TRY(mt_check_pointer("world", world));
    uint32_t slot = mt_handles_find(&world->joints.handles, joint.index, joint.generation);
    if (slot == MT_NO_SLOT)
        return mt_handle_refused(&world->joints.handles, "joint handle", joint.index, joint.generation);
    *found = &mt_joints(world)[slot];
    return MOTE_OK;
}

const mt_body *mt_joint_body(const mote_world *world, mote_body_id id)
{
    uint32_t slot = mt_handles_find(&world->bodies.handles, id.index, id.generation);
    return slot != MT_NO_SLOT ? &mt_bodies(world)[slot] : NULL;
}

static mote_vec3 own(const mt_body *body, mote_vec3 point)
{
    return body != NULL ? mt_body_own(body, point) : point;
}

static mote_vec3 own_direction(const mt_body *body, mote_vec3 direction)
{
    return body != NULL ? mt_body_own_direction(body, direction) : direction;
}

static mote_vec3 unit(mote_vec3 v)
{
    return mt_scale(v, 1.0f / mt_length(v));
}

/* Some direction across. */
static mote_vec3 across(mote_vec3 axis)
{
    mote_vec3 other = fabsf(axis.x) < 0.6f ? (mote_vec3){1.0f, 0.0f, 0.0f} : (mote_vec3){0.0f, 1.0f, 0.0f};
    return unit(mt_sub(other, mt_scale(axis, mt_dot(axis, other))));
}

/* ---- making -------------------------------------------------------------------------------------------- */

static void set_limits(mt_joint *joint, const mote_joint_def *def)
{
    joint->min_angle = def->min_angle;
    joint->max_angle = def->max_angle;
    joint->swing_limit = def->swing_limit;
    joint->twist_limit = def->twist_limit;
    joint->damping = def->damping;
    joint->collides = def->collide;
    joint->break_force = def->break_force;
    joint->break_torque = def->break_torque;
    joint->yield_torque = def->yield_torque;
    joint->bend_limit = def->bend_limit;
}

/* Directions of a that meet those of b in the middle of a ball's swing: turned from `axis` the shortest way, that
 * is mirrored across `axis`, which leaves what is across it as it is, and then halfway between the two. */
static void set_middle(mt_joint *joint, const mt_body *a, mote_vec3 axis, mote_vec3 side, mote_vec3 middle)
{
    if (joint->type != MOTE_JOINT_BALL || !(mt_dot(middle, middle) > 1e-20f))
        return;
    middle = unit(middle);
    mote_vec3 half = mt_add(axis, middle);
    half = mt_dot(half, half) > 1e-6f ? unit(half) : across(axis);
    joint->axis_a = own_direction(a, middle);
    joint->side_a = own_direction(a, mt_sub(side, mt_scale(half, 2.0f * mt_dot(side, half))));
}

static mt_joint make(const mote_world *world, const mote_joint_def *def, mote_joint_id id)
{
    const mt_body *a = mt_joint_body(world, def->a), *b = mt_joint_body(world, def->b);
    mote_vec3 axis = unit(def->axis), side = across(axis);
    if (def->type == MOTE_JOINT_UNIVERSAL)
        side = unit(mt_sub(def->second_axis, mt_scale(axis, mt_dot(axis, def->second_axis))));
    mt_joint joint = {
        .id = id,
        .type = (uint32_t)def->type,
        .a = def->a,
        .b = def->b,
        .anchor_a = own(a, def->anchor),
        .anchor_b = own(b, def->anchor),
        .axis_a = own_direction(a, axis),
        .axis_b = own_direction(b, axis),
        .side_a = own_direction(a, side),
        .side_b = own_direction(b, side),
    };
    set_limits(&joint, def);
    set_middle(&joint, a, axis, side, def->middle);
    return joint;
}

static mote_joint_id append(mote_world *world, const mote_joint_def *def)
{
    mt_handle handle;
    if (mt_table_add(world, MT_JOINTS, &handle) != MOTE_OK)
        return (mote_joint_id){0, 0};
    mote_joint_id id = {handle.index, handle.generation};
    mt_joints(world)[world->joints.count - 1] = make(world, def, id);
    mt_joint_index_add(world, world->joints.count - 1);
    world->body_edits++;
    return id;
}

static bool is_in(const mote_world *world, mote_particle_id particle, uint32_t body)
{
    mt_member member;
    uint32_t bodies = mt_membership_of(world, particle.index, &member);
    for (uint32_t k = 0; k < bodies; k++)
        if (mt_member_body(&member, k) == body)
            return true;
    return false;
}

typedef struct cloud {
    mt_real3 sum, center;
    mt_matrix spread;
    uint32_t count;
} cloud;

/* Adds up the shared particles' places, or, once the centre is known, how they spread around it. */
static void look_at_shared(const mote_world *world, uint32_t a, uint32_t b, cloud *c, bool spread)
{
    const mt_body *body = &mt_bodies(world)[b];
    for (uint32_t k = 0; k < body->link_count; k++) {
        mote_particle_id id = mt_links(world)[body->first_link + k].particle;
        if (!is_in(world, id, a))
            continue;
        uint32_t at = mt_handle_entries(&world->particles.handles)[id.index].slot;
        mt_real3 x = mt_real_of(mt_xyz(mt_positions(world)[at]));
        if (!spread) {
            c->sum = mt_real_add(c->sum, x);
            c->count++;
            continue;
        }
        mt_real3 d = mt_real_sub(x, c->center);
        const double v[3] = {d.x, d.y, d.z};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                c->spread.m[i][j] += v[i] * v[j];
    }
}

void mt_joint_from_shared(mote_world *world, uint32_t a, uint32_t b)
{
    cloud c = {.count = 0};
    look_at_shared(world, a, b, &c, false);
    c.center = mt_real_scale(c.sum, 1.0 / (double)(c.count > 0 ? c.count : 1));
    look_at_shared(world, a, b, &c, true);
    double values[3];
    mt_matrix v;
    mt_symmetric_eigen(&c.spread, values, &v);
    mote_joint_def def = mote_default_joint_def();
    def.collide = true;
    def.a = mt_bodies(world)[a].id;
    def.b = mt_bodies(world)[b].id;
    def.anchor = mt_real_round(c.center);
    if (values[2] > 0) {
        bool line = values[1] <= ON_A_LINE * ON_A_LINE * values[2];
        def.type = line ? MOTE_JOINT_HINGE : MOTE_JOINT_STIFF;
        int e = line ? 2 : 0;
        def.axis = (mote_vec3){(float)v.m[0][e], (float)v.m[1][e], (float)v.m[2][e]};
    }
    append(world, &def);
}

/* ---- checks -------------------------------------------------------------------------------------------- */

static mote_result check_strengths(const mote_joint_def *def)
{
    MT_TRY(mt_check_range("joint.min_angle", def->min_angle, -PI, PI));
    MT_TRY(mt_check_range("joint.max_angle", def->max_angle, -PI, PI));
    if (def->min_angle > def->max_angle)
        return mt_fail(MOTE_ERROR_ARGUMENT, "joint.min_angle is %g, above max_angle, %g",
                       (double)def->min_angle, (double)def->max_angle);
    MT_TRY(mt_check_range("joint.swing_limit", def->swing_limit, 0.0f, PI));
    MT_TRY(mt_check_range("joint.twist_limit", def->twist_limit, 0.0f, PI));
    MT_TRY(mt_check_range("joint.damping", def->damping, 0.0f, 1e6f));
    MT_TRY(mt_check_positive("joint.break_force", def->break_force, MOTE_UNBREAKABLE));
    MT_TRY(mt_check_positive("joint.break_torque", def->break_torque, MOTE_UNBREAKABLE));
    MT_TRY(mt_check_positive("joint.yield_torque", def->yield_torque, MOTE_UNBREAKABLE));
    return mt_check_positive("joint.bend_limit", def->bend_limit, MOTE_UNBREAKABLE);
}

static mote_result check_direction(const char *field, mote_vec3 v)
{
    MT_TRY(mt_check_vec3(field, v, 1e12f));
    if (!(mt_dot(v, v) > 1e-20f))
        return mt_fail(MOTE_ERROR_ARGUMENT, "%s is (%g, %g, %g), which has no direction", field, (double)v.x,
                       (double)v.y, (double)v.z);
    return MOTE_OK;
}

static mote_result check_particles(const mote_joint_def *def, const mote_world *world)
{
    for (size_t i = 0; i < def->particle_count; i++) {
        mote_particle_id id = def->particles[i];
        if (!mote_particle_is_valid(world, id))
            return mt_handle_refused_of(&world->particles.handles, "joint.particles", i, id.index,
                                        id.generation);
        mt_member member;
        uint32_t slot = mt_handle_entries(&world->particles.handles)[id.index].slot;
        if (mt_velocities(world)[slot].w == 0 && mt_membership_of(world, id.index, &member) == 0)
            return mt_fail(MOTE_ERROR_ARGUMENT, "joint.particles[%zu] is particle %u, which is fixed", i,
                           id.index);
        for (size_t k = 0; k < i; k++)
            if (def->particles[k].index == id.index)
                return mt_fail(MOTE_ERROR_ARGUMENT,
                               "joint.particles[%zu] is particle %u, which is in the list already", i,
                               id.index);
    }
    return MOTE_OK;
}

static mote_result check_def(const mote_world *world, const mote_joint_def *def, uint32_t *a, uint32_t *b)
{
    MT_TRY(mt_check_pointer("def", def));
    if ((unsigned)def->type >= MOTE_JOINT_TYPE_COUNT)
        return mt_fail(MOTE_ERROR_ARGUMENT, "joint.type is %d, which is no type", (int)def->type);
    MT_TRY(mt_body_find(world, def->a, "joint.a", a));
    *b = MT_NO_SLOT;
    if (!mote_is_null(def->b))
        MT_TRY(mt_body_find(world, def->b, "joint.b", b));
    if (*a == *b)
        return mt_fail(MOTE_ERROR_ARGUMENT, "joint.a and joint.b are the same body, %u", def->a.index);
    MT_TRY(mt_check_vec3("joint.anchor", def->anchor, MT_MAX_COORDINATE));
    MT_TRY(check_direction("joint.axis", def->axis));
    MT_TRY(mt_check_vec3("joint.middle", def->middle, 1e12f));
    if (def->type == MOTE_JOINT_UNIVERSAL) {
        MT_TRY(check_direction("joint.second_axis", def->second_axis));
        mote_vec3 n = mt_cross(unit(def->axis), unit(def->second_axis));
        if (!(mt_dot(n, n) > 1e-6f))
            return mt_fail(MOTE_ERROR_ARGUMENT, "joint.second_axis is along joint.axis");
    }
    if (def->particle_count > 0)
        MT_TRY(mt_check_pointer("joint.particles", def->particles));
    if (def->particle_count > 100000)
        return mt_fail(MOTE_ERROR_ARGUMENT, "joint.particle_count is %zu; at most 100000", def->particle_count);
    MT_TRY(check_particles(def, world));
    MT_TRY(mt_check_count("joint.size", def->size, 0, MOST_SHARED));
    if (def->radius != MOTE_WORLD_RADIUS)
        MT_TRY(mt_radius_check("joint.radius", def->radius));
    if (!mote_is_null(def->b) && !mote_is_null(mote_joint_between(world, def->a, def->b)))
        return mt_fail(MOTE_ERROR_ARGUMENT, "joint.a %u and joint.b %u are joined already", def->a.index,
                       def->b.index);
    return check_strengths(def);
}

bool mt_joint_fits(const mt_joint *joint)
{
    mote_joint_def def = mote_default_joint_def();
    def.min_angle = joint->min_angle;
    def.max_angle = joint->max_angle;
    def.swing_limit = joint->swing_limit;
    def.twist_limit = joint->twist_limit;
    def.damping = joint->damping;
    def.break_force = joint->break_force;
    def.break_torque = joint->break_torque;
    def.yield_torque = joint->yield_torque;
    def.bend_limit = joint->bend_limit;
    const mote_vec3 units[4] = {joint->axis_a, joint->axis_b, joint->side_a, joint->side_b};
    bool fits = joint->collides <= 1 && joint->type < MOTE_JOINT_TYPE_COUNT && check_strengths(&def) == MOTE_OK;
    for (int i = 0; i < 4; i++)
        fits = fits && fabsf(mt_dot(units[i], units[i]) - 1.0f) < 0.01f;
    return fits && mt_is_finite3(joint->anchor_a) && mt_is_finite3(joint->anchor_b) &&
           mt_is_finite3(joint->force) && mt_is_finite3(joint->torque) && isfinite(joint->bent);
}

/* ---- its own particles --------------------------------------------------------------------------------- */

static uint32_t size_of(const mote_joint_def *def)
{
    static const uint32_t usual[MOTE_JOINT_TYPE_COUNT] = {1, 2, 4, 1};
    return def->size > 0 ? def->size : usual[def->type];
}

/* Along the axis of a hinge, else in a ring across it, each touching the next. */
static mote_vec3 place_of(const mote_joint_def *def, float radius, uint32_t k, uint32_t count)
{
    mote_vec3 axis = unit(def->axis);
    if (count == 1)
        return def->anchor;
    if (def->type == MOTE_JOINT_HINGE)
        return mt_add(def->anchor, mt_scale(axis, radius * (float)(2 * (int)k - (int)count + 1)));
    double sine, cosine, half;
    mt_sin_cos(MT_PI / (double)count, &half, &cosine);
    double ring = (double)radius / half;
    mt_sin_cos(2.0 * MT_PI * ((double)k + 0.5) / (double)count, &sine, &cosine);
    mote_vec3 x = across(axis), y = mt_cross(axis, x);
    return mt_add(def->anchor, mt_add(mt_scale(x, (float)(ring * cosine)), mt_scale(y, (float)(ring * sine))));
}

static float mean_mass(const mt_body *body)
{
    return 1.0f / (body->inverse_mass * (float)body->link_count);
}

/* Particles like those of the first body, free until they are linked, as heavy as those of the lighter. */
static mote_result add_particles(mote_world *world, const mote_joint_def *def, uint32_t a, uint32_t b,
                                 mote_particle_id *ids)
{
    const mt_body *body = &mt_bodies(world)[a];
    mote_particle_id like = mt_links(world)[body->first_link].particle;
    mote_particle_state state;
    MT_TRY(mote_particle_get(world, like, &state));
    uint32_t count = size_of(def);
    float radius = def->radius != MOTE_WORLD_RADIUS ? def->radius : world->radius;
    mt_body_motion motion = mt_body_motion_of(world, a);
    float mass = mean_mass(body), other = b == MT_NO_SLOT ? mass : mean_mass(&mt_bodies(world)[b]);
    mote_particle_def defs[MOST_SHARED];
    for (uint32_t k = 0; k < count; k++) {
        mote_vec3 x = place_of(def, radius, k, count);
        mote_vec3 arm = mt_sub(x, body->pose.position);
        defs[k] = mote_default_particle_def();
        defs[k].position = x;
        defs[k].velocity = mt_add(motion.velocity, mt_cross(motion.spin, arm));
        defs[k].mass = mass < other ? mass : other;
        defs[k].radius = radius;
        defs[k].material = state.material;
        defs[k].phase = state.phase;
    }
    return mote_particles_add(world, defs, count, ids);
}

static void link(mote_world *world, uint32_t body, const mote_particle_id *ids, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        mt_membership_know(world);
        if (!is_in(world, ids[i], body))
            mt_link_add(world, body, ids[i]);
    }
    mt_membership_know(world);
}

static mote_result add_joint(mote_world *world, const mote_joint_def *def, mote_joint_id *id)
{
    MT_TRY(mt_enter(world, "mote_joint_add"));
    mt_membership_know(world);
    uint32_t a, b;
    MT_TRY(check_def(world, def, &a, &b));
    mote_particle_id made[MOST_SHARED];
    const mote_particle_id *shared = def->particle_count > 0 ? def->particles : made;
    size_t count = def->particle_count > 0 ? def->particle_count : size_of(def);
    MT_TRY(mt_array_reserve(&world->links, &world->memory, world->link_count + 2 * count, world->link_count));
    MT_TRY(mt_array_reserve(&world->joints.items, &world->memory, (size_t)world->joints.count + 1,
                            world->joints.count));
    MT_TRY(mt_handles_reserve(&world->joints.handles, &world->memory, 1));
    MT_TRY(mt_membership_reserve(world, 2 * count, world->particles.handles.count + (uint32_t)count));
    if (def->particle_count == 0)
        MT_TRY(add_particles(world, def, a, b, made));
    link(world, a, shared, count);
    mt_body_refresh(world, a);
    if (b != MT_NO_SLOT) {
        link(world, b, shared, count);
        mt_body_refresh(world, b);
        mt_body_fix_particles(world, b);
        mt_body_wake(world, b);
    }
    mt_body_fix_particles(world, a);
    mt_body_wake(world, a);
    *id = append(world, def);
    return MOTE_OK;
}

mote_joint_id mote_joint_add(mote_world *world, const mote_joint_def *def)
{
    mote_joint_id id = {0, 0};
    return add_joint(world, def, &id) == MOTE_OK ? id : (mote_joint_id){0, 0};
}

/* ---- finding, changing, removing ----------------------------------------------------------------------- */

mote_result mote_joint_set(mote_world *world, mote_joint_id joint, const mote_joint_def *def)
{
    MT_TRY(mt_enter(world, "mote_joint_set"));
    mt_joint *found = NULL;
    MT_TRY(mt_joint_find(world, joint, &found));
    MT_TRY(mt_check_pointer("def", def));
    MT_TRY(check_strengths(def));
    set_limits(found, def);
    world->body_edits++;
    return MOTE_OK;
}

static void wake_both(mote_world *world, const mt_joint *joint)
{
    const mote_body_id ids[2] = {joint->a, joint->b};
    for (int i = 0; i < 2; i++) {
        uint32_t slot = mt_handles_find(&world->bodies.handles, ids[i].index, ids[i].generation);
        if (slot != MT_NO_SLOT)
            mt_body_wake(world, slot);
    }
}

void mt_joint_drop(mote_world *world, uint32_t slot)
{
    wake_both(world, &mt_joints(world)[slot]);
    mt_joint_index_remove(world, slot);
    mt_table_remove(&world->joints, slot);
    world->body_edits++;
}

void mt_joint_part(mote_world *world, uint32_t slot)
{
    mote_body_id a_id = mt_joints(world)[slot].a, b_id = mt_joints(world)[slot].b;
    mt_joint_drop(world, slot);
    mt_membership_know(world);
    uint32_t a = mt_handles_find(&world->bodies.handles, a_id.index, a_id.generation);
    uint32_t b = mt_handles_find(&world->bodies.handles, b_id.index, b_id.generation);
    if (a == MT_NO_SLOT || b == MT_NO_SLOT)
        return;
    for (uint32_t k = mt_bodies(world)[b].link_count; k > 0; k--) {
        mote_particle_id id = mt_links(world)[mt_bodies(world)[b].first_link + k - 1].particle;
        if (!is_in(world, id, a) || mt_bodies(world)[b].link_count == 1)
            continue; /* a body of shared particles only keeps one */
        mt_link_leave(world, b, id);
        mt_membership_know(world);
    }
    mt_body_fix_particles(world, a);
    mt_body_fix_particles(world, b);
}

mote_result mote_joint_remove(mote_world *world, mote_joint_id joint)
{
    MT_TRY(mt_enter(world, "mote_joint_remove"));
    mt_joint *found = NULL;
    MT_TRY(mt_joint_find(world, joint, &found));
    mt_joint_part(world, (uint32_t)(found - mt_joints(world)));
    return MOTE_OK;
}

bool mote_joint_is_valid(const mote_world *world, mote_joint_id joint)
{
    return world != NULL &&
           mt_handles_find(&world->joints.handles, joint.index, joint.generation) != MT_NO_SLOT;
}

uint32_t mote_joint_count(const mote_world *world)
{
    return world != NULL ? world->joints.count : 0;
}

uint32_t mote_joint_list(const mote_world *world, mote_joint_id *ids, uint32_t capacity)
{
    uint32_t count = mote_joint_count(world);
    for (uint32_t i = 0; ids != NULL && i < count && i < capacity; i++)
        ids[i] = mt_joints(world)[i].id;
    return count;
}
