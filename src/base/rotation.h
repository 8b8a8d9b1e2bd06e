/* Rotations and main axes of matrices: how a body is turned that is matched to its particles, and about which
 * axes it turns freely. In double precision, by operations that are the same on every machine. */
#ifndef MOTE_BASE_ROTATION_H
#define MOTE_BASE_ROTATION_H

#include "mote/base.h"

typedef struct mt_matrix {
    double m[3][3]; /* row, column */
} mt_matrix;

/* The rotation R that makes trace(R^T a) largest. With a = sum of mass * (x - center) * rest^T, both from the
 * centre of mass, it is the one that turns the rest positions nearest to x. Never a reflection. Where several
 * are equally good (a rod, a point, a body turned inside out) it is the one of them nearest to `guess`, so that
 * a rod does not spin about itself; where one is best, the guess only saves time. Of the answer's two signs
 * it is the one on the guess's side. `a` of any size, finite; `guess` of any length, 0 meaning no turn. */
mote_quat mt_rotation_extract(const mt_matrix *a, mote_quat guess);

/* Eigenvalues, smallest first, and unit eigenvectors as the columns of a rotation, of a symmetric finite
 * matrix. */
void mt_symmetric_eigen(const mt_matrix *a, double values[3], mt_matrix *vectors);

#endif
