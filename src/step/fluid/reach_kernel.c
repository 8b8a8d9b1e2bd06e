/* The neighbours that liquids ask for: who of a list is in reach where the substep begins. Lists reach further,
 * by a slack that follows from the speeds of all, and are made anew when anybody has left it; who is in reach is
 * the same for all of that, and as in a list without slack. Pairs of solids do not count. What stays keeps its
 * order. */
#include "base/simd.h"
#include "step/kernels.h"

/* As lanes_reach of a particle without slack. */
LANE_FUNCTION lanes sure_reach(const mt_list_plan *plan, lanes radius)
{
    return lanes_max(radius * lanes_all(plan->margin), lanes_all(plan->least));
}

/* All are written and the lengths decide what stays, as in contacts_kernel.c. */
LANE_FUNCTION void append(uint32_t *rows, uint32_t length[LANES], const uint32_t *index, uint32_t bits)
{
    if (bits == 0)
        return;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        rows[length[lane] * LANES + lane] = index[lane];
        length[lane] += (bits >> lane) & 1u;
    }
}

LANE_FUNCTION uint32_t fill_up(uint32_t *rows, const uint32_t length[LANES], uint32_t dummy)
{
    uint32_t longest = 0;
    for (uint32_t lane = 0; lane < LANES; lane++)
        longest = length[lane] > longest ? length[lane] : longest;
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t k = length[lane]; k < longest; k++)
            rows[k * LANES + lane] = dummy;
    return longest;
}

LANE_LOOP uint32_t pick_slice(const mt_substep *s, const mt_list_plan *plan, uint32_t slice, const bool pure)
{
    uint32_t i = slice * LANES, first = ((const uint32_t *)s->lists->start.data)[slice];
    uint32_t count = ((const uint32_t *)s->lists->length.data)[slice], length[LANES] = {0};
    const uint32_t *index = (const uint32_t *)s->lists->rows.data + (size_t)first * LANES;
    uint32_t *picked = (uint32_t *)s->lists->wet.data + (size_t)first * LANES;
    lanes4 x = lanes_load4(s->predicted + i);
    lanes reach = sure_reach(plan, x.w), zero = lanes_all(0.0f);
    lane_mask liquid = lanes_above(lanes_load4(s->wet + i).z, zero);
    for (uint32_t k = 0; k < count; k++, index += LANES) {
        lanes4 other = lanes_gather(s->predicted, index);
        lanes dx = x.x - other.x, dy = x.y - other.y, dz = x.z - other.z;
        lanes within = reach + sure_reach(plan, other.w);
        lane_mask near = lanes_below(dx * dx + dy * dy + dz * dz, within * within);
        if (!pure)
            near &= liquid | lanes_above(lanes_gather(s->wet, index).z, zero);
        append(picked, length, index, lanes_bits(near));
    }
    return fill_up(picked, length, s->dummy);
}

void MT_KERNEL(fluid_pick)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    const mt_list_plan *plan = s->list_plan;
    uint32_t *length = s->lists->wet_length.data;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++)
        length[slice] = s->fluid.pure ? pick_slice(s, plan, slice, true) : pick_slice(s, plan, slice, false);
}
