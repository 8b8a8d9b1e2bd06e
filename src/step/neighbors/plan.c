/* Lists are made at the start of a step and hold all who may touch in it. Slow particles share one skin. If some are
 * faster, each looks ahead as far as its motion beside those around it asks for (ahead.c), and the grid keeps them on a
 * level of their own so that they cost the others nothing. For liquids, and for solids that they may reach in
 * the meantime, speeds are taken beside one way that all share, because a column that falls as one needs no new lists.
 *
 * Liquids of the impulse solver ask their lists three times a substep, and what they sum does not depend on who else
 * is in them (fluid/whole_sums.h): each particle has the slack that its speed asks for over a few substeps, as many as
 * are cheapest for speeds as they are on the average. */
#include "step/neighbors/plan.h"

#include "base/vec.h"
#include "step/fluid/near.h"
#include "step/kernels.h"
#include "step/neighbors/wet.h"
#include "step/substep.h"
#include "world/check.h"

#include <string.h>

#define BLOCK_SLOTS (MT_BLOCK * MT_SLICE)
#define FORESIGHT   1.25f /* speeds may grow during the step */
#define LEAST_SLACK 0.1f  /* of liquids, in radii */
#define WET_SLACK   0.75f /* no more of it, or cells would be wide for the sake of a few */
#define PASSES      1.0f  /* what a substep's passes over lists of liquids cost, */
#define BUILD       1.4f  /* and what making them does */

typedef struct plan_job {
    mote_world *world;
    mt_list_plan plan;
} plan_job;

typedef struct block_motion {
    float sum[3], number, max_radius;
    bool sleepers; /* somebody is asleep */
} block_motion;

_Static_assert(sizeof(block_motion) <= MT_BLOCK_RECORD, "a block's record must hold it");
_Static_assert(sizeof(mt_block_speeds) <= MT_BLOCK_RECORD, "a block's record must hold it");

static block_motion *motions(const plan_job *job)
{
    return job->world->scratch->block_bounds.data;
}

static mt_block_speeds *speeds(const plan_job *job)
{
    return job->world->scratch->block_bounds.data;
}

static void sum_motion(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const plan_job *job = context;
    block_motion block = {.number = 0.0f};
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        mote_vec4 v = mt_velocities(job->world)[i];
        float radius = mt_positions(job->world)[i].w;
        block.max_radius = radius > block.max_radius ? radius : block.max_radius;
        block.sleepers = block.sleepers || mt_rest_times(job->world)[i] < 0;
        if (v.w == 0)
            continue;
        block.sum[0] += v.x;
        block.sum[1] += v.y;
        block.sum[2] += v.z;
        block.number += 1.0f;
    }
    motions(job)[begin / BLOCK_SLOTS] = block;
}

static void stretch(float *low, float *high, float by_low, float by_high)
{
    *low = by_low < *low ? by_low : *low;
    *high = by_high > *high ? by_high : *high;
}

static const mt_block_speeds nobody = {.low = {MT_FAR, MT_FAR, MT_FAR},
                                       .high = {-MT_FAR, -MT_FAR, -MT_FAR},
                                       .fast_low = {MT_FAR, MT_FAR, MT_FAR},
                                       .fast_high = {-MT_FAR, -MT_FAR, -MT_FAR}};

static void count_fast(const plan_job *job)
{
    mote_world *world = job->world;
    mt_ahead_job count = {.position = mt_positions(world),
                          .velocity = mt_velocities(world),
                          .count = world->particles.count,
                          .time = job->plan.time,
                          .drift = job->plan.drift,
                          .skin = job->plan.skin,
                          .blocks = speeds(job)};
    mt_parallel_for(&world->threads, mt_slice_count(count.count), MT_BLOCK, world->kernels->count_fast, &count);
}

static mt_block_speeds speeds_of_all(const plan_job *job, uint32_t blocks)
{
    mt_block_speeds all = nobody;
    for (uint32_t b = 0; b < blocks; b++) {
        const mt_block_speeds *block = &speeds(job)[b];
        all.fast[0] += block->fast[0];
        all.fast[1] += block->fast[1];
        all.square += block->square;
        all.fastest = block->fastest > all.fastest ? block->fastest : all.fastest;
        for (int axis = 0; axis < 3; axis++) {
            stretch(&all.low[axis], &all.high[axis], block->low[axis], block->high[axis]);
            stretch(&all.fast_low[axis], &all.fast_high[axis], block->fast_low[axis], block->fast_high[axis]);
        }
    }
    return all;
}

/* The mean velocity of those who can move. */
static mote_vec3 mean_velocity(const plan_job *job, uint32_t blocks, mt_motion *motion)
{
    double sum[3] = {0, 0, 0}, number = 0;
    for (uint32_t b = 0; b < blocks; b++) {
        const block_motion *block = &motions(job)[b];
        for (int axis = 0; axis < 3; axis++)
            sum[axis] += (double)block->sum[axis];
        number += (double)block->number;
        motion->max_radius = fmaxf(block->max_radius, motion->max_radius);
        motion->sleepers = motion->sleepers || block->sleepers;
    }
    motion->all_move = !motion->sleepers && number == (double)job->world->particles.count;
    if (number == 0)
        return (mote_vec3){0.0f, 0.0f, 0.0f};
    return (mote_vec3){(float)(sum[0] / number), (float)(sum[1] / number), (float)(sum[2] / number)};
}

mt_list_plan mt_plan_for_now(const mote_world *world)
{
    /* Cells are wide enough that particles of a slice share what they find around them, and if bodies are among
     * them, where most of that is their own body, wider. Liquids reach further for their size. */
    bool wet = mt_any_fluid(world), bodies = world->bodies.count > 0 && !mt_has_clusters(world);
    return (mt_list_plan){.margin = world->settings.contact_margin,
                          .cells = wet      ? 2.0f
                                   : bodies ? 5.0f
                                            : 3.0f,
                          .step = 0.5f,
                          .low = {-MT_FAR, -MT_FAR, -MT_FAR},
                          .high = {MT_FAR, MT_FAR, MT_FAR},
                          .least = wet ? 0.5f * MT_FLUID_REACH * world->radius : 0.0f};
}

/* For how long liquids had best look ahead, s. Lists with more slack are longer, and passes over them slower; the
 * substep before that in which they are made is in reach for nothing. */
static float wet_time(const plan_job *job, float h, const mt_block_speeds *all)
{
    const mote_world *world = job->world;
    float speed = sqrtf(all->square / (float)world->particles.count), least = INFINITY, time = h;
    for (uint32_t substeps = 1; substeps < world->settings.substeps; substeps++) {
        float ahead = (float)substeps * h, wider = 1.0f + 0.5f * FORESIGHT * ahead * speed / world->radius;
        float cost = wider * wider * wider * (PASSES + BUILD / (float)(substeps + 1));
        time = cost < least ? ahead : time;
        least = fminf(cost, least);
    }
    return FORESIGHT * time;
}

/* Where liquids are, and how fast the fastest of them is beside the way of all, m/s. */
typedef struct liquid_bounds {
    float low[3], high[3], fastest;
} liquid_bounds;

static liquid_bounds bounds_of_liquids(const mote_world *world, const mote_vec4 *where, mote_vec3 way)
{
    const mt_scratch_liquids *liquids = &world->scratch->liquids;
    const uint8_t *has_liquid = liquids->has_liquid.data;
    const uint32_t *material = mt_material_indices(world), count = world->particles.count;
    liquid_bounds b = {{MT_FAR, MT_FAR, MT_FAR}, {-MT_FAR, -MT_FAR, -MT_FAR}, 0.0f};
    for (uint32_t slice = liquids->first; slice < liquids->end; slice++)
        for (uint32_t i = slice * MT_SLICE; has_liquid[slice] && i < (slice + 1) * MT_SLICE && i < count; i++) {
            if (!world->materials[material[i]].fluid)
                continue;
            const float at[3] = {where[i].x, where[i].y, where[i].z};
            for (int axis = 0; axis < 3; axis++)
                stretch(&b.low[axis], &b.high[axis], at[axis], at[axis]);
            b.fastest = fmaxf(b.fastest, mt_length(mt_sub(mt_xyz(mt_velocities(world)[i]), way)));
        }
    return b;
}

/* What liquids may reach until these lists are over: with their slack, and some room for those that leave it, or lists
 * would be made anew for every drop that flies off. */
static void bound_liquids(plan_job *job, const mote_vec4 *where, float time, float max_radius)
{
    mt_list_plan *plan = &job->plan;
    liquid_bounds b = bounds_of_liquids(job->world, where, plan->way);
    float slack = fmaxf(fminf(plan->wet_time * b.fastest, plan->most), plan->skin * job->world->radius);
    plan->around = plan->least + fmaxf(plan->least, plan->margin * max_radius);
    float more = slack + plan->around + 2.0f * plan->least + time * b.fastest;
    for (int axis = 0; axis < 3; axis++) {
        plan->low[axis] = b.low[axis] - more;
        plan->high[axis] = b.high[axis] + more;
    }
}

/* `way`: the mean velocity, or rest. */
static void plan_wet(plan_job *job, const mote_vec4 *where, float h, float time, const mt_block_speeds *all,
                     const mt_motion *motion, mote_vec3 way, bool at_start)
{
    mt_list_plan *plan = &job->plan;
    plan->wet_time = wet_time(job, h, all);
    plan->way = way;
    if (at_start)
        plan->wet_time = fminf(plan->wet_time, 2.0f * time);
    else {
        plan->skin = LEAST_SLACK;
        plan->time = plan->wet_time;
        plan->drift = way;
        plan->most = WET_SLACK * job->world->radius;
    }
    bound_liquids(job, where, time, motion->max_radius);
    if (plan->looks_ahead) {
        mt_wet_job wet = {.world = job->world, .plan = plan, .where = mt_positions(job->world), .time = time};
        mt_parallel_for(&job->world->threads, mt_slice_count(job->world->particles.count), MT_BLOCK,
                        job->world->kernels->wet_ahead, &wet);
    }
}

/* Who may touch whom is found once a step, for each by its own speed. */
static mote_result plan_step(plan_job *job, float time, const mt_block_speeds *all, mt_motion *motion)
{
    mt_list_plan *plan = &job->plan;
    plan->most = MT_LOOK_AHEAD * job->world->radius;
    plan->drift = (mote_vec3){0.0f, 0.0f, 0.0f};
    plan->time = 0;
    if (all->fast[0] == 0)
        return MOTE_OK;
    motion->fastest = sqrtf(all->fastest);
    memcpy(motion->fast_low, all->fast_low, sizeof motion->fast_low);
    memcpy(motion->fast_high, all->fast_high, sizeof motion->fast_high);
    plan->time = 1.0f;
    plan->looks_ahead = true;
    return mt_look_ahead(job->world, time, motion);
}

/* Liquids alone have lists that follow the flow. */
static mote_result plan_flow(plan_job *job, const mote_vec4 *where, float h, float time,
                             const mt_block_speeds *all, mt_motion *motion, bool at_start)
{
    mt_list_plan *plan = &job->plan;
    plan->drift = (mote_vec3){0.0f, 0.0f, 0.0f};
    plan->skin = 0;
    plan->time = 1.0f;
    plan->most = MT_FAR;
    plan->looks_ahead = plan->follows = true;
    job->world->scratch->search.plan = *plan;
    motion->fastest = sqrtf(all->fastest);
    memcpy(motion->low, all->low, sizeof motion->low);
    memcpy(motion->high, all->high, sizeof motion->high);
    return mt_follow_flow(job->world, where, h, time, motion, at_start && where == mt_positions(job->world));
}

mote_result mt_plan_lists(mote_world *world, const mote_vec4 *where, float h, float time, bool at_start)
{
    mt_list_plan *plan = &world->scratch->search.plan;
    uint32_t count = world->particles.count, blocks = (count + BLOCK_SLOTS - 1) / BLOCK_SLOTS;
    plan_job job = {world, mt_plan_for_now(world)};
    const bool wet = mt_any_fluid(world);
    *plan = job.plan;
    if (time <= 0 && !wet)
        return MOTE_OK;
    job.plan.skin = 0.5f * world->settings.neighbor_skin;
    mt_parallel_for(&world->threads, count, BLOCK_SLOTS, sum_motion, &job);
    mt_motion motion = {.max_radius = 0.0f};
    job.plan.drift = mean_velocity(&job, blocks, &motion);
    job.plan.all_move = motion.all_move;
    job.plan.time = at_start && motion.sleepers ? 2.0f * time : time; /* see mt_look_ahead */
    count_fast(&job);
    mt_block_speeds all = speeds_of_all(&job, blocks);
    if (wet && world->scratch->liquids.pure)
        return plan_flow(&job, where, h, time, &all, &motion, at_start);
    mote_vec3 way = all.fast[1] <= all.fast[0] ? (mote_vec3){0.0f, 0.0f, 0.0f} : job.plan.drift;
    if (at_start)
        MT_TRY(plan_step(&job, time, &all, &motion));
    if (wet)
        plan_wet(&job, where, h, time, &all, &motion, way, at_start);
    *plan = job.plan;
    return MOTE_OK;
}

/* The drift is where the plan's mean velocity and gravity take a free particle. */
bool mt_lists_reach(mote_world *world, mt_substep *s, const mote_vec4 *where, float time)
{
    const mt_list_plan *plan = &world->scratch->search.grid.plan;
    float age = time - world->scratch->search.time;
    s->lists.asked = where;
    s->lists.flow = plan->follows ? world->scratch->search.flow.drift.data : NULL;
    s->lists.age = age;
    if (!mt_lists_last(world, time))
        return false;
    s->lists.left = world->scratch->search.stale.left.data;
    s->lists.drift = mt_scale(plan->way, age);
    if (mt_dot(plan->way, plan->way) > 0)
        s->lists.drift = mt_add(s->lists.drift, mt_scale(world->settings.gravity, 0.5f * age * (age + s->h)));
    mt_mark_assemblies_asked(s);
    mt_parallel_for(&world->threads, s->slices, MT_BLOCK, world->kernels->displaced, s);
    return mt_first_marked(s) == UINT32_MAX;
}
