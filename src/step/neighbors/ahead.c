/* How far lists have to look ahead. Who may touch whom within a step is found once, where it starts, so lists must hold
 * all who could come together in it: two that go their way beside each other, not fast ones as such. A block that falls
 * as one needs no more than one at rest, whatever lies still below it.
 *
 * Space is cut into cells so wide that any two who could come together are in the same cell or in neighbouring ones.
 * Each cell has a drift, the mean velocity of those in and around it. Then v_i - v_j is no longer than
 *
 *     |v_i - drift_i| + |drift_i - drift_j| + |drift_j - v_j|
 *
 * so it is enough if each reaches for what it goes beside its cell's drift, and for half of the most by which that
 * differs from those of neighbouring cells. Any drift would do; a good one keeps lists short.
 *
 * Two slow ones have their skins. So nobody is asked who is further than a cell from the box around the fast. */
#include "step/kernels.h"
#include "step/neighbors/cell_table.h"
#include "step/neighbors/plan.h"

#include "base/vec.h"
#include "world/check.h"

#include <string.h>

#define A_CELL 8u     /* particles, about, that there is a cell for */
#define SURE   1.001f /* a little more, for what is lost in rounding */

/* Those that share an entry share a drift. */
typedef struct drift_cells {
    mt_cell_table table;
    mote_vec4 *sum[2]; /* of velocities; w: their number */
    mote_vec4 *low[2],
        *high[2];     /* of the drifts in and around a cell; w of high: not 0: somebody sleeps there */
    mote_vec4 *drift; /* w: half of the most by which those around differ from it */
} drift_cells;

static mote_result reserve_slots(mote_world *world)
{
    mt_scratch *s = world->scratch;
    size_t slots = (size_t)mt_slice_count(world->particles.count) * MT_SLICE;
    MT_TRY(mt_array_reserve(&s->search.moved_ahead, &world->memory, slots, 0));
    MT_TRY(mt_array_reserve(&s->search.drift_cells, &world->memory, slots, 0));
    return mt_array_reserve(&s->search.ahead, &world->memory, slots, 0);
}

static mote_result reserve_cells(mote_world *world, drift_cells *c)
{
    mt_scratch *s = world->scratch;
    MT_TRY(mt_array_reserve(&s->search.drifts, &world->memory, 7 * (size_t)c->table.count, 0));
    mote_vec4 *data = s->search.drifts.data;
    mote_vec4 **const all[] = {&c->sum[0],  &c->sum[1],  &c->low[0], &c->low[1],
                               &c->high[0], &c->high[1], &c->drift};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        *all[k] = data + k * c->table.count;
    return MOTE_OK;
}

/* Particles that are asked. */
static uint32_t count_inside(const mt_ahead_job *job)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < job->count; i += MT_SLICE)
        count += job->cell[i] != MT_NO_CELL ? MT_SLICE : 0;
    return count;
}

static void sum_velocities(const mote_world *world, drift_cells *c, const uint32_t *cell_of)
{
    memset(c->sum[0], 0, c->table.count * sizeof *c->sum[0]);
    memset(c->high[0], 0, c->table.count * sizeof *c->high[0]);
    const uint32_t count = world->particles.count;
    const mote_vec4 *velocity = mt_velocities(world);
    const float *rest_time = mt_rest_times(world);
    for (uint32_t first = 0; first < count; first += MT_SLICE) {
        uint32_t end = count - first < MT_SLICE ? count : first + MT_SLICE;
        for (uint32_t i = first; cell_of[first] != MT_NO_CELL && i < end; i++) {
            mote_vec4 v = velocity[i], *sum = &c->sum[0][cell_of[i]];
            v.w = 1.0f;
            *sum = mt_plus4(*sum, v);
            if (rest_time[i] < 0)
                c->high[0][cell_of[i]].w = 1.0f;
        }
    }
    for (uint32_t cell = 0; cell < c->table.count; cell++) /* whether there is somebody */
        c->drift[cell] = c->sum[0][cell];
    mt_gather_around(&c->table, c->sum, mt_plus4);
}

static void find_drifts(drift_cells *c)
{
    for (uint32_t cell = 0; cell < c->table.count; cell++) {
        mote_vec4 sum = c->sum[0][cell];
        bool empty = c->drift[cell].w == 0;
        float part = empty ? 0.0f : 1.0f / sum.w;
        mote_vec4 drift = {sum.x * part, sum.y * part, sum.z * part, 0.0f};
        c->drift[cell] = drift;
        c->low[0][cell] = empty ? (mote_vec4){MT_FAR, MT_FAR, MT_FAR, 0.0f} : drift;
        drift.w = c->high[0][cell].w;
        c->high[0][cell] = empty ? (mote_vec4){-MT_FAR, -MT_FAR, -MT_FAR, 0.0f} : drift;
    }
    mt_gather_around(&c->table, c->low, mt_least4);
    mt_gather_around(&c->table, c->high, mt_most4);
    for (uint32_t cell = 0; cell < c->table.count; cell++) {
        mote_vec3 drift = mt_xyz(c->drift[cell]);
        mote_vec3 up = mt_sub(mt_xyz(c->high[0][cell]), drift), down = mt_sub(drift, mt_xyz(c->low[0][cell]));
        mote_vec4 off =
            mt_most4((mote_vec4){up.x, up.y, up.z, 0.0f}, (mote_vec4){down.x, down.y, down.z, 0.0f});
        c->drift[cell].w = 0.5f * mt_length(mt_xyz(off));
    }
}

mote_result mt_look_ahead(mote_world *world, float time, const mt_motion *motion)
{
    float furthest = MT_LOOK_AHEAD * world->radius, way = 2.0f * time * motion->fastest;
    way = motion->sleepers ? 2.0f * way : way;
    float cell =
        SURE * (2.0f * world->settings.contact_margin * motion->max_radius + (way < furthest ? way : furthest));
    drift_cells cells = {.table.inverse_cell = 1.0f / cell};
    mt_ahead_job job = {.position = mt_positions(world),
                        .velocity = mt_velocities(world),
                        .count = world->particles.count,
                        .time = SURE * time,
                        .inverse_cell = cells.table.inverse_cell};
    for (int axis = 0; axis < 3; axis++) {
        job.low[axis] = motion->fast_low[axis] - cell;
        job.high[axis] = motion->fast_high[axis] + cell;
    }
    MT_TRY(reserve_slots(world));
    mt_scratch *s = world->scratch;
    const uint32_t slices = mt_slice_count(world->particles.count);
    job.cell = s->search.drift_cells.data;
    job.ahead = s->search.ahead.data;
    mt_parallel_for(&world->threads, slices, MT_BLOCK, world->kernels->ahead_inside, &job);
    mt_table_size(&cells.table, job.low, job.high, count_inside(&job) / A_CELL);
    MT_TRY(reserve_cells(world, &cells));
    memcpy(job.bits, cells.table.bits, sizeof job.bits);
    mt_parallel_for(&world->threads, slices, MT_BLOCK, world->kernels->ahead_cells, &job);
    sum_velocities(world, &cells, job.cell);
    find_drifts(&cells);
    job.drifts = cells.drift;
    job.around = cells.high[0];
    mt_parallel_for(&world->threads, slices, MT_BLOCK, world->kernels->look_ahead, &job);
    if (slices > 0) /* the reorder leaves alone what is behind the last */
        memset((mote_vec4 *)s->search.moved_ahead.data + (size_t)(slices - 1) * MT_SLICE, 0,
               MT_SLICE * sizeof(mote_vec4));
    return MOTE_OK;
}
