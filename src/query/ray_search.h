/* The search for the nearest thing that one ray meets. */
#ifndef MOTE_QUERY_RAY_SEARCH_H
#define MOTE_QUERY_RAY_SEARCH_H

#include "query/query.h"
#include "query/ray.h"

/* Particles in blocks of slots that follow each other, blocks of such blocks, and so on up to one. After a step
 * particles lie in cell order, so that the boxes are small; they are made in one pass, which a tree that looks
 * for the best cuts would not be. */
#define MT_BLOCK_LEVELS 10 /* enough for 2^32 slots */

typedef struct mt_particle_blocks {
    mt_box *boxes; /* of all levels, the lowest first */
    uint32_t total;
    uint32_t first[MT_BLOCK_LEVELS], count[MT_BLOCK_LEVELS]; /* of each level, in `boxes` */
    uint32_t levels;
} mt_particle_blocks;

mote_result mt_particle_blocks_make(const mote_world *world, mt_particle_blocks *blocks);
void mt_particle_blocks_free(const mote_world *world, mt_particle_blocks *blocks);

typedef struct mt_ray_search {
    const mote_world *world;
    const mote_query_filter *filter;
    const mt_particle_blocks *blocks;
    mt_ray ray;
    double nearest; /* m; what is further does not count: at first the ray's length */
    bool found, is_shape;
    uint32_t place; /* of the nearest so far: a particle's slot, or a shape's place in its table */
    uint32_t index; /* of its id */
    mote_vec3 normal;
} mt_ray_search;

/* Takes the thing at `place` if it is nearer than the nearest so far; of equally near ones particles come
 * before shapes, and low indices before high ones. Answers whether it was taken. */
bool mt_ray_take(mt_ray_search *search, double distance, bool is_shape, uint32_t place, uint32_t index);

void mt_ray_meet_particles(mt_ray_search *search);
void mt_ray_meet_shapes(mt_ray_search *search);

#endif
