#include "io/rig_file_math.h"

#include <math.h>

rig_affine rig_product(const rig_affine *outer, const rig_affine *inner)
{
    rig_affine result;
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++) {
            double sum = column == 3 ? outer->m[row][3] : 0.0;
            for (int k = 0; k < 3; k++)
                sum += outer->m[row][k] * inner->m[k][column];
            result.m[row][column] = sum;
        }
    return result;
}

rig_point rig_apply(const rig_affine *t, rig_point p)
{
    double result[3];
    for (int row = 0; row < 3; row++)
        result[row] = t->m[row][0] * p.x + t->m[row][1] * p.y + t->m[row][2] * p.z + t->m[row][3];
    return (rig_point){result[0], result[1], result[2]};
}

bool rig_finite(const rig_affine *t)
{
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++)
            if (!isfinite(t->m[row][column]))
                return false;
    return true;
}

double rig_determinant(const rig_affine *t)
{
    const double(*m)[4] = t->m;
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

bool rig_inverse(const rig_affine *t, rig_affine *result)
{
    const double(*m)[4] = t->m;
    double part = 1.0 / rig_determinant(t);
    if (!isfinite(part))
        return false;
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++) {
            int a = (column + 1) % 3, b = (column + 2) % 3, c = (row + 1) % 3, d = (row + 2) % 3;
            result->m[row][column] = part * (m[a][c] * m[b][d] - m[a][d] * m[b][c]);
        }
    for (int row = 0; row < 3; row++)
        result->m[row][3] =
            -(result->m[row][0] * m[0][3] + result->m[row][1] * m[1][3] + result->m[row][2] * m[2][3]);
    return rig_finite(result);
}

rig_affine rig_affine_of(rig_point position, rig_quat q, rig_point scale)
{
    const double turn[3][3] = {
        {1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y - q.w * q.z), 2 * (q.x * q.z + q.w * q.y)},
        {2 * (q.x * q.y + q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z - q.w * q.x)},
        {2 * (q.x * q.z - q.w * q.y), 2 * (q.y * q.z + q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y)}};
    const double place[3] = {position.x, position.y, position.z}, size[3] = {scale.x, scale.y, scale.z};
    rig_affine result;
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++)
            result.m[row][column] = turn[row][column] * size[column];
        result.m[row][3] = place[row];
    }
    return result;
}

/* ---- the rigid part ------------------------------------------------------------------------------------- */

/* Of three unit columns at right angles. The largest of the four is found first, so that nothing is divided by
 * almost 0. */
static mote_quat quat_of(double c[3][3])
{
    double w = 1 + c[0][0] + c[1][1] + c[2][2], x = 1 + c[0][0] - c[1][1] - c[2][2],
           y = 1 - c[0][0] + c[1][1] - c[2][2], z = 1 - c[0][0] - c[1][1] + c[2][2];
    /* c[column][row] */
    double wx = c[1][2] - c[2][1], wy = c[2][0] - c[0][2], wz = c[0][1] - c[1][0];
    double xy = c[0][1] + c[1][0], yz = c[1][2] + c[2][1], zx = c[2][0] + c[0][2];
    double q[4];
    if (w >= x && w >= y && w >= z) {
        q[0] = wx, q[1] = wy, q[2] = wz, q[3] = w;
    } else if (x >= y && x >= z) {
        q[0] = x, q[1] = xy, q[2] = zx, q[3] = wx;
    } else if (y >= z) {
        q[0] = xy, q[1] = y, q[2] = yz, q[3] = wy;
    } else {
        q[0] = zx, q[1] = yz, q[2] = z, q[3] = wz;
    }
    double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    return (mote_quat){(float)(q[0] / size), (float)(q[1] / size), (float)(q[2] / size), (float)(q[3] / size)};
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Makes `a` a unit vector across the unit vectors of `others`; false if nothing is left of it. */
static bool straighten(double a[3], double (*others)[3], int count)
{
    double before = sqrt(dot(a, a));
    for (int i = 0; i < count; i++) {
        double along = dot(a, others[i]);
        for (int k = 0; k < 3; k++)
            a[k] -= along * others[i][k];
    }
    double size = sqrt(dot(a, a));
    if (!(size > 1e-6 * before) || !isfinite(size) || size < 1e-150)
        return false;
    for (int k = 0; k < 3; k++)
        a[k] /= size;
    return true;
}

/* One part in 1000: exporters write rotations as single floats, and chains of them add up. */
#define EVEN_ENOUGH 1e-3

static bool is_even(double columns[3][3])
{
    double xx = dot(columns[0], columns[0]), yy = dot(columns[1], columns[1]), zz = dot(columns[2], columns[2]);
    double most = fmax(xx, fmax(yy, zz)) * EVEN_ENOUGH;
    return fabs(xx - yy) <= most && fabs(xx - zz) <= most && fabs(dot(columns[0], columns[1])) <= most &&
           fabs(dot(columns[1], columns[2])) <= most && fabs(dot(columns[2], columns[0])) <= most;
}

mote_pose rig_rigid_part(const rig_affine *t, bool *uneven)
{
    mote_pose pose = {{(float)t->m[0][3], (float)t->m[1][3], (float)t->m[2][3]}, {0, 0, 0, 1}};
    double columns[3][3];
    /* A mirror image is turned inside out at its origin. */
    bool mirrored = rig_determinant(t) < 0;
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
            columns[column][row] = mirrored ? -t->m[row][column] : t->m[row][column];
    if (mirrored || !is_even(columns))
        *uneven = true;
    if (!straighten(columns[0], NULL, 0) || !straighten(columns[1], columns, 1) ||
        !straighten(columns[2], columns, 2))
        return pose;
    pose.rotation = quat_of(columns);
    return pose;
}

rig_quat rig_slerp(rig_quat a, rig_quat b, double t)
{
    double cosine = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w, sign = cosine < 0 ? -1 : 1;
    double angle = acos(fmin(cosine * sign, 1)), from = 1 - t, to = t;
    /* Almost the same: straight on is as good, and sines of almost 0 are not divided. */
    if (angle > 1e-4) {
        from = sin((1 - t) * angle) / sin(angle);
        to = sin(t * angle) / sin(angle);
    }
    to *= sign;
    rig_quat q = {from * a.x + to * b.x, from * a.y + to * b.y, from * a.z + to * b.z, from * a.w + to * b.w};
    double size = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (rig_quat){q.x / size, q.y / size, q.z / size, q.w / size};
}

/* ---- poses in single precision -------------------------------------------------------------------------- */

mote_quat rig_turn(mote_quat a, mote_quat b)
{
    mote_quat q = {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                   a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
                   a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
    /* The length stays 1 however often this is done. */
    float size = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return size > 0 ? (mote_quat){q.x / size, q.y / size, q.z / size, q.w / size} : (mote_quat){0, 0, 0, 1};
}

mote_quat rig_turn_back(mote_quat a)
{
    return (mote_quat){-a.x, -a.y, -a.z, a.w};
}

mote_vec3 rig_turned(mote_quat q, mote_vec3 v)
{
    mote_vec3 t = {2 * (q.y * v.z - q.z * v.y), 2 * (q.z * v.x - q.x * v.z), 2 * (q.x * v.y - q.y * v.x)};
    return (mote_vec3){v.x + q.w * t.x + q.y * t.z - q.z * t.y, v.y + q.w * t.y + q.z * t.x - q.x * t.z,
                       v.z + q.w * t.z + q.x * t.y - q.y * t.x};
}

mote_pose rig_pose_in(mote_pose outer, mote_pose inner)
{
    mote_vec3 moved = rig_turned(outer.rotation, inner.position);
    return (mote_pose){{outer.position.x + moved.x, outer.position.y + moved.y, outer.position.z + moved.z},
                       rig_turn(outer.rotation, inner.rotation)};
}

mote_pose rig_pose_from(mote_pose frame, mote_pose pose)
{
    mote_quat back = rig_turn_back(frame.rotation);
    mote_vec3 apart = {pose.position.x - frame.position.x, pose.position.y - frame.position.y,
                       pose.position.z - frame.position.z};
    return (mote_pose){rig_turned(back, apart), rig_turn(back, pose.rotation)};
}
