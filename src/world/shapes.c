/* Shapes: planes so far. */
#include "base/error.h"
#include "base/vec.h"
#include "world/check.h"
#include "world/world.h"

#define ALL_CHANNELS (MOTE_PHASE_CHANNEL_MASK >> MOTE_PHASE_CHANNEL_SHIFT)

mote_plane_def mote_default_plane_def(void)
{
    return (mote_plane_def){.normal = {0.0f, 1.0f, 0.0f}, .channels = ALL_CHANNELS};
}

static mote_result plane_from(const mote_world *world, const mote_plane_def *def, mt_plane *plane)
{
    MT_TRY(mt_check_pointer("def", def));
    MT_TRY(mt_check_vec3("plane.normal", def->normal, 1e6f));
    float length = mt_length(def->normal);
    if (length < 1e-6f)
        return mt_fail(MOTE_ERROR_ARGUMENT, "plane.normal has no length");
    MT_TRY(mt_check_range("plane.offset", def->offset, -MT_MAX_COORDINATE, MT_MAX_COORDINATE));
    MT_TRY(mt_check_vec3("plane.velocity", def->velocity, MT_MAX_VELOCITY));
    MT_TRY(mt_check_count("plane.channels", def->channels, 0, ALL_CHANNELS));
    MT_TRY(mt_material_resolve(world, def->material, "plane.material", &plane->material));
    plane->normal = mt_scale(def->normal, 1.0f / length);
    plane->offset = def->offset;
    plane->velocity = def->velocity;
    plane->channels = def->channels;
    return MOTE_OK;
}

static mote_result find_shape(const mote_world *world, mote_shape_id shape, uint32_t *slot)
{
    *slot = mt_handles_find(&world->shapes.handles, shape.index, shape.generation);
    if (*slot == MT_NO_SLOT)
        return mt_fail(MOTE_ERROR_STALE_HANDLE, "shape handle %u (generation %u) is null or stale", shape.index,
                       shape.generation);
    return MOTE_OK;
}

static mote_result add_plane(mote_world *world, const mote_plane_def *def, mote_shape_id *id)
{
    MT_TRY(mt_enter(world, "mote_plane_add"));
    mt_plane plane;
    MT_TRY(plane_from(world, def, &plane));
    mt_handle handle;
    MT_TRY(mt_table_add(&world->shapes, &world->memory, MT_MAX_SHAPES, "shapes", &handle));
    *id = (mote_shape_id){handle.index, handle.generation};
    mt_shapes(world)[world->shapes.count - 1] = (mt_shape){.id = *id, .plane = plane};
    return mote_world_wake(world);
}

mote_shape_id mote_plane_add(mote_world *world, const mote_plane_def *def)
{
    mote_shape_id id = {0, 0};
    return add_plane(world, def, &id) == MOTE_OK ? id : (mote_shape_id){0, 0};
}

mote_result mote_plane_get(const mote_world *world, mote_shape_id shape, mote_plane_def *def)
{
    MT_TRY(mt_check_pointer("world", world));
    MT_TRY(mt_check_pointer("def", def));
    uint32_t slot;
    MT_TRY(find_shape(world, shape, &slot));
    const mt_plane *plane = &mt_shapes(world)[slot].plane;
    *def = (mote_plane_def){plane->normal, plane->offset, plane->velocity,
                            mote_material_at(world, plane->material), plane->channels};
    return MOTE_OK;
}

mote_result mote_plane_set(mote_world *world, mote_shape_id shape, const mote_plane_def *def)
{
    MT_TRY(mt_enter(world, "mote_plane_set"));
    uint32_t slot;
    MT_TRY(find_shape(world, shape, &slot));
    mt_plane plane;
    MT_TRY(plane_from(world, def, &plane));
    mt_shapes(world)[slot].plane = plane;
    return mote_world_wake(world);
}

mote_result mote_shape_remove(mote_world *world, mote_shape_id shape)
{
    MT_TRY(mt_enter(world, "mote_shape_remove"));
    uint32_t slot;
    MT_TRY(find_shape(world, shape, &slot));
    mt_table_remove(&world->shapes, slot, offsetof(mt_shape, id));
    return mote_world_wake(world);
}

bool mote_shape_is_valid(const mote_world *world, mote_shape_id shape)
{
    return world != NULL &&
           mt_handles_find(&world->shapes.handles, shape.index, shape.generation) != MT_NO_SLOT;
}

uint32_t mote_shape_count(const mote_world *world)
{
    return world != NULL ? world->shapes.count : 0;
}

uint32_t mote_shape_list(const mote_world *world, mote_shape_id *ids, uint32_t capacity)
{
    uint32_t count = mote_shape_count(world);
    for (uint32_t i = 0; ids != NULL && i < count && i < capacity; i++)
        ids[i] = mt_shapes(world)[i].id;
    return count;
}

mote_result mote_shape_force(const mote_world *world, mote_shape_id shape, mote_vec3 *force)
{
    MT_TRY(mt_check_pointer("world", world));
    MT_TRY(mt_check_pointer("force", force));
    uint32_t slot;
    MT_TRY(find_shape(world, shape, &slot));
    *force = mt_shapes(world)[slot].force;
    return MOTE_OK;
}
