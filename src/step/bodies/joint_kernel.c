/* The joints of a batch, solved one after the other: joint_lanes.h says how one is. */
#include "step/bodies/joint_solve.h"

#include "step/bodies/joint_answer.h"

#define MT_SWEEPS       6u /* over the joints of an assembly in a substep, at least */
#define MT_FIRST_SWEEPS 3u /* the same when stabilising */

/* ---- one joint ----------------------------------------------------------------------------------------- */

/* The rows of a joint as its bodies are now, or as they were at the start. */
LANE_FUNCTION void look(mt_batch_joint *j, const mt_batch_body *a, const mt_batch_body *b, joint_sight *see,
                        joint_numbers *error, const bool at_start)
{
    const mt_joint_view view = at_start ? MT_JOINT_AT_START : MT_JOINT_NOW;
    *see = see_arms(j, a, b);
    see_directions(see, j, a, b);
    if (j->seen != view) {
        store3(&j->arm_a, see->arm_a);
        store3(&j->arm_b, see->arm_b);
        set_turns(j, see);
        j->factored = false;
    }
    measure_anchor(error, see, load3(at_start ? &a->start.position : &a->now.position),
                   load3(at_start ? &b->start.position : &b->now.position));
    measure(error, j, see);
    if (j->limited)
        set_limits(j, error, see);
    j->seen = j->limited ? MT_JOINT_UNSEEN : view;
}

/* Where a joint is as it should be, to a ten-thousandth of a radius; when stabilising to a tenth of that, so
 * that what is closed in an iteration was opened in this substep: closing it makes a velocity. */
LANE_FUNCTION lane_mask closed_lanes(const mt_substep *s, const mt_batch_joint *j, const joint_numbers *error,
                                     const bool at_start)
{
    const float part = at_start ? 0.1f : 1.0f;
    const lanes most = lanes_all(part * s->closed), most_turn = lanes_all(part * 1e-5f);
    uint32_t rows = rows_of(j->type) + limits_of(j);
    lanes3 gap = anchor_part(error);
    lane_mask closed = size_at_most(gap.x, most) & size_at_most(gap.y, most) & size_at_most(gap.z, most);
    for (uint32_t k = 3; k < rows; k++)
        closed &= size_at_most(lanes_load(error->of[k]), most_turn);
    return closed;
}

/* The lanes of a joint that are open, after looking at it: not those whose bodies do not move, nor those whose
 * bodies have not been moved since they were last found to be closed. */
LANE_FUNCTION lane_mask open_lanes(const mt_substep *s, mt_batch_joint *j, const mt_batch_body *a,
                                   const mt_batch_body *b, joint_sight *see, joint_numbers *error,
                                   const bool at_start)
{
    lane_index moved = lanes_load_index(a->shifts) + lanes_load_index(b->shifts);
    lane_index closed_at = lanes_load_index(j->closed_at);
    lane_mask open = (body_moves(a) | body_moves(b)) & lanes_differ(closed_at, moved);
    if (lanes_bits(open) == 0)
        return open;
    look(j, a, b, see, error, at_start);
    lane_mask closed = open & closed_lanes(s, j, error, at_start);
    lanes_store_index(j->closed_at, (closed_at & (lane_index)~closed) | (moved & (lane_index)closed));
    return open & ~closed;
}

/* Momentum is counted from these when the substep ends: see mt_joint_book. */
LANE_FUNCTION void give(mt_batch_joint *j, mt_batch_body *a, mt_batch_body *b, const joint_sight *see,
                        lane_mask to, joint_answer given)
{
    lanes3 push = lanes3_keep(to, given.push), moment = lanes3_keep(to, given.moment);
    store3(&j->force, lanes3_add(load3(&j->force), push));
    store3(&j->torque, lanes3_add(load3(&j->torque), moment));
    push_lanes(a, to, see->arm_a, lanes3_minus(push), lanes3_minus(moment), false);
    push_lanes(b, to, see->arm_b, push, moment, false);
}

/* ---- yielding ------------------------------------------------------------------------------------------ */

/* After a torque that is less than the joint would have to hold. The push at the anchor was worked out for a
 * joint that does not turn, so it is worked out anew for one that does: else it is too large, by a factor of
 * four for the end of a rod, and grows from iteration to iteration. */
static __attribute__((noinline)) void close_anchor(mt_batch_joint *j, mt_batch_body *a, mt_batch_body *b,
                                                   uint32_t bits)
{
    joint_numbers error, lambda;
    joint_matrix m;
    mt_factor_lanes own;
    joint_sight see = see_arms(j, a, b);
    measure_anchor(&error, &see, load3(&a->now.position), load3(&b->now.position));
    fill_matrix(&m, 3, j->turn, a, b, see.arm_a, see.arm_b);
    factor_rows(&m, 3, a, b, &own);
    solve_rows(&own, 3, 3, &error, &lambda);
    joint_answer given = {anchor_part(&lambda), lanes3_all((mote_vec3){0.0f, 0.0f, 0.0f})};
    give(j, a, b, &see, lanes_of_bits(bits), given);
}

/* ---- all of them --------------------------------------------------------------------------------------- */

/* Whether it was open anywhere. */
static bool solve_joint(const mt_substep *s, mt_batch_joint *j, mt_batch_body *a, mt_batch_body *b)
{
    joint_sight see;
    joint_numbers error;
    lane_mask open = open_lanes(s, j, a, b, &see, &error, false);
    if (lanes_bits(open) == 0)
        return false;
    joint_answer given = answer(j, a, b, &error);
    uint32_t yields = j->yields ? lanes_bits(yield_lanes(s, j, &given) & open) : 0;
    give(j, a, b, &see, open, given);
    if (yields != 0)
        close_anchor(j, a, b, yields);
    return true;
}

/* What contacts left of a gap in the substep before is closed before it could become a speed. */
static bool stabilize_joint(const mt_substep *s, mt_batch_joint *j, mt_batch_body *a, mt_batch_body *b)
{
    joint_sight see;
    joint_numbers error;
    lane_mask open = open_lanes(s, j, a, b, &see, &error, true);
    if (lanes_bits(open) == 0)
        return false;
    joint_answer given = answer(j, a, b, &error);
    lanes3 push = lanes3_keep(open, given.push), moment = lanes3_keep(open, given.moment);
    push_lanes(a, open, see.arm_a, lanes3_minus(push), lanes3_minus(moment), true);
    push_lanes(b, open, see.arm_b, push, moment, true);
    return true;
}

/* How often an iteration goes over the joints: one alone is solved in one go. */
static uint32_t sweeps_of(const mt_batch *batch, uint32_t all, uint32_t iterations)
{
    return batch->joints > 1 ? (all + iterations - 1) / iterations : 1;
}

/* Whether nothing was moved since all joints were found to be closed. */
static bool stay_closed(const mt_batch *batch, const mt_batch_body *w)
{
    for (uint32_t i = 0; i < batch->bodies; i++)
        for (uint32_t n = 0; n < batch->count; n++)
            if (w[i].shifts[n] != w[i].work[n]->shifts)
                return false;
    return true;
}

static bool any_told(const mt_batch *batch, const mt_batch_body *w)
{
    uint32_t told = 0;
    for (uint32_t i = 0; i < batch->bodies; i++)
        told |= w[i].told;
    return told != 0;
}

static void begin_view(const mt_batch *batch, mt_batch_joint *j)
{
    for (uint32_t k = 0; k < batch->joints; k++) {
        j[k].seen = MT_JOINT_UNSEEN;
        memset(j[k].closed_at, 0xff, sizeof j[k].closed_at);
    }
}

/* Once over all joints. Answers whether they were all closed. */
LANE_FUNCTION bool sweep_joints(const mt_substep *s, const mt_batch *batch, bool backwards, const bool at_start)
{
    mt_batch_joint *joints = mt_batch_joints(s->bodies, batch);
    mt_batch_body *bodies = mt_batch_bodies(s->bodies, batch);
    bool open = false;
    for (uint32_t k = 0; k < batch->joints; k++) {
        mt_batch_joint *j = joints + (backwards ? batch->joints - 1 - k : k);
        open |= at_start ? stabilize_joint(s, j, &bodies[j->a], &bodies[j->b])
                         : solve_joint(s, j, &bodies[j->a], &bodies[j->b]);
    }
    return !open;
}

LANE_FUNCTION void pass(const mt_substep *s, mt_batch *batch, const bool at_start)
{
    const mt_joint_view view = at_start ? MT_JOINT_AT_START : MT_JOINT_NOW;
    mt_batch_body *bodies = mt_batch_bodies(s->bodies, batch);
    const bool fresh = batch->substep != s->bodies->substep, new_view = fresh || batch->view != view;
    const bool closed =
        batch->joints == 0 || (batch->closed && !new_view && (batch->held || stay_closed(batch, bodies)));
    if (closed && !any_told(batch, bodies))
        return;
    if (fresh)
        begin_joints(s, batch, mt_batch_joints(s->bodies, batch));
    if (new_view)
        begin_view(batch, mt_batch_joints(s->bodies, batch));
    batch->substep = s->bodies->substep;
    batch->view = view;
    batch->closed = false;
    for (uint32_t i = 0; i < batch->bodies; i++) {
        if (!batch->held)
            fetch_body(&bodies[i], fresh, at_start);
        follow_lanes(&bodies[i], at_start);
    }
    const uint32_t sweeps = at_start ? sweeps_of(batch, MT_FIRST_SWEEPS, s->stabilizations)
                                     : sweeps_of(batch, MT_SWEEPS, s->iterations);
    const uint32_t backwards = !at_start && s->backwards;
    for (uint32_t sweep = 0; sweep < sweeps && !batch->closed; sweep++)
        batch->closed = sweep_joints(s, batch, (sweep & 1) != backwards, at_start);
    for (uint32_t i = 0; i < batch->bodies && !batch->held; i++)
        write_body(&bodies[i], at_start);
}

void MT_KERNEL(joints_solve)(const mt_substep *s, mt_batch *batch)
{
    pass(s, batch, false);
}

void MT_KERNEL(joints_stabilize)(const mt_substep *s, mt_batch *batch)
{
    pass(s, batch, true);
}
