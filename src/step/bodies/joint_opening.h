/* What is open of a joint when a substep starts: a guard has put one of its bodies back, it was made or let go in a pose
 * that its limits do not allow, or there was not time enough to close it. All of that at once would be a speed of a
 * gap's length in a substep, hundreds of metres a second. So a joint closes no faster than overlaps come apart, with
 * max_depenetration_speed at its anchor and at the end of its levers; what is left stays open until the next substep. */
#ifndef MOTE_STEP_BODIES_JOINT_OPENING_H
#define MOTE_STEP_BODIES_JOINT_OPENING_H

#include "step/bodies/joint_lanes.h"

/* The part of an error of that size that is left after closing by at most `most`. */
LANE_FUNCTION lanes part_left(lanes size, lanes most)
{
    return lanes_keep(lanes_above(size, most), lanes_all(1.0f) - most / lanes_max(size, lanes_all(1e-30f)));
}

/* m: from the anchor to the furthest particle of a body that moves. */
LANE_FUNCTION lanes reach_of(const mt_batch_body *w, lanes3 arm)
{
    lanes4 size = fetch4(w->work, offsetof(mt_body_work, size));
    return lanes_keep(body_moves(w), lanes3_length(arm) + size.x);
}

/* rad: by how much a joint may turn its bodies back within the substep. */
LANE_FUNCTION lanes most_return(const mt_substep *s, const mt_batch_body *a, const mt_batch_body *b,
                                const joint_sight *see)
{
    lanes reach = lanes_max(reach_of(a, see->arm_a), reach_of(b, see->arm_b));
    return lanes_all(s->limits.most_push * s->h) / lanes_max(reach, lanes_all(1e-6f));
}

LANE_FUNCTION void keep_turns(mt_batch_joint *j, joint_numbers *error, lanes most)
{
    const uint32_t rows = rows_of(j->type);
    lanes square = lanes_all(0.0f);
    for (uint32_t k = 3; k < rows; k++)
        square += lanes_load(error->of[k]) * lanes_load(error->of[k]);
    lanes part = part_left(lanes_sqrt(square), most);
    for (uint32_t k = 3; k < rows; k++)
        lanes_store(j->open[k], part * lanes_load(error->of[k]));
}

/* Limits are where the joint is, less what it may come back by. */
LANE_FUNCTION void keep_limit(mt_batch_joint *j, uint32_t k, lanes angle, lanes low, lanes high, lanes most)
{
    lanes_store(j->first_angle[k], angle);
    lanes_store(j->lowest[k], lanes_min(low, angle + most));
    lanes_store(j->highest[k], lanes_max(high, angle - most));
}

LANE_FUNCTION void keep_limits(mt_batch_joint *j, const joint_sight *see, lanes most)
{
    lanes high = lanes_load(j->high), twist = lanes_load(j->twist);
    if (j->type == MOTE_JOINT_HINGE) {
        keep_limit(j, 0, hinge_angle(see), lanes_load(j->low), high, most);
        return;
    }
    keep_limit(j, 0, swing_of(see).angle, lanes_all(-1.0f), high, most);
    if (j->type == MOTE_JOINT_BALL)
        keep_limit(j, 1, twist_of(see).angle, -twist, twist, most);
}

/* Levers and directions are those of the start. */
LANE_FUNCTION void keep_opening(const mt_substep *s, mt_batch_joint *j, const mt_batch_body *a,
                                const mt_batch_body *b, const joint_sight *see)
{
    joint_numbers error;
    measure_anchor(&error, see, load3(&a->start.position), load3(&b->start.position));
    measure(&error, j, see);
    lanes3 gap = {lanes_load(error.of[0]), lanes_load(error.of[1]), lanes_load(error.of[2])};
    lanes most = most_return(s, a, b, see);
    gap = lanes3_scale(gap, part_left(lanes3_length(gap), lanes_all(s->limits.most_push * s->h)));
    lanes_store(j->open[0], gap.x);
    lanes_store(j->open[1], gap.y);
    lanes_store(j->open[2], gap.z);
    keep_turns(j, &error, most);
    if (j->limited)
        keep_limits(j, see, most);
}

/* An angle as it has become since the start, without a jump by a whole turn. */
LANE_FUNCTION lanes went_on(lanes angle, lanes from)
{
    const lanes half = lanes_all((float)MT_PI), whole = lanes_all(2.0f * (float)MT_PI);
    angle = lanes_select(lanes_above(angle - from, half), angle - whole, angle);
    return lanes_select(lanes_below(angle - from, -half), angle + whole, angle);
}

/* One of the limits as the substep has it. */
LANE_FUNCTION void set_kept_limit(mt_batch_joint *j, joint_numbers *error, uint32_t k, limited_turn turn)
{
    turn.angle = went_on(turn.angle, lanes_load(j->first_angle[k]));
    set_limit(j, error, rows_of(j->type) + k, turn, lanes_load(j->lowest[k]), lanes_load(j->highest[k]),
              lanes_all(MT_FAR));
}

LANE_FUNCTION void set_kept_limits(mt_batch_joint *j, joint_numbers *error, const joint_sight *see)
{
    if (j->type == MOTE_JOINT_HINGE) {
        set_kept_limit(j, error, 0, (limited_turn){see->axis_a, hinge_angle(see), lanes_of_bits(0xff)});
        return;
    }
    set_kept_limit(j, error, 0, where_limited(swing_of(see), lanes_load(j->high)));
    if (j->type == MOTE_JOINT_BALL)
        set_kept_limit(j, error, 1, where_limited(twist_of(see), lanes_load(j->twist)));
}

/* Less what may stay open. */
LANE_FUNCTION void take_opening(const mt_batch_joint *j, joint_numbers *error)
{
    for (uint32_t k = 0; k < rows_of(j->type); k++)
        lanes_store(error->of[k], lanes_load(error->of[k]) - lanes_load(j->open[k]));
}

#endif
