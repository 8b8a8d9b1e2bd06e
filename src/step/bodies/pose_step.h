/* Small motions of a body: turning it by a little, pushing it, placing its particles. */
#ifndef MOTE_STEP_BODIES_POSE_STEP_H
#define MOTE_STEP_BODIES_POSE_STEP_H

#include "step/bodies/bodies.h"

/* A symmetric matrix (xx, yy, zz, xy, xz, yz) times a vector. */
static inline mote_vec3 mt_inverse_inertia_times(const float m[6], mote_vec3 v)
{
    return (mote_vec3){m[0] * v.x + m[3] * v.y + m[4] * v.z, m[3] * v.x + m[1] * v.y + m[5] * v.z,
                       m[4] * v.x + m[5] * v.y + m[2] * v.z};
}

/* The body's own matrix, for a body that is turned as the frame says, times a vector of the world. */
static inline mote_vec3 mt_inverse_inertia_turned(const float own[6], const mt_frame *f, mote_vec3 v)
{
    return mt_turn(
        f, mt_inverse_inertia_times(own, (mote_vec3){mt_dot(f->x, v), mt_dot(f->y, v), mt_dot(f->z, v)}));
}

/* The same matrix in the world's directions. */
static inline void mt_inverse_inertia_in(const float own[6], const mt_frame *f, float world[6])
{
    mote_vec3 x = mt_inverse_inertia_times(own, (mote_vec3){f->x.x, f->y.x, f->z.x});
    mote_vec3 y = mt_inverse_inertia_times(own, (mote_vec3){f->x.y, f->y.y, f->z.y});
    mote_vec3 z = mt_inverse_inertia_times(own, (mote_vec3){f->x.z, f->y.z, f->z.z});
    mote_vec3 cx = mt_turn(f, x), cy = mt_turn(f, y), cz = mt_turn(f, z);
    world[0] = cx.x;
    world[1] = cy.y;
    world[2] = cz.z;
    world[3] = cx.y;
    world[4] = cx.z;
    world[5] = cy.z;
}

/* Turned by a rotation vector: exactly enough up to a radian and by the sine itself beyond. */
static inline mote_quat mt_quat_turned(mote_quat q, mote_vec3 by)
{
    float square = 0.25f * mt_dot(by, by);
    mote_quat step;
    if (square > 0.0625f)
        step = mt_quat_of_spin(by, 1.0f);
    else { /* sin(a) / a and cos(a) for a below 1/4: the next terms are below 1e-9 */
        float sine =
            0.5f * (1.0f - square * (1.0f / 6.0f - square * (1.0f / 120.0f - square * (1.0f / 5040.0f))));
        float cosine = 1.0f - square * (0.5f - square * (1.0f / 24.0f - square * (1.0f / 720.0f)));
        step = (mote_quat){sine * by.x, sine * by.y, sine * by.z, cosine};
    }
    /* Both are of length 1 but for rounding, for which one step of Newton's is enough. */
    mote_quat turned = mt_quat_times(step, q);
    float scale = 1.5f - 0.5f * mt_quat_square(turned);
    return (mote_quat){turned.x * scale, turned.y * scale, turned.z * scale, turned.w * scale};
}

static inline bool mt_body_moves(const mt_body_work *w)
{
    return w->inverse_mass > 0;
}

/* Moved and turned now. */
static inline void mt_body_shift(mt_body_work *w, mote_vec3 by, mote_vec3 turn)
{
    w->pose.position = mt_add(w->pose.position, by);
    w->pose.rotation = mt_quat_turned(w->pose.rotation, turn);
    w->at = mt_frame_of(w->pose);
    w->shifts++;
}

#endif
