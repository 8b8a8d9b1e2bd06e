#include "step/bodies/joint_finish.h"

#include "step/bodies/pose_step.h"

static const mt_frame world_frame = {
    {1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}, {0.0f, 0.0f, 0.0f}};

/* ---- yielding ------------------------------------------------------------------------------------------ */

static mote_vec3 to_own(const mt_frame *f, mote_vec3 v)
{
    return (mote_vec3){mt_dot(f->x, v), mt_dot(f->y, v), mt_dot(f->z, v)};
}

static float turned(mote_vec3 from, mote_vec3 to)
{
    mote_vec3 n = mt_cross(from, to);
    return mt_length(n);
}

/* A stiff joint that gave all the torque it can is bent: what it could not hold is its new form. */
static void yield(const mt_substep *s, mt_joint_work *j, const mt_joint *joint)
{
    const mt_body_work *a = &mt_body_works(s->bodies.plan)[j->a];
    const mt_body_work *b = j->b != MT_NO_BODY ? &mt_body_works(s->bodies.plan)[j->b] : NULL;
    const mt_frame *fb = b != NULL ? &b->at : &world_frame;
    mote_vec3 axis = to_own(fb, mt_turn(&a->at, joint->axis_a)),
              side = to_own(fb, mt_turn(&a->at, joint->side_a));
    float by_axis = turned(j->axis_b, axis), by_side = turned(j->side_b, side);
    j->bent += by_axis > by_side ? by_axis : by_side;
    j->axis_b = axis;
    j->side_b = side;
}

/* ---- what was given ------------------------------------------------------------------------------------ */

static mote_vec3 lane_of(const mt_vec_lanes *v, uint32_t lane)
{
    return (mote_vec3){v->x[lane], v->y[lane], v->z[lane]};
}

static void book(mt_body_work *w, mote_vec3 anchor, mote_vec3 push, mote_vec3 moment)
{
    if (!mt_body_moves(w))
        return;
    w->push = mt_add(w->push, push);
    w->turn = mt_add(w->turn, mt_add(mt_cross(mt_turn(&w->at_start, anchor), push), moment));
}

void mt_joint_book(const mt_substep *s, mt_joint_work *j)
{
    const mt_batch_joint *solved = (const mt_batch_joint *)s->bodies.plan->batches.joints.data + j->batch_joint;
    j->force = lane_of(&solved->force, j->lane);
    j->torque = lane_of(&solved->torque, j->lane);
    mote_vec3 push =
        mt_sub(j->force, lane_of(&solved->held_force, j->lane)); /* bodies flew with what was held */
    mote_vec3 moment = mt_sub(j->torque, lane_of(&solved->held_torque, j->lane));
    book(&mt_body_works(s->bodies.plan)[j->a], j->anchor_a, mt_scale(push, -1.0f), mt_scale(moment, -1.0f));
    if (j->b != MT_NO_BODY)
        book(&mt_body_works(s->bodies.plan)[j->b], j->anchor_b, push, moment);
}

/* ---- what becomes of it -------------------------------------------------------------------------------- */

void mt_joint_finish(const mt_substep *s, mt_joint_work *j)
{
    const mt_joint *joint = &s->bodies.joints[j->joint];
    float scale = s->inverse_h * s->inverse_h, force = mt_length(j->force) * scale,
          torque = mt_length(j->torque) * scale;
    j->force_sum = mt_add(j->force_sum, mt_scale(j->force, scale * s->time.share));
    j->torque_sum = mt_add(j->torque_sum, mt_scale(j->torque, scale * s->time.share));
    if (joint->type == MOTE_JOINT_STIFF && torque >= 0.999f * joint->yield_torque)
        yield(s, j, joint);
    if (force > joint->break_force || torque > joint->break_torque || j->bent > joint->bend_limit)
        j->broken = true;
}

/* ---- spins --------------------------------------------------------------------------------------------- */

mote_vec3 mt_spin_between(mote_quat from, mote_quat to, float inverse_time)
{
    mote_quat back = {-from.x, -from.y, -from.z, from.w}, q = mt_quat_times(to, back);
    if (q.w < 0)
        q = (mote_quat){-q.x, -q.y, -q.z, -q.w};
    double sine = sqrt((double)q.x * (double)q.x + (double)q.y * (double)q.y + (double)q.z * (double)q.z);
    if (!(sine > 0))
        return (mote_vec3){0.0f, 0.0f, 0.0f};
    double angle = sine < 1e-3 ? 2.0 * sine * (1.0 + sine * sine / 6.0) : 2.0 * mt_angle_of(sine, (double)q.w);
    float scale = (float)(angle / sine * (double)inverse_time);
    return (mote_vec3){q.x * scale, q.y * scale, q.z * scale};
}
