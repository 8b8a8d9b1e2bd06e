#include "shapes.h"

#include <stdlib.h>
#include <string.h>

/* How much glass a ray meets at a container's wall that it crosses head on, and at the edges of a box. */
#define WALL_GLASS 1.2f
#define EDGE_GLASS 9.0f

/* Half the width of those edges, in distances of the camera from its target. */
#define EDGE_WIDTH 0.001f

/* The models that are always there; geometries follow. */
enum { BALL_ROUGH, BALL_MIDDLE, BALL_FINE, BOX, FIRST_GEOMETRY };

/* Most items that one shape becomes: a box-shaped container has twelve edges. */
#define ITEMS_A_SHAPE 13u

typedef struct collecting {
    shape_list *list;
    const mote_world *world;
    mote_particles_view particles;
    mote_vec3 eye;
    float distance;     /* of the eye from its target, m */
    uint64_t triangles; /* of all items so far */
} collecting;

static void turn_axes(mote_quat q, mote_vec3 axes[3])
{
    axes[0] =
        (mote_vec3){1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y + q.w * q.z), 2 * (q.x * q.z - q.w * q.y)};
    axes[1] =
        (mote_vec3){2 * (q.x * q.y - q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z + q.w * q.x)};
    axes[2] =
        (mote_vec3){2 * (q.x * q.z + q.w * q.y), 2 * (q.y * q.z - q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y)};
}

static uint32_t color_of(const mote_world *world, mote_material_id id)
{
    mote_material_def material = mote_default_material_def();
    if (mote_material_get(world, id, &material) != MOTE_OK)
        mote_material_get(world, mote_world_default_material(world), &material);
    return material.color;
}

/* Fine enough that the outline is round in the picture. */
static const model *ball_for(const collecting *c, const mote_shape_def *def)
{
    float size = def->radius / vector_length(vector_sub(def->position, c->eye));
    return &c->list->models[size > 0.06f ? BALL_FINE : size > 0.015f ? BALL_MIDDLE : BALL_ROUGH];
}

/* The model of a geometry, made when it is first asked for. */
static const model *geometry_model(const collecting *c, mote_geometry_id id)
{
    model *m = &c->list->models[FIRST_GEOMETRY + id.index];
    if (m->triangle_count > 0 || m->failed)
        return m;
    mote_mesh mesh;
    mote_heightfield_def heights;
    mote_sdf_def distances;
    if (mote_geometry_triangles(c->world, id, &mesh) == MOTE_OK)
        model_make_mesh(m, &mesh);
    else if (mote_geometry_heights(c->world, id, &heights) == MOTE_OK)
        model_make_heights(m, &heights);
    else if (mote_geometry_distances(c->world, id, &distances) == MOTE_OK)
        model_make_distances(m, &distances);
    return m;
}

/* The box in the world of a box in the shape's own axes. */
static void find_box(drawn_shape *item)
{
    mote_vec3 min, max;
    model_bounds(item->form, &min, &max);
    mote_vec3 middle = vector_times(vector_scale(vector_add(min, max), 0.5f), item->scale);
    mote_vec3 half = vector_times(vector_scale(vector_sub(max, min), 0.5f), item->scale);
    half.y += item->stretch;
    mote_vec3 center = vector_add(item->position, shape_turn(item, middle));
    const mote_vec3 *a = item->axes;
    mote_vec3 reach = {fabsf(a[0].x) * half.x + fabsf(a[1].x) * half.y + fabsf(a[2].x) * half.z,
                       fabsf(a[0].y) * half.x + fabsf(a[1].y) * half.y + fabsf(a[2].y) * half.z,
                       fabsf(a[0].z) * half.x + fabsf(a[1].z) * half.y + fabsf(a[2].z) * half.z};
    item->low = vector_sub(center, reach);
    item->high = vector_add(center, reach);
}

static drawn_shape *add_item(collecting *c, const drawn_shape *item)
{
    uint64_t triangles = c->triangles + item->form->triangle_count;
    if (item->form->triangle_count == 0 || triangles > SHAPES_MOST_TRIANGLES)
        return NULL;
    drawn_shape *added = &c->list->items[c->list->count++];
    *added = *item;
    added->first = (uint32_t)c->triangles;
    c->triangles = triangles;
    find_box(added);
    return added;
}

/* The twelve edges of a box as thin bars: without them a box of glass can hardly be seen. */
static void add_edges(collecting *c, const drawn_shape *box)
{
    float width = EDGE_WIDTH * c->distance;
    for (int i = 0; i < 12; i++) {
        int axis = i / 4;
        float a = i & 1 ? 1.0f : -1.0f, b = i & 2 ? 1.0f : -1.0f;
        drawn_shape bar = *box;
        bar.glass = EDGE_GLASS;
        bar.scale = (mote_vec3){axis == 0 ? box->scale.x : width, axis == 1 ? box->scale.y : width,
                                axis == 2 ? box->scale.z : width};
        mote_vec3 side = {axis == 0 ? 0.0f : a * box->scale.x,
                          axis == 1 ? 0.0f : (axis == 0 ? a : b) * box->scale.y,
                          axis == 2 ? 0.0f : b * box->scale.z};
        bar.position = vector_add(box->position, shape_turn(box, side));
        add_item(c, &bar);
    }
}

static void add_geometry(collecting *c, drawn_shape *item, mote_geometry_id geometry)
{
    mote_geometry_type type = MOTE_GEOMETRY_COUNT;
    mote_geometry_get_type(c->world, geometry, &type);
    item->form = geometry_model(c, geometry);
    drawn_shape *added = add_item(c, item);
    if (added == NULL || type != MOTE_GEOMETRY_MESH)
        return;
    added->outside = vessel_outside(added, &c->particles);
    if (added->outside != 0.0f)
        added->look = LOOK_VESSEL;
}

static void add_shape(collecting *c, const mote_shape_def *def)
{
    drawn_shape item = {.position = def->position,
                        .scale = {1, 1, 1},
                        .color = color_of(c->world, def->material),
                        .look = def->inside ? LOOK_GLASS : LOOK_SOLID,
                        .glass = WALL_GLASS};
    turn_axes(def->rotation, item.axes);
    if (def->type == MOTE_SHAPE_GEOMETRY) {
        add_geometry(c, &item, def->geometry);
    } else if (def->type == MOTE_SHAPE_BOX) {
        item.form = &c->list->models[BOX];
        item.scale = def->half_extents;
        add_item(c, &item);
        if (def->inside)
            add_edges(c, &item);
    } else {
        item.form = ball_for(c, def);
        item.scale = (mote_vec3){def->radius, def->radius, def->radius};
        item.stretch = def->type == MOTE_SHAPE_CAPSULE ? def->half_height : 0.0f;
        add_item(c, &item);
    }
}

static bool is_drawn(const mote_shape_def *def)
{
    return def->type != MOTE_SHAPE_PLANE && !def->trigger;
}

/* Room for all items and for the models of all geometries. */
static bool make_room(collecting *c, const mote_shape_id *ids, uint32_t count)
{
    uint32_t models = FIRST_GEOMETRY;
    size_t items = 0;
    for (uint32_t i = 0; i < count; i++) {
        mote_shape_def def;
        if (mote_shape_get(c->world, ids[i], &def) != MOTE_OK || !is_drawn(&def))
            continue;
        items += def.inside ? ITEMS_A_SHAPE : 1;
        if (def.type == MOTE_SHAPE_GEOMETRY && def.geometry.index >= models - FIRST_GEOMETRY)
            models = FIRST_GEOMETRY + def.geometry.index + 1;
    }
    c->list->items = malloc((items + 1) * sizeof *c->list->items);
    c->list->models = calloc(models, sizeof *c->list->models);
    c->list->model_count = c->list->models != NULL ? models : 0;
    return c->list->items != NULL && c->list->models != NULL;
}

static bool add_shapes(collecting *c, const mote_shape_id *ids, uint32_t count)
{
    if (!make_room(c, ids, count))
        return false;
    model_make_ball(&c->list->models[BALL_ROUGH], 24);
    model_make_ball(&c->list->models[BALL_MIDDLE], 48);
    model_make_ball(&c->list->models[BALL_FINE], 128);
    model_make_box(&c->list->models[BOX]);
    for (uint32_t i = 0; i < count; i++) {
        mote_shape_def def;
        if (mote_shape_get(c->world, ids[i], &def) == MOTE_OK && is_drawn(&def))
            add_shape(c, &def);
    }
    for (uint32_t i = 0; i < c->list->model_count; i++)
        if (c->list->models[i].failed)
            return false;
    return true;
}

bool shapes_collect(shape_list *list, const mote_world *world, mote_vec3 eye, mote_vec3 target)
{
    *list = (shape_list){0};
    collecting c = {.list = list,
                    .world = world,
                    .particles = mote_particles_get_view(world),
                    .eye = eye,
                    .distance = vector_length(vector_sub(target, eye))};
    uint32_t count = mote_shape_count(world);
    mote_shape_id *ids = malloc(((size_t)count + 1) * sizeof *ids);
    bool done = ids != NULL;
    if (done) {
        mote_shape_list(world, ids, count);
        done = add_shapes(&c, ids, count);
    }
    free(ids);
    list->shape_count = list->count;
    if (!done)
        shapes_destroy(list);
    return done;
}

/* Room for so many more of both; the models may move, and with them the items' forms. */
static bool make_more_room(shape_list *list, uint32_t count)
{
    drawn_shape *items = realloc(list->items, ((size_t)list->count + count + 1) * sizeof *items);
    if (items == NULL)
        return false;
    list->items = items;
    model *models = malloc(((size_t)list->model_count + count + 1) * sizeof *models);
    if (models == NULL)
        return false;
    memcpy(models, list->models, list->model_count * sizeof *models);
    for (uint32_t i = 0; i < list->count; i++)
        items[i].form = models + (items[i].form - list->models);
    free(list->models);
    list->models = models;
    return true;
}

bool shapes_add_surfaces(shape_list *list, const render_surface *surfaces, uint32_t count)
{
    if (count == 0)
        return true;
    const drawn_shape *last = list->count > 0 ? &list->items[list->count - 1] : NULL;
    collecting c = {.list = list, .triangles = last != NULL ? last->first + last->form->triangle_count : 0};
    if (!make_more_room(list, count))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        model *form = &list->models[list->model_count++];
        *form = (model){0};
        model_make_mesh(form, &surfaces[i].mesh);
        if (form->failed)
            return false;
        drawn_shape item = {.form = form,
                            .position = surfaces[i].pose.position,
                            .scale = {1, 1, 1},
                            .color = surfaces[i].color,
                            .look = LOOK_SOLID};
        turn_axes(surfaces[i].pose.rotation, item.axes);
        add_item(&c, &item);
    }
    return true;
}

void shapes_destroy(shape_list *list)
{
    for (uint32_t i = 0; i < list->model_count; i++)
        model_destroy(&list->models[i]);
    free(list->models);
    free(list->items);
    *list = (shape_list){0};
}
