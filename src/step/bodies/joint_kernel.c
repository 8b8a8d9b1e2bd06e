/* Joints, solved one after the other within an assembly: joint_rows.h says how one is. */
#include "step/bodies/joint_solve.h"

#include "step/bodies/joint_rows.h"

#define MT_SWEEPS       6u /* over the joints of an assembly in a substep, at least */
#define MT_FIRST_SWEEPS 3u /* the same when stabilising */

static mt_body_work *works(const mt_substep *s)
{
    return mt_body_works(s->bodies);
}

static void give(mt_joint_work *j, mt_body_work *a, mt_body_work *b, const joint_sight *see, mote_vec3 push,
                 mote_vec3 moment)
{
    j->force = mt_add(j->force, push);
    j->torque = mt_add(j->torque, moment);
    mt_body_pull(a, see->arm_a, mt_turn(&a->at_start, j->anchor_a), mt_scale(push, -1.0f),
                 mt_scale(moment, -1.0f));
    if (b != NULL)
        mt_body_pull(b, see->arm_b, mt_turn(&b->at_start, j->anchor_b), push, moment);
}

/* A stiff joint holds no more torque than it yields at. */
static mote_vec3 yielded(const mt_substep *s, const mt_joint *joint, mt_joint_work *j, mote_vec3 moment)
{
    float most = joint->yield_torque * s->h * s->h;
    mote_vec3 whole = mt_add(j->torque, moment);
    float size = mt_length(whole);
    if (!(size > most))
        return moment;
    return mt_sub(mt_scale(whole, most / size), j->torque);
}

/* Gives a torque that is less than the joint would have to hold. The push at the anchor was worked out for a
 * joint that does not turn, so it is worked out anew for one that does: else it is too large, by a factor of
 * four for the end of a rod, and grows from iteration to iteration. */
static void give_way(const mt_substep *s, mt_joint_work *j, mt_body_work *a, mt_body_work *b, mote_vec3 moment)
{
    const mt_joint *joint = &s->joints[j->joint];
    const mote_vec3 none = {0.0f, 0.0f, 0.0f};
    joint_sight see = joint_see(joint, j, &a->at, b != NULL ? &b->at : &joint_world);
    give(j, a, b, &see, none, moment);
    see = joint_see(joint, j, &a->at, b != NULL ? &b->at : &joint_world);
    mote_vec3 at_b = b != NULL ? b->pose.position : none;
    mt_joint_rows rows = {0};
    double lambda[MT_MOST_ROWS];
    joint_add_anchor(&rows, &see);
    joint_measure(&rows, MOTE_JOINT_BALL, &see,
                  mt_sub(mt_add(mt_sub(at_b, a->pose.position), see.arm_b), see.arm_a));
    joint_factor(&rows, a, b);
    joint_solve_rows(&rows, 3, lambda);
    give(j, a, b, &see, (mote_vec3){(float)lambda[0], (float)lambda[1], (float)lambda[2]}, none);
}

/* The rows of a joint as its bodies are now, or as they were at the start. */
static joint_sight look(const mt_substep *s, mt_joint_work *j, bool at_start)
{
    const mt_body_work *a = &works(s)[j->a], *b = j->b != MT_NO_BODY ? &works(s)[j->b] : NULL;
    const mt_joint *joint = &s->joints[j->joint];
    const mt_frame *at_a = at_start ? &a->at_start : &a->at;
    const mt_frame *at_b = b == NULL ? &joint_world : at_start ? &b->at_start : &b->at;
    mt_joint_view view = at_start ? MT_JOINT_AT_START : MT_JOINT_NOW;
    mt_joint_rows *rows = &j->rows;
    joint_sight see = joint_see(joint, j, at_a, at_b);
    if (j->seen != view) {
        joint_add_anchor(rows, &see);
        joint_add_type(rows, joint->type, &see);
        rows->limits = rows->count;
    }
    joint_measure(rows, joint->type, &see,
                  mt_sub(mt_add(mt_sub(at_b->position, at_a->position), see.arm_b), see.arm_a));
    if (j->limited)
        joint_add_limits(rows, joint, &see);
    j->seen = j->limited ? MT_JOINT_UNSEEN : view;
    return see;
}

/* Solves them: the push at the anchor and the moment that b gets and a loses. */
static void answer(mt_joint_rows *rows, const mt_body_work *a, const mt_body_work *b, mote_vec3 *push,
                   mote_vec3 *moment)
{
    double lambda[MT_MOST_ROWS];
    int n = rows->count;
    if (!rows->factored)
        joint_factor(rows, a, b);
    joint_solve_rows(rows, n, lambda);
    for (int k = rows->limits; k < n; k++)
        if (lambda[k] * rows->error[k] > 0) { /* it would hold the joint at its limit */
            n = rows->limits;
            joint_solve_rows(rows, n, lambda);
        }
    *push = (mote_vec3){(float)lambda[0], (float)lambda[1], (float)lambda[2]};
    *moment = (mote_vec3){0.0f, 0.0f, 0.0f};
    for (int k = 3; k < n; k++)
        *moment = mt_add(*moment, mt_scale(rows->turn_b[k], (float)lambda[k]));
}

/* Whether a joint is as it should be, to a ten-thousandth of a radius; when stabilising to a tenth of that, so
 * that what is closed in an iteration was opened in this substep: closing it makes a velocity. */
static bool is_closed(const mt_substep *s, const mt_joint_rows *rows, double part)
{
    for (int k = 0; k < rows->count; k++)
        if (fabs(rows->error[k]) > part * (k < 3 ? (double)s->closed : 1e-5))
            return false;
    return true;
}

/* Whether its bodies have not been moved since it was last found to be closed. */
static bool stays_closed(const mt_joint_work *j, const mt_body_work *a, const mt_body_work *b,
                         mt_joint_view view)
{
    return j->closed == view && j->closed_at == a->shifts + (b != NULL ? b->shifts : 0);
}

static void note_closed(mt_joint_work *j, const mt_body_work *a, const mt_body_work *b, mt_joint_view view)
{
    j->closed = view;
    j->closed_at = a->shifts + (b != NULL ? b->shifts : 0);
}

static void solve_joint(const mt_substep *s, mt_joint_work *j)
{
    mt_body_work *a = &works(s)[j->a], *b = j->b != MT_NO_BODY ? &works(s)[j->b] : NULL;
    if ((!mt_body_moves(a) && (b == NULL || !mt_body_moves(b))) || stays_closed(j, a, b, MT_JOINT_NOW))
        return;
    const mt_joint *joint = &s->joints[j->joint];
    joint_sight see = look(s, j, false);
    if (is_closed(s, &j->rows, 1.0)) {
        note_closed(j, a, b, MT_JOINT_NOW);
        return;
    }
    mote_vec3 push, moment;
    answer(&j->rows, a, b, &push, &moment);
    if (joint->yield_torque < MOTE_UNBREAKABLE && joint->type == MOTE_JOINT_STIFF) {
        mote_vec3 held = yielded(s, joint, j, moment);
        if (held.x != moment.x || held.y != moment.y || held.z != moment.z) {
            give_way(s, j, a, b, held);
            return;
        }
    }
    give(j, a, b, &see, push, moment);
}

/* How often an iteration goes over the joints: one alone is solved in one go. */
static uint32_t sweeps_of(const mt_assembly *a, uint32_t all, uint32_t iterations)
{
    return a->joints > 1 ? (all + iterations - 1) / iterations : 1;
}

void MT_KERNEL(joints_solve)(const mt_substep *s, const mt_assembly *a)
{
    mt_joint_work *j = mt_joint_works(s->bodies) + a->first_joint;
    for (uint32_t sweep = 0; sweep < sweeps_of(a, MT_SWEEPS, s->iterations); sweep++)
        for (uint32_t k = 0; k < a->joints; k++)
            solve_joint(s, j + ((sweep & 1) != (uint32_t)s->backwards ? a->joints - 1 - k : k));
}

/* What contacts left of a gap in the substep before is closed before it could become a speed. */
static void stabilize_joint(const mt_substep *s, mt_joint_work *j)
{
    mt_body_work *a = &works(s)[j->a], *b = j->b != MT_NO_BODY ? &works(s)[j->b] : NULL;
    if ((!mt_body_moves(a) && (b == NULL || !mt_body_moves(b))) || stays_closed(j, a, b, MT_JOINT_AT_START))
        return;
    joint_sight see = look(s, j, true);
    if (is_closed(s, &j->rows, 0.1)) {
        note_closed(j, a, b, MT_JOINT_AT_START);
        return;
    }
    mote_vec3 push, moment;
    answer(&j->rows, a, b, &push, &moment);
    mote_vec3 turn = mt_scale(mt_add(mt_cross(see.arm_a, push), moment), -1.0f);
    mt_body_move_both(a, mt_scale(push, -a->inverse_mass), mt_ease(a->ease, turn));
    if (b != NULL)
        mt_body_move_both(b, mt_scale(push, b->inverse_mass),
                          mt_ease(b->ease, mt_add(mt_cross(see.arm_b, push), moment)));
}

void MT_KERNEL(joints_stabilize)(const mt_substep *s, const mt_assembly *a)
{
    mt_joint_work *j = mt_joint_works(s->bodies) + a->first_joint;
    for (uint32_t sweep = 0; sweep < sweeps_of(a, MT_FIRST_SWEEPS, s->stabilizations); sweep++)
        for (uint32_t k = 0; k < a->joints; k++)
            stabilize_joint(s, j + ((sweep & 1) != 0 ? a->joints - 1 - k : k));
}
