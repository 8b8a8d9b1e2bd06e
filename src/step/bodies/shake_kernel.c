/* Joints under the impulse solver, after flight: they are closed where bodies end, which is little, since they were held
 * before (hold_kernel.c).
 *
 * SHAKE (Ryckaert, Ciccotti and Berendsen 1977): errors are those of the end, levers, directions and inertias those of
 * the start. The impulses that close a joint then do no work on it, and energy stays but for a slow swing about its
 * value; with directions of the end it would be lost.
 *
 * What is added to the angular momentum L at the start, T, must turn the body at the end as flight with it would have:
 * to E T alone, with E the inverse inertia of the start, a rod answers wrongly by its turn times the ratio of its
 * moments, which may be far more than 1, and the error grows from substep to substep. A turn d of a body that flies
 * obeys d' = E (T + L x d), where E turns with it. Up to the second order in h, with w = E L and R the flight's
 * rotation,
 *
 *     d = R (E T + h/2 s x T),    s = adj(E) L + E w - tr(E) w:
 *
 * E L^ E = (adj(E) L)^ and w^ E + E w^ = (tr(E) w - E w)^, with a^ the matrix of a x. R stands in front of all, so that
 * what turns about a rod's axis turns about the axis that it has at the end. Errors are seen from a frame that was
 * carried along by R, where the levers of the start are those of the end but for how the two bodies turn beside each
 * other; so are the directions of limits. */
#include "step/bodies/joint_answer.h"
#include "step/bodies/joint_closed.h"
#include "step/bodies/joint_opening.h"
#include "step/bodies/joint_solve.h"
#include "step/bodies/joint_tree.h"
#include "step/bodies/joint_unclosed.h"

#define MT_SHAKE_SWEEPS 30u /* at most; most joints alone are closed after one */
#define MT_SHAKE_PASSES 30u /* the same, over all at once */

/* A matrix of columns times a vector. */
LANE_FUNCTION lanes3 columns_times(const mt_vec_lanes m[3], lanes3 v)
{
    return lanes3_add(lanes3_add(lanes3_scale(load3(&m[0]), v.x), lanes3_scale(load3(&m[1]), v.y)),
                      lanes3_scale(load3(&m[2]), v.z));
}

/* inverse_inertia = (xx, yy, zz, xy, xz, yz). */
LANE_FUNCTION lanes3 adjugate_times(const mt_batch_body *w, lanes3 v)
{
    lanes xx = lanes_load(w->inverse_inertia[0]), yy = lanes_load(w->inverse_inertia[1]),
          zz = lanes_load(w->inverse_inertia[2]);
    lanes xy = lanes_load(w->inverse_inertia[3]), xz = lanes_load(w->inverse_inertia[4]),
          yz = lanes_load(w->inverse_inertia[5]);
    lanes ax = yy * zz - yz * yz, ay = xx * zz - xz * xz, az = xx * yy - xy * xy;
    lanes axy = xz * yz - xy * zz, axz = xy * yz - xz * yy, ayz = xy * xz - xx * yz;
    return (lanes3){ax * v.x + axy * v.y + axz * v.z, axy * v.x + ay * v.y + ayz * v.z,
                    axz * v.x + ayz * v.y + az * v.z};
}

/* How the body answers moments of the start at the end; its frame is that of the start, and becomes that of now. */
LANE_FUNCTION void set_reply(const mt_substep *s, mt_batch_body *w)
{
    lanes4 first = fetch4(w->work, offsetof(mt_body_work, spin)),
           last = fetch4(w->work, offsetof(mt_body_work, angular));
    lanes3 spin = {first.x, first.y, first.z}, angular = {last.x, last.y, last.z};
    lanes trace = lanes_load(w->inverse_inertia[0]) + lanes_load(w->inverse_inertia[1]) +
                  lanes_load(w->inverse_inertia[2]);
    lanes3 drift = lanes3_sub(lanes3_add(adjugate_times(w, angular), inverse_inertia_times(w, spin)),
                              lanes3_scale(spin, trace));
    drift = lanes3_keep(body_moves(w), lanes3_scale(drift, lanes_all(0.5f * s->h)));
    lanes_frame end = lanes_frame_of(rotation_of(&w->now));
    lanes3 x = load3(&w->frame[0]), y = load3(&w->frame[1]), z = load3(&w->frame[2]);
    store3(&w->carry[0], lanes_turn(&end, (lanes3){x.x, y.x, z.x}));
    store3(&w->carry[1], lanes_turn(&end, (lanes3){x.y, y.y, z.y}));
    store3(&w->carry[2], lanes_turn(&end, (lanes3){x.z, y.z, z.z}));
    for (uint32_t k = 0; k < 3; k++) {
        lanes3 e = lanes3_all((mote_vec3){k == 0 ? 1.0f : 0.0f, k == 1 ? 1.0f : 0.0f, k == 2 ? 1.0f : 0.0f});
        store3(&w->reply[k],
               columns_times(w->carry, lanes3_add(inverse_inertia_times(w, e), lanes3_cross(drift, e))));
    }
    store3(&w->frame[0], end.x);
    store3(&w->frame[1], end.y);
    store3(&w->frame[2], end.z);
}

/* Back by the flight of a, or of b if a does not move. */
LANE_FUNCTION lanes3 carried_back(const mt_batch_body *a, const mt_batch_body *b, lanes3 v)
{
    const lane_mask own = body_moves(a);
    lanes3 x = lanes3_select(own, load3(&a->carry[0]), load3(&b->carry[0]));
    lanes3 y = lanes3_select(own, load3(&a->carry[1]), load3(&b->carry[1]));
    lanes3 z = lanes3_select(own, load3(&a->carry[2]), load3(&b->carry[2]));
    return (lanes3){lanes3_dot(x, v), lanes3_dot(y, v), lanes3_dot(z, v)};
}

/* The errors but limits, and what these need; answers what a gap may be. */
LANE_FUNCTION lanes look_at_end(const mt_substep *s, const mt_batch_joint *j, const mt_batch_body *a,
                                const mt_batch_body *b, joint_sight *see, joint_numbers *error)
{
    lanes3 at_a = load3(&a->now.position), at_b = load3(&b->now.position);
    *see = see_arms(j, a, b);
    see_directions(see, j, a, b);
    lanes3 gap = lanes3_sub(lanes3_add(lanes3_sub(at_b, at_a), see->arm_b), see->arm_a);
    set_numbers(error, 0, carried_back(a, b, gap));
    if (j->type != MOTE_JOINT_BALL || j->limited) {
        see->axis_a = carried_back(a, b, see->axis_a);
        see->axis_b = carried_back(a, b, see->axis_b);
        see->side_a = carried_back(a, b, see->side_a);
        see->side_b = carried_back(a, b, see->side_b);
    }
    measure(error, j, see);
    take_opening(j, error);
    lanes size = lanes3_dot(at_a, at_a) + lanes3_dot(at_b, at_b) + lanes3_dot(see->arm_a, see->arm_a);
    return lanes_all(1e-2f * s->limits.closed) +
           lanes_all(MT_SHAKE_ROUNDING) * lanes_sqrt(size + lanes3_dot(see->arm_b, see->arm_b));
}

LANE_FUNCTION void push_at_start(mt_batch_body *w, lane_mask mask, lanes3 arm, lanes3 push, lanes3 moment)
{
    shift_lanes(w, mask, lanes3_scale(push, lanes_load(w->inverse_mass)),
                columns_times(w->reply, lanes3_add(lanes3_cross(arm, push), moment)), false);
}

static void give_shake(mt_batch_joint *j, mt_batch_body *a, mt_batch_body *b, lane_mask to, joint_answer given)
{
    lanes3 push = lanes3_keep(to, given.push), moment = lanes3_keep(to, given.moment);
    store3(&j->force, lanes3_add(load3(&j->force), push));
    store3(&j->torque, lanes3_add(load3(&j->torque), moment));
    push_at_start(a, to, load3(&j->arm_a), lanes3_minus(push), lanes3_minus(moment));
    push_at_start(b, to, load3(&j->arm_b), push, moment);
}

/* As close_anchor. */
static __attribute__((noinline)) void shake_anchor(const mt_substep *s, mt_batch_joint *j, mt_batch_body *a,
                                                   mt_batch_body *b, uint32_t bits)
{
    joint_numbers error, lambda;
    joint_matrix m;
    mt_factor_lanes own;
    joint_sight see;
    (void)look_at_end(s, j, a, b, &see, &error);
    fill_matrix(&m, 3, j->turn, a, b, load3(&j->arm_a), load3(&j->arm_b));
    factor_rows(&m, 3, a, b, &own);
    solve_rows(&own, 3, 3, &error, &lambda);
    joint_answer given = {anchor_part(&lambda), lanes3_all((mote_vec3){0.0f, 0.0f, 0.0f})};
    give_shake(j, a, b, lanes_of_bits(bits), given);
}

/* Answers the bits of the lanes where it was open. */
static uint32_t shake_joint(const mt_substep *s, mt_batch_joint *j, mt_batch_body *a, mt_batch_body *b)
{
    joint_numbers error;
    joint_sight see;
    lane_mask open = body_moves(a) | body_moves(b);
    if (lanes_bits(open) == 0)
        return 0;
    lanes most = look_at_end(s, j, a, b, &see, &error);
    if (j->limited) {
        set_kept_limits(j, &error, &see);
        j->factored = false;
    }
    open &= ~shaken_lanes(rows_of(j->type) + limits_of(j), error.of[0], most);
    if (lanes_bits(open) == 0)
        return 0;
    joint_answer given = answer(j, a, b, &error);
    uint32_t yields = j->yields ? lanes_bits(yield_lanes(s, j, &given) & open) : 0;
    give_shake(j, a, b, open, given);
    if (yields != 0)
        shake_anchor(s, j, a, b, yields);
    return lanes_bits(open);
}

static bool shake_tree_limits(mt_batch_joint *j, const joint_sight *see)
{
    limited_turn first = j->type == MOTE_JOINT_HINGE
                             ? (limited_turn){see->axis_a, hinge_angle(see), lanes_of_bits(0xff)}
                             : where_limited(swing_of(see), lanes_load(j->high));
    first.angle = went_on(first.angle, lanes_load(j->first_angle[0]));
    bool differs = set_tree_limit(j, 0, first);
    if (j->type == MOTE_JOINT_BALL) {
        limited_turn twist = where_limited(twist_of(see), lanes_load(j->twist));
        twist.angle = went_on(twist.angle, lanes_load(j->first_angle[1]));
        differs |= set_tree_limit(j, 1, twist);
    }
    return differs;
}

/* Answers the bits of the lanes where something was open. */
static uint32_t shake_all(const mt_substep *s, const joint_tree *t, bool *factored)
{
    uint32_t open = 0;
    for (uint32_t k = 0; k < t->batch->joints; k++) {
        mt_batch_joint *j = &t->joints[k];
        const mt_batch_body *a = &t->bodies[j->a], *b = &t->bodies[j->b];
        joint_numbers error;
        joint_sight see;
        lanes most = look_at_end(s, j, a, b, &see, &error);
        memcpy(j->error, error.of, rows_of(j->type) * sizeof error.of[0]);
        if (j->limited && shake_tree_limits(j, &see))
            *factored = false;
        lane_mask shaken = shaken_lanes(rows_now(j), j->error[0], most);
        open |= lanes_bits((body_moves(a) | body_moves(b)) & ~shaken);
    }
    if (open == 0)
        return 0;
    solve_tree(t, *factored);
    *factored = true;
    for (uint32_t k = 0; k < t->batch->joints; k++) {
        mt_batch_joint *j = &t->joints[k];
        give_shake(j, &t->bodies[j->a], &t->bodies[j->b], lanes_of_bits(open), tree_answer(j));
        accumulate(j, open);
    }
    return open;
}

/* Both answer the bits of the lanes that were still open in the last pass. */
static uint32_t shake_tree(const mt_substep *s, mt_batch *batch)
{
    const joint_tree tree = joint_tree_of(s, batch);
    uint32_t open = 0xffu;
    for (uint32_t pass = 0; pass < MT_SHAKE_PASSES && open != 0; pass++)
        open = shake_all(s, &tree, &batch->factored);
    return open;
}

static uint32_t shake_one_by_one(const mt_substep *s, const mt_batch *batch)
{
    mt_batch_joint *joints = mt_batch_joints(s->bodies.plan, batch);
    mt_batch_body *bodies = mt_batch_bodies(s->bodies.plan, batch);
    uint32_t open = 0xffu;
    for (uint32_t sweep = 0; sweep < MT_SHAKE_SWEEPS && open != 0; sweep++) {
        open = 0;
        for (uint32_t k = 0; k < batch->joints; k++) {
            mt_batch_joint *j = joints + ((sweep & 1) != 0 ? batch->joints - 1 - k : k);
            open |= shake_joint(s, j, &bodies[j->a], &bodies[j->b]);
        }
    }
    return open;
}

/* joints_hold has looked at the start. */
static void begin_shake(const mt_substep *s, const mt_batch *batch)
{
    mt_batch_body *bodies = mt_batch_bodies(s->bodies.plan, batch);
    for (uint32_t i = 0; i < batch->bodies; i++) {
        fetch_body(&bodies[i], true);
        set_reply(s, &bodies[i]);
    }
}

void MT_KERNEL(joints_shake)(const mt_substep *s, mt_batch *batch)
{
    mt_batch_body *bodies = mt_batch_bodies(s->bodies.plan, batch);
    begin_shake(s, batch);
    uint32_t open = batch->tree ? shake_tree(s, batch) : shake_one_by_one(s, batch);
    if (open != 0)
        bound_closing(s, batch, open);
    for (uint32_t i = 0; i < batch->bodies; i++)
        write_body(&bodies[i], false);
}
