/* The contacts of bodies, packed together.
 *
 * Of a body's eight particles few touch others, so in rows of contacts that belong to slices most lanes would
 * be empty. Contacts are known once a substep and solved in every iteration: so those of several assemblies
 * are put side by side once, eight full lanes at a time, and what each gives goes straight to the body of its
 * particle. Each of two bodies that touch has the contact among its own: no one writes what is another's. */
#ifndef MOTE_STEP_BODIES_PAIRS_H
#define MOTE_STEP_BODIES_PAIRS_H

#include "base/memory.h"
#include "mote/mote.h"

#include <stdatomic.h>

#define MT_NOBODY_STRIDE 2u /* mt_told a cache line */
#define MT_BODY_BLOCK    8u /* assemblies that a thread takes at once, and whose contacts are packed together */

/* Contacts of a block of assemblies. */
typedef struct mt_pair_block {
    uint32_t first, count;        /* with particles: multiples of eight */
    uint32_t first_plane, planes; /* with shapes: rows of eight */
    bool scaled;                  /* masses are scaled for some of them */
} mt_pair_block;

/* A contact of a particle with a shape, in a lane: who it is of, and which lane of which shape row it is. */
typedef struct mt_plane_names {
    uint32_t own[8], to[8], row[8], lane[8];
} mt_plane_names;

/* What someone was given in an iteration. */
typedef struct mt_told {
    mote_vec4 push; /* kg m; w: its load, m */
    mote_vec4
        turn; /* the moment of that about the centre of mass, kg m^2; w: 0 but while contacts are solved */
} mt_told;

/* Who is told of pushes: bodies in the plan's order, then shared particles, then for every block a nobody. */
typedef struct mt_body_pairs {
    mt_array blocks;      /* mt_pair_block */
    mt_array own, other;  /* uint32_t a contact: slots */
    mt_array to;          /* uint32_t a contact: who is told */
    mt_array reach;       /* float a contact: the square of the distance from which on the two touch, m^2 */
    mt_array start_reach; /* float a contact: the same when stabilising */
    mt_array planes;      /* mt_shape_row: eight contacts with shapes */
    mt_array names;       /* mt_plane_names of these */
    mt_array told;        /* mt_told for each that is told */
    mt_array centre;      /* mote_vec4 of each: its centre of mass at the start of the substep */
    size_t told_count;
    _Atomic uint32_t used, planes_used;
} mt_body_pairs;

struct mt_substep;

void mt_body_pairs_init(mt_body_pairs *pairs);
void mt_body_pairs_free(mt_body_pairs *pairs, mt_memory *memory);
/* Room for all contacts of a substep. */
mote_result mt_body_pairs_reserve(mote_world *world);

#endif
