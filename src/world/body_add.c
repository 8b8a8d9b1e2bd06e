/* Adding bodies: what is asked of their particles, and the joints that shared ones make. */
#include "base/error.h"
#include "world/bodies.h"
#include "world/check.h"
#include "world/pose_chain.h"

mote_body_def mote_default_body_def(void)
{
    return (mote_body_def){.frame = {.rotation = {0.0f, 0.0f, 0.0f, 1.0f}}};
}

static mote_result check_particle(const mote_world *world, const mote_body_def *def, size_t i)
{
    mote_particle_id id = def->particles[i];
    if (!mote_particle_is_valid(world, id))
        return mt_handle_refused_of(&world->particles.handles, "body.particles", i, id.index, id.generation);
    if (mt_velocities(world)[mt_linked_slot(world, id)].w == 0 && !mt_is_driven(world, id))
        return mt_fail(MOTE_ERROR_ARGUMENT, "body.particles[%zu] is fixed: a body that does not move is driven",
                       i);
    return MOTE_OK;
}

/* Marks particles by a bit of their entries of the membership that nothing else has. */
static mote_result check_twice(mote_world *world, const mote_body_def *def)
{
    const uint32_t mark = 0x40000000u;
    uint32_t *of = world->membership.of.data;
    size_t marked = 0;
    for (; marked < def->particle_count && (of[def->particles[marked].index] & mark) == 0; marked++)
        of[def->particles[marked].index] |= mark;
    for (size_t i = 0; i < marked; i++)
        of[def->particles[i].index] &= ~mark;
    if (marked < def->particle_count)
        return mt_fail(MOTE_ERROR_ARGUMENT, "body.particles[%zu] is particle %u, which is in the list already",
                       marked, def->particles[marked].index);
    return MOTE_OK;
}

/* *frame gets the body's own coordinates, with a unit rotation. */
static mote_result check_def(mote_world *world, const mote_body_def *def, mt_pose *frame)
{
    MT_TRY(mt_check_pointer("def", def));
    MT_TRY(mt_check_pointer("body.particles", def->particles));
    if (def->particle_count == 0 || def->particle_count > world->particles.count)
        return mt_fail(MOTE_ERROR_ARGUMENT,
                       "body.particle_count is %zu; it must be 1 to %u, the particles there are",
                       def->particle_count, world->particles.count);
    if ((unsigned)def->mode >= MOTE_BODY_MODE_COUNT)
        return mt_fail(MOTE_ERROR_ARGUMENT, "body.mode is %d, which is no mode", (int)def->mode);
    MT_TRY(mt_check_pose("body.frame", MT_NO_INDEX, "", def->frame, frame));
    for (size_t i = 0; i < def->particle_count; i++)
        MT_TRY(check_particle(world, def, i));
    return MOTE_OK;
}

/* How many joints it will make: a body that it shares particles with, each. */
static uint32_t count_partners(const mote_world *world, const mote_body_def *def)
{
    uint32_t count = 0;
    for (size_t i = 0; i < def->particle_count; i++) {
        mt_member member;
        count += mt_membership_of(world, def->particles[i].index, &member);
    }
    return count;
}

static mote_result reserve_joints(mote_world *world, uint32_t more)
{
    if (more > MT_MAX_JOINTS - world->joints.count)
        return mt_fail(MOTE_ERROR_LIMIT, "%u joints more than the %u there are would be too many", more,
                       world->joints.count);
    MT_TRY(mt_array_reserve(&world->joints.items, &world->memory, (size_t)world->joints.count + more,
                            world->joints.count));
    return mt_handles_reserve(&world->joints.handles, &world->memory, more);
}

static void fill_links(mote_world *world, uint32_t slot, const mote_body_def *def)
{
    mt_link *link = mt_links_insert(world, slot, (uint32_t)def->particle_count);
    /* One that is unit but for rounding is taken as it is: made unit once more it has other last digits. */
    bool is_unit = fabsf(mt_quat_square(def->frame.rotation) - 1.0f) < 1e-5f;
    mt_frame frame = mt_frame_of(is_unit ? def->frame : mt_bodies(world)[slot].pose);
    for (size_t i = 0; i < def->particle_count; i++) {
        mote_vec3 x = mt_xyz(mt_positions(world)[mt_linked_slot(world, def->particles[i])]);
        link[i] = (mt_link){.particle = def->particles[i], .rest = mt_to_local(&frame, x)};
        mt_membership_join(world, slot, def->particles[i].index);
    }
}

/* A joint with every body that it shares particles with. */
static void join_partners(mote_world *world, uint32_t slot)
{
    const mt_body *body = &mt_bodies(world)[slot];
    if (world->membership.shared_count == 0)
        return;
    for (uint32_t k = 0; k < body->link_count; k++) {
        mt_member member;
        uint32_t bodies = mt_membership_of(world, mt_body_links(world, slot)[k].particle.index, &member);
        for (uint32_t i = 0; i < bodies; i++) {
            uint32_t other = mt_member_body(&member, i);
            if (other != slot && mote_is_null(mote_joint_between(world, mt_bodies(world)[other].id, body->id)))
                mt_joint_from_shared(world, other, slot);
        }
    }
}

/* All room that it takes; nothing fails after it but the limit of bodies. */
static mote_result reserve(mote_world *world, const mote_body_def *def)
{
    MT_TRY(mt_array_reserve(&world->links, &world->memory, world->link_count + def->particle_count,
                            world->link_count));
    MT_TRY(reserve_joints(world, count_partners(world, def)));
    MT_TRY(mt_handles_reserve(&world->bodies.handles, &world->memory, 1));
    return mt_joint_index_reserve(world);
}

static mote_result make_body(mote_world *world, const mote_body_def *def, mt_pose frame, mote_body_id *id)
{
    mt_handle handle;
    MT_TRY(mt_table_add(world, MT_BODIES, &handle));
    uint32_t slot = world->bodies.count - 1;
    *id = (mote_body_id){handle.index, handle.generation};
    mt_bodies(world)[slot] = (mt_body){
        .id = *id, .first_link = (uint32_t)world->link_count, .mode = (uint32_t)def->mode, .pose = frame};
    fill_links(world, slot, def);
    mt_membership_know(world);
    mt_body_refresh(world, slot);
    mt_body_find_surface(world, slot);
    join_partners(world, slot);
    if (def->mode == MOTE_BODY_DRIVEN) {
        mt_body_motion motion = mt_body_motion_of(world, slot);
        mt_bodies(world)[slot].velocity = motion.velocity;
        mt_bodies(world)[slot].spin = motion.spin;
    }
    mt_body_fix_particles(world, slot);
    mt_body_wake(world, slot);
    return MOTE_OK;
}

static mote_result add_body(mote_world *world, const mote_body_def *def, mote_body_id *id)
{
    MT_TRY(mt_enter(world, "mote_body_add"));
    mt_membership_know(world);
    mt_pose frame;
    MT_TRY(check_def(world, def, &frame));
    MT_TRY(mt_membership_reserve(world, def->particle_count, world->particles.handles.count));
    MT_TRY(check_twice(world, def));
    MT_TRY(reserve(world, def));
    return make_body(world, def, frame, id);
}

mote_body_id mote_body_add(mote_world *world, const mote_body_def *def)
{
    mote_body_id id = {0, 0};
    return add_body(world, def, &id) == MOTE_OK ? id : (mote_body_id){0, 0};
}
