/* Which shapes are near eight particles. A group of slices asks the trees once, for the box of them all;
 * each slice picks its own from that list. Particles that follow each other in memory are neighbours but for
 * a jump now and then; on both sides of a jump they are asked for apart.
 *
 * What was found is remembered, also from step to step: for each lane a cube, and for the slice all shapes
 * that overlap one of the cubes. It is good for whoever is in a lane, as long as he stays in its cube and no
 * shape is moved or changed. What is remembered is always enough and never too little, and always in the
 * order of the shapes, so it changes no result. */
#ifndef MOTE_STEP_CONTACTS_SHAPE_SEARCH_H
#define MOTE_STEP_CONTACTS_SHAPE_SEARCH_H

#include "step/contacts/eight.h"
#include "step/kernels.h"

#define MT_GROUP_CANDIDATES 256u /* of a group of slices; with more each slice asks for itself */
#define MT_MOST_CANDIDATES  96u  /* of eight particles; with more there is no list */

/* A shape that is near: its number, and the bits of the lanes that it is near to. Sorted by number as they
 * are. */
#define MT_CANDIDATE(shape, lanes)    ((shape) << 8 | (lanes))
#define MT_CANDIDATE_SHAPE(candidate) ((candidate) >> 8)
#define MT_CANDIDATE_LANES(candidate) ((candidate)&0xFFu)

/* The shapes near a group: their numbers and their boxes, side by side. */
typedef struct shape_group {
    uint32_t first, last; /* slices [first, last) */
    uint32_t count;       /* more than there is room for: no list */
    mt_box box;           /* where they were looked for */
    uint32_t shape[MT_GROUP_CANDIDATES + LANES];
    float min_x[MT_GROUP_CANDIDATES + LANES], min_y[MT_GROUP_CANDIDATES + LANES];
    float min_z[MT_GROUP_CANDIDATES + LANES], max_x[MT_GROUP_CANDIDATES + LANES];
    float max_y[MT_GROUP_CANDIDATES + LANES], max_z[MT_GROUP_CANDIDATES + LANES];
} shape_group;

typedef struct shape_search {
    const mt_substep *s;
    uint32_t end; /* of the slices to be searched for */
    shape_group group;
    uint32_t found[MT_MOST_CANDIDATES + LANES];
} shape_search;

/* The shapes near eight particles, in rising order, in `found`; more than MT_MOST_CANDIDATES: there is no
 * list. For when nothing is remembered. */
uint32_t MT_KERNEL(search_slice)(shape_search *search, const eight *e, const sweeps *w, uint32_t slice);
/* The same for one of them. */
uint32_t MT_KERNEL(search_lane)(shape_search *search, const sweeps *w, uint32_t lane);

/* Whether what is remembered of a slice is good for it now. */
LANE_FUNCTION bool is_remembered(const mt_substep *s, const sweeps *w, uint32_t slice)
{
    const mt_shape_cache *cache = &s->shapes.cache[slice];
    if (!cache->valid)
        return false;
    return (cache->wide ? within_box(w->min, w->max, cache, 0.0f)
                        : within_cubes(w->min, w->max, lanes_load4(s->guard.cubes + slice * LANES))) == 0xFFu;
}

#endif
