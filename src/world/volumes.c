/* Volumes: boxes that notice or remove particles. What they do is in step/finish. */
#include "base/error.h"
#include "world/check.h"
#include "world/world.h"

mote_volume_def mote_default_volume_def(void)
{
    return (mote_volume_def){MOTE_VOLUME_TRIGGER, {-1.0f, -1.0f, -1.0f}, {1.0f, 1.0f, 1.0f}};
}

mote_result mt_volume_check(const mote_volume_def *def)
{
    MT_TRY(mt_check_pointer("def", def));
    MT_TRY(mt_check_count("volume.type", (uint32_t)def->type, 0, MOTE_VOLUME_COUNT - 1));
    MT_TRY(mt_check_vec3("volume.min", def->min, 1e9f));
    MT_TRY(mt_check_vec3("volume.max", def->max, 1e9f));
    if (def->min.x >= def->max.x || def->min.y >= def->max.y || def->min.z >= def->max.z)
        return mt_fail(MOTE_ERROR_ARGUMENT, "volume.min must be below volume.max on every axis");
    return MOTE_OK;
}

static mote_result find_volume(const mote_world *world, mote_volume_id volume, uint32_t *slot)
{
    *slot = mt_handles_find(&world->volumes.handles, volume.index, volume.generation);
    if (*slot == MT_NO_SLOT)
        return mt_handle_refused(&world->volumes.handles, "volume handle", volume.index, volume.generation);
    return MOTE_OK;
}

static mote_result add_volume(mote_world *world, const mote_volume_def *def, mote_volume_id *id)
{
    MT_TRY(mt_enter(world, "mote_volume_add"));
    MT_TRY(mt_volume_check(def));
    mt_handle handle;
    MT_TRY(mt_table_add(world, MT_VOLUMES, &handle));
    *id = (mote_volume_id){handle.index, handle.generation};
    mt_volumes(world)[world->volumes.count - 1] = (mt_volume){*id, *def};
    return MOTE_OK;
}

mote_volume_id mote_volume_add(mote_world *world, const mote_volume_def *def)
{
    mote_volume_id id = {0, 0};
    return add_volume(world, def, &id) == MOTE_OK ? id : (mote_volume_id){0, 0};
}

mote_result mote_volume_get(const mote_world *world, mote_volume_id volume, mote_volume_def *def)
{
    MT_TRY(mt_check_pointer("world", world));
    MT_TRY(mt_check_pointer("def", def));
    uint32_t slot;
    MT_TRY(find_volume(world, volume, &slot));
    *def = mt_volumes(world)[slot].def;
    return MOTE_OK;
}

mote_result mote_volume_remove(mote_world *world, mote_volume_id volume)
{
    MT_TRY(mt_enter(world, "mote_volume_remove"));
    uint32_t slot;
    MT_TRY(find_volume(world, volume, &slot));
    mt_table_remove(&world->volumes, slot);
    return MOTE_OK;
}

bool mote_volume_is_valid(const mote_world *world, mote_volume_id volume)
{
    return world != NULL &&
           mt_handles_find(&world->volumes.handles, volume.index, volume.generation) != MT_NO_SLOT;
}
