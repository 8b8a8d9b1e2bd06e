/* The system of a joint's rows, in lanes: K lambda = -C with K = J M^-1 J^T (see joint_lanes.h). K is made in
 * floats, as J is; it is solved in doubles, four lanes at a time, since its rows may nearly depend on each
 * other. */
#ifndef MOTE_STEP_BODIES_JOINT_SYSTEM_H
#define MOTE_STEP_BODIES_JOINT_SYSTEM_H

#include "step/bodies/body_lanes.h"

typedef double doubles __attribute__((vector_size(32)));
typedef int64_t double_mask __attribute__((vector_size(32)));

LANE_FUNCTION doubles doubles_all(double value)
{
    return (doubles){value, value, value, value};
}

LANE_FUNCTION doubles doubles_of_floats(const float *from)
{
    quad value;
    memcpy(&value, from, sizeof value);
    return __builtin_convertvector(value, doubles);
}

LANE_FUNCTION doubles doubles_load(const double *from)
{
    doubles value;
    memcpy(&value, from, sizeof value);
    return value;
}

LANE_FUNCTION void doubles_store(double *to, doubles value)
{
    memcpy(to, &value, sizeof value);
}

LANE_FUNCTION doubles doubles_keep(double_mask mask, doubles value)
{
    return (doubles)((double_mask)value & mask);
}

/* Where a number of the lower triangle is. */
#define MT_AT(i, j) ((i) * ((i) + 1) / 2 + (j))

/* ---- the matrix ---------------------------------------------------------------------------------------- */

typedef struct joint_matrix {
    _Alignas(32) float k[MT_TRIANGLE][MT_BATCH];
} joint_matrix;

/* A number a row. */
typedef struct joint_numbers {
    _Alignas(32) float of[MT_MOST_ROWS][MT_BATCH];
} joint_numbers;

/* What the anchor's rows, r x e for e along x, y and z, give among each other: e_i (E (r x e_j) x r). */
LANE_FUNCTION void add_anchor_rows(lanes k[6], const mt_batch_body *w, lanes3 r)
{
    lanes xx = lanes_load(w->inverse_inertia[0]), yy = lanes_load(w->inverse_inertia[1]),
          zz = lanes_load(w->inverse_inertia[2]);
    lanes xy = lanes_load(w->inverse_inertia[3]), xz = lanes_load(w->inverse_inertia[4]),
          yz = lanes_load(w->inverse_inertia[5]);
    lanes3 x = {xy * r.z - xz * r.y, yy * r.z - yz * r.y, yz * r.z - zz * r.y};
    lanes3 y = {xz * r.x - xx * r.z, yz * r.x - xy * r.z, zz * r.x - xz * r.z};
    lanes3 z = {xx * r.y - xy * r.x, xy * r.y - yy * r.x, xz * r.y - yz * r.x};
    k[MT_AT(0, 0)] += x.y * r.z - x.z * r.y;
    k[MT_AT(1, 0)] += x.z * r.x - x.x * r.z;
    k[MT_AT(2, 0)] += x.x * r.y - x.y * r.x;
    k[MT_AT(1, 1)] += y.z * r.x - y.x * r.z;
    k[MT_AT(2, 1)] += y.x * r.y - y.y * r.x;
    k[MT_AT(2, 2)] += z.x * r.y - z.y * r.x;
}

/* The rows after the anchor's turn b in a direction and a in the opposite. */
LANE_FUNCTION void fill_turn_row(joint_matrix *m, uint32_t row, const mt_vec_lanes turn[3],
                                 const mt_batch_body *a, const mt_batch_body *b, lanes3 arm_a, lanes3 arm_b)
{
    lanes3 d = load3(&turn[row - 3]), by_a = inverse_inertia_times(a, d), by_b = inverse_inertia_times(b, d),
           both = lanes3_add(by_a, by_b);
    lanes3 at_anchor = lanes3_add(lanes3_cross(by_a, arm_a), lanes3_cross(by_b, arm_b));
    lanes_store(m->k[MT_AT(row, 0)], at_anchor.x);
    lanes_store(m->k[MT_AT(row, 1)], at_anchor.y);
    lanes_store(m->k[MT_AT(row, 2)], at_anchor.z);
    for (uint32_t i = 3; i <= row; i++)
        lanes_store(m->k[MT_AT(row, i)], lanes3_dot(load3(&turn[i - 3]), both));
}

LANE_FUNCTION void fill_matrix(joint_matrix *m, uint32_t rows, const mt_vec_lanes turn[3],
                               const mt_batch_body *a, const mt_batch_body *b, lanes3 arm_a, lanes3 arm_b)
{
    lanes zero = lanes_all(0.0f), k[6] = {zero, zero, zero, zero, zero, zero};
    add_anchor_rows(k, a, arm_a);
    add_anchor_rows(k, b, arm_b);
    memcpy(m->k, k, sizeof k);
    for (uint32_t row = 3; row < rows; row++)
        fill_turn_row(m, row, turn, a, b, arm_a, arm_b);
}

/* ---- solving it ---------------------------------------------------------------------------------------- */

/* Symmetric and positive: L D L^T, with 1 / D on the diagonal. Rows that cannot move at all get nothing. */
LANE_FUNCTION void factor_half(const joint_matrix *m, const uint32_t n, const mt_batch_body *a,
                               const mt_batch_body *b, mt_factor_lanes *factor, uint32_t half)
{
    doubles masses = doubles_of_floats(a->inverse_mass + half) + doubles_of_floats(b->inverse_mass + half);
    doubles f[MT_TRIANGLE], scaled[MT_MOST_ROWS]; /* L D of the row at hand */
    for (uint32_t i = 0; i < n; i++) {
        doubles whole = doubles_of_floats(m->k[MT_AT(i, i)] + half);
        if (i < 3)
            whole += masses;
        doubles rest = whole;
        for (uint32_t j = 0; j < i; j++) {
            doubles sum = doubles_of_floats(m->k[MT_AT(i, j)] + half);
            for (uint32_t l = 0; l < j; l++)
                sum -= scaled[l] * f[MT_AT(j, l)];
            scaled[j] = sum;
            f[MT_AT(i, j)] = sum * f[MT_AT(j, j)];
            rest -= sum * f[MT_AT(i, j)];
            doubles_store(factor->f[MT_AT(i, j)] + half, f[MT_AT(i, j)]);
        }
        /* Else it follows from the rows before it. */
        double_mask counts = rest > doubles_all(1e-7) * whole;
        f[MT_AT(i, i)] = doubles_keep(counts, doubles_all(1.0) / rest);
        doubles_store(factor->f[MT_AT(i, i)] + half, f[MT_AT(i, i)]);
    }
}

LANE_FUNCTION void factor_rows(const joint_matrix *m, const uint32_t n, const mt_batch_body *a,
                               const mt_batch_body *b, mt_factor_lanes *factor)
{
    for (uint32_t half = 0; half < MT_BATCH; half += 4)
        factor_half(m, n, a, b, factor, half);
}

/* Rows from `limits` on push one way only: if one of them would hold the joint at its limit, none counts. */
LANE_FUNCTION void solve_half(const mt_factor_lanes *factor, const uint32_t n, const uint32_t limits,
                              const joint_numbers *error, joint_numbers *answer, uint32_t half)
{
    doubles lambda[MT_MOST_ROWS];
    for (uint32_t i = 0; i < n; i++) {
        lambda[i] = -doubles_of_floats(error->of[i] + half);
        for (uint32_t j = 0; j < i; j++)
            lambda[i] -= doubles_load(factor->f[MT_AT(i, j)] + half) * lambda[j];
    }
    double_mask holds = {0, 0, 0, 0};
    for (uint32_t i = n; i-- > limits;) {
        lambda[i] *= doubles_load(factor->f[MT_AT(i, i)] + half);
        for (uint32_t j = i + 1; j < n; j++)
            lambda[i] -= doubles_load(factor->f[MT_AT(j, i)] + half) * lambda[j];
        holds |= lambda[i] * doubles_of_floats(error->of[i] + half) > doubles_all(0.0);
    }
    for (uint32_t i = limits; i < n; i++)
        lambda[i] = doubles_keep(~holds, lambda[i]);
    for (uint32_t i = limits; i-- > 0;) {
        lambda[i] *= doubles_load(factor->f[MT_AT(i, i)] + half);
        for (uint32_t j = i + 1; j < n; j++)
            lambda[i] -= doubles_load(factor->f[MT_AT(j, i)] + half) * lambda[j];
    }
    for (uint32_t i = 0; i < n; i++) {
        quad value = __builtin_convertvector(lambda[i], quad);
        memcpy(answer->of[i] + half, &value, sizeof value);
    }
}

LANE_FUNCTION void solve_rows(const mt_factor_lanes *factor, const uint32_t n, const uint32_t limits,
                              const joint_numbers *error, joint_numbers *answer)
{
    for (uint32_t half = 0; half < MT_BATCH; half += 4)
        solve_half(factor, n, limits, error, answer, half);
}

#endif
