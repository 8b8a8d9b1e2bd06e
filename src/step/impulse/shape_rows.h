/* Rows of contacts with shapes, made anew in every substep. */
#ifndef MOTE_STEP_IMPULSE_SHAPE_ROWS_H
#define MOTE_STEP_IMPULSE_SHAPE_ROWS_H

#include "step/impulse/impulse.h"

typedef struct mt_shape_job {
    mote_world *world;
    mt_substep *s;
    mt_impulses *w;
    mt_shape_side *now;
    const mt_shape_side *last; /* NULL: this is the first substep */
} mt_shape_job;

#define MT_NO_PLANE (0.1f * MT_FAR) /* m: planes further off stand for none */

static inline bool mt_is_plane(float offset)
{
    return offset > -MT_NO_PLANE && offset < MT_NO_PLANE;
}

#endif
