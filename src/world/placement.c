#include "world/placement.h"

#include "world/check.h"
#include "world/world.h"

#include <stddef.h>
#include <string.h>

static void init_group(mt_shape_group *group)
{
    mt_tree_init(&group->tree);
    mt_array_init(&group->boxes, sizeof(mt_box));
    mt_array_init(&group->shapes, sizeof(uint32_t));
}

static void free_group(mt_shape_group *group, mt_memory *memory)
{
    mt_tree_free(&group->tree, memory);
    mt_array_free(&group->boxes, memory);
    mt_array_free(&group->shapes, memory);
}

void mt_placement_init(mt_placement *p)
{
    mt_array_init(&p->placed, sizeof(mt_placed));
    mt_array_init(&p->reaches, sizeof(mt_shape_reach));
    mt_array_init(&p->planes, sizeof(uint32_t));
    init_group(&p->standing);
    init_group(&p->moving);
}

void mt_placement_free(mt_placement *p, mt_memory *memory)
{
    mt_array_free(&p->placed, memory);
    mt_array_free(&p->reaches, memory);
    mt_array_free(&p->planes, memory);
    free_group(&p->standing, memory);
    free_group(&p->moving, memory);
}

/* ---- placing ------------------------------------------------------------------------------------------- */

static mt_form form_of(const mote_world *world, const mt_shape *shape)
{
    mt_form form = {MT_FORM_PRIMITIVE, shape->inside != 0, shape->form, NULL};
    if (shape->form.type == MOTE_SHAPE_PLANE)
        form.kind = MT_FORM_PLANE;
    if (shape->form.type == MOTE_SHAPE_GEOMETRY) {
        static const mt_form_kind kinds[MOTE_GEOMETRY_COUNT] = {MT_FORM_HULL, MT_FORM_MESH, MT_FORM_SDF,
                                                                MT_FORM_HEIGHTFIELD};
        const mt_geometry *geometry = &mt_geometries(world)[mt_geometry_find(world, shape->geometry)];
        form.kind = kinds[geometry->type];
        form.geometry = geometry->form;
    }
    return form;
}

/* A plane's equation after a part of the step. One that does not turn keeps its normal to the bit. */
static void place_plane(mt_placed *placed, const mt_shape *shape, float part, float dt)
{
    bool turns = shape->has_target || shape->spin.x != 0 || shape->spin.y != 0 || shape->spin.z != 0;
    placed->normal = turns ? placed->end.y : shape->normal;
    placed->offset = turns ? mt_dot(placed->end.y, placed->end.position)
                           : shape->offset + mt_dot(shape->normal, shape->velocity) * (part * dt);
    placed->move = mt_sub(placed->end.position, placed->start.position);
    placed->turns = memcmp(&placed->start, &placed->end, offsetof(mt_frame, position)) != 0;
}

/* Everything that a shape can touch on its way through the step: its box at both ends, or, if it turns, the
 * box of the ball that it turns in. */
static mt_box swept_box(const mt_shape *shape, const mt_form *form, float dt)
{
    mt_box own = mt_form_bounds(form);
    mt_frame first = mt_frame_of(shape->pose), last = mt_frame_of(mt_shape_pose(shape, 1.0f, dt));
    mote_quat a = shape->pose.rotation, b = mt_shape_pose(shape, 1.0f, dt).rotation;
    if (a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w)
        return mt_box_join(mt_box_in_world(&own, &first), mt_box_in_world(&own, &last));
    mote_vec3 far_corner = {fmaxf(-own.min.x, own.max.x), fmaxf(-own.min.y, own.max.y),
                            fmaxf(-own.min.z, own.max.z)};
    mt_box line = mt_box_with(mt_box_with(mt_box_empty(), first.position), last.position);
    return mt_box_grow(line, 1.00001f * mt_length(far_corner));
}

static void place(mote_world *world, uint32_t index, float dt)
{
    const mt_shape *shape = &mt_shapes(world)[index];
    mt_placed *placed = &((mt_placed *)world->placement.placed.data)[index];
    placed->form = form_of(world, shape);
    placed->start = placed->end = mt_frame_of(shape->pose);
    placed->material = shape->material;
    placed->channels = shape->channels;
    placed->moving = shape->kinematic != 0;
    placed->trigger = shape->trigger != 0;
    if (placed->form.kind == MT_FORM_PLANE)
        place_plane(placed, shape, 0.0f, 0.0f);
    else
        placed->box = swept_box(shape, &placed->form, dt);
    bool solid = placed->form.kind != MT_FORM_PLANE && !placed->trigger;
    ((mt_shape_reach *)world->placement.reaches.data)[index] =
        (mt_shape_reach){solid ? placed->box : mt_box_empty(), solid ? placed->channels : 0, 0};
}

/* ---- groups -------------------------------------------------------------------------------------------- */

static mote_result add_to_group(mt_shape_group *group, mt_memory *memory, uint32_t shape, mt_box box)
{
    MT_TRY(mt_array_reserve(&group->boxes, memory, (size_t)group->count + 1, group->count));
    MT_TRY(mt_array_reserve(&group->shapes, memory, (size_t)group->count + 1, group->count));
    ((mt_box *)group->boxes.data)[group->count] = box;
    ((uint32_t *)group->shapes.data)[group->count++] = shape;
    return MOTE_OK;
}

static mote_result place_group(mote_world *world, mt_shape_group *group, bool moving, float dt)
{
    mt_placement *p = &world->placement;
    group->count = 0;
    for (uint32_t i = 0; i < world->shapes.count; i++) {
        if ((mt_shapes(world)[i].kinematic != 0) != moving)
            continue;
        place(world, i, dt);
        const mt_placed *placed = &mt_placed_shapes(p)[i];
        if (placed->form.kind != MT_FORM_PLANE)
            MT_TRY(add_to_group(group, &world->memory, i, placed->box));
    }
    return mt_tree_build(&group->tree, &world->memory, group->boxes.data, group->count);
}

static mote_result list_planes(mote_world *world)
{
    mt_placement *p = &world->placement;
    p->plane_count = p->trigger_planes = 0;
    for (uint32_t i = 0; i < world->shapes.count; i++) {
        const mt_shape *shape = &mt_shapes(world)[i];
        if (shape->form.type != MOTE_SHAPE_PLANE)
            continue;
        p->trigger_planes += shape->trigger;
        if (shape->trigger)
            continue;
        MT_TRY(mt_array_reserve(&p->planes, &world->memory, (size_t)p->plane_count + 1, p->plane_count));
        ((uint32_t *)p->planes.data)[p->plane_count++] = i;
    }
    return MOTE_OK;
}

mote_result mt_placement_begin(mote_world *world, float dt)
{
    mt_placement *p = &world->placement;
    if (!p->valid || p->edits != world->shape_edits) {
        p->valid = false;
        MT_TRY(mt_array_reserve(&p->placed, &world->memory, world->shapes.count, 0));
        MT_TRY(mt_array_reserve(&p->reaches, &world->memory, world->shapes.count, 0));
        MT_TRY(list_planes(world));
        MT_TRY(place_group(world, &p->standing, false, 0.0f));
        p->edits = world->shape_edits;
        p->valid = true;
    }
    return place_group(world, &p->moving, true, dt);
}

void mt_placement_advance(mote_world *world, float dt, uint32_t index)
{
    mt_placement *p = &world->placement;
    uint32_t substeps = world->settings.substeps;
    float part = index + 1 < substeps ? (float)(index + 1) / (float)substeps : 1.0f;
    for (uint32_t i = 0; i < world->shapes.count; i++) {
        const mt_shape *shape = &mt_shapes(world)[i];
        if (!shape->kinematic)
            continue;
        mt_placed *placed = &((mt_placed *)p->placed.data)[i];
        placed->start = placed->end;
        placed->end = mt_frame_of(mt_shape_pose(shape, part, dt));
        if (placed->form.kind == MT_FORM_PLANE)
            place_plane(placed, shape, part, dt);
    }
}

/* ---- finding ------------------------------------------------------------------------------------------- */

static uint32_t find_in(const mt_shape_group *group, mt_box box, uint32_t *out, uint32_t count, uint32_t most)
{
    mt_tree_walk walk = mt_tree_begin(&group->tree, box);
    for (uint32_t item; mt_tree_next(&walk, &item);) {
        if (!mt_box_overlap(&((const mt_box *)group->boxes.data)[item], &box))
            continue;
        if (count < most)
            out[count] = ((const uint32_t *)group->shapes.data)[item];
        count++;
    }
    return count;
}

float mt_placed_distance(const mt_placed *placed, mote_vec3 x, float most)
{
    if (placed->form.kind == MT_FORM_PLANE)
        return fminf(mt_dot(placed->normal, x) - placed->offset, most);
    return mt_form_distance(&placed->form, mt_to_local(&placed->end, x), most);
}

bool mt_placed_reaches(const mt_placed *placed, mote_vec3 middle, float half)
{
    if (placed->moving)
        return true;
    const mt_frame *f = &placed->end;
    mote_vec3 x = mt_to_local(f, middle);
    mote_vec3 reach = {half * (fabsf(f->x.x) + fabsf(f->x.y) + fabsf(f->x.z)),
                       half * (fabsf(f->y.x) + fabsf(f->y.y) + fabsf(f->y.z)),
                       half * (fabsf(f->z.x) + fabsf(f->z.y) + fabsf(f->z.z))};
    mt_box box = mt_box_grow((mt_box){mt_sub(x, reach), mt_add(x, reach)}, 1e-5f * half);
    return mt_form_reaches(&placed->form, &box);
}

static void sort_numbers(uint32_t *numbers, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint32_t value = numbers[i], k = i;
        for (; k > 0 && numbers[k - 1] > value; k--)
            numbers[k] = numbers[k - 1];
        numbers[k] = value;
    }
}

uint32_t mt_placement_find(const mt_placement *p, mt_box box, uint32_t *out, uint32_t most)
{
    uint32_t count = find_in(&p->standing, box, out, 0, most);
    return find_in(&p->moving, box, out, count, most);
}

uint32_t mt_placement_around(const mote_world *world, mote_vec3 x, float reach, uint32_t *out)
{
    const mt_placement *p = &world->placement;
    mt_box box = mt_box_grow((mt_box){x, x}, reach);
    uint32_t count = mt_placement_find(p, box, out, world->shapes.count);
    for (uint32_t i = 0; p->plane_count + p->trigger_planes > 0 && i < world->shapes.count; i++)
        if (mt_placed_shapes(p)[i].form.kind == MT_FORM_PLANE)
            out[count++] = i;
    sort_numbers(out, count);
    return count;
}

bool mt_moving_shape_touches(const mote_world *world, mote_vec3 x, float reach)
{
    const mt_placement *p = &world->placement;
    for (uint32_t k = 0; k < p->plane_count; k++) {
        uint32_t i = ((const uint32_t *)p->planes.data)[k];
        if (mt_shape_moves(&mt_shapes(world)[i]) &&
            mt_placed_distance(&mt_placed_shapes(p)[i], x, reach) < reach)
            return true;
    }
    mt_tree_walk walk = mt_tree_begin(&p->moving.tree, mt_box_grow((mt_box){x, x}, reach));
    for (uint32_t item; mt_tree_next(&walk, &item);) {
        uint32_t i = ((const uint32_t *)p->moving.shapes.data)[item];
        const mt_placed *placed = &mt_placed_shapes(p)[i];
        if (!placed->trigger && mt_shape_moves(&mt_shapes(world)[i]) &&
            mt_placed_distance(placed, x, reach) < reach)
            return true;
    }
    return false;
}
