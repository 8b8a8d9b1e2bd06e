/* What the tests of bad input share: every fault is answered with an error that names it, and the world is as
 * it was before. */
#ifndef MOTE_TESTS_BAD_INPUT_H
#define MOTE_TESTS_BAD_INPUT_H

#include "refused.h"

/* A world with one of everything, and handles to what is and to what was. */
typedef struct fixture {
    mote_world *world;
    mote_particle_id particle, fixed_particle, stale_particle;
    mote_shape_id shape, stale_shape;
    mote_field_id field, stale_field;
    mote_volume_id volume, stale_volume;
} fixture;

fixture make_fixture(void);

extern const float not_finite[3];

#endif
