/* What a joint gives against the errors of its rows, and the beginning and the limit of that. */
#ifndef MOTE_STEP_BODIES_JOINT_ANSWER_H
#define MOTE_STEP_BODIES_JOINT_ANSWER_H

#include "step/bodies/joint_lanes.h"

typedef struct joint_answer {
    lanes3 push, moment; /* at the anchor, and beside it: b gets them, and a the opposite */
} joint_answer;

/* Each number of rows has loops of its own that the compiler can unroll. */
static __attribute__((noinline)) void factor(mt_batch_joint *j, const mt_batch_body *a, const mt_batch_body *b)
{
    joint_matrix m;
    uint32_t rows = rows_of(j->type) + limits_of(j);
    fill_matrix(&m, rows, j->turn, a, b, load3(&j->arm_a), load3(&j->arm_b));
    if (rows == 3)
        factor_rows(&m, 3, a, b, &j->factor);
    else if (rows == 4)
        factor_rows(&m, 4, a, b, &j->factor);
    else if (rows == 5)
        factor_rows(&m, 5, a, b, &j->factor);
    else
        factor_rows(&m, 6, a, b, &j->factor);
    j->factored = true;
}

static __attribute__((noinline)) void solve(const mt_batch_joint *j, const joint_numbers *error,
                                            joint_numbers *lambda)
{
    const mt_factor_lanes *f = &j->factor;
    if (j->type == MOTE_JOINT_STIFF)
        solve_rows(f, 6, 6, error, lambda);
    else if (j->type == MOTE_JOINT_HINGE && !j->limited)
        solve_rows(f, 5, 5, error, lambda);
    else if (j->type == MOTE_JOINT_HINGE)
        solve_rows(f, 6, 5, error, lambda);
    else if (j->type == MOTE_JOINT_UNIVERSAL && !j->limited)
        solve_rows(f, 4, 4, error, lambda);
    else if (j->type == MOTE_JOINT_UNIVERSAL)
        solve_rows(f, 5, 4, error, lambda);
    else if (!j->limited)
        solve_rows(f, 3, 3, error, lambda);
    else
        solve_rows(f, 5, 3, error, lambda);
}

LANE_FUNCTION lanes3 anchor_part(const joint_numbers *lambda)
{
    return (lanes3){lanes_load(lambda->of[0]), lanes_load(lambda->of[1]), lanes_load(lambda->of[2])};
}

LANE_FUNCTION joint_answer answer(mt_batch_joint *j, const mt_batch_body *a, const mt_batch_body *b,
                                  const joint_numbers *error)
{
    joint_numbers lambda;
    uint32_t rows = rows_of(j->type) + limits_of(j);
    if (!j->factored)
        factor(j, a, b);
    solve(j, error, &lambda);
    joint_answer to = {anchor_part(&lambda), lanes3_all((mote_vec3){0.0f, 0.0f, 0.0f})};
    for (uint32_t k = 3; k < rows; k++)
        to.moment = lanes3_add(to.moment, lanes3_scale(load3(&j->turn[k - 3]), lanes_load(lambda.of[k])));
    return to;
}

LANE_FUNCTION lane_mask size_at_most(lanes value, lanes most)
{
    return lanes_at_most(lanes_max(value, -value), most);
}

/* A stiff joint holds no more torque than it yields at. */
LANE_FUNCTION lane_mask yield_lanes(const mt_substep *s, const mt_batch_joint *j, joint_answer *given)
{
    lanes most = lanes_load(j->yield_torque) * lanes_all(s->h * s->h);
    lanes3 before = load3(&j->torque), whole = lanes3_add(before, given->moment);
    lanes size = lanes_sqrt(lanes3_dot(whole, whole));
    lane_mask yields = lanes_above(size, most);
    given->moment = lanes3_select(yields, lanes3_sub(lanes3_scale(whole, most / size), before), given->moment);
    given->push = lanes3_keep(~yields, given->push);
    return yields;
}

#endif
