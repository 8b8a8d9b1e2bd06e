/* One substep of the papers' solvers: pre-stabilisation, and the iterations. */
#include "step/position/position.h"

#include "base/vec.h"
#include "step/impulse/picks.h"
#include "step/kernels.h"
#include "step/substep.h"
#include "world/check.h"

#include <string.h>

#define BLOCK_MOVERS 512u

/* One more stands for what does not move. */
static mote_result reserve_sums(mote_world *world, mt_impulses *w)
{
    MT_TRY(mt_array_reserve(&w->movers.push, &world->memory, w->movers.count + 1, 0));
    MT_TRY(mt_array_reserve(&w->movers.turn, &world->memory, w->movers.count + 1, 0));
    MT_TRY(mt_array_reserve(&w->movers.shift, &world->memory, w->movers.count + 1, 0));
    MT_TRY(mt_array_reserve(&w->movers.shift_turn, &world->memory, w->movers.count + 1, 0));
    return mt_array_reserve(&w->movers.shift_moment, &world->memory, w->movers.count - w->movers.first_body + 1,
                            0);
}

/* ---- one iteration ------------------------------------------------------------------------------------- */

/* What averaged contacts gave, to the movers; and sums of nothing for the next time. */
static void take_sums(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_impulse_job *job = context;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        if (job->at_position.push[k].w == 0)
            continue;
        mote_vec4 *v = &job->velocity[k], *spin = &job->spin[k];
        v->x += job->at_position.push[k].x;
        v->y += job->at_position.push[k].y;
        v->z += job->at_position.push[k].z;
        spin->x += job->at_position.turn[k].x;
        spin->y += job->at_position.turn[k].y;
        spin->z += job->at_position.turn[k].z;
        job->at_position.push[k] = job->at_position.turn[k] = (mote_vec4){0.0f, 0.0f, 0.0f, 0.0f};
    }
}

/* All contacts once, at the poses at hand. */
static void iterate(mt_impulse_job *job)
{
    mote_world *world = job->world;
    const mt_kernels *kernels = world->kernels;
    mt_impulses *w = job->w;
    mt_shape_contacts_look(job, job->at_position.stabilizes);
    mt_rows_pass(job, kernels->position_look);
    job->at_position.cold = false;
    switch (world->settings.solver) {
    case MOTE_SOLVER_JACOBI:
        mt_rows_pass(job, kernels->position_count);
        mt_rows_pass(job, kernels->position_average);
        mt_parallel_for(&world->threads, w->movers.count, BLOCK_MOVERS, take_sums, job);
        break;
    case MOTE_SOLVER_GAUSS_SEIDEL:
        if (w->search.count > 0)
            kernels->position_press_pairs(job, 0, w->search.count, 0);
        mt_rows_pass_shapes(job, kernels->position_press);
        break;
    default:
        mt_rows_pass(job, kernels->position_press);
    }
}

/* ---- pre-stabilisation --------------------------------------------------------------------------------- */

/* Contacts of the places at the start, which move and take those at the end along: what overlapped before the substep
 * makes no velocity. */
static void stabilize(mote_world *world, mt_substep *s, const mt_impulse_job *from)
{
    mt_impulses *w = from->w;
    mt_impulse_job job = *from;
    uint32_t iterations = world->settings.stabilization_iterations,
             bodies = w->movers.count - w->movers.first_body;
    if (iterations == 0)
        return;
    mt_substep_copy_position(world, s);
    mt_substep_advance_position(world, s);
    job.position = s->particles.position;
    job.velocity = w->movers.shift.data;
    job.spin = w->movers.shift_turn.data;
    job.moment = w->movers.shift_moment.data;
    job.at_position.stabilizes = true;
    for (uint32_t i = 0; i < iterations; i++) {
        for (uint32_t k = 0; k <= w->movers.count; k++) {
            job.velocity[k] = (mote_vec4){0.0f, 0.0f, 0.0f, from->velocity[k].w};
            job.spin[k] = (mote_vec4){0.0f, 0.0f, 0.0f, from->spin[k].w};
        }
        memset(job.moment, 0, (bodies + 1) * sizeof *job.moment);
        job.at_position.cold = true;
        iterate(&job);
        mt_joints_hold(&job, true); /* or it would open them */
        mt_movers_shift(&job);
    }
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

mote_result mt_position_solve(mote_world *world, mt_substep *s)
{
    mt_impulses *w = &world->scratch->impulses;
    MT_TRY(mt_movers_reserve(world, s));
    MT_TRY(reserve_sums(world, w));
    mt_impulse_job job = mt_impulse_job_make(world, s);
    job.at_position.push = w->movers.push.data;
    job.at_position.turn = w->movers.turn.data;
    job.at_position.omega = world->settings.relaxation;
    job.at_position.mass_scaling = world->settings.mass_scaling;
    memset(job.at_position.push, 0, (w->movers.count + 1) * sizeof *job.at_position.push);
    memset(job.at_position.turn, 0, (w->movers.count + 1) * sizeof *job.at_position.turn);
    mt_movers_fill(&job);
    if (s->time.opens_step)
        MT_TRY(mt_contact_set_make(world, s));
    MT_TRY(mt_shape_contacts_make(world, s));
    stabilize(world, s, &job);
    job.position = s->particles.position;
    if (atomic_load(&w->bounces)) {
        mt_shape_contacts_look(&job, true);
        mt_rows_look(&job, world->kernels->impulse_look);
        mt_rows_bounce(&job);
    }
    job.at_position.cold = true;
    for (uint32_t i = 0; i < world->settings.iterations; i++) {
        job.position = s->particles.position;
        mt_joints_hold(&job, i == 0);
        mt_impulse_picks(&job, i == 0);
        mt_movers_go(&job);
        job.position = s->particles.predicted;
        iterate(&job);
        if (mt_iterations_are_over(world))
            break;
    }
    mt_joints_hold(&job, false);
    MT_TRY(mt_report_substep(&job));
    mt_movers_return(&job);
    return MOTE_OK;
}
