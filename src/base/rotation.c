/* The best rotation, in two ways: Newton's method from the guess, which is nearly always near, and, when that
 * does not come to a clear answer, the largest eigenvalue of Horn's 4 x 4 matrix, which always does. */
#include "base/rotation.h"

#include "base/real.h"

#define NEWTON_STEPS  8
#define NEWTON_DONE   1e-8  /* rad: the step after one as short as this is lost in rounding */
#define NEWTON_CLEAR  1e-6  /* how far the curvature has to be from singular to be trusted */
#define EQUALLY_GOOD  1e-10 /* values that differ by this part of the largest are the same */
#define VANISHED      1e-12 /* a unit vector's projection that is nothing but rounding */
#define JACOBI_ZERO   1e-18 /* beside a largest element of 1 */
#define JACOBI_SWEEPS 30    /* six to eight are usual */

/* Symmetric, 3 x 3 or 4 x 4, with its eigenvectors as columns. */
typedef struct square {
    double a[4][4], v[4][4];
} square;

/* x, y, z, w */
typedef struct turn {
    double q[4];
} turn;

/* ---- eigenvalues by Jacobi's method -------------------------------------------------------------------- */

/* Makes a[p][q] zero by a rotation in the plane of p and q. */
static void jacobi_rotate(square *s, int n, int p, int q)
{
    double theta = (s->a[q][q] - s->a[p][p]) / (2.0 * s->a[p][q]);
    double t = 1.0 / (fabs(theta) + sqrt(theta * theta + 1.0));
    if (theta < 0)
        t = -t;
    double cosine = 1.0 / sqrt(t * t + 1.0), sine = t * cosine, off = s->a[p][q];
    s->a[p][p] -= t * off;
    s->a[q][q] += t * off;
    s->a[p][q] = s->a[q][p] = 0.0;
    for (int i = 0; i < n; i++) {
        if (i != p && i != q) {
            double ip = s->a[i][p], iq = s->a[i][q];
            s->a[i][p] = s->a[p][i] = cosine * ip - sine * iq;
            s->a[i][q] = s->a[q][i] = sine * ip + cosine * iq;
        }
        double vp = s->v[i][p], vq = s->v[i][q];
        s->v[i][p] = cosine * vp - sine * vq;
        s->v[i][q] = sine * vp + cosine * vq;
    }
}

/* Leaves the eigenvalues on the diagonal of a and the eigenvectors in v. The largest element is about 1. */
static void jacobi(square *s, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            s->v[i][j] = i == j ? 1.0 : 0.0;
    bool turned = true;
    for (int sweep = 0; turned && sweep < JACOBI_SWEEPS; sweep++) {
        turned = false;
        for (int p = 0; p < n - 1; p++)
            for (int q = p + 1; q < n; q++)
                if (fabs(s->a[p][q]) > JACOBI_ZERO) {
                    jacobi_rotate(s, n, p, q);
                    turned = true;
                }
    }
}

static double largest_element(const mt_matrix *a)
{
    double largest = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            largest = mt_real_most(largest, fabs(a->m[i][j]));
    return largest;
}

void mt_symmetric_eigen(const mt_matrix *a, double values[3], mt_matrix *vectors)
{
    double size = largest_element(a);
    square s;
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            s.a[i][j] = s.a[j][i] = size > 0 ? a->m[i][j] / size : 0.0;
    jacobi(&s, 3);
    int order[3] = {0, 1, 2};
    bool odd = false; /* the sorting mirrors the axes */
    for (int i = 0; i < 3; i++) {
        static const int pair[3] = {0, 1, 0};
        int p = pair[i];
        if (s.a[order[p]][order[p]] > s.a[order[p + 1]][order[p + 1]]) {
            int other = order[p];
            order[p] = order[p + 1];
            order[p + 1] = other;
            odd = !odd;
        }
    }
    for (int j = 0; j < 3; j++) {
        double sign = odd && j == 2 ? -1.0 : 1.0;
        values[j] = s.a[order[j]][order[j]] * size;
        for (int i = 0; i < 3; i++)
            vectors->m[i][j] = sign * s.v[i][order[j]];
    }
}

/* ---- Newton's method ----------------------------------------------------------------------------------- */

static turn unit_turn(turn t)
{
    double scale = 1.0 / sqrt(t.q[0] * t.q[0] + t.q[1] * t.q[1] + t.q[2] * t.q[2] + t.q[3] * t.q[3]);
    return (turn){{t.q[0] * scale, t.q[1] * scale, t.q[2] * scale, t.q[3] * scale}};
}

static mt_matrix matrix_of(turn t)
{
    double x = t.q[0], y = t.q[1], z = t.q[2], w = t.q[3];
    return (mt_matrix){{{1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)},
                        {2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)},
                        {2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)}}};
}

/* a b^T */
static mt_matrix times_transposed(const mt_matrix *a, const mt_matrix *b)
{
    mt_matrix c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c.m[i][j] = a->m[i][0] * b->m[j][0] + a->m[i][1] * b->m[j][1] + a->m[i][2] * b->m[j][2];
    return c;
}

/* Twice the part of b that is no symmetric matrix, as an axis. */
static mt_real3 twist_of(const mt_matrix *b)
{
    return (mt_real3){b->m[2][1] - b->m[1][2], b->m[0][2] - b->m[2][0], b->m[1][0] - b->m[0][1]};
}

/* The turn, about the world's axes, to where the second-order model of the objective around R is largest; b is
 * a R^T. With S = (b + b^T) / 2 and H = trace(S) I - S it is trace(S) + w . twist - w . H w / 2. False if
 * H is not safely positive definite.
 *
 * Where the twist is zero and H positive definite, R is the best of all rotations, not only of those near:
 * b = S then, and turning on by the angle t about the unit axis n gives
 *     trace(Q^T S) = cos t trace(S) + (1 - cos t) n . S n = trace(S) - (1 - cos t) n . H n,
 * which is less for every n and every t that is a turn at all. */
static bool newton_turn(const mt_matrix *b, mt_real3 *w)
{
    double xx = b->m[1][1] + b->m[2][2], yy = b->m[0][0] + b->m[2][2], zz = b->m[0][0] + b->m[1][1];
    double xy = -0.5 * (b->m[0][1] + b->m[1][0]), xz = -0.5 * (b->m[0][2] + b->m[2][0]),
           yz = -0.5 * (b->m[1][2] + b->m[2][1]);
    mt_real3 x = {yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy};
    double det = xx * x.x + xy * x.y + xz * x.z, minor = xx * yy - xy * xy, trace = xx + yy + zz;
    /* The least eigenvalue is at least 4 det / trace^2, the other two being at most trace / 2 in the mean. */
    if (!(xx > 0 && minor > 0 && det > NEWTON_CLEAR * trace * trace * trace))
        return false;
    mt_real3 y = {x.y, xx * zz - xz * xz, xy * xz - xx * yz}, z = {x.z, y.z, minor};
    mt_real3 twist = twist_of(b);
    *w = (mt_real3){mt_real_dot(x, twist) / det, mt_real_dot(y, twist) / det, mt_real_dot(z, twist) / det};
    return true;
}

/* First t, then about w by about its length; a long w turns by less than half a turn. */
static turn turned_on(turn t, mt_real3 w)
{
    double x = 0.5 * w.x, y = 0.5 * w.y, z = 0.5 * w.z;
    const double *q = t.q;
    return unit_turn((turn){{q[0] + x * q[3] + y * q[2] - z * q[1], q[1] - x * q[2] + y * q[3] + z * q[0],
                             q[2] + x * q[1] - y * q[0] + z * q[3], q[3] - x * q[0] - y * q[1] - z * q[2]}});
}

static bool newton(const mt_matrix *a, turn *t)
{
    turn now = *t;
    for (int i = 0; i < NEWTON_STEPS; i++) {
        mt_matrix r = matrix_of(now), b = times_transposed(a, &r);
        mt_real3 w;
        if (!newton_turn(&b, &w))
            return false;
        now = turned_on(now, w);
        if (mt_real_size(w) < NEWTON_DONE) {
            *t = now;
            return true;
        }
    }
    return false;
}

/* ---- Horn's matrix ------------------------------------------------------------------------------------- */

/* For a unit quaternion q the objective is q . N q: the best q are the eigenvectors of the largest eigenvalue.
 * In terms of the singular values s1 >= s2 >= |s3|, s3 with the determinant's sign, it is s1 + s2 + s3, and
 * the next one is less by 2 (s2 + s3). */
static square horn_matrix(const mt_matrix *a)
{
    double trace = a->m[0][0] + a->m[1][1] + a->m[2][2];
    mt_real3 twist = twist_of(a);
    square s;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            s.a[i][j] = a->m[i][j] + a->m[j][i] - (i == j ? trace : 0.0);
    s.a[0][3] = s.a[3][0] = twist.x;
    s.a[1][3] = s.a[3][1] = twist.y;
    s.a[2][3] = s.a[3][2] = twist.z;
    s.a[3][3] = trace;
    return s;
}

/* The unit vector nearest to t among the eigenvectors of the largest eigenvalue. */
static turn nearest_best(const mt_matrix *a, turn t)
{
    square s = horn_matrix(a);
    jacobi(&s, 4);
    int top = 0;
    for (int j = 1; j < 4; j++)
        top = s.a[j][j] > s.a[top][top] ? j : top;
    double least = s.a[top][top] * (1.0 - EQUALLY_GOOD);
    turn sum = {{0.0, 0.0, 0.0, 0.0}};
    for (int j = 0; j < 4; j++) {
        if (s.a[j][j] < least)
            continue;
        double part = s.v[0][j] * t.q[0] + s.v[1][j] * t.q[1] + s.v[2][j] * t.q[2] + s.v[3][j] * t.q[3];
        for (int i = 0; i < 4; i++)
            sum.q[i] += part * s.v[i][j];
    }
    double square_length =
        sum.q[0] * sum.q[0] + sum.q[1] * sum.q[1] + sum.q[2] * sum.q[2] + sum.q[3] * sum.q[3];
    if (square_length < VANISHED * VANISHED)
        sum = (turn){{s.v[0][top], s.v[1][top], s.v[2][top], s.v[3][top]}};
    return unit_turn(sum);
}

mote_quat mt_rotation_extract(const mt_matrix *a, mote_quat guess)
{
    turn t = {{(double)guess.x, (double)guess.y, (double)guess.z, (double)guess.w}};
    bool has_guess = guess.x != 0 || guess.y != 0 || guess.z != 0 || guess.w != 0;
    t = has_guess ? unit_turn(t) : (turn){{0.0, 0.0, 0.0, 1.0}};
    double size = largest_element(a);
    if (size > 0) {
        mt_matrix scaled;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                scaled.m[i][j] = a->m[i][j] / size;
        if (!newton(&scaled, &t))
            t = nearest_best(&scaled, t);
    }
    return (mote_quat){(float)t.q[0], (float)t.q[1], (float)t.q[2], (float)t.q[3]};
}
