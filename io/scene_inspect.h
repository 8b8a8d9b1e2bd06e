/* A closer look at a scene: faults that only its meshes and its first state show. */
#ifndef MOTE_IO_SCENE_INSPECT_H
#define MOTE_IO_SCENE_INSPECT_H

#include "io/scene_file.h"

/* Holes, triangles without an area, what is inside out, and geometries that cannot be made. Also for a scene
 * that could not be read as a whole. */
void scene_inspect_meshes(const scene_file *file, scene_faults *faults);

/* Grains that would pass the limit of particles. `built_in` is how many particles a builder makes. */
void scene_inspect_count(const scene_file *file, size_t built_in, scene_faults *faults);

/* The world as it was just built: particles inside each other, inside shapes or out of bounds; masses, radii
 * and speeds that the solver settings are too coarse for; materials that nothing uses. `built_in` is how many
 * particles a builder made; they come first. */
void scene_inspect_world(scene_file *file, mote_world *world, size_t built_in, scene_faults *faults);

/* ---- its parts ------------------------------------------------------------------------------------------ */

/* What deeper overlaps count: this part of the smaller radius. */
#define SCENE_DEEP 0.1f

/* How many pairs of particles start deep in each other; the first pair and its depth. */
typedef struct scene_pairs {
    uint64_t count;
    size_t first, second; /* places in the world's arrays */
    float depth;          /* m, of the first pair */
    bool incomplete;      /* there were too many candidates to look at all, or no memory */
} scene_pairs;
void scene_find_pairs(const mote_world *world, scene_pairs *pairs);

/* How many particles are deep in each of the shapes that are hulls, meshes, distance or height fields, and
 * which is the first; by the place of the shape in the file. False without memory. */
typedef struct scene_inside {
    size_t count, first;
} scene_inside;
bool scene_find_in_geometries(scene_file *file, const mote_world *world, scene_inside *inside);

/* How deep a ball is in a shape, m; 0 or less if it is not, or if the shape is a geometry. */
float scene_depth_in_shape(const mote_shape_def *shape, mote_vec3 center, float radius);

#endif
