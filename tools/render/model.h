/* Forms as triangles, in coordinates of their own. One model may be drawn at many places. */
#ifndef MOTE_TOOLS_RENDER_MODEL_H
#define MOTE_TOOLS_RENDER_MODEL_H

#include "mote/mote.h"

#include <stdbool.h>

typedef struct model_vertex {
    mote_vec3 position; /* m */
    mote_vec3 normal;   /* outward unit vector */
} model_vertex;

typedef struct model {
    model_vertex *vertices;
    size_t vertex_count, vertex_room;
    uint32_t *triangles; /* three vertices each, counter-clockwise seen from outside */
    size_t triangle_count, triangle_room;
    size_t upper; /* of balls: the vertices before this one are the upper half */
    bool failed;  /* there was no memory: something is missing */
} model;

void model_destroy(model *m);

/* The index of the new vertex; 0 after a failure. */
uint32_t model_add_vertex(model *m, mote_vec3 position, mote_vec3 normal);
void model_add_triangle(model *m, uint32_t a, uint32_t b, uint32_t c);

/* The smallest box around it. */
void model_bounds(const model *m, mote_vec3 *min, mote_vec3 *max);

/* Each fills an empty model; m->failed tells of missing memory. */

/* A ball of radius 1. Its halves meet in a belt without height, so that pulled apart they make a capsule. */
void model_make_ball(model *m, int segments);
/* A box from -1 to 1 on every axis. */
void model_make_box(model *m);
/* A hull or a mesh: smooth where it bends gently, with edges where it does not. */
void model_make_mesh(model *m, const mote_mesh *mesh);
/* Ground with sides, like a block that was cut out of it. */
void model_make_heights(model *m, const mote_heightfield_def *heights);
/* Where the distance is 0. */
void model_make_distances(model *m, const mote_sdf_def *distances);

#endif
