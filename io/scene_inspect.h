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

/* Rigs that are as tall as nobody is and do not say their height; bones that are inside shapes when they are
 * first let go, for which the world is changed: it is the last thing to ask of it. */
void scene_inspect_rigs(const scene_file *file, scene_faults *faults);
void scene_inspect_releases(scene_file *file, mote_world *world, scene_faults *faults);

/* How many pairs of particles start deep in each other; the first pair and its depth. */
typedef struct scene_pairs {
    uint64_t count;
    size_t first, second; /* places in the world's arrays */
    float depth;          /* m, of the first pair */
    bool incomplete;      /* there were too many candidates to look at all, or no memory */
} scene_pairs;
void scene_find_pairs(const mote_world *world, scene_pairs *pairs);

/* Which particles are looked for in shapes. */
typedef struct scene_search {
    size_t begin, end; /* places in the world's arrays */
    float deep;        /* radii, below 1: those count that are deeper */
} scene_search;

/* How many free particles are so deep in a shape, which is the first, and how deep that is. */
typedef struct scene_inside {
    size_t count, first;
    float depth; /* m; 0 in geometries */
} scene_inside;

/* In one that is no geometry; in each that is one (hulls, meshes, distance and height fields), by the place of
 * the shape in the file. False without memory. */
scene_inside scene_find_in_shape(const mote_world *world, scene_search search, const mote_shape_def *shape);
bool scene_find_in_geometries(scene_file *file, const mote_world *world, scene_search search,
                              scene_inside *inside);

#endif
