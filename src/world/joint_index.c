/* Which joints a body has: a chain of them through the joints, the newest first. */
#include "world/bodies.h"
#include "world/check.h"

#include <string.h>

void mt_joint_index_init(mt_membership *m)
{
    mt_array_init(&m->first_joint, sizeof(uint32_t));
    mt_array_init(&m->next_joint, sizeof(mt_joint_next));
    m->first_count = 0;
}

void mt_joint_index_free(mt_membership *m, mt_memory *memory)
{
    mt_array_free(&m->first_joint, memory);
    mt_array_free(&m->next_joint, memory);
}

mote_result mt_joint_index_reserve(mote_world *world)
{
    mt_membership *m = &world->membership;
    size_t bodies = world->bodies.handles.entries.capacity, joints = world->joints.handles.entries.capacity;
    MT_TRY(mt_array_reserve(&m->next_joint, &world->memory, joints, m->next_joint.capacity));
    MT_TRY(mt_array_reserve(&m->first_joint, &world->memory, bodies, m->first_count));
    if (bodies > m->first_count) {
        memset((uint32_t *)m->first_joint.data + m->first_count, 0,
               (bodies - m->first_count) * sizeof(uint32_t));
        m->first_count = (uint32_t)bodies;
    }
    return MOTE_OK;
}

/* ---- the chains ----------------------------------------------------------------------------------------- */

static uint32_t *first_of(const mote_world *world, mote_body_id body)
{
    return (uint32_t *)world->membership.first_joint.data + body.index;
}

static mote_body_id side_of(const mt_joint *joint, int side)
{
    return side == 0 ? joint->a : joint->b;
}

static uint32_t *next_of(const mote_world *world, const mt_joint *joint, int side)
{
    mt_joint_next *next = (mt_joint_next *)world->membership.next_joint.data + joint->id.index;
    return side == 0 ? &next->a : &next->b;
}

/* An entry of a chain; NULL for its end. */
static const mt_joint *joint_at(const mote_world *world, uint32_t entry)
{
    return entry != 0 ? &mt_joints(world)[mt_handle_entries(&world->joints.handles)[entry - 1].slot] : NULL;
}

/* Where the chain of a body goes on behind a joint of it. Living bodies have different indices. */
static uint32_t *behind(const mote_world *world, const mt_joint *joint, mote_body_id body)
{
    return next_of(world, joint, joint->a.index == body.index ? 0 : 1);
}

void mt_joint_index_add(mote_world *world, uint32_t slot)
{
    const mt_joint *joint = &mt_joints(world)[slot];
    for (int side = 0; side < 2; side++) {
        mote_body_id body = side_of(joint, side);
        if (mote_is_null(body)) /* the world */
            continue;
        *next_of(world, joint, side) = *first_of(world, body);
        *first_of(world, body) = joint->id.index + 1;
    }
}

void mt_joint_index_remove(mote_world *world, uint32_t slot)
{
    const mt_joint *joint = &mt_joints(world)[slot];
    for (int side = 0; side < 2; side++) {
        mote_body_id body = side_of(joint, side);
        if (mote_is_null(body))
            continue;
        uint32_t *at = first_of(world, body);
        while (*at != joint->id.index + 1)
            at = behind(world, joint_at(world, *at), body);
        *at = *next_of(world, joint, side);
    }
}

void mt_joint_index_build(mote_world *world)
{
    if (world->membership.first_count > 0)
        memset(world->membership.first_joint.data, 0, world->membership.first_count * sizeof(uint32_t));
    for (uint32_t i = 0; i < world->joints.count; i++)
        mt_joint_index_add(world, i);
}

/* ---- asking --------------------------------------------------------------------------------------------- */

uint32_t mt_joint_of_body(const mote_world *world, mote_body_id body)
{
    uint32_t entry = *first_of(world, body);
    return entry != 0 ? mt_handle_entries(&world->joints.handles)[entry - 1].slot : MT_NO_SLOT;
}

static bool same(mote_body_id x, mote_body_id y)
{
    return x.index == y.index && x.generation == y.generation;
}

static bool joins(const mt_joint *joint, mote_body_id a, mote_body_id b)
{
    return (same(joint->a, a) && same(joint->b, b)) || (same(joint->a, b) && same(joint->b, a));
}

/* Goes along both bodies' chains at once: where one has very many joints, the other most often has few. */
mote_joint_id mote_joint_between(const mote_world *world, mote_body_id a, mote_body_id b)
{
    const mote_joint_id none = {0, 0};
    if (!mote_body_is_valid(world, a) || (!mote_is_null(b) && !mote_body_is_valid(world, b)))
        return none;
    const mt_joint *of_a = joint_at(world, *first_of(world, a));
    const mt_joint *of_b = mote_is_null(b) ? of_a : joint_at(world, *first_of(world, b));
    mote_body_id other = mote_is_null(b) ? a : b;
    while (of_a != NULL && of_b != NULL) {
        if (joins(of_a, a, b))
            return of_a->id;
        if (joins(of_b, a, b))
            return of_b->id;
        of_a = joint_at(world, *behind(world, of_a, a));
        of_b = joint_at(world, *behind(world, of_b, other));
    }
    return none;
}
