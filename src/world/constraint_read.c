/* What a program may ask of constraints. */
#include "base/error.h"
#include "base/vec.h"
#include "world/check.h"
#include "world/constraints.h"
#include "world/world.h"

#include <string.h>

mote_constraint_end mote_end_particle(mote_particle_id particle)
{
    return (mote_constraint_end){.type = MOTE_END_PARTICLE, .particle = particle};
}

mote_constraint_end mote_end_world(mote_vec3 point)
{
    return (mote_constraint_end){.type = MOTE_END_WORLD, .point = point};
}

mote_constraint_end mote_end_shape(mote_shape_id shape, mote_vec3 point)
{
    return (mote_constraint_end){.type = MOTE_END_SHAPE, .shape = shape, .point = point};
}

mote_constraint_end mote_end_body(mote_body_id body, mote_vec3 point)
{
    return (mote_constraint_end){.type = MOTE_END_BODY, .body = body, .point = point};
}

bool mote_constraint_is_valid(const mote_world *world, mote_constraint_id constraint)
{
    return world != NULL &&
           mt_handles_find(&world->constraints.handles, constraint.index, constraint.generation) != MT_NO_SLOT;
}

uint32_t mote_constraint_count(const mote_world *world)
{
    return world != NULL ? world->constraints.count : 0;
}

uint32_t mote_constraint_list(const mote_world *world, mote_constraint_id *ids, uint32_t capacity)
{
    if (world == NULL)
        return 0;
    const mt_constraints *c = &world->constraints;
    uint32_t at = c->first;
    for (uint32_t k = 0; ids != NULL && k < capacity && at != 0; k++) {
        ids[k] = mt_constraint_items(c)[at - 1].id;
        at = mt_constraint_orders(c)[at - 1].next;
    }
    return c->count;
}

static mote_constraint_end end_from(const mt_constraint_end *end)
{
    switch (end->type) {
    case MOTE_END_PARTICLE:
        return mote_end_particle((mote_particle_id){end->index, end->generation});
    case MOTE_END_SHAPE:
        return mote_end_shape((mote_shape_id){end->index, end->generation}, end->point);
    case MOTE_END_BODY:
        return mote_end_body((mote_body_id){end->index, end->generation}, end->point);
    default:
        return mote_end_world(end->point);
    }
}

mote_result mote_constraint_get(const mote_world *world, mote_constraint_id constraint,
                                mote_constraint_def *def)
{
    uint32_t index;
    MT_TRY(mt_constraint_find(world, constraint, &index));
    MT_TRY(mt_check_pointer("def", def));
    const mt_constraint *one = &mt_constraint_items(&world->constraints)[index];
    mote_constraint_def made = {.kind = (mote_constraint_kind)one->kind};
    for (uint32_t k = 0; k < mt_constraint_kinds[one->kind].info.ends; k++)
        made.ends[k] = end_from(&one->ends[k]);
    memcpy(made.values, one->values, sizeof made.values);
    *def = made;
    return MOTE_OK;
}

mote_result mote_constraint_places(const mote_world *world, mote_constraint_id constraint, mote_vec3 *places)
{
    uint32_t index;
    MT_TRY(mt_constraint_find(world, constraint, &index));
    MT_TRY(mt_check_pointer("places", places));
    const mt_constraint *one = &mt_constraint_items(&world->constraints)[index];
    for (uint32_t k = 0; k < mt_constraint_kinds[one->kind].info.ends; k++)
        places[k] = mt_end_place(world, &one->ends[k]);
    return MOTE_OK;
}

static void read_one(const mote_world *world, uint32_t index, size_t to,
                     const mote_constraint_readings *readings)
{
    const mt_constraint *one = &mt_constraint_items(&world->constraints)[index];
    const mt_constraint_result *result = &mt_constraint_results(&world->constraints)[index];
    if (readings->measures != NULL)
        readings->measures[to] = mt_constraint_measure(world, one);
    if (readings->forces != NULL)
        readings->forces[to] = result->force;
    if (readings->lambdas != NULL)
        readings->lambdas[to] = result->lambda;
}

mote_result mote_constraints_read(const mote_world *world, const mote_constraint_id *ids, size_t count,
                                  const mote_constraint_readings *readings)
{
    MT_TRY(mt_check_pointer("world", world));
    MT_TRY(mt_check_pointer("readings", readings));
    if (count > 0)
        MT_TRY(mt_check_pointer("ids", ids));
    uint32_t index;
    for (size_t i = 0; i < count; i++)
        MT_TRY(mt_constraint_find(world, ids[i], &index));
    for (size_t i = 0; i < count; i++) {
        MT_TRY(mt_constraint_find(world, ids[i], &index));
        read_one(world, index, i, readings);
    }
    return MOTE_OK;
}

/* ---- residuals ------------------------------------------------------------------------------------------ */

double mt_constraints_residual(const mote_world *world, uint32_t kind)
{
    const mt_constraints *c = &world->constraints;
    double square = 0;
    uint32_t count = 0;
    for (uint32_t at = c->first; at != 0; at = mt_constraint_orders(c)[at - 1].next) {
        const mt_constraint *one = &mt_constraint_items(c)[at - 1];
        if (one->kind != kind)
            continue;
        double given_way =
            (double)one->values[MT_COMPLIANCE] * (double)mt_constraint_results(c)[at - 1].tension;
        double error = (double)mt_constraint_measure(world, one) - (double)one->values[MT_REST] - given_way;
        if (error > 0 || one->values[MT_ONE_SIDED] == 0)
            square += error * error;
        count++;
    }
    return count > 0 ? sqrt(square / (double)count) : 0;
}
