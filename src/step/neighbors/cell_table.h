/* Tables of wide cells, whose coordinates wrap around, and what is in and around each cell: for how particles move
 * (ahead.c, flow.c). */
#ifndef MOTE_STEP_NEIGHBORS_CELL_TABLE_H
#define MOTE_STEP_NEIGHBORS_CELL_TABLE_H

#include "base/simd.h"
#include "step/neighbors/cells.h"
#include "step/neighbors/plan.h"

static inline uint32_t mt_table_cell_at(const mt_cell_table *t, const int32_t at[3])
{
    return mt_wrap(at[0], t->bits[0]) | mt_wrap(at[1], t->bits[1]) << t->bits[0] |
           mt_wrap(at[2], t->bits[2]) << (t->bits[0] + t->bits[1]);
}

static inline uint32_t mt_table_cell(const mt_cell_table *t, mote_vec4 x)
{
    const int32_t at[3] = {mt_cell_coordinate(x.x, t->inverse_cell), mt_cell_coordinate(x.y, t->inverse_cell),
                           mt_cell_coordinate(x.z, t->inverse_cell)};
    return mt_table_cell_at(t, at);
}

/* The cells before and after one along an axis. */
static inline void mt_cells_beside(const mt_cell_table *t, uint32_t cell, int axis, uint32_t beside[2])
{
    uint32_t shift = axis == 0 ? 0 : axis == 1 ? t->bits[0] : t->bits[0] + t->bits[1];
    uint32_t mask = ((1u << t->bits[axis]) - 1u) << shift, others = cell & ~mask;
    beside[0] = others | ((cell - (1u << shift)) & mask);
    beside[1] = others | ((cell + (1u << shift)) & mask);
}

/* As many cells as there is use for between `low` and `high`, narrowed along the longest axis until they are no more than
 * about `most`. */
static inline void mt_table_size(mt_cell_table *t, const float low[3], const float high[3], uint32_t most)
{
    uint32_t budget = 6;
    while (1u << budget < most)
        budget++;
    for (int axis = 0; axis < 3; axis++) {
        float wide = (high[axis] - low[axis]) * t->inverse_cell + 2.0f;
        for (t->bits[axis] = 0; t->bits[axis] < budget && (float)(1u << t->bits[axis]) < wide;)
            t->bits[axis]++;
    }
    while (t->bits[0] + t->bits[1] + t->bits[2] > budget) {
        int longest = t->bits[1] > t->bits[0] ? 1 : 0;
        longest = t->bits[2] > t->bits[longest] ? 2 : longest;
        t->bits[longest]--;
    }
    t->count = 1u << (t->bits[0] + t->bits[1] + t->bits[2]);
}

typedef int32_t quad_mask __attribute__((vector_size(16)));

LANE_FUNCTION quad mt_quad_of(mote_vec4 a)
{
    quad value;
    memcpy(&value, &a, sizeof value);
    return value;
}

LANE_FUNCTION mote_vec4 mt_vec4_of(quad a)
{
    mote_vec4 value;
    memcpy(&value, &a, sizeof value);
    return value;
}

LANE_FUNCTION mote_vec4 mt_plus4(mote_vec4 a, mote_vec4 b)
{
    return mt_vec4_of(mt_quad_of(a) + mt_quad_of(b));
}

/* Of each number a's where the mask is, else b's. */
LANE_FUNCTION mote_vec4 mt_either4(quad_mask mask, quad a, quad b)
{
    return mt_vec4_of((quad)((mask & (quad_mask)a) | (~mask & (quad_mask)b)));
}

LANE_FUNCTION mote_vec4 mt_most4(mote_vec4 a, mote_vec4 b)
{
    quad p = mt_quad_of(a), q = mt_quad_of(b);
    return mt_either4(p > q, p, q);
}

LANE_FUNCTION mote_vec4 mt_least4(mote_vec4 a, mote_vec4 b)
{
    quad p = mt_quad_of(a), q = mt_quad_of(b);
    return mt_either4(p < q, p, q);
}

/* Of each cell and its neighbours along an axis: one axis after the other makes it those all around. `values[0]` has what
 * comes out. */
LANE_FUNCTION void mt_gather_around(const mt_cell_table *t, mote_vec4 *values[2],
                                    mote_vec4 join(mote_vec4, mote_vec4))
{
    for (int axis = 0; axis < 3; axis++) {
        for (uint32_t cell = 0; cell < t->count; cell++) {
            uint32_t beside[2];
            mt_cells_beside(t, cell, axis, beside);
            values[1][cell] = join(values[0][cell], join(values[0][beside[0]], values[0][beside[1]]));
        }
        mote_vec4 *made = values[1];
        values[1] = values[0];
        values[0] = made;
    }
}

#endif
