#include "carried.h"

#include "command.h"

#include <stdlib.h>

static bool out_of_memory(void)
{
    complain("no memory for the surfaces of a picture");
    return false;
}

/* Where each particle is in the view: handles have indices of their own. */
static bool find_slots(carried *c, const mote_particles_view *view)
{
    uint32_t most = 0;
    for (size_t slot = 0; slot < view->count; slot++)
        most = view->id[slot].index > most ? view->id[slot].index : most;
    c->slot_of = calloc((size_t)most + 1, sizeof *c->slot_of);
    for (size_t slot = 0; c->slot_of != NULL && slot < view->count; slot++)
        c->slot_of[view->id[slot].index] = (uint32_t)slot;
    return c->slot_of != NULL;
}

static uint32_t color_of(const mote_world *world, uint32_t material)
{
    mote_material_def def = mote_default_material_def();
    mote_material_get(world, mote_material_at(world, material), &def);
    return def.color;
}

/* Hides a body's particles; the surface gets the colour of the last of them. */
static bool stand_in(carried *c, const mote_world *world, mote_body_id body, render_surface *surface)
{
    mote_particles_view view = mote_particles_get_view(world);
    size_t count = mote_body_particles(world, body, NULL, 0);
    mote_particle_id *ids = calloc(count + 1, sizeof *ids);
    if (ids == NULL)
        return false;
    mote_body_particles(world, body, ids, count);
    for (size_t i = 0; i < count; i++) {
        uint32_t slot = c->slot_of[ids[i].index];
        c->hidden[slot] = true;
        surface->color = color_of(world, view.material[slot]);
    }
    free(ids);
    return true;
}

static bool add_surface(carried *c, const mote_world *world, const export_surface *from)
{
    render_surface *surface = &c->items[c->shown.count];
    *surface = (render_surface){.mesh = {.vertices = from->vertices,
                                         .vertex_count = from->vertex_count,
                                         .triangles = from->triangles,
                                         .triangle_count = from->triangle_count},
                                .pose = {.rotation = {0.0f, 0.0f, 0.0f, 1.0f}}};
    if (mote_is_null(from->body)) {
        for (uint32_t i = 0; i < mote_skeleton_bone_count(world, from->skeleton); i++)
            if (!stand_in(c, world, mote_skeleton_body(world, from->skeleton, i), surface))
                return false;
    } else if (mote_body_poses(world, &from->body, 1, &surface->pose) != MOTE_OK) {
        return true; /* it is gone, and its mesh with it */
    } else if (!stand_in(c, world, from->body, surface)) {
        return false;
    }
    c->shown.count++;
    return true;
}

static bool collect(carried *c, const scene *s, const mote_world *world)
{
    mote_particles_view view = mote_particles_get_view(world);
    c->source = scene_make_surfaces(s);
    if (c->source == NULL)
        return out_of_memory();
    mote_result result = scene_surfaces_move(c->source, world);
    if (result != MOTE_OK) {
        complain("cannot draw the skins: %s", library_error(result));
        return false;
    }
    size_t count;
    const export_surface *list = scene_surfaces_list(c->source, &count);
    c->items = calloc(count + 1, sizeof *c->items);
    c->hidden = calloc(view.count + 1, sizeof *c->hidden);
    if (c->items == NULL || c->hidden == NULL || !find_slots(c, &view))
        return out_of_memory();
    c->shown.items = c->items;
    c->shown.hidden = c->hidden;
    for (size_t i = 0; i < count; i++)
        if (!add_surface(c, world, &list[i]))
            return out_of_memory();
    return true;
}

bool carried_collect(carried *c, const scene *s, const mote_world *world)
{
    *c = (carried){0};
    return collect(c, s, world);
}

void carried_free(carried *c)
{
    scene_surfaces_free(c->source);
    free(c->items);
    free(c->hidden);
    free(c->slot_of);
    *c = (carried){0};
}
