/* Bodies in the solve of viscosity: forces on their particles are forces on them, and their particles move with
 * them. A shared particle moves as the mean of its bodies, so each of them gets an equal part of its force. */
#include "base/vec.h"
#include "step/bodies/matching.h"
#include "step/fluid/rub.h"
#include "step/fluid/stir.h"
#include "step/kernels.h"

static mt_body_drag *drag_at(const mt_stir *job, uint32_t body)
{
    return job->drags + body;
}

/* An arm at the start of the substep, as particles' places are; h 0: now. */
LANE_FUNCTION lanes3 arms_before(const mt_body_work *w, const mt_body_row *row, float h)
{
    lanes3 arm = row_arms(&w->at, row), turned = lanes3_cross(lanes3_all(w->spin), arm);
    lanes back = lanes_all(h);
    return (lanes3){arm.x - back * turned.x, arm.y - back * turned.y, arm.z - back * turned.z};
}

static mote_vec3 arm_before(const mt_body_work *w, mote_vec3 rest, float h)
{
    mote_vec3 arm = mt_turn(&w->at, rest);
    return mt_sub(arm, mt_scale(mt_cross(w->spin, arm), h));
}

/* The sum of the forces on a body's particles. */
LANE_FUNCTION void sum_forces(const mt_stir *job, const mt_body_work *w, mt_body_drag *d)
{
    const mt_substep *s = job->s;
    row_sum sum = row_sum_zero();
    for (uint32_t k = 0; k < w->rows; k++) {
        const mt_body_row *row = row_at(s, w, k);
        lanes4 r = row_load(job->residual, row);
        row_sum_add(&sum, arms_before(w, row, s->h), (lanes3){r.x, r.y, r.z});
    }
    d->push = lanes3_sum(sum.push);
    d->turn = lanes3_sum(sum.turn);
    const mt_body_share *share = shares_of(s, w);
    for (uint32_t k = 0; k < w->shares; k++, share++) {
        const mt_shared_place *place = &mt_shared_places(s->bodies.plan)[share->place];
        mote_vec3 part = mt_scale(mt_xyz(job->residual[place->slot]), 1.0f / (float)place->count);
        d->push = mt_add(d->push, part);
        d->turn = mt_add(d->turn, mt_cross(arm_before(w, share->rest, s->h), part));
    }
}

/* Particles get their body's motion; their w stays. */
LANE_FUNCTION void spread_rows(const mt_stir *job, const mt_body_work *w, const mt_body_drag *d, mote_vec4 *to,
                               float h)
{
    for (uint32_t k = 0; k < w->rows; k++) {
        const mt_body_row *row = row_at(job->s, w, k);
        lanes3 turned = lanes3_cross(lanes3_all(d->spin), arms_before(w, row, h)), v = lanes3_all(d->velocity);
        v = (lanes3){v.x + turned.x, v.y + turned.y, v.z + turned.z};
        row_store(to, row, v, row_load(to, row).w);
    }
}

static void spread_shared(const mt_stir *job, const mt_assembly *a, mote_vec4 *to, float h)
{
    const mt_substep *s = job->s;
    const uint32_t *list =
        (const uint32_t *)s->bodies.plan->order.data + 2 * (size_t)s->bodies.plan->body_count;
    for (uint32_t k = 0; k < a->places; k++) {
        const mt_shared_place *place = &mt_shared_places(s->bodies.plan)[list[a->first_place + k]];
        const mt_holder *holders = (const mt_holder *)s->bodies.plan->holders.data + place->first;
        mote_vec3 sum = {0.0f, 0.0f, 0.0f};
        for (uint32_t i = 0; i < place->count; i++) {
            const mt_body_drag *d = drag_at(job, holders[i].body);
            mote_vec3 arm = arm_before(&works(s)[holders[i].body], holders[i].rest, h);
            sum = mt_add(sum, mt_add(d->velocity, mt_cross(d->spin, arm)));
        }
        sum = mt_scale(sum, 1.0f / (float)place->count);
        to[place->slot] = (mote_vec4){sum.x, sum.y, sum.z, to[place->slot].w};
    }
}

/* ---- how stiff bodies are, see rub.h -------------------------------------------------------------------- */

/* The largest h K of a body's particles, summed: for its motion and, as a matrix, for its turning. */
typedef struct stiff_sum {
    float straight;
    mote_vec3 turned[3];
} stiff_sum;

static void add_stiff(stiff_sum *sum, mote_vec3 arm, float most)
{
    float square = mt_dot(arm, arm);
    const float along[3] = {arm.x, arm.y, arm.z};
    sum->straight += most;
    for (int axis = 0; axis < 3; axis++)
        sum->turned[axis] = mt_sub(sum->turned[axis], mt_scale(arm, most * along[axis]));
    sum->turned[0].x += most * square;
    sum->turned[1].y += most * square;
    sum->turned[2].z += most * square;
}

static stiff_sum sum_stiff(const mt_stir *job, const mt_body_work *w)
{
    const mt_substep *s = job->s;
    stiff_sum sum = {.straight = 0.0f};
    for (uint32_t k = 0; k < w->rows; k++) {
        const mt_body_row *row = row_at(s, w, k);
        lanes most = row_load(job->hold, row).z;
        lanes3 arm = arms_before(w, row, s->h);
        for (uint32_t lane = 0; lane < row->count; lane++)
            if (most[lane] > 0)
                add_stiff(&sum, (mote_vec3){arm.x[lane], arm.y[lane], arm.z[lane]}, most[lane]);
    }
    const mt_body_share *share = shares_of(s, w);
    for (uint32_t k = 0; k < w->shares; k++, share++) {
        const mt_shared_place *place = &mt_shared_places(s->bodies.plan)[share->place];
        add_stiff(&sum, arm_before(w, share->rest, s->h), job->hold[place->slot].z / (float)place->count);
    }
    return sum;
}

/* A bound for the largest eigenvalue of the sum over mass and inertia: that of a matrix is at most a third of its
 * trace, and the root of two thirds of the squares of the rest. */
static float stiffness_of(const mt_body_work *w, const stiff_sum *sum)
{
    mote_vec3 c[3];
    for (int axis = 0; axis < 3; axis++)
        c[axis] = mt_inverse_inertia_turned(w->own_inverse_inertia, &w->at, sum->turned[axis]);
    float trace = c[0].x + c[1].y + c[2].z;
    float squares = c[0].x * c[0].x + c[1].y * c[1].y + c[2].z * c[2].z +
                    2.0f * (c[0].y * c[1].x + c[0].z * c[2].x + c[1].z * c[2].y);
    float rest = fmaxf(squares - trace * trace / 3.0f, 0.0f);
    return w->inverse_mass * sum->straight + trace / 3.0f + sqrtf(2.0f / 3.0f * rest);
}

/* What its particles have from now on. */
LANE_FUNCTION void hold_rows(const mt_stir *job, const mt_body_work *w, float stiffness)
{
    lanes zero = lanes_all(0.0f);
    lanes3 hold = {lanes_all(stiffness), lanes_all(mt_rub_pace(stiffness)), zero};
    for (uint32_t k = 0; k < w->rows; k++)
        row_store(job->hold, row_at(job->s, w, k), hold, zero);
}

static void hold_shared(const mt_stir *job, const mt_assembly *a)
{
    const mt_substep *s = job->s;
    const uint32_t *list =
        (const uint32_t *)s->bodies.plan->order.data + 2 * (size_t)s->bodies.plan->body_count;
    for (uint32_t k = 0; k < a->places; k++) {
        const mt_shared_place *place = &mt_shared_places(s->bodies.plan)[list[a->first_place + k]];
        const mt_holder *holders = (const mt_holder *)s->bodies.plan->holders.data + place->first;
        float sum = 0.0f;
        for (uint32_t i = 0; i < place->count; i++)
            sum += drag_at(job, holders[i].body)->stiffness;
        sum /= (float)place->count;
        job->hold[place->slot] = (mote_vec4){sum, mt_rub_pace(sum), 0.0f, 0.0f};
    }
}

void MT_KERNEL(carry_measure)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_stir *job = context;
    const mt_substep *s = job->s;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        const mt_assembly *a = (const mt_assembly *)s->bodies.plan->assemblies.data + k;
        if (!a->wet)
            continue;
        for (uint32_t i = a->first_body; i < a->first_body + a->bodies; i++) {
            const mt_body_work *w = &works(s)[i];
            stiff_sum sum = sum_stiff(job, w);
            drag_at(job, i)->stiffness = w->inverse_mass > 0 ? fmaxf(stiffness_of(w, &sum), MT_RUB_THIN) : 0.0f;
        }
        for (uint32_t i = a->first_body; i < a->first_body + a->bodies; i++)
            hold_rows(job, &works(s)[i], drag_at(job, i)->stiffness);
        hold_shared(job, a);
    }
}

/* ---- the solve ------------------------------------------------------------------------------------------- */

/* The residual over the masses, for particles of bodies. */
void MT_KERNEL(carry_pull)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_stir *job = context;
    const mt_substep *s = job->s;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        const mt_assembly *a = (const mt_assembly *)s->bodies.plan->assemblies.data + k;
        if (!a->wet)
            continue;
        for (uint32_t i = a->first_body; i < a->first_body + a->bodies; i++) {
            mt_body_work *w = &works(s)[i];
            mt_body_drag *d = drag_at(job, i);
            d->push = d->turn = d->velocity = d->spin = (mote_vec3){0.0f, 0.0f, 0.0f};
            if (w->inverse_mass == 0)
                continue;
            sum_forces(job, w, d);
            d->velocity = mt_scale(d->push, w->inverse_mass);
            d->spin = mt_inverse_inertia_turned(w->own_inverse_inertia, &w->at, d->turn);
            spread_rows(job, w, d, job->image, s->h);
        }
        spread_shared(job, a, job->image, s->h);
    }
}

/* The body's place follows as particles' places do; but not where joints hold it, which would have to be closed
 * again. */
LANE_FUNCTION void move_body(const mt_stir *job, const mt_assembly *a, mt_body_work *w, const mt_body_drag *d)
{
    const mt_substep *s = job->s;
    if (a->joints > 0 || a->places > 0)
        return;
    mote_vec3 way = mt_scale(d->push, w->inverse_mass * s->h);
    mote_vec3 turn = mt_scale(mt_inverse_inertia_turned(w->own_inverse_inertia, &w->at, d->turn), s->h);
    float longest = mt_length(way) + w->size * mt_length(turn), most = 0.25f * job->lattice.spacing;
    float part = longest > most ? most / longest : 1.0f;
    mt_body_shift(w, mt_scale(way, part), mt_scale(turn, part));
    w->start = w->pose;
    w->at_start = w->at;
    for (uint32_t k = 0; k < w->rows; k++) {
        const mt_body_row *row = row_at(s, w, k);
        row_store(job->position, row, row_places(&w->at, row_arms(&w->at, row)),
                  row_load(job->position, row).w);
    }
}

/* What was found becomes the bodies' motion, and their particles have it. */
void MT_KERNEL(carry_finish)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_stir *job = context;
    const mt_substep *s = job->s;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        const mt_assembly *a = (const mt_assembly *)s->bodies.plan->assemblies.data + k;
        if (!a->wet)
            continue;
        bool any = false;
        for (uint32_t i = a->first_body; i < a->first_body + a->bodies; i++) {
            mt_body_work *w = &works(s)[i];
            mt_body_drag *d = drag_at(job, i);
            if (mt_dot(d->push, d->push) > 0 || mt_dot(d->turn, d->turn) > 0) {
                any = true;
                w->velocity = mt_add(w->velocity, mt_scale(d->push, w->inverse_mass));
                w->angular = mt_add(w->angular, d->turn);
                move_body(job, a, w, d);
                w->spin = mt_inverse_inertia_turned(w->own_inverse_inertia, &w->at, w->angular);
            }
            d->velocity = w->velocity;
            d->spin = w->spin;
        }
        for (uint32_t i = a->first_body; any && i < a->first_body + a->bodies; i++)
            if (works(s)[i].inverse_mass > 0)
                spread_rows(job, &works(s)[i], drag_at(job, i), job->velocity, 0.0f);
        if (any)
            spread_shared(job, a, job->velocity, 0.0f);
    }
}
