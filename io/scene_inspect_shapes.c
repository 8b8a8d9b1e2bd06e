/* Particles inside shapes: how deep a ball is in a simple one, and which are in a geometry. */
#include "io/scene_inspect.h"

#include "io/scene_math.h"

#include <math.h>

static double box_distance(mote_vec3 p, mote_vec3 half)
{
    double x = fabs((double)p.x) - half.x, y = fabs((double)p.y) - half.y, z = fabs((double)p.z) - half.z;
    double outside =
        sqrt(fmax(x, 0.0) * fmax(x, 0.0) + fmax(y, 0.0) * fmax(y, 0.0) + fmax(z, 0.0) * fmax(z, 0.0));
    return outside + fmin(fmax(x, fmax(y, z)), 0.0);
}

static double capsule_distance(mote_vec3 p, double half_height, double radius)
{
    double y = fmax(fabs((double)p.y) - half_height, 0.0);
    return sqrt((double)p.x * p.x + y * y + (double)p.z * p.z) - radius;
}

/* How deep a ball is in a shape, m; 0 or less if it is not, or if the shape is a geometry. */
static float ball_depth(const mote_shape_def *shape, mote_vec3 center, float radius)
{
    mote_vec3 way = {center.x - shape->position.x, center.y - shape->position.y, center.z - shape->position.z};
    mote_quat q = shape->rotation;
    mote_vec3 p = scene_rotate((mote_quat){-q.x, -q.y, -q.z, q.w}, way);
    double distance = INFINITY;
    if (shape->type == MOTE_SHAPE_PLANE)
        distance = p.y;
    else if (shape->type == MOTE_SHAPE_SPHERE)
        distance = scene_length(p) - (double)shape->radius;
    else if (shape->type == MOTE_SHAPE_BOX)
        distance = box_distance(p, shape->half_extents);
    else if (shape->type == MOTE_SHAPE_CAPSULE)
        distance = capsule_distance(p, shape->half_height, shape->radius);
    else
        return 0.0f;
    return radius - (float)(shape->inside ? -distance : distance);
}

/* How deep the particle is in the shape, as far as they see each other. */
static float depth_of(const mote_particles_view *view, size_t i, const mote_shape_def *shape)
{
    mote_vec4 p = view->position[i];
    uint32_t channels = (view->phase[i] & MOTE_PHASE_CHANNEL_MASK) >> MOTE_PHASE_CHANNEL_SHIFT;
    if (shape->trigger || view->velocity[i].w == 0.0f || (channels & shape->channels) == 0)
        return 0.0f;
    return ball_depth(shape, (mote_vec3){p.x, p.y, p.z}, p.w);
}

scene_inside scene_find_in_shape(const mote_world *world, scene_search search, const mote_shape_def *shape)
{
    mote_particles_view view = mote_particles_get_view(world);
    scene_inside inside = {0};
    for (size_t i = search.begin; i < search.end; i++) {
        float depth = depth_of(&view, i, shape);
        if (depth > search.deep * view.position[i].w && inside.count++ == 0) {
            inside.first = i;
            inside.depth = depth;
        }
    }
    return inside;
}

/* ---- geometries ----------------------------------------------------------------------------------------- */

#define MOST_AT_ONCE 64 /* shapes that one particle is in */

static void note_shapes(const scene_file *file, const mote_overlap_result *found, size_t particle,
                        scene_inside *inside)
{
    const scene_shape *shapes = file->description.shapes.items;
    size_t count = found->shape_count < MOST_AT_ONCE ? found->shape_count : MOST_AT_ONCE;
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < file->description.shapes.count; i++)
            if (file->shape_ids[i].index == found->shapes[k].index && shapes[i].type >= SCENE_HULL &&
                inside[i].count++ == 0)
                inside[i].first = particle;
}

static bool has_geometries(const scene_description *d)
{
    const scene_shape *shapes = d->shapes.items;
    for (size_t i = 0; i < d->shapes.count; i++)
        if (shapes[i].type >= SCENE_HULL)
            return true;
    return false;
}

/* The library answers for one ball at a time and looks at all particles meanwhile, so it is asked in a world
 * that has the same shapes and no particles. */
bool scene_find_in_geometries(scene_file *file, const mote_world *world, scene_search search,
                              scene_inside *inside)
{
    if (!has_geometries(&file->description) || search.begin == search.end)
        return true;
    mote_world_def def = scene_world_def(file);
    def.thread_count = 1;
    mote_world *empty = NULL;
    mote_result result = mote_world_create(&def, &empty);
    if (result == MOTE_OK)
        result = scene_build_surroundings(file, empty);
    mote_particles_view view = mote_particles_get_view(world);
    for (size_t i = search.begin; i < search.end && result == MOTE_OK; i++) {
        if (view.velocity[i].w == 0.0f)
            continue;
        mote_shape_id ids[MOST_AT_ONCE];
        mote_overlap_result found = {.shapes = ids, .shape_capacity = MOST_AT_ONCE};
        mote_query_filter filter = mote_default_query_filter();
        filter.particles = false;
        filter.channels = (view.phase[i] & MOTE_PHASE_CHANNEL_MASK) >> MOTE_PHASE_CHANNEL_SHIFT;
        mote_vec4 p = view.position[i];
        result =
            mote_overlap_sphere(empty, (mote_vec3){p.x, p.y, p.z}, (1.0f - search.deep) * p.w, &filter, &found);
        note_shapes(file, &found, i, inside);
    }
    mote_world_destroy(empty);
    return result == MOTE_OK;
}
