#include "io/export_surfaces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the surfaces that are given ------------------------------------------------------------------------ */

static bool check_surface(const export_surface *s, size_t number, char error[EXPORT_ERROR])
{
    const char *name = s->name != NULL ? s->name : "?";
    if (s->name == NULL || s->name[0] == '\0')
        snprintf(error, EXPORT_ERROR, "surface %zu has no name", number);
    else if (s->skin == NULL && s->vertices == NULL && s->vertex_count > 0)
        snprintf(error, EXPORT_ERROR, "surface '%s' has no vertices", name);
    else if (s->triangles == NULL && s->triangle_count > 0)
        snprintf(error, EXPORT_ERROR, "surface '%s' has no triangles", name);
    else if (s->skin != NULL && s->vertex_count != s->skin->vertex_count)
        snprintf(error, EXPORT_ERROR, "surface '%s' has %zu vertices, its skin %zu", name, s->vertex_count,
                 s->skin->vertex_count);
    else if (s->skin != NULL && !mote_is_null(s->body))
        snprintf(error, EXPORT_ERROR, "surface '%s' has both a body and a skin", name);
    else
        return true;
    return false;
}

static bool check_triangles(const export_surface *s, char error[EXPORT_ERROR])
{
    for (size_t i = 0; i < 3 * s->triangle_count; i++)
        if (s->triangles[i] >= s->vertex_count) {
            snprintf(error, EXPORT_ERROR, "surface '%s': triangle %zu has vertex %u; there are %zu", s->name,
                     i / 3, s->triangles[i], s->vertex_count);
            return false;
        }
    return true;
}

/* A skin that can be put on its own bones can be put on others. */
static bool check_skin(const export_surface *s, char error[EXPORT_ERROR])
{
    if (s->skin == NULL)
        return true;
    mote_vec3 *vertices = calloc(s->vertex_count + 1, sizeof *vertices);
    if (vertices == NULL) {
        snprintf(error, EXPORT_ERROR, "no memory for the skin '%s'", s->name);
        return false;
    }
    bool fits = mote_skin_apply(s->skin, s->skin->bind, vertices) == MOTE_OK;
    if (!fits)
        snprintf(error, EXPORT_ERROR, "surface '%s': %s", s->name, mote_last_error());
    free(vertices);
    return fits;
}

export_surface *export_surfaces_copy(const export_surface *surfaces, size_t count, char error[EXPORT_ERROR])
{
    for (size_t i = 0; i < count; i++)
        if (!check_surface(&surfaces[i], i, error) || !check_triangles(&surfaces[i], error) ||
            !check_skin(&surfaces[i], error))
            return NULL;
    export_surface *copy = calloc(count + 1, sizeof *copy);
    if (copy == NULL)
        snprintf(error, EXPORT_ERROR, "no memory for %zu surfaces", count);
    else if (count > 0)
        memcpy(copy, surfaces, count * sizeof *copy);
    return copy;
}

/* ---- where they are in a frame -------------------------------------------------------------------------- */

/* Room for so many bytes, and for at least one; what is in the list stays. False with a text if there is no
 * memory. */
static bool make_room(export_list *list, size_t bytes, char error[EXPORT_ERROR])
{
    if (bytes < list->capacity)
        return true;
    size_t capacity = bytes + bytes / 2 + 1;
    void *items = realloc(list->items, capacity);
    if (items == NULL) {
        snprintf(error, EXPORT_ERROR, "no memory to export surfaces");
        return false;
    }
    list->items = items;
    list->capacity = capacity;
    return true;
}

static bool copy_failed(const char *what, char error[EXPORT_ERROR])
{
    snprintf(error, EXPORT_ERROR, "cannot export %s: %s", what, mote_last_error());
    return false;
}

/* A skin's bones, and room for its vertices. */
static bool copy_skin(export_scenery *scenery, const mote_world *world, const export_surface *surface,
                      export_shown *shown, size_t *bone_count, size_t *vertex_count, char error[EXPORT_ERROR])
{
    shown->there = mote_skeleton_is_valid(world, surface->skeleton);
    if (!shown->there)
        return true;
    shown->first_bone = *bone_count;
    shown->first_vertex = *vertex_count;
    *bone_count += surface->skin->bone_count;
    *vertex_count += surface->vertex_count;
    if (!make_room(&scenery->bones, *bone_count * sizeof(mote_pose), error) ||
        !make_room(&scenery->moved, *vertex_count * sizeof(mote_vec3), error))
        return false;
    mote_pose *bones = (mote_pose *)scenery->bones.items + shown->first_bone;
    return mote_skeleton_get_poses(world, surface->skeleton, bones, surface->skin->bone_count) == MOTE_OK ||
           copy_failed(surface->name, error);
}

static bool copy_surfaces(export_scenery *scenery, const mote_world *world, char error[EXPORT_ERROR])
{
    if (!make_room(&scenery->shown, scenery->surface_count * sizeof(export_shown), error))
        return false;
    size_t bone_count = 0, vertex_count = 0;
    for (size_t i = 0; i < scenery->surface_count; i++) {
        const export_surface *surface = &scenery->surfaces[i];
        export_shown shown = {.there = true, .pose = {.rotation = {0.0f, 0.0f, 0.0f, 1.0f}}};
        if (surface->skin != NULL) {
            if (!copy_skin(scenery, world, surface, &shown, &bone_count, &vertex_count, error))
                return false;
        } else if (!mote_is_null(surface->body)) {
            shown.there = mote_body_is_valid(world, surface->body);
            if (shown.there && mote_body_poses(world, &surface->body, 1, &shown.pose) != MOTE_OK)
                return copy_failed(surface->name, error);
        }
        ((export_shown *)scenery->shown.items)[i] = shown;
    }
    return true;
}

/* The bodies and their particles, for a world without surfaces. */
static bool copy_bodies(export_scenery *scenery, const mote_world *world, char error[EXPORT_ERROR])
{
    uint32_t count = mote_body_count(world);
    if (!make_room(&scenery->ids, count * sizeof(mote_body_id), error) ||
        !make_room(&scenery->bodies, count * sizeof(export_body), error))
        return false;
    mote_body_id *ids = scenery->ids.items;
    export_body *bodies = scenery->bodies.items;
    if (count > 0)
        mote_body_list(world, ids, count);
    size_t first = 0;
    for (uint32_t i = 0; i < count; i++) {
        size_t members = mote_body_particles(world, ids[i], NULL, 0);
        if (!make_room(&scenery->members, (first + members) * sizeof(mote_particle_id), error))
            return false;
        mote_body_particles(world, ids[i], (mote_particle_id *)scenery->members.items + first, members);
        bodies[i] = (export_body){ids[i].index, first, members};
        first += members;
    }
    scenery->body_count = count;
    scenery->member_count = first;
    return true;
}

bool export_scenery_copy(export_scenery *scenery, const mote_world *world, const export_surface *surfaces,
                         size_t surface_count, char error[EXPORT_ERROR])
{
    scenery->surfaces = surfaces;
    scenery->surface_count = surface_count;
    scenery->body_count = scenery->member_count = 0;
    return surface_count > 0 ? copy_surfaces(scenery, world, error) : copy_bodies(scenery, world, error);
}

void export_scenery_free(export_scenery *scenery)
{
    export_list *lists[] = {&scenery->shown, &scenery->bones,  &scenery->moved,
                            &scenery->ids,   &scenery->bodies, &scenery->members};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        free(lists[i]->items);
    *scenery = (export_scenery){0};
}
