/* Eight constraints of a kind at once: what every kind has in common. A kind says what it measures, C = measure - rest,
 * and the directions in which that grows, of places beside the first one; so whatever a kind is, what it gives adds up to
 * nothing. With g the directions at the start of the substep, g* those now, u = W g the answers of the places, alpha the
 * compliance over h^2 and gamma = compliance * damping / h (Macklin et al. 2016),
 *
 *     change of lambda = (-C - alpha lambda - gamma (C - C at the start)) / ((1 + gamma) g*.u + alpha)
 *
 * and every place moves by u times it. g*.u is how C really changes along u (SHAKE, a step of Newton's), so that one
 * iteration closes a constraint alone to the second order of what it turns in the substep. */
#ifndef MOTE_STEP_CONSTRAINTS_ROWS_H
#define MOTE_STEP_CONSTRAINTS_ROWS_H

#include "base/lanes3.h"
#include "base/vec.h"
#include "step/bodies/pose_step.h"
#include "step/constraints/constraints.h"
#include "step/kernels.h"

/* C of eight constraints and its directions, of the places [1, ends) beside place 0. */
typedef lanes constraint_look(const lanes3 *place, const mt_constraint_row *row, lanes3 *direction);

#define LEAST_TURNED 0.25f /* of g.u: where directions have turned by more, those of the start alone count */

typedef struct row_places {
    lanes3 start[MT_MOST_ENDS], now[MT_MOST_ENDS]; /* beside place 0 */
    lanes4 move[MT_MOST_ENDS];
} row_places;

LANE_FUNCTION lanes3 xyz_of(lanes4 v)
{
    return (lanes3){v.x, v.y, v.z};
}

/* ---- places on bodies ----------------------------------------------------------------------------------- */

static mt_held_body *held_at(const mt_constraint_job *job, const mt_constraint_row *row, uint32_t end,
                             uint32_t lane, mote_vec3 *point)
{
    const mt_place *place = (const mt_place *)job->w->places.data + row->place[end][lane];
    *point = place->point;
    return &mt_held_bodies(job->w)[place->index];
}

static mote_vec3 columns_times(const mote_vec3 m[3], mote_vec3 v)
{
    return mt_add(mt_add(mt_scale(m[0], v.x), mt_scale(m[1], v.y)), mt_scale(m[2], v.z));
}

/* Bodies may have moved since another row asked. */
static void ask_bodies(const mt_constraint_job *job, const mt_constraint_row *row, uint32_t ends)
{
    for (uint32_t k = 0; k < ends; k++)
        for (uint32_t rest = row->rigid_ends[k]; rest != 0; rest &= rest - 1) {
            uint32_t n = (uint32_t)__builtin_ctz(rest);
            mote_vec3 point;
            const mt_held_body *held = held_at(job, row, k, n, &point);
            const mt_body_work *w = &mt_body_works(job->s->bodies.plan)[held->body];
            mote_vec3 way = mt_sub(w->pose.position, w->start.position);
            mote_vec3 by = mt_add(way, mt_sub(mt_turn(&w->at, point), mt_turn(&w->at_start, point)));
            ((mote_vec4 *)job->w->move.data)[row->place[k][n]] = (mote_vec4){by.x, by.y, by.z, 0.0f};
        }
}

typedef struct body_share {
    mote_vec3 push, turn; /* along the directions, for a lambda of 1 */
} body_share;

/* What all ends of a lane that are on one body give it. */
static body_share share_of(const mt_constraint_job *job, const mt_constraint_row *row, uint32_t ends,
                           uint32_t n, const mt_held_body *held, const lanes3 *direction)
{
    body_share sum = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    const mt_body_work *w = &mt_body_works(job->s->bodies.plan)[held->body];
    for (uint32_t k = 0; k < ends; k++) {
        mote_vec3 point;
        if ((row->rigid_ends[k] >> n & 1u) == 0 || held_at(job, row, k, n, &point) != held)
            continue;
        mote_vec3 push = {direction[k].x[n], direction[k].y[n], direction[k].z[n]};
        sum.push = mt_add(sum.push, push);
        sum.turn = mt_add(sum.turn, mt_cross(mt_turn(&w->at_start, point), push));
    }
    return sum;
}

/* How places on bodies answer. */
static void answer_by_bodies(const mt_constraint_job *job, const mt_constraint_row *row, uint32_t ends,
                             const lanes3 *direction, lanes3 *answer)
{
    for (uint32_t k = 0; k < ends; k++)
        for (uint32_t rest = row->rigid_ends[k]; rest != 0; rest &= rest - 1) {
            uint32_t n = (uint32_t)__builtin_ctz(rest);
            mote_vec3 point;
            const mt_held_body *held = held_at(job, row, k, n, &point);
            const mt_body_work *w = &mt_body_works(job->s->bodies.plan)[held->body];
            if (!mt_body_moves(w))
                continue;
            body_share share = share_of(job, row, ends, n, held, direction);
            mote_vec3 turn = columns_times(held->reply, share.turn);
            mote_vec3 by =
                mt_add(mt_scale(share.push, w->inverse_mass), mt_cross(turn, mt_turn(&w->at, point)));
            answer[k].x[n] = by.x;
            answer[k].y[n] = by.y;
            answer[k].z[n] = by.z;
        }
}

/* Whether an earlier end of the lane is on the same body. */
static bool is_given(const mt_constraint_job *job, const mt_constraint_row *row, uint32_t end, uint32_t n,
                     const mt_held_body *held)
{
    mote_vec3 point;
    for (uint32_t k = 0; k < end; k++)
        if ((row->rigid_ends[k] >> n & 1u) != 0 && held_at(job, row, k, n, &point) == held)
            return true;
    return false;
}

typedef void body_gift(const mt_constraint_job *job, mt_held_body *held, body_share share, float lambda);

/* Each body of a lane once. */
static inline void give_bodies(const mt_constraint_job *job, const mt_constraint_row *row, uint32_t ends,
                               const lanes3 *direction, const float lambda[LANES], body_gift *give)
{
    for (uint32_t k = 0; k < ends; k++)
        for (uint32_t rest = row->rigid_ends[k]; rest != 0; rest &= rest - 1) {
            uint32_t n = (uint32_t)__builtin_ctz(rest);
            mote_vec3 point;
            mt_held_body *held = held_at(job, row, k, n, &point);
            if (lambda[n] != 0 && mt_body_moves(&mt_body_works(job->s->bodies.plan)[held->body]) &&
                !is_given(job, row, k, n, held))
                give(job, held, share_of(job, row, ends, n, held, direction), lambda[n]);
        }
}

static void shift_body(const mt_constraint_job *job, mt_held_body *held, body_share share, float lambda)
{
    mt_body_work *w = &mt_body_works(job->s->bodies.plan)[held->body];
    mote_vec3 push = mt_scale(share.push, lambda), turn = mt_scale(share.turn, lambda);
    held->push = mt_add(held->push, push);
    held->turn = mt_add(held->turn, turn);
    mt_body_shift(w, mt_scale(push, w->inverse_mass), columns_times(held->reply, turn));
}

static void expect_of_body(const mt_constraint_job *job, mt_held_body *held, body_share share, float impulse)
{
    (void)job;
    held->pull = mt_add(held->pull, mt_scale(share.push, impulse));
    held->twist = mt_add(held->twist, mt_scale(share.turn, impulse));
}

/* ---- all places ----------------------------------------------------------------------------------------- */

LANE_FUNCTION void fetch_starts(const mt_constraint_job *job, const mt_constraint_row *row, const uint32_t ends,
                                row_places *x)
{
    const mote_vec4 *start = job->w->start.data;
    lanes3 first = xyz_of(lanes_gather(start, row->place[0]));
    for (uint32_t k = 1; k < ends; k++)
        x->start[k] = lanes3_sub(xyz_of(lanes_gather(start, row->place[k])), first);
}

LANE_FUNCTION void fetch_moves(const mt_constraint_job *job, const mt_constraint_row *row, const uint32_t ends,
                               row_places *x)
{
    for (uint32_t k = 0; k < ends; k++)
        x->move[k] = lanes_gather(job->w->move.data, row->place[k]);
    for (uint32_t k = 1; k < ends; k++)
        x->now[k] = lanes3_add(x->start[k], lanes3_sub(xyz_of(x->move[k]), xyz_of(x->move[0])));
}

/* The first place goes against all others. */
LANE_FUNCTION void oppose(lanes3 *direction, const uint32_t ends)
{
    direction[0] = lanes3_minus(direction[1]);
    for (uint32_t k = 2; k < ends; k++)
        direction[0] = lanes3_sub(direction[0], direction[k]);
}

LANE_FUNCTION lanes change_of_lambda(const mt_constraint_job *job, const mt_constraint_row *row, lanes error,
                                     lanes at_start, lanes inverse_effective_mass, lanes lambda)
{
    const lanes zero = lanes_all(0.0f), compliance = lanes_load(row->compliance);
    lanes alpha = compliance * lanes_all(job->inverse_h * job->inverse_h);
    lanes gamma = compliance * lanes_load(row->damping) * lanes_all(job->inverse_h);
    lanes below = (lanes_all(1.0f) + gamma) * inverse_effective_mass + alpha;
    lanes change = (-error - alpha * lambda - gamma * (error - at_start)) * lanes_load(row->part) / below;
    change = lanes_keep(lanes_above(below, zero), change);
    lane_mask one_sided = lanes_above(lanes_load(row->one_sided), zero);
    return lanes_select(one_sided, lanes_min(lambda + change, zero) - lambda, change);
}

/* What a substep gave in all. */
LANE_FUNCTION void book_row(const mt_constraint_job *job, mt_constraint_row *row, lanes lambda)
{
    lanes_store(row->sum, lanes_load(row->sum) - lambda);
    lanes_store(row->tension, -lambda * lanes_all(job->inverse_h * job->inverse_h));
}

/* An iteration. */
LANE_FUNCTION void project_row(const mt_constraint_job *job, mt_constraint_row *row, const uint32_t ends,
                               constraint_look *look)
{
    row_places x;
    lanes3 from[MT_MOST_ENDS], to[MT_MOST_ENDS], answer[MT_MOST_ENDS];
    if (row->rigid != 0)
        ask_bodies(job, row, ends);
    fetch_starts(job, row, ends, &x);
    fetch_moves(job, row, ends, &x);
    lanes at_start = look(x.start, row, from), error = look(x.now, row, to);
    oppose(from, ends);
    oppose(to, ends);
    for (uint32_t k = 0; k < ends; k++)
        answer[k] = lanes3_scale(from[k], x.move[k].w);
    if (row->rigid != 0)
        answer_by_bodies(job, row, ends, from, answer);
    lanes inverse_effective_mass = lanes_all(0.0f), first = inverse_effective_mass;
    for (uint32_t k = 0; k < ends; k++) {
        inverse_effective_mass += lanes3_dot(to[k], answer[k]);
        first += lanes3_dot(from[k], answer[k]);
    }
    inverse_effective_mass = lanes_select(lanes_above(inverse_effective_mass, lanes_all(LEAST_TURNED) * first),
                                          inverse_effective_mass, first);
    lanes lambda = job->first ? lanes_all(0.0f) : lanes_load(row->lambda);
    lanes change = change_of_lambda(job, row, error, at_start, inverse_effective_mass, lambda);
    lanes_store(row->lambda, lambda + change);
    if (job->last)
        book_row(job, row, lambda + change);
    for (uint32_t k = 0; k < ends; k++) {
        lanes3 moved = lanes3_add(xyz_of(x.move[k]), lanes3_scale(answer[k], change));
        lanes_scatter(job->w->move.data, row->place[k], (lanes4){moved.x, moved.y, moved.z, x.move[k].w});
    }
    if (row->rigid != 0) {
        float given[LANES];
        lanes_store(given, change);
        give_bodies(job, row, ends, from, given, shift_body);
    }
}

/* What is expected is what was given last, along the directions of now. */
LANE_FUNCTION void expect_row(const mt_constraint_job *job, mt_constraint_row *row, const uint32_t ends,
                              constraint_look *look)
{
    row_places x;
    lanes3 from[MT_MOST_ENDS];
    lanes impulse = -lanes_load(row->tension) * lanes_all(job->h);
    if (lanes_bits(lanes_above(lanes_size(impulse), lanes_all(0.0f))) == 0)
        return;
    fetch_starts(job, row, ends, &x);
    (void)look(x.start, row, from);
    oppose(from, ends);
    for (uint32_t k = 0; k < ends; k++) {
        lanes4 pull = lanes_gather(job->w->pull.data, row->place[k]);
        lanes weight = lanes_gather(job->w->move.data, row->place[k]).w;
        lanes3 more = lanes3_add(xyz_of(pull), lanes3_scale(from[k], impulse * weight));
        lanes_scatter(job->w->pull.data, row->place[k], (lanes4){more.x, more.y, more.z, pull.w});
    }
    if (row->rigid != 0) {
        float given[LANES];
        lanes_store(given, impulse);
        give_bodies(job, row, ends, from, given, expect_of_body);
    }
}

#define CONSTRAINT_KERNEL(name, task, ends, look)                                                              \
    void MT_KERNEL(name)(void *context, uint32_t begin, uint32_t end, uint32_t worker);                        \
    void MT_KERNEL(name)(void *context, uint32_t begin, uint32_t end, uint32_t worker)                         \
    {                                                                                                          \
        const mt_constraint_job *job = context;                                                                \
        (void)worker;                                                                                          \
        for (uint32_t k = begin; k < end; k++)                                                                 \
            task(job, &job->rows[k], ends, look);                                                              \
    }

/* The kernels of a kind: `look` is a constraint_look. */
#define CONSTRAINT_KERNELS(name, ends, look)                                                                   \
    CONSTRAINT_KERNEL(name##_expect, expect_row, ends, look)                                                   \
    CONSTRAINT_KERNEL(name##_project, project_row, ends, look)

#endif
