/* Colours: constraints of one colour have no particle and no body in common, so that they are solved at once, in any
 * order. Each takes the first that is free at all of its ends when it is made, and keeps it for life: what is far away
 * has no part in it. Taking one and giving it back are a few bits. Pins take none. */
#include "world/bodies.h"
#include "world/check.h"
#include "world/constraints.h"
#include "world/world.h"

#include <string.h>

/* Colours of what moves when an end is pushed, or NULL. The membership must be known. */
static uint64_t *used_at(mote_world *world, const mt_constraint_end *end)
{
    mt_constraints *c = &world->constraints;
    uint32_t type = end->type, index = end->index;
    mt_member member;
    if (type == MOTE_END_PARTICLE && mt_membership_of(world, index, &member) > 0) {
        type = MOTE_END_BODY;
        index = mt_bodies(world)[mt_member_body(&member, 0)].id.index;
    }
    return (type == MOTE_END_PARTICLE || type == MOTE_END_BODY) && index < c->colored[type]
               ? (uint64_t *)c->used[type].data + index
               : NULL;
}

/* Colours that some of its ends have. */
static uint64_t used_by(mote_world *world, const mt_constraint *one)
{
    uint64_t used = 0;
    for (uint32_t k = 0; k < mt_constraint_kinds[one->kind].info.ends; k++) {
        const uint64_t *at = used_at(world, &one->ends[k]);
        used |= at != NULL ? *at : 0;
    }
    return used;
}

static void mark(mote_world *world, const mt_constraint *one, bool takes)
{
    const uint64_t bit = one->color < MT_COLORS ? UINT64_C(1) << one->color : 0;
    for (uint32_t k = 0; k < mt_constraint_kinds[one->kind].info.ends; k++) {
        uint64_t *at = used_at(world, &one->ends[k]);
        if (at != NULL)
            *at = takes ? *at | bit : *at & ~bit;
    }
}

static void take_color(mote_world *world, mt_constraint *one)
{
    uint64_t used = used_by(world, one);
    bool keeps = one->color == MT_NO_ROOM || (one->color < MT_COLORS && (used >> one->color & 1) == 0);
    if (!keeps)
        one->color = used != UINT64_MAX ? (uint32_t)__builtin_ctzll(~used) : MT_NO_ROOM;
    mark(world, one, true);
}

static mote_result make_room(mote_world *world, mote_end_type type, uint32_t handles)
{
    mt_constraints *c = &world->constraints;
    if (handles <= c->colored[type])
        return MOTE_OK;
    MT_TRY(mt_array_reserve(&c->used[type], &world->memory, handles, c->colored[type]));
    memset((uint64_t *)c->used[type].data + c->colored[type], 0,
           (handles - c->colored[type]) * sizeof(uint64_t));
    c->colored[type] = handles;
    return MOTE_OK;
}

/* Bodies decide who is moved with whom. If they have changed, all colours are looked at in the order of making; who can
 * keep his does. */
mote_result mt_constraints_color(mote_world *world)
{
    mt_constraints *c = &world->constraints;
    if (c->count == 0 || (c->first_new == 0 && c->body_edits == world->body_edits))
        return MOTE_OK;
    MT_TRY(make_room(world, MOTE_END_PARTICLE, world->particles.handles.count));
    MT_TRY(make_room(world, MOTE_END_BODY, world->bodies.handles.count));
    mt_membership_know(world);
    uint32_t at = c->first_new;
    if (c->body_edits != world->body_edits) {
        at = c->first;
        for (int type = 0; type < MOTE_END_TYPE_COUNT; type++)
            if (c->colored[type] > 0)
                memset(c->used[type].data, 0, c->colored[type] * sizeof(uint64_t));
    }
    for (; at != 0; at = mt_constraint_orders(c)[at - 1].next)
        take_color(world, &mt_constraint_items(c)[at - 1]);
    c->first_new = 0;
    c->body_edits = world->body_edits;
    return MOTE_OK;
}

/* Where bodies have changed since, bits are not those of its ends any more; but then all are made anew. */
void mt_constraint_uncolor(mote_world *world, const mt_constraint *one)
{
    if (one->color >= MT_COLORS || world->constraints.body_edits != world->body_edits)
        return;
    mt_membership_know(world);
    mark(world, one, false);
}
