/* Joints under the impulse solver, around the pass over contacts: they are held at velocity level, so that contacts see a
 * body as its joints let it move, and bodies fly on as they do. With levers, directions and inertias of the start, as in
 * shake_kernel.c, so that the system of a joint is the same. */
#include "step/bodies/joint_answer.h"
#include "step/bodies/joint_closed.h"
#include "step/bodies/joint_opening.h"
#include "step/bodies/joint_solve.h"
#include "step/bodies/joint_tree.h"
#include "step/impulse/impulse.h"

/* ---- the start of the substep --------------------------------------------------------------------------- */

LANE_FUNCTION void take_inverse_inertia(const mt_impulse_job *job, mt_batch_body *w,
                                        const uint32_t body[MT_BATCH])
{
    uint32_t low[MT_BATCH], high[MT_BATCH];
    for (uint32_t n = 0; n < MT_BATCH; n++) {
        low[n] = 2 * body[n];
        high[n] = low[n] + 1;
    }
    lanes4 first = lanes_gather(job->inverse_inertia, low), last = lanes_gather(job->inverse_inertia, high);
    lanes_store(w->inverse_inertia[0], first.x);
    lanes_store(w->inverse_inertia[1], first.y);
    lanes_store(w->inverse_inertia[2], first.z);
    lanes_store(w->inverse_inertia[3], first.w);
    lanes_store(w->inverse_inertia[4], last.x);
    lanes_store(w->inverse_inertia[5], last.y);
}

/* Where a batch's bodies are among the plan's; the last stands for the world. */
static void places_of(const mt_substep *s, const mt_batch_body *w, uint32_t body[MT_BATCH])
{
    for (uint32_t n = 0; n < MT_BATCH; n++)
        body[n] = (uint32_t)(w->work[n] - mt_body_works(s->bodies.plan));
}

static void take_body(const mt_impulse_job *job, mt_batch_body *w)
{
    uint32_t body[MT_BATCH];
    places_of(job->s, w, body);
    for (uint32_t n = 0; n < MT_BATCH; n++)
        w->inverse_mass[n] = w->work[n]->inverse_mass;
    take_inverse_inertia(job, w, body);
    fetch_pose(w->work, offsetof(mt_body_work, start), &w->start);
    set_frame(w, rotation_of(&w->start));
}

static void set_lane(mt_vec_lanes *to, uint32_t lane, mote_vec3 v)
{
    to->x[lane] = v.x;
    to->y[lane] = v.y;
    to->z[lane] = v.z;
}

/* What the last substep left: nothing was given yet, and who has yielded has a new form. */
static void begin_joints(const mt_substep *s, const mt_batch *batch, mt_batch_joint *j)
{
    for (uint32_t k = 0; k < batch->joints; k++) {
        memset(&j[k].force, 0, sizeof j[k].force);
        memset(&j[k].torque, 0, sizeof j[k].torque);
        for (uint32_t lane = 0; j[k].yields && lane < batch->count; lane++) {
            const mt_assembly *a = (const mt_assembly *)s->bodies.plan->assemblies.data + batch->assembly[lane];
            const mt_joint_work *work = &mt_joint_works(s->bodies.plan)[a->first_joint + k];
            set_lane(&j[k].axis_b, lane, work->axis_b);
            set_lane(&j[k].side_b, lane, work->side_b);
        }
    }
}

/* Levers and directions of the start. */
static void look_at_start(const mt_substep *s, mt_batch_joint *j, const mt_batch_body *a,
                          const mt_batch_body *b)
{
    joint_sight see = see_arms(j, a, b);
    see_directions(&see, j, a, b);
    store3(&j->arm_a, see.arm_a);
    store3(&j->arm_b, see.arm_b);
    set_turns(j, &see);
    keep_opening(s, j, a, b, &see);
    j->factored = false;
    j->active[0] = j->active[1] = 0;
    memset(j->warm, 0, sizeof j->warm);
    for (uint32_t k = 0; k < limits_of(j); k++)
        memset(&j->turn[rows_of(j->type) + k - 3], 0, sizeof j->turn[0]);
}

/* ---- holding ------------------------------------------------------------------------------------------- */

/* Where joints close a loop, as many as closing has: what holding leaves undone, closing pushes into contacts after them.
 * One alone is solved in one. */
#define MT_HOLD_SWEEPS 30u
#define MT_HOLD_PASSES 4u /* over all at once, where limits are met one after the other */

/* What a push and a moment, times h, do to velocities. */
LANE_FUNCTION void hold_body(const mt_substep *s, mt_batch_body *w, lanes3 arm, lanes3 push, lanes3 moment)
{
    const lanes inverse_h = lanes_all(s->inverse_h);
    lanes3 turn = lanes3_scale(lanes3_add(lanes3_cross(arm, push), moment), inverse_h);
    store3(&w->velocity,
           lanes3_add(load3(&w->velocity), lanes3_scale(push, lanes_load(w->inverse_mass) * inverse_h)));
    store3(&w->spin, lanes3_add(load3(&w->spin), inverse_inertia_times(w, turn)));
    store3(&w->held_turn, lanes3_add(load3(&w->held_turn), turn));
}

LANE_FUNCTION void give_hold(const mt_substep *s, mt_batch_joint *j, mt_batch_body *a, mt_batch_body *b,
                             lane_mask to, joint_answer given)
{
    given.push = lanes3_keep(to, given.push);
    given.moment = lanes3_keep(to, given.moment);
    store3(&j->force, lanes3_add(load3(&j->force), given.push));
    store3(&j->torque, lanes3_add(load3(&j->torque), given.moment));
    hold_body(s, a, load3(&j->arm_a), lanes3_minus(given.push), lanes3_minus(given.moment));
    hold_body(s, b, load3(&j->arm_b), given.push, given.moment);
}

/* How the rows change within the substep. */
LANE_FUNCTION void measure_speeds(const mt_substep *s, const mt_batch_joint *j, const mt_batch_body *a,
                                  const mt_batch_body *b, joint_numbers *error)
{
    const lanes h = lanes_all(s->h);
    lanes3 spin_a = load3(&a->spin), spin_b = load3(&b->spin), turn = lanes3_sub(spin_b, spin_a);
    lanes3 at_a = lanes3_add(load3(&a->velocity), lanes3_cross(spin_a, load3(&j->arm_a)));
    lanes3 at_b = lanes3_add(load3(&b->velocity), lanes3_cross(spin_b, load3(&j->arm_b)));
    set_numbers(error, 0, lanes3_scale(lanes3_sub(at_b, at_a), h));
    for (uint32_t k = 3; k < rows_of(j->type); k++)
        lanes_store(error->of[k], h * lanes3_dot(load3(&j->turn[k - 3]), turn));
}

LANE_FUNCTION void hold_limit(mt_batch_joint *j, joint_numbers *error, uint32_t k, limited_turn turn, lanes3 by)
{
    turn.angle += lanes3_dot(turn.about, by);
    set_limit(j, error, rows_of(j->type) + k, turn, lanes_load(j->lowest[k]), lanes_load(j->highest[k]),
              lanes_all(MT_FAR));
}

/* Limits that would be passed within the substep. */
LANE_FUNCTION void hold_limits(const mt_substep *s, mt_batch_joint *j, const mt_batch_body *a,
                               const mt_batch_body *b, joint_numbers *error)
{
    joint_sight see = see_arms(j, a, b);
    see_directions(&see, j, a, b);
    lanes3 by = lanes3_scale(lanes3_sub(load3(&b->spin), load3(&a->spin)), lanes_all(s->h));
    if (j->type == MOTE_JOINT_HINGE)
        hold_limit(j, error, 0, (limited_turn){see.axis_a, hinge_angle(&see), lanes_of_bits(0xff)}, by);
    else
        hold_limit(j, error, 0, where_limited(swing_of(&see), lanes_load(j->high)), by);
    if (j->type == MOTE_JOINT_BALL)
        hold_limit(j, error, 1, where_limited(twist_of(&see), lanes_load(j->twist)), by);
    j->factored = false;
}

/* The same, all of them at once. */
LANE_FUNCTION limited_turn turned_on(limited_turn turn, lanes3 by)
{
    turn.angle += lanes3_dot(turn.about, by);
    return turn;
}

static bool hold_tree_limits(const mt_substep *s, mt_batch_joint *j, const mt_batch_body *a,
                             const mt_batch_body *b)
{
    joint_sight see = see_arms(j, a, b);
    see_directions(&see, j, a, b);
    lanes3 by = lanes3_scale(lanes3_sub(load3(&b->spin), load3(&a->spin)), lanes_all(s->h));
    limited_turn first = j->type == MOTE_JOINT_HINGE
                             ? (limited_turn){see.axis_a, hinge_angle(&see), lanes_of_bits(0xff)}
                             : where_limited(swing_of(&see), lanes_load(j->high));
    bool differs = set_tree_limit(j, 0, turned_on(first, by));
    if (j->type == MOTE_JOINT_BALL)
        differs |= set_tree_limit(j, 1, turned_on(where_limited(twist_of(&see), lanes_load(j->twist)), by));
    return differs;
}

/* As shake_anchor. */
static __attribute__((noinline)) void hold_anchor(const mt_substep *s, mt_batch_joint *j, mt_batch_body *a,
                                                  mt_batch_body *b, uint32_t bits)
{
    joint_numbers error, lambda;
    joint_matrix m;
    mt_factor_lanes own;
    measure_speeds(s, j, a, b, &error);
    fill_matrix(&m, 3, j->turn, a, b, load3(&j->arm_a), load3(&j->arm_b));
    factor_rows(&m, 3, a, b, &own);
    solve_rows(&own, 3, 3, &error, &lambda);
    const lanes3 none = lanes3_all((mote_vec3){0.0f, 0.0f, 0.0f});
    give_hold(s, j, a, b, lanes_of_bits(bits), (joint_answer){anchor_part(&lambda), none});
}

/* Damping takes from how two bodies turn beside each other, once a substep. The impulse and the moment are those of a
 * joint that is stiff but for what the damping leaves of the turning. Its anchor is held first: with a lever, what leaves
 * an anchor as fast as it is would else give energy, substep after substep in a loop of joints that contradict each
 * other. */
static __attribute__((noinline)) void damp_joint(const mt_substep *s, mt_batch_joint *j, mt_batch_body *a,
                                                 mt_batch_body *b)
{
    const lanes3 none = lanes3_all((mote_vec3){0.0f, 0.0f, 0.0f});
    mt_vec_lanes axes[3];
    joint_numbers error, lambda;
    joint_matrix m;
    mt_factor_lanes own;
    for (uint32_t k = 0; k < 3; k++)
        store3(&axes[k],
               lanes3_all((mote_vec3){k == 0 ? 1.0f : 0.0f, k == 1 ? 1.0f : 0.0f, k == 2 ? 1.0f : 0.0f}));
    hold_anchor(s, j, a, b, 0xffu);
    fill_matrix(&m, 6, axes, a, b, load3(&j->arm_a), load3(&j->arm_b));
    factor_rows(&m, 6, a, b, &own);
    lanes rate = lanes_load(j->damping) * lanes_all(s->h), part = rate / (lanes_all(1.0f) + rate);
    set_numbers(&error, 0, none);
    set_numbers(&error, 3, lanes3_scale(lanes3_sub(load3(&b->spin), load3(&a->spin)), part * lanes_all(s->h)));
    solve_rows(&own, 6, 6, &error, &lambda);
    lanes3 push = anchor_part(&lambda);
    lanes3 moment = {lanes_load(lambda.of[3]), lanes_load(lambda.of[4]), lanes_load(lambda.of[5])};
    hold_body(s, a, load3(&j->arm_a), lanes3_minus(push), lanes3_minus(moment));
    hold_body(s, b, load3(&j->arm_b), push, moment);
}

static void hold_joint(const mt_substep *s, mt_batch_joint *j, mt_batch_body *a, mt_batch_body *b,
                       uint32_t bits)
{
    joint_numbers error;
    measure_speeds(s, j, a, b, &error);
    if (j->limited)
        hold_limits(s, j, a, b, &error);
    joint_answer given = answer(j, a, b, &error);
    uint32_t yields = j->yields ? lanes_bits(yield_lanes(s, j, &given)) & bits : 0;
    give_hold(s, j, a, b, lanes_of_bits(bits), given);
    if (yields != 0)
        hold_anchor(s, j, a, b, yields);
}

/* Lanes in which the rows of a joint change by no more than they may. */
LANE_FUNCTION lane_mask held_lanes(const mt_substep *s, const mt_batch_joint *j, const mt_batch_body *a,
                                   const mt_batch_body *b, uint32_t rows)
{
    lanes fast = lanes3_length(load3(&a->velocity)) + lanes3_length(load3(&b->velocity));
    lanes most = lanes_all(1e-2f * s->limits.closed) + lanes_all(MT_SHAKE_ROUNDING * s->h) * fast;
    return shaken_lanes(rows, j->error[0], most);
}

/* Whether something was open. A single pass solves what has no limits, and is made however little is open: what is
 * left to closing again and again adds up, with long levers. */
static bool hold_all(const mt_substep *s, const joint_tree *t, uint32_t bits, bool first, bool *factored)
{
    uint32_t open = 0;
    for (uint32_t k = 0; k < t->batch->joints; k++) {
        mt_batch_joint *j = &t->joints[k];
        const mt_batch_body *a = &t->bodies[j->a], *b = &t->bodies[j->b];
        joint_numbers error;
        measure_speeds(s, j, a, b, &error);
        memcpy(j->error, error.of, rows_of(j->type) * sizeof error.of[0]);
        if (j->limited && hold_tree_limits(s, j, a, b))
            *factored = false;
        open |= first ? bits : bits & ~lanes_bits(held_lanes(s, j, a, b, rows_now(j)));
    }
    if (open == 0)
        return false;
    solve_tree(t, *factored);
    *factored = true;
    for (uint32_t k = 0; k < t->batch->joints; k++) {
        mt_batch_joint *j = &t->joints[k];
        give_hold(s, j, &t->bodies[j->a], &t->bodies[j->b], lanes_of_bits(open), tree_answer(j));
        accumulate(j, open);
    }
    return true;
}

/* What bodies have become since they were put back; answers the bits of lanes where that is something else. */
LANE_FUNCTION uint32_t take_speeds(const mt_impulse_job *job, mt_batch_body *w)
{
    uint32_t mover[MT_BATCH];
    places_of(job->s, w, mover);
    for (uint32_t n = 0; n < MT_BATCH; n++)
        mover[n] += job->w->movers.first_body;
    lanes4 v = lanes_gather(job->velocity, mover), spin = lanes_gather(job->spin, mover);
    lanes3 old_v = load3(&w->velocity), old_spin = load3(&w->spin);
    lane_mask differs = (lane_mask)(v.x != old_v.x) | (lane_mask)(v.y != old_v.y) |
                        (lane_mask)(v.z != old_v.z) | (lane_mask)(spin.x != old_spin.x) |
                        (lane_mask)(spin.y != old_spin.y) | (lane_mask)(spin.z != old_spin.z);
    store3(&w->velocity, (lanes3){v.x, v.y, v.z});
    store3(&w->spin, (lanes3){spin.x, spin.y, spin.z});
    memset(&w->held_turn, 0, sizeof w->held_turn);
    return lanes_bits(differs);
}

static void put(mote_vec4 *to, const mt_vec_lanes *v, uint32_t lane)
{
    to->x = v->x[lane];
    to->y = v->y[lane];
    to->z = v->z[lane];
}

static void put_speeds(const mt_impulse_job *job, const mt_batch_body *w)
{
    uint32_t body[MT_BATCH];
    places_of(job->s, w, body);
    for (uint32_t n = 0; n < MT_BATCH; n++) {
        if (w->inverse_mass[n] == 0)
            continue;
        mote_vec4 *moment = &job->moment[body[n]];
        put(&job->velocity[job->w->movers.first_body + body[n]], &w->velocity, n);
        put(&job->spin[job->w->movers.first_body + body[n]], &w->spin, n);
        moment->x += w->held_turn.x[n];
        moment->y += w->held_turn.y[n];
        moment->z += w->held_turn.z[n];
    }
}

static void look_at_batch(const mt_impulse_job *job, mt_batch *batch)
{
    const mt_substep *s = job->s;
    mt_batch_joint *joints = mt_batch_joints(s->bodies.plan, batch);
    mt_batch_body *bodies = mt_batch_bodies(s->bodies.plan, batch);
    for (uint32_t i = 0; i < batch->bodies; i++)
        take_body(job, &bodies[i]);
    begin_joints(s, batch, joints);
    batch->factored = false;
    for (uint32_t k = 0; k < batch->joints; k++)
        look_at_start(s, &joints[k], &bodies[joints[k].a], &bodies[joints[k].b]);
}

static void hold_tree(const mt_substep *s, mt_batch *batch, uint32_t bits)
{
    const joint_tree tree = joint_tree_of(s, batch);
    for (uint32_t pass = 0; pass < (batch->limited ? MT_HOLD_PASSES : 1); pass++)
        if (!hold_all(s, &tree, bits, pass == 0, &batch->factored))
            return;
}

static void hold_one_by_one(const mt_substep *s, const mt_batch *batch, uint32_t bits)
{
    mt_batch_joint *joints = mt_batch_joints(s->bodies.plan, batch);
    mt_batch_body *bodies = mt_batch_bodies(s->bodies.plan, batch);
    for (uint32_t sweep = 0; sweep < (batch->joints > 1 ? MT_HOLD_SWEEPS : 1); sweep++)
        for (uint32_t k = 0; k < batch->joints; k++) {
            mt_batch_joint *j = joints + ((sweep & 1) != 0 ? batch->joints - 1 - k : k);
            hold_joint(s, j, &bodies[j->a], &bodies[j->b], bits);
        }
}

/* Assemblies that nothing has changed since they were held are held. */
static void hold_batch(const mt_impulse_job *job, mt_batch *batch)
{
    const mt_substep *s = job->s;
    mt_batch_joint *joints = mt_batch_joints(s->bodies.plan, batch);
    mt_batch_body *bodies = mt_batch_bodies(s->bodies.plan, batch);
    uint32_t changed = 0;
    if (job->holds_first)
        look_at_batch(job, batch);
    for (uint32_t i = 0; i < batch->bodies; i++)
        changed |= take_speeds(job, &bodies[i]);
    if (job->holds_first)
        changed = 0xffu;
    if (changed == 0)
        return;
    for (uint32_t k = 0; job->holds_first && !job->at_position.stabilizes && k < batch->joints; k++)
        if (joints[k].damped)
            damp_joint(s, &joints[k], &bodies[joints[k].a], &bodies[joints[k].b]);
    if (batch->tree)
        hold_tree(s, batch, changed);
    else
        hold_one_by_one(s, batch, changed);
    for (uint32_t i = 0; i < batch->own; i++)
        put_speeds(job, &bodies[i]);
    for (uint32_t k = 0; k < batch->joints; k++) {
        joints[k].held_force = joints[k].force;
        joints[k].held_torque = joints[k].torque;
    }
}

void MT_KERNEL(joints_hold)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_impulse_job *job = context;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        mt_batch *batch = (mt_batch *)job->s->bodies.plan->batches.all.data + k;
        if (batch->joints > 0)
            hold_batch(job, batch);
    }
}
