/* Triangle meshes of known form, for the tests. */
#ifndef MOTE_TESTS_MESHES_H
#define MOTE_TESTS_MESHES_H

#include "support.h"

typedef struct test_mesh {
    mote_vec3 *vertices;
    uint32_t *triangles;
    size_t vertex_count, triangle_count;
} test_mesh;

/* Room for so many, all zero. */
test_mesh empty_mesh(size_t vertices, size_t triangles);
mote_mesh mesh_view(const test_mesh *mesh);
void mesh_free(test_mesh *mesh);

/* Around the y axis: `major` from the middle to the tube's middle, `minor` the tube's radius. */
test_mesh torus_mesh(double major, double minor, uint32_t around, uint32_t across);
/* Twelve triangles, looking outwards. */
test_mesh box_mesh(mote_vec3 half);
test_mesh box_between(mote_vec3 low, mote_vec3 high);
/* `rings` bands of `around` quads between two poles. */
test_mesh sphere_mesh(mote_vec3 center, double radius, uint32_t rings, uint32_t around);
/* A flat square of 2 cells^2 triangles at y = 0, from -half to half. */
test_mesh floor_mesh(float half, uint32_t cells);
/* A bowl: the part of a sphere below its middle, open above; its rim is at y = 0. */
test_mesh bowl_mesh(double radius, uint32_t around, uint32_t down);

/* The same triangles, each with vertices of its own. */
test_mesh loose_mesh(const test_mesh *mesh);
void turn_inside_out(test_mesh *mesh);

#endif
