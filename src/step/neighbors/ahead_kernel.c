/* How fast particles are, and how far they look ahead: the passes of plan.c and ahead.c over all of them. */
#include "base/lanes3.h"
#include "step/kernels.h"
#include "step/neighbors/cells.h"
#include "step/neighbors/plan.h"

/* Lanes that are particles; the rest of the last slice is padding. */
LANE_FUNCTION lane_mask real_lanes(uint32_t first, uint32_t count)
{
    return count - first >= LANES ? lanes_of_bits(0xFFu) : lanes_of_bits((1u << (count - first)) - 1u);
}

/* ---- how fast ------------------------------------------------------------------------------------------ */

void MT_KERNEL(count_fast)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_ahead_job *job = context;
    const lanes far_away = lanes_all(MT_FAR), time = lanes_all(job->time * job->time);
    lanes low[3] = {far_away, far_away, far_away}, high[3] = {-far_away, -far_away, -far_away};
    lanes sum = lanes_all(0.0f), fastest = sum;
    lanes fast_low[3] = {far_away, far_away, far_away}, fast_high[3] = {-far_away, -far_away, -far_away};
    mt_block_speeds block = {.square = 0.0f};
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        const uint32_t i = slice * LANES;
        lane_mask real = real_lanes(i, job->count);
        lanes4 v = lanes_load4(job->velocity + i), x = lanes_load4(job->position + i);
        lanes3 own = {v.x, v.y, v.z}, beside = lanes3_sub(own, lanes3_all(job->drift));
        lanes skin = lanes_all(job->skin) * x.w, square = lanes_keep(real, lanes3_dot(beside, beside));
        lane_mask fast = lanes_above(square * time, skin * skin) & real;
        lane_mask faster = lanes_above(lanes3_dot(own, own) * time, skin * skin) & real;
        block.fast[0] += (uint32_t)__builtin_popcount(lanes_bits(fast));
        block.fast[1] += (uint32_t)__builtin_popcount(lanes_bits(faster));
        sum += square;
        fastest = lanes_max(fastest, square);
        const lanes at[3] = {x.x, x.y, x.z};
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = lanes_min(low[axis], lanes_select(real, at[axis], far_away));
            high[axis] = lanes_max(high[axis], lanes_select(real, at[axis], -far_away));
        }
        for (int axis = 0; axis < 3 && lanes_bits(fast) != 0; axis++) {
            fast_low[axis] = lanes_min(fast_low[axis], lanes_select(fast, at[axis], far_away));
            fast_high[axis] = lanes_max(fast_high[axis], lanes_select(fast, at[axis], -far_away));
        }
    }
    block.square = lanes_sum(sum);
    block.fastest = lanes_largest(fastest);
    for (int axis = 0; axis < 3; axis++) {
        block.low[axis] = lanes_least(low[axis]);
        block.high[axis] = lanes_largest(high[axis]);
        block.fast_low[axis] = lanes_least(fast_low[axis]);
        block.fast_high[axis] = lanes_largest(fast_high[axis]);
    }
    job->blocks[begin / MT_BLOCK] = block;
}

/* ---- how far ahead ------------------------------------------------------------------------------------- */

/* As mt_cell_coordinate and mt_wrap. */
LANE_FUNCTION lane_index wrapped(lanes x, float inverse_cell, uint32_t bits)
{
    lanes cell =
        lanes_min(lanes_max(x * lanes_all(inverse_cell), lanes_all(-MT_CELL_LIMIT)), lanes_all(MT_CELL_LIMIT));
    lane_mask whole = __builtin_convertvector(cell, lane_mask);
    whole += lanes_below(cell, __builtin_convertvector(whole, lanes));
    return (lane_index)whole & lanes_all_index((1u << bits) - 1u);
}

/* Whether somebody in a slice may meet somebody fast. */
LANE_FUNCTION bool is_inside(const mt_ahead_job *job, lanes4 x, lane_mask real)
{
    const lanes at[3] = {x.x, x.y, x.z};
    for (int axis = 0; axis < 3; axis++)
        real &= lanes_at_most(lanes_all(job->low[axis]), at[axis]) &
                lanes_at_most(at[axis], lanes_all(job->high[axis]));
    return lanes_bits(real) != 0;
}

/* Those outside look no further than their skin. */
void MT_KERNEL(ahead_inside)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_ahead_job *job = context;
    const lane_mask fourth = {0, 0, 0, -1, 0, 0, 0, -1};
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        const uint32_t i = slice * LANES;
        bool inside = is_inside(job, lanes_load4(job->position + i), real_lanes(i, job->count));
        job->cell[i] = inside ? 0 : MT_NO_CELL;
        for (uint32_t two = i; !inside && two < i + LANES; two += 2)
            lanes_store(&job->ahead[two].x, lanes_keep(fourth, lanes_load(&job->velocity[two].x)));
    }
}

/* The cells that particles are in. */
void MT_KERNEL(ahead_cells)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_ahead_job *job = context;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        const uint32_t i = slice * LANES;
        if (job->cell[i] == MT_NO_CELL)
            continue;
        lanes4 x = lanes_load4(job->position + i);
        lane_index cell = wrapped(x.x, job->inverse_cell, job->bits[0]) |
                          wrapped(x.y, job->inverse_cell, job->bits[1]) << lanes_all_index(job->bits[0]) |
                          wrapped(x.z, job->inverse_cell, job->bits[2])
                              << lanes_all_index(job->bits[0] + job->bits[1]);
        lanes_store_index(job->cell + i, cell);
    }
}

void MT_KERNEL(look_ahead)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_ahead_job *job = context;
    const lanes zero = lanes_all(0.0f);
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        const uint32_t i = slice * LANES, *cell = job->cell + i;
        if (*cell == MT_NO_CELL)
            continue;
        lanes4 v = lanes_load4(job->velocity + i), drift = lanes_gather(job->drifts, cell);
        lanes4 around = lanes_gather(job->around, cell);
        lanes3 beside = {v.x - drift.x, v.y - drift.y, v.z - drift.z};
        lanes time =
            lanes_select(lanes_above(around.w, zero), lanes_all(2.0f * job->time), lanes_all(job->time));
        lanes way = time * (lanes3_length(beside) + drift.w);
        lane_mask real = real_lanes(i, job->count);
        lanes_store4(job->ahead + i, (lanes4){lanes_keep(real, way), zero, zero, lanes_keep(real, v.w)});
    }
}
