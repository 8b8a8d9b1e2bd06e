/* The world of a scene file: materials, shapes, fields and volumes, then particles. */
#include "io/scene_file.h"

#include "io/scene_math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOTE_TRY(call)                                                                                         \
    do {                                                                                                       \
        mote_result try_result = (call);                                                                       \
        if (try_result != MOTE_OK)                                                                             \
            return try_result;                                                                                 \
    } while (0)

float scene_frame_seconds(const scene_description *d)
{
    return d->dt > 0.0 ? (float)d->dt : 1.0f / (float)d->fps;
}

mote_world_def scene_world_def(const scene_file *file)
{
    const scene_description *d = &file->description;
    mote_world_def def = mote_default_world_def();
    /* All worlds of a file have one number: its ids are those of the last one built, and are asked in the others. */
    def.number = 1;
    def.radius = d->world.radius;
    def.max_particles = d->world.max_particles;
    /* A block may come out a little larger than asked for. */
    if (file->asked >= def.max_particles / 2 && !scene_given(&SCENE_WORLD, &d->world, "max_particles"))
        def.max_particles = file->asked < 98000000u ? file->asked + file->asked / 100 + 1000 : 100000000u;
    def.settings = d->solver.settings;
    def.settings.gravity = d->gravity;
    return def;
}

/* ---- materials ------------------------------------------------------------------------------------------ */

static const scene_material *find_material(const scene_description *d, const char *name, size_t *index)
{
    const scene_material *materials = d->materials.items;
    for (*index = 0; name != NULL && *index < d->materials.count; ++*index)
        if (materials[*index].def.name != NULL && strcmp(materials[*index].def.name, name) == 0)
            return &materials[*index];
    return NULL;
}

/* Every world is born with its default material; the file's follow. */
mote_material_id scene_material_id(const scene_description *d, const mote_world *world, const char *name)
{
    size_t index;
    return find_material(d, name, &index) != NULL ? mote_material_at(world, (uint32_t)index + 1)
                                                  : mote_world_default_material(world);
}

float scene_material_density(const scene_description *d, const char *name)
{
    size_t index;
    const scene_material *material = find_material(d, name, &index);
    return material != NULL ? material->def.density : mote_default_material_def().density;
}

bool scene_material_is_fluid(const scene_description *d, const char *name)
{
    size_t index;
    const scene_material *material = find_material(d, name, &index);
    return material != NULL && material->def.fluid;
}

float scene_particle_mass(const scene_description *d, const char *material, float radius)
{
    float density = scene_material_density(d, material);
    return scene_material_is_fluid(d, material) ? density * (8.0f * radius * radius * radius)
                                                : scene_ball_mass(density, radius);
}

mote_result scene_add_materials(const scene_description *d, mote_world *world)
{
    const scene_material *materials = d->materials.items;
    for (size_t i = 0; i < d->materials.count; i++)
        if (mote_is_null(mote_material_add(world, &materials[i].def)))
            return mote_last_result();
    return MOTE_OK;
}

/* ---- shapes --------------------------------------------------------------------------------------------- */

static float longest_side(const mesh_file *mesh)
{
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        const float v[3] = {mesh->vertices[i].x, mesh->vertices[i].y, mesh->vertices[i].z};
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = fminf(low[axis], v[axis]);
            high[axis] = fmaxf(high[axis], v[axis]);
        }
    }
    return fmaxf(high[0] - low[0], fmaxf(high[1] - low[1], high[2] - low[2]));
}

mote_geometry_id scene_add_geometry(const scene_shape *shape, mote_world *world)
{
    mote_mesh mesh = mesh_file_view(&shape->mesh);
    if (shape->type == SCENE_HULL)
        return mote_hull_add(world, mesh.vertices, mesh.vertex_count);
    if (shape->type == SCENE_MESH)
        return mote_mesh_add(world, &mesh);
    if (shape->type == SCENE_SDF)
        return mote_sdf_add_mesh(world, &mesh,
                                 shape->cell > 0.0f ? shape->cell : longest_side(&shape->mesh) / 64.0f);
    mote_heightfield_def def = {.columns = shape->columns, .rows = shape->rows, .spacing = shape->spacing};
    def.heights = shape->file_heights.items != NULL ? shape->file_heights.items : shape->heights.items;
    return mote_heightfield_add(world, &def);
}

/* A plane by its equation, as most are given. */
static mote_shape_id add_plane(const scene_description *d, const scene_shape *shape, mote_world *world)
{
    mote_plane_def def = mote_default_plane_def();
    mote_vec3 n = shape->normal, p = shape->position;
    def.normal = n;
    def.offset = shape->offset;
    if (p.x != 0.0f || p.y != 0.0f || p.z != 0.0f)
        def.offset += (float)(scene_dot(n, p) / scene_length(n));
    def.velocity = shape->velocity;
    def.material = scene_material_id(d, world, shape->material);
    def.channels = shape->channels;
    return mote_plane_add(world, &def);
}

static mote_shape_id add_shape(const scene_description *d, const scene_shape *shape, mote_world *world)
{
    static const mote_shape_type types[] = {MOTE_SHAPE_PLANE,    MOTE_SHAPE_SPHERE,   MOTE_SHAPE_BOX,
                                            MOTE_SHAPE_CAPSULE,  MOTE_SHAPE_GEOMETRY, MOTE_SHAPE_GEOMETRY,
                                            MOTE_SHAPE_GEOMETRY, MOTE_SHAPE_GEOMETRY};
    bool by_rotation = scene_given(&SCENE_SHAPES, shape, "rotation") || shape->motion.item.node != NULL;
    if (shape->type == SCENE_PLANE && !by_rotation && !shape->trigger)
        return add_plane(d, shape, world);
    mote_shape_def def = mote_default_shape_def();
    def.type = types[shape->type];
    mote_pose pose = scene_motion_pose(&shape->motion, shape->position, &shape->rotation, 0.0);
    def.position = pose.position;
    def.rotation = pose.rotation;
    def.radius = shape->radius;
    def.half_height = shape->half_height;
    def.half_extents = shape->half_extents;
    def.inside = shape->inside;
    def.trigger = shape->trigger;
    def.velocity = shape->velocity;
    def.spin = shape->spin;
    def.material = scene_material_id(d, world, shape->material);
    def.channels = shape->channels;
    if (def.type == MOTE_SHAPE_GEOMETRY) {
        def.geometry = scene_add_geometry(shape, world);
        if (mote_is_null(def.geometry))
            return (mote_shape_id){0, 0};
    }
    return mote_shape_add(world, &def);
}

static mote_result add_shapes(scene_file *file, mote_world *world)
{
    const scene_description *d = &file->description;
    const scene_shape *shapes = d->shapes.items;
    if (file->shape_ids == NULL)
        file->shape_ids = calloc(d->shapes.count + 1, sizeof *file->shape_ids);
    if (file->shape_ids == NULL)
        return MOTE_ERROR_MEMORY;
    for (size_t i = 0; i < d->shapes.count; i++) {
        file->shape_ids[i] = add_shape(d, &shapes[i], world);
        if (mote_is_null(file->shape_ids[i]))
            return mote_last_result();
    }
    return MOTE_OK;
}

/* ---- fields and volumes --------------------------------------------------------------------------------- */

static mote_result add_fields(const scene_description *d, mote_world *world)
{
    const scene_force_field *fields = d->fields.items;
    for (size_t i = 0; i < d->fields.count; i++) {
        mote_field_def def = mote_default_field_def();
        def.type = (mote_field_type)fields[i].type;
        def.center = fields[i].center;
        def.direction = fields[i].direction;
        def.strength = fields[i].strength;
        def.radius = fields[i].radius;
        if (scene_given(&SCENE_FIELDS, &fields[i], "group"))
            def.group = fields[i].group;
        if (mote_is_null(mote_field_add(world, &def)))
            return mote_last_result();
    }
    return MOTE_OK;
}

static mote_result add_volumes(const scene_description *d, mote_world *world)
{
    const scene_volume *volumes = d->volumes.items;
    for (size_t i = 0; i < d->volumes.count; i++) {
        mote_volume_def def = mote_default_volume_def();
        def.type = (mote_volume_type)volumes[i].type;
        def.min = volumes[i].min;
        def.max = volumes[i].max;
        if (mote_is_null(mote_volume_add(world, &def)))
            return mote_last_result();
    }
    return MOTE_OK;
}

mote_result scene_build_surroundings(scene_file *file, mote_world *world)
{
    MOTE_TRY(scene_add_materials(&file->description, world));
    MOTE_TRY(add_shapes(file, world));
    MOTE_TRY(add_fields(&file->description, world));
    return add_volumes(&file->description, world);
}
