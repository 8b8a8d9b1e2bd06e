/* Damping of joints: it takes from how two bodies turn beside each other, once a substep. The impulse and the
 * moment are those of a joint that is stiff but for what the damping leaves of the turning, while the anchor
 * stays as fast as it is: six rows, solved as joint_lanes.h says. */
#ifndef MOTE_STEP_BODIES_JOINT_DAMPING_H
#define MOTE_STEP_BODIES_JOINT_DAMPING_H

#include "step/bodies/pose_step.h"
#include "step/scratch.h"

typedef struct damping_rows {
    mote_vec3 turn_a[6], turn_b[6]; /* how the rows change with the bodies' turning */
    double error[6];
    double factor[6][6]; /* L D L^T of the system, with 1 / D on the diagonal */
} damping_rows;

/* Along x, y and z: e x arm_a and arm_b x e; then turning about x, y and z. */
static inline void damping_fill(damping_rows *rows, mote_vec3 a, mote_vec3 b, mote_vec3 beside)
{
    const mote_vec3 axis[3] = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
    const float less[3] = {beside.x, beside.y, beside.z};
    for (int k = 0; k < 3; k++) {
        rows->turn_a[k] = mt_cross(axis[k], a);
        rows->turn_b[k] = mt_cross(b, axis[k]);
        rows->turn_a[3 + k] = mt_scale(axis[k], -1.0f);
        rows->turn_b[3 + k] = axis[k];
        rows->error[k] = 0.0;
        rows->error[3 + k] = (double)less[k];
    }
}

static inline void damping_matrix(damping_rows *rows, const mt_body_work *a, const mt_body_work *b)
{
    const float none[6] = {0};
    const float *ease_a = a->inverse_mass > 0 ? a->ease : none;
    const float *ease_b = b != NULL && b->inverse_mass > 0 ? b->ease : none;
    double masses = (double)a->inverse_mass + (b != NULL ? (double)b->inverse_mass : 0.0);
    for (int i = 0; i < 6; i++) {
        mote_vec3 ea = mt_ease(ease_a, rows->turn_a[i]), eb = mt_ease(ease_b, rows->turn_b[i]);
        for (int j = 0; j <= i; j++)
            rows->factor[i][j] = (double)(mt_dot(rows->turn_a[j], ea) + mt_dot(rows->turn_b[j], eb));
        if (i < 3)
            rows->factor[i][i] += masses;
    }
}

/* In place: symmetric and positive. Rows that cannot move at all get nothing. */
static inline void damping_factor(double k[6][6])
{
    double scaled[6]; /* L D of the row at hand */
    for (int i = 0; i < 6; i++) {
        double whole = k[i][i], rest = whole;
        for (int j = 0; j < i; j++) {
            double sum = k[i][j];
            for (int m = 0; m < j; m++)
                sum -= scaled[m] * k[j][m];
            scaled[j] = sum;
            k[i][j] = sum * k[j][j];
            rest -= sum * k[i][j];
        }
        k[i][i] = rest > 1e-7 * whole ? 1.0 / rest : 0.0; /* else it follows from the rows before it */
    }
}

static inline void damping_solve(const damping_rows *rows, double lambda[6])
{
    for (int i = 0; i < 6; i++) {
        lambda[i] = -rows->error[i];
        for (int j = 0; j < i; j++)
            lambda[i] -= rows->factor[i][j] * lambda[j];
    }
    for (int i = 5; i >= 0; i--) {
        lambda[i] *= rows->factor[i][i];
        for (int j = i + 1; j < 6; j++)
            lambda[i] -= rows->factor[j][i] * lambda[j];
    }
}

#endif
