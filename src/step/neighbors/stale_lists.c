/* Lists of liquids whose particles have left their slack. Where liquid hits something a few particles in a thousand get
 * faster than they were when the lists were made. These look for their neighbours anew, one by one, and are put into the
 * lists of those whom they came near; all others stay as they are. Lists may then name somebody who is out of reach, and
 * are in another order: the sums over them are the same (fluid/whole_sums.h). The grid still has these particles where
 * they were, so they are held against each other one by one. */
#include "base/vec.h"
#include "step/kernels.h"
#include "step/neighbors/filter.h"
#include "step/neighbors/neighbors.h"
#include "step/neighbors/plan.h"
#include "world/check.h"

#include <string.h>

#define FEW        96u /* of all particles, one in so many may be late; lists are made anew if there are more */
#define LEAST      64u
#define ROOM       256u /* neighbours of one */
#define SPARE      3u   /* rows that a slice gets beside the one that it needs */
#define BLOCK_LATE 8u

static uint32_t most_stale(const mote_world *world)
{
    uint32_t part = world->particles.count / FEW;
    return part < LEAST ? LEAST : part < MT_MOST_LATE ? part : MT_MOST_LATE;
}

mote_result mt_stale_reserve(mote_world *world)
{
    mt_stale_lists *stale = &world->scratch->search.stale;
    if (!mt_any_fluid(world))
        return MOTE_OK;
    uint32_t most = most_stale(world), slices = mt_slice_count(world->particles.count);
    MT_TRY(mt_array_reserve(&stale->left, &world->memory, slices, 0));
    MT_TRY(mt_array_reserve(&stale->slots, &world->memory, most, 0));
    MT_TRY(mt_array_reserve(&stale->length, &world->memory, most, 0));
    return mt_array_reserve(&stale->found, &world->memory, (size_t)most * ROOM, 0);
}

/* ---- who --------------------------------------------------------------------------------------------------- */

static bool is_known(const mt_stale_lists *stale, uint32_t slot)
{
    for (uint32_t k = 0; k < stale->count; k++)
        if (((const uint32_t *)stale->slots.data)[k] == slot)
            return true;
    return false;
}

/* Those that have left their slack now come last; answers how many, or UINT32_MAX if they are too many or in bodies.
 * Some may have been late before. */
static uint32_t collect(const mote_world *world, mt_stale_lists *stale, uint32_t slices)
{
    const uint8_t *left = stale->left.data;
    uint32_t *slots = stale->slots.data, most = most_stale(world), number = 0;
    for (uint32_t slice = 0; slice < slices; slice++)
        for (uint32_t bits = left[slice]; bits != 0; bits &= bits - 1) {
            uint32_t slot = slice * MT_SLICE + (uint32_t)__builtin_ctz(bits);
            if (++number > most || (world->bodies.count > 0 && mt_body_of(world, slot) != 0))
                return UINT32_MAX;
            if (is_known(stale, slot))
                continue;
            if (stale->count == most)
                return UINT32_MAX;
            slots[stale->count++] = slot;
        }
    return number;
}

/* ---- lists ------------------------------------------------------------------------------------------------- */

static uint32_t *column_of(const mt_lists *lists, uint32_t slot)
{
    size_t row = ((const uint32_t *)lists->start.data)[slot / MT_SLICE];
    return (uint32_t *)lists->rows.data + row * MT_SLICE + slot % MT_SLICE;
}

/* Gives a slice room for more rows, at another place. False: there is none. */
static bool make_room(const mt_list_job *job, uint32_t slice, uint32_t rows)
{
    mt_lists *lists = job->lists;
    uint32_t *start = (uint32_t *)lists->start.data + slice, *length = (uint32_t *)lists->length.data + slice;
    uint32_t *all = lists->rows.data, first = lists->rows_used;
    if (rows <= *length)
        return true;
    rows += SPARE;
    if (first + rows > lists->contact.capacity)
        return false;
    memcpy(all + (size_t)first * MT_SLICE, all + (size_t)*start * MT_SLICE,
           (size_t)*length * MT_SLICE * sizeof *all);
    for (size_t k = (size_t)(first + *length) * MT_SLICE; k < (size_t)(first + rows) * MT_SLICE; k++)
        all[k] = job->dummy;
    *start = first;
    *length = rows;
    lists->rows_used += rows;
    return true;
}

/* Puts a neighbour into a particle's list, if it is not there. Who cannot move has none. */
static bool put(const mt_list_job *job, uint32_t slot, uint32_t neighbor)
{
    if (job->velocity[slot].w == 0)
        return true;
    uint32_t length = mt_neighbor_count(job->lists, slot), k = 0;
    const uint32_t *column = column_of(job->lists, slot);
    for (; k < length && column[(size_t)k * MT_SLICE] != job->dummy; k++)
        if (column[(size_t)k * MT_SLICE] == neighbor)
            return true;
    if (!make_room(job, slot / MT_SLICE, k + 1))
        return false;
    column_of(job->lists, slot)[(size_t)k * MT_SLICE] = neighbor;
    return true;
}

/* A list of its own for one that is late, and its place in others'. */
static bool replace(const mt_list_job *job, uint32_t slot, const uint32_t *found, uint32_t count)
{
    if (!make_room(job, slot / MT_SLICE, count))
        return false;
    uint32_t *column = column_of(job->lists, slot), length = mt_neighbor_count(job->lists, slot);
    for (uint32_t k = 0; k < length; k++)
        column[(size_t)k * MT_SLICE] = k < count ? found[k] : job->dummy;
    for (uint32_t k = 0; k < count; k++)
        if (!put(job, found[k], slot))
            return false;
    return true;
}

/* ---- each other -------------------------------------------------------------------------------------------- */

/* How far a particle reaches beyond what contacts and liquids need. */
static float slack_of(const mt_list_plan *plan, float radius, mote_vec4 velocity)
{
    mt_list_plan own = *plan;
    own.time = plan->wet_time;
    own.drift = plan->way;
    return mt_slack(&own, radius, velocity);
}

/* How far two that are expected to move on with a flow each come together by that, m. */
static float way_together(const mote_world *world, uint32_t i, uint32_t j)
{
    const mt_flow *f = &world->scratch->search.flow;
    const mote_vec4 *drift = f->drift.data;
    if (!world->scratch->search.grid.plan.follows)
        return 0.0f;
    return f->time * mt_length(mt_sub(mt_xyz(drift[i]), mt_xyz(drift[j])));
}

static bool are_near(const mote_world *world, const mt_list_job *job, uint32_t i, uint32_t j)
{
    const mote_vec4 *built_at = job->where;
    const mt_list_plan *plan = &world->scratch->search.grid.plan;
    float reach[2], together = way_together(world, i, j);
    for (int k = 0; k < 2; k++) {
        uint32_t slot = k == 0 ? i : j;
        reach[k] = fmaxf(job->size[slot].w * plan->margin, plan->least) + built_at[slot].w / MT_SURE_SLACK;
    }
    float x = built_at[i].x - built_at[j].x, y = built_at[i].y - built_at[j].y,
          z = built_at[i].z - built_at[j].z;
    float apart = reach[0] + reach[1] + together;
    return x * x + y * y + z * z < apart * apart;
}

static bool may_meet(const mt_list_job *job, uint32_t i, uint32_t j)
{
    return job->phase == NULL || filter(job, i, &j, 1) == 1;
}

static bool meet(const mote_world *world, const mt_list_job *job, const mt_stale_lists *stale, uint32_t slot)
{
    const uint32_t *slots = stale->slots.data;
    for (uint32_t k = 0; k < stale->count; k++)
        if (slots[k] != slot && are_near(world, job, slot, slots[k]) && may_meet(job, slot, slots[k]) &&
            (!put(job, slot, slots[k]) || !put(job, slots[k], slot)))
            return false;
    return true;
}

/* ---- all of it --------------------------------------------------------------------------------------------- */

static mote_vec4 gone_back(mote_vec4 x, mote_vec4 drift, float time)
{
    return (mote_vec4){x.x - time * drift.x, x.y - time * drift.y, x.z - time * drift.z, x.w};
}

/* They are where they would have been at first to be here now. */
static void note_in_flow(const mote_world *world, const mt_substep *s, const mote_vec4 *where, uint32_t slot,
                         float *further)
{
    const mt_flow *f = &world->scratch->search.flow;
    mote_vec4 *built_at = world->scratch->search.lists.built_at.data,
              *drift = (mote_vec4 *)f->drift.data + slot;
    mote_vec4 flow = mt_flow_at(f, gone_back(where[slot], *drift, s->lists.age));
    mote_vec4 start = gone_back(where[slot], flow, s->lists.age), there = mt_flow_at(f, start);
    float slack = mt_flow_slack(f, mt_xyz(flow), mt_velocities(world)[slot]);
    *drift = (mote_vec4){flow.x, flow.y, flow.z, slack};
    start.w = MT_SURE_SLACK * slack;
    built_at[slot] = start;
    *further = slack + mt_flow_reach(f, there) + f->time * mt_length(mt_sub(mt_xyz(flow), mt_xyz(there)));
}

/* They are where they are now, beside the drift of all. `further`: how far they are to reach beyond what they need. */
static void note_place(const mote_world *world, const mt_substep *s, const mote_vec4 *where, uint32_t slot,
                       float *further)
{
    if (world->scratch->search.grid.plan.follows) {
        note_in_flow(world, s, where, slot, further);
        return;
    }
    mote_vec4 *built_at = world->scratch->search.lists.built_at.data;
    float slack =
        slack_of(&world->scratch->search.grid.plan, mt_positions(world)[slot].w, mt_velocities(world)[slot]);
    built_at[slot] = (mote_vec4){where[slot].x - s->lists.drift.x, where[slot].y - s->lists.drift.y,
                                 where[slot].z - s->lists.drift.z, MT_SURE_SLACK * slack};
    *further = slack;
}

/* Those that have left their slack now, of all that were late in this step: in the order of slots. */
static uint32_t pick_left(const mt_stale_lists *stale, uint32_t *picked)
{
    const uint32_t *slots = stale->slots.data;
    const uint8_t *left = stale->left.data;
    uint32_t count = 0;
    for (uint32_t k = 0; k < stale->count; k++)
        if ((left[slots[k] / MT_SLICE] >> slots[k] % MT_SLICE & 1u) != 0)
            picked[count++] = slots[k];
    return count;
}

/* Whether a liquid is where it could meet somebody who does not look for liquids. */
static bool is_outside(const mote_world *world, uint32_t slot)
{
    const mt_list_plan *plan = &world->scratch->search.grid.plan;
    mote_vec4 at = ((const mote_vec4 *)world->scratch->search.lists.built_at.data)[slot];
    return world->materials[mt_material_indices(world)[slot]].fluid &&
           mt_way_to_liquids(plan, at) + plan->around + at.w / MT_SURE_SLACK > 0;
}

bool mt_lists_catch_up(mote_world *world, const mt_substep *s, const mote_vec4 *where)
{
    mt_stale_lists *stale = &world->scratch->search.stale;
    uint32_t number = collect(world, stale, s->slices);
    if (number == UINT32_MAX)
        return false;
    uint32_t picked[MT_MOST_LATE];
    float further[MT_MOST_LATE];
    number = pick_left(stale, picked);
    for (uint32_t k = 0; k < number; k++) {
        note_place(world, s, where, picked[k], &further[k]);
        if (is_outside(world, picked[k]))
            return false;
    }
    mt_list_job job = mt_list_job_make(world, world->scratch->search.lists.built_at.data);
    job.size = mt_positions(world);
    job.velocity = mt_velocities(world);
    job.stale.slots = picked;
    job.stale.further = further;
    job.stale.found = stale->found.data;
    job.stale.length = stale->length.data;
    job.stale.room = ROOM;
    mt_parallel_for(&world->threads, number, BLOCK_LATE, world->kernels->list_stale, &job);
    for (uint32_t k = 0; k < number; k++)
        if (job.stale.length[k] > ROOM ||
            !replace(&job, picked[k], job.stale.found + (size_t)k * ROOM, job.stale.length[k]))
            return false;
    for (uint32_t k = 0; k < number; k++)
        if (!meet(world, &job, stale, picked[k]))
            return false;
    return true;
}
