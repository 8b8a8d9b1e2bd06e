/* Bodies: the table and what a program may do with them. */
#include "world/bodies.h"

#include "base/error.h"
#include "base/real.h"
#include "base/rotation.h"
#include "world/check.h"
#include "world/pose_chain.h"

mote_result mt_body_find(const mote_world *world, mote_body_id body, const char *field, uint32_t *slot)
{
    *slot = mt_handles_find(&world->bodies.handles, body.index, body.generation);
    if (*slot == MT_NO_SLOT)
        return mt_handle_refused(&world->bodies.handles, field, body.index, body.generation);
    return MOTE_OK;
}

static mote_result enter(const mote_world *world, const char *call, mote_body_id body, uint32_t *slot)
{
    MT_TRY(mt_enter(world, call));
    return mt_body_find(world, body, "body handle", slot);
}

/* ---- what a body does ---------------------------------------------------------------------------------- */

mote_vec3 mt_body_inverse_inertia_times(const mt_body *body, mote_vec3 torque)
{
    const float *i = body->inverse_inertia;
    mt_frame frame = mt_frame_of(body->pose);
    mote_vec3 t = {mt_dot(frame.x, torque), mt_dot(frame.y, torque), mt_dot(frame.z, torque)};
    mote_vec3 own = {i[0] * t.x + i[3] * t.y + i[4] * t.z, i[3] * t.x + i[1] * t.y + i[5] * t.z,
                     i[4] * t.x + i[5] * t.y + i[2] * t.z};
    return mt_turn(&frame, own);
}

mt_body_motion mt_body_motion_of(const mote_world *world, uint32_t slot)
{
    const mt_body *body = &mt_bodies(world)[slot];
    mt_real3 momentum = {0, 0, 0}, angular = {0, 0, 0};
    for (uint32_t k = 0; k < body->link_count; k++) {
        const mt_link *link = mt_body_links(world, slot) + k;
        uint32_t at = mt_linked_slot(world, link->particle);
        mt_real3 r = mt_real_between(body->pose.position, mt_xyz(mt_positions(world)[at]));
        mt_real3 p = mt_real_scale(mt_real_of(mt_xyz(mt_velocities(world)[at])), (double)link->mass);
        momentum = mt_real_add(momentum, p);
        angular = mt_real_add(angular, mt_real_cross(r, p));
    }
    mote_vec3 turning = mt_real_round(angular);
    return (mt_body_motion){mt_real_round(mt_real_scale(momentum, (double)body->inverse_mass)),
                            body->is_bone ? mt_bone_spin(world, slot, turning)
                                          : mt_body_inverse_inertia_times(body, turning)};
}

/* Of a body's angular momentum, what the velocities of its particles do not show: particles on a line count as
 * balls where they turn about it. */
static mote_vec3 unseen_part(const mote_world *world, uint32_t slot, mote_vec3 angular)
{
    const mt_body *body = &mt_bodies(world)[slot];
    const mote_vec3 none = {0.0f, 0.0f, 0.0f};
    if (body->is_bone || body->mode != MOTE_BODY_DYNAMIC)
        return none;
    mt_real3 spin = mt_real_of(mt_body_inverse_inertia_times(body, angular)), shown = {0, 0, 0};
    for (uint32_t k = 0; k < body->link_count; k++) {
        const mt_link *link = mt_body_links(world, slot) + k;
        mt_real3 r = mt_real_between(body->pose.position,
                                     mt_xyz(mt_positions(world)[mt_linked_slot(world, link->particle)]));
        shown = mt_real_add(shown, mt_real_scale(mt_real_cross(r, mt_real_cross(spin, r)), (double)link->mass));
    }
    mote_vec3 unseen = mt_sub(angular, mt_real_round(shown));
    return mt_dot(unseen, unseen) > 1e-6f * mt_dot(angular, angular) ? unseen : none; /* more than rounding */
}

/* A bone's angular momentum is more than its particles show: it is noted whenever these have been given another
 * motion. */
static void note_motion(mote_world *world, uint32_t slot)
{
    mt_body *body = &mt_bodies(world)[slot];
    if (!body->is_bone || body->mode != MOTE_BODY_DYNAMIC)
        return;
    mt_body_motion motion = mt_body_motion_of(world, slot);
    body->velocity = motion.velocity;
    body->spin = mt_body_angular(world, slot, motion.spin);
}

static void write_velocity(mote_world *world, uint32_t at, mote_vec3 v)
{
    mote_vec4 *velocity = &mt_velocities(world)[at];
    *velocity = (mote_vec4){v.x, v.y, v.z, velocity->w};
}

/* `add`: to what the particles have; else instead of it. */
static void give_motion(mote_world *world, uint32_t slot, mt_body_motion motion, bool add)
{
    mt_body *body = &mt_bodies(world)[slot];
    if (!add)
        body->spin = mt_sub(body->spin, unseen_part(world, slot, body->spin));
    body->spin = mt_add(body->spin, unseen_part(world, slot, mt_body_angular(world, slot, motion.spin)));
    for (uint32_t k = 0; k < body->link_count; k++) {
        uint32_t at = mt_linked_slot(world, mt_body_links(world, slot)[k].particle);
        mote_vec3 r = mt_sub(mt_xyz(mt_positions(world)[at]), body->pose.position);
        mote_vec3 v = mt_add(motion.velocity, mt_cross(motion.spin, r));
        write_velocity(world, at, add ? mt_add(mt_xyz(mt_velocities(world)[at]), v) : v);
    }
    note_motion(world, slot);
}

/* ---- particles ----------------------------------------------------------------------------------------- */

void mt_body_wake(mote_world *world, uint32_t slot)
{
    const mt_body *body = &mt_bodies(world)[slot];
    for (uint32_t k = 0; k < body->link_count; k++) {
        uint32_t at = mt_linked_slot(world, mt_body_links(world, slot)[k].particle);
        mote_vec4 x = mt_positions(world)[at];
        mt_wake_slot(world, at);
        mt_disturb(world, mt_xyz(x), 2.0f * x.w);
    }
}

void mt_body_place(mote_world *world, uint32_t slot)
{
    const mt_body *body = &mt_bodies(world)[slot];
    mt_frame frame = mt_frame_of(body->pose);
    for (uint32_t k = 0; k < body->link_count; k++) {
        const mt_link *link = mt_body_links(world, slot) + k;
        mote_vec3 x = mt_to_world(&frame, mt_sub(link->rest, body->center));
        mote_vec4 *position = &mt_positions(world)[mt_linked_slot(world, link->particle)];
        *position = (mote_vec4){x.x, x.y, x.z, position->w};
    }
}

bool mt_is_driven(const mote_world *world, mote_particle_id particle)
{
    mt_member member;
    uint32_t bodies = mt_membership_of(world, particle.index, &member);
    for (uint32_t k = 0; k < bodies; k++)
        if (mt_bodies(world)[mt_member_body(&member, k)].mode == MOTE_BODY_DRIVEN)
            return true;
    return false;
}

void mt_body_fix_particles(mote_world *world, uint32_t slot)
{
    for (uint32_t k = 0; k < mt_bodies(world)[slot].link_count; k++) {
        const mt_link *link = mt_body_links(world, slot) + k;
        uint32_t at = mt_linked_slot(world, link->particle);
        float mass = mt_link_mass(world, link);
        mt_velocities(world)[at].w = mt_is_driven(world, link->particle) ? 0.0f : 1.0f / mass;
    }
}

static mt_matrix moment_of(const mote_world *world, uint32_t slot, mt_real3 *center)
{
    const mt_body *body = &mt_bodies(world)[slot];
    mt_matrix a = {{{0}}};
    mt_real3 sum = {0, 0, 0};
    for (uint32_t k = 0; k < body->link_count; k++) {
        const mt_link *link = mt_body_links(world, slot) + k;
        mote_vec3 x = mt_xyz(mt_positions(world)[mt_linked_slot(world, link->particle)]);
        double mass = (double)link->mass;
        mt_real3 r = mt_real_between(body->center, link->rest);
        const double d[3] = {mass * ((double)x.x - (double)body->pose.position.x),
                             mass * ((double)x.y - (double)body->pose.position.y),
                             mass * ((double)x.z - (double)body->pose.position.z)};
        sum = mt_real_add(sum, (mt_real3){d[0], d[1], d[2]});
        for (int i = 0; i < 3; i++) { /* the rests are around their centre, so x need not be */
            a.m[i][0] += d[i] * r.x;
            a.m[i][1] += d[i] * r.y;
            a.m[i][2] += d[i] * r.z;
        }
    }
    *center = mt_real_add(mt_real_of(body->pose.position), mt_real_scale(sum, (double)body->inverse_mass));
    return a;
}

static void rematch(mote_world *world, uint32_t slot)
{
    mt_body *body = &mt_bodies(world)[slot];
    mt_real3 center;
    mt_matrix moment = moment_of(world, slot, &center);
    body->pose = (mt_pose){mt_real_round(center), mt_rotation_extract(&moment, body->pose.rotation)};
    mt_body_wake(world, slot);
    mt_body_place(world, slot);
    mt_body_wake(world, slot);
}

void mt_particles_rematch(mote_world *world, const mote_particle_id *particles, size_t count)
{
    mt_membership_know(world);
    uint32_t last = MT_NO_SLOT; /* most often a body's particles follow each other */
    for (size_t i = 0; i < count; i++) {
        mt_member member;
        uint32_t bodies = mt_membership_of(world, particles[i].index, &member);
        for (uint32_t k = 0; k < bodies; k++)
            if (mt_member_body(&member, k) != last)
                rematch(world, last = mt_member_body(&member, k));
    }
}

/* ---- removing ------------------------------------------------------------------------------------------ */

/* Particles that were held fast get their masses back. */
static void let_go(mote_world *world, uint32_t slot)
{
    mt_bodies(world)[slot].mode = MOTE_BODY_DYNAMIC;
    mt_body_fix_particles(world, slot);
}

static bool is_of(const mote_world *world, uint32_t particle, uint32_t slot)
{
    mt_member member;
    uint32_t bodies = mt_membership_of(world, particle, &member);
    bool found = false;
    for (uint32_t k = 0; k < bodies; k++)
        found = found || mt_member_body(&member, k) == slot;
    return found;
}

/* What contacts bore, the whole body did: a particle of it would be thrown away by that. */
static void forget_impulses(mote_world *world, uint32_t slot)
{
    const mote_vec3 none = {0.0f, 0.0f, 0.0f};
    mt_contact_impulse *impulse = world->impulses.data;
    for (size_t k = 0; k < world->impulse_count; k++)
        if (is_of(world, impulse[k].owner, slot) ||
            (impulse[k].kind == MT_CONTACT_PARTICLE && is_of(world, impulse[k].other, slot))) {
            impulse[k].force = 0.0f;
            impulse[k].friction = none;
        }
}

/* All of it but the particles, which may go with it. */
static void drop(mote_world *world, uint32_t slot, bool with_particles)
{
    mote_body_id id = mt_bodies(world)[slot].id;
    mt_membership_know(world);
    mt_constraints_release(world, MOTE_END_BODY, id.index);
    for (uint32_t joint; (joint = mt_joint_of_body(world, id)) != MT_NO_SLOT;)
        mt_joint_drop(world, joint);
    forget_impulses(world, slot);
    let_go(world, slot);
    mt_deferred_forget(world, id);
    mt_body_wake(world, slot);
    mt_links_leave(world, slot, with_particles);
    mt_table_remove(&world->bodies, slot);
    mt_membership_close(world, slot);
    world->body_edits++;
}

void mt_body_drop(mote_world *world, uint32_t slot)
{
    drop(world, slot, false);
}

mote_result mote_body_dissolve(mote_world *world, mote_body_id body)
{
    uint32_t slot;
    MT_TRY(enter(world, "mote_body_dissolve", body, &slot));
    drop(world, slot, false);
    return MOTE_OK;
}

mote_result mote_body_remove(mote_world *world, mote_body_id body)
{
    uint32_t slot;
    MT_TRY(enter(world, "mote_body_remove", body, &slot));
    drop(world, slot, true);
    mt_particles_pad(world);
    return MOTE_OK;
}

bool mote_body_is_valid(const mote_world *world, mote_body_id body)
{
    return world != NULL && mt_handles_find(&world->bodies.handles, body.index, body.generation) != MT_NO_SLOT;
}

uint32_t mote_body_count(const mote_world *world)
{
    return world != NULL ? world->bodies.count : 0;
}

uint32_t mote_body_list(const mote_world *world, mote_body_id *ids, uint32_t capacity)
{
    uint32_t count = mote_body_count(world);
    for (uint32_t i = 0; ids != NULL && i < count && i < capacity; i++)
        ids[i] = mt_bodies(world)[i].id;
    return count;
}

size_t mote_body_particles(const mote_world *world, mote_body_id body, mote_particle_id *ids, size_t capacity)
{
    uint32_t slot;
    if (world == NULL || mt_body_find(world, body, "body handle", &slot) != MOTE_OK)
        return 0;
    size_t count = mt_bodies(world)[slot].link_count;
    for (size_t i = 0; ids != NULL && i < count && i < capacity; i++)
        ids[i] = mt_body_links(world, slot)[i].particle;
    return count;
}

uint32_t mote_particle_bodies(const mote_world *world, mote_particle_id particle, mote_body_id *ids,
                              uint32_t capacity)
{
    if (world == NULL || !mote_particle_is_valid(world, particle))
        return 0;
    mt_member member;
    uint32_t count = mt_membership_of(world, particle.index, &member);
    for (uint32_t i = 0; ids != NULL && i < count && i < capacity; i++)
        ids[i] = mt_bodies(world)[mt_member_body(&member, i)].id;
    return count;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

static mote_pose pose_of(const mt_body *body)
{
    return (mote_pose){mt_body_point(body, (mote_vec3){0.0f, 0.0f, 0.0f}), body->pose.rotation};
}

mote_result mote_body_get(const mote_world *world, mote_body_id body, mote_body_state *state)
{
    MT_TRY(mt_check_pointer("world", world));
    MT_TRY(mt_check_pointer("state", state));
    uint32_t slot;
    MT_TRY(mt_body_find(world, body, "body handle", &slot));
    const mt_body *b = &mt_bodies(world)[slot];
    mt_body_motion motion = mt_body_motion_of(world, slot);
    *state = (mote_body_state){
        .pose = pose_of(b),
        .center = b->pose.position,
        .velocity = motion.velocity,
        .spin = mt_add(motion.spin, mt_body_inverse_inertia_times(b, unseen_part(world, slot, b->spin))),
        .mass = 1.0f / b->inverse_mass,
        .inertia = mt_body_moments(world, slot),
        .particle_count = b->link_count,
        .mode = (mote_body_mode)b->mode,
        .asleep = mt_rest_times(world)[mt_linked_slot(world, mt_body_links(world, slot)->particle)] < 0,
    };
    return MOTE_OK;
}

mote_result mote_body_poses(const mote_world *world, const mote_body_id *bodies, size_t count, mote_pose *poses)
{
    MT_TRY(mt_check_pointer("world", world));
    if (count == 0)
        return MOTE_OK;
    MT_TRY(mt_check_pointer("bodies", bodies));
    MT_TRY(mt_check_pointer("poses", poses));
    uint32_t slot;
    for (size_t i = 0; i < count; i++)
        MT_TRY(mt_body_find(world, bodies[i], "body handle", &slot));
    for (size_t i = 0; i < count; i++) {
        mt_body_find(world, bodies[i], "body handle", &slot);
        poses[i] = pose_of(&mt_bodies(world)[slot]);
    }
    return MOTE_OK;
}

/* ---- changing ------------------------------------------------------------------------------------------ */

/* From a pose of the body's own coordinates, with a unit rotation, to one of its centre of mass. */
static mt_pose centered(const mt_body *body, mt_pose pose)
{
    mt_frame frame = mt_frame_of(pose);
    return (mt_pose){mt_to_world(&frame, body->center), pose.rotation};
}

mote_result mote_body_set_pose(mote_world *world, mote_body_id body, mote_pose pose)
{
    uint32_t slot;
    MT_TRY(enter(world, "mote_body_set_pose", body, &slot));
    mt_pose unit;
    MT_TRY(mt_check_pose("pose", MT_NO_INDEX, "", pose, &unit));
    mt_body *b = &mt_bodies(world)[slot];
    mt_body_wake(world, slot);
    b->pose = centered(b, unit);
    b->has_target = 0;
    b->target = (mt_pose){{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 0.0f}};
    mt_body_place(world, slot);
    mt_body_wake(world, slot);
    return MOTE_OK;
}

mote_result mote_body_set_velocity(mote_world *world, mote_body_id body, mote_vec3 velocity, mote_vec3 spin)
{
    uint32_t slot;
    MT_TRY(enter(world, "mote_body_set_velocity", body, &slot));
    MT_TRY(mt_check_vec3("velocity", velocity, MT_MAX_VELOCITY));
    MT_TRY(mt_check_vec3("spin", spin, MT_MAX_VELOCITY));
    mt_body *b = &mt_bodies(world)[slot];
    if (b->mode == MOTE_BODY_DRIVEN) {
        b->velocity = velocity;
        b->spin = spin;
    }
    give_motion(world, slot, (mt_body_motion){velocity, spin}, false);
    mt_body_wake(world, slot);
    return MOTE_OK;
}

mote_result mote_body_apply_impulse(mote_world *world, mote_body_id body, mote_vec3 impulse, mote_vec3 point)
{
    uint32_t slot;
    MT_TRY(enter(world, "mote_body_apply_impulse", body, &slot));
    MT_TRY(mt_check_vec3("impulse", impulse, 1e12f));
    MT_TRY(mt_check_vec3("point", point, MT_MAX_COORDINATE));
    const mt_body *b = &mt_bodies(world)[slot];
    if (b->mode == MOTE_BODY_DRIVEN)
        return MOTE_OK;
    mote_vec3 arm = mt_sub(point, b->pose.position);
    mt_body_motion change = {mt_scale(impulse, b->inverse_mass),
                             mt_body_inverse_inertia_times(b, mt_cross(arm, impulse))};
    MT_TRY(mt_check_vec3("velocity after the impulse",
                         mt_add(mt_body_motion_of(world, slot).velocity, change.velocity), MT_MAX_VELOCITY));
    give_motion(world, slot, change, true);
    mt_body_wake(world, slot);
    return MOTE_OK;
}

mote_result mote_body_set_mode(mote_world *world, mote_body_id body, mote_body_mode mode)
{
    uint32_t slot;
    MT_TRY(enter(world, "mote_body_set_mode", body, &slot));
    if ((unsigned)mode >= MOTE_BODY_MODE_COUNT)
        return mt_fail(MOTE_ERROR_ARGUMENT, "mode is %d, which is no mode", (int)mode);
    mt_body *b = &mt_bodies(world)[slot];
    if (b->mode == (uint32_t)mode)
        return MOTE_OK;
    if (mode == MOTE_BODY_DYNAMIC) {
        MT_TRY(mt_deferred_reserve(world, 1));
        mt_deferred_let_go(world, body);
    } else
        mt_deferred_take_back(world, body);
    mt_membership_know(world);
    b->mode = (uint32_t)mode;
    b->has_target = 0;
    b->target = (mt_pose){{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 0.0f}};
    b->velocity = b->spin = (mote_vec3){0.0f, 0.0f, 0.0f};
    note_motion(world, slot);
    mt_body_fix_particles(world, slot);
    mt_body_wake(world, slot);
    world->body_edits++;
    return MOTE_OK;
}

mote_result mote_body_move_to(mote_world *world, mote_body_id body, mote_pose pose)
{
    uint32_t slot;
    MT_TRY(enter(world, "mote_body_move_to", body, &slot));
    mt_pose unit;
    MT_TRY(mt_check_pose("pose", MT_NO_INDEX, "", pose, &unit));
    mt_body *b = &mt_bodies(world)[slot];
    if (b->mode != MOTE_BODY_DRIVEN)
        return mt_fail(MOTE_ERROR_ARGUMENT, "body %u is not driven: mote_body_set_mode first", body.index);
    b->target = centered(b, unit);
    b->has_target = 1;
    b->velocity = b->spin = (mote_vec3){0.0f, 0.0f, 0.0f};
    return MOTE_OK;
}
