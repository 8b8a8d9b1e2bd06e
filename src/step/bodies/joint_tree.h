/* All joints of an assembly at once, where none of them closes a loop: K lambda = -C as in joint_lanes.h, with the rows
 * of all of them. Two joints are coupled by a body that they share. With K_k what is left of the system of joint k when
 * all before it are taken out (joint_trees.c has the order), K_k = L D L^T, and K_ik what couples a later joint i to it,
 *
 *     Y_ik = K_ik L^-T,    K_ij <- K_ij - Y_ik D^-1 Y_jk^T    for all i, j that are coupled to k
 *
 * and these i and j share a body with each other already, so that nothing new is coupled. Sums of one joint would go
 * round and round in a chain, as often as it is long squared; this is exact but for rounding.
 *
 * A limit counts from where it would be passed on, for as long as what it gave in the substep pushes back, and the system
 * is made anew only where one begins or ceases to count or has turned. */
#ifndef MOTE_STEP_BODIES_JOINT_TREE_H
#define MOTE_STEP_BODIES_JOINT_TREE_H

#include "step/bodies/joint_answer.h"
#include "step/scratch.h"

typedef struct joint_tree {
    const mt_batch *batch;
    mt_batch_joint *joints;
    mt_batch_body *bodies;
    const mt_tree_step *steps;
    mt_tree_link *links;
} joint_tree;

static inline joint_tree joint_tree_of(const mt_substep *s, const mt_batch *batch)
{
    return (joint_tree){batch, mt_batch_joints(s->bodies.plan, batch), mt_batch_bodies(s->bodies.plan, batch),
                        mt_tree_steps(s->bodies.plan, batch), mt_tree_links(s->bodies.plan, batch)};
}

/* ---- the system ---------------------------------------------------------------------------------------- */

/* Limits that count nowhere have no rows. */
static inline uint32_t rows_now(const mt_batch_joint *j)
{
    return rows_of(j->type) + ((j->active[0] | j->active[1]) != 0 ? limits_of(j) : 0);
}

static __attribute__((noinline)) void set_own(mt_batch_joint *j, const mt_batch_body *a, const mt_batch_body *b)
{
    joint_matrix m;
    const uint32_t n = j->rows = rows_now(j);
    fill_matrix(&m, n, j->turn, a, b, load3(&j->arm_a), load3(&j->arm_b));
    for (uint32_t half = 0; half < MT_BATCH; half += 4) {
        doubles masses = doubles_of_floats(a->inverse_mass + half) + doubles_of_floats(b->inverse_mass + half);
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = 0; k <= i; k++) {
                doubles value = doubles_of_floats(m.k[MT_AT(i, k)] + half);
                if (i == k && i < 3)
                    value += masses;
                if (i == k)
                    doubles_store(j->whole[i] + half, value);
                doubles_store(j->factor.f[MT_AT(i, k)] + half, value);
            }
    }
}

/* How a row turns a body: about what an impulse along the anchor's rows does, or the row's own direction. */
LANE_FUNCTION lanes3 row_moment(const mt_batch_joint *j, lanes3 arm, uint32_t row)
{
    const lanes zero = lanes_all(0.0f);
    if (row >= 3)
        return load3(&j->turn[row - 3]);
    return row == 0   ? (lanes3){zero, arm.z, -arm.y}
           : row == 1 ? (lanes3){-arm.z, zero, arm.x}
                      : (lanes3){arm.y, -arm.x, zero};
}

/* What couples joints i and k, which both hold w: at its end b or a, in the one and in the other. */
static __attribute__((noinline)) void couple(mt_tree_link *link, const mt_batch_joint *i,
                                             const mt_batch_joint *k, const mt_batch_body *w, bool i_at_b,
                                             bool k_at_b)
{
    const lanes3 arm_i = load3(i_at_b ? &i->arm_b : &i->arm_a), arm_k = load3(k_at_b ? &k->arm_b : &k->arm_a);
    const lanes sign = lanes_all(i_at_b == k_at_b ? 1.0f : -1.0f), mass = sign * lanes_load(w->inverse_mass);
    for (uint32_t c = 0; c < k->rows; c++) {
        lanes3 turned = lanes3_scale(inverse_inertia_times(w, row_moment(k, arm_k, c)), sign);
        for (uint32_t r = 0; r < i->rows; r++) {
            lanes value = lanes3_dot(row_moment(i, arm_i, r), turned);
            if (r == c && r < 3)
                value += mass;
            float of[MT_BATCH];
            lanes_store(of, value);
            for (uint32_t half = 0; half < MT_BATCH; half += 4)
                doubles_store(link->f[r * MT_MOST_ROWS + c] + half, doubles_of_floats(of + half));
        }
    }
}

static void couple_joints(const joint_tree *t, mt_tree_link *link, const mt_batch_joint *k)
{
    const mt_batch_joint *i = &t->joints[link->joint];
    const bool k_at_b = k->b < t->batch->own && (k->b == i->a || k->b == i->b);
    const uint32_t shared = k_at_b ? k->b : k->a;
    couple(link, i, k, &t->bodies[shared], i->b == shared, k_at_b);
}

/* ---- taking joints out --------------------------------------------------------------------------------- */

/* L D L^T in place, with 1 / D on the diagonal. Rows that cannot move at all get nothing. */
LANE_LOOP void factor_own(mt_batch_joint *j, const uint32_t n, uint32_t half)
{
    doubles scaled[MT_MOST_ROWS];
    for (uint32_t i = 0; i < n; i++) {
        doubles rest = doubles_load(j->factor.f[MT_AT(i, i)] + half);
        for (uint32_t k = 0; k < i; k++) {
            doubles sum = doubles_load(j->factor.f[MT_AT(i, k)] + half);
            for (uint32_t l = 0; l < k; l++)
                sum -= scaled[l] * doubles_load(j->factor.f[MT_AT(k, l)] + half);
            scaled[k] = sum;
            doubles part = sum * doubles_load(j->factor.f[MT_AT(k, k)] + half);
            rest -= sum * part;
            doubles_store(j->factor.f[MT_AT(i, k)] + half, part);
        }
        double_mask counts = rest > doubles_all(1e-7) * doubles_load(j->whole[i] + half);
        doubles_store(j->factor.f[MT_AT(i, i)] + half, doubles_keep(counts, doubles_all(1.0) / rest));
    }
}

/* Y_ik, in place of K_ik. */
LANE_LOOP void reduce_link(mt_tree_link *link, uint32_t rows, const mt_batch_joint *k, const uint32_t n,
                           uint32_t half)
{
    for (uint32_t r = 0; r < rows; r++) {
        doubles y[MT_MOST_ROWS];
        for (uint32_t c = 0; c < n; c++) {
            y[c] = doubles_load(link->f[r * MT_MOST_ROWS + c] + half);
            for (uint32_t l = 0; l < c; l++)
                y[c] -= y[l] * doubles_load(k->factor.f[MT_AT(c, l)] + half);
            doubles_store(link->f[r * MT_MOST_ROWS + c] + half, y[c]);
        }
    }
}

/* Takes Y_ik D^-1 Y_jk^T, of rows r of i and c of j, from what is at `to`. */
LANE_FUNCTION void take_product(double *to, const doubles scaled[MT_MOST_ROWS], const uint32_t n,
                                const mt_tree_link *j, uint32_t c, uint32_t half)
{
    doubles sum = doubles_load(to + half);
    for (uint32_t l = 0; l < n; l++)
        sum -= scaled[l] * doubles_load(j->f[c * MT_MOST_ROWS + l] + half);
    doubles_store(to + half, sum);
}

/* The link of i in the step of j, which comes before it. */
static mt_tree_link *link_between(const joint_tree *t, const mt_batch_joint *j, uint32_t i)
{
    mt_tree_link *link = &t->links[t->steps[j->place].first];
    while (link->joint != i)
        link++;
    return link;
}

/* What taking k out leaves of two joints that are linked to it, i and j; the same, or i later. */
LANE_LOOP void take_pair(const joint_tree *t, const mt_batch_joint *k, const uint32_t n, const mt_tree_link *i,
                         const mt_tree_link *j)
{
    mt_batch_joint *own = &t->joints[j->joint];
    mt_tree_link *between = i == j ? NULL : link_between(t, own, i->joint);
    for (uint32_t half = 0; half < MT_BATCH; half += 4)
        for (uint32_t r = 0; r < t->joints[i->joint].rows; r++) {
            doubles scaled[MT_MOST_ROWS];
            for (uint32_t l = 0; l < n; l++)
                scaled[l] = doubles_load(i->f[r * MT_MOST_ROWS + l] + half) *
                            doubles_load(k->factor.f[MT_AT(l, l)] + half);
            for (uint32_t c = 0; c < (i == j ? r + 1 : own->rows); c++)
                take_product(i == j ? own->factor.f[MT_AT(r, c)] : between->f[r * MT_MOST_ROWS + c], scaled, n,
                             j, c, half);
        }
}

/* Each number of rows has loops of its own that the compiler can unroll. */
LANE_LOOP void take_out(const joint_tree *t, const mt_tree_step *step, const uint32_t n)
{
    mt_batch_joint *k = &t->joints[step->joint];
    mt_tree_link *links = &t->links[step->first];
    for (uint32_t half = 0; half < MT_BATCH; half += 4) {
        factor_own(k, n, half);
        for (uint32_t i = 0; i < step->count; i++)
            reduce_link(&links[i], t->joints[links[i].joint].rows, k, n, half);
    }
    for (uint32_t j = 0; j < step->count; j++)
        for (uint32_t i = j; i < step->count; i++)
            take_pair(t, k, n, &links[i], &links[j]);
}

static void factor_tree(const joint_tree *t)
{
    const uint32_t joints = t->batch->joints;
    for (uint32_t k = 0; k < joints; k++)
        set_own(&t->joints[k], &t->bodies[t->joints[k].a], &t->bodies[t->joints[k].b]);
    for (uint32_t n = 0; n < joints; n++)
        for (uint32_t i = 0; i < t->steps[n].count; i++)
            couple_joints(t, &t->links[t->steps[n].first + i], &t->joints[t->steps[n].joint]);
    for (const mt_tree_step *step = t->steps; step < t->steps + joints; step++) {
        const uint32_t rows = t->joints[step->joint].rows;
        if (rows == 3)
            take_out(t, step, 3);
        else if (rows == 4)
            take_out(t, step, 4);
        else if (rows == 5)
            take_out(t, step, 5);
        else
            take_out(t, step, 6);
    }
}

/* ---- solving ------------------------------------------------------------------------------------------- */

/* From the outermost inwards: D^-1 L^-1 of what is left of a joint's errors. */
LANE_LOOP void solve_inwards(const joint_tree *t, const mt_tree_step *step, const uint32_t n, uint32_t half)
{
    mt_batch_joint *k = &t->joints[step->joint];
    doubles x[MT_MOST_ROWS];
    for (uint32_t i = 0; i < n; i++) {
        x[i] = doubles_load(k->solution[i] + half);
        for (uint32_t l = 0; l < i; l++)
            x[i] -= doubles_load(k->factor.f[MT_AT(i, l)] + half) * x[l];
    }
    for (uint32_t i = 0; i < n; i++) {
        x[i] *= doubles_load(k->factor.f[MT_AT(i, i)] + half);
        doubles_store(k->solution[i] + half, x[i]);
    }
    for (uint32_t m = 0; m < step->count; m++) {
        const mt_tree_link *link = &t->links[step->first + m];
        mt_batch_joint *later = &t->joints[link->joint];
        for (uint32_t r = 0; r < later->rows; r++) {
            doubles sum = doubles_load(later->solution[r] + half);
            for (uint32_t l = 0; l < n; l++)
                sum -= doubles_load(link->f[r * MT_MOST_ROWS + l] + half) * x[l];
            doubles_store(later->solution[r] + half, sum);
        }
    }
}

/* And back. */
LANE_LOOP void solve_outwards(const joint_tree *t, const mt_tree_step *step, const uint32_t n, uint32_t half)
{
    mt_batch_joint *k = &t->joints[step->joint];
    doubles x[MT_MOST_ROWS];
    for (uint32_t l = 0; l < n; l++)
        x[l] = doubles_all(0.0);
    for (uint32_t m = 0; m < step->count; m++) {
        const mt_tree_link *link = &t->links[step->first + m];
        const mt_batch_joint *later = &t->joints[link->joint];
        for (uint32_t r = 0; r < later->rows; r++) {
            doubles z = doubles_load(later->solution[r] + half);
            for (uint32_t l = 0; l < n; l++)
                x[l] += doubles_load(link->f[r * MT_MOST_ROWS + l] + half) * z;
        }
    }
    for (uint32_t i = n; i-- > 0;) {
        x[i] = doubles_load(k->solution[i] + half) - doubles_load(k->factor.f[MT_AT(i, i)] + half) * x[i];
        for (uint32_t l = i + 1; l < n; l++)
            x[i] -= doubles_load(k->factor.f[MT_AT(l, i)] + half) * x[l];
        doubles_store(k->solution[i] + half, x[i]);
    }
}

LANE_LOOP void solve_step(const joint_tree *t, const mt_tree_step *step, const uint32_t n, bool inwards,
                          uint32_t half)
{
    if (inwards)
        solve_inwards(t, step, n, half);
    else
        solve_outwards(t, step, n, half);
}

static void solve_any_step(const joint_tree *t, const mt_tree_step *step, bool inwards, uint32_t half)
{
    const uint32_t rows = t->joints[step->joint].rows;
    if (rows == 3)
        solve_step(t, step, 3, inwards, half);
    else if (rows == 4)
        solve_step(t, step, 4, inwards, half);
    else if (rows == 5)
        solve_step(t, step, 5, inwards, half);
    else
        solve_step(t, step, 6, inwards, half);
}

static void solve_system(const joint_tree *t)
{
    for (uint32_t k = 0; k < t->batch->joints; k++)
        for (uint32_t i = 0; i < t->joints[k].rows; i++)
            for (uint32_t half = 0; half < MT_BATCH; half += 4)
                doubles_store(t->joints[k].solution[i] + half,
                              -doubles_of_floats(t->joints[k].error[i] + half));
    for (uint32_t half = 0; half < MT_BATCH; half += 4) {
        for (uint32_t n = 0; n < t->batch->joints; n++)
            solve_any_step(t, &t->steps[n], true, half);
        for (uint32_t n = t->batch->joints; n-- > 0;)
            solve_any_step(t, &t->steps[n], false, half);
    }
}

/* ---- limits -------------------------------------------------------------------------------------------- */

/* Bits of the lanes in which a limit of a joint would hold it where it is. */
static uint32_t holding_lanes(const mt_batch_joint *j, uint32_t k)
{
    const double *given = j->solution[rows_of(j->type) + k];
    uint32_t holds = 0;
    for (uint32_t n = 0; n < MT_BATCH; n++)
        holds |= (uint32_t)((j->warm[k][n] + given[n]) * (double)j->side[k][n] > 0) << n;
    return holds & j->active[k];
}

static void drop_limit(mt_batch_joint *j, uint32_t k, uint32_t bits)
{
    const uint32_t row = rows_of(j->type) + k;
    const lane_mask left = ~lanes_of_bits(bits);
    store3(&j->turn[row - 3], lanes3_keep(left, load3(&j->turn[row - 3])));
    lanes_store(j->error[row], lanes_keep(left, lanes_load(j->error[row])));
    j->active[k] &= ~bits;
}

/* Limits push one way only. */
static bool drop_holding(const joint_tree *t)
{
    bool any = false;
    for (uint32_t n = 0; n < t->batch->joints; n++) {
        mt_batch_joint *j = &t->joints[n];
        for (uint32_t k = 0; j->rows > rows_of(j->type) && k < limits_of(j); k++) {
            uint32_t holds = holding_lanes(j, k);
            if (holds != 0)
                drop_limit(j, k, holds);
            any = any || holds != 0;
        }
    }
    return any;
}

/* In the lanes that get what was solved. */
static void accumulate(mt_batch_joint *j, uint32_t bits)
{
    for (uint32_t k = 0; j->rows > rows_of(j->type) && k < limits_of(j); k++)
        for (uint32_t n = 0; n < MT_BATCH; n++)
            j->warm[k][n] += (bits >> n & 1u) != 0 ? j->solution[rows_of(j->type) + k][n] : 0.0;
}

#define MT_SAME_TURN 0.995f /* cosine between directions of a limit that pass for one */

/* As set_limit, for one that stays. Answers whether it counts in other lanes than before. */
LANE_FUNCTION bool set_tree_limit(mt_batch_joint *j, uint32_t k, limited_turn turn)
{
    const uint32_t row = rows_of(j->type) + k;
    const lanes low = lanes_load(j->lowest[k]), high = lanes_load(j->highest[k]);
    lane_mask above = lanes_above(turn.angle, high) & turn.known,
              below = lanes_below(turn.angle, low) & turn.known & ~above;
    lane_mask before = lanes_of_bits(j->active[k]), now = before | above | below;
    lanes side = lanes_select(above, lanes_all(1.0f), lanes_all(-1.0f));
    side = lanes_select(before, lanes_load(j->side[k]), side);
    lanes limit = lanes_select(lanes_above(side, lanes_all(0.0f)), high, low);
    lanes3 last = load3(&j->turn[row - 3]);
    lane_mask turned = now & turn.known & lanes_below(lanes3_dot(last, turn.about), lanes_all(MT_SAME_TURN));
    store3(&j->turn[row - 3], lanes3_keep(now, lanes3_select(turned, turn.about, last)));
    lanes_store(j->side[k], side);
    lanes_store(j->error[row], lanes_keep(now, turn.angle - limit));
    bool differs = lanes_bits(turned) != 0 || lanes_bits(now) != j->active[k];
    j->active[k] = lanes_bits(now);
    return differs;
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

#define MT_TREE_TRIES 4u /* to find the limits that count */

/* Solves for the errors of the joints. `factored`: the system is that of the last time. */
static void solve_tree(const joint_tree *t, bool factored)
{
    for (uint32_t n = 0; n < MT_TREE_TRIES; n++) {
        if (!factored)
            factor_tree(t);
        solve_system(t);
        if (!t->batch->limited || !drop_holding(t))
            return;
        factored = false;
    }
    factor_tree(t);
    solve_system(t);
}

LANE_FUNCTION lanes solution_of(const mt_batch_joint *j, uint32_t row)
{
    quad low = __builtin_convertvector(doubles_load(j->solution[row]), quad);
    quad high = __builtin_convertvector(doubles_load(j->solution[row] + 4), quad);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

LANE_FUNCTION joint_answer tree_answer(const mt_batch_joint *j)
{
    joint_answer to = {{solution_of(j, 0), solution_of(j, 1), solution_of(j, 2)},
                       lanes3_all((mote_vec3){0.0f, 0.0f, 0.0f})};
    for (uint32_t k = 3; k < j->rows; k++)
        to.moment = lanes3_add(to.moment, lanes3_scale(load3(&j->turn[k - 3]), solution_of(j, k)));
    return to;
}

#endif
