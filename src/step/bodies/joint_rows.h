/* Solving a joint. Its two bodies, b seen from a, may differ in up to six ways that the joint does not
 * allow:
 *
 *     the anchor's place                             3 rows, every joint
 *     the axis's direction                           2 rows, hinge; the whole rotation: 3 rows, stiff
 *     the twist                                      1 row, universal
 *     a limit that is passed                         1 row each
 *
 * With C these errors, J their change with the bodies' motion and M the bodies' masses and inertias, the
 * impulse (times h) is the solution of (J M^-1 J^T) lambda = -C: all rows at once, so a joint alone is
 * solved in one go, however strongly its rows depend on each other. Several joints of an assembly follow one
 * upon the other (Gauss-Seidel), forwards and backwards in turn. */
#ifndef MOTE_STEP_BODIES_JOINT_ROWS_H
#define MOTE_STEP_BODIES_JOINT_ROWS_H

#include "step/bodies/pose_step.h"
#include "step/scratch.h"

#define MT_MOST_ROWS 6

typedef struct joint_rows {
    int count;
    int limits;                                           /* rows from here on push one way only */
    mote_vec3 turn_a[MT_MOST_ROWS], turn_b[MT_MOST_ROWS]; /* how the error changes with the bodies' turning */
    mote_vec3 way[3];                                     /* and with their moving: the first three rows */
    double error[MT_MOST_ROWS];
} joint_rows;

typedef struct joint_sight { /* the joint as it stands in the world */
    mote_vec3 arm_a, arm_b;
    mote_vec3 axis_a, axis_b, side_a, side_b;
} joint_sight;

static const mt_frame joint_world = {
    {1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}, {0.0f, 0.0f, 0.0f}};

static inline joint_sight joint_see(const mt_joint *joint, const mt_joint_work *j, const mt_frame *a,
                                    const mt_frame *b)
{
    return (joint_sight){mt_turn(a, j->anchor_a), mt_turn(b, j->anchor_b),   mt_turn(a, joint->axis_a),
                         mt_turn(b, j->axis_b),   mt_turn(a, joint->side_a), mt_turn(b, j->side_b)};
}

/* The angle of a small turn from its sine and cosine, without a series where it is small. */
static inline float joint_angle(float sine, float cosine)
{
    double size = sqrt((double)sine * (double)sine + (double)cosine * (double)cosine);
    float angle = size > 0 ? (float)mt_angle_of(fabs((double)sine) / size, (double)cosine / size) : 0.0f;
    return sine < 0 ? -angle : angle;
}

static inline void joint_add_turn(joint_rows *rows, mote_vec3 direction, float error)
{
    if (rows->count == MT_MOST_ROWS)
        return;
    int k = rows->count++;
    rows->turn_a[k] = mt_scale(direction, -1.0f);
    rows->turn_b[k] = direction;
    rows->error[k] = (double)error;
}

static inline mote_vec3 joint_across(mote_vec3 axis)
{
    mote_vec3 other = fabsf(axis.x) < 0.6f ? (mote_vec3){1.0f, 0.0f, 0.0f} : (mote_vec3){0.0f, 1.0f, 0.0f};
    mote_vec3 side = mt_sub(other, mt_scale(axis, mt_dot(axis, other)));
    return mt_scale(side, 1.0f / mt_length(side));
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

static inline void joint_add_anchor(joint_rows *rows, const joint_sight *see, mote_vec3 gap)
{
    const mote_vec3 ways[3] = {joint_world.x, joint_world.y, joint_world.z};
    const float error[3] = {gap.x, gap.y, gap.z};
    for (int k = 0; k < 3; k++) {
        rows->way[k] = ways[k];
        rows->turn_a[k] = mt_cross(ways[k], see->arm_a);
        rows->turn_b[k] = mt_cross(see->arm_b, ways[k]);
        rows->error[k] = (double)error[k];
    }
    rows->count = 3;
}

static inline void joint_add_type(joint_rows *rows, uint32_t type, const joint_sight *see)
{
    if (type == MOTE_JOINT_HINGE) {
        mote_vec3 off = mt_cross(see->axis_a, see->axis_b), one = joint_across(see->axis_a);
        mote_vec3 two = mt_cross(see->axis_a, one);
        joint_add_turn(rows, one, mt_dot(one, off));
        joint_add_turn(rows, two, mt_dot(two, off));
    }
    if (type == MOTE_JOINT_STIFF) {
        mote_vec3 third_a = mt_cross(see->axis_a, see->side_a), third_b = mt_cross(see->axis_b, see->side_b);
        mote_vec3 off = mt_add(mt_cross(see->axis_a, see->axis_b), mt_cross(see->side_a, see->side_b));
        off = mt_scale(mt_add(off, mt_cross(third_a, third_b)), 0.5f);
        joint_add_turn(rows, joint_world.x, off.x);
        joint_add_turn(rows, joint_world.y, off.y);
        joint_add_turn(rows, joint_world.z, off.z);
    }
    if (type == MOTE_JOINT_UNIVERSAL) {
        mote_vec3 across_b = mt_cross(see->axis_b, see->side_b), turn = mt_cross(across_b, see->side_a);
        float length = mt_length(turn);
        if (length > 1e-3f)
            joint_add_turn(rows, mt_scale(turn, 1.0f / length), mt_dot(see->side_a, across_b) / length);
    }
}

/* A limit that is far passed (a bone that is let go in a pose which its joint does not allow) is come back to
 * gently. */
#define MT_MOST_RETURN 0.02f /* rad an iteration */

static inline void joint_limit(joint_rows *rows, mote_vec3 direction, float angle, float low, float high)
{
    if (angle > high)
        joint_add_turn(rows, direction, fminf(angle - high, MT_MOST_RETURN));
    else if (angle < low)
        joint_add_turn(rows, direction, fmaxf(angle - low, -MT_MOST_RETURN));
}

/* b's side, turned back by the swing. */
static inline mote_vec3 joint_without_swing(const joint_sight *see)
{
    mote_vec3 n = mt_cross(see->axis_b, see->axis_a), side = see->side_b;
    float c = mt_dot(see->axis_a, see->axis_b);
    if (c < -0.99f)
        return side;
    return mt_add(mt_add(mt_scale(side, c), mt_cross(n, side)), mt_scale(n, mt_dot(n, side) / (1.0f + c)));
}

#define MT_NO_LIMIT 3.14f

static inline void joint_add_limits(joint_rows *rows, const mt_joint *joint, const joint_sight *see)
{
    rows->limits = rows->count;
    if (joint->type == MOTE_JOINT_HINGE &&
        (joint->min_angle > -MT_NO_LIMIT || joint->max_angle < MT_NO_LIMIT)) {
        float sine = mt_dot(see->axis_a, mt_cross(see->side_a, see->side_b));
        joint_limit(rows, see->axis_a, joint_angle(sine, mt_dot(see->side_a, see->side_b)), joint->min_angle,
                    joint->max_angle);
    }
    if (joint->type != MOTE_JOINT_BALL && joint->type != MOTE_JOINT_UNIVERSAL)
        return;
    if (joint->swing_limit < MT_NO_LIMIT) {
        mote_vec3 off = mt_cross(see->axis_a, see->axis_b);
        float sine = mt_length(off), swing = joint_angle(sine, mt_dot(see->axis_a, see->axis_b));
        if (sine > 1e-6f)
            joint_limit(rows, mt_scale(off, 1.0f / sine), swing, -1.0f, joint->swing_limit);
    }
    if (joint->type == MOTE_JOINT_BALL && joint->twist_limit < MT_NO_LIMIT) {
        mote_vec3 side = joint_without_swing(see);
        float sine = mt_dot(see->axis_a, mt_cross(see->side_a, side)),
              part = 1.0f + mt_dot(see->axis_a, see->axis_b);
        /* The twist changes about the middle of the two axes. */
        mote_vec3 about = mt_scale(mt_add(see->axis_a, see->axis_b), 1.0f / fmaxf(part, 0.01f));
        if (part > 0.01f)
            joint_limit(rows, about, joint_angle(sine, mt_dot(see->side_a, side)), -joint->twist_limit,
                        joint->twist_limit);
    }
}

/* ---- the system ---------------------------------------------------------------------------------------- */

/* Symmetric and positive: L D L^T in place, with 1 / D on the diagonal. Rows that cannot move at all get
 * nothing. */
static inline __attribute__((always_inline)) void joint_solve_system(double k[MT_MOST_ROWS][MT_MOST_ROWS],
                                                                     double x[MT_MOST_ROWS], const int n)
{
    double scaled[MT_MOST_ROWS]; /* L D of the row at hand */
    for (int i = 0; i < n; i++) {
        double whole = k[i][i], rest = whole;
        for (int j = 0; j < i; j++) {
            double sum = k[i][j];
            for (int m = 0; m < j; m++)
                sum -= scaled[m] * k[j][m];
            scaled[j] = sum;
            k[i][j] = sum * k[j][j];
            rest -= sum * k[i][j];
            x[i] -= k[i][j] * x[j];
        }
        k[i][i] = rest > 1e-7 * whole ? 1.0 / rest : 0.0; /* else it follows from the rows before it */
    }
    for (int i = n - 1; i >= 0; i--) {
        x[i] *= k[i][i];
        for (int j = i + 1; j < n; j++)
            x[i] -= k[j][i] * x[j];
    }
}

static inline __attribute__((always_inline)) void joint_solve_some(const joint_rows *rows, const int n,
                                                                   const mt_body_work *a, const mt_body_work *b,
                                                                   double lambda[MT_MOST_ROWS])
{
    const float none[6] = {0};
    const float *ease_a = a->inverse_mass > 0 ? a->ease : none;
    const float *ease_b = b != NULL && b->inverse_mass > 0 ? b->ease : none;
    double k[MT_MOST_ROWS][MT_MOST_ROWS];
    double masses = (double)a->inverse_mass + (b != NULL ? (double)b->inverse_mass : 0.0);
    for (int i = 0; i < n; i++) {
        mote_vec3 ea = mt_ease(ease_a, rows->turn_a[i]), eb = mt_ease(ease_b, rows->turn_b[i]);
        for (int j = 0; j <= i; j++)
            k[i][j] = (double)(mt_dot(rows->turn_a[j], ea) + mt_dot(rows->turn_b[j], eb));
        if (i < 3)
            k[i][i] += masses;
        lambda[i] = -rows->error[i];
    }
    joint_solve_system(k, lambda, n);
}

/* Each number of rows has loops of its own that the compiler can unroll. */
static inline void joint_solve_rows(const joint_rows *rows, int n, const mt_body_work *a, const mt_body_work *b,
                                    double lambda[MT_MOST_ROWS])
{
    switch (n) {
    case 3:
        joint_solve_some(rows, 3, a, b, lambda);
        return;
    case 4:
        joint_solve_some(rows, 4, a, b, lambda);
        return;
    case 5:
        joint_solve_some(rows, 5, a, b, lambda);
        return;
    default:
        joint_solve_some(rows, 6, a, b, lambda);
        return;
    }
}

#endif
