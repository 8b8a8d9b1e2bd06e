/* The passes in which bodies follow what liquids, joints and the guard do, and their particles follow them. */
#include "step/bodies/joint_solve.h"
#include "step/bodies/matching.h"
#include "step/kernels.h"

static const mt_assembly *assembly_of(const mt_substep *s, const mt_batch *batch, uint32_t n)
{
    return (const mt_assembly *)s->bodies.plan->assemblies.data + batch->assembly[n];
}

/* What fluids have moved the particles of a body by becomes its motion. */
LANE_FUNCTION void buoy_body(const mt_substep *s, mt_body_work *w)
{
    row_sum sum = row_sum_zero();
    for (uint32_t k = 0; k < w->rows; k++) {
        const mt_body_row *row = row_at(s, w, k);
        lanes4 shift = row_load(s->liquids.shift, row);
        lanes m = lanes_load(row->rest->mass);
        lane_mask real = lanes_above(m, lanes_all(0.0f));
        row_sum_add(&sum, row_arms(&w->at_start, row),
                    (lanes3){lanes_keep(real, shift.x * m), lanes_keep(real, shift.y * m),
                             lanes_keep(real, shift.z * m)});
    }
    mote_vec3 push = lanes3_sum(sum.push), turn = lanes3_sum(sum.turn);
    const mt_body_share *share = shares_of(s, w);
    for (uint32_t k = 0; k < w->shares; k++, share++) {
        const mt_shared_place *place = &mt_shared_places(s->bodies.plan)[share->place];
        mote_vec3 given = mt_scale(mt_xyz(s->liquids.shift[place->slot]), share->mass);
        push = mt_add(push, given);
        turn = mt_add(turn, mt_cross(mt_turn(&w->at_start, share->rest), given));
    }
    if (mt_dot(push, push) == 0 && mt_dot(turn, turn) == 0)
        return;
    w->velocity = mt_add(w->velocity, mt_scale(push, w->inverse_mass * s->inverse_h));
    w->angular = mt_add(w->angular, mt_scale(turn, s->inverse_h));
    w->spin = mt_inverse_inertia_turned(w->own_inverse_inertia, &w->at_start, w->angular);
}

void MT_KERNEL(bodies_buoy)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        const mt_assembly *a = (const mt_assembly *)s->bodies.plan->assemblies.data + k;
        for (uint32_t i = 0; a->wet && i < a->bodies && any_moves(s, a); i++)
            buoy_body(s, &works(s)[a->first_body + i]);
    }
}

/* Joints are closed where bodies end. */
void MT_KERNEL(bodies_join)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        mt_batch *batch = (mt_batch *)s->bodies.plan->batches.all.data + k;
        bool any = false;
        for (uint32_t n = 0; n < batch->count; n++)
            any = any || any_moves(s, assembly_of(s, batch, n));
        if (!any || batch->joints == 0)
            continue;
        MT_KERNEL(joints_shake)(s, batch);
        for (uint32_t n = 0; n < batch->count; n++)
            if (any_moves(s, assembly_of(s, batch, n)))
                place_assembly(s, assembly_of(s, batch, n));
    }
}

/* Whether the guard may have moved particles of a row. */
static bool is_guarded(const mt_substep *s, const mt_body_row *row)
{
    bool guarded = false;
    for (uint32_t n = 0; n < (row->whole ? 1 : row->count); n++)
        guarded = guarded || s->shapes.cache[row->rest->slot[n] / LANES].guarded;
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
        lanes4 now = row_load(s->particles.predicted, row);
        for (uint32_t n = 0; n < row->count; n++) {
            mote_vec3 back = {now.x[n] - place.x[n], now.y[n] - place.y[n], now.z[n] - place.z[n]};
            if (mt_dot(back, back) > mt_dot(longest, longest))
                longest = back;
        }
    }
    return longest;
}

/* Whether a joint holds an assembly to something that is not of it. */
static bool is_anchored(const mt_substep *s, const mt_assembly *a)
{
    const mt_joint_work *j = mt_joint_works(s->bodies.plan) + a->first_joint;
    bool anchored = false;
    for (uint32_t k = 0; k < a->joints; k++)
        anchored = anchored || j[k].b == MT_NO_BODY || works(s)[j[k].a].driven || works(s)[j[k].b].driven;
    return anchored;
}

/* Contacts will take their speed, if they go on as they did. */
static void put_back(const mt_substep *s, const mt_assembly *a, mote_vec3 by)
{
    for (uint32_t i = 0; i < a->bodies; i++)
        if (mt_body_moves(&works(s)[a->first_body + i]))
            mt_body_shift(&works(s)[a->first_body + i], by, (mote_vec3){0.0f, 0.0f, 0.0f});
}

/* After the guard: who was stopped stops its body, which goes back as far as the particle that has to go furthest. What
 * is jointed to it goes back with it, or the joints would be torn open. */
void MT_KERNEL(bodies_stop)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        mt_assembly *a = (mt_assembly *)s->bodies.plan->assemblies.data + k;
        const bool together = a->joints > 0 && !is_anchored(s, a);
        mote_vec3 longest = {0.0f, 0.0f, 0.0f};
        a->stopped = false;
        for (uint32_t i = 0; i < a->bodies && any_moves(s, a); i++) {
            mt_body_work *w = &works(s)[a->first_body + i];
            mote_vec3 back = longest_way_back(s, w);
            if (mt_dot(back, back) == 0)
                continue;
            a->stopped = true;
            if (!together)
                mt_body_shift(w, back, (mote_vec3){0.0f, 0.0f, 0.0f});
            else if (mt_dot(back, back) > mt_dot(longest, longest))
                longest = back;
        }
        if (a->stopped && together)
            put_back(s, a, longest);
        if (a->stopped)
            place_assembly(s, a);
    }
}
