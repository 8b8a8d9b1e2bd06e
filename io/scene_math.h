/* What scenes compute with. Everything here gives the same bits with any compiler and C library: + - * / and
 * sqrt only. */
#ifndef MOTE_IO_SCENE_MATH_H
#define MOTE_IO_SCENE_MATH_H

#include "mote/mote.h"

/* kg of a ball. */
float scene_ball_mass(float density, float radius);

/* The point of the unit circle after so many turns. */
void scene_circle(double turns, double *x, double *y);

/* Evenly spread numbers in [0, 1), the same for the same seed. */
typedef struct scene_random {
    uint64_t state;
} scene_random;
double scene_random_next(scene_random *random);
/* The random numbers of one thing among many, without those before it. */
scene_random scene_random_of(uint32_t seed, uint64_t index);

/* 64 bits of any bytes (FNV-1a); go on with the hash of what came before, or SCENE_HASH_START. */
#define SCENE_HASH_START UINT64_C(0xCBF29CE484222325)
uint64_t scene_hash_bytes(uint64_t hash, const void *data, size_t size);

double scene_length(mote_vec3 v);
double scene_dot(mote_vec3 a, mote_vec3 b);

/* The rotation about an axis, of any length but 0. */
mote_quat scene_turn(mote_vec3 axis, double degrees);
mote_vec3 scene_rotate(mote_quat q, mote_vec3 v);
mote_quat scene_unit(mote_quat q);
/* The rotation `second` after `first`. */
mote_quat scene_multiply(mote_quat second, mote_quat first);
/* Coordinates that stand in those of `outer`; and the other way round. */
mote_pose scene_pose_in(mote_pose outer, mote_pose inner);
mote_pose scene_pose_inverse(mote_pose pose);
/* The rotation a part (0..1) of the shorter way from `a` to `b`, at even speed. */
mote_quat scene_slerp(mote_quat a, mote_quat b, double part);

#endif
