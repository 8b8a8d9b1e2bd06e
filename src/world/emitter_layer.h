/* The particles that an emitter lets out at a time: a layer across its opening. */
#ifndef MOTE_WORLD_EMITTER_LAYER_H
#define MOTE_WORLD_EMITTER_LAYER_H

#include "mote/emitter.h"

typedef struct mt_emitter_layer {
    mote_emitter_form form;
    mote_vec3 middle;
    mote_vec3 direction, first_side, second_side; /* unit, across each other */
    float width, height;                          /* of the lattice, along the sides, m */
    float spacing;                                /* to the next layer, m */
    uint32_t count;                               /* particles */
    uint32_t columns, rows; /* of a rectangle; of a disc: rows to each side of the middle */
    float reach;            /* of a disc, in half widths of the lattice */
    uint32_t gap;           /* of a disc: the middle is a gap of the lattice, not a point */
} mt_emitter_layer;

/* For particles of a radius; the definition has been checked. */
mt_emitter_layer mt_emitter_layer_make(const mote_emitter_def *def, float radius);

/* Goes through the places of a layer; start from {0}. */
typedef struct mt_emitter_cursor {
    uint32_t number;
} mt_emitter_cursor;
bool mt_emitter_layer_next(const mt_emitter_layer *layer, mt_emitter_cursor *cursor, mote_vec3 *place);

#endif
