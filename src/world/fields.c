/* Fields: the table of forces that depend on place and motion. What they do is in step/predict. */
#include "base/error.h"
#include "base/vec.h"
#include "world/check.h"
#include "world/world.h"

mote_field_def mote_default_field_def(void)
{
    return (mote_field_def){
        .type = MOTE_FIELD_ACCELERATION,
        .direction = {0.0f, 1.0f, 0.0f},
        .strength = 1.0f,
        .group = MOTE_FIELD_ALL_GROUPS,
    };
}

uint32_t mote_field_traits(mote_field_type type)
{
    static const uint32_t traits_of[] = {
#define FIELD(NAME, name, traits) traits,
        MOTE_FIELD_TYPES(FIELD)
#undef FIELD
    };
    return (unsigned)type < MOTE_FIELD_COUNT ? traits_of[type] : 0;
}

mote_result mt_field_check(const mote_field_def *def)
{
    MT_TRY(mt_check_pointer("def", def));
    MT_TRY(mt_check_count("field.type", (uint32_t)def->type, 0, MOTE_FIELD_COUNT - 1));
    MT_TRY(mt_check_vec3("field.center", def->center, MT_MAX_COORDINATE));
    MT_TRY(mt_check_vec3("field.direction", def->direction, 1e6f));
    uint32_t traits = mote_field_traits(def->type);
    MT_TRY(mt_check_range("field.strength", def->strength, (traits & MOTE_FIELD_IS_RATE) != 0 ? 0.0f : -1e6f,
                          1e6f));
    MT_TRY(mt_check_range("field.radius", def->radius, 0.0f, 1e9f));
    if ((traits & MOTE_FIELD_HAS_AXIS) != 0 && mt_length(def->direction) < 1e-6f)
        return mt_fail(MOTE_ERROR_ARGUMENT, "field.direction has no length, and the field needs an axis");
    if (def->group != MOTE_FIELD_ALL_GROUPS)
        MT_TRY(mt_check_count("field.group", def->group, 0, MOTE_PHASE_GROUP_MASK));
    return MOTE_OK;
}

static mote_result find_field(const mote_world *world, mote_field_id field, uint32_t *slot)
{
    *slot = mt_handles_find(&world->fields.handles, field.index, field.generation);
    if (*slot == MT_NO_SLOT)
        return mt_handle_refused(&world->fields.handles, "field handle", field.index, field.generation);
    return MOTE_OK;
}

static mote_result add_field(mote_world *world, const mote_field_def *def, mote_field_id *id)
{
    MT_TRY(mt_enter(world, "mote_field_add"));
    MT_TRY(mt_field_check(def));
    mt_handle handle;
    MT_TRY(mt_table_add(world, MT_FIELDS, &handle));
    *id = (mote_field_id){handle.index, handle.generation};
    mt_fields(world)[world->fields.count - 1] = (mt_field){*id, *def};
    return mote_world_wake(world);
}

mote_field_id mote_field_add(mote_world *world, const mote_field_def *def)
{
    mote_field_id id = {0, 0};
    return add_field(world, def, &id) == MOTE_OK ? id : (mote_field_id){0, 0};
}

mote_result mote_field_get(const mote_world *world, mote_field_id field, mote_field_def *def)
{
    MT_TRY(mt_check_pointer("world", world));
    MT_TRY(mt_check_pointer("def", def));
    uint32_t slot;
    MT_TRY(find_field(world, field, &slot));
    *def = mt_fields(world)[slot].def;
    return MOTE_OK;
}

mote_result mote_field_set(mote_world *world, mote_field_id field, const mote_field_def *def)
{
    MT_TRY(mt_enter(world, "mote_field_set"));
    uint32_t slot;
    MT_TRY(find_field(world, field, &slot));
    MT_TRY(mt_field_check(def));
    mt_fields(world)[slot].def = *def;
    return mote_world_wake(world);
}

mote_result mote_field_remove(mote_world *world, mote_field_id field)
{
    MT_TRY(mt_enter(world, "mote_field_remove"));
    uint32_t slot;
    MT_TRY(find_field(world, field, &slot));
    mt_table_remove(&world->fields, slot);
    return mote_world_wake(world);
}

bool mote_field_is_valid(const mote_world *world, mote_field_id field)
{
    return world != NULL &&
           mt_handles_find(&world->fields.handles, field.index, field.generation) != MT_NO_SLOT;
}
