/* Constraints in snapshots: packed, in the order of their making, with their colours and what the last step found out. */
#include "world/check.h"
#include "world/snapshot_layout.h"

#include <math.h>

void mt_snapshot_write_constraints(const mote_world *world, char *block, const layout *l)
{
    const mt_constraints *c = &world->constraints;
    size_t k = 0;
    for (uint32_t at = c->first; at != 0; at = mt_constraint_orders(c)[at - 1].next, k++) {
        memcpy(block + l->constraints.offset + k * sizeof(mt_constraint), &mt_constraint_items(c)[at - 1],
               sizeof(mt_constraint));
        memcpy(block + l->constraint_results.offset + k * sizeof(mt_constraint_result),
               &mt_constraint_results(c)[at - 1], sizeof(mt_constraint_result));
    }
}

/* ---- checking ------------------------------------------------------------------------------------------- */

static mt_constraint constraint_in(const reader *r, size_t k)
{
    mt_constraint one;
    memcpy(&one, r->block + r->l.constraints.offset + k * sizeof one, sizeof one);
    return one;
}

/* Marks what lives of the things that ends may be at: every table's items begin with their id. */
static void mark_living(part items, size_t stride, uint32_t count, uint32_t handles, const reader *r,
                        unsigned char *marks)
{
    memset(marks, 0, handles);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index;
        memcpy(&index, r->block + items.offset + i * stride, sizeof index);
        marks[index] = 1;
    }
}

static bool ends_fit(const reader *r, uint32_t type, part generations, const unsigned char *living)
{
    for (uint32_t i = 0; i < r->h.constraints; i++) {
        mt_constraint one = constraint_in(r, i);
        for (uint32_t k = 0; k < mt_constraint_kinds[one.kind].info.ends; k++) {
            const mt_constraint_end *end = &one.ends[k];
            if (end->type == type &&
                (end->index >= generations.size / sizeof(uint32_t) || !living[end->index] ||
                 number_at(r, generations, end->index) != end->generation))
                return false;
        }
    }
    return true;
}

bool mt_snapshot_constraints_fit(const reader *r, unsigned char *marks)
{
    const header *h = &r->h;
    for (uint32_t i = 0; i < h->constraints; i++) {
        mt_constraint one = constraint_in(r, i);
        mt_constraint_result result;
        memcpy(&result, r->block + r->l.constraint_results.offset + i * sizeof result, sizeof result);
        if (!mt_constraint_fits(&one) || !isfinite(result.force) || !isfinite(result.tension) ||
            !isfinite(result.lambda))
            return false;
    }
    mark_living(r->l.index, sizeof(uint32_t), h->particles, h->handles, r, marks);
    if (!ends_fit(r, MOTE_END_PARTICLE, r->l.generations, marks))
        return false;
    mark_living(r->l.shapes, sizeof(mt_shape), h->shapes, h->shape_handles, r, marks);
    if (!ends_fit(r, MOTE_END_SHAPE, r->l.shape_generations, marks))
        return false;
    mark_living(r->l.bodies, sizeof(mt_body), h->bodies, h->body_handles, r, marks);
    return ends_fit(r, MOTE_END_BODY, r->l.body_generations, marks);
}

/* ---- restoring ------------------------------------------------------------------------------------------ */

static uint32_t handles_in(const header *h, int type)
{
    return type == MOTE_END_PARTICLE ? h->handles
           : type == MOTE_END_SHAPE  ? h->shape_handles
           : type == MOTE_END_BODY   ? h->body_handles
                                     : 0;
}

mote_result mt_snapshot_reserve_constraints(mote_world *world, const header *h)
{
    mt_constraints *c = &world->constraints;
    size_t used = c->handles.count;
    MT_TRY(mt_array_reserve(&c->handles.entries, &world->memory, h->constraint_handles, used));
    MT_TRY(mt_array_reserve(&c->handles.free, &world->memory, h->constraint_handles, c->handles.free_count));
    mt_array *const arrays[] = {&c->items, &c->results, &c->order, &c->links};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++)
        MT_TRY(mt_array_reserve(arrays[k], &world->memory, c->handles.entries.capacity, used));
    for (int type = 0; type < MOTE_END_TYPE_COUNT; type++)
        MT_TRY(mt_array_reserve(&c->first_end[type], &world->memory, handles_in(h, type), c->known[type]));
    return MOTE_OK;
}

/* The handles have been read, but where they point. All colours are looked at again before the next step. */
void mt_snapshot_read_constraints(const reader *r, mote_world *world)
{
    mt_constraints *c = &world->constraints;
    mt_constraints_clear(world);
    for (int type = 0; type < MOTE_END_TYPE_COUNT; type++) {
        c->known[type] = handles_in(&r->h, type);
        if (c->known[type] > 0)
            memset(c->first_end[type].data, 0, c->known[type] * sizeof(uint32_t));
    }
    for (uint32_t i = 0; i < r->h.constraints; i++) {
        mt_constraint one = constraint_in(r, i);
        mt_handle_entries(&c->handles)[one.id.index].slot = one.id.index;
        mt_constraint_append(world, &one);
        memcpy(&mt_constraint_results(c)[one.id.index],
               r->block + r->l.constraint_results.offset + i * sizeof(mt_constraint_result),
               sizeof(mt_constraint_result));
    }
}
