/* Contacts of the last step, as the world keeps them for who asks. */
#include "base/error.h"
#include "world/bodies.h"
#include "world/check.h"
#include "world/world.h"

mote_contacts mote_world_contacts(const mote_world *world)
{
    return world != NULL ? (mote_contacts){world->contacts.data, world->contact_count}
                         : (mote_contacts){NULL, 0};
}

/* Whose contacts are asked for: of a particle, a body or a shape, by its index and generation. */
typedef struct asked {
    uint32_t index, generation;
} asked;

typedef bool is_of(const mote_contact *contact, asked who);

static bool is_of_particle(const mote_contact *c, asked who)
{
    return (c->a.index == who.index && c->a.generation == who.generation) ||
           (c->b.index == who.index && c->b.generation == who.generation);
}

static bool is_of_body(const mote_contact *c, asked who)
{
    return (c->body_a.index == who.index && c->body_a.generation == who.generation) ||
           (c->body_b.index == who.index && c->body_b.generation == who.generation);
}

static bool is_of_shape(const mote_contact *c, asked who)
{
    return c->shape.index == who.index && c->shape.generation == who.generation;
}

static mote_result check(const mote_world *world, const mote_contact *contacts, size_t capacity,
                         const size_t *count)
{
    MT_TRY(mt_check_pointer("world", world));
    MT_TRY(mt_check_pointer("count", count));
    return capacity > 0 ? mt_check_pointer("contacts", contacts) : MOTE_OK;
}

static mote_result check_handle(const mt_handles *handles, const char *what, asked who)
{
    if (mt_handles_find(handles, who.index, who.generation) == MT_NO_SLOT)
        return mt_handle_refused(handles, what, who.index, who.generation);
    return MOTE_OK;
}

static void collect(const mote_world *world, is_of *fits, asked who, mote_contact *contacts, size_t capacity,
                    size_t *count)
{
    const mote_contact *all = world->contacts.data;
    *count = 0;
    for (size_t k = 0; k < world->contact_count; k++) {
        if (!fits(&all[k], who))
            continue;
        if (*count < capacity)
            contacts[*count] = all[k];
        ++*count;
    }
}

mote_result mote_particle_contacts(const mote_world *world, mote_particle_id particle, mote_contact *contacts,
                                   size_t capacity, size_t *count)
{
    asked who = {particle.index, particle.generation};
    MT_TRY(check(world, contacts, capacity, count));
    MT_TRY(check_handle(&world->particles.handles, "particle handle", who));
    collect(world, is_of_particle, who, contacts, capacity, count);
    return MOTE_OK;
}

mote_result mote_body_contacts(const mote_world *world, mote_body_id body, mote_contact *contacts,
                               size_t capacity, size_t *count)
{
    asked who = {body.index, body.generation};
    MT_TRY(check(world, contacts, capacity, count));
    MT_TRY(check_handle(&world->bodies.handles, "body handle", who));
    collect(world, is_of_body, who, contacts, capacity, count);
    return MOTE_OK;
}

mote_result mote_shape_contacts(const mote_world *world, mote_shape_id shape, mote_contact *contacts,
                                size_t capacity, size_t *count)
{
    asked who = {shape.index, shape.generation};
    MT_TRY(check(world, contacts, capacity, count));
    MT_TRY(check_handle(&world->shapes.handles, "shape handle", who));
    collect(world, is_of_shape, who, contacts, capacity, count);
    return MOTE_OK;
}
