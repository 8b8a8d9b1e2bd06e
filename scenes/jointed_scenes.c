/* Falling objects of two bodies each, as scenes: the objects come from jointed_objects.c, each kind in a colour
 * of its own; ground, gravity and solver are in the scene files. */
#include "builders.h"
#include "jointed_objects.h"

#define DEFAULT_OBJECTS 400

/* In the order of jointed_kind. */
static const char *const KIND_MATERIALS[JOINTED_KIND_COUNT] = {"knees", "balls", "stiff", "universal",
                                                               "hinges"};

static mote_result add_object(const scene_description *d, mote_world *world, jointed_object_def object)
{
    mote_body_id bodies[JOINTED_MAX_BODIES];
    uint32_t count;
    object.material = scene_material_id(d, world, KIND_MATERIALS[object.kind]);
    return jointed_object_add(world, &object, bodies, &count);
}

static mote_result add_block(const scene_description *d, mote_world *world, jointed_block block)
{
    const uint32_t count[3] = {block.side, block.side, block.side};
    mote_rigid_def def = mote_default_rigid_def();
    def.pose.position = block.center;
    def.radius = JOINTED_RADIUS;
    def.mass = (float)(block.side * block.side * block.side);
    def.material = scene_material_id(d, world, "blocks");
    return mote_is_null(mote_rigid_box(world, &def, count)) ? mote_last_result() : MOTE_OK;
}

static uint32_t object_count(const scene_description *d)
{
    return d->objects > 0 ? d->objects : DEFAULT_OBJECTS;
}

uint32_t jointed_pile_count(const scene_description *d)
{
    return jointed_pile_particles(object_count(d));
}

mote_result jointed_pile_scene_build(const scene_description *d, mote_world *world)
{
    mote_result result = MOTE_OK;
    for (uint32_t i = 0; i < JOINTED_PILE_BLOCKS && result == MOTE_OK; i++)
        result = add_block(d, world, jointed_pile_block(i));
    for (uint32_t i = 0; i < object_count(d) && result == MOTE_OK; i++)
        result = add_object(d, world, jointed_pile_object(i));
    return result;
}

uint32_t pairs_540_count(const scene_description *d)
{
    (void)d;
    return pairs_540_particles();
}

mote_result pairs_540_scene_build(const scene_description *d, mote_world *world)
{
    mote_result result = MOTE_OK;
    for (uint32_t i = 0; i < PAIRS_540_OBJECTS && result == MOTE_OK; i++)
        result = add_object(d, world, pairs_540_object(i));
    return result;
}
