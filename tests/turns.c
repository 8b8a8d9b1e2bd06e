#include "turns.h"

#include "support.h"

#include <math.h>

quaternion unit(quaternion q)
{
    double size = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (quaternion){q.x / size, q.y / size, q.z / size, q.w / size};
}

quaternion of_floats(mote_quat q)
{
    return unit((quaternion){(double)q.x, (double)q.y, (double)q.z, (double)q.w});
}

mote_quat to_floats(quaternion q)
{
    return (mote_quat){(float)q.x, (float)q.y, (float)q.z, (float)q.w};
}

quaternion times(quaternion a, quaternion b)
{
    return (quaternion){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

/* How far one is turned from the other, rad; good for small angles too. */
double angle_between(quaternion a, quaternion b)
{
    quaternion d = times(a, (quaternion){-b.x, -b.y, -b.z, b.w});
    return 2.0 * atan2(sqrt(d.x * d.x + d.y * d.y + d.z * d.z), fabs(d.w));
}

mt_matrix matrix_of(quaternion q)
{
    return (mt_matrix){
        {{1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y - q.w * q.z), 2 * (q.x * q.z + q.w * q.y)},
         {2 * (q.x * q.y + q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z - q.w * q.x)},
         {2 * (q.x * q.z - q.w * q.y), 2 * (q.y * q.z + q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y)}}};
}

/* Of a rotation matrix; by the largest of the four. */
quaternion quaternion_of(const mt_matrix *a)
{
    const double(*m)[3] = a->m;
    double x = m[0][0] - m[1][1] - m[2][2], y = m[1][1] - m[0][0] - m[2][2], z = m[2][2] - m[0][0] - m[1][1],
           w = m[0][0] + m[1][1] + m[2][2];
    quaternion q;
    if (w >= x && w >= y && w >= z)
        q = (quaternion){m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1], 1 + w};
    else if (x >= y && x >= z)
        q = (quaternion){1 + x, m[0][1] + m[1][0], m[0][2] + m[2][0], m[2][1] - m[1][2]};
    else if (y >= z)
        q = (quaternion){m[0][1] + m[1][0], 1 + y, m[1][2] + m[2][1], m[0][2] - m[2][0]};
    else
        q = (quaternion){m[0][2] + m[2][0], m[1][2] + m[2][1], 1 + z, m[1][0] - m[0][1]};
    return unit(q);
}

vector apply(const mt_matrix *a, vector v)
{
    const double(*m)[3] = a->m;
    return (vector){m[0][0] * v.x + m[0][1] * v.y + m[0][2] * v.z,
                    m[1][0] * v.x + m[1][1] * v.y + m[1][2] * v.z,
                    m[2][0] * v.x + m[2][1] * v.y + m[2][2] * v.z};
}

mt_matrix multiply(const mt_matrix *a, const mt_matrix *b)
{
    mt_matrix c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
    return c;
}

mt_matrix transposed(const mt_matrix *a)
{
    mt_matrix c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c.m[i][j] = a->m[j][i];
    return c;
}

double between(uint64_t *state, double low, double high)
{
    return low + (high - low) * (double)random_between(state, 0, 1);
}

quaternion random_turn(uint64_t *state)
{
    double x[4], square;
    do {
        square = 0;
        for (int i = 0; i < 4; i++) {
            x[i] = between(state, -1, 1);
            square += x[i] * x[i];
        }
    } while (square > 1 || square < 0.01);
    return unit((quaternion){x[0], x[1], x[2], x[3]});
}

mt_matrix with_values(uint64_t *state, double s1, double s2, double s3)
{
    mt_matrix u = matrix_of(random_turn(state));
    mt_matrix v = matrix_of(random_turn(state));
    mt_matrix s = {{{s1, 0, 0}, {0, s2, 0}, {0, 0, s3}}}, us = multiply(&u, &s);
    v = transposed(&v);
    return multiply(&us, &v);
}

/* Scales from 1e-30 to 1e30; the powers of two keep the bits, so that the exact answer is the same. */
double any_scale(uint64_t *state)
{
    int exponent = (int)between(state, -100, 101);
    return exponent == 0 ? 1 : ldexp(1, exponent);
}

/* ---- the answer by singular values ---------------------------------------------------------------------- */

/* Turns columns p and q of `a` (and of v) until they are at right angles; true if they were not. */
static bool one_sided_turn(long double a[3][3], long double v[3][3], int p, int q)
{
    long double pp = 0, qq = 0, pq = 0;
    for (int i = 0; i < 3; i++) {
        pp += a[i][p] * a[i][p];
        qq += a[i][q] * a[i][q];
        pq += a[i][p] * a[i][q];
    }
    if (fabsl(pq) <= 1e-19L * sqrtl(pp * qq))
        return false;
    long double zeta = (qq - pp) / (2 * pq), t = 1 / (fabsl(zeta) + sqrtl(1 + zeta * zeta));
    t = zeta < 0 ? -t : t;
    long double c = 1 / sqrtl(1 + t * t), s = c * t;
    for (int i = 0; i < 3; i++) {
        long double ap = a[i][p], vp = v[i][p];
        a[i][p] = c * ap - s * a[i][q];
        a[i][q] = s * ap + c * a[i][q];
        v[i][p] = c * vp - s * v[i][q];
        v[i][q] = s * vp + c * v[i][q];
    }
    return true;
}

static void swap_columns(parts *p, int i, int j)
{
    if (p->s[i] >= p->s[j])
        return;
    long double s = p->s[i];
    p->s[i] = p->s[j];
    p->s[j] = s;
    for (int k = 0; k < 3; k++) {
        long double u = p->u[k][i], v = p->v[k][i];
        p->u[k][i] = p->u[k][j];
        p->u[k][j] = u;
        p->v[k][i] = p->v[k][j];
        p->v[k][j] = v;
    }
}

parts take_apart(const mt_matrix *a)
{
    parts p;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            p.u[i][j] = a->m[i][j];
            p.v[i][j] = i == j;
        }
    bool more = true;
    for (int sweep = 0; more && sweep < 60; sweep++) {
        more = one_sided_turn(p.u, p.v, 0, 1);
        more = one_sided_turn(p.u, p.v, 0, 2) || more;
        more = one_sided_turn(p.u, p.v, 1, 2) || more;
    }
    long double(*u)[3] = p.u;
    long double det = u[0][0] * (u[1][1] * u[2][2] - u[1][2] * u[2][1]) -
                      u[0][1] * (u[1][0] * u[2][2] - u[1][2] * u[2][0]) +
                      u[0][2] * (u[1][0] * u[2][1] - u[1][1] * u[2][0]);
    p.sign = det < 0 ? -1 : 1; /* v is a rotation before its columns are sorted */
    for (int j = 0; j < 3; j++) {
        p.s[j] = sqrtl(u[0][j] * u[0][j] + u[1][j] * u[1][j] + u[2][j] * u[2][j]);
        for (int i = 0; i < 3; i++)
            u[i][j] = p.s[j] > 0 ? u[i][j] / p.s[j] : 0;
    }
    swap_columns(&p, 0, 1);
    swap_columns(&p, 1, 2);
    swap_columns(&p, 0, 1);
    return p;
}

static void third_column(long double m[3][3])
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        m[i][2] = m[j][0] * m[k][1] - m[k][0] * m[j][1];
    }
}

/* u diag(1, 1, +-1) v^T: both third columns completed to a right-handed frame, which is a rotation. */
quaternion exact_answer(parts p)
{
    third_column(p.u);
    third_column(p.v);
    mt_matrix r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r.m[i][j] = (double)(p.u[i][0] * p.v[j][0] + p.u[i][1] * p.v[j][1] + p.u[i][2] * p.v[j][2]);
    return quaternion_of(&r);
}

/* How much the second best of the stationary rotations is worse than the best: 0 to 2, 0: a tie. */
double clearness(const parts *p)
{
    return (double)((p->s[1] + (long double)p->sign * p->s[2]) / p->s[0]);
}
