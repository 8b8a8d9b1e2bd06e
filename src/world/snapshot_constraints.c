/* Constraints in snapshots: packed, in the order of their making, with their colours and what the last step found out. */
#include "world/check.h"
#include "world/snapshot_layout.h"

#include <math.h>

void mt_snapshot_write_constraints(const mote_world *world, char *block, const layout *l)
{
    const mt_constraints *c = &world->constraints;
    size_t k = 0;
    for (uint32_t at = c->first; at != 0; at = mt_constraint_orders(c)[at - 1].next, k++) {
        char *to = block + l->tables[MT_CONSTRAINTS].items.offset + k * sizeof(mt_constraint);
        memcpy(to, &mt_constraint_items(c)[at - 1], sizeof(mt_constraint));
        mt_mark_ids(&mt_table_records[MT_CONSTRAINTS], to, 0);
        memcpy(block + l->constraint_results.offset + k * sizeof(mt_constraint_result),
               &mt_constraint_results(c)[at - 1], sizeof(mt_constraint_result));
    }
}

/* ---- checking ------------------------------------------------------------------------------------------- */

static mt_constraint constraint_in(const reader *r, size_t k)
{
    mt_constraint one;
    memcpy(&one, r->block + items_of(r, MT_CONSTRAINTS).offset + k * sizeof one, sizeof one);
    return one;
}

static const mt_table_name table_of[MOTE_END_TYPE_COUNT] = {
    [MOTE_END_PARTICLE] = MT_PARTICLES, [MOTE_END_SHAPE] = MT_SHAPES, [MOTE_END_BODY] = MT_BODIES};

static bool is_at_something(uint32_t type)
{
    return type != MOTE_END_WORLD;
}

/* Marks what lives of the things that ends may be at: records begin with their handle's index. */
static void mark_living(const reader *r, mt_table_name table, unsigned char *marks)
{
    memset(marks, 0, r->h.tables[table].handles);
    for (uint32_t i = 0; i < r->h.tables[table].items; i++) {
        uint32_t index;
        memcpy(&index, r->block + items_of(r, table).offset + i * mt_table_records[table].size, sizeof index);
        marks[index] = 1;
    }
}

static bool ends_fit(const reader *r, uint32_t type, unsigned char *marks)
{
    mt_table_name table = table_of[type];
    mark_living(r, table, marks);
    for (uint32_t i = 0; i < r->h.tables[MT_CONSTRAINTS].items; i++) {
        mt_constraint one = constraint_in(r, i);
        for (uint32_t k = 0; k < mt_constraint_kinds[one.kind].info.ends; k++) {
            const mt_constraint_end *end = &one.ends[k];
            if (end->type == type &&
                (end->index >= r->h.tables[table].handles || !marks[end->index] ||
                 number_at(r, r->l.tables[table].generations, end->index) != end->generation))
                return false;
        }
    }
    return true;
}

bool mt_snapshot_constraints_fit(const reader *r, unsigned char *marks)
{
    for (uint32_t i = 0; i < r->h.tables[MT_CONSTRAINTS].items; i++) {
        mt_constraint one = constraint_in(r, i);
        mt_constraint_result result;
        memcpy(&result, r->block + r->l.constraint_results.offset + i * sizeof result, sizeof result);
        if (!mt_constraint_fits(&one) || !isfinite(result.force) || !isfinite(result.tension) ||
            !isfinite(result.lambda))
            return false;
    }
    for (uint32_t type = 0; type < MOTE_END_TYPE_COUNT; type++)
        if (is_at_something(type) && !ends_fit(r, type, marks))
            return false;
    return true;
}

/* ---- restoring ------------------------------------------------------------------------------------------ */

static uint32_t handles_in(const header *h, uint32_t type)
{
    return is_at_something(type) ? h->tables[table_of[type]].handles : 0;
}

mote_result mt_snapshot_reserve_constraints(mote_world *world, const header *h)
{
    mt_constraints *c = &world->constraints;
    size_t used = c->handles.count;
    mt_array *const arrays[] = {&c->items, &c->results, &c->order, &c->links};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++)
        MT_TRY(mt_array_reserve(arrays[k], &world->memory, c->handles.entries.capacity, used));
    for (uint32_t type = 0; type < MOTE_END_TYPE_COUNT; type++)
        MT_TRY(mt_array_reserve(&c->first_end[type], &world->memory, handles_in(h, type), c->known[type]));
    return MOTE_OK;
}

/* The handles have been read, but where they point. All colours are looked at again before the next step. */
void mt_snapshot_read_constraints(const reader *r, mote_world *world)
{
    mt_constraints *c = &world->constraints;
    mt_constraints_clear(world);
    for (uint32_t type = 0; type < MOTE_END_TYPE_COUNT; type++) {
        c->known[type] = handles_in(&r->h, type);
        if (c->known[type] > 0)
            memset(c->first_end[type].data, 0, c->known[type] * sizeof(uint32_t));
    }
    for (uint32_t i = 0; i < r->h.tables[MT_CONSTRAINTS].items; i++) {
        mt_constraint one = constraint_in(r, i);
        mt_mark_ids(&mt_table_records[MT_CONSTRAINTS], &one, mt_mark_of(world));
        mt_handle_entries(&c->handles)[one.id.index].slot = one.id.index;
        mt_constraint_append(world, &one);
        memcpy(&mt_constraint_results(c)[one.id.index],
               r->block + r->l.constraint_results.offset + i * sizeof(mt_constraint_result),
               sizeof(mt_constraint_result));
    }
}
