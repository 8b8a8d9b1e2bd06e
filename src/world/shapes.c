/* Shapes: definitions in, definitions out, and where a shape is during a step. */
#include "base/error.h"
#include "base/vec.h"
#include "world/check.h"
#include "world/pose_chain.h"
#include "world/world.h"

#define ALL_CHANNELS (MOTE_PHASE_CHANNEL_MASK >> MOTE_PHASE_CHANNEL_SHIFT)
#define MAX_SPIN     1e4f  /* rad/s */
#define MAX_SIZE     1e6f  /* m */
#define MAX_WAY      1e12f /* m, where a shape may have moved to by itself */

static const mote_quat NO_TURN = {0.0f, 0.0f, 0.0f, 1.0f};

mote_shape_def mote_default_shape_def(void)
{
    return (mote_shape_def){.type = MOTE_SHAPE_SPHERE,
                            .rotation = NO_TURN,
                            .radius = 0.5f,
                            .half_height = 0.5f,
                            .half_extents = {0.5f, 0.5f, 0.5f},
                            .channels = ALL_CHANNELS};
}

mote_plane_def mote_default_plane_def(void)
{
    return (mote_plane_def){.normal = {0.0f, 1.0f, 0.0f}, .channels = ALL_CHANNELS};
}

/* ---- checking ------------------------------------------------------------------------------------------ */

static mote_result check_form(const mote_shape_def *def)
{
    switch (def->type) {
    case MOTE_SHAPE_CAPSULE:
        MT_TRY(mt_check_range("shape.half_height", def->half_height, 0.0f, MAX_SIZE));
        return mt_check_positive("shape.radius", def->radius, MAX_SIZE);
    case MOTE_SHAPE_SPHERE:
        return mt_check_positive("shape.radius", def->radius, MAX_SIZE);
    case MOTE_SHAPE_BOX:
        MT_TRY(mt_check_positive("shape.half_extents.x", def->half_extents.x, MAX_SIZE));
        MT_TRY(mt_check_positive("shape.half_extents.y", def->half_extents.y, MAX_SIZE));
        return mt_check_positive("shape.half_extents.z", def->half_extents.z, MAX_SIZE);
    default:
        return MOTE_OK;
    }
}

static mote_result check_geometry(const mote_world *world, const mote_shape_def *def)
{
    uint32_t slot = mt_geometry_find(world, def->geometry);
    if (slot == MT_NO_SLOT)
        return mt_handle_refused(&world->geometries.handles, "shape.geometry", def->geometry.index,
                                 def->geometry.generation);
    uint32_t type = mt_geometries(world)[slot].type;
    if (def->inside && type != MOTE_GEOMETRY_HULL && type != MOTE_GEOMETRY_SDF)
        return mt_fail(MOTE_ERROR_ARGUMENT,
                       "shape.inside is not for a %s: particles stay on the side where they are",
                       type == MOTE_GEOMETRY_MESH ? "mesh" : "height field");
    return MOTE_OK;
}

static mote_result check_pose(mote_vec3 position, mote_quat rotation, mt_pose *pose)
{
    return mt_check_pose("shape", MT_NO_INDEX, "", (mote_pose){position, rotation}, pose);
}

/* The rotation that takes +Y to a unit vector, the shorter way. */
static mote_quat turn_from_up(mote_vec3 normal)
{
    mote_quat turn = {normal.z, 0.0f, -normal.x, 1.0f + normal.y};
    return mt_quat_square(turn) > 1e-10f ? mt_quat_unit(turn) : (mote_quat){1.0f, 0.0f, 0.0f, 0.0f};
}

static mote_result shape_from(const mote_world *world, const mote_shape_def *def, mt_shape *shape)
{
    MT_TRY(mt_check_pointer("def", def));
    MT_TRY(mt_check_count("shape.type", (uint32_t)def->type, 0, MOTE_SHAPE_COUNT - 1));
    MT_TRY(check_form(def));
    *shape = (mt_shape){.form = {(uint32_t)def->type, def->radius, def->half_height, def->half_extents},
                        .velocity = def->velocity,
                        .spin = def->spin,
                        .inside = def->inside,
                        .trigger = def->trigger,
                        .channels = def->channels};
    if (def->type == MOTE_SHAPE_GEOMETRY) {
        MT_TRY(check_geometry(world, def));
        shape->geometry = def->geometry;
    }
    if (def->type == MOTE_SHAPE_PLANE && def->inside)
        return mt_fail(MOTE_ERROR_ARGUMENT, "shape.inside is not for a plane: turn it round");
    MT_TRY(check_pose(def->position, def->rotation, &shape->pose));
    MT_TRY(mt_check_vec3("shape.velocity", def->velocity, MT_MAX_VELOCITY));
    MT_TRY(mt_check_vec3("shape.spin", def->spin, MAX_SPIN));
    MT_TRY(mt_check_count("shape.channels", def->channels, 0, ALL_CHANNELS));
    if (def->type == MOTE_SHAPE_PLANE) {
        shape->normal = mt_frame_of(shape->pose).y;
        shape->offset = mt_dot(shape->normal, shape->pose.position);
    }
    return mt_material_resolve(world, def->material, "shape.material", &shape->material);
}

static mote_result plane_from(const mote_world *world, const mote_plane_def *def, mt_shape *shape)
{
    MT_TRY(mt_check_pointer("def", def));
    MT_TRY(mt_check_vec3("plane.normal", def->normal, 1e6f));
    float length = mt_length(def->normal);
    if (length < 1e-6f)
        return mt_fail(MOTE_ERROR_ARGUMENT, "plane.normal has no length");
    MT_TRY(mt_check_range("plane.offset", def->offset, -MT_MAX_COORDINATE, MT_MAX_COORDINATE));
    MT_TRY(mt_check_vec3("plane.velocity", def->velocity, MT_MAX_VELOCITY));
    MT_TRY(mt_check_count("plane.channels", def->channels, 0, ALL_CHANNELS));
    mote_shape_def plain = mote_default_shape_def();
    *shape = (mt_shape){.form = {MOTE_SHAPE_PLANE, plain.radius, plain.half_height, plain.half_extents},
                        .normal = mt_scale(def->normal, 1.0f / length),
                        .offset = def->offset,
                        .velocity = def->velocity,
                        .channels = def->channels};
    shape->pose = (mt_pose){mt_scale(shape->normal, shape->offset), turn_from_up(shape->normal)};
    return mt_material_resolve(world, def->material, "plane.material", &shape->material);
}

static mote_result find_shape(const mote_world *world, mote_shape_id shape, uint32_t *slot)
{
    *slot = mt_handles_find(&world->shapes.handles, shape.index, shape.generation);
    if (*slot == MT_NO_SLOT)
        return mt_handle_refused(&world->shapes.handles, "shape handle", shape.index, shape.generation);
    return MOTE_OK;
}

/* ---- adding and changing ------------------------------------------------------------------------------- */

static void count_user(mote_world *world, mote_geometry_id geometry, int change)
{
    uint32_t slot = mt_geometry_find(world, geometry);
    if (slot != MT_NO_SLOT)
        mt_geometries(world)[slot].users += (uint32_t)change;
}

static mote_result add_shape(mote_world *world, const mt_shape *made, mote_shape_id *id)
{
    mt_handle handle;
    MT_TRY(mt_table_add(world, MT_SHAPES, &handle));
    *id = (mote_shape_id){handle.index, handle.generation};
    mt_shape *shape = &mt_shapes(world)[world->shapes.count - 1];
    *shape = *made;
    shape->id = *id;
    shape->kinematic = mt_shape_moves(shape);
    count_user(world, shape->geometry, 1);
    world->shape_edits++;
    return mote_world_wake(world);
}

static mote_result replace_shape(mote_world *world, uint32_t slot, const mt_shape *made)
{
    mt_shape *shape = &mt_shapes(world)[slot];
    mote_shape_id id = shape->id;
    mote_vec3 force = shape->force;
    count_user(world, shape->geometry, -1);
    count_user(world, made->geometry, 1);
    *shape = *made;
    shape->id = id;
    shape->force = force;
    shape->kinematic = mt_shape_moves(shape);
    world->shape_edits++;
    return mote_world_wake(world);
}

static mote_result add_any(mote_world *world, const mote_shape_def *def, mote_shape_id *id)
{
    MT_TRY(mt_enter(world, "mote_shape_add"));
    mt_shape shape;
    MT_TRY(shape_from(world, def, &shape));
    return add_shape(world, &shape, id);
}

mote_shape_id mote_shape_add(mote_world *world, const mote_shape_def *def)
{
    mote_shape_id id = {0, 0};
    return add_any(world, def, &id) == MOTE_OK ? id : (mote_shape_id){0, 0};
}

mote_result mote_shape_get(const mote_world *world, mote_shape_id shape, mote_shape_def *def)
{
    MT_TRY(mt_check_pointer("world", world));
    MT_TRY(mt_check_pointer("def", def));
    uint32_t slot;
    MT_TRY(find_shape(world, shape, &slot));
    const mt_shape *s = &mt_shapes(world)[slot];
    *def = (mote_shape_def){.type = (mote_shape_type)s->form.type,
                            .position = s->pose.position,
                            .rotation = s->pose.rotation,
                            .radius = s->form.radius,
                            .half_height = s->form.half_height,
                            .half_extents = s->form.half_extents,
                            .geometry = s->geometry,
                            .inside = s->inside != 0,
                            .trigger = s->trigger != 0,
                            .velocity = s->velocity,
                            .spin = s->spin,
                            .material = mote_material_at(world, s->material),
                            .channels = s->channels};
    return MOTE_OK;
}

mote_result mote_shape_set(mote_world *world, mote_shape_id shape, const mote_shape_def *def)
{
    MT_TRY(mt_enter(world, "mote_shape_set"));
    uint32_t slot;
    MT_TRY(find_shape(world, shape, &slot));
    mt_shape made;
    MT_TRY(shape_from(world, def, &made));
    return replace_shape(world, slot, &made);
}

mote_result mote_shape_move_to(mote_world *world, mote_shape_id shape, mote_vec3 position, mote_quat rotation)
{
    MT_TRY(mt_enter(world, "mote_shape_move_to"));
    uint32_t slot;
    MT_TRY(find_shape(world, shape, &slot));
    mt_pose target;
    MT_TRY(check_pose(position, rotation, &target));
    mt_shape *s = &mt_shapes(world)[slot];
    world->shape_edits += !s->kinematic; /* it leaves the tree of those that stand still */
    s->target = target;
    s->has_target = s->kinematic = 1;
    s->velocity = s->spin = (mote_vec3){0.0f, 0.0f, 0.0f};
    return MOTE_OK;
}

mote_result mote_shape_remove(mote_world *world, mote_shape_id shape)
{
    MT_TRY(mt_enter(world, "mote_shape_remove"));
    uint32_t slot;
    MT_TRY(find_shape(world, shape, &slot));
    count_user(world, mt_shapes(world)[slot].geometry, -1);
    mt_constraints_release(world, MOTE_END_SHAPE, shape.index);
    mt_table_remove(&world->shapes, slot);
    world->shape_edits++;
    return mote_world_wake(world);
}

/* ---- planes -------------------------------------------------------------------------------------------- */

static mote_result add_plane(mote_world *world, const mote_plane_def *def, mote_shape_id *id)
{
    MT_TRY(mt_enter(world, "mote_plane_add"));
    mt_shape plane;
    MT_TRY(plane_from(world, def, &plane));
    return add_shape(world, &plane, id);
}

mote_shape_id mote_plane_add(mote_world *world, const mote_plane_def *def)
{
    mote_shape_id id = {0, 0};
    return add_plane(world, def, &id) == MOTE_OK ? id : (mote_shape_id){0, 0};
}

static mote_result find_plane(const mote_world *world, mote_shape_id shape, uint32_t *slot)
{
    MT_TRY(find_shape(world, shape, slot));
    if (mt_shapes(world)[*slot].form.type != MOTE_SHAPE_PLANE)
        return mt_fail(MOTE_ERROR_ARGUMENT, "shape %u is not a plane", shape.index);
    return MOTE_OK;
}

mote_result mote_plane_get(const mote_world *world, mote_shape_id shape, mote_plane_def *def)
{
    MT_TRY(mt_check_pointer("world", world));
    MT_TRY(mt_check_pointer("def", def));
    uint32_t slot;
    MT_TRY(find_plane(world, shape, &slot));
    const mt_shape *s = &mt_shapes(world)[slot];
    *def =
        (mote_plane_def){s->normal, s->offset, s->velocity, mote_material_at(world, s->material), s->channels};
    return MOTE_OK;
}

mote_result mote_plane_set(mote_world *world, mote_shape_id shape, const mote_plane_def *def)
{
    MT_TRY(mt_enter(world, "mote_plane_set"));
    uint32_t slot;
    MT_TRY(find_plane(world, shape, &slot));
    mt_shape plane;
    MT_TRY(plane_from(world, def, &plane));
    return replace_shape(world, slot, &plane);
}

/* ---- asking -------------------------------------------------------------------------------------------- */

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

static bool is_near_1(float square)
{
    return square > 0.98f && square < 1.02f;
}

static bool is_within(mote_vec3 v, float limit)
{
    return fabsf(v.x) <= limit && fabsf(v.y) <= limit && fabsf(v.z) <= limit;
}

static bool is_pose(const mt_pose *pose)
{
    return is_within(pose->position, MAX_WAY) && is_near_1(mt_quat_square(pose->rotation));
}

/* Only of a plane is there a normal. */
static bool normal_fits(const mt_shape *s)
{
    return s->form.type != MOTE_SHAPE_PLANE ||
           (is_near_1(mt_dot(s->normal, s->normal)) && fabsf(s->offset) <= MAX_WAY && s->inside == 0);
}

static bool motion_fits(const mt_shape *s)
{
    return is_within(s->velocity, MT_MAX_VELOCITY) && is_within(s->spin, MAX_SPIN) && s->has_target <= 1 &&
           s->kinematic <= 1 && (!s->has_target || is_pose(&s->target)) && (s->kinematic || !mt_shape_moves(s));
}

bool mt_shape_fits(const mt_shape *s)
{
    mote_shape_def def = {.type = (mote_shape_type)s->form.type,
                          .radius = s->form.radius,
                          .half_height = s->form.half_height,
                          .half_extents = s->form.half_extents};
    return s->form.type < MOTE_SHAPE_COUNT && check_form(&def) == MOTE_OK && is_pose(&s->pose) &&
           motion_fits(s) && normal_fits(s) && mt_is_finite3(s->force) && s->inside <= 1 && s->trigger <= 1 &&
           s->channels <= ALL_CHANNELS;
}

/* ---- during a step ------------------------------------------------------------------------------------- */

static bool is_zero(mote_vec3 v)
{
    return v.x == 0 && v.y == 0 && v.z == 0;
}

bool mt_shape_moves(const mt_shape *shape)
{
    return shape->has_target || !is_zero(shape->velocity) || !is_zero(shape->spin);
}

mt_pose mt_shape_pose(const mt_shape *shape, float part, float dt)
{
    if (shape->has_target)
        return part < 1 ? mt_pose_between(shape->pose, shape->target, part) : shape->target;
    mt_pose pose = shape->pose;
    float time = part * dt;
    pose.position = mt_add(pose.position, mt_scale(shape->velocity, time));
    if (!is_zero(shape->spin))
        pose.rotation = mt_quat_unit(mt_quat_times(mt_quat_of_spin(shape->spin, time), pose.rotation));
    return pose;
}
