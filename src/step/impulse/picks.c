/* A pick pulls a particle, and with it its body, to a point: a spring of the pick's compliance with critical damping,
 * solved with the contacts (implicit, so that it never overshoots), and no stronger than its largest force. The body
 * that it holds is also braked in its turning, or it would swing for ever. */
#include "step/impulse/picks.h"

#include "base/vec.h"
#include "step/bodies/pose_step.h"
#include "world/check.h"

#include <string.h>

#define BRAKE 4.0f /* 1/s: of the spin of what is held */

/* ---- what they give --------------------------------------------------------------------------------------- */

/* What a pick gave: in this substep, kg m (impulse times h), and in the whole step, N. */
typedef struct pick_pull {
    mote_vec3 given, sum;
} pick_pull;

static pick_pull *pulls(const mote_world *world)
{
    return world->scratch->pick_pulls.data;
}

mote_result mt_picks_begin(mote_world *world)
{
    MT_TRY(mt_array_reserve(&world->scratch->pick_pulls, &world->memory, world->picks.count, 0));
    if (world->picks.count > 0)
        memset(pulls(world), 0, world->picks.count * sizeof(pick_pull));
    return MOTE_OK;
}

/* ---- one ---------------------------------------------------------------------------------------------------- */

typedef struct held {
    mote_vec4 *velocity, *spin;
    mote_vec4 *moment; /* of a body; NULL: it is a particle */
    mote_vec3 arm;
    float inverse_inertia[6];
} held;

static held hold(const mt_impulse_job *job, uint32_t slot)
{
    uint32_t mover = ((const uint32_t *)job->w->movers.of.data)[slot], body = mover - job->w->movers.first_body;
    held p = {&job->velocity[mover],
              &job->spin[mover],
              NULL,
              mt_sub(mt_xyz(job->position[slot]), mt_xyz(job->center[mover])),
              {0}};
    if (mover >= job->w->movers.first_body) {
        const mote_vec4 *e = job->inverse_inertia + 2 * (size_t)body;
        const float inverse_inertia[6] = {e[0].x, e[0].y, e[0].z, e[0].w, e[1].x, e[1].y};
        for (int k = 0; k < 6; k++)
            p.inverse_inertia[k] = inverse_inertia[k];
        p.moment = &job->moment[body];
    }
    return p;
}

static mote_vec3 speed_of(const held *p)
{
    return mt_add(mt_xyz(*p->velocity), mt_cross(mt_xyz(*p->spin), p->arm));
}

static void add_to(mote_vec4 *v, mote_vec3 by)
{
    v->x += by.x;
    v->y += by.y;
    v->z += by.z;
}

static void pull(const held *p, mote_vec3 push)
{
    mote_vec3 turn = mt_cross(p->arm, push);
    add_to(p->velocity, mt_scale(push, p->velocity->w));
    add_to(p->spin, mt_inverse_inertia_times(p->inverse_inertia, turn));
    if (p->moment != NULL)
        add_to(p->moment, turn);
}

/* The largest inverse effective mass of the point, over all directions: the trace is never less. */
static float inverse_effective_mass_of(const held *p)
{
    float square = mt_dot(p->arm, p->arm);
    return p->velocity->w + square * (p->inverse_inertia[0] + p->inverse_inertia[1] + p->inverse_inertia[2]);
}

/* K = (1/m) 1 - [r] E [r], column by column. */
static void matrix_of(const held *p, float soft, double k[3][3])
{
    const mote_vec3 axis[3] = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
    for (int c = 0; c < 3; c++) {
        mote_vec3 by =
            mt_cross(mt_inverse_inertia_times(p->inverse_inertia, mt_cross(p->arm, axis[c])), p->arm);
        k[0][c] = (double)by.x;
        k[1][c] = (double)by.y;
        k[2][c] = (double)by.z;
        k[c][c] += (double)p->velocity->w + (double)soft;
    }
}

static mote_vec3 solve3(double k[3][3], mote_vec3 b)
{
    double c0 = k[1][1] * k[2][2] - k[1][2] * k[2][1], c1 = k[1][2] * k[2][0] - k[1][0] * k[2][2],
           c2 = k[1][0] * k[2][1] - k[1][1] * k[2][0], det = k[0][0] * c0 + k[0][1] * c1 + k[0][2] * c2;
    double x = (double)b.x, y = (double)b.y, z = (double)b.z, d = 1.0 / det;
    return (mote_vec3){(float)(d * (x * c0 + y * (k[0][2] * k[2][1] - k[0][1] * k[2][2]) +
                                    z * (k[0][1] * k[1][2] - k[0][2] * k[1][1]))),
                       (float)(d * (x * c1 + y * (k[0][0] * k[2][2] - k[0][2] * k[2][0]) +
                                    z * (k[0][2] * k[1][0] - k[0][0] * k[1][2]))),
                       (float)(d * (x * c2 + y * (k[0][1] * k[2][0] - k[0][0] * k[2][1]) +
                                    z * (k[0][0] * k[1][1] - k[0][1] * k[1][0])))};
}

/* With stiffness s = 1 / compliance and damping c = 2 sqrt(s m), the spring's impulse p answers
 * v + beta x / h + gamma p = 0, where beta = h s / (c + h s) and gamma = 1 / (h (c + h s)). */
static void solve_pick(const mt_impulse_job *job, const mote_pick_def *def, uint32_t slot, mote_vec3 *given)
{
    held p = hold(job, slot);
    if (p.velocity->w == 0)
        return;
    float beta = 1.0f, gamma = 0.0f;
    if (def->compliance > 0) {
        float stiffness = 1.0f / def->compliance,
              damping = 2.0f * sqrtf(stiffness / inverse_effective_mass_of(&p));
        beta = job->h * stiffness / (damping + job->h * stiffness);
        gamma = 1.0f / (job->h * (damping + job->h * stiffness));
    }
    mote_vec3 off = mt_sub(mt_xyz(job->position[slot]), def->target);
    mote_vec3 wrong = mt_add(speed_of(&p), mt_scale(off, beta * job->inverse_h));
    wrong = mt_add(wrong, mt_scale(*given, gamma));
    double k[3][3];
    matrix_of(&p, gamma, k);
    mote_vec3 total = mt_sub(*given, solve3(k, wrong));
    float size = mt_length(total), most = def->max_force * job->h;
    if (size > most)
        total = mt_scale(total, most / size);
    pull(&p, mt_sub(total, *given));
    *given = total;
}

static void brake(const mt_impulse_job *job, uint32_t slot)
{
    uint32_t mover = ((const uint32_t *)job->w->movers.of.data)[slot];
    if (mover < job->w->movers.first_body || job->velocity[mover].w == 0)
        return;
    mt_body_work *w = &mt_body_works(job->s->bodies.plan)[mover - job->w->movers.first_body];
    float keep = 1.0f / (1.0f + BRAKE * job->h);
    w->angular = mt_scale(w->angular, keep);
    job->spin[mover] = (mote_vec4){job->spin[mover].x * keep, job->spin[mover].y * keep,
                                   job->spin[mover].z * keep, job->spin[mover].w};
}

/* ---- all ---------------------------------------------------------------------------------------------------- */

void mt_impulse_picks(mt_impulse_job *job, bool first)
{
    mote_world *world = job->world;
    for (uint32_t i = 0; i < world->picks.count; i++) {
        const mote_pick_def *def = &mt_picks(world)[i].def;
        uint32_t slot =
            mt_handles_find(&world->particles.handles, def->particle.index, def->particle.generation);
        if (slot == MT_NO_SLOT)
            continue;
        mote_vec3 *given = &pulls(world)[i].given; /* impulse times h */
        mote_vec3 impulse = first ? (mote_vec3){0.0f, 0.0f, 0.0f} : mt_scale(*given, job->inverse_h);
        if (first)
            brake(job, slot);
        solve_pick(job, def, slot, &impulse);
        *given = mt_scale(impulse, job->h);
    }
}

void mt_picks_sum(mote_world *world, const mt_substep *s)
{
    float scale = s->inverse_h * s->inverse_h / (float)world->settings.substeps;
    for (uint32_t i = 0; i < world->picks.count; i++)
        pulls(world)[i].sum = mt_add(pulls(world)[i].sum, mt_scale(pulls(world)[i].given, scale));
}

void mt_picks_commit(mote_world *world)
{
    for (uint32_t i = world->picks.count; i > 0; i--) {
        mt_pick *pick = &mt_picks(world)[i - 1];
        pick->force = pulls(world)[i - 1].sum;
        if (!mote_particle_is_valid(world, pick->def.particle))
            mt_table_remove(&world->picks, i - 1);
    }
}
