/* OBJ: lines of text, "v" a vertex, "f" a triangle, "p" points, "o" the object that follows. Vertices are
 * counted from 1 through the whole file. Nine digits bring back every float to the bit. */
#include "io/export_frame.h"
#include "io/scene_math.h"

#include <stdlib.h>

/* Points on a line of the file: short enough for every reader. */
#define POINTS_A_LINE 16

static void write_vertex(safe_file *file, mote_vec3 v)
{
    export_print(file, "v %.9g %.9g %.9g\n", (double)v.x, (double)v.y, (double)v.z);
}

/* A name is the rest of its line, so line ends in it would be lines of their own. */
static void write_name(safe_file *file, const char *name)
{
    safe_file_append(file, "o ", 2);
    for (const char *at = name; *at != '\0'; at++)
        safe_file_append(file, (unsigned char)*at < ' ' || *at == 127 ? "_" : at, 1);
    safe_file_append(file, "\n", 1);
}

/* ---- surfaces ------------------------------------------------------------------------------------------- */

/* The vertices of a skin as its bones carry them. NULL if since it was given it was changed into one that makes
 * no sense: nothing of it is shown then. */
static const mote_vec3 *skin_vertices(const export_scenery *scenery, const export_surface *surface,
                                      const export_shown *shown)
{
    mote_vec3 *moved = (mote_vec3 *)scenery->moved.items + shown->first_vertex;
    const mote_pose *bones = (const mote_pose *)scenery->bones.items + shown->first_bone;
    return mote_skin_apply(surface->skin, bones, moved) == MOTE_OK ? moved : NULL;
}

static mote_vec3 carried(mote_pose pose, mote_vec3 point)
{
    mote_vec3 turned = scene_rotate(pose.rotation, point);
    return (mote_vec3){pose.position.x + turned.x, pose.position.y + turned.y, pose.position.z + turned.z};
}

/* Answers how many vertices the file has now. */
static size_t write_surface(safe_file *file, const export_scenery *scenery, size_t index, size_t vertices)
{
    const export_surface *surface = &scenery->surfaces[index];
    const export_shown *shown = (const export_shown *)scenery->shown.items + index;
    if (!shown->there)
        return vertices;
    const mote_vec3 *moved = surface->skin != NULL ? skin_vertices(scenery, surface, shown) : NULL;
    if (surface->skin != NULL && moved == NULL)
        return vertices;
    write_name(file, surface->name);
    for (size_t i = 0; i < surface->vertex_count; i++)
        write_vertex(file, moved != NULL ? moved[i] : carried(shown->pose, surface->vertices[i]));
    for (size_t i = 0; i < surface->triangle_count; i++) {
        const uint32_t *corner = surface->triangles + 3 * i;
        export_print(file, "f %zu %zu %zu\n", vertices + 1 + corner[0], vertices + 1 + corner[1],
                     vertices + 1 + corner[2]);
    }
    return vertices + surface->vertex_count;
}

/* ---- points --------------------------------------------------------------------------------------------- */

/* "p" lines for the vertices from `first` (counted from 0) on. */
static void write_points(safe_file *file, size_t first, size_t count)
{
    for (size_t i = 0; i < count; i++)
        export_print(file, "%s%zu%s", i % POINTS_A_LINE == 0 ? "p " : " ", first + i + 1,
                     i % POINTS_A_LINE == POINTS_A_LINE - 1 || i + 1 == count ? "\n" : "");
}

static void write_particle(safe_file *file, const export_frame *frame, uint32_t slot)
{
    mote_vec4 x = frame->position[slot];
    write_vertex(file, (mote_vec3){x.x, x.y, x.z});
}

/* A shared particle is a vertex of each of its bodies. */
static size_t write_bodies(safe_file *file, const export_frame *frame)
{
    const export_body *bodies = frame->scenery.bodies.items;
    const mote_particle_id *members = frame->scenery.members.items;
    size_t vertices = 0;
    for (size_t i = 0; i < frame->scenery.body_count; i++) {
        export_print(file, "o body_%u\n", bodies[i].index);
        for (size_t k = 0; k < bodies[i].member_count; k++)
            write_particle(file, frame, frame->slots[members[bodies[i].first_member + k].index]);
        write_points(file, vertices, bodies[i].member_count);
        vertices += bodies[i].member_count;
    }
    return vertices;
}

/* The slots of bodies' particles are marked in the table of ids: each is looked at once more, for the loose. */
static void write_loose(safe_file *file, const export_frame *frame, size_t vertices)
{
    const mote_particle_id *members = frame->scenery.members.items;
    for (size_t i = 0; i < frame->scenery.member_count; i++)
        frame->slots[members[i].index] = UINT32_MAX;
    size_t count = 0;
    for (size_t row = 0; row < frame->count; row++) {
        uint32_t slot = frame->order[row];
        if (frame->slots[frame->particles[slot].index] == UINT32_MAX)
            continue;
        if (count++ == 0)
            write_name(file, "loose");
        write_particle(file, frame, slot);
    }
    write_points(file, vertices, count);
}

void export_write_obj(const export_frame *frame, safe_file *file)
{
    export_print(file, "# time %.17g s\n", frame->time);
    size_t vertices = 0;
    for (size_t i = 0; i < frame->scenery.surface_count; i++)
        vertices = write_surface(file, &frame->scenery, i, vertices);
    if (frame->scenery.surface_count > 0)
        return;
    vertices = write_bodies(file, frame);
    write_loose(file, frame, vertices);
}
