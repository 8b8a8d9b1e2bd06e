/* Cutting points into pieces, for the files pieces*.c. */
#ifndef MOTE_BUILD_PIECES_H
#define MOTE_BUILD_PIECES_H

#include "base/memory.h"
#include "mote/rigid.h"

/* ---- who is near whom (pieces_near.c) ------------------------------------------------------------------- */

#define MT_PIECES_REACH                                                                                        \
    1.5 /* spacings: points that hold together; the diagonal of a lattice's cell face counts */
#define MT_PIECES_DIRECT 1.2 /* spacings: points that share a face of their cubes */

typedef struct mt_near_points {
    const mote_vec3 *points;
    uint32_t count;
    double reach;    /* m */
    size_t slots;    /* a power of two */
    uint32_t *heads; /* a slot: the first of its points, plus 1 */
    uint32_t *next;  /* a point: the next in its slot, plus 1 */
} mt_near_points;

mote_result mt_near_points_make(mt_memory *memory, const mote_vec3 *points, uint32_t count, double reach,
                                mt_near_points *near);
void mt_near_points_free(mt_memory *memory, mt_near_points *near);

/* Calls `visit` for every pair i < j within reach, in the order of i, until it answers false. */
typedef bool mt_pair_visit(void *context, uint32_t i, uint32_t j);
void mt_near_points_pairs(const mt_near_points *near, mt_pair_visit *visit, void *context);

/* ---- sets that grow together ---------------------------------------------------------------------------- */

/* The first of the set that i is in; shortens the way for the next who asks. */
static inline uint32_t mt_set_of(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/* Makes two sets one, which the lower first stands for; false if they were one. */
static inline bool mt_set_join(uint32_t *parent, uint32_t i, uint32_t j)
{
    i = mt_set_of(parent, i);
    j = mt_set_of(parent, j);
    if (i == j)
        return false;
    parent[i < j ? j : i] = i < j ? i : j;
    return true;
}

/* ---- the cuts ------------------------------------------------------------------------------------------- */

/* Two points near each other that are in different pieces. */
typedef struct mt_cut_pair {
    uint32_t a, b; /* the pieces, a < b */
    uint32_t i, j; /* the points, i in a and j in b */
} mt_cut_pair;

typedef struct mt_cuts {
    uint32_t count;     /* of points */
    uint32_t *piece_of; /* a point */
    uint32_t piece_count;
    mt_array pairs; /* mt_cut_pair, sorted */
    mt_array spare; /* of the same size */
    size_t pair_count;
} mt_cuts;

/* pieces_cells.c: which cell of the cut a point is in: any number. */
void mt_cut_cells(const mote_pieces_def *pieces, const mote_vec3 *points, uint32_t count, float spacing,
                  uint64_t *cell_of);

/* pieces_cut.c: pieces are what holds together within a cell; crumbs go to a neighbour. */
mote_result mt_cuts_make(mt_memory *memory, const mote_pieces_def *pieces, const mote_vec3 *points,
                         uint32_t count, float spacing, mt_cuts *cuts);
void mt_cuts_free(mt_memory *memory, mt_cuts *cuts);

/* ---- where two pieces meet (pieces_join.c) -------------------------------------------------------------- */

typedef struct mt_interface {
    mote_vec3 anchor; /* its middle, in the coordinates of the points */
    mote_vec3 normal; /* from a to b, unit */
    double area;      /* m^2 */
    double extent;    /* the smaller one, m */
} mt_interface;

/* Of a run of pairs of the same two pieces. `direct`: whether some are neighbours in the lattice. */
mt_interface mt_interface_measure(const mt_cut_pair *pairs, size_t count, const mote_vec3 *points,
                                  float spacing, bool *direct);
/* Whether a pair counts: all do if none is direct. */
bool mt_pair_is_direct(const mt_cut_pair *pair, const mote_vec3 *points, float spacing);

#endif
