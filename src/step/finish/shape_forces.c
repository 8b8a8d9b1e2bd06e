/* Shape forces: what contacts gave the shapes, added up over a step. */
#include "base/vec.h"
#include "step/impulse/impulse.h"
#include "step/substep.h"

#include <string.h>

static void sum_row(double push[3], mt_shape_row *row, uint32_t lane, double scale)
{
    push[0] += scale * (double)row->push_x[lane];
    push[1] += scale * (double)row->push_y[lane];
    push[2] += scale * (double)row->push_z[lane];
    row->push_x[lane] = row->push_y[lane] = row->push_z[lane] = 0.0f;
}

/* Which contacts gave anything: by the bits, all of which but the sign are 0 in 0. False: none of them did. */
static bool have_pushed(const mt_shape_row *row, uint32_t pushed[MT_SLICE])
{
    uint32_t x[MT_SLICE], y[MT_SLICE], z[MT_SLICE], any = 0;
    memcpy(x, row->push_x, sizeof x);
    memcpy(y, row->push_y, sizeof y);
    memcpy(z, row->push_z, sizeof z);
    for (uint32_t lane = 0; lane < MT_SLICE; lane++) {
        pushed[lane] = (x[lane] | y[lane] | z[lane]) << 1;
        any |= pushed[lane];
    }
    return any != 0;
}

/* What the contacts of a block gave the shape that the first of them pushed. */
typedef struct block_push {
    double push[3];
    uint32_t shape; /* NO_SHAPE: none */
    bool more;      /* others pushed other shapes, and are not yet summed */
} block_push;

#define NO_SHAPE UINT32_MAX

typedef struct push_job {
    mote_world *world;
    mt_substep *s;
    mt_range_task *then; /* comes after the sum of a block; NULL: nothing does */
    block_push *blocks;
} push_job;

/* Adds up the pushes of a block: those of one shape, and (`all`) whatever is left. */
static void sum_slices(const push_job *job, uint32_t begin, uint32_t end, block_push *block, bool all)
{
    const mt_substep *s = job->s;
    double(*push)[3] = job->world->scratch->shapes.push.data;
    double scale = (double)s->inverse_h * (double)s->inverse_h;
    for (uint32_t slice = begin; slice < end; slice++) {
        for (uint32_t k = 0; k < s->shapes.length[slice]; k++) {
            mt_shape_row *row = &s->shapes.rows[s->shapes.start[slice] + k];
            uint32_t pushed[MT_SLICE], lanes = have_pushed(row, pushed) ? MT_SLICE : 0;
            for (uint32_t lane = 0; lane < lanes; lane++) {
                if (pushed[lane] == 0)
                    continue;
                uint32_t shape = row->shape[lane];
                if (block->shape == NO_SHAPE)
                    block->shape = shape;
                if (!all && shape != block->shape)
                    block->more = true;
                else
                    sum_row(all ? push[shape] : block->push, row, lane, scale);
            }
        }
    }
}

static void sum_block(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const push_job *job = context;
    block_push *block = &job->blocks[begin / MT_BLOCK];
    *block = (block_push){{0.0, 0.0, 0.0}, NO_SHAPE, false};
    if (job->then != NULL) /* else that was before */
        mt_shape_contacts_give(job->world, job->s, begin, end);
    sum_slices(job, begin, end, block, false);
    if (job->then != NULL && !block->more)
        job->then(job->s, begin, end, worker);
}

static void finish_block(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const push_job *job = context;
    if (job->blocks[begin / MT_BLOCK].more)
        job->then(job->s, begin, end, worker);
}

/* What blocks gave, in their order; answers whether there were blocks that had more than one shape's. */
static bool sum_blocks(const push_job *job)
{
    double(*push)[3] = job->world->scratch->shapes.push.data;
    uint32_t slices = job->s->slices;
    bool more = false;
    for (uint32_t begin = 0; begin < slices; begin += MT_BLOCK) {
        block_push *block = &job->blocks[begin / MT_BLOCK];
        for (int axis = 0; axis < 3 && block->shape != NO_SHAPE; axis++)
            push[block->shape][axis] += block->push[axis];
        if (block->more)
            sum_slices(job, begin, slices - begin < MT_BLOCK ? slices : begin + MT_BLOCK, block, true);
        more |= block->more;
    }
    return more;
}

/* What blocks gave one shape, which is all for most, is summed side by side; then all in their order. With what comes
 * after a block, contacts tell what they gave; without, it is only what was given since. */
void mt_sum_shape_pushes(mote_world *world, mt_substep *s, mt_range_task *then)
{
    push_job job = {world, s, then, world->scratch->block_bounds.data};
    _Static_assert(sizeof(block_push) <= MT_BLOCK_RECORD, "a block's sum fits into its record");
    if (world->shapes.count == 0) {
        if (then != NULL)
            mt_parallel_for(&world->threads, s->slices, MT_BLOCK, then, s);
        return;
    }
    mt_parallel_for(&world->threads, s->slices, MT_BLOCK, sum_block, &job);
    if (sum_blocks(&job) && then != NULL)
        mt_parallel_for(&world->threads, s->slices, MT_BLOCK, finish_block, &job);
}

/* Where the last substep left it. */
static void move_on(mt_shape *shape, float dt)
{
    bool turns = shape->has_target || mt_dot(shape->spin, shape->spin) > 0;
    shape->offset += mt_dot(shape->normal, shape->velocity) * dt;
    shape->pose = mt_shape_pose(shape, 1.0f, dt);
    shape->has_target = 0;
    shape->target = (mt_pose){{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 0.0f}};
    if (shape->form.type == MOTE_SHAPE_PLANE && turns) {
        shape->normal = mt_frame_of(shape->pose).y;
        shape->offset = mt_dot(shape->normal, shape->pose.position);
    }
}

void mt_shapes_commit(mote_world *world, float dt)
{
    const double(*push)[3] = (const double(*)[3])world->scratch->shapes.push.data;
    double share = -1.0 / (double)world->settings.substeps;
    for (uint32_t i = 0; i < world->shapes.count; i++) {
        mt_shape *shape = &mt_shapes(world)[i];
        shape->force =
            (mote_vec3){(float)(push[i][0] * share), (float)(push[i][1] * share), (float)(push[i][2] * share)};
        if (shape->kinematic)
            move_on(shape, dt);
    }
}
