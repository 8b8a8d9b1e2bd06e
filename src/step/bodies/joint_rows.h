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

typedef struct joint_sight { /* the joint as it stands in the world */
    mote_vec3 arm_a, arm_b;
    mote_vec3 axis_a, axis_b, side_a, side_b;
} joint_sight;

static const mt_frame joint_world = {
    {1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}, {0.0f, 0.0f, 0.0f}};

/* Arms, and of the directions those that the joint's type needs. */
static inline joint_sight joint_see(const mt_joint *joint, const mt_joint_work *j, const mt_frame *a,
                                    const mt_frame *b)
{
    joint_sight see = {.arm_a = mt_turn(a, j->anchor_a), .arm_b = mt_turn(b, j->anchor_b)};
    if (joint->type == MOTE_JOINT_BALL && !j->limited)
        return see;
    see.axis_a = mt_turn(a, joint->axis_a);
    see.axis_b = mt_turn(b, j->axis_b);
    if (joint->type == MOTE_JOINT_HINGE && !j->limited)
        return see;
    see.side_a = mt_turn(a, joint->side_a);
    see.side_b = mt_turn(b, j->side_b);
    return see;
}

/* The angle of a small turn from its sine and cosine, without a series where it is small. */
static inline float joint_angle(float sine, float cosine)
{
    double size = sqrt((double)sine * (double)sine + (double)cosine * (double)cosine);
    float angle = size > 0 ? (float)mt_angle_of(fabs((double)sine) / size, (double)cosine / size) : 0.0f;
    return sine < 0 ? -angle : angle;
}

static inline void joint_add_turn(mt_joint_rows *rows, mote_vec3 direction, float error)
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

/* Along x, y and z: e x arm_a and arm_b x e. */
static inline void joint_add_anchor(mt_joint_rows *rows, const joint_sight *see)
{
    mote_vec3 a = see->arm_a, b = see->arm_b;
    rows->turn_a[0] = (mote_vec3){0.0f, -a.z, a.y};
    rows->turn_a[1] = (mote_vec3){a.z, 0.0f, -a.x};
    rows->turn_a[2] = (mote_vec3){-a.y, a.x, 0.0f};
    rows->turn_b[0] = (mote_vec3){0.0f, b.z, -b.y};
    rows->turn_b[1] = (mote_vec3){-b.z, 0.0f, b.x};
    rows->turn_b[2] = (mote_vec3){b.y, -b.x, 0.0f};
    rows->count = 3;
    rows->factored = false;
}

static inline void joint_add_type(mt_joint_rows *rows, uint32_t type, const joint_sight *see)
{
    if (type == MOTE_JOINT_HINGE) {
        mote_vec3 one = joint_across(see->axis_a);
        joint_add_turn(rows, one, 0.0f);
        joint_add_turn(rows, mt_cross(see->axis_a, one), 0.0f);
    }
    if (type == MOTE_JOINT_STIFF) {
        joint_add_turn(rows, joint_world.x, 0.0f);
        joint_add_turn(rows, joint_world.y, 0.0f);
        joint_add_turn(rows, joint_world.z, 0.0f);
    }
    if (type == MOTE_JOINT_UNIVERSAL) {
        mote_vec3 turn = mt_cross(mt_cross(see->axis_b, see->side_b), see->side_a);
        float length = mt_length(turn);
        if (length > 1e-3f)
            joint_add_turn(rows, mt_scale(turn, 1.0f / length), 0.0f);
    }
}

/* The errors of all rows but limits. */
static inline void joint_measure(mt_joint_rows *rows, uint32_t type, const joint_sight *see, mote_vec3 gap)
{
    rows->error[0] = (double)gap.x;
    rows->error[1] = (double)gap.y;
    rows->error[2] = (double)gap.z;
    if (type == MOTE_JOINT_HINGE) {
        mote_vec3 off = mt_cross(see->axis_a, see->axis_b);
        rows->error[3] = (double)mt_dot(rows->turn_b[3], off);
        rows->error[4] = (double)mt_dot(rows->turn_b[4], off);
    }
    if (type == MOTE_JOINT_STIFF) {
        mote_vec3 third_a = mt_cross(see->axis_a, see->side_a), third_b = mt_cross(see->axis_b, see->side_b);
        mote_vec3 off = mt_add(mt_cross(see->axis_a, see->axis_b), mt_cross(see->side_a, see->side_b));
        off = mt_scale(mt_add(off, mt_cross(third_a, third_b)), 0.5f);
        rows->error[3] = (double)off.x;
        rows->error[4] = (double)off.y;
        rows->error[5] = (double)off.z;
    }
    if (type == MOTE_JOINT_UNIVERSAL && rows->count > 3) {
        mote_vec3 across_b = mt_cross(see->axis_b, see->side_b);
        float length = mt_dot(rows->turn_b[3], mt_cross(across_b, see->side_a));
        rows->error[3] = (double)(mt_dot(see->side_a, across_b) / fmaxf(length, 1e-3f));
    }
}

/* A limit that is far passed (a bone that is let go in a pose which its joint does not allow) is come back to
 * gently. */
#define MT_MOST_RETURN 0.02f /* rad an iteration */

static inline void joint_limit(mt_joint_rows *rows, mote_vec3 direction, float angle, float low, float high)
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

static inline bool joint_has_limits(const mt_joint *joint)
{
    switch (joint->type) {
    case MOTE_JOINT_HINGE:
        return joint->min_angle > -MT_NO_LIMIT || joint->max_angle < MT_NO_LIMIT;
    case MOTE_JOINT_BALL:
        return joint->swing_limit < MT_NO_LIMIT || joint->twist_limit < MT_NO_LIMIT;
    case MOTE_JOINT_UNIVERSAL:
        return joint->swing_limit < MT_NO_LIMIT;
    default:
        return false;
    }
}

static inline void joint_add_limits(mt_joint_rows *rows, const mt_joint *joint, const joint_sight *see)
{
    rows->limits = rows->count;
    if (joint->type == MOTE_JOINT_HINGE) {
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
static inline __attribute__((always_inline)) void joint_factor_system(double k[MT_MOST_ROWS][MT_MOST_ROWS],
                                                                      const int n)
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
        }
        k[i][i] = rest > 1e-7 * whole ? 1.0 / rest : 0.0; /* else it follows from the rows before it */
    }
}

static inline __attribute__((always_inline)) void
joint_factor_some(mt_joint_rows *rows, const int n, const mt_body_work *a, const mt_body_work *b)
{
    const float none[6] = {0};
    const float *ease_a = a->inverse_mass > 0 ? a->ease : none;
    const float *ease_b = b != NULL && b->inverse_mass > 0 ? b->ease : none;
    double masses = (double)a->inverse_mass + (b != NULL ? (double)b->inverse_mass : 0.0);
    double k[MT_MOST_ROWS][MT_MOST_ROWS];
    for (int i = 0; i < n; i++) {
        mote_vec3 ea = mt_ease(ease_a, rows->turn_a[i]), eb = mt_ease(ease_b, rows->turn_b[i]);
        for (int j = 0; j <= i; j++)
            k[i][j] = (double)(mt_dot(rows->turn_a[j], ea) + mt_dot(rows->turn_b[j], eb));
        if (i < 3)
            k[i][i] += masses;
    }
    joint_factor_system(k, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            rows->factor[i][j] = k[i][j];
    rows->factored = true;
}

/* Each number of rows has loops of its own that the compiler can unroll. */
static inline void joint_factor(mt_joint_rows *rows, const mt_body_work *a, const mt_body_work *b)
{
    switch (rows->count) {
    case 3:
        joint_factor_some(rows, 3, a, b);
        return;
    case 4:
        joint_factor_some(rows, 4, a, b);
        return;
    case 5:
        joint_factor_some(rows, 5, a, b);
        return;
    default:
        joint_factor_some(rows, 6, a, b);
        return;
    }
}

static inline __attribute__((always_inline)) void joint_solve_some(const mt_joint_rows *rows, const int n,
                                                                   double lambda[MT_MOST_ROWS])
{
    for (int i = 0; i < n; i++) {
        lambda[i] = -rows->error[i];
        for (int j = 0; j < i; j++)
            lambda[i] -= rows->factor[i][j] * lambda[j];
    }
    for (int i = n - 1; i >= 0; i--) {
        lambda[i] *= rows->factor[i][i];
        for (int j = i + 1; j < n; j++)
            lambda[i] -= rows->factor[j][i] * lambda[j];
    }
}

/* For the first n rows: L D L^T of a part is the part of L D L^T. As joint_factor, a loop for each number. */
static inline void joint_solve_rows(const mt_joint_rows *rows, int n, double lambda[MT_MOST_ROWS])
{
    switch (n) {
    case 3:
        joint_solve_some(rows, 3, lambda);
        return;
    case 4:
        joint_solve_some(rows, 4, lambda);
        return;
    case 5:
        joint_solve_some(rows, 5, lambda);
        return;
    default:
        joint_solve_some(rows, 6, lambda);
        return;
    }
}

#endif
