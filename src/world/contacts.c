/* Contacts of the last step, as the world keeps them for who asks, and an index of them by particle, body and shape. */
#include "base/error.h"
#include "base/sort.h"
#include "world/bodies.h"
#include "world/check.h"
#include "world/world.h"

mote_contacts mote_world_contacts(const mote_world *world)
{
    return world != NULL ? (mote_contacts){world->contacts.data, world->contact_count}
                         : (mote_contacts){NULL, 0};
}

/* ---- the index ------------------------------------------------------------------------------------------- */

/* Whose contacts are asked for: a particle, a body or a shape. */
typedef struct asked {
    mt_table_name table;
    uint32_t index, generation;
} asked;

/* That somebody is in a contact. Sorted by table, by index, and by contact. */
typedef struct entry {
    uint32_t table, index, contact;
} entry;

#define SIDES 5 /* that a contact has at most: two particles, their bodies, a shape */

void mt_contact_index_init(mt_contact_index *index)
{
    mt_array_init(&index->entries, sizeof(entry));
    mt_array_init(&index->spare, sizeof(entry));
    index->count = 0;
    index->is_made = false;
}

void mt_contact_index_free(mt_contact_index *index, mt_memory *memory)
{
    mt_array_free(&index->entries, memory);
    mt_array_free(&index->spare, memory);
}

static int compare_owners(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->table != y->table)
        return x->table < y->table ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static void list_sides(const mote_contact *c, asked side[SIDES])
{
    side[0] = (asked){MT_PARTICLES, c->a.index, c->a.generation};
    side[1] = (asked){MT_PARTICLES, c->b.index, c->b.generation};
    side[2] = (asked){MT_BODIES, c->body_a.index, c->body_a.generation};
    side[3] = (asked){MT_BODIES, c->body_b.index, c->body_b.generation};
    side[4] = (asked){MT_SHAPES, c->shape.index, c->shape.generation};
}

/* Made when somebody asks for the first time since a step. */
static mote_result make_index(mote_world *world)
{
    mt_contact_index *index = &world->contact_index;
    if (index->is_made)
        return MOTE_OK;
    size_t most = SIDES * world->contact_count;
    MT_TRY(mt_array_reserve(&index->entries, &world->memory, most, 0));
    MT_TRY(mt_array_reserve(&index->spare, &world->memory, most, 0));
    entry *to = index->entries.data;
    index->count = 0;
    for (size_t k = 0; k < world->contact_count; k++) {
        asked side[SIDES];
        list_sides((const mote_contact *)world->contacts.data + k, side);
        for (int i = 0; i < SIDES; i++)
            if (side[i].generation != 0)
                to[index->count++] = (entry){side[i].table, side[i].index, (uint32_t)k};
    }
    mt_merge_sort(to, index->spare.data, index->count, sizeof *to, compare_owners);
    index->is_made = true;
    return MOTE_OK;
}

/* The first entry that does not come before somebody's. */
static size_t first_of(const mt_contact_index *index, asked who)
{
    const entry *entries = index->entries.data, key = {who.table, who.index, 0};
    size_t low = 0, high = index->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_owners(&entries[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The index may be that of somebody who was there before. */
static bool is_of(const mote_contact *contact, asked who)
{
    asked side[SIDES];
    list_sides(contact, side);
    for (int i = 0; i < SIDES; i++)
        if (side[i].table == who.table && side[i].index == who.index && side[i].generation == who.generation)
            return true;
    return false;
}

/* ---- questions ------------------------------------------------------------------------------------------- */

static mote_result check(const mote_world *world, const mote_contact *contacts, size_t capacity,
                         const size_t *count)
{
    MT_TRY(mt_check_pointer("world", world));
    MT_TRY(mt_check_pointer("count", count));
    return capacity > 0 ? mt_check_pointer("contacts", contacts) : MOTE_OK;
}

/* The index is no part of what the world is, so that it may be made in one that is not to be changed. */
static mote_result collect(const mote_world *world, const char *what, asked who, mote_contact *contacts,
                           size_t capacity, size_t *count)
{
    MT_TRY(check(world, contacts, capacity, count));
    const mt_handles *handles = mt_handles_at(world, who.table);
    if (mt_handles_find(handles, who.index, who.generation) == MT_NO_SLOT)
        return mt_handle_refused(handles, what, who.index, who.generation);
    MT_TRY(make_index((mote_world *)world));
    const mote_contact *all = world->contacts.data;
    const entry *entries = world->contact_index.entries.data, key = {who.table, who.index, 0};
    uint32_t last = UINT32_MAX; /* who is on both sides has two entries */
    *count = 0;
    for (size_t k = first_of(&world->contact_index, who);
         k < world->contact_index.count && compare_owners(&entries[k], &key) == 0; k++) {
        if (entries[k].contact == last || !is_of(&all[entries[k].contact], who))
            continue;
        last = entries[k].contact;
        if (*count < capacity)
            contacts[*count] = all[last];
        ++*count;
    }
    return MOTE_OK;
}

mote_result mote_particle_contacts(const mote_world *world, mote_particle_id particle, mote_contact *contacts,
                                   size_t capacity, size_t *count)
{
    asked who = {MT_PARTICLES, particle.index, particle.generation};
    return collect(world, "particle handle", who, contacts, capacity, count);
}

mote_result mote_body_contacts(const mote_world *world, mote_body_id body, mote_contact *contacts,
                               size_t capacity, size_t *count)
{
    asked who = {MT_BODIES, body.index, body.generation};
    return collect(world, "body handle", who, contacts, capacity, count);
}

mote_result mote_shape_contacts(const mote_world *world, mote_shape_id shape, mote_contact *contacts,
                                size_t capacity, size_t *count)
{
    asked who = {MT_SHAPES, shape.index, shape.generation};
    return collect(world, "shape handle", who, contacts, capacity, count);
}
