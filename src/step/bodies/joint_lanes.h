/* The rows of a joint, in eight assemblies at once. Its two bodies, b seen from a, may differ in up to six ways
 * that the joint does not allow:
 *
 *     the anchor's place                             3 rows, every joint
 *     the axis's direction                           2 rows, hinge; the whole rotation: 3 rows, stiff
 *     the twist                                      1 row, universal
 *     a limit that is passed                         1 row each
 *
 * With C these errors, J their change with the bodies' motion and M the bodies' masses and inertias, the
 * impulse (times h) is the solution of (J M^-1 J^T) lambda = -C: all rows at once, so a joint alone is
 * solved in one go, however strongly its rows depend on each other. Several joints of an assembly follow one
 * upon the other (Gauss-Seidel), forwards and backwards in turn. A row that a lane does not have is a turn
 * about nothing with no error: it gets nothing. */
#ifndef MOTE_STEP_BODIES_JOINT_LANES_H
#define MOTE_STEP_BODIES_JOINT_LANES_H

#include "step/bodies/joint_system.h"

typedef struct joint_sight { /* the joint as it stands in the world */
    lanes3 arm_a, arm_b;
    lanes3 axis_a, axis_b, side_a, side_b; /* those that the joint's type needs */
} joint_sight;

LANE_FUNCTION joint_sight see_arms(const mt_batch_joint *j, const mt_batch_body *a, const mt_batch_body *b)
{
    const lanes3 none = lanes3_all((mote_vec3){0.0f, 0.0f, 0.0f});
    return (joint_sight){turn3(a, &j->anchor_a), turn3(b, &j->anchor_b), none, none, none, none};
}

LANE_FUNCTION void see_directions(joint_sight *see, const mt_batch_joint *j, const mt_batch_body *a,
                                  const mt_batch_body *b)
{
    if (j->type == MOTE_JOINT_BALL && !j->limited)
        return;
    see->axis_a = turn3(a, &j->axis_a);
    see->axis_b = turn3(b, &j->axis_b);
    if (j->type == MOTE_JOINT_HINGE && !j->limited)
        return;
    see->side_a = turn3(a, &j->side_a);
    see->side_b = turn3(b, &j->side_b);
}

/* The angle of a turn, -pi to pi, from its sine and cosine, which need not be of length 1: the arc tangent of
 * the smaller over the larger, to some 1e-7, after a reduction to an eighth of a turn around 0. */
LANE_FUNCTION lanes angle_lanes(lanes sine, lanes cosine)
{
    const lanes zero = lanes_all(0.0f), one = lanes_all(1.0f);
    lanes y = lanes_max(sine, -sine), x = lanes_max(cosine, -cosine);
    lanes part = lanes_min(x, y) / lanes_max(lanes_max(x, y), lanes_all(1e-30f));
    lane_mask large = lanes_above(part, lanes_all(0.41421356f));
    lanes t = lanes_select(large, (part - one) / (part + one), part), square = t * t;
    lanes series = square * lanes_all(8.05374449538e-2f) - lanes_all(1.38776856032e-1f);
    series = square * series + lanes_all(1.99777106478e-1f);
    series = square * series - lanes_all(3.33329491539e-1f);
    lanes angle = t + t * (square * series) + lanes_keep(large, lanes_all((float)(MT_PI / 4.0)));
    angle = lanes_select(lanes_above(y, x), lanes_all((float)(MT_PI / 2.0)) - angle, angle);
    angle = lanes_select(lanes_below(cosine, zero), lanes_all((float)MT_PI) - angle, angle);
    return lanes_select(lanes_below(sine, zero), -angle, angle);
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* Rows but limits. */
static inline uint32_t rows_of(uint32_t type)
{
    return type == MOTE_JOINT_STIFF ? 6 : type == MOTE_JOINT_HINGE ? 5 : type == MOTE_JOINT_UNIVERSAL ? 4 : 3;
}

static inline uint32_t limits_of(const mt_batch_joint *j)
{
    return !j->limited ? 0 : j->type == MOTE_JOINT_BALL ? 2 : 1;
}

LANE_FUNCTION lanes3 across_lanes(lanes3 axis)
{
    lanes zero = lanes_all(0.0f), one = lanes_all(1.0f), part = lanes_all(0.6f);
    lane_mask x = lanes_within(axis.x, part);
    lanes3 other = {lanes_keep(x, one), lanes_keep(~x, one), zero};
    lanes3 side = lanes3_sub(other, lanes3_scale(axis, lanes_select(x, axis.x, axis.y)));
    return lanes3_scale(side, one / lanes_sqrt(lanes3_dot(side, side)));
}

/* The directions of the rows after the anchor's. */
LANE_FUNCTION void set_turns(mt_batch_joint *j, const joint_sight *see)
{
    if (j->type == MOTE_JOINT_HINGE) {
        lanes3 one = across_lanes(see->axis_a);
        store3(&j->turn[0], one);
        store3(&j->turn[1], lanes3_cross(see->axis_a, one));
    }
    if (j->type == MOTE_JOINT_STIFF) {
        store3(&j->turn[0], lanes3_all((mote_vec3){1.0f, 0.0f, 0.0f}));
        store3(&j->turn[1], lanes3_all((mote_vec3){0.0f, 1.0f, 0.0f}));
        store3(&j->turn[2], lanes3_all((mote_vec3){0.0f, 0.0f, 1.0f}));
    }
    if (j->type == MOTE_JOINT_UNIVERSAL) {
        lanes3 turn = lanes3_cross(lanes3_cross(see->axis_b, see->side_b), see->side_a);
        lanes length = lanes_sqrt(lanes3_dot(turn, turn));
        lane_mask any = lanes_above(length, lanes_all(1e-3f));
        store3(&j->turn[0], lanes3_keep(any, lanes3_scale(turn, lanes_all(1.0f) / length)));
    }
}

LANE_FUNCTION void set_numbers(joint_numbers *to, uint32_t first, lanes3 v)
{
    lanes_store(to->of[first], v.x);
    lanes_store(to->of[first + 1], v.y);
    lanes_store(to->of[first + 2], v.z);
}

/* The errors of all rows but limits. */
LANE_FUNCTION void measure(joint_numbers *error, const mt_batch_joint *j, const joint_sight *see)
{
    if (j->type == MOTE_JOINT_HINGE) {
        lanes3 off = lanes3_cross(see->axis_a, see->axis_b);
        lanes_store(error->of[3], lanes3_dot(load3(&j->turn[0]), off));
        lanes_store(error->of[4], lanes3_dot(load3(&j->turn[1]), off));
    }
    if (j->type == MOTE_JOINT_STIFF) {
        lanes3 third_a = lanes3_cross(see->axis_a, see->side_a);
        lanes3 third_b = lanes3_cross(see->axis_b, see->side_b);
        lanes3 off = lanes3_add(lanes3_cross(see->axis_a, see->axis_b), lanes3_cross(see->side_a, see->side_b));
        off = lanes3_scale(lanes3_add(off, lanes3_cross(third_a, third_b)), lanes_all(0.5f));
        set_numbers(error, 3, off);
    }
    if (j->type == MOTE_JOINT_UNIVERSAL) {
        lanes3 turn = load3(&j->turn[0]), across_b = lanes3_cross(see->axis_b, see->side_b);
        lanes length = lanes3_dot(turn, lanes3_cross(across_b, see->side_a));
        lanes angle = angle_lanes(lanes3_dot(see->side_a, across_b), lanes_max(length, lanes_all(0.0f)));
        lane_mask any = lanes_above(lanes3_dot(turn, turn), lanes_all(0.0f));
        lanes_store(error->of[3], lanes_keep(any, angle));
    }
}

LANE_FUNCTION void measure_anchor(joint_numbers *error, const joint_sight *see, lanes3 at_a, lanes3 at_b)
{
    lanes3 gap = lanes3_sub(lanes3_add(lanes3_sub(at_b, at_a), see->arm_b), see->arm_a);
    set_numbers(error, 0, gap);
}

/* ---- limits -------------------------------------------------------------------------------------------- */

typedef struct limited_turn {
    lanes3 about; /* increases the angle */
    lanes angle;
    lane_mask known; /* elsewhere the pose does not say */
} limited_turn;

LANE_FUNCTION lanes hinge_angle(const joint_sight *see)
{
    lanes sine = lanes3_dot(see->axis_a, lanes3_cross(see->side_a, see->side_b));
    return angle_lanes(sine, lanes3_dot(see->side_a, see->side_b));
}

LANE_FUNCTION limited_turn swing_of(const joint_sight *see)
{
    lanes3 off = lanes3_cross(see->axis_a, see->axis_b);
    lanes sine = lanes_sqrt(lanes3_dot(off, off));
    return (limited_turn){lanes3_scale(off, lanes_all(1.0f) / lanes_max(sine, lanes_all(1e-30f))),
                          angle_lanes(sine, lanes3_dot(see->axis_a, see->axis_b)),
                          lanes_above(sine, lanes_all(1e-6f))};
}

/* b's side, turned back by the swing. */
LANE_FUNCTION lanes3 without_swing(const joint_sight *see)
{
    lanes3 n = lanes3_cross(see->axis_b, see->axis_a), side = see->side_b;
    lanes c = lanes3_dot(see->axis_a, see->axis_b);
    lanes3 back = lanes3_add(lanes3_scale(side, c), lanes3_cross(n, side));
    back = lanes3_add(back, lanes3_scale(n, lanes3_dot(n, side) / (lanes_all(1.0f) + c)));
    return lanes3_select(lanes_below(c, lanes_all(-0.99f)), side, back);
}

/* The twist changes about the middle of the two axes. */
LANE_FUNCTION limited_turn twist_of(const joint_sight *see)
{
    lanes3 side = without_swing(see);
    lanes sine = lanes3_dot(see->axis_a, lanes3_cross(see->side_a, side));
    lanes part = lanes_all(1.0f) + lanes3_dot(see->axis_a, see->axis_b);
    lanes3 about =
        lanes3_scale(lanes3_add(see->axis_a, see->axis_b), lanes_all(1.0f) / lanes_max(part, lanes_all(0.01f)));
    return (limited_turn){about, angle_lanes(sine, lanes3_dot(see->side_a, side)),
                          lanes_above(part, lanes_all(0.01f))};
}

/* A limit that is far passed (a bone that is let go in a pose which its joint does not allow) is come back to
 * gently. */
#define MT_MOST_RETURN 0.02f /* rad an iteration */

/* Row `row` for a turn of which there is more than `high` or less than `low`. */
LANE_FUNCTION void set_limit(mt_batch_joint *j, joint_numbers *error, uint32_t row, limited_turn turn,
                             lanes low, lanes high, lanes most)
{
    lane_mask above = lanes_above(turn.angle, high) & turn.known,
              below = lanes_below(turn.angle, low) & turn.known & ~above;
    lanes over = lanes_min(turn.angle - high, most), under = lanes_max(turn.angle - low, -most);
    store3(&j->turn[row - 3], lanes3_keep(above | below, turn.about));
    lanes_store(error->of[row], lanes_keep(above, over) + lanes_keep(below, under));
}

LANE_FUNCTION limited_turn where_limited(limited_turn turn, lanes limit)
{
    turn.known &= lanes_below(limit, lanes_all(MT_NO_LIMIT));
    return turn;
}

/* They are the rows after all others. */
LANE_FUNCTION void set_limits(mt_batch_joint *j, joint_numbers *error, const joint_sight *see)
{
    const lanes most = lanes_all(MT_MOST_RETURN), high = lanes_load(j->high), twist = lanes_load(j->twist);
    uint32_t row = rows_of(j->type);
    if (j->type == MOTE_JOINT_HINGE) {
        limited_turn turn = {see->axis_a, hinge_angle(see), lanes_of_bits(0xff)};
        set_limit(j, error, row, turn, lanes_load(j->low), high, most);
        return;
    }
    set_limit(j, error, row, where_limited(swing_of(see), high), lanes_all(-1.0f), high, most);
    if (j->type == MOTE_JOINT_BALL)
        set_limit(j, error, row + 1, where_limited(twist_of(see), twist), -twist, twist, most);
}

#endif
