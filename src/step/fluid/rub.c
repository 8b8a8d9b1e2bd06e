#include "step/fluid/rub.h"

#include "step/kernels.h"
#include "step/substep.h"

#include <string.h>

#define BLOCK_ASSEMBLIES 8u

static void run(mote_world *world, mt_stir *job, mt_range_task *kernel)
{
    mt_parallel_for(&world->threads, job->s->slices, MT_BLOCK, kernel, job);
}

static void run_bodies(mote_world *world, mt_stir *job, mt_range_task *kernel)
{
    mt_parallel_for(&world->threads, job->s->bodies.plan->assembly_count, BLOCK_ASSEMBLIES, kernel, job);
}

static bool has_bodies(const mt_stir *job)
{
    return job->s->bodies.plan->assembly_count > 0;
}

/* The largest s; below 0: nothing rubs. */
static float largest_stiffness(const mt_stir *job)
{
    float most = -1.0f;
    for (uint32_t block = 0; block < mt_block_count(job->s->slices); block++)
        most = fmaxf(most, job->sums[block].stiffness);
    for (uint32_t i = 0; most >= 0 && i < job->s->bodies.plan->body_count; i++)
        most = fmaxf(most, job->drags[i].stiffness);
    return most;
}

static bool any_thick(const mt_stir *job)
{
    bool thick = !job->s->liquids.fluid.pure;
    for (uint32_t block = 0; !thick && block < mt_block_count(job->s->slices); block++)
        thick = job->sums[block].thick;
    return thick;
}

/* As many as anybody needs. */
static uint32_t sweeps_for(float stiffness)
{
    float pace = mt_rub_pace(stiffness), ratio = (1.0f - pace) / (1.0f + pace), power = ratio;
    uint32_t sweeps = 1;
    for (; sweeps < MT_RUB_SWEEPS && power > 0.49f * MT_DRAG_TOLERANCE; sweeps++)
        power *= ratio;
    return sweeps;
}

/* Velocities that follow from the impulses, and the coefficients of the next sweep. */
static void follow(mote_world *world, mt_stir *job, uint32_t next)
{
    job->sweep = next;
    if (has_bodies(job)) {
        run(world, job, world->kernels->rub_inverse_mass);
        run_bodies(world, job, world->kernels->carry_pull);
    }
    run(world, job, world->kernels->rub_follow);
}

static void finish(mote_world *world, mt_stir *job)
{
    job->change = job->image;
    run(world, job, world->kernels->drag_finish);
    if (has_bodies(job))
        run_bodies(world, job, world->kernels->carry_finish);
    if (world->shapes.count > 0)
        mt_sum_shape_pushes(world, job->s, NULL);
}

void mt_rub(mote_world *world, mt_stir *job)
{
    for (uint32_t i = 0; i < MT_SLICE; i++)
        job->hold[job->s->dummy + i] = MT_HOLD_OF_NOBODY;
    if (job->s->bodies.plan->body_count > 0)
        memset(job->drags, 0, job->s->bodies.plan->body_count * sizeof *job->drags);
    run(world, job, world->kernels->rub_measure);
    if (has_bodies(job))
        run_bodies(world, job, world->kernels->carry_measure);
    job->all_thin = !any_thick(job);
    float stiffness = largest_stiffness(job);
    if (!(stiffness >= 0))
        return;
    follow(world, job, 1);
    for (uint32_t sweep = 1, last = sweeps_for(stiffness); sweep <= last; sweep++) {
        run(world, job, world->kernels->rub_pairs);
        follow(world, job, sweep + 1);
    }
    finish(world, job);
}
