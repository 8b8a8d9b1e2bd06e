/* Worlds with the default settings: impulses, eight substeps, one pass over the contacts in each, and nothing that
 * would help from outside. */
#ifndef MOTE_TESTS_IMPULSE_WORLD_H
#define MOTE_TESTS_IMPULSE_WORLD_H

#include "lattices.h"

mote_settings impulse_settings(void);
mote_settings impulse_weightless(void);
mote_world *impulse_world(void);
mote_world *impulse_weightless_world(void);

/* A block whose centre is at `center`, of 1 kg a particle. */
mote_body_id add_brick(mote_world *world, uint32_t nx, uint32_t ny, uint32_t nz, mote_vec3 center);

/* A joint at `anchor` with the type's defaults; b null: to the world. */
mote_joint_id join(mote_world *world, mote_joint_type type, mote_body_id a, mote_body_id b, mote_vec3 anchor,
                   mote_vec3 axis);

/* Two bars of 4 x 2 x 2 that a ball joint at `anchor` holds together, one to each side of it along x. */
void add_jointed_bars(mote_world *world, mote_vec3 anchor, mote_body_id bar[2]);

/* The fastest particle that is not fixed, m/s. */
double fastest_of(const mote_world *world);

/* Of motion and of height above y = 0, J, of all particles that are not fixed. */
double energy_of(const mote_world *world);

#endif
