/* A call of the pool and its answer take as long as a few cache lines take between cores, and what a loop writes has to
 * go there and back as well. That is more than many loops of small worlds take in all. How long a line takes differs by
 * a factor of forty between machines, and on a virtual one between minutes; another program may have the core besides. So
 * nothing is assumed: of each task the time of an index is noted for both ways, and now and then the way that is not
 * preferred is tried for a few calls. */
#include "base/loop_costs.h"

#define PERIOD      127u /* calls; odd, or of two kernels that are called by turns one would never be timed */
#define TRIAL       4u   /* at the end of a period: calls of the other way; the first only moves the data */
#define FIRST       4u   /* calls before the first trial */
#define LOOK_SELDOM 9u   /* else one of so many calls is timed */
#define HOPELESS    8u   /* periods from one trial to the next of a way that was far behind */

#define PLACES       8u    /* of the table where a task may stand */
#define LEAST_SHARED 1e-6f /* s: what takes less alone is never worth a call */
#define MOST_ALONE   1e-3f /* s: what takes more by all is not tried alone */
#define BETTER       0.9f /* alone has to take so much less: the loops around it find its data with the other cores */
#define FAR_BEHIND   1.25f
#define HELD_UP      8.0f

/* Its own place, the next that is free, or, where there are very many, that of another. */
static mt_loop_cost *cost_of(mt_loop_cost *costs, mt_range_task *task)
{
    uint32_t first = ((uintptr_t)task >> 4) * 0x9E3779B1u >> 8;
    mt_loop_cost *cost = NULL;
    for (uint32_t k = 0; k < PLACES; k++) {
        cost = &costs[(first + k) & (MT_LOOP_COSTS - 1)];
        if (cost->task == task)
            return cost;
        if (cost->task == NULL)
            break;
    }
    *cost = (mt_loop_cost){.task = task, .calls = PERIOD - TRIAL - FIRST};
    return cost;
}

static bool may_try(const mt_loop_cost *cost, uint32_t count)
{
    float now = cost->prefers_alone ? cost->alone.mean : cost->by_all.mean;
    float other = cost->prefers_alone ? cost->by_all.mean : cost->alone.mean;
    if (other > FAR_BEHIND * now && (cost->calls / PERIOD) % HOPELESS != 0)
        return false;
    return cost->prefers_alone ? now * (float)count > LEAST_SHARED : now * (float)count < MOST_ALONE;
}

static void end_period(mt_loop_time *time)
{
    if (time->count > 0)
        *time = (mt_loop_time){.mean = time->sum / (float)time->count};
}

static void judge(mt_loop_cost *cost)
{
    end_period(&cost->alone);
    end_period(&cost->by_all);
    if (cost->alone.mean > 0 && cost->by_all.mean > 0)
        cost->prefers_alone = cost->alone.mean < BETTER * cost->by_all.mean;
}

mt_loop_choice mt_loop_choose(mt_loop_cost costs[MT_LOOP_COSTS], mt_range_task *task, uint32_t count)
{
    mt_loop_cost *cost = cost_of(costs, task);
    uint32_t phase = cost->calls % PERIOD;
    if (phase == 0)
        judge(cost);
    bool trial = phase >= PERIOD - TRIAL && may_try(cost, count);
    bool timed = trial ? phase > PERIOD - TRIAL : phase % LOOK_SELDOM == 0 || phase + TRIAL + FIRST > PERIOD;
    cost->calls++;
    return (mt_loop_choice){cost, cost->prefers_alone != trial, timed};
}

/* A single one that took very much longer was held up by something else. */
void mt_loop_took(const mt_loop_choice *choice, double seconds, uint32_t count)
{
    mt_loop_time *time = choice->alone ? &choice->cost->alone : &choice->cost->by_all;
    float now = (float)(seconds / (double)count), most = HELD_UP * time->mean;
    time->sum += time->mean > 0 && now > most ? most : now;
    time->count++;
}
