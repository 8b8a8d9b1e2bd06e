/* The table of constraints: made, found, changed and taken out, each in a time that does not depend on how many there
 * are. An end is in the list of what it is at, so that a constraint goes with its particle, body or shape. */
#include "world/constraints.h"

#include "base/error.h"
#include "world/bodies.h"
#include "world/check.h"
#include "world/world.h"

#include <string.h>

void mt_constraints_init(mt_constraints *c)
{
    mt_array_init(&c->items, sizeof(mt_constraint));
    mt_array_init(&c->results, sizeof(mt_constraint_result));
    mt_array_init(&c->order, sizeof(mt_constraint_order));
    mt_array_init(&c->links, sizeof(mt_end_links));
    for (int type = 0; type < MOTE_END_TYPE_COUNT; type++) {
        mt_array_init(&c->first_end[type], sizeof(uint32_t));
        mt_array_init(&c->used[type], sizeof(uint64_t));
    }
}

void mt_constraints_free(mt_constraints *c, mt_memory *memory)
{
    mt_array_free(&c->items, memory);
    mt_array_free(&c->results, memory);
    mt_array_free(&c->order, memory);
    mt_array_free(&c->links, memory);
    for (int type = 0; type < MOTE_END_TYPE_COUNT; type++) {
        mt_array_free(&c->first_end[type], memory);
        mt_array_free(&c->used[type], memory);
    }
}

/* ---- room ---------------------------------------------------------------------------------------------- */

static const mt_handles *handles_at(const mote_world *world, uint32_t type)
{
    return type == MOTE_END_PARTICLE ? &world->particles.handles
           : type == MOTE_END_SHAPE  ? &world->shapes.handles
           : type == MOTE_END_BODY   ? &world->bodies.handles
                                     : NULL;
}

static mote_result know_all(mote_world *world, uint32_t type)
{
    mt_constraints *c = &world->constraints;
    const mt_handles *handles = handles_at(world, type);
    if (handles == NULL || handles->count <= c->known[type])
        return MOTE_OK;
    MT_TRY(mt_array_reserve(&c->first_end[type], &world->memory, handles->count, c->known[type]));
    memset((uint32_t *)c->first_end[type].data + c->known[type], 0,
           (handles->count - c->known[type]) * sizeof(uint32_t));
    c->known[type] = handles->count;
    return MOTE_OK;
}

mote_result mt_constraints_reserve(mote_world *world, uint32_t count)
{
    mt_constraints *c = &world->constraints;
    if (count > MT_MAX_CONSTRAINTS)
        return mt_fail(MOTE_ERROR_LIMIT, "%u constraints would be more than the %u that a world takes", count,
                       MT_MAX_CONSTRAINTS);
    MT_TRY(mt_handles_reserve(&c->handles, &world->memory, count > c->count ? count - c->count : 0));
    size_t room = c->handles.entries.capacity, used = c->handles.count;
    MT_TRY(mt_array_reserve(&c->items, &world->memory, room, used));
    MT_TRY(mt_array_reserve(&c->results, &world->memory, room, used));
    MT_TRY(mt_array_reserve(&c->order, &world->memory, room, used));
    MT_TRY(mt_array_reserve(&c->links, &world->memory, room, used));
    for (uint32_t type = 0; type < MOTE_END_TYPE_COUNT; type++)
        MT_TRY(know_all(world, type));
    return MOTE_OK;
}

/* ---- who is at what ------------------------------------------------------------------------------------- */

static bool is_listed(uint32_t type)
{
    return type != MOTE_END_WORLD;
}

static uint32_t ends_of(const mt_constraint *one)
{
    return mt_constraint_kinds[one->kind].info.ends;
}

static uint32_t *first_at(mt_constraints *c, const mt_constraint_end *end)
{
    return (uint32_t *)c->first_end[end->type].data + end->index;
}

static uint32_t *next_of(mt_constraints *c, uint32_t end)
{
    return &mt_constraint_links(c)[(end - 1) / MT_MOST_ENDS].next[(end - 1) % MT_MOST_ENDS];
}

static uint32_t *previous_of(mt_constraints *c, uint32_t end)
{
    return &mt_constraint_links(c)[(end - 1) / MT_MOST_ENDS].previous[(end - 1) % MT_MOST_ENDS];
}

static void link_end(mt_constraints *c, uint32_t index, uint32_t k)
{
    const mt_constraint_end *at = &mt_constraint_items(c)[index].ends[k];
    uint32_t end = index * MT_MOST_ENDS + k + 1, *first = first_at(c, at);
    *previous_of(c, end) = 0;
    *next_of(c, end) = *first;
    if (*first != 0)
        *previous_of(c, *first) = end;
    *first = end;
}

static void unlink_end(mt_constraints *c, uint32_t index, uint32_t k)
{
    uint32_t end = index * MT_MOST_ENDS + k + 1, previous = *previous_of(c, end), next = *next_of(c, end);
    if (previous != 0)
        *next_of(c, previous) = next;
    else
        *first_at(c, &mt_constraint_items(c)[index].ends[k]) = next;
    if (next != 0)
        *previous_of(c, next) = previous;
}

/* ---- in and out ----------------------------------------------------------------------------------------- */

static void put_last(mt_constraints *c, uint32_t index)
{
    mt_constraint_order *order = mt_constraint_orders(c);
    order[index] = (mt_constraint_order){c->last, 0};
    if (c->last != 0)
        order[c->last - 1].next = index + 1;
    else
        c->first = index + 1;
    c->last = index + 1;
    if (c->first_new == 0 && mt_constraint_items(c)[index].color == MT_NOT_COLORED)
        c->first_new = index + 1;
}

static void take_out(mt_constraints *c, uint32_t index)
{
    mt_constraint_order *order = mt_constraint_orders(c), own = order[index];
    if (own.previous != 0)
        order[own.previous - 1].next = own.next;
    else
        c->first = own.next;
    if (own.next != 0)
        order[own.next - 1].previous = own.previous;
    else
        c->last = own.previous;
    if (c->first_new == index + 1)
        c->first_new = own.next;
}

void mt_constraint_append(mote_world *world, const mt_constraint *made)
{
    mt_constraints *c = &world->constraints;
    uint32_t index = made->id.index;
    mt_constraint_items(c)[index] = *made;
    mt_constraint_results(c)[index] = (mt_constraint_result){0.0f, 0.0f, 0.0f};
    memset(&mt_constraint_links(c)[index], 0, sizeof(mt_end_links));
    put_last(c, index);
    for (uint32_t k = 0; k < ends_of(made); k++)
        if (is_listed(made->ends[k].type))
            link_end(c, index, k);
    c->count++;
    c->edits++;
}

static void wake_end(mote_world *world, const mt_constraint_end *end)
{
    uint32_t slot = MT_NO_SLOT;
    if (end->type == MOTE_END_PARTICLE || end->type == MOTE_END_BODY)
        slot = mt_handles_find(handles_at(world, end->type), end->index, end->generation);
    if (slot == MT_NO_SLOT)
        return;
    if (end->type == MOTE_END_BODY)
        mt_body_wake(world, slot);
    else
        mt_wake_slot(world, slot);
}

static void wake_ends(mote_world *world, const mt_constraint *one)
{
    for (uint32_t k = 0; k < ends_of(one); k++)
        wake_end(world, &one->ends[k]);
}

void mt_constraint_drop(mote_world *world, uint32_t index)
{
    mt_constraints *c = &world->constraints;
    mt_constraint *one = &mt_constraint_items(c)[index];
    wake_ends(world, one);
    mt_constraint_uncolor(world, one);
    for (uint32_t k = 0; k < ends_of(one); k++)
        if (is_listed(one->ends[k].type))
            unlink_end(c, index, k);
    take_out(c, index);
    mt_handles_drop(&c->handles, index);
    c->count--;
    c->edits++;
}

void mt_constraints_release(mote_world *world, mote_end_type type, uint32_t index)
{
    mt_constraints *c = &world->constraints;
    for (uint32_t end = mt_first_end(c, type, index); end != 0; end = mt_first_end(c, type, index))
        mt_constraint_drop(world, (end - 1) / MT_MOST_ENDS);
}

void mt_constraints_clear(mote_world *world)
{
    mt_constraints *c = &world->constraints;
    for (uint32_t type = 0; type < MOTE_END_TYPE_COUNT; type++)
        c->known[type] = c->colored[type] = 0;
    c->first = c->last = c->first_new = c->count = 0;
    c->body_edits = 0;
    c->edits++;
}

bool mt_are_bound(const mote_world *world, uint32_t a, uint32_t b)
{
    const mt_constraints *c = &world->constraints;
    if (mt_first_end(c, MOTE_END_PARTICLE, b) == 0)
        return false;
    for (uint32_t end = mt_first_end(c, MOTE_END_PARTICLE, a); end != 0; end = mt_next_end(c, end)) {
        const mt_constraint *one = mt_end_constraint(c, end);
        for (uint32_t k = 0; one->apart && k < ends_of(one); k++)
            if (one->ends[k].type == MOTE_END_PARTICLE && one->ends[k].index == b)
                return true;
    }
    return false;
}

static bool is_of_body(const mote_world *world, const mt_constraint_end *end, mote_body_id body)
{
    mt_member member;
    if (end->type == MOTE_END_BODY)
        return end->index == body.index && end->generation == body.generation;
    if (end->type != MOTE_END_PARTICLE)
        return false;
    uint32_t bodies = mt_membership_of(world, end->index, &member);
    for (uint32_t k = 0; k < bodies; k++)
        if (mt_bodies(world)[mt_member_body(&member, k)].id.index == body.index)
            return true;
    return false;
}

bool mt_is_bound_to_body(const mote_world *world, uint32_t particle, mote_body_id body)
{
    const mt_constraints *c = &world->constraints;
    for (uint32_t end = mt_first_end(c, MOTE_END_PARTICLE, particle); end != 0; end = mt_next_end(c, end)) {
        const mt_constraint *one = mt_end_constraint(c, end);
        for (uint32_t k = 0; one->apart && k < ends_of(one); k++)
            if (is_of_body(world, &one->ends[k], body))
                return true;
    }
    return false;
}

/* ---- what sleep asks ------------------------------------------------------------------------------------ */

static uint32_t slot_at(const mote_world *world, const mt_constraint_end *end)
{
    if (end->type != MOTE_END_PARTICLE && end->type != MOTE_END_BODY)
        return MT_NO_SLOT;
    uint32_t slot = mt_handle_entries(handles_at(world, end->type))[end->index].slot;
    return end->type == MOTE_END_PARTICLE ? slot : mt_linked_slot(world, mt_body_links(world, slot)->particle);
}

static bool agrees_at(const mote_world *world, uint32_t end, mt_connected_task *agrees, const void *context)
{
    const mt_constraint *one = mt_end_constraint(&world->constraints, end);
    for (uint32_t k = 0; k < ends_of(one); k++) {
        const mt_constraint_end *other = &one->ends[k];
        if (other->type == MOTE_END_SHAPE &&
            mt_shape_moves(&mt_shapes(world)[mt_handle_entries(&world->shapes.handles)[other->index].slot]))
            return false;
        uint32_t slot = k != (end - 1) % MT_MOST_ENDS ? slot_at(world, other) : MT_NO_SLOT;
        if (slot != MT_NO_SLOT && !agrees(context, slot))
            return false;
    }
    return true;
}

static bool all_agree(const mote_world *world, uint32_t end, mt_connected_task *agrees, const void *context)
{
    for (; end != 0; end = mt_next_end(&world->constraints, end))
        if (!agrees_at(world, end, agrees, context))
            return false;
    return true;
}

/* The body whose first particle this is, by the index of its handle: that particle stands for it. */
static uint32_t body_of_first(const mote_world *world, uint32_t particle)
{
    mt_member member;
    if (world->bodies.count == 0 || mt_membership_of(world, particle, &member) == 0)
        return UINT32_MAX;
    uint32_t body = mt_member_body(&member, 0);
    return mt_body_links(world, body)->particle.index == particle ? mt_bodies(world)[body].id.index
                                                                  : UINT32_MAX;
}

bool mt_connected_agree(const mote_world *world, uint32_t particle, mt_connected_task *agrees,
                        const void *context)
{
    const mt_constraints *c = &world->constraints;
    return c->count == 0 ||
           (all_agree(world, mt_first_end(c, MOTE_END_PARTICLE, particle), agrees, context) &&
            all_agree(world, mt_first_end(c, MOTE_END_BODY, body_of_first(world, particle)), agrees, context));
}

/* ---- making --------------------------------------------------------------------------------------------- */

mote_vec3 mt_end_place(const mote_world *world, const mt_constraint_end *end)
{
    if (end->type == MOTE_END_WORLD)
        return end->point;
    uint32_t slot = mt_handle_entries(handles_at(world, end->type))[end->index].slot;
    if (end->type == MOTE_END_PARTICLE)
        return mt_xyz(mt_positions(world)[slot]);
    if (end->type == MOTE_END_BODY)
        return mt_body_point(&mt_bodies(world)[slot], end->point);
    mt_frame frame = mt_frame_of(mt_shapes(world)[slot].pose);
    return mt_to_world(&frame, end->point);
}

static mt_constraint_end end_of(const mote_constraint_end *end)
{
    switch (end->type) {
    case MOTE_END_PARTICLE:
        return (mt_constraint_end){
            MOTE_END_PARTICLE, end->particle.index, end->particle.generation, {0.0f, 0.0f, 0.0f}};
    case MOTE_END_SHAPE:
        return (mt_constraint_end){MOTE_END_SHAPE, end->shape.index, end->shape.generation, end->point};
    case MOTE_END_BODY:
        return (mt_constraint_end){MOTE_END_BODY, end->body.index, end->body.generation, end->point};
    default:
        return (mt_constraint_end){MOTE_END_WORLD, 0, 0, end->point};
    }
}

float mt_constraint_measure(const mote_world *world, const mt_constraint *one)
{
    mote_vec3 places[MT_MOST_ENDS] = {{0.0f, 0.0f, 0.0f}};
    for (uint32_t k = 0; k < ends_of(one); k++)
        places[k] = mt_end_place(world, &one->ends[k]);
    return mt_constraint_kinds[one->kind].measure(places, one->values);
}

static float radius_at(const mote_world *world, const mt_constraint_end *end)
{
    return mt_positions(world)[mt_handle_entries(&world->particles.handles)[end->index].slot].w;
}

/* Whether some two of its particles overlap at rest. */
static bool overlaps(const mote_world *world, const mt_constraint *one)
{
    for (uint32_t i = 0; i < ends_of(one); i++)
        for (uint32_t j = 0; j < i; j++)
            if (one->ends[i].type == MOTE_END_PARTICLE && one->ends[j].type == MOTE_END_PARTICLE &&
                mt_constraint_kinds[one->kind].overlaps(one->values, radius_at(world, &one->ends[i]) +
                                                                         radius_at(world, &one->ends[j])))
                return true;
    return false;
}

/* What follows from the parameters. */
static void set_values(const mote_world *world, mt_constraint *one, const mote_constraint_def *def)
{
    memset(one->values, 0, sizeof one->values);
    memcpy(one->values, def->values, mt_constraint_kinds[one->kind].info.parameter_count * sizeof(float));
    if (one->values[MT_REST] == MOTE_AS_MADE)
        one->values[MT_REST] = mt_constraint_measure(world, one);
    float collide = one->values[MT_COLLIDE];
    one->apart = collide == (float)MOTE_COLLIDE_NEVER ||
                 (collide == (float)MOTE_COLLIDE_IF_APART && overlaps(world, one));
}

static mt_constraint make(const mote_world *world, const mote_constraint_def *def, mote_constraint_id id)
{
    mt_constraint one = {.id = id, .kind = (uint32_t)def->kind, .color = MT_NOT_COLORED};
    for (uint32_t k = 0; k < ends_of(&one); k++)
        one.ends[k] = end_of(&def->ends[k]);
    set_values(world, &one, def);
    return one;
}

mote_result mote_constraints_add(mote_world *world, const mote_constraint_def *defs, size_t count,
                                 mote_constraint_id *ids)
{
    MT_TRY(mt_enter(world, "mote_constraints_add"));
    if (count == 0)
        return MOTE_OK;
    MT_TRY(mt_check_pointer("defs", defs));
    mt_constraints *c = &world->constraints;
    if (count > MT_MAX_CONSTRAINTS - c->count)
        return mt_fail(MOTE_ERROR_LIMIT,
                       "%zu constraints more than the %u there are are too many: a world takes %u", count,
                       c->count, MT_MAX_CONSTRAINTS);
    for (size_t i = 0; i < count; i++)
        MT_TRY(mt_constraint_check(world, &defs[i], count == 1 ? MT_ONE : i));
    MT_TRY(mt_constraints_reserve(world, c->count + (uint32_t)count));
    for (size_t i = 0; i < count; i++) {
        mt_handle handle = mt_handles_take(&c->handles, 0);
        mt_handle_entries(&c->handles)[handle.index].slot = handle.index;
        mote_constraint_id id = {handle.index, handle.generation};
        mt_constraint made = make(world, &defs[i], id);
        mt_constraint_append(world, &made);
        wake_ends(world, &made);
        if (ids != NULL)
            ids[i] = id;
    }
    return MOTE_OK;
}

mote_constraint_id mote_constraint_add(mote_world *world, const mote_constraint_def *def)
{
    mote_constraint_id id = {0, 0};
    return mote_constraints_add(world, def, 1, &id) == MOTE_OK ? id : (mote_constraint_id){0, 0};
}

/* ---- changing ------------------------------------------------------------------------------------------- */

mote_result mt_constraint_find(const mote_world *world, mote_constraint_id id, uint32_t *index)
{
    MT_TRY(mt_check_pointer("world", world));
    *index = mt_handles_find(&world->constraints.handles, id.index, id.generation);
    if (*index == MT_NO_SLOT)
        return mt_handle_refused(&world->constraints.handles, "constraint handle", id.index, id.generation);
    return MOTE_OK;
}

static mote_result check_same_ends(const mt_constraint *one, const mote_constraint_def *def)
{
    if ((uint32_t)def->kind != one->kind)
        return mt_fail(MOTE_ERROR_ARGUMENT, "constraint.kind is %d, but the constraint's is %u, which stays",
                       (int)def->kind, one->kind);
    for (uint32_t k = 0; k < ends_of(one); k++) {
        mt_constraint_end end = end_of(&def->ends[k]);
        if (end.type != one->ends[k].type || end.index != one->ends[k].index ||
            end.generation != one->ends[k].generation)
            return mt_fail(MOTE_ERROR_ARGUMENT,
                           "constraint.ends[%u] is at something else: what a constraint holds stays", k);
    }
    return MOTE_OK;
}

mote_result mote_constraint_set(mote_world *world, mote_constraint_id constraint,
                                const mote_constraint_def *def)
{
    MT_TRY(mt_enter(world, "mote_constraint_set"));
    uint32_t index;
    MT_TRY(mt_constraint_find(world, constraint, &index));
    MT_TRY(mt_check_pointer("def", def));
    MT_TRY(mt_constraint_check(world, def, MT_ONE));
    mt_constraint *one = &mt_constraint_items(&world->constraints)[index];
    MT_TRY(check_same_ends(one, def));
    for (uint32_t k = 0; k < ends_of(one); k++)
        one->ends[k] = end_of(&def->ends[k]);
    set_values(world, one, def);
    wake_ends(world, one);
    world->constraints.edits++;
    return MOTE_OK;
}

mote_result mote_constraint_remove(mote_world *world, mote_constraint_id constraint)
{
    MT_TRY(mt_enter(world, "mote_constraint_remove"));
    uint32_t index;
    MT_TRY(mt_constraint_find(world, constraint, &index));
    mt_constraint_drop(world, index);
    return MOTE_OK;
}
