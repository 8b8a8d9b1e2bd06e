/* Building the neighbour lists: room for them, and the kernel that fills it. */
#include "base/error.h"
#include "step/fluid/viscosity.h"
#include "step/kernels.h"
#include "step/neighbors/neighbors.h"
#include "step/neighbors/plan.h"
#include "step/neighbors/wet.h"
#include "step/substep.h"
#include "world/bodies.h"
#include "world/check.h"

#include <string.h>

#define MAX_ROWS            (1u << 27) /* 4 GiB of neighbours: beyond it something is wrong with the scene */
#define FIRST_LANE_CAPACITY 1032u /* not a power of two, or the eight lists would share cache lines' places */
#define SPARE_ROWS          (256u * MT_MAX_WORKERS) /* workers take rows in chunks and may not use them up */

/* One group that collides with itself needs no filter. */
static bool needs_filter(const mote_world *world)
{
    const uint32_t mask = MOTE_PHASE_GROUP_MASK | MOTE_PHASE_SELF_COLLIDE;
    const uint32_t *phase = mt_phases(world);
    bool known = world->scratch->search.in_sequence;
    uint32_t differing = known ? world->scratch->search.phase_bits : 0,
             first = world->particles.count > 0 ? phase[0] : 0;
    for (uint32_t i = 0; !known && i < world->particles.count; i++)
        differing |= phase[i] ^ first;
    return (differing & mask) != 0 || (first & MOTE_PHASE_SELF_COLLIDE) == 0;
}

/* Keeps the rows in use. */
static mote_result reserve_rows(mote_world *world, size_t rows, size_t used)
{
    mt_lists *lists = &world->scratch->search.lists;
    if (rows > MAX_ROWS)
        return mt_fail(MOTE_ERROR_LIMIT, "the particles have more than %zu neighbours: too many in one place",
                       (size_t)MAX_ROWS * MT_SLICE);
    MT_TRY(mt_array_reserve(&lists->rows, &world->memory, rows, used));
    for (int k = 0; k < 4 && mt_any_viscosity(world); k++)
        MT_TRY(mt_array_reserve(&lists->rubbed[k], &world->memory, lists->rows.capacity, 0));
    return mt_array_reserve(&lists->contact, &world->memory, lists->rows.capacity, 0);
}

static mote_result reserve_lanes(mote_world *world, uint32_t capacity)
{
    mt_lists *lists = &world->scratch->search.lists;
    size_t needed = ((size_t)capacity + MT_SLICE) * MT_SLICE * world->threads.workers;
    MT_TRY(mt_array_reserve(&lists->lane_scratch, &world->memory, needed, 0));
    lists->lane_capacity = capacity;
    return MOTE_OK;
}

/* ---- bodies -------------------------------------------------------------------------------------------- */

typedef struct body_job {
    const mote_world *world;
    uint32_t first;
} body_job;

static void fill_bodies(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const body_job *job = context;
    const mote_world *world = job->world;
    uint32_t *bodies = world->scratch->bodies.slots.membership.data,
             *families = world->scratch->bodies.slots.families.data;
    (void)worker;
    for (uint32_t i = job->first + begin; i < job->first + end; i++) {
        bodies[i] = mt_body_of(world, i);
        families[i] = mt_family_of(world, i);
    }
}

/* Particles of one body do not collide: whose bodies they are, by slots. Those of bodies may be as they were. */
static mote_result note_bodies(mote_world *world)
{
    if (world->bodies.count == 0)
        return MOTE_OK;
    mt_body_plan *p = &world->scratch->bodies;
    size_t slots = (size_t)mt_slice_count(world->particles.count) * MT_SLICE;
    bool in_sequence = world->scratch->search.in_sequence,
         known = in_sequence && p->slots.noted_edits == p->edits;
    body_job job = {world, known ? p->slot_count : 0};
    p->slots.noted_edits = 0;
    MT_TRY(mt_array_reserve(&p->slots.membership, &world->memory, slots, job.first));
    MT_TRY(mt_array_reserve(&p->slots.families, &world->memory, slots, job.first));
    mt_parallel_for(&world->threads, world->particles.count - job.first, MT_BLOCK * MT_SLICE, fill_bodies,
                    &job);
    p->slots.noted_edits = in_sequence ? p->edits : 0;
    return MOTE_OK;
}

mt_list_job mt_list_job_make(mote_world *world, const mote_vec4 *where)
{
    bool bodies = world->bodies.count > 0, differ = world->scratch->search.lists.phases_differ;
    uint32_t slices = mt_slice_count(world->particles.count);
    mt_list_job job = {
        .grid = &world->scratch->search.grid,
        .where = where,
        .size = where,
        .velocity = mt_list_velocities(world),
        .clusters = mt_has_clusters(world) ? &world->scratch->search.clusters : NULL,
        .phase = bodies || differ ? mt_phases(world) : NULL,
        .phases_differ = differ,
        .bodies.of = bodies ? world->scratch->bodies.slots.membership.data : NULL,
        .bodies.families = bodies ? world->scratch->bodies.slots.families.data : NULL,
        .bodies.shared = &world->membership,
        .bodies.partner_start = world->scratch->bodies.families.partner_start.data,
        .bodies.partners = world->scratch->bodies.families.partners.data,
        .bodies.deferred_start =
            world->scratch->deferred.pair_count > 0 ? world->scratch->deferred.start.data : NULL,
        .bodies.deferred = world->scratch->deferred.others.data,
        .count = world->particles.count,
        .dummy = slices * MT_SLICE,
        .lists = &world->scratch->search.lists,
    };
    return job;
}

/* Makes the job's lists. */
static mote_result fill_rows(mote_world *world, mt_list_job *job)
{
    mt_lists *lists = job->lists;
    for (;;) { /* until everything fits: in a steady world at once */
        uint32_t longest = 0;
        job->row_capacity = (uint32_t)lists->contact.capacity;
        memset(job->worker, 0, sizeof job->worker);
        atomic_init(&job->rows_used, 0);
        mt_parallel_for(&world->threads, mt_slice_count(job->count),
                        job->bodies.of != NULL ? MT_PIECE : MT_BLOCK, world->kernels->list, job);
        lists->entries = 0;
        for (uint32_t i = 0; i < world->threads.workers; i++) {
            longest = job->worker[i].longest > longest ? job->worker[i].longest : longest;
            lists->entries += job->worker[i].entries;
        }
        lists->rows_used = atomic_load(&job->rows_used);
        if (longest > lists->lane_capacity)
            MT_TRY(reserve_lanes(world, lists->lane_capacity * 2));
        else if (lists->rows_used > job->row_capacity)
            MT_TRY(reserve_rows(world, (size_t)lists->rows_used + lists->rows_used / 4, 0));
        else
            return MOTE_OK;
    }
}

/* Where the lists were made, and how far each particle may go from there. Within a step, who was looked at stays so. */
static void note_places(mote_world *world, const mote_vec4 *where, bool again)
{
    mt_wet_job job = {
        .world = world, .plan = &world->scratch->search.grid.plan, .where = where, .again = again};
    mt_lists *lists = &world->scratch->search.lists;
    const mt_wet_slices *blocks = world->scratch->block_bounds.data;
    uint8_t *near = world->scratch->liquids.near_liquid.data;
    uint32_t slices = mt_slice_count(world->particles.count);
    mt_parallel_for(&world->threads, slices, MT_BLOCK, world->kernels->wet_places, &job);
    if (!again) {
        lists->first_wet = slices / MT_BLOCK * MT_BLOCK;
        lists->end_wet = 0;
    }
    for (uint32_t block = mt_block_count(slices); block-- > 0;)
        if (blocks[block].end > 0) {
            lists->first_wet = block * MT_BLOCK < lists->first_wet ? block * MT_BLOCK : lists->first_wet;
            lists->end_wet = blocks[block].end > lists->end_wet ? blocks[block].end : lists->end_wet;
        }
    lists->end_wet = lists->end_wet > lists->first_wet ? lists->end_wet : lists->first_wet;
    memset(near, 0, lists->first_wet);
    memset(near + lists->end_wet, 0, slices - lists->end_wet);
}

/* Whether nobody but contacts asks the lists, of loose particles that all have one. */
static bool ask_contacts_alone(const mote_world *world)
{
    return world->bodies.count == 0 && !mt_any_fluid(world) && world->settings.sleep_speed == 0 &&
           world->scratch->search.grid.plan.all_move;
}

mote_result mt_lists_build(mote_world *world, const mote_vec4 *where, bool for_contacts, bool again)
{
    mt_scratch *s = world->scratch;
    uint32_t slices = mt_slice_count(world->particles.count);
    s->search.lists.phases_differ = needs_filter(world); /* a step does not change them */
    MT_TRY(note_bodies(world));
    if (mt_has_clusters(world))
        MT_TRY(mt_clusters_make(world, where));
    s->search.stale.count = 0;
    MT_TRY(reserve_rows(world, (size_t)slices * 16 + SPARE_ROWS, 0));
    if (s->search.lists.lane_capacity == 0)
        MT_TRY(reserve_lanes(world, FIRST_LANE_CAPACITY));
    mt_list_job job = mt_list_job_make(world, where);
    job.once = s->search.lists.once = for_contacts && ask_contacts_alone(world);
    if (job.clusters != NULL)
        mt_packs_find(world);
    MT_TRY(fill_rows(world, &job));
    if (mt_any_fluid(world)) /* else nobody asks */
        note_places(world, where, again);
    world->neighbor_builds++;
    return MOTE_OK;
}

mote_result mt_lists_ensure(mote_world *world, mt_substep *s, const mote_vec4 *where, float time)
{
    mt_scratch *scratch = world->scratch;
    if (mt_lists_reach(world, s, where, time) ||
        (mt_lists_last(world, time) && mt_lists_catch_up(world, s, where)))
        return MOTE_OK;
    /* In the first substep contacts of the whole step are found in these lists. */
    MT_TRY(
        mt_plan_lists(world, where, s->h, s->time.opens_step ? s->time.dt : s->time.left, s->time.opens_step));
    where = mt_list_places(world, where);
    MT_TRY(mt_grid_sort(world, where, &scratch->search.plan));
    MT_TRY(mt_lists_build(world, where, false, true));
    mt_substep_attach_rows(world, s);
    scratch->search.time = mt_list_time(world, time);
    return MOTE_OK;
}
