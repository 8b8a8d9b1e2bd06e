/* Inside the rig files: rotations and affine transforms in double precision, since chains of bones are long. */
#ifndef MOTE_IO_RIG_FILE_MATH_H
#define MOTE_IO_RIG_FILE_MATH_H

#include "mote/mote.h"

/* A transform of points: three rows of four. */
typedef struct rig_affine {
    double m[3][4];
} rig_affine;

typedef struct rig_quat {
    double x, y, z, w;
} rig_quat;

typedef struct rig_point {
    double x, y, z;
} rig_point;

#define RIG_UNCHANGED ((rig_affine){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}})

rig_affine rig_product(const rig_affine *outer, const rig_affine *inner);
rig_point rig_apply(const rig_affine *t, rig_point p);
bool rig_finite(const rig_affine *t);
double rig_determinant(const rig_affine *t);
/* False if it has none. */
bool rig_inverse(const rig_affine *t, rig_affine *result);
/* Scales, then turns, then moves. */
rig_affine rig_affine_of(rig_point position, rig_quat rotation, rig_point scale);

/* Where the transform puts its origin and how it turns, without what it stretches. *uneven becomes true (and is
 * left alone else) if that loses more than an even scale. A transform that lies flat turns nothing. */
mote_pose rig_rigid_part(const rig_affine *t, bool *uneven);

/* The shorter way from a to b, evenly; t in 0..1. Both have length 1, and so has the answer. */
rig_quat rig_slerp(rig_quat a, rig_quat b, double t);

/* ---- poses in single precision -------------------------------------------------------------------------- */

mote_quat rig_turn(mote_quat a, mote_quat b); /* first b, then a */
mote_quat rig_turn_back(mote_quat a);
mote_vec3 rig_turned(mote_quat q, mote_vec3 v);
/* Of what stands at `inner` in the coordinates of `outer`. */
mote_pose rig_pose_in(mote_pose outer, mote_pose inner);
/* The other way round: where `pose` stands in the coordinates of `frame`. */
mote_pose rig_pose_from(mote_pose frame, mote_pose pose);

#endif
