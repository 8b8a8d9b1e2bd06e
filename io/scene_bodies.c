/* Bodies and joints of a scene, as the library makes them. */
#include "io/scene_file.h"

#include "io/scene_math.h"

#include <stdlib.h>
#include <string.h>

#define RADIANS (3.14159265358979323846 / 180.0)

static mote_rigid_def rigid_def(const scene_description *d, const scene_body *body, const mote_world *world)
{
    mote_rigid_def def = mote_default_rigid_def();
    def.velocity = body->velocity;
    def.spin = body->spin;
    def.radius = scene_radius(d, &body->matter);
    if (body->spacing > 0.0f)
        def.spacing = body->spacing;
    def.mass = body->mass;
    def.material = scene_material_id(d, world, body->matter.material);
    def.phase = scene_phase(&body->matter);
    def.mode = (mote_body_mode)body->mode;
    return def;
}

static mote_body_id add_whole(const scene_body *body, const mote_rigid_def *def, mote_world *world)
{
    mote_mesh mesh = mesh_file_view(&body->mesh);
    switch ((scene_body_type)body->type) {
    case SCENE_BODY_BOX:
        return mote_rigid_box(world, def, body->count);
    case SCENE_BODY_CAPSULE:
        return mote_rigid_capsule(world, def, body->half_length,
                                  body->thickness > 0.0f ? body->thickness : def->radius);
    case SCENE_BODY_BALL:
        return mote_rigid_ball(world, def, body->size);
    case SCENE_BODY_MESH:
        return mote_rigid_mesh(world, def, &mesh, (mote_sample_method)body->method);
    case SCENE_BODY_POINTS:
        return mote_rigid_points(world, def, mesh.vertices, mesh.vertex_count);
    }
    return (mote_body_id){0, 0};
}

/* ---- pieces --------------------------------------------------------------------------------------------- */

static bool box_points(const scene_body *body, float spacing, scene_points *points)
{
    points->count = (size_t)body->count[0] * body->count[1] * body->count[2];
    points->items = malloc((points->count + 1) * sizeof *points->items);
    for (size_t i = 0; points->items != NULL && i < points->count; i++) {
        size_t x = i % body->count[0], y = i / body->count[0] % body->count[1],
               z = i / ((size_t)body->count[0] * body->count[1]);
        points->items[i] = (mote_vec3){spacing * ((float)x - 0.5f * (float)(body->count[0] - 1)),
                                       spacing * ((float)y - 0.5f * (float)(body->count[1] - 1)),
                                       spacing * ((float)z - 0.5f * (float)(body->count[2] - 1))};
    }
    return points->items != NULL;
}

static bool mesh_points(const scene_body *body, float spacing, scene_points *points)
{
    mote_mesh mesh = mesh_file_view(&body->mesh);
    mote_sample_def def = mote_default_sample_def();
    def.spacing = spacing;
    def.method = (mote_sample_method)body->method;
    points->count = body->sampled;
    points->items = malloc((points->count + 1) * sizeof *points->items);
    return points->items != NULL &&
           mote_mesh_sample(&mesh, &def, points->items, points->count, &points->count) == MOTE_OK;
}

static bool given_points(const scene_body *body, scene_points *points)
{
    points->count = body->mesh.vertex_count;
    points->items = malloc((points->count + 1) * sizeof *points->items);
    if (points->items != NULL && points->count > 0)
        memcpy(points->items, body->mesh.vertices, points->count * sizeof *points->items);
    return points->items != NULL;
}

/* The library cuts points; those of all copies are the same. */
static bool find_points(const scene_body *body, float spacing, scene_points *points)
{
    if (body->type == SCENE_BODY_BOX)
        return box_points(body, spacing, points);
    return body->type == SCENE_BODY_MESH ? mesh_points(body, spacing, points) : given_points(body, points);
}

static mote_pieces_def pieces_def(const scene_pieces *pieces)
{
    mote_pieces_def def = mote_default_pieces_def();
    def.size = pieces->size;
    if (pieces->strength > 0.0f)
        def.strength = pieces->strength;
    if (pieces->yield > 0.0f)
        def.yield = pieces->yield;
    if (scene_given(&SCENE_PIECES, pieces, "bend_limit"))
        def.bend_limit = (float)(pieces->bend_limit * RADIANS);
    def.seed = pieces->seed;
    return def;
}

static mote_result add_pieces(const scene_body *body, mote_rigid_def def, size_t copies, mote_world *world)
{
    scene_points points = {0};
    float spacing = def.spacing > 0.0f ? def.spacing : 2.0f * def.radius;
    mote_pieces_def pieces = pieces_def(&body->pieces);
    mote_result result = find_points(body, spacing, &points) ? MOTE_OK : MOTE_ERROR_MEMORY;
    for (size_t i = 0; i < copies && result == MOTE_OK; i++) {
        size_t count;
        def.pose = scene_repeat_pose(&body->repeat, (mote_pose){body->position, body->rotation.quat}, i);
        result = mote_pieces_add(world, &def, &pieces, points.items, points.count, NULL, 0, &count);
    }
    free(points.items);
    return result;
}

/* ---- entries -------------------------------------------------------------------------------------------- */

mote_result scene_add_body(scene_file *file, scene_body *body, mote_world *world)
{
    mote_rigid_def def = rigid_def(&file->description, body, world);
    mote_pose base = scene_motion_pose(&body->motion, body->position, &body->rotation, 0.0);
    size_t copies = scene_repeat_count(&body->repeat), before = mote_particle_count(world);
    mote_result result = MOTE_OK;
    if (body->pieces.item.node != NULL)
        result = add_pieces(body, def, copies, world);
    for (size_t i = 0; i < copies && body->pieces.item.node == NULL && result == MOTE_OK; i++) {
        def.pose = scene_repeat_pose(&body->repeat, base, i);
        mote_body_id id = add_whole(body, &def, world);
        file->body_ids[body->first + i] = id;
        if (mote_is_null(id))
            result = mote_last_result();
    }
    body->particles = mote_particle_count(world) - before;
    return result;
}

/* Null is the world. The names were checked when the scene was read. */
static mote_body_id body_of(const scene_file *file, const char *name)
{
    size_t copy;
    if (name == NULL)
        return (mote_body_id){0, 0};
    const scene_body *body =
        strcmp(name, "world") != 0 ? scene_find_body(&file->description, name, &copy) : NULL;
    return body != NULL ? file->body_ids[body->first + copy] : (mote_body_id){0, 0};
}

mote_result scene_add_joint(const scene_file *file, scene_joint *joint, mote_world *world)
{
    size_t before = mote_particle_count(world);
    mote_joint_def def = mote_default_joint_def();
    def.type = (mote_joint_type)joint->type;
    def.a = body_of(file, joint->a);
    def.b = body_of(file, joint->b);
    def.anchor = joint->anchor;
    def.axis = joint->axis;
    def.second_axis = joint->second_axis;
    def.size = joint->size;
    if (joint->radius > 0.0f)
        def.radius = joint->radius;
    def.min_angle = (float)(joint->min_angle * RADIANS);
    def.max_angle = (float)(joint->max_angle * RADIANS);
    def.swing_limit = (float)(joint->swing_limit * RADIANS);
    def.twist_limit = (float)(joint->twist_limit * RADIANS);
    def.damping = joint->damping;
    def.collide = joint->collide;
    if (joint->break_force > 0.0f)
        def.break_force = joint->break_force;
    if (joint->break_torque > 0.0f)
        def.break_torque = joint->break_torque;
    if (joint->yield_torque > 0.0f)
        def.yield_torque = joint->yield_torque;
    if (scene_given(&SCENE_JOINTS, joint, "bend_limit"))
        def.bend_limit = (float)(joint->bend_limit * RADIANS);
    mote_joint_id id = mote_joint_add(world, &def);
    joint->particles = mote_particle_count(world) - before;
    return mote_is_null(id) ? mote_last_result() : MOTE_OK;
}
