#include "base/pose.h"

#include "base/real.h"

#define STRAIGHT 1e-4 /* rad: a turn that is too small to have a middle */

static mt_real3 plus(mt_real3 a, mt_real3 b, double scale)
{
    return mt_real_add(a, mt_real_scale(b, scale));
}

/* Turned about a unit axis (Rodrigues). */
static mt_real3 turned(mt_real3 a, mt_real3 axis, double angle)
{
    double sine, cosine;
    mt_sin_cos(angle, &sine, &cosine);
    mt_real3 out = mt_real_scale(a, cosine);
    out = plus(out, mt_real_cross(axis, a), sine);
    return plus(out, axis, mt_real_dot(axis, a) * (1.0 - cosine));
}

static mote_vec3 straight(mote_vec3 a, mote_vec3 b, float part)
{
    return mt_add(mt_scale(a, 1.0f - part), mt_scale(b, part));
}

/* The turn from a to b is by `angle` about `axis`; with d what is left of the way after turning about the
 * origin, the screw's axis goes through c = (d + cot(angle / 2) axis x d) / 2, d taken across the axis. */
static mt_real3 screwed(mt_real3 a, mt_real3 b, mt_real3 axis, double angle, double part)
{
    mt_real3 d = plus(b, turned(a, axis, angle), -1.0);
    double along = mt_real_dot(d, axis), sine, cosine;
    d = plus(d, axis, -along);
    mt_sin_cos(0.5 * angle, &sine, &cosine);
    mt_real3 c = plus(mt_real_scale(d, 0.5), mt_real_cross(axis, d), 0.5 * cosine / sine);
    mt_real3 out = plus(turned(plus(a, c, -1.0), axis, part * angle), c, 1.0);
    return plus(out, axis, part * along);
}

mt_pose mt_pose_between(mt_pose from, mt_pose to, float part)
{
    mote_quat back = {-from.rotation.x, -from.rotation.y, -from.rotation.z, from.rotation.w};
    mote_quat turn = mt_quat_times(to.rotation, back);
    double sign = turn.w < 0 ? -1.0 : 1.0;
    mt_real3 axis = {sign * (double)turn.x, sign * (double)turn.y, sign * (double)turn.z};
    double sine = sqrt(mt_real_dot(axis, axis)), angle = 2.0 * mt_angle_of(sine, sign * (double)turn.w);
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
    axis = (mt_real3){axis.x / sine, axis.y / sine, axis.z / sine};
    mt_real3 x = screwed(mt_real_of(from.position), mt_real_of(to.position), axis, angle, (double)part);
    double s, c;
    mt_sin_cos(0.5 * angle * (double)part, &s, &c);
    mote_quat step = {(float)(axis.x * s), (float)(axis.y * s), (float)(axis.z * s), (float)c};
    return (mt_pose){{(float)x.x, (float)x.y, (float)x.z}, mt_quat_unit(mt_quat_times(step, from.rotation))};
}
