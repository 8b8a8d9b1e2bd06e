#include "step/fluid/near.h"

#include "step/bodies/bodies.h"

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
    box liquids;
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
        if (job->s->wet[i].z > 0)
            take_in(&b, at, at);
    }
    return b;
}

static void find_liquids(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const near_job *job = context;
    box b = NOWHERE;
    (void)worker;
    const uint8_t *liquids = job->world->scratch->has_liquid.data;
    for (uint32_t slice = begin; slice < end; slice++) {
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
        reached.low[axis] -= MORE * job->s->fluid.support;
        reached.high[axis] += MORE * job->s->fluid.support;
    }
    for (uint32_t slice = begin; slice < end; slice++) {
        bool near = job->again && job->s->near_liquid[slice] != 0;
        for (uint32_t i = slice * MT_SLICE; !near && i < (slice + 1) * MT_SLICE; i++)
            near = i < job->s->count && is_in(&reached, job->where[i]);
        job->s->near_liquid[slice] = near;
    }
}

static bool is_row_near(const mt_substep *s, const mt_body_row *row)
{
    if (row->whole)
        return s->near_liquid[row->first / MT_SLICE] != 0;
    bool near = false;
    for (uint32_t k = 0; k < row->count; k++)
        near = near || s->near_liquid[row->rest->slot[k] / MT_SLICE] != 0;
    return near;
}

static bool is_body_near(const mt_substep *s, const mt_body_work *w)
{
    const mt_body_row *row = (const mt_body_row *)s->bodies->rows.data + w->first_row;
    const mt_body_share *share = (const mt_body_share *)s->bodies->shares.data + w->first_share;
    bool near = false;
    for (uint32_t k = 0; !near && k < w->rows; k++)
        near = is_row_near(s, &row[k]);
    for (uint32_t k = 0; !near && k < w->shares; k++)
        near = s->near_liquid[mt_shared_places(s->bodies)[share[k].place].slot / MT_SLICE] != 0;
    return near;
}

static void mark_assemblies(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const near_job *job = context;
    const mt_substep *s = job->s;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        mt_assembly *a = (mt_assembly *)s->bodies->assemblies.data + k;
        a->wet = false;
        for (uint32_t i = a->first_body; !a->wet && i < a->first_body + a->bodies; i++)
            a->wet = is_body_near(s, &mt_body_works(s->bodies)[i]);
    }
}

void mt_mark_near_liquids(mote_world *world, mt_substep *s, const mote_vec4 *where, bool again)
{
    near_job job = {world, s, where, again, NOWHERE};
    if (s->fluid.pure) {
        memset(s->near_liquid, 1, s->slices);
        return; /* and there are no bodies */
    }
    mt_parallel_for(&world->threads, s->slices, MT_BLOCK, find_liquids, &job);
    const box *blocks = world->scratch->block_bounds.data;
    for (uint32_t k = 0; k < mt_block_count(s->slices); k++)
        take_in(&job.liquids, blocks[k].low, blocks[k].high);
    mt_parallel_for(&world->threads, s->slices, MT_BLOCK, mark_slices, &job);
    if (s->bodies->assembly_count > 0)
        mt_parallel_for(&world->threads, s->bodies->assembly_count, BLOCK_ASSEMBLIES, mark_assemblies, &job);
}
