/* Solids and liquids in the same lists: how far each looks, and how far it may go until its list is not good any more. */
#include "step/kernels.h"
#include "step/neighbors/plan.h"
#include "step/neighbors/reach.h"
#include "step/neighbors/wet.h"

/* As mt_way_to_liquids is of each; answers the bits of those who look for liquids. */
LANE_FUNCTION uint32_t seekers_of(const mt_list_plan *plan, lanes4 x)
{
    return lanes_bits(look_for_liquids(plan, x));
}

/* In the lists of a step's start liquids are as they would be in others, and solids that they may reach look as far as
 * they go beside the way of all: lists are held against where particles have gone. */
void MT_KERNEL(wet_ahead)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_wet_job *job = context;
    const mote_world *world = job->world;
    const mt_list_plan *plan = job->plan;
    mote_vec4 *ahead = world->scratch->search.ahead.data;
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++)
        for (uint32_t rest = seekers_of(plan, lanes_load4(job->where + slice * LANES)); rest != 0;
             rest &= rest - 1) {
            uint32_t i = slice * LANES + (uint32_t)__builtin_ctz(rest);
            if (i >= world->particles.count)
                break;
            bool liquid = world->materials[mt_material_indices(world)[i]].fluid;
            float speed = mt_length(mt_sub(mt_xyz(mt_velocities(world)[i]), plan->way)),
                  own = mt_length(mt_xyz(ahead[i])), way = (liquid ? plan->wet_time : 2.0f * job->time) * speed;
            ahead[i] = (mote_vec4){liquid || way > own ? way : own, 0.0f, 0.0f, ahead[i].w};
        }
}

/* While liquids do not reach it a particle may go as far as to where they might; and passes over liquids leave it alone:
 * here it is left as it stays for them. */
LANE_FUNCTION void note_slice(const mt_wet_job *job, uint32_t slice, uint32_t near, lanes4 x)
{
    const mote_world *world = job->world;
    mt_scratch *s = world->scratch;
    const mt_list_plan *plan = job->plan;
    const uint32_t i = slice * LANES;
    mote_vec4 *built_at = s->search.lists.built_at.data;
    if (!job->again) {
        const lanes zero = lanes_all(0.0f);
        lanes_store4((mote_vec4 *)s->liquids.dense.data + i, (lanes4){x.x, x.y, x.z, zero});
        lanes_store4((mote_vec4 *)s->liquids.shift.data + i, (lanes4){zero, zero, zero, zero});
        lanes_store((float *)s->liquids.lift.data + i, zero);
    }
    lanes radius = x.w;
    x.w = lanes_all(MT_SURE_SLACK) * way_to_liquids(plan, x);
    for (uint32_t rest = near; rest != 0; rest &= rest - 1) {
        uint32_t n = (uint32_t)__builtin_ctz(rest);
        float slack = plan->follows ? ((const mote_vec4 *)s->search.flow.drift.data)[i + n].w
                                    : mt_slack(plan, radius[n], mt_list_velocities(world)[i + n]);
        x.w[n] = MT_SURE_SLACK * slack;
    }
    lanes_store4(built_at + i, x);
}

void MT_KERNEL(wet_places)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_wet_job *job = context;
    const mt_scratch *s = job->world->scratch;
    const uint8_t *flying = job->world->bodies.count > 0 ? s->flying.data : NULL;
    mt_wet_slices wet = {UINT32_MAX, 0};
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++) {
        lanes4 x = lanes_load4(job->where + slice * LANES);
        uint32_t near = job->plan->follows ? 0xFFu : seekers_of(job->plan, x);
        note_slice(job, slice, near, x);
        ((uint8_t *)s->liquids.asks_lists.data)[slice] = near != 0 || flying == NULL || flying[slice] == 0;
        if (near != 0)
            wet = (mt_wet_slices){wet.first == UINT32_MAX ? slice : wet.first, slice + 1};
    }
    ((mt_wet_slices *)s->block_bounds.data)[begin / MT_BLOCK] = wet;
}
