/* Bodies for tests: blocks of particles on a lattice, made by the plainest calls there are, and sums over
 * particles that tell what they do. */
#ifndef MOTE_TESTS_LATTICES_H
#define MOTE_TESTS_LATTICES_H

#include "support.h"

typedef struct lattice {
    uint32_t count[3];
    mote_vec3 center;         /* m */
    float spacing;            /* m; 0: twice TEST_RADIUS */
    float mass;               /* kg, of all; 0: 1 kg each */
    mote_vec3 velocity, spin; /* m/s, rad/s */
    mote_material_id material;
} lattice;

#define LATTICE_MAX 512 /* particles of one */

/* A body with its own coordinates as the world's. */
mote_body_id add_lattice(mote_world *world, const lattice *block);

/* The particles of a lattice, appended to `ids` at *count, for bodies that are more than that. */
void add_lattice_particles(mote_world *world, const lattice *block, mote_particle_id *ids, size_t *count);
mote_particle_id add_point(mote_world *world, mote_vec3 position, float mass);
mote_body_id add_body(mote_world *world, const mote_particle_id *ids, size_t count);

mote_body_state body_of(const mote_world *world, mote_body_id body);

/* ---- jointed bodies: the anchor is the origin ------------------------------------------------------------ */

#define ARM      6    /* layers of a hanging or sticking-out block */
#define HALF_ARM 0.25 /* m: half the way from its first to its last layer */

/* A block of 2 x ARM x 2 that hangs from the anchor; its first layer is 0.1 m below. */
lattice hanging(float mass);
/* The same sticking out to +x. */
lattice sticking_out(float mass);
/* A locked block of 2 x 2 x 2. */
mote_body_id add_locked(mote_world *world, mote_vec3 center);

mote_joint_def joint_def(mote_joint_type type, mote_body_id a, mote_body_id b, mote_vec3 axis);
mote_joint_id add_joint_of(mote_world *world, const mote_joint_def *def);
mote_joint_state joint_of(const mote_world *world, mote_joint_id joint);
/* How far a body has carried the point that was at the anchor when it was made, m. */
double gap_of(const mote_world *world, mote_body_id body);

/* ---- vectors -------------------------------------------------------------------------------------------- */

typedef struct triple {
    double x, y, z;
} triple;

triple triple_of(mote_vec3 v);
mote_vec3 vec_of(triple v);
triple plus(triple a, triple b);
triple minus(triple a, triple b);
triple scaled(triple a, double s);
triple cross(triple a, triple b);
double dot(triple a, triple b);
double size_of(triple a);

/* Turned by a rotation. */
triple turned(mote_quat q, triple v);
/* Of a point in a body's own coordinates: where it is in the world. */
triple place_of(const mote_world *world, mote_body_id body, mote_vec3 own);
/* By the angle, rad, about an axis, which is made unit. */
mote_quat turn_about(mote_vec3 axis, double angle);
/* How far a body is turned about a unit axis of the world, -pi..pi, if it turned about this axis only. */
double turn_of(const mote_world *world, mote_body_id body, mote_vec3 axis);
double degrees(double radians);

/* ---- motion --------------------------------------------------------------------------------------------- */

typedef struct motion {
    double mass;
    triple center, momentum; /* m, kg m/s */
    triple angular;          /* about the centre, kg m^2/s */
    double energy;           /* of motion, J */
    double traffic;          /* sum of m |v|: what an error of the momentum is measured by */
    double bustle;           /* sum of m |x - center| |v|: the same for the angular momentum */
} motion;

/* Of all particles that are not fixed. */
motion motion_of(const mote_world *world);

/* The moment of inertia of particles about an axis through a point, kg m^2. */
double inertia_about(const mote_world *world, const mote_particle_id *ids, size_t count, triple point,
                     triple axis);

#endif
