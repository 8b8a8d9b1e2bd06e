/* The passes in which bodies follow their particles: matching.h and hearing.h say how. */
#include "step/bodies/hearing.h"
#include "step/bodies/joint_solve.h"
#include "step/bodies/pose_step.h"
#include "step/kernels.h"

/* Leaves what a body is to move by to its batch, which moves eight at once. */
static inline void leave(mt_batch_body *to, uint32_t lane, mote_vec3 push, mote_vec3 turn)
{
    set_lane3(&to->push, lane, push);
    set_lane3(&to->turn, lane, turn);
    to->told |= 1u << lane;
}

/* ---- where bodies are told what contacts gave ---------------------------------------------------------- */

LANE_FUNCTION void follow_told(const mt_substep *s, mt_batch *batch)
{
    if (batch->asking != 0 || batch->joints > 0) {
        hold_batch(s, batch, false);
        hear_batch(s, batch, false);
        MT_KERNEL(joints_solve)(s, batch);
        if (s->last)
            let_go(s, batch, false);
        else
            place_batch(s, batch, false);
    }
    for (uint32_t rest = s->last ? batch->moving : 0; rest != 0; rest &= rest - 1)
        place_assembly(s, assembly_of(s, batch, (uint32_t)__builtin_ctz(rest)), true);
}

LANE_FUNCTION void stabilize_told(const mt_substep *s, mt_batch *batch)
{
    if (batch->asking == 0 && batch->joints == 0)
        return;
    hold_batch(s, batch, true);
    hear_batch(s, batch, true);
    MT_KERNEL(joints_stabilize)(s, batch);
    place_batch(s, batch, true);
    if (s->last)
        let_go(s, batch, true);
}

/* ---- where they look for it at their particles --------------------------------------------------------- */

LANE_FUNCTION void follow_particles(const mt_substep *s, mt_batch_body *to, uint32_t lane)
{
    mt_body_work *w = to->work[lane];
    told t = listen(s, w, &w->at, s->predicted, false);
    w->load = t.load;
    if (!t.any)
        return;
    w->push = mt_add(w->push, t.push);
    w->turn = mt_add(w->turn, t.turn);
    leave(to, lane, t.push, t.turn);
}

/* Whether a body's particles are not where it has them, or do not know its load. */
static bool is_ahead(const mt_body_work *w)
{
    return mt_body_moves(w) && (w->shifts != w->placed || w->load != 0);
}

/* Particles follow where a pass has moved them or their body; the others are still in their places. */
LANE_FUNCTION void place_moved(const mt_substep *s, const mt_assembly *a)
{
    bool any = false;
    for (uint32_t i = 0; i < a->bodies; i++) {
        mt_body_work *w = &works(s)[a->first_body + i];
        if (!is_ahead(w))
            continue;
        place_rows(s, w, false);
        any = true;
    }
    if (any)
        place_shared(s, a, s->predicted, false, false);
}

LANE_FUNCTION void follow_moved(const mt_substep *s, mt_batch *batch)
{
    mt_batch_body *bodies = mt_batch_bodies(s->bodies, batch);
    for (uint32_t rest = batch->asking; rest != 0; rest &= rest - 1)
        for (uint32_t i = 0; i < batch->own; i++)
            follow_particles(s, &bodies[i], (uint32_t)__builtin_ctz(rest));
    MT_KERNEL(joints_solve)(s, batch);
    for (uint32_t rest = s->last ? batch->moving : batch->asking; rest != 0; rest &= rest - 1) {
        const mt_assembly *a = assembly_of(s, batch, (uint32_t)__builtin_ctz(rest));
        if (s->last)
            place_assembly(s, a, true);
        else
            place_moved(s, a);
    }
}

/* Particles of bodies that were moved, at the start and at the end. */
LANE_FUNCTION void place_moved_both(const mt_substep *s, const mt_assembly *a)
{
    bool any = false;
    for (uint32_t i = 0; i < a->bodies; i++) {
        mt_body_work *w = &works(s)[a->first_body + i];
        if (w->shifts == w->placed)
            continue;
        any = true;
        const wide_frame start = wide_frame_of(&w->at_start), at = wide_frame_of(&w->at);
        put_both(s, row_at(s, w, 0), w->rows, &start, &at, w->load);
        w->placed = w->shifts;
    }
    if (!any)
        return;
    place_shared(s, a, s->position, true, false);
    place_shared(s, a, s->predicted, false, false);
}

LANE_FUNCTION void stabilize_moved(const mt_substep *s, mt_batch *batch)
{
    mt_batch_body *bodies = mt_batch_bodies(s->bodies, batch);
    for (uint32_t rest = batch->asking; rest != 0; rest &= rest - 1)
        for (uint32_t i = 0; i < batch->own; i++) {
            const uint32_t n = (uint32_t)__builtin_ctz(rest);
            const mt_body_work *w = bodies[i].work[n];
            told t = listen(s, w, &w->at_start, s->position, true);
            if (t.any)
                leave(&bodies[i], n, t.push, t.turn);
        }
    MT_KERNEL(joints_stabilize)(s, batch);
    for (uint32_t rest = batch->asking; rest != 0; rest &= rest - 1)
        place_moved_both(s, assembly_of(s, batch, (uint32_t)__builtin_ctz(rest)));
}

/* ---- the kernels --------------------------------------------------------------------------------------- */

/* The next of the batches [*k, end) that has anything that moves; NULL: there is none. */
static mt_batch *next_batch(const mt_substep *s, uint32_t *k, uint32_t end)
{
    while (*k < end) {
        mt_batch *batch = (mt_batch *)s->bodies->batches.data + (*k)++;
        judge_batch(s, batch);
        if (batch->moving != 0)
            return batch;
    }
    return NULL;
}

void MT_KERNEL(bodies_follow)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    (void)worker;
    for (mt_batch *batch; (batch = next_batch(s, &begin, end)) != NULL;)
        if (s->told)
            follow_told(s, batch);
        else
            follow_moved(s, batch);
}

/* Stabilising moves the start and the end alike. */
void MT_KERNEL(bodies_stabilize)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    (void)worker;
    for (mt_batch *batch; (batch = next_batch(s, &begin, end)) != NULL;)
        if (s->told)
            stabilize_told(s, batch);
        else
            stabilize_moved(s, batch);
}

/* What fluids gave. There are many pushes at once, over the whole of a body: each has moved its particle's own
 * mass, and the body moves as they do on the average. */
LANE_FUNCTION void float_body(const mt_substep *s, mt_batch_body *to, uint32_t lane)
{
    mt_body_work *w = to->work[lane];
    row_sum sum = row_sum_zero();
    for (uint32_t k = 0; k < w->rows; k++) {
        const mt_body_row *row = row_at(s, w, k);
        lanes3 place = row_places(&w->at, row_arms(&w->at, row));
        lanes4 now = row_load(s->predicted, row);
        lanes m = lanes_load(row->rest->mass);
        lane_mask real = lanes_above(m, lanes_all(0.0f));
        row_sum_add(&sum, row_arms(&w->at_start, row),
                    (lanes3){lanes_keep(real, (now.x - place.x) * m), lanes_keep(real, (now.y - place.y) * m),
                             lanes_keep(real, (now.z - place.z) * m)});
    }
    mote_vec3 push = lanes3_sum(sum.push), turn = lanes3_sum(sum.turn);
    const mt_body_share *share = shares_of(s, w);
    for (uint32_t k = 0; k < w->shares; k++, share++) {
        const mt_shared_place *place = &mt_shared_places(s->bodies)[share->place];
        mote_vec3 given = mt_scale(mt_sub(mt_xyz(s->predicted[place->slot]), place->end), share->mass);
        push = mt_add(push, given);
        turn = mt_add(turn, mt_cross(mt_turn(&w->at_start, share->rest), given));
    }
    w->push = mt_add(w->push, push);
    w->lift = mt_add(w->lift, push);
    w->turn = mt_add(w->turn, turn);
    leave(to, lane, push, turn);
}

void MT_KERNEL(bodies_float)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    (void)worker;
    for (mt_batch *batch; (batch = next_batch(s, &begin, end)) != NULL;) {
        mt_batch_body *bodies = mt_batch_bodies(s->bodies, batch);
        for (uint32_t rest = batch->moving; rest != 0; rest &= rest - 1)
            for (uint32_t i = 0; i < batch->own; i++)
                float_body(s, &bodies[i], (uint32_t)__builtin_ctz(rest));
        MT_KERNEL(joints_solve)(s, batch);
        for (uint32_t rest = batch->moving; rest != 0; rest &= rest - 1)
            place_assembly(s, assembly_of(s, batch, (uint32_t)__builtin_ctz(rest)), true);
    }
}

/* ---- under the impulse solver -------------------------------------------------------------------------- */

/* What fluids have moved the particles of a body by becomes its motion. */
LANE_FUNCTION void buoy_body(const mt_substep *s, mt_body_work *w)
{
    row_sum sum = row_sum_zero();
    for (uint32_t k = 0; k < w->rows; k++) {
        const mt_body_row *row = row_at(s, w, k);
        lanes4 shift = row_load(s->shift, row);
        lanes m = lanes_load(row->rest->mass);
        lane_mask real = lanes_above(m, lanes_all(0.0f));
        row_sum_add(&sum, row_arms(&w->at_start, row),
                    (lanes3){lanes_keep(real, shift.x * m), lanes_keep(real, shift.y * m),
                             lanes_keep(real, shift.z * m)});
    }
    mote_vec3 push = lanes3_sum(sum.push), turn = lanes3_sum(sum.turn);
    const mt_body_share *share = shares_of(s, w);
    for (uint32_t k = 0; k < w->shares; k++, share++) {
        const mt_shared_place *place = &mt_shared_places(s->bodies)[share->place];
        mote_vec3 given = mt_scale(mt_xyz(s->shift[place->slot]), share->mass);
        push = mt_add(push, given);
        turn = mt_add(turn, mt_cross(mt_turn(&w->at_start, share->rest), given));
    }
    if (mt_dot(push, push) == 0 && mt_dot(turn, turn) == 0)
        return;
    w->velocity = mt_add(w->velocity, mt_scale(push, w->inverse_mass * s->inverse_h));
    w->angular = mt_add(w->angular, mt_scale(turn, s->inverse_h));
    w->spin = mt_ease_turned(w->own_ease, &w->at_start, w->angular);
}

void MT_KERNEL(bodies_buoy)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        const mt_assembly *a = (const mt_assembly *)s->bodies->assemblies.data + k;
        for (uint32_t i = 0; i < a->bodies && any_moves(s, a); i++)
            buoy_body(s, &works(s)[a->first_body + i]);
    }
}

/* Joints are closed where bodies end. */
void MT_KERNEL(bodies_join)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        mt_batch *batch = (mt_batch *)s->bodies->batches.data + k;
        bool any = false;
        for (uint32_t n = 0; n < batch->count; n++)
            any = any || any_moves(s, assembly_of(s, batch, n));
        if (!any || batch->joints == 0)
            continue;
        MT_KERNEL(joints_shake)(s, batch);
        for (uint32_t n = 0; n < batch->count; n++)
            if (any_moves(s, assembly_of(s, batch, n)))
                place_assembly(s, assembly_of(s, batch, n), true);
    }
}

/* Whether the guard may have moved particles of a row. */
static bool is_guarded(const mt_substep *s, const mt_body_row *row)
{
    bool guarded = false;
    for (uint32_t n = 0; n < (row->whole ? 1 : row->count); n++)
        guarded = guarded || s->shape_cache[row->rest->slot[n] / LANES].guarded;
    return guarded;
}

/* The longest way by which the guard has put a particle of a body back. */
LANE_FUNCTION mote_vec3 longest_way_back(const mt_substep *s, const mt_body_work *w)
{
    mote_vec3 longest = {0.0f, 0.0f, 0.0f};
    for (uint32_t k = 0; k < w->rows; k++) {
        const mt_body_row *row = row_at(s, w, k);
        if (!is_guarded(s, row))
            continue;
        lanes3 place = row_places(&w->at, row_arms(&w->at, row));
        lanes4 now = row_load(s->predicted, row);
        for (uint32_t n = 0; n < row->count; n++) {
            mote_vec3 back = {now.x[n] - place.x[n], now.y[n] - place.y[n], now.z[n] - place.z[n]};
            if (mt_dot(back, back) > mt_dot(longest, longest))
                longest = back;
        }
    }
    return longest;
}

/* After the guard: who was stopped stops its body, which goes back as far as the particle that has to go
 * furthest. */
void MT_KERNEL(bodies_stop)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    const mote_vec3 middle = {0.0f, 0.0f, 0.0f};
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        mt_assembly *a = (mt_assembly *)s->bodies->assemblies.data + k;
        a->stopped = false;
        for (uint32_t i = 0; i < a->bodies && any_moves(s, a) && !a->alone; i++) {
            mt_body_work *w = &works(s)[a->first_body + i];
            mote_vec3 back = longest_way_back(s, w);
            if (mt_dot(back, back) == 0)
                continue;
            a->stopped = true;
            if (s->impulse) /* contacts will take its speed, if it goes on as it did */
                mt_body_shift(w, back, middle);
            else
                mt_body_push(w, middle, mt_scale(back, 1.0f / w->inverse_mass), middle);
        }
        if (a->stopped)
            place_assembly(s, a, true);
    }
}
