/* What is done with all tables and lists of a world; the list of them is tables.h. */
#include "world/tables.h"

#include "base/error.h"
#include "base/hash.h"
#include "world/check.h"
#include "world/snapshot_geometries.h"

#include <string.h>

#define MOST_WORDS 64 /* of a record */

/* ---- the rows ------------------------------------------------------------------------------------------- */

#define ID(type, member)  offsetof(type, member)
#define COUNT_OF_IDS(...) (sizeof((const size_t[]){__VA_ARGS__}) / sizeof(size_t))
#define RECORD(type, ...)                                                                                      \
    {                                                                                                          \
        sizeof(type), COUNT_OF_IDS(__VA_ARGS__),                                                               \
        {                                                                                                      \
            __VA_ARGS__                                                                                        \
        }                                                                                                      \
    }
#define END(number) ID(mt_constraint, ends[number].index)

/* Particles: their handles' indices, of which the generations are known by the handles. */
const mt_record mt_table_records[MT_HANDLE_COUNT] = {
#define TABLE(NAME, member, type, kept, limit, ...) [MT_##NAME] = RECORD(kept, __VA_ARGS__),
    MT_TABLES(TABLE)
#undef TABLE
        [MT_PARTICLES] = {sizeof(uint32_t), 0, {0}},
    [MT_CONSTRAINTS] = RECORD(mt_constraint, ID(mt_constraint, id), END(0), END(1), END(2), END(3)),
};

const mt_record mt_list_records[MT_LIST_COUNT] = {
#define LIST(NAME, member, count, type, ...) [MT_##NAME] = RECORD(type, __VA_ARGS__),
    MT_LISTS(LIST)
#undef LIST
};

#define TABLE(NAME, member, type, kept, ...) FITS(kept)
#define LIST(NAME, member, count, type, ...) FITS(type)
#define FITS(type)                                                                                             \
    _Static_assert(sizeof(type) <= 4 * MOST_WORDS && sizeof(type) % 4 == 0, "a record is too long");
MT_TABLES(TABLE)
MT_LISTS(LIST)
FITS(mt_constraint)
#undef TABLE
#undef LIST
_Static_assert(MT_MOST_ENDS == 4, "the record of constraints names four ends");

typedef struct table_row {
    const char *name;
    size_t at; /* in the world */
    size_t element;
    uint32_t limit;
} table_row;

static const table_row tables[MT_TABLE_COUNT] = {
#define TABLE(NAME, member, type, kept, limit, ...)                                                            \
    [MT_##NAME] = {#member, offsetof(mote_world, member), sizeof(type), limit},
    MT_TABLES(TABLE)
#undef TABLE
};

typedef struct list_row {
    size_t at, count_at; /* in the world */
} list_row;

static const list_row lists[MT_LIST_COUNT] = {
#define LIST(NAME, member, count, type, ...)                                                                   \
    [MT_##NAME] = {offsetof(mote_world, member), offsetof(mote_world, count)},
    MT_LISTS(LIST)
#undef LIST
};

mt_table *mt_table_at(const mote_world *world, uint32_t name)
{
    return (mt_table *)(void *)((char *)world + tables[name].at);
}

mt_handles *mt_handles_at(const mote_world *world, uint32_t name)
{
    size_t at = name == MT_PARTICLES     ? offsetof(mote_world, particles.handles)
                : name == MT_CONSTRAINTS ? offsetof(mote_world, constraints.handles)
                                         : tables[name].at + offsetof(mt_table, handles);
    return (mt_handles *)(void *)((char *)world + at);
}

uint32_t mt_table_limit(uint32_t name)
{
    return name == MT_PARTICLES ? UINT32_MAX : name == MT_CONSTRAINTS ? MT_MAX_CONSTRAINTS : tables[name].limit;
}

mt_array *mt_list_at(const mote_world *world, uint32_t name)
{
    return (mt_array *)(void *)((char *)world + lists[name].at);
}

size_t *mt_list_count(const mote_world *world, uint32_t name)
{
    return (size_t *)(void *)((char *)world + lists[name].count_at);
}

/* ---- all of them ----------------------------------------------------------------------------------------- */

void mt_tables_init(mote_world *world)
{
    for (uint32_t k = 0; k < MT_TABLE_COUNT; k++) {
        mt_array_init(&mt_table_at(world, k)->items, tables[k].element);
        mt_table_at(world, k)->count = 0;
    }
    for (uint32_t k = 0; k < MT_LIST_COUNT; k++) {
        mt_array_init(mt_list_at(world, k), mt_list_records[k].size);
        *mt_list_count(world, k) = 0;
    }
    for (uint32_t k = 0; k < MT_HANDLE_COUNT; k++)
        mt_handles_init(mt_handles_at(world, k), mt_mark_of(world));
}

void mt_tables_free(mote_world *world)
{
    for (uint32_t k = 0; k < MT_TABLE_COUNT; k++)
        mt_array_free(&mt_table_at(world, k)->items, &world->memory);
    for (uint32_t k = 0; k < MT_LIST_COUNT; k++)
        mt_array_free(mt_list_at(world, k), &world->memory);
    for (uint32_t k = 0; k < MT_HANDLE_COUNT; k++)
        mt_handles_free(mt_handles_at(world, k), &world->memory);
}

/* ---- one ------------------------------------------------------------------------------------------------- */

mote_result mt_table_add(mote_world *world, mt_table_name name, mt_handle *handle)
{
    mt_table *table = mt_table_at(world, name);
    if (table->count >= tables[name].limit)
        return mt_fail(MOTE_ERROR_LIMIT, "there are %u %s already, the most that a world takes", table->count,
                       tables[name].name);
    MT_TRY(mt_array_reserve(&table->items, &world->memory, (size_t)table->count + 1, table->count));
    MT_TRY(mt_handles_reserve(&table->handles, &world->memory, 1));
    *handle = mt_handles_take(&table->handles, table->count);
    table->count++;
    return MOTE_OK;
}

/* The index of an item's handle: every one begins with it. */
static uint32_t index_at(const mt_table *table, uint32_t slot)
{
    uint32_t index;
    memcpy(&index, (const char *)table->items.data + slot * table->items.element, sizeof index);
    return index;
}

void mt_table_point(mt_table *table, uint32_t first)
{
    for (uint32_t i = first; i < table->count; i++)
        mt_handle_entries(&table->handles)[index_at(table, i)].slot = i;
}

void mt_table_remove(mt_table *table, uint32_t slot)
{
    char *items = table->items.data;
    size_t size = table->items.element;
    mt_handles_drop(&table->handles, index_at(table, slot));
    table->count--;
    memmove(items + slot * size, items + (slot + 1) * size, (table->count - slot) * size);
    mt_table_point(table, slot);
}

/* ---- the world's number in handles -------------------------------------------------------------------------- */

void mt_mark_ids(const mt_record *record, void *element, uint32_t mark)
{
    for (uint32_t k = 0; k < record->id_count; k++) {
        char *at = (char *)element + record->ids[k] + sizeof(uint32_t); /* which may be any address */
        uint32_t generation;
        memcpy(&generation, at, sizeof generation);
        generation &= MT_GENERATION_MASK;
        generation |= generation != 0 ? mark : 0; /* null handles are no world's */
        memcpy(at, &generation, sizeof generation);
    }
}

/* ---- hashes ---------------------------------------------------------------------------------------------- */

static uint64_t word_of(const uint32_t pair[2])
{
    uint64_t word;
    memcpy(&word, pair, sizeof word);
    return word;
}

/* As mt_hash_bytes: words of eight bytes, the last one filled up with zeros. Records are whole words of four. */
uint64_t mt_records_hash(uint64_t hash, const mt_record *record, const void *data, size_t count)
{
    uint32_t element[MOST_WORDS], pair[2];
    size_t words = record->size / sizeof(uint32_t), filled = 0;
    hash = mt_hash_add(hash, count * record->size);
    for (size_t i = 0; i < count; i++) {
        memcpy(element, (const char *)data + i * record->size, record->size);
        mt_mark_ids(record, element, 0);
        for (size_t k = 0; k < words; k++) {
            pair[filled++] = element[k];
            if (filled == 2)
                hash = mt_hash_add(hash, word_of(pair));
            filled &= 1;
        }
    }
    pair[1] = 0;
    return filled > 0 ? mt_hash_add(hash, word_of(pair)) : hash;
}
