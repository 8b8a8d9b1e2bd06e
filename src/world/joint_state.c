/* What a program may read of a joint: where it is, how far it is turned, and what it holds. */
#include "base/trig.h"
#include "world/bodies.h"
#include "world/check.h"

static mote_vec3 point_of(const mt_body *body, mote_vec3 p)
{
    return body != NULL ? mt_body_point(body, p) : p;
}

static mote_vec3 direction_of(const mt_body *body, mote_vec3 d)
{
    if (body == NULL)
        return d;
    mt_frame frame = mt_frame_of(body->pose);
    return mt_turn(&frame, d);
}

/* From one direction to another, seen along an axis across both. */
static float angle_about(mote_vec3 axis, mote_vec3 from, mote_vec3 to)
{
    float sine = mt_dot(axis, mt_cross(from, to)), cosine = mt_dot(from, to);
    double size = sqrt((double)sine * (double)sine + (double)cosine * (double)cosine);
    if (!(size > 0))
        return 0.0f;
    float angle = (float)mt_angle_of(fabs((double)sine) / size, (double)cosine / size);
    return sine < 0 ? -angle : angle;
}

/* b's side, turned back by the swing. */
static mote_vec3 without_swing(mote_vec3 side, mote_vec3 axis_a, mote_vec3 axis_b)
{
    mote_vec3 n = mt_cross(axis_b, axis_a);
    float c = mt_dot(axis_a, axis_b);
    if (c < -0.9999f)
        return side;
    float part = mt_dot(n, side) / (1.0f + c);
    return mt_add(mt_add(mt_scale(side, c), mt_cross(n, side)), mt_scale(n, part));
}

mote_result mote_joint_get(const mote_world *world, mote_joint_id joint, mote_joint_state *state)
{
    mt_joint *j = NULL;
    MT_TRY(mt_joint_find(world, joint, &j));
    MT_TRY(mt_check_pointer("state", state));
    const mt_body *a = mt_joint_body(world, j->a), *b = mt_joint_body(world, j->b);
    mote_vec3 axis_a = direction_of(a, j->axis_a), axis_b = direction_of(b, j->axis_b);
    mote_vec3 side_a = direction_of(a, j->side_a), side_b = direction_of(b, j->side_b);
    mote_vec3 x = point_of(a, j->anchor_a), cross = mt_cross(axis_a, axis_b);
    *state = (mote_joint_state){
        .type = (mote_joint_type)j->type,
        .a = j->a,
        .b = j->b,
        .anchor = x,
        .axis = axis_a,
        .gap = mt_length(mt_sub(x, point_of(b, j->anchor_b))),
        .angle = angle_about(axis_a, side_a, side_b),
        .swing = (float)mt_angle_of((double)mt_length(cross), (double)mt_dot(axis_a, axis_b)),
        .twist = angle_about(axis_a, side_a, without_swing(side_b, axis_a, axis_b)),
        .force = j->force,
        .torque = j->torque,
        .bent = j->bent,
    };
    return MOTE_OK;
}
