/* Rotations and 3 x 3 matrices for tests, and the best rotation of a matrix, worked out by its singular
 * values. */
#ifndef MOTE_TESTS_TURNS_H
#define MOTE_TESTS_TURNS_H

#include <stdint.h>

#include "base/rotation.h"

typedef struct vector {
    double x, y, z;
} vector;

typedef struct quaternion {
    double x, y, z, w;
} quaternion;

quaternion unit(quaternion q);
quaternion of_floats(mote_quat q); /* made unit */
mote_quat to_floats(quaternion q);
quaternion times(quaternion a, quaternion b);

/* How far one is turned from the other, rad; good for small angles too. */
double angle_between(quaternion a, quaternion b);

mt_matrix matrix_of(quaternion q);
quaternion quaternion_of(const mt_matrix *rotation);
vector apply(const mt_matrix *a, vector v);
mt_matrix multiply(const mt_matrix *a, const mt_matrix *b);
mt_matrix transposed(const mt_matrix *a);

/* Random numbers: see random_between in support.h. */
double between(uint64_t *state, double low, double high);
quaternion random_turn(uint64_t *state);
double any_scale(uint64_t *state);
/* A matrix with these singular values, turned at random before and after. */
mt_matrix with_values(uint64_t *state, double s1, double s2, double s3);

typedef struct parts {
    long double u[3][3], v[3][3]; /* columns; a = u diag(s) v^T, as far as s is not 0 */
    long double s[3];             /* largest first, 0 or more */
    double sign;                  /* of a's determinant */
} parts;

parts take_apart(const mt_matrix *a);

/* u diag(1, 1, +-1) v^T: the best rotation, if there is only one. */
quaternion exact_answer(parts p);

/* How much the second best of the stationary rotations is worse than the best: 0 to 2, 0: a tie. */
double clearness(const parts *p);

#endif
