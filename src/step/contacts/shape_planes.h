/* Where particles touch shapes, as planes, and which shapes are near them. */
#ifndef MOTE_STEP_CONTACTS_SHAPE_PLANES_H
#define MOTE_STEP_CONTACTS_SHAPE_PLANES_H

#include "mote/base.h"

/* A row of contacts of a slice: each lane's k-th plane of contact, of whatever shape. Lanes that have fewer
 * have a plane far below them. */
typedef struct mt_shape_row {
    _Alignas(32) float normal_x[8], normal_y[8], normal_z[8], offset[8];
    float start_offset[8]; /* of the plane at the start; far below: not to be stabilised */
    float static_friction[8], kinetic_friction[8];
    float push_x[8], push_y[8], push_z[8]; /* what the contact gave so far: displacement times mass, kg m */
    uint32_t shape[8];                     /* its place in the table */
    uint32_t hit;                          /* bits of the lanes that would have crossed this plane */
    _Alignas(32) float move_x[8];
    float move_y[8], move_z[8]; /* of the shape during the substep, m */
    float restitution[8];
    float pull[8];     /* the force with which it holds, N */
    float softness[8]; /* compliance over h^2, 1/kg */
} mt_shape_row;

/* The shapes near a slice: good for as long as its particles stay in their cubes, or where there are none for
 * a while all of them in one box. */
typedef struct mt_shape_cache {
    uint32_t first, count; /* in the candidates */
    bool valid;
    bool wide;             /* there is no shape in the box */
    bool guarded;          /* the guard has looked at some of its particles, and may have moved them */
    bool touched;          /* the same, but in any of its passes over the substep */
    float low[4], high[4]; /* of the box; the last hold anything */
    float margin;          /* m: the guard keeps so far inside */
} mt_shape_cache;

#endif
