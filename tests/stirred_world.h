/* Worlds of liquids whose velocities matter: for the tests of viscosity, XSPH and vorticity. */
#ifndef MOTE_TESTS_STIRRED_WORLD_H
#define MOTE_TESTS_STIRRED_WORLD_H

#include "support.h"

#define R 0.025f /* m, of particles unless a test says otherwise */

/* A fluid of which only the viscosity is not the default. */
mote_material_def liquid_def(float viscosity);
mote_world *stirred_world(mote_settings settings, float radius, uint32_t threads);
/* A block of touching particles with a corner at the origin. */
void add_liquid(mote_world *world, mote_material_def liquid, float radius, const uint32_t count[3]);
void add_wall(mote_world *world, mote_vec3 normal, float offset);

/* Every particle gets the velocity that the field has where it is. */
typedef mote_vec3 velocity_field(mote_vec4 place, float scale);
void set_velocities(mote_world *world, velocity_field *field, float scale);

#endif
