/* Rotations of bodies that turn, step by step; beside the polar decomposition; eigenvalues. */
#include "support.h"

#include <math.h>

#include "turns.h"

/* ---- bodies that turn, each answer the guess of the next ------------------------------------------------- */

/* The matrix of points at the rest positions `rest`, turned by q; the places rounded to floats, off the
 * origin. */
static mt_matrix matched(const vector *rest, int count, quaternion q)
{
    mt_matrix r = matrix_of(q), a = {{{0}}};
    double x[64][3], center[3] = {0, 0, 0};
    for (int n = 0; n < count; n++) {
        vector now = apply(&r, rest[n]);
        x[n][0] = (double)(float)(now.x + 3);
        x[n][1] = (double)(float)(now.y - 7);
        x[n][2] = (double)(float)(now.z + 5);
        for (int i = 0; i < 3; i++)
            center[i] += x[n][i] / count;
    }
    for (int n = 0; n < count; n++) {
        double y[3] = {rest[n].x, rest[n].y, rest[n].z};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                a.m[i][j] += (x[n][i] - center[i]) * y[j];
    }
    return a;
}

/* By `angle` about a skew axis. */
static quaternion about_skew_axis(double angle)
{
    double s = sin(0.5 * angle);
    return (quaternion){s * 2 / 7, s * 3 / 7, s * 6 / 7, cos(0.5 * angle)};
}

/* The answer goes the shortest way with the rod: it turns by as much as the rod's direction does and no further
 * about the rod, all the way round. */
static void rod_does_not_flip(void **state)
{
    (void)state;
    vector rest[5];
    for (int n = 0; n < 5; n++)
        rest[n] = (vector){0.1 * (n - 2), 0, 0};
    const int steps = 360;
    mote_quat answer = {0, 0, 0, 1};
    vector direction = {1, 0, 0};
    for (int n = 1; n <= steps; n++) {
        quaternion true_turn = about_skew_axis(2 * TEST_PI * n / steps), before = of_floats(answer);
        mt_matrix a = matched(rest, 5, true_turn), r = matrix_of(true_turn);
        answer = mt_rotation_extract(&a, answer);
        vector now = apply(&r, (vector){1, 0, 0});
        double moved = hypot(hypot(now.x - direction.x, now.y - direction.y), now.z - direction.z);
        check_near(angle_between(of_floats(answer), before), 2 * asin(0.5 * moved), 1e-5,
                   "rod at %d degrees: the answer turned on by, rad", n);
        mt_matrix found = matrix_of(of_floats(answer));
        vector along = apply(&found, (vector){1, 0, 0});
        check_below(hypot(hypot(now.x - along.x, now.y - along.y), now.z - along.z), 1e-5,
                    "rod at %d degrees: off its direction, rad", n);
        direction = now;
    }
}

static void sheet_does_not_flip(void **state)
{
    (void)state;
    vector rest[25];
    for (int n = 0; n < 25; n++)
        rest[n] = (vector){0.1 * (n % 5 - 2), 0, 0.1 * (n / 5 - 2)};
    mote_quat answer = {0, 0, 0, 1};
    for (int n = 1; n <= 360; n++) {
        quaternion true_turn = about_skew_axis(2 * TEST_PI * n / 360);
        mt_matrix a = matched(rest, 25, true_turn);
        answer = mt_rotation_extract(&a, answer);
        check_below(angle_between(of_floats(answer), true_turn), 1e-5, "sheet at %d degrees: error, rad", n);
        check_below(fabs((double)answer.w - true_turn.w), 1e-5, "sheet at %d degrees: the sign of w", n);
    }
}

/* ---- polar decomposition by the QR algorithm -------------------------------------------------------------
 * As in the literature: M = A^T A = E L E^T by repeated QR decompositions with Householder reflections, then
 * R = A E L^(-1/2) E^T. It needs a well-conditioned matrix with a positive determinant. */

/* m = q r; the product of the reflections is q. */
static void householder(const mt_matrix *m, mt_matrix *q, mt_matrix *r)
{
    *r = *m;
    *q = (mt_matrix){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int k = 0; k < 2; k++) {
        double v[3] = {0, 0, 0}, square = 0;
        for (int i = k; i < 3; i++) {
            v[i] = r->m[i][k];
            square += v[i] * v[i];
        }
        v[k] += v[k] < 0 ? -sqrt(square) : sqrt(square);
        double length = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        if (!(length > 0))
            continue;
        mt_matrix h;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                h.m[i][j] = (i == j) - 2 * v[i] * v[j] / length;
        *r = multiply(&h, r);
        *q = multiply(q, &h);
    }
}

static quaternion polar_by_qr(const mt_matrix *a)
{
    mt_matrix at = transposed(a), m = multiply(&at, a), e = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int n = 0; n < 100; n++) {
        mt_matrix q, r;
        householder(&m, &q, &r);
        m = multiply(&r, &q);
        e = multiply(&e, &q);
    }
    mt_matrix root = {{{0}}}, et = transposed(&e);
    for (int i = 0; i < 3; i++)
        root.m[i][i] = 1 / sqrt(m.m[i][i]);
    root = multiply(&root, &et);
    root = multiply(&e, &root);
    root = multiply(a, &root);
    return quaternion_of(&root);
}

static void agrees_with_polar_decomposition(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (int n = 0; n < 2000; n++) {
        mt_matrix a = with_values(&random, 1, between(&random, 0.5, 0.8), between(&random, 0.1, 0.4));
        quaternion answer = of_floats(mt_rotation_extract(&a, to_floats(random_turn(&random))));
        check_below(angle_between(answer, polar_by_qr(&a)), 1e-6, "matrix %d: angle between, rad", n);
    }
}

/* ---- eigenvalues ---------------------------------------------------------------------------------------- */

static void check_eigen(const mt_matrix *a, const double expected[3], double size)
{
    double values[3];
    mt_matrix v;
    mt_symmetric_eigen(a, values, &v);
    mt_matrix av = multiply(a, &v), vt = transposed(&v), unit_matrix = multiply(&vt, &v);
    for (int j = 0; j < 3; j++) {
        check_near(values[j], expected[j], 1e-14 * size, "eigenvalue %d of a matrix of size %g", j, size);
        for (int i = 0; i < 3; i++) {
            check_near(av.m[i][j], values[j] * v.m[i][j], 1e-14 * size, "A v = value v, component %d of %d", i,
                       j);
            check_near(unit_matrix.m[i][j], i == j, 1e-14, "the vectors are at right angles, and unit");
        }
    }
    const double(*m)[3] = (const double(*)[3])v.m;
    double det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                 m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                 m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    check_near(det, 1, 1e-13, "the vectors are a rotation");
}

static void eigenvalues(void **state)
{
    (void)state;
    static const double kinds[][3] = {{1, 2, 3},   {0, 0, 1}, {0, 1, 1},    {2, 2, 2},       {-3, 1, 2},
                                      {-2, -1, 0}, {0, 0, 0}, {1e-9, 1, 1}, {1, 1, 1 + 1e-9}};
    uint64_t random = 5;
    for (uint32_t n = 0; n < 9000; n++) {
        double scale = any_scale(&random);
        const double *s = kinds[n % 9];
        double expected[3] = {s[0] * scale, s[1] * scale, s[2] * scale};
        mt_matrix u = matrix_of(n < 9 ? (quaternion){0.5, 0.5, 0.5, 0.5} : random_turn(&random));
        mt_matrix d = {{{expected[0], 0, 0}, {0, expected[1], 0}, {0, 0, expected[2]}}}, ut = transposed(&u);
        d = multiply(&u, &d);
        d = multiply(&d, &ut);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < i; j++)
                d.m[i][j] = d.m[j][i]; /* the product is symmetric but for rounding */
        check_eigen(&d, expected, 4 * scale);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rod_does_not_flip),
        cmocka_unit_test(sheet_does_not_flip),
        cmocka_unit_test(agrees_with_polar_decomposition),
        cmocka_unit_test(eigenvalues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
