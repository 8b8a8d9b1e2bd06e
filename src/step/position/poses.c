/* Where movers are: their particles and centres follow their velocities, for contacts to look at. */
#include "step/position/position.h"

#include "base/vec.h"
#include "step/bodies/pose_step.h"
#include "step/kernels.h"

#define BLOCK_SLOTS (MT_BLOCK * MT_SLICE)
#define BODIES      64u

static mote_vec4 moved(mote_vec4 x, mote_vec4 v, float h)
{
    return (mote_vec4){x.x + h * v.x, x.y + h * v.y, x.z + h * v.z, x.w};
}

static bool is_loose(const mt_impulse_job *job, uint32_t slot)
{
    return ((const uint32_t *)job->w->movers.of.data)[slot] == slot;
}

static void go_slots(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_impulse_job *job = context;
    (void)worker;
    for (uint32_t i = begin; i < end; i++)
        if (is_loose(job, i))
            job->center[i] = job->s->particles.predicted[i] =
                moved(job->s->particles.position[i], job->velocity[i], job->h);
}

static void note_pose(const mt_impulse_job *job, uint32_t body, const mt_body_work *w, mt_pose pose,
                      const mt_frame *at)
{
    mote_vec3 x = pose.position;
    job->center[job->w->movers.first_body + body] = (mote_vec4){x.x, x.y, x.z, 0.0f};
    ((mt_body_surface *)job->w->movers.surfaces.data)[body] =
        mt_surface_at(&job->s->bodies.table[w->body], at, pose.rotation);
}

/* The pose that a body's velocities times h take it to. */
static mt_pose pose_after(const mt_impulse_job *job, uint32_t body, mt_pose from)
{
    uint32_t m = job->w->movers.first_body + body;
    mote_vec3 way = mt_scale(mt_xyz(job->velocity[m]), job->h), turn = mt_scale(mt_xyz(job->spin[m]), job->h);
    return (mt_pose){mt_add(from.position, way), mt_quat_turned(from.rotation, turn)};
}

static void go_bodies(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_impulse_job *job = context;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        mt_body_work *w = &mt_body_works(job->s->bodies.plan)[k];
        if (w->inverse_mass > 0) {
            w->pose = pose_after(job, k, w->start);
            w->at = mt_frame_of(w->pose);
        }
        note_pose(job, k, w, w->pose, &w->at);
    }
}

static void place(mt_impulse_job *job, mt_range_task *slots, mt_range_task *bodies)
{
    mote_world *world = job->world;
    mt_substep *s = job->s;
    mt_parallel_for(&world->threads, s->count, BLOCK_SLOTS, slots, job);
    if (s->bodies.plan->body_count == 0)
        return;
    mt_parallel_for(&world->threads, s->bodies.plan->body_count, BODIES, bodies, job);
    mt_parallel_for(&world->threads, s->bodies.plan->assembly_count, 16, world->kernels->position_place, job);
}

void mt_movers_go(mt_impulse_job *job)
{
    place(job, go_slots, go_bodies);
}

static void shift_slots(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_impulse_job *job = context;
    (void)worker;
    for (uint32_t i = begin; i < end; i++)
        if (is_loose(job, i))
            job->center[i] = job->s->particles.position[i] =
                moved(job->s->particles.position[i], job->velocity[i], job->h);
}

static void shift_bodies(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_impulse_job *job = context;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        mt_body_work *w = &mt_body_works(job->s->bodies.plan)[k];
        if (w->inverse_mass == 0)
            continue;
        w->start = pose_after(job, k, w->start);
        w->at_start = mt_frame_of(w->start);
        note_pose(job, k, w, w->start, &w->at_start);
    }
}

void mt_movers_shift(mt_impulse_job *job)
{
    place(job, shift_slots, shift_bodies);
}
