#include "base/pose.h"

#define STRAIGHT 1e-4 /* rad: a turn that is too small to have a middle */

typedef struct vec3d {
    double x, y, z;
} vec3d;

static vec3d wide(mote_vec3 a)
{
    return (vec3d){(double)a.x, (double)a.y, (double)a.z};
}

static vec3d plus(vec3d a, vec3d b, double scale)
{
    return (vec3d){a.x + scale * b.x, a.y + scale * b.y, a.z + scale * b.z};
}

static double dot(vec3d a, vec3d b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static vec3d cross(vec3d a, vec3d b)
{
    return (vec3d){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* Turned about a unit axis (Rodrigues). */
static vec3d turned(vec3d a, vec3d axis, double angle)
{
    double sine, cosine;
    mt_sin_cos(angle, &sine, &cosine);
    vec3d out = {a.x * cosine, a.y * cosine, a.z * cosine};
    out = plus(out, cross(axis, a), sine);
    return plus(out, axis, dot(axis, a) * (1.0 - cosine));
}

static mote_vec3 straight(mote_vec3 a, mote_vec3 b, float part)
{
    return mt_add(mt_scale(a, 1.0f - part), mt_scale(b, part));
}

/* The turn from a to b is by `angle` about `axis`; with d what is left of the way after turning about the
 * origin, the screw's axis goes through c = (d + cot(angle / 2) axis x d) / 2, d taken across the axis. */
static vec3d screwed(vec3d a, vec3d b, vec3d axis, double angle, double part)
{
    vec3d d = plus(b, turned(a, axis, angle), -1.0);
    double along = dot(d, axis), sine, cosine;
    d = plus(d, axis, -along);
    mt_sin_cos(0.5 * angle, &sine, &cosine);
    vec3d c = plus((vec3d){0.5 * d.x, 0.5 * d.y, 0.5 * d.z}, cross(axis, d), 0.5 * cosine / sine);
    vec3d out = plus(turned(plus(a, c, -1.0), axis, part * angle), c, 1.0);
    return plus(out, axis, part * along);
}

mt_pose mt_pose_between(mt_pose from, mt_pose to, float part)
{
    mote_quat back = {-from.rotation.x, -from.rotation.y, -from.rotation.z, from.rotation.w};
    mote_quat turn = mt_quat_times(to.rotation, back);
    double sign = turn.w < 0 ? -1.0 : 1.0;
    vec3d axis = {sign * (double)turn.x, sign * (double)turn.y, sign * (double)turn.z};
    double sine = sqrt(dot(axis, axis)), angle = 2.0 * mt_angle_of(sine, sign * (double)turn.w);
    if (angle < STRAIGHT) {
        mote_quat q = to.rotation;
        if (sign < 0)
            q = (mote_quat){-q.x, -q.y, -q.z, -q.w};
        float rest = 1.0f - part;
        mote_quat p = from.rotation;
        mote_quat mixed = {p.x * rest + q.x * part, p.y * rest + q.y * part, p.z * rest + q.z * part,
                           p.w * rest + q.w * part};
        return (mt_pose){straight(from.position, to.position, part), mt_quat_unit(mixed)};
    }
    axis = (vec3d){axis.x / sine, axis.y / sine, axis.z / sine};
    vec3d x = screwed(wide(from.position), wide(to.position), axis, angle, (double)part);
    double s, c;
    mt_sin_cos(0.5 * angle * (double)part, &s, &c);
    mote_quat step = {(float)(axis.x * s), (float)(axis.y * s), (float)(axis.z * s), (float)c};
    return (mt_pose){{(float)x.x, (float)x.y, (float)x.z}, mt_quat_unit(mt_quat_times(step, from.rotation))};
}
