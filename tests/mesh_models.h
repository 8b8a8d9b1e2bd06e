/* Meshes for tests, and the truth about them by looking at every triangle. */
#ifndef MOTE_TESTS_MESH_MODELS_H
#define MOTE_TESTS_MESH_MODELS_H

#include "support.h"

#include "base/memory.h"

/* The one mesh that is being built. */
enum { MAX_VERTICES = 20000, MAX_TRIANGLES = 40000 };

typedef struct model {
    mote_vec3 vertices[MAX_VERTICES];
    uint32_t triangles[3 * MAX_TRIANGLES];
    uint32_t vertex_count, triangle_count;
} model;

extern model shared_model;

void model_clear(void);
uint32_t model_vertex(mote_vec3 at);
void model_triangle(uint32_t a, uint32_t b, uint32_t c);
mote_mesh model_source(void); /* lasts until the next one is built */

/* A tube of radius `tube` around a circle of radius 1 about y. */
void build_torus(uint32_t around, uint32_t across, float tube);
/* Of radius 1, with poles at y = +-1 where some triangles have no area. */
void build_sphere(uint32_t around, uint32_t down);
/* The cube of half width 1, every side of cells * cells * 2 triangles, looking outwards. Sides do not share
 * vertices: they must be welded. */
void build_cube(uint32_t cells);
/* A cube with a pyramid on each triangle: some long and thin, some dents. Sharp edges and vertices of all
 * kinds, at multiples of 2^-19. */
void build_star(void);
/* x and z in 0..cells, split along either diagonal, at y = slope * x, looking up. */
void build_floor(uint32_t cells, float slope);

/* What the colliders under test are made with, and a teardown that looks whether all of it came back. */
extern mt_memory memory;
int nothing_leaks(void **state);

/* Each coordinate within +-half. */
mote_vec3 random_point(uint64_t *seed, float half);

/* ---- truth, in double precision ------------------------------------------------------------------------- */

typedef struct wide {
    double x, y, z;
} wide;

wide wide_from(mote_vec3 origin, mote_vec3 a);
double wide_dot(wide a, wide b);
/* Squared distance of the origin from a segment and from a triangle. */
double segment_square(wide a, wide b);
double triangle_square(wide a, wide b, wide c);
/* How far x is above the plane dot(normal, x) = offset. */
double height_over(mote_vec3 normal, float offset, mote_vec3 x);

typedef struct truth {
    double distance; /* to the nearest triangle */
    double winding;  /* how often the mesh goes around: 1 inside, 0 outside */
} truth;

truth truth_of(const mote_mesh *mesh, mote_vec3 x);

#endif
