/* Joints that closing did not close. Joints that contradict each other, in a loop or at a limit, are thrown about by
 * passes that do not converge, and what these gave last may be anything. So of an assembly that is still open when
 * passes are over, closing keeps what leaves the energy as it was, as it would if it had closed, or what makes no body
 * faster than openings may close; all its joints give the same part, so that what they give adds up to nothing. */
#ifndef MOTE_STEP_BODIES_JOINT_UNCLOSED_H
#define MOTE_STEP_BODIES_JOINT_UNCLOSED_H

#include "step/bodies/joint_lanes.h"

/* What closing has given to a body: a push and a moment, times h. `velocity` and `spin` are free by now. */
LANE_FUNCTION void add_closing(mt_batch_body *w, lanes3 arm, lanes3 push, lanes3 moment)
{
    store3(&w->velocity, lanes3_add(load3(&w->velocity), push));
    store3(&w->spin, lanes3_add(load3(&w->spin), lanes3_add(lanes3_cross(arm, push), moment)));
}

LANE_FUNCTION lanes3 closing_of(const mt_vec_lanes *all, const mt_vec_lanes *held)
{
    return lanes3_sub(load3(all), load3(held));
}

static void sum_closing(const mt_batch *batch, const mt_batch_joint *joints, mt_batch_body *bodies)
{
    for (uint32_t i = 0; i < batch->bodies; i++) {
        memset(&bodies[i].velocity, 0, sizeof bodies[i].velocity);
        memset(&bodies[i].spin, 0, sizeof bodies[i].spin);
    }
    for (uint32_t k = 0; k < batch->joints; k++) {
        const mt_batch_joint *j = &joints[k];
        lanes3 push = closing_of(&j->force, &j->held_force), moment = closing_of(&j->torque, &j->held_torque);
        add_closing(&bodies[j->a], load3(&j->arm_a), lanes3_minus(push), lanes3_minus(moment));
        add_closing(&bodies[j->b], load3(&j->arm_b), push, moment);
    }
}

/* The part of what closing gave that an assembly keeps: as much as leaves its energy as it was, of what turns its bodies
 * on; or what makes none of them faster than openings may close. */
LANE_FUNCTION lanes kept_part(const mt_substep *s, const mt_batch *batch, const mt_batch_body *bodies)
{
    const lanes one = lanes_all(1.0f), zero = lanes_all(0.0f), most = lanes_all(s->limits.most_push);
    lanes gained = zero, work = zero,
          energy = zero; /* m/s; what changes in proportion, and with the square: J */
    for (uint32_t i = 0; i < batch->own; i++) {
        const mt_batch_body *w = &bodies[i];
        lanes4 v = fetch4(w->work, offsetof(mt_body_work, velocity)),
               spin = fetch4(w->work, offsetof(mt_body_work, spin)),
               size = fetch4(w->work, offsetof(mt_body_work, size));
        lanes3 push = lanes3_keep(body_moves(w), lanes3_scale(load3(&w->velocity), lanes_all(s->inverse_h))),
               moment = lanes3_keep(body_moves(w), lanes3_scale(load3(&w->spin), lanes_all(s->inverse_h)));
        lanes3 turn = inverse_inertia_times(w, moment);
        lanes inverse_mass = lanes_load(w->inverse_mass);
        gained = lanes_max(gained, lanes3_length(push) * inverse_mass + lanes3_length(turn) * size.x);
        work +=
            lanes3_dot(push, (lanes3){v.x, v.y, v.z}) + lanes3_dot(moment, (lanes3){spin.x, spin.y, spin.z});
        energy += lanes_all(0.5f) * (inverse_mass * lanes3_dot(push, push) + lanes3_dot(turn, moment));
    }
    lanes turned = lanes_max(lanes_min(-work / lanes_max(energy, lanes_all(1e-30f)), one), zero);
    return lanes_max(turned, most / lanes_max(gained, most));
}

LANE_FUNCTION void keep_closing(mt_vec_lanes *all, const mt_vec_lanes *held, lanes part)
{
    store3(all, lanes3_add(load3(held), lanes3_scale(closing_of(all, held), part)));
}

/* From where it flew to where closing put it, as far as the part goes. */
LANE_FUNCTION void keep_pose(mt_batch_body *w, lanes part)
{
    mt_pose_lanes flown;
    fetch_pose(w->work, offsetof(mt_body_work, pose), &flown);
    lanes3 from = load3(&flown.position), way = lanes3_sub(load3(&w->now.position), from);
    lanes4 a = rotation_of(&flown), b = rotation_of(&w->now);
    lanes same = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    lanes to = lanes_select(lanes_below(same, lanes_all(0.0f)), -part, part), rest = lanes_all(1.0f) - part;
    lanes4 q = {rest * a.x + to * b.x, rest * a.y + to * b.y, rest * a.z + to * b.z, rest * a.w + to * b.w};
    lanes over = lanes_all(1.0f) / lanes_sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    lane_mask less = lanes_below(part, lanes_all(1.0f)) & body_moves(w);
    q.x = lanes_select(less, q.x * over, b.x);
    q.y = lanes_select(less, q.y * over, b.y);
    q.z = lanes_select(less, q.z * over, b.z);
    q.w = lanes_select(less, q.w * over, b.w);
    lanes3 at = lanes3_add(from, lanes3_scale(way, part));
    store3(&w->now.position, lanes3_select(less, at, load3(&w->now.position)));
    set_rotation(&w->now, q);
    set_frame(w, q);
}

/* `open`: bits of the assemblies that passes did not close. */
static void bound_closing(const mt_substep *s, const mt_batch *batch, uint32_t open)
{
    mt_batch_joint *joints = mt_batch_joints(s->bodies.plan, batch);
    mt_batch_body *bodies = mt_batch_bodies(s->bodies.plan, batch);
    sum_closing(batch, joints, bodies);
    lanes part = lanes_select(lanes_of_bits(open), kept_part(s, batch, bodies), lanes_all(1.0f));
    if (lanes_bits(lanes_below(part, lanes_all(1.0f))) == 0)
        return;
    for (uint32_t k = 0; k < batch->joints; k++) {
        keep_closing(&joints[k].force, &joints[k].held_force, part);
        keep_closing(&joints[k].torque, &joints[k].held_torque, part);
    }
    for (uint32_t i = 0; i < batch->own; i++)
        keep_pose(&bodies[i], part);
}

#endif
