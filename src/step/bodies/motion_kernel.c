/* The free motion of bodies and what becomes of it.
 *
 * Particles that fly straight on for a substep and are then put back into their form lose spin: the chord is
 * shorter than the arc, and a third of (omega h)^2 of the spin goes each time. So a body's particles are
 * predicted on their arcs, and momenta are kept, not read off again and again: of the particles' velocities
 * only what someone has changed since they were made is added, a body falls as its particles do, and what
 * constraints gave, P and T, is added to the momenta as it is,
 *
 *     v = v* + P / (M h),    L = L* + T / h,    omega = I(q)^-1 L.
 *
 * Then a free body keeps its momenta to rounding. */
#include "step/bodies/arrival.h"
#include "step/bodies/joint_finish.h"
#include "step/bodies/matching.h"
#include "step/bodies/pose_step.h"
#include "step/bodies/rows.h"
#include "step/kernels.h"

/* ---- predicting ---------------------------------------------------------------------------------------- */

typedef struct momenta {
    mote_vec3 linear, angular;
} momenta;

LANE_FUNCTION lanes3 rigid_speed(mote_vec3 velocity, mote_vec3 spin, lanes3 arm)
{
    lanes3 v = lanes3_cross(lanes3_all(spin), arm);
    return (lanes3){v.x + lanes_all(velocity.x), v.y + lanes_all(velocity.y), v.z + lanes_all(velocity.z)};
}

/* What fields add to velocities beside gravity and damping, before these; nothing, to the bit, where they end. */
static mote_vec3 field_speed(const mt_substep *s, mote_vec4 v, mote_vec4 kicked)
{
    mote_vec3 own = mt_scale(mt_add(mt_xyz(v), s->forces.fall), s->forces.damped);
    return mt_scale(mt_sub(mt_xyz(kicked), own), 1.0f / s->forces.damped);
}

LANE_FUNCTION lanes3 field_speeds(const mt_substep *s, lanes4 v, lanes4 kicked)
{
    const lanes damped = lanes_all(s->forces.damped), back = lanes_all(1.0f / s->forces.damped);
    return (lanes3){(kicked.x - (v.x + lanes_all(s->forces.fall.x)) * damped) * back,
                    (kicked.y - (v.y + lanes_all(s->forces.fall.y)) * damped) * back,
                    (kicked.z - (v.z + lanes_all(s->forces.fall.z)) * damped) * back};
}

/* Momenta that particles have beyond the body's own motion, and that fields give them. */
LANE_FUNCTION momenta gather_momenta(const mt_substep *s, const mt_body_work *w)
{
    const bool fields = s->particles.source != s->particles.velocity;
    row_sum sum = row_sum_zero();
    for (uint32_t k = 0; k < w->rows; k++) {
        const mt_body_row *row = row_at(s, w, k);
        lanes3 arm = row_arms(&w->at_start, row), off = rigid_speed(w->velocity, w->spin, arm);
        lanes4 v = row_load(s->particles.velocity, row);
        lanes3 own = {v.x - off.x, v.y - off.y, v.z - off.z};
        if (fields)
            own = lanes3_add(own, field_speeds(s, v, row_load(s->particles.source, row)));
        lanes m = row->mass >= 0 ? lanes_all(row->mass) : lanes_load(row->rest->mass);
        row_sum_add(&sum, arm, lanes3_keep(lanes_above(m, lanes_all(0.0f)), lanes3_scale(own, m)));
    }
    momenta total = {lanes3_sum(sum.push), lanes3_sum(sum.turn)};
    const mt_body_share *share = (const mt_body_share *)s->bodies.plan->shares.data + w->first_share;
    for (uint32_t k = 0; k < w->shares; k++, share++) {
        const mt_shared_place *place = &mt_shared_places(s->bodies.plan)[share->place];
        if (place->inverse_resistance == 0)
            continue;
        mote_vec3 arm = mt_turn(&w->at_start, share->rest);
        mote_vec3 own = mt_sub(mt_xyz(s->particles.velocity[place->slot]), place->speed);
        if (fields)
            own = mt_add(own,
                         field_speed(s, s->particles.velocity[place->slot], s->particles.source[place->slot]));
        mote_vec3 p = mt_scale(own, share->mass);
        total.linear = mt_add(total.linear, p);
        total.angular = mt_add(total.angular, mt_cross(arm, p));
    }
    return total;
}

/* Where particles go, and the velocity that takes them there, if it is asked for; rows that predict_kernel.c has written
 * always need it. */
LANE_FUNCTION void send_rows(const mt_substep *s, const mt_body_work *w, bool speeds)
{
    const lanes_frame end = lanes_frame_all(&w->at);
    const lanes3 place = lanes3_all(w->at.position);
    lanes moves = lanes_all(w->inverse_mass > 0 ? 1.0f : 0.0f);
    const mt_body_row *row = row_at(s, w, 0), *const last = row + w->rows;
    for (; row < last; row++) {
        lanes3 arm = lanes_turn(&end, (lanes3){lanes_load(row->x), lanes_load(row->y), lanes_load(row->z)});
        if (speeds || !row->flies)
            row_store(s->particles.transport, row, row_transport(s, w, row, arm),
                      moves * lanes_load(row->rest->inverse_inertia));
        row_store(s->particles.predicted, row, lanes3_add(arm, place), row_radii(s, row));
    }
}

static void send_shared(const mt_substep *s, const mt_assembly *a, bool speeds)
{
    const uint32_t *list =
        (const uint32_t *)s->bodies.plan->order.data + 2 * (size_t)s->bodies.plan->body_count;
    place_shared(s, a, s->particles.predicted, false);
    for (uint32_t k = 0; k < a->places; k++) {
        const mt_shared_place *place = &mt_shared_places(s->bodies.plan)[list[a->first_place + k]];
        if (!speeds && place->flies)
            continue;
        mote_vec3 from = mt_xyz(s->particles.position[place->slot]),
                  to = mt_xyz(s->particles.predicted[place->slot]);
        mote_vec3 speed = mt_scale(mt_sub(to, from), s->inverse_h);
        s->particles.transport[place->slot] = (mote_vec4){speed.x, speed.y, speed.z, place->inverse_resistance};
    }
}

/* What finish_shared wrote: a change of it is what someone gave the particle. It is known but where a step has
 * just begun, or liquids have moved bodies since. */
static void mean_speeds(const mt_substep *s, const mt_assembly *a)
{
    const uint32_t *list =
        (const uint32_t *)s->bodies.plan->order.data + 2 * (size_t)s->bodies.plan->body_count;
    for (uint32_t k = 0; k < a->places; k++) {
        mt_shared_place *place = &mt_shared_places(s->bodies.plan)[list[a->first_place + k]];
        const mt_holder *holders = (const mt_holder *)s->bodies.plan->holders.data + place->first;
        mote_vec3 sum = {0.0f, 0.0f, 0.0f};
        for (uint32_t i = 0; i < place->count; i++) {
            const mt_body_work *w = &works(s)[holders[i].body];
            sum = mt_add(sum, mt_add(w->velocity, mt_cross(w->spin, mt_turn(&w->at_start, holders[i].rest))));
        }
        place->speed = mt_scale(sum, 1.0f / (float)place->count);
    }
}

/* What a driven body holds of a body does not fall: the driven one bears its weight. */
static void bear_held(const mt_substep *s, const mt_body_work *w, momenta *given)
{
    const mt_body_share *share = (const mt_body_share *)s->bodies.plan->shares.data + w->first_share;
    for (uint32_t k = 0; k < w->shares; k++, share++) {
        if (mt_shared_places(s->bodies.plan)[share->place].inverse_resistance != 0)
            continue;
        mote_vec3 p = mt_scale(s->forces.fall, -share->mass);
        given->linear = mt_add(given->linear, p);
        given->angular = mt_add(given->angular, mt_cross(mt_turn(&w->at_start, share->rest), p));
    }
}

/* Whether something may change the velocities of its particles between substeps, or ask them. */
static inline bool is_asked(const mt_substep *s, const mt_assembly *a)
{
    return s->bodies.follow_particles || a->near;
}

/* What was given waits in push and turn until eight bodies take it. */
LANE_FUNCTION void ask_particles(const mt_substep *s, mt_body_work *w, bool asks)
{
    momenta given = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    if (asks)
        given = gather_momenta(s, w);
    bear_held(s, w, &given);
    w->push = given.linear;
    w->turn = given.angular;
    w->shifts = 0;
}

LANE_FUNCTION void send_assembly(const mt_substep *s, const mt_assembly *a, bool speeds)
{
    for (uint32_t i = 0; i < a->bodies; i++)
        send_rows(s, &works(s)[a->first_body + i], speeds);
    send_shared(s, a, speeds);
}

typedef void eight_task(const mt_substep *s, const eight_bodies *bodies);

static void run_eight(const mt_substep *s, eight_bodies *eight, eight_task *task)
{
    for (uint32_t k = eight->count; k < LANES; k++)
        eight->work[k] = eight->work[0];
    if (eight->count > 0)
        task(s, eight);
    eight->count = 0;
}

/* For the bodies of the assemblies [begin, end) that fly, eight at a time. */
static void run_eights(const mt_substep *s, uint32_t begin, uint32_t end, eight_task *task)
{
    eight_bodies eight = {.count = 0};
    for (uint32_t k = begin; k < end; k++) {
        const mt_assembly *a = (const mt_assembly *)s->bodies.plan->assemblies.data + k;
        mt_body_work *w = &works(s)[a->first_body];
        for (uint32_t i = 0; i < a->bodies && !w->asleep && !w->driven; i++) {
            eight.work[eight.count++] = &w[i];
            if (eight.count == LANES)
                run_eight(s, &eight, task);
        }
    }
    run_eight(s, &eight, task);
}

void MT_KERNEL(bodies_predict)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    const mt_assembly *all = s->bodies.plan->assemblies.data;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        mt_body_work *w = &works(s)[all[k].first_body];
        if (w->asleep)
            continue;
        if (s->time.opens_step || all[k].current)
            mean_speeds(s, &all[k]);
        for (uint32_t i = 0; i < all[k].bodies && !w->driven; i++)
            ask_particles(s, &w[i], s->time.opens_step || all[k].current);
    }
    run_eights(s, begin, end, take_given);
    run_eights(s, begin, end, fly);
    for (uint32_t k = begin; k < end; k++)
        if (!works(s)[all[k].first_body].asleep)
            send_assembly(s, &all[k], s->time.opens_step || is_asked(s, &all[k]));
}

/* ---- flight after contacts ----------------------------------------------------------------------------- */

/* Flight with the velocities that contacts have left. */
void MT_KERNEL(bodies_fly)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    const mt_assembly *all = s->bodies.plan->assemblies.data;
    (void)worker;
    run_eights(s, begin, end, fly);
    for (uint32_t k = begin; k < end; k++) {
        const mt_body_work *w = &works(s)[all[k].first_body];
        if (w->asleep || w->driven) /* a driven one has gone where it goes */
            continue;
        if (all[k].joints == 0 || is_asked(s, &all[k])) /* joints move them on */
            send_assembly(s, &all[k], is_asked(s, &all[k]));
    }
}

/* ---- finishing ----------------------------------------------------------------------------------------- */

/* Velocities of particles; those of rows that velocity_kernel.c has written are always made. */
LANE_FUNCTION void finish_rows(const mt_substep *s, const mt_body_work *w, mote_vec4 *to, bool speeds)
{
    const lanes_frame at = lanes_frame_all(&w->at);
    const lanes3 spin = lanes3_all(w->spin), velocity = lanes3_all(w->velocity);
    const mt_body_row *row = row_at(s, w, 0), *const end = row + w->rows;
    for (; row < end; row++) {
        if (!speeds && row->flies)
            continue;
        lanes3 arm = lanes_turn(&at, (lanes3){lanes_load(row->x), lanes_load(row->y), lanes_load(row->z)});
        row_store(to, row, lanes3_add(lanes3_cross(spin, arm), velocity), row_inverse_masses(s, row));
    }
}

static mote_vec3 speed_of(const mt_body_work *w, mote_vec3 rest)
{
    return mt_add(w->velocity, mt_cross(w->spin, mt_turn(&w->at, rest)));
}

static void finish_shared(const mt_substep *s, const mt_assembly *a, mote_vec4 *to, bool speeds)
{
    const uint32_t *list =
        (const uint32_t *)s->bodies.plan->order.data + 2 * (size_t)s->bodies.plan->body_count;
    for (uint32_t k = 0; k < a->places; k++) {
        mt_shared_place *place = &mt_shared_places(s->bodies.plan)[list[a->first_place + k]];
        const mt_holder *holders = (const mt_holder *)s->bodies.plan->holders.data + place->first;
        mote_vec3 sum = {0.0f, 0.0f, 0.0f};
        if (!speeds && place->flies)
            continue;
        for (uint32_t i = 0; i < place->count; i++)
            sum = mt_add(sum, speed_of(&works(s)[holders[i].body], holders[i].rest));
        place->speed = sum = mt_scale(sum, 1.0f / (float)place->count);
        to[place->slot] = (mote_vec4){sum.x, sum.y, sum.z, s->particles.velocity[place->slot].w};
    }
}

static void book_joints(const mt_substep *s, const mt_assembly *a)
{
    mt_joint_work *j = mt_joint_works(s->bodies.plan) + a->first_joint;
    for (uint32_t k = 0; k < a->joints; k++)
        mt_joint_book(s, &j[k]);
}

static void finish_joints(const mt_substep *s, const mt_assembly *a)
{
    mt_joint_work *j = mt_joint_works(s->bodies.plan) + a->first_joint;
    for (uint32_t k = 0; k < a->joints; k++)
        mt_joint_finish(s, &j[k]);
}

void MT_KERNEL(bodies_finish)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    (void)worker;
    for (uint32_t k = begin; k < end; k++)
        if (!works(s)[((const mt_assembly *)s->bodies.plan->assemblies.data)[k].first_body].asleep)
            book_joints(s, (const mt_assembly *)s->bodies.plan->assemblies.data + k);
    run_eights(s, begin, end, arrive);
    for (uint32_t k = begin; k < end; k++) {
        mt_assembly *a = (mt_assembly *)s->bodies.plan->assemblies.data + k;
        mt_body_work *w = &works(s)[a->first_body];
        if (w->asleep)
            continue;
        a->current = s->time.closes_step || is_asked(s, a);
        for (uint32_t i = 0; i < a->bodies; i++) {
            finish_rows(s, &w[i], s->particles.settled, a->current);
            w[i].start = w[i].pose;
            w[i].at_start = w[i].at;
        }
        finish_shared(s, a, s->particles.settled, a->current);
        finish_joints(s, a);
    }
}

/* The velocities that bodies_finish has left out, of those that somebody is going to ask. */
void MT_KERNEL(bodies_add)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        mt_assembly *a = (mt_assembly *)s->bodies.plan->assemblies.data + k;
        if (!a->near || a->current)
            continue;
        a->current = true;
        for (uint32_t i = 0; i < a->bodies && !works(s)[a->first_body].asleep; i++)
            finish_rows(s, &works(s)[a->first_body + i], s->particles.settled, true);
        if (!works(s)[a->first_body].asleep)
            finish_shared(s, a, s->particles.settled, true);
    }
}
