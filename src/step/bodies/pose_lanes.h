/* Poses of eight bodies: a lane is a body. What is done here is what pose_step.h and base/pose.h do for one
 * body, operation by operation, so that a body has the same bits whoever moves it. */
#ifndef MOTE_STEP_BODIES_POSE_LANES_H
#define MOTE_STEP_BODIES_POSE_LANES_H

#include "step/bodies/pose_step.h"
#include "step/bodies/rows.h"

#include <stddef.h>

typedef struct lanes_frame {
    lanes3 x, y, z;
} lanes_frame;

/* As mt_frame_of. */
LANE_FUNCTION lanes_frame lanes_frame_of(lanes4 q)
{
    lanes one = lanes_all(1.0f), two = lanes_all(2.0f);
    lanes xx = two * q.x * q.x, yy = two * q.y * q.y, zz = two * q.z * q.z;
    lanes xy = two * q.x * q.y, xz = two * q.x * q.z, yz = two * q.y * q.z;
    lanes wx = two * q.w * q.x, wy = two * q.w * q.y, wz = two * q.w * q.z;
    return (lanes_frame){{one - yy - zz, xy + wz, xz - wy},
                         {xy - wz, one - xx - zz, yz + wx},
                         {xz + wy, yz - wx, one - xx - yy}};
}

/* One frame for all lanes. */
LANE_FUNCTION lanes_frame lanes_frame_all(const mt_frame *f)
{
    return (lanes_frame){lanes3_all(f->x), lanes3_all(f->y), lanes3_all(f->z)};
}

/* As mt_turn. */
LANE_FUNCTION lanes3 lanes_turn(const lanes_frame *f, lanes3 v)
{
    return lanes3_add(lanes3_add(lanes3_scale(f->x, v.x), lanes3_scale(f->y, v.y)), lanes3_scale(f->z, v.z));
}

/* As mt_inverse_inertia_times. */
LANE_FUNCTION lanes3 lanes_inverse_inertia_times(const lanes m[6], lanes3 v)
{
    return (lanes3){m[0] * v.x + m[3] * v.y + m[4] * v.z, m[3] * v.x + m[1] * v.y + m[5] * v.z,
                    m[4] * v.x + m[5] * v.y + m[2] * v.z};
}

/* As mt_inverse_inertia_turned. */
LANE_FUNCTION lanes3 lanes_inverse_inertia_turned(const lanes own[6], const lanes_frame *f, lanes3 v)
{
    return lanes_turn(f, lanes_inverse_inertia_times(
                             own, (lanes3){lanes3_dot(f->x, v), lanes3_dot(f->y, v), lanes3_dot(f->z, v)}));
}

/* Turns that are too wide for the series, one by one. */
static void wide_turns(lanes4 *step, lanes3 by, uint32_t wide)
{
    for (; wide != 0; wide &= wide - 1) {
        uint32_t k = (uint32_t)__builtin_ctz(wide);
        mote_quat q = mt_quat_of_spin((mote_vec3){by.x[k], by.y[k], by.z[k]}, 1.0f);
        step->x[k] = q.x;
        step->y[k] = q.y;
        step->z[k] = q.z;
        step->w[k] = q.w;
    }
}

/* The rotation that a turn stands for. */
LANE_FUNCTION lanes4 lanes_turning(lanes3 by)
{
    lanes one = lanes_all(1.0f), square = lanes_all(0.25f) * lanes3_dot(by, by);
    lanes sine = lanes_all(0.5f) *
                 (one - square * (lanes_all(1.0f / 6.0f) -
                                  square * (lanes_all(1.0f / 120.0f) - square * lanes_all(1.0f / 5040.0f))));
    lanes cosine = one - square * (lanes_all(0.5f) -
                                   square * (lanes_all(1.0f / 24.0f) - square * lanes_all(1.0f / 720.0f)));
    lanes4 step = {sine * by.x, sine * by.y, sine * by.z, cosine};
    uint32_t wide = lanes_bits(lanes_above(square, lanes_all(0.0625f)));
    if (wide != 0)
        wide_turns(&step, by, wide);
    return step;
}

/* One rotation after another, of length 1 again. */
LANE_FUNCTION lanes4 lanes_turned_by(lanes4 q, lanes4 a)
{
    lanes4 t = {a.w * q.x + a.x * q.w + a.y * q.z - a.z * q.y, a.w * q.y - a.x * q.z + a.y * q.w + a.z * q.x,
                a.w * q.z + a.x * q.y - a.y * q.x + a.z * q.w, a.w * q.w - a.x * q.x - a.y * q.y - a.z * q.z};
    lanes scale = lanes_all(1.5f) - lanes_all(0.5f) * (t.x * t.x + t.y * t.y + t.z * t.z + t.w * t.w);
    return (lanes4){t.x * scale, t.y * scale, t.z * scale, t.w * scale};
}

/* As mt_quat_turned. */
LANE_FUNCTION lanes4 lanes_turned(lanes4 q, lanes3 by)
{
    return lanes_turned_by(q, lanes_turning(by));
}

/* ---- a body's numbers ----------------------------------------------------------------------------------
 * Numbers of a body follow each other in memory and are read and written four at a time. Bodies that there are
 * not to make eight are the first one again. */

typedef struct eight_bodies {
    mt_body_work *work[LANES];
    uint32_t count; /* how many differ */
} eight_bodies;

LANE_FUNCTION lanes4 body_load(const eight_bodies *b, size_t offset)
{
    quad row[LANES];
    for (uint32_t k = 0; k < LANES; k++)
        memcpy(&row[k], (const char *)b->work[k] + offset, sizeof row[k]);
    return lanes_transpose(row);
}

LANE_FUNCTION void body_store(const eight_bodies *b, size_t offset, lanes4 value)
{
    quad row[LANES];
    lanes_rows(value, row);
    for (uint32_t k = 0; k < LANES; k++)
        memcpy((char *)b->work[k] + offset, &row[k], sizeof row[k]);
}

#define MT_BODY_NUMBER(field) (offsetof(mt_body_work, field) - offsetof(mt_body_work, inverse_mass))

#endif
