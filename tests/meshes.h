/* Triangle meshes of known form, for the tests. */
#ifndef MOTE_TESTS_MESHES_H
#define MOTE_TESTS_MESHES_H

#include "support.h"

typedef struct test_mesh {
    mote_vec3 *vertices;
    uint32_t *triangles;
    size_t vertex_count, triangle_count;
} test_mesh;

mote_mesh mesh_view(const test_mesh *mesh);
void mesh_free(test_mesh *mesh);

/* Around the y axis: `major` from the middle to the tube's middle, `minor` the tube's radius. */
test_mesh torus_mesh(double major, double minor, uint32_t around, uint32_t across);
/* Twelve triangles, looking outwards. */
test_mesh box_mesh(mote_vec3 half);
/* A flat square of 2 cells^2 triangles at y = 0, from -half to half. */
test_mesh floor_mesh(float half, uint32_t cells);
/* A bowl: the part of a sphere below its middle, open above; its rim is at y = 0. */
test_mesh bowl_mesh(double radius, uint32_t around, uint32_t down);

#endif
