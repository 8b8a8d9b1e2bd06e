/* Neighbour lists: for each particle, who is within reach. Particles that follow each other, up to eight of a
 * slice, look through the cells around them together, row by row along x: cells of a row follow each other in
 * rank order as long as they are in one tile, so a row is one run of candidates or two, taken eight at a time. Who
 * is near the group's box, and not of its family, is then held against each of the eight. Particles of bodies
 * look for packs and clusters first (clusters.c). Lists come out in the order of cells, whatever thread makes
 * them. */
#include "base/simd.h"
#include "step/kernels.h"
#include "step/neighbors/body_lists.h"
#include "step/neighbors/reach.h"

#define CHUNK      256u /* rows that a worker takes at once */
#define MOST_WIDTH 8.0f /* reaches: a group of particles is no wider */

/* ---- loose particles, group by group --------------------------------------------------------------------- */

LANE_FUNCTION void make_seekers(const mt_list_job *job, uint32_t slice, seekers *who)
{
    uint32_t i = slice * LANES;
    lanes4 at = lanes_load4(job->where + i), v = lanes_load4(job->velocity + i);
    lanes radius = lanes_load4(job->size + i).w;
    lanes_store(who->x, at.x);
    lanes_store(who->y, at.y);
    lanes_store(who->z, at.z);
    lanes_store(who->reach, lanes_reach(&job->grid->plan, at, radius, v));
    who->first_slot = i;
    who->once = job->once;
    lane_index none = lanes_all_index(NO_FAMILY);
    lane_index family = job->bodies.families != NULL ? lanes_load_index(job->bodies.families + i) : none;
    lane_mask has = (lane_mask)family > (lane_mask){0}; /* MT_FAMILY_NONE and above are below 0 */
    lanes_store_index(who->family, (family & (lane_index)has) | (none & ~(lane_index)has));
    who->alive = lanes_bits(lanes_above(v.w, lanes_all(0.0f)));
    if (job->count - i < LANES)
        who->alive &= (1u << (job->count - i)) - 1u;
    if (job->clusters != NULL) /* those of bodies look with their cluster */
        who->alive &=
            lanes_bits(lanes_differ(lanes_load_index(job->bodies.of + i), lanes_all_index(0))) ^ 0xFFu;
}

/* Clusters near one particle, one after the other. */
static uint32_t scan_clusters(const mt_list_job *job, const seeker *who, near_packs *packs, uint32_t *list,
                              uint32_t count)
{
    const mt_clusters *c = job->clusters;
    uint32_t capacity = job->lists->lane_capacity;
    group box = group_of(who, 0);
    wide_box wide = widen(&box);
    for (uint32_t from = 0; from < c->pack_count;) {
        from = gather_packs_from(c, &box, from, packs);
        for (uint32_t k = 0; k < packs->count; k++) {
            const mt_pack *pack = pack_at(c, packs->pack[k]);
            for (uint32_t rest = clusters_near(pack, &wide); rest != 0; rest &= rest - 1) {
                uint32_t name = pack->name[__builtin_ctz(rest)], slot = mt_cluster_slot(name);
                if (count + LANES > capacity)
                    return capacity + 1;
                count = scan_eight(columns_of_clusters(c), slot, lanes_iota() + lanes_all_index(slot), who,
                                   lanes_of_bits(mt_cluster_bits(name)), list, count);
            }
        }
    }
    return count;
}

/* The list of a particle that has more around it than can be gathered. */
static uint32_t scan_crowd(const mt_list_job *job, const seeker *who, near_packs *packs, uint32_t *list)
{
    uint32_t count = scan_grids(job, who, list, 0);
    return job->clusters != NULL ? scan_clusters(job, who, packs, list, count) : count;
}

static void find_group(const mt_list_job *job, const seekers *who, const group *g, search_buffers *buffers,
                       slice_lists *out)
{
    candidates *near = &buffers->particles;
    gather_loose(job, g, near);
    if (job->clusters != NULL)
        gather_from_clusters(job->clusters, g, &buffers->packs, near);
    pad_candidates(near);
    if (near->complete && near->count == 0)
        return;
    bool check = job->clusters != NULL ? job->phases_differ : job->phase != NULL;
    for (uint32_t rest = g->lanes; rest != 0; rest &= rest - 1) {
        seeker one = seeker_of(who, (uint32_t)__builtin_ctz(rest));
        uint32_t *list = list_of(job, out, one.slot % LANES);
        uint32_t length = near->complete ? scan_candidates(job, &one, near, list, 0, job->lists->lane_capacity)
                                         : scan_crowd(job, &one, &buffers->packs, list);
        finish_lane(job, one.slot, length, check, out);
    }
}

/* Group by group, where the eight are too far from each other to be one. */
static void find_apart(const mt_list_job *job, const seekers *who, float most, search_buffers *buffers,
                       slice_lists *out)
{
    uint32_t alive = who->alive, lane = (uint32_t)__builtin_ctz(alive);
    seeker one = seeker_of(who, lane);
    group g = group_of(&one, lane);
    for (alive &= alive - 1; alive != 0; alive &= alive - 1) {
        lane = (uint32_t)__builtin_ctz(alive);
        one = seeker_of(who, lane);
        if (join(&g, &one, lane, most))
            continue;
        find_group(job, who, &g, buffers, out);
        g = group_of(&one, lane);
    }
    find_group(job, who, &g, buffers, out);
}

/* A slice of bodies, whose particles look with their clusters. */
LANE_FUNCTION bool is_of_bodies(const mt_list_job *job, uint32_t slice)
{
    if (job->clusters == NULL)
        return false;
    return lanes_bits(lanes_differ(lanes_load_index(job->bodies.of + slice * LANES), lanes_all_index(0))) ==
           0xFFu;
}

static void find_loose_slice(const mt_list_job *job, uint32_t slice, search_buffers *buffers, slice_lists *out)
{
    seekers who;
    if (is_of_bodies(job, slice))
        return;
    make_seekers(job, slice, &who);
    if (who.alive == 0)
        return;
    group all = group_of_all(&who);
    float most = MOST_WIDTH * job->grid->levels[mt_level_of(job->grid, all.reach)].reach;
    if (all.high[0] - all.low[0] <= most && all.high[1] - all.low[1] <= most &&
        all.high[2] - all.low[2] <= most)
        find_group(job, &who, &all, buffers, out);
    else
        find_apart(job, &who, most, buffers, out);
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* Rows for a slice from the worker's own supply; job->row_capacity or more if there are none left. */
static uint32_t take_rows(mt_list_job *job, uint32_t worker, uint32_t count)
{
    if (job->worker[worker].end - job->worker[worker].next < count) {
        uint32_t chunk = count > CHUNK ? count : CHUNK;
        job->worker[worker].next = atomic_fetch_add_explicit(&job->rows_used, chunk, memory_order_relaxed);
        job->worker[worker].end = job->worker[worker].next + chunk;
    }
    uint32_t first = job->worker[worker].next;
    job->worker[worker].next += count;
    return first;
}

/* Lists of eight lanes, one behind the other, become rows of eight: four rows at a time. Their places behind
 * the last are filled up with nobody, for whom there is room. */
LANE_FUNCTION void write_rows(const mt_list_job *job, uint32_t *rows, uint32_t row_count, uint32_t *list,
                              const uint32_t length[LANES])
{
    uint32_t stride = mt_lane_stride(job->lists);
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t k = length[lane]; k < row_count; k += LANES)
            lanes_store_index(list + (size_t)lane * stride + k, lanes_all_index(job->dummy));
    for (uint32_t k = 0; k < row_count; k += 4) {
        lanes four[4];
        lanes_across((const float *)list + k, stride, four);
        for (uint32_t j = 0; j < 4 && k + j < row_count; j++)
            lanes_store((float *)rows + (size_t)(k + j) * LANES, four[j]);
    }
}

/* Lists that are found become rows. */
static void put_lists(mt_list_job *job, uint32_t slice, uint32_t worker, const slice_lists *found)
{
    mt_lists *lists = job->lists;
    uint32_t longest = found->longest, capacity = lists->lane_capacity;
    if (longest > job->worker[worker].longest)
        job->worker[worker].longest = longest;
    uint32_t first = longest <= capacity ? take_rows(job, worker, longest) : 0;
    bool fits = longest <= capacity && first + longest <= job->row_capacity;
    ((uint32_t *)lists->start.data)[slice] = fits ? first : 0;
    ((uint32_t *)lists->length.data)[slice] = fits ? longest : 0;
    job->worker[worker].entries += found->entries;
    if (!fits || longest == 0)
        return;
    uint32_t *rows = (uint32_t *)lists->rows.data + (size_t)first * LANES;
    write_rows(job, rows, longest, found->list, found->length);
}

static void list_slice(mt_list_job *job, uint32_t slice, uint32_t worker, uint32_t *list,
                       search_buffers *buffers)
{
    slice_lists found = {.list = list};
    uint32_t clusters = job->clusters != NULL ? ((const uint8_t *)job->clusters->number.data)[slice] : 0;
    for (uint32_t k = 0; k < clusters; k++)
        find_cluster(job, slice * LANES + k, buffers, &found);
    if (job->grid->count > 0)
        find_loose_slice(job, slice, buffers, &found);
    put_lists(job, slice, worker, &found);
}

void MT_KERNEL(list)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    mt_list_job *job = context;
    uint32_t *list =
        (uint32_t *)job->lists->lane_scratch.data + (size_t)worker * LANES * mt_lane_stride(job->lists);
    search_buffers buffers;
    for (uint32_t slice = begin; slice < end; slice++)
        list_slice(job, slice, worker, list, &buffers);
}

/* Lists of single particles, see stale_lists.c; a length above the room says that there was not enough. */
void MT_KERNEL(list_stale)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_list_job *job = context;
    uint32_t *list =
        (uint32_t *)job->lists->lane_scratch.data + (size_t)worker * LANES * mt_lane_stride(job->lists);
    near_packs packs;
    for (uint32_t k = begin; k < end; k++) {
        uint32_t slot = job->stale.slots[k];
        mote_vec4 at = job->where[slot];
        float reach = job->size[slot].w * job->grid->plan.margin, least = job->grid->plan.least;
        reach = (reach > least ? reach : least) + job->stale.further[k];
        seeker who = {at.x, at.y, at.z, reach, slot, NO_FAMILY, false};
        uint32_t length = scan_crowd(job, &who, &packs, list);
        if (length <= job->lists->lane_capacity && job->phase != NULL)
            length = filter(job, slot, list, length);
        job->stale.length[k] = length;
        if (length <= job->stale.room)
            memcpy(job->stale.found + (size_t)k * job->stale.room, list, length * sizeof *list);
    }
}
