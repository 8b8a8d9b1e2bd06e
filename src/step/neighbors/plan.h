/* The plan of a step's neighbour lists: how far lists must reach beyond contact to be good for all substeps,
 * and whether that pays. */
#ifndef MOTE_STEP_NEIGHBORS_PLAN_H
#define MOTE_STEP_NEIGHBORS_PLAN_H

#include "step/neighbors/neighbors.h"

#include <math.h>

#define MT_LOOK_AHEAD 12.0f /* radii of the world: nobody looks further ahead than that */

/* `at_start`: for all contacts of a step of so many seconds, which the impulse solver finds only once. Else: plans lists
 * for the rest of a step of substeps of h seconds, of which `time` seconds are left after the substep that makes them. */
mote_result mt_plan_lists(mote_world *world, const mote_vec4 *where, float h, float time, bool at_start);

/* How all particles move and where they are. */
typedef struct mt_motion {
    float fastest;                   /* beside the plan's drift, m/s */
    float max_radius;                /* m */
    bool sleepers;                   /* somebody is asleep */
    bool all_move;                   /* nobody is, and nobody is fixed */
    float low[3], high[3];           /* m: all of them, */
    float fast_low[3], fast_high[3]; /* and those that go further than the skin beside the drift */
} mt_motion;

#define MT_NO_CELL UINT32_MAX

/* Of a block of particles. */
typedef struct mt_block_speeds {
    uint32_t fast[2];      /* how many go further than the skin: beside the drift, and beside rest */
    float square, fastest; /* of speeds beside the drift: the sum of squares, and the largest square */
    float low[3], high[3]; /* where they are, */
    float fast_low[3], fast_high[3]; /* and where those of the first count are */
} mt_block_speeds;

/* What the passes of ahead_kernel.c are given. */
typedef struct mt_ahead_job {
    const mote_vec4 *position, *velocity;
    uint32_t count;
    float time; /* s */
    /* count_fast: */
    mote_vec3 drift;
    float skin; /* radii */
    mt_block_speeds *blocks;
    /* ahead_cells, look_ahead: see ahead.c */
    float low[3], high[3]; /* m: nobody outside meets somebody fast */
    uint32_t bits[3];
    float inverse_cell;
    uint32_t *cell;                   /* a slot; MT_NO_CELL: its slice is outside */
    const mote_vec4 *drifts, *around; /* a cell */
    mote_vec4 *ahead;                 /* a slot */
} mt_ahead_job;

/* Fills scratch->ahead with how far each has to look ahead for whom it could meet in so many seconds: as if with that
 * speed for a second. Around sleepers twice as far: who hits one in the step after this wakes it at the end of this. */
mote_result mt_look_ahead(mote_world *world, float time, const mt_motion *motion);

/* The same for liquids alone, at `where`: for as many substeps of h seconds as is best, for `time` at most. Fills
 * scratch->flow as well, with how each particle is expected to move. */
mote_result mt_follow_flow(mote_world *world, const mote_vec4 *where, float h, float time,
                           const mt_motion *motion, bool at_start);

/* Where particles at `where` are in the lists that are planned. */
const mote_vec4 *mt_list_places(mote_world *world, const mote_vec4 *where);

/* For what time these are, if `where` is for that time, s. */
static inline float mt_list_time(const mote_world *world, float time)
{
    const mt_scratch *s = world->scratch;
    return s->search.plan.follows ? time + s->search.flow.until_middle : time;
}

/* The flow at a place; w: how steep it is around it, 1/s; below 0: that is not known, or too much. */
mote_vec4 mt_flow_at(const mt_flow *f, mote_vec4 x);

/* By how much further a particle that drifts with it reaches for that, m. */
float mt_flow_reach(const mt_flow *f, mote_vec4 flow);

/* How far a particle may go beside the flow, m. */
float mt_flow_slack(const mt_flow *f, mote_vec3 drift, mote_vec4 velocity);

/* Whether every particle at `where`, at a time of the step, s, is still near enough to where the lists were made for them
 * to be good; else those that are not are marked (late.left). Liquids ask. */
bool mt_lists_reach(mote_world *world, mt_substep *s, const mote_vec4 *where, float time);

/* Whether lists are meant for that time. */
static inline bool mt_lists_last(const mote_world *world, float time)
{
    const mt_scratch *s = world->scratch;
    return !s->search.grid.plan.follows || fabsf(time - s->search.time) <= 1.0001f * s->search.flow.time;
}

/* With what velocities lists look ahead; w: inverse masses. */
static inline const mote_vec4 *mt_list_velocities(const mote_world *world)
{
    const mt_list_plan *plan = &world->scratch->search.grid.plan;
    return plan->looks_ahead ? world->scratch->search.ahead.data : mt_velocities(world);
}

/* A plan for lists that are used at once and only once. */
mt_list_plan mt_plan_for_now(const mote_world *world);

/* How far a particle may go, beside the drift of all, until its list is not good any more, m. */
static inline float mt_slack(const mt_list_plan *plan, float radius, mote_vec4 velocity)
{
    float slack = plan->skin * radius;
    if (plan->time == 0)
        return slack;
    float x = velocity.x - plan->drift.x, y = velocity.y - plan->drift.y, z = velocity.z - plan->drift.z;
    float motion = plan->time * sqrtf(x * x + y * y + z * z);
    motion = motion < plan->most ? motion : plan->most;
    return motion > slack ? motion : slack;
}

/* How far a place is from all that liquids may reach, along the axis where that is most, m; below 0: it is in it. */
static inline float mt_way_to_liquids(const mt_list_plan *plan, mote_vec4 x)
{
    const float at[3] = {x.x, x.y, x.z};
    float way = -MT_FAR;
    for (int axis = 0; axis < 3; axis++) {
        way = plan->low[axis] - at[axis] > way ? plan->low[axis] - at[axis] : way;
        way = at[axis] - plan->high[axis] > way ? at[axis] - plan->high[axis] : way;
    }
    return way;
}

/* Half the distance within which a particle looks for neighbours, m: contact, margin or what liquids need, and slack. */
static inline float mt_reach(const mt_list_plan *plan, mote_vec4 x, float radius, mote_vec4 velocity)
{
    float reach = radius * plan->margin;
    bool asks = plan->least > reach && mt_way_to_liquids(plan, x) < plan->most;
    return (asks ? plan->least : reach) + mt_slack(plan, radius, velocity);
}

#endif
