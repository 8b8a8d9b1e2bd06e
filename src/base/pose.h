/* Poses: where something is and how it is turned. */
#ifndef MOTE_BASE_POSE_H
#define MOTE_BASE_POSE_H

#include "base/trig.h"
#include "base/vec.h"

typedef mote_pose mt_pose;

/* A pose made ready for many points: the columns of the rotation, and the position. */
typedef struct mt_frame {
    mote_vec3 x, y, z, position;
} mt_frame;

static inline float mt_quat_square(mote_quat q)
{
    return q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
}

static inline mote_quat mt_quat_unit(mote_quat q)
{
    float scale = 1.0f / sqrtf(mt_quat_square(q));
    return (mote_quat){q.x * scale, q.y * scale, q.z * scale, q.w * scale};
}

/* First b, then a. */
static inline mote_quat mt_quat_times(mote_quat a, mote_quat b)
{
    return (mote_quat){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static inline mt_frame mt_frame_of(mt_pose pose)
{
    mote_quat q = pose.rotation;
    float xx = 2.0f * q.x * q.x, yy = 2.0f * q.y * q.y, zz = 2.0f * q.z * q.z;
    float xy = 2.0f * q.x * q.y, xz = 2.0f * q.x * q.z, yz = 2.0f * q.y * q.z;
    float wx = 2.0f * q.w * q.x, wy = 2.0f * q.w * q.y, wz = 2.0f * q.w * q.z;
    return (mt_frame){{1.0f - yy - zz, xy + wz, xz - wy},
                      {xy - wz, 1.0f - xx - zz, yz + wx},
                      {xz + wy, yz - wx, 1.0f - xx - yy},
                      pose.position};
}

static inline mote_vec3 mt_turn(const mt_frame *frame, mote_vec3 direction)
{
    return mt_add(mt_add(mt_scale(frame->x, direction.x), mt_scale(frame->y, direction.y)),
                  mt_scale(frame->z, direction.z));
}

/* From a frame's own coordinates to the world's, and back. */
static inline mote_vec3 mt_to_world(const mt_frame *frame, mote_vec3 point)
{
    return mt_add(mt_turn(frame, point), frame->position);
}

static inline mote_vec3 mt_to_local(const mt_frame *frame, mote_vec3 point)
{
    mote_vec3 d = mt_sub(point, frame->position);
    return (mote_vec3){mt_dot(frame->x, d), mt_dot(frame->y, d), mt_dot(frame->z, d)};
}

/* The rotation by `spin` (rad/s) for `time` seconds. */
static inline mote_quat mt_quat_of_spin(mote_vec3 spin, float time)
{
    double rate = sqrt((double)spin.x * (double)spin.x + (double)spin.y * (double)spin.y +
                       (double)spin.z * (double)spin.z);
    if (!(rate > 0))
        return (mote_quat){0.0f, 0.0f, 0.0f, 1.0f};
    double sine, cosine;
    mt_sin_cos(0.5 * rate * (double)time, &sine, &cosine);
    sine /= rate;
    return (mote_quat){(float)(sine * (double)spin.x), (float)(sine * (double)spin.y),
                       (float)(sine * (double)spin.z), (float)cosine};
}

/* From b's coordinates to those that a stands in. */
static inline mt_pose mt_pose_times(mt_pose a, mt_pose b)
{
    mt_frame frame = mt_frame_of(a);
    return (mt_pose){mt_to_world(&frame, b.position), mt_quat_unit(mt_quat_times(a.rotation, b.rotation))};
}

/* The pose of b in a's coordinates: a times it is b. */
static inline mt_pose mt_pose_beside(mt_pose a, mt_pose b)
{
    mt_frame frame = mt_frame_of(a);
    mote_quat back = {-a.rotation.x, -a.rotation.y, -a.rotation.z, a.rotation.w};
    return (mt_pose){mt_to_local(&frame, b.position), mt_quat_unit(mt_quat_times(back, b.rotation))};
}

/* On the way from one pose to another: the screw that takes the one to the other in one even motion, turning
 * the shorter way round. Things that are moved together, each by its own two poses, stay together on the
 * way. */
mt_pose mt_pose_between(mt_pose from, mt_pose to, float part);

#endif
