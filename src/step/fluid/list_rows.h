/* The rows of a slice's neighbour lists, for the kernels of fluids. */
#ifndef MOTE_STEP_FLUID_LIST_ROWS_H
#define MOTE_STEP_FLUID_LIST_ROWS_H

#include "base/simd.h"
#include "step/scratch.h"

typedef struct list_rows {
    const uint32_t *index; /* eight slots a row */
    uint32_t count;
} list_rows;

LANE_FUNCTION list_rows rows_of(const mt_substep *s, uint32_t slice)
{
    uint32_t start = ((const uint32_t *)s->lists.made->start.data)[slice];
    return (list_rows){(const uint32_t *)s->lists.made->rows.data + (size_t)start * LANES,
                       ((const uint32_t *)s->lists.made->length.data)[slice]};
}

/* None where no liquid is near. */
LANE_FUNCTION list_rows rows_near_liquid(const mt_substep *s, uint32_t slice)
{
    list_rows rows = rows_of(s, slice);
    rows.count = s->liquids.near_liquid[slice] ? rows.count : 0;
    return rows;
}

#endif
