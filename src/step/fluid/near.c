#include "step/fluid/near.h"

#include "base/vec.h"
#include "step/bodies/bodies.h"
#include "step/kernels.h"

#include <string.h>

#define BLOCK_ASSEMBLIES 64u
#define MORE             1.001f /* for what is lost in rounding */

typedef struct box {
    float low[3], high[3];
} box;

_Static_assert(sizeof(box) <= MT_BLOCK_RECORD, "a block's record must hold it");

typedef struct near_job {
    mote_world *world;
    const mt_substep *s;
    const mote_vec4 *where;
    bool again;
    uint32_t first; /* of the slices that are marked */
    box liquids;    /* around all of them */
    float within;   /* m: so near to it liquids may reach a body, beside what this goes in the substep */
    _Atomic bool
        changes; /* there is an assembly near whose particles have not been asked for their velocities */
} near_job;

static const box NOWHERE = {{MT_FAR, MT_FAR, MT_FAR}, {-MT_FAR, -MT_FAR, -MT_FAR}};

static void take_in(box *b, const float low[3], const float high[3])
{
    for (int axis = 0; axis < 3; axis++) {
        b->low[axis] = low[axis] < b->low[axis] ? low[axis] : b->low[axis];
        b->high[axis] = high[axis] > b->high[axis] ? high[axis] : b->high[axis];
    }
}

/* The box of a slice's liquids. */
static box box_of_liquids(const near_job *job, uint32_t slice)
{
    box b = NOWHERE;
    uint32_t end = (slice + 1) * MT_SLICE < job->s->count ? (slice + 1) * MT_SLICE : job->s->count;
    for (uint32_t i = slice * MT_SLICE; i < end; i++) {
        const float at[3] = {job->where[i].x, job->where[i].y, job->where[i].z};
        if (job->s->liquids.wet[i].z > 0)
            take_in(&b, at, at);
    }
    return b;
}

static void find_liquids(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const near_job *job = context;
    box b = NOWHERE;
    (void)worker;
    const uint8_t *liquids = job->world->scratch->liquids.has_liquid.data;
    const uint32_t first = job->world->scratch->liquids.first;
    for (uint32_t slice = first + begin; slice < first + end; slice++) {
        if (!liquids[slice])
            continue;
        box own = box_of_liquids(job, slice);
        take_in(&b, own.low, own.high);
    }
    ((box *)job->world->scratch->block_bounds.data)[begin / MT_BLOCK] = b;
}

static bool is_in(const box *b, mote_vec4 x)
{
    return x.x >= b->low[0] && x.x <= b->high[0] && x.y >= b->low[1] && x.y <= b->high[1] && x.z >= b->low[2] &&
           x.z <= b->high[2];
}

static void mark_slices(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const near_job *job = context;
    box reached = job->liquids;
    (void)worker;
    for (int axis = 0; axis < 3; axis++) {
        reached.low[axis] -= MORE * job->s->liquids.fluid.support;
        reached.high[axis] += MORE * job->s->liquids.fluid.support;
    }
    for (uint32_t slice = job->first + begin; slice < job->first + end; slice++) {
        bool near = job->again && job->s->liquids.near_liquid[slice] != 0;
        for (uint32_t i = slice * MT_SLICE; !near && i < (slice + 1) * MT_SLICE; i++)
            near = i < job->s->count && is_in(&reached, job->where[i]);
        job->s->liquids.near_liquid[slice] = near;
    }
}

static bool is_row_near(const mt_substep *s, const mt_body_row *row)
{
    if (row->whole)
        return s->liquids.near_liquid[row->first / MT_SLICE] != 0;
    bool near = false;
    for (uint32_t k = 0; k < row->count; k++)
        near = near || s->liquids.near_liquid[row->rest->slot[k] / MT_SLICE] != 0;
    return near;
}

static bool is_body_near(const mt_substep *s, const mt_body_work *w)
{
    const mt_body_row *row = (const mt_body_row *)s->bodies.plan->rows.data + w->first_row;
    const mt_body_share *share = (const mt_body_share *)s->bodies.plan->shares.data + w->first_share;
    bool near = false;
    for (uint32_t k = 0; !near && k < w->rows; k++)
        near = is_row_near(s, &row[k]);
    for (uint32_t k = 0; !near && k < w->shares; k++)
        near = s->liquids.near_liquid[mt_shared_places(s->bodies.plan)[share[k].place].slot / MT_SLICE] != 0;
    return near;
}

static void mark_assemblies(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const near_job *job = context;
    const mt_substep *s = job->s;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        mt_assembly *a = (mt_assembly *)s->bodies.plan->assemblies.data + k;
        a->wet = false;
        for (uint32_t i = a->first_body; a->near && !a->wet && i < a->first_body + a->bodies; i++)
            a->wet = is_body_near(s, &mt_body_works(s->bodies.plan)[i]);
    }
}

static void find_box(mote_world *world, near_job *job)
{
    uint32_t slices = world->scratch->liquids.end - world->scratch->liquids.first;
    mt_parallel_for(&world->threads, slices, MT_BLOCK, find_liquids, job);
    const box *blocks = world->scratch->block_bounds.data;
    for (uint32_t k = 0; k < mt_block_count(slices); k++)
        take_in(&job->liquids, blocks[k].low, blocks[k].high);
}

void mt_mark_near_liquids(mote_world *world, mt_substep *s, const mote_vec4 *where, bool again)
{
    near_job job = {.world = world, .s = s, .where = where, .again = again, .liquids = NOWHERE};
    if (s->liquids.fluid.pure) {
        memset(s->liquids.near_liquid, 1, s->slices);
        return; /* and there are no bodies */
    }
    find_box(world, &job);
    job.first = s->lists.made->first_wet;
    mt_parallel_for(&world->threads, s->lists.made->end_wet - job.first, MT_BLOCK, mark_slices, &job);
    if (s->bodies.plan->assembly_count > 0)
        mt_parallel_for(&world->threads, s->bodies.plan->assembly_count, BLOCK_ASSEMBLIES, mark_assemblies,
                        &job);
}

/* ---- lists ---------------------------------------------------------------------------------------------- */

static void mark_body(const mt_substep *s, const mt_body_work *w, uint8_t *marks)
{
    const mt_body_row *row = (const mt_body_row *)s->bodies.plan->rows.data + w->first_row;
    const mt_body_share *share = (const mt_body_share *)s->bodies.plan->shares.data + w->first_share;
    for (uint32_t k = 0; k < w->rows; k++)
        for (uint32_t n = 0; n < (row[k].whole ? 1u : row[k].count); n++)
            marks[(row[k].whole ? row[k].first : row[k].rest->slot[n]) / MT_SLICE] = 1;
    for (uint32_t k = 0; k < w->shares; k++)
        marks[mt_shared_places(s->bodies.plan)[share[k].place].slot / MT_SLICE] = 1;
}

void mt_mark_assemblies_asked(const mt_substep *s)
{
    const mt_assembly *a = s->bodies.plan->assemblies.data, *const end = a + s->bodies.plan->assembly_count;
    for (; a < end; a++)
        for (uint32_t i = a->first_body; a->near && i < a->first_body + a->bodies; i++)
            mark_body(s, &mt_body_works(s->bodies.plan)[i], s->lists.asks);
}

/* ---- before anything moves ------------------------------------------------------------------------------ */

/* How far a place is from the box along the axis where that is most. */
static float way_to(const box *b, mote_vec3 x)
{
    const float at[3] = {x.x, x.y, x.z};
    float way = -MT_FAR;
    for (int axis = 0; axis < 3; axis++) {
        way = b->low[axis] - at[axis] > way ? b->low[axis] - at[axis] : way;
        way = at[axis] - b->high[axis] > way ? at[axis] - b->high[axis] : way;
    }
    return way;
}

/* What is far by itself is not asked how fast it is. A driven body goes wherever it is to go. */
static bool may_reach(const near_job *job, const mt_body_work *w)
{
    float way = way_to(&job->liquids, w->pose.position) - w->size - job->within, h = job->s->h;
    return !(way > 0) || w->driven || !(way * way > h * h * mt_dot(w->velocity, w->velocity));
}

static void find_near(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    near_job *job = context;
    const mt_substep *s = job->s;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        mt_assembly *a = (mt_assembly *)s->bodies.plan->assemblies.data + k;
        a->near = false;
        for (uint32_t i = a->first_body; !a->near && i < a->first_body + a->bodies; i++)
            a->near = may_reach(job, &mt_body_works(s->bodies.plan)[i]);
        if (a->near && !a->current &&
            !s->time.opens_step) /* then they were made by the step before, or given since */
            atomic_store_explicit(&job->changes, true, memory_order_relaxed);
    }
}

static float fastest_liquid(const near_job *job)
{
    const mt_scratch_liquids *all = &job->world->scratch->liquids;
    const uint8_t *liquids = all->has_liquid.data;
    float most = 0.0f;
    for (uint32_t slice = all->first; slice < all->end; slice++)
        for (uint32_t i = slice * MT_SLICE; liquids[slice] && i < (slice + 1) * MT_SLICE; i++)
            if (i < job->s->count && job->s->liquids.wet[i].z > 0)
                most = fmaxf(most, mt_length(mt_xyz(job->s->particles.velocity[i])));
    return most;
}

/* How far both go by gravity, and what liquids are moved by pressures. */
#define MOST_MOVES 4.0f /* radii an iteration */

void mt_find_near_liquids(mote_world *world, mt_substep *s)
{
    near_job job = {.world = world, .s = s, .where = mt_positions(world), .liquids = NOWHERE};
    uint32_t assemblies = s->bodies.plan->assembly_count;
    if (!s->liquids.fluid.any || s->liquids.fluid.pure || assemblies == 0)
        return;
    find_box(world, &job);
    job.within = MORE * s->liquids.fluid.support + s->h * fastest_liquid(&job) +
                 2.0f * s->h * s->h * mt_length(world->settings.gravity) +
                 MOST_MOVES * world->radius * (float)(world->settings.iterations + 1);
    mt_parallel_for(&world->threads, assemblies, BLOCK_ASSEMBLIES, find_near, &job);
    s->particles.settled = mt_velocities(world);
    if (atomic_load(&job.changes))
        mt_bodies_run(world, s, world->kernels->bodies_add);
}
