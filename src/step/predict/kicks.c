/* Kicks: forces that the prediction's kernel does not know. It adds gravity and damping itself; with fields
 * all forces are added here before it, and what the integrator leaves for the end of the substep is added
 * here after it. */
#include "base/vec.h"
#include "step/predict/fields.h"
#include "step/substep.h"

#define BLOCK_SLOTS (MT_BLOCK * MT_SLICE)

typedef struct kick_job {
    mote_world *world;
    mt_substep *s;
} kick_job;

static bool feels_forces(const mt_substep *s, uint32_t i)
{
    return s->particles.velocity[i].w > 0 && s->particles.rest_time[i] >= 0;
}

static void apply_fields(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const kick_job *job = context;
    mt_substep *s = job->s;
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        mote_vec4 v = s->particles.velocity[i];
        if (feels_forces(s, i)) {
            mote_vec3 kicked = mt_kick(job->world, mt_xyz(s->particles.position[i]), mt_xyz(v),
                                       s->particles.phase[i], s->forces.kick);
            v = (mote_vec4){kicked.x, kicked.y, kicked.z, v.w};
        }
        s->particles.transport[i] = v;
    }
}

void mt_apply_fields(mote_world *world, mt_substep *s)
{
    kick_job job = {world, s};
    mt_parallel_for(&world->threads, s->slices * MT_SLICE, BLOCK_SLOTS, apply_fields, &job);
    s->particles.source = s->particles.transport;
    s->forces.gravity = (mote_vec3){0.0f, 0.0f, 0.0f}; /* is in it, and so is damping */
    s->forces.keep = 1.0f;
}

/* Explicit Euler takes the forces where the particle was, Verlet's second half where it is now. */
static void apply_late_kick(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const kick_job *job = context;
    mt_substep *s = job->s;
    bool verlet = job->world->settings.integrator == MOTE_INTEGRATOR_VERLET;
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        mote_vec4 *v = &mt_velocities(job->world)[i];
        if (!feels_forces(s, i))
            continue;
        mote_vec3 now = mt_xyz(mt_positions(job->world)[i]);
        mote_vec3 where = verlet ? now : mt_sub(now, mt_scale(mt_xyz(s->particles.transport[i]), s->h));
        mote_vec3 kicked = mt_kick(job->world, where, mt_xyz(*v), s->particles.phase[i], s->h - s->forces.kick);
        *v = (mote_vec4){kicked.x, kicked.y, kicked.z, v->w};
    }
}

void mt_apply_late_kick(mote_world *world, mt_substep *s)
{
    if (s->forces.kick == s->h)
        return;
    kick_job job = {world, s};
    mt_parallel_for(&world->threads, s->count, BLOCK_SLOTS, apply_late_kick, &job);
}
