/* The parts of finding who may touch whom: contact_set.c. */
#ifndef MOTE_STEP_IMPULSE_CONTACT_SET_H
#define MOTE_STEP_IMPULSE_CONTACT_SET_H

#include "step/impulse/contact_rows.h"
#include "step/scratch.h"

typedef struct mt_set_job {
    mote_world *world;
    mt_substep *s;
    mt_impulses *w;
    bool turns;      /* some mover may turn: mt_may_turn */
    uint32_t ranges; /* of slices: as many as there are threads */
} mt_set_job;

/* Its first slice. */
static inline uint32_t mt_range_start(const mt_set_job *job, uint32_t range)
{
    return (uint32_t)((uint64_t)job->s->slices * range / job->ranges);
}

/* Pairs that a particle owns are put into its column of the contact lists while they are looked for: slots, with this bit
 * if it is the surface of the other's body that is touched, and the pair's sort (mt_pair_sort) between the two. */
#define MT_ON_SURFACE     0x80000000u
#define MT_OWN_SORT_SHIFT 28u
#define MT_OWN_SLOT       0x0FFFFFFFu

/* The other of a pair that is found: its index, whether the surface of its body is touched, and the pair's sort. */
#define MT_FOUND_SHIFT 4u

static inline uint32_t mt_found(uint32_t index, bool on_surface, uint32_t sort)
{
    return index << MT_FOUND_SHIFT | (uint32_t)on_surface << 3 | sort;
}

static inline uint32_t mt_found_index(uint32_t found)
{
    return found >> MT_FOUND_SHIFT;
}

static inline bool mt_found_surface(uint32_t found)
{
    return (found & 8u) != 0;
}

static inline mt_pair_sort mt_found_sort(uint32_t found)
{
    return (mt_pair_sort)(found & 7u);
}

/* How many pairs of loose particles there are of a colour, round after round; last, of those that found none. */
typedef uint32_t mt_color_sizes[MT_ALL_COLORS + 1];

/* pair_rows.c: rows for pairs of loose particles, colour by colour. */
mote_result mt_pair_rows_lay(mt_set_job *job, const mt_color_sizes sizes);

/* Says which pair is solved in a lane. */
static inline void mt_put_in_lane(mt_impulses *w, uint32_t pair, uint32_t row, uint32_t lane)
{
    ((uint32_t *)w->rows.lane_pair.data)[(size_t)row * MT_SLICE + lane] = pair;
    ((uint32_t *)w->rows.lane_of.data)[pair] = row * MT_SLICE + lane;
}

/* pairs.c: the pairs that were found, in their order, with what was remembered of them. */
mote_result mt_pairs_order(mt_set_job *job);

static inline bool mt_mover_moves(const mt_impulses *w, uint32_t mover)
{
    return ((const mote_vec4 *)w->movers.velocity.data)[mover].w > 0;
}

#endif
