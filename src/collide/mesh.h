/* Inside of a triangle mesh, for the files mesh*.c. */
#ifndef MOTE_COLLIDE_MESH_H
#define MOTE_COLLIDE_MESH_H

#include "collide/tree.h"
#include "collide/triangle_near.h"

typedef struct mt_corners {
    uint32_t vertex[3];
} mt_corners;

/* Where a triangle is, roughly: all of it within `half` of the plane dot(normal, x) = offset, rounding
 * included. */
typedef struct mt_slab {
    mote_vec3 normal;
    float offset, half;
} mt_slab;

struct mt_mesh {
    mt_array vertices;  /* mote_vec3, no two at one place, none unused */
    mt_array triangles; /* mt_corners, all with an area */
    mt_array fan_first; /* uint32_t a vertex, and one more: its first place in `fan` */
    mt_array fan;       /* uint32_t: the triangles around each vertex, in ascending order */
    mt_array slabs;     /* mt_slab a triangle */
    mt_tree tree;       /* over the boxes of the triangles */
    mt_box bounds;
    uint32_t vertex_count, triangle_count;
};

static inline mt_triangle mt_mesh_triangle(const mt_mesh *mesh, uint32_t number)
{
    const mote_vec3 *vertices = mesh->vertices.data;
    const uint32_t *vertex = ((const mt_corners *)mesh->triangles.data)[number].vertex;
    return (mt_triangle){{vertex[0], vertex[1], vertex[2]},
                         {vertices[vertex[0]], vertices[vertex[1]], vertices[vertex[2]]}};
}

static inline const uint32_t *mt_mesh_fan(const mt_mesh *mesh, uint32_t vertex, uint32_t *count)
{
    const uint32_t *first = mesh->fan_first.data;
    *count = first[vertex + 1] - first[vertex];
    return (const uint32_t *)mesh->fan.data + first[vertex];
}

#endif
