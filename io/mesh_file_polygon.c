/* Cutting a polygon into triangles by its ears: corners whose triangle has no other corner in it.
 * Assimp has a step of its own for this, but its triangles may overlap: those of an L of area 3 have an area of
 * 4 together. */
#include "io/mesh_file_builder.h"

#include <math.h>
#include <stdlib.h>

#define FEW_CORNERS 32

typedef struct point {
    double x, y;
    uint32_t vertex;
} point;

/* Twice the area of a triangle; above 0 if it runs counter-clockwise. */
static double turn(const point *a, const point *b, const point *c)
{
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

/* Seen along the axis in which the polygon is thinnest, from the side on which it runs counter-clockwise. The
 * normal is Newell's, which bent polygons have as well. */
static void project(const mesh_file *mesh, const uint32_t *corners, size_t count, point *points)
{
    double normal[3] = {0, 0, 0};
    for (size_t i = 0; i < count; i++) {
        mote_vec3 a = mesh->vertices[corners[i]], b = mesh->vertices[corners[i + 1 < count ? i + 1 : 0]];
        normal[0] += ((double)a.y - (double)b.y) * ((double)a.z + (double)b.z);
        normal[1] += ((double)a.z - (double)b.z) * ((double)a.x + (double)b.x);
        normal[2] += ((double)a.x - (double)b.x) * ((double)a.y + (double)b.y);
    }
    int axis = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(normal[i]) > fabs(normal[axis]))
            axis = i;
    for (size_t i = 0; i < count; i++) {
        mote_vec3 v = mesh->vertices[corners[i]];
        const double place[3] = {(double)v.x, (double)v.y, (double)v.z};
        double first = place[(axis + 1) % 3], second = place[(axis + 2) % 3];
        points[i] = (point){normal[axis] < 0 ? -first : first, second, corners[i]};
    }
}

static bool is_ear(const point *points, size_t count, size_t at)
{
    const point *a = &points[at > 0 ? at - 1 : count - 1], *b = &points[at],
                *c = &points[at + 1 < count ? at + 1 : 0];
    if (turn(a, b, c) <= 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        const point *p = &points[i];
        if (p->vertex != a->vertex && p->vertex != b->vertex && p->vertex != c->vertex && turn(a, b, p) >= 0 &&
            turn(b, c, p) >= 0 && turn(c, a, p) >= 0)
            return false;
    }
    return true;
}

/* Cuts off one corner after the other. Where there is no ear, as in polygons that cross themselves or have no
 * area, any corner will do: the polygon's rim is kept all the same. */
static bool cut_ears(mesh_builder *builder, point *points, size_t count)
{
    size_t at = 0;
    while (count > 3) {
        size_t tried = 0;
        while (tried < count && !is_ear(points, count, at)) {
            at = at + 1 < count ? at + 1 : 0;
            tried++;
        }
        size_t before = at > 0 ? at - 1 : count - 1, after = at + 1 < count ? at + 1 : 0;
        if (!mesh_builder_triangle(builder, points[before].vertex, points[at].vertex, points[after].vertex))
            return false;
        for (size_t i = at; i + 1 < count; i++)
            points[i] = points[i + 1];
        count--;
        at = at < count ? at : 0;
    }
    return mesh_builder_triangle(builder, points[0].vertex, points[1].vertex, points[2].vertex);
}

bool mesh_builder_polygon(mesh_builder *builder, const uint32_t *corners, size_t count)
{
    if (count < 3)
        return true;
    if (count == 3)
        return mesh_builder_triangle(builder, corners[0], corners[1], corners[2]);
    point few[FEW_CORNERS], *points = few;
    if (count > FEW_CORNERS)
        points = malloc(count * sizeof *points);
    if (points == NULL)
        return false;
    project(&builder->mesh, corners, count, points);
    bool added = cut_ears(builder, points, count);
    if (points != few)
        free(points);
    return added;
}
