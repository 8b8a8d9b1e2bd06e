/* Ropes and springs for tests: chains of distance constraints. */
#ifndef MOTE_TESTS_ROPES_H
#define MOTE_TESTS_ROPES_H

#include "impulse_world.h"

/* A distance with everything else at its default; MOTE_AS_MADE: as long as it is. */
mote_constraint_id hold(mote_world *world, mote_constraint_end a, mote_constraint_end b, float length);
/* With a compliance, m/N, and a damping, N s/m. */
mote_constraint_id add_spring(mote_world *world, mote_constraint_end a, mote_constraint_end b, float length,
                              float compliance, float damping);

/* What a constraint measures, and its force. */
double measure_of(const mote_world *world, mote_constraint_id constraint);
double force_of(const mote_world *world, mote_constraint_id constraint);

typedef struct rope {
    mote_particle_id particles[128];
    mote_constraint_id links[128];
    uint32_t count; /* of links; particles between them are one less */
} rope;

/* Links in a row from one end to the other, in the straight line between two points, of particles of `mass` and a
 * tenth of TEST_RADIUS. The links' lengths are `length`, MOTE_AS_MADE: as they lie. */
rope add_rope(mote_world *world, mote_constraint_end from, mote_vec3 start, mote_constraint_end to,
              mote_vec3 end, uint32_t links, float mass, float length);

/* Three ropes from a beam in the air: one hangs free, one carries a brick that lies on another, one falls on the floor. */
void add_hanging_things(mote_world *world, mote_vec3 at);

#endif
