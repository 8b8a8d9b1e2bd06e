/* Lists of liquids follow the flow. Neighbours in a liquid move nearly alike, however fast they are. So there is a field
 * d of velocities, known at nodes, and each particle is expected where d at its place takes it. What counts is by how
 * much it goes elsewhere, its slack, and by how much d differs from place to place.
 *
 * Nodes are in the middle of cells and have the mean velocity of all in and around their cell, or, where nobody is, of
 * the nodes around; between them d is trilinear. With G a bound of its slope within half a cell of a particle, two at the
 * distance D, no further apart than a cell is wide, come together by d no faster than (G_i + G_j) / 2 D. Two that are not
 * in each other's lists, D >= R_i + R_j, are then for T seconds at least b_i + b_j apart if each stays within its slack s
 * and
 *
 *     R = b + s + c T G / (1 - T G),     c no less than any b + s,
 *
 * because the mean of a_i and a_j times 1 / a_i + 1 / a_j is at least 2, with a = 1 - T G. For those up to three cells
 * apart the slopes within one and a half cells count, G'; they are far enough from each other if a cell times 1 - T G' is
 * not below 2 c. Where it is, nobody relies on the flow: who is there is late from the first (stale_lists.c). Who is further
 * apart cannot meet in T: cells are wide enough for that.
 *
 * Lists are made for where particles are expected in the middle of the time that they are for, each with its own velocity
 * up to there: so T is half of that time, before and after. */
#include "step/neighbors/cell_table.h"

#include "base/vec.h"
#include "world/check.h"

#include <string.h>

#define BLOCK_SLOTS (MT_BLOCK * MT_SLICE)
#define A_CELL      3u      /* particles, about, that there is a cell for */
#define WIDTH       8.0f    /* no cell is narrower, in radii */
#define LEAST_SLACK 0.1f    /* in radii: velocities change */
#define MOST_SLACK  0.5f    /* in radii: who needs more is late, see stale_lists.c */
#define STEEPEST    0.5f    /* T G: nor does anybody rely on more than that */
#define SURE        1.0001f /* a little more, for what is lost in rounding */
#define SAMPLE      8u      /* one of so many particles says how fast they are beside the flow */
#define FEW         256u    /* one of so many, and no more, may be where nobody relies on the flow */
#define SUBSTEPS    64u     /* lists are for no more */
#define USUAL       1.3f    /* how far most reach, beside what they do on the average */
#define PASSES      1.0f    /* what a substep's passes over the lists cost, */
#define BUILD       2.5f    /* and what making them does */

typedef struct flow_job {
    mote_world *world;
    const mote_vec4 *where;
    float time;         /* T, s */
    float base, margin; /* b of small particles, m, and in radii of others */
    float slack, most;  /* m */
} flow_job;

/* ---- the field ----------------------------------------------------------------------------------------- */

static mote_result reserve(mote_world *world, mt_flow *f)
{
    mt_scratch *s = world->scratch;
    size_t slots = (size_t)mt_slice_count(world->particles.count) * MT_SLICE;
    MT_TRY(mt_array_reserve(&f->nodes, &world->memory, 4 * (size_t)f->table.count, 0));
    mt_array *const per_slot[] = {&s->search.ahead, &s->search.moved_ahead, &f->drift, &f->moved_drift,
                                  &f->middle};
    for (size_t k = 0; k < sizeof per_slot / sizeof per_slot[0]; k++)
        MT_TRY(mt_array_reserve(per_slot[k], &world->memory, slots, 0));
    return MOTE_OK;
}

/* Velocities of all in and around each cell: their mean, and in w whether there is anybody. */
static void find_means(const flow_job *job, mt_flow *f, mote_vec4 *sums[2])
{
    const mote_world *world = job->world;
    memset(sums[0], 0, f->table.count * sizeof *sums[0]);
    for (uint32_t i = 0; i < world->particles.count; i++) {
        mote_vec4 v = mt_velocities(world)[i], *sum = &sums[0][mt_table_cell(&f->table, job->where[i])];
        *sum = mt_plus4(*sum, (mote_vec4){v.x, v.y, v.z, 1.0f});
    }
    mt_gather_around(&f->table, sums, mt_plus4);
    for (uint32_t k = 0; k < f->table.count; k++) {
        mote_vec4 sum = sums[0][k];
        float part = sum.w > 0 ? 1.0f / sum.w : 0.0f;
        f->velocity[k] = (mote_vec4){sum.x * part, sum.y * part, sum.z * part, sum.w > 0 ? MT_FLOW_NEAR : 0.0f};
    }
}

/* Nodes that have none yet take the mean of those around. */
static void extend(mt_flow *f, mote_vec4 *sums[2])
{
    for (uint32_t k = 0; k < f->table.count; k++) {
        mote_vec4 v = f->velocity[k];
        sums[0][k] = (mote_vec4){v.x, v.y, v.z, v.w > 0 ? 1.0f : 0.0f};
    }
    mt_gather_around(&f->table, sums, mt_plus4);
    for (uint32_t k = 0; k < f->table.count; k++) {
        mote_vec4 sum = sums[0][k];
        if (f->velocity[k].w == 0 && sum.w > 0)
            f->velocity[k] = (mote_vec4){sum.x / sum.w, sum.y / sum.w, sum.z / sum.w, MT_FLOW_BEYOND};
    }
}

static float slope_of(const mt_flow *f, mote_vec4 squares)
{
    return SURE * sqrtf(squares.x + squares.y + squares.z) * f->table.inverse_cell;
}

/* How much the velocity changes along x, y and z from a node to the next, squared: the most within one cell around each,
 * and within two. */
static void find_slopes(mt_flow *f, mote_vec4 *most[2])
{
    for (uint32_t k = 0; k < f->table.count; k++) {
        float square[3] = {0.0f, 0.0f, 0.0f};
        mote_vec4 v = f->velocity[k];
        for (int axis = 0; v.w > 0 && axis < 3; axis++) {
            uint32_t beside[2];
            mt_cells_beside(&f->table, k, axis, beside);
            mote_vec4 next = f->velocity[beside[1]];
            mote_vec3 change = mt_sub(mt_xyz(next), mt_xyz(v));
            square[axis] = next.w > 0 ? mt_dot(change, change) : 0.0f;
        }
        most[0][k] = (mote_vec4){square[0], square[1], square[2], 0.0f};
    }
    mt_gather_around(&f->table, most, mt_most4);
    for (uint32_t k = 0; k < f->table.count; k++)
        f->slope[k] = slope_of(f, most[0][k]);
    mt_gather_around(&f->table, most, mt_most4);
    for (uint32_t k = 0; k < f->table.count; k++)
        f->wide_slope[k] = slope_of(f, most[0][k]);
}

/* Between which velocities the flow is. */
static void find_range(mt_flow *f)
{
    f->low = (mote_vec3){MT_FAR, MT_FAR, MT_FAR};
    f->high = (mote_vec3){-MT_FAR, -MT_FAR, -MT_FAR};
    for (uint32_t k = 0; k < f->table.count; k++) {
        mote_vec4 v = f->velocity[k];
        if (v.w == 0)
            continue;
        f->low = (mote_vec3){fminf(f->low.x, v.x), fminf(f->low.y, v.y), fminf(f->low.z, v.z)};
        f->high = (mote_vec3){fmaxf(f->high.x, v.x), fmaxf(f->high.y, v.y), fmaxf(f->high.z, v.z)};
    }
}

static mote_result find_field(const flow_job *job, const mt_motion *motion)
{
    mote_world *world = job->world;
    mt_flow *f = &world->scratch->search.flow;
    float apart = 2.0f * (job->base + job->most + job->time * motion->fastest);
    float cell = SURE * fmaxf(WIDTH * world->radius, apart / 3.0f);
    f->table.inverse_cell = 1.0f / cell;
    mt_table_size(&f->table, motion->low, motion->high, world->particles.count / A_CELL);
    MT_TRY(reserve(world, f));
    mote_vec4 *data = f->nodes.data, *spare[2] = {data + f->table.count, data + 2 * f->table.count};
    f->velocity = data;
    f->slope = (float *)(data + 3 * f->table.count);
    f->wide_slope = f->slope + f->table.count;
    f->most_part = 1.0f - 2.0f * f->most_reach / cell;
    find_means(job, f, spare);
    extend(f, spare);
    extend(f, spare);
    find_slopes(f, spare);
    find_range(f);
    return MOTE_OK;
}

/* ---- what it says of a place --------------------------------------------------------------------------- */

mote_vec4 mt_flow_at(const mt_flow *f, mote_vec4 x)
{
    const float at[3] = {x.x * f->table.inverse_cell - 0.5f, x.y * f->table.inverse_cell - 0.5f,
                         x.z * f->table.inverse_cell - 0.5f};
    int32_t first[3];
    float part[3];
    for (int axis = 0; axis < 3; axis++) {
        first[axis] = mt_cell_coordinate(at[axis], 1.0f);
        part[axis] = at[axis] - (float)first[axis];
    }
    mote_vec4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int corner = 0; corner < 8; corner++) {
        const int32_t to[3] = {first[0] + (corner & 1), first[1] + (corner >> 1 & 1), first[2] + (corner >> 2)};
        float weight = ((corner & 1) != 0 ? part[0] : 1.0f - part[0]) *
                       ((corner & 2) != 0 ? part[1] : 1.0f - part[1]) *
                       ((corner & 4) != 0 ? part[2] : 1.0f - part[2]);
        mote_vec4 v = f->velocity[mt_table_cell_at(&f->table, to)];
        sum = mt_plus4(sum, (mote_vec4){weight * v.x, weight * v.y, weight * v.z, 0.0f});
    }
    uint32_t cell = mt_table_cell(&f->table, x);
    bool sure = f->velocity[cell].w == MT_FLOW_NEAR && f->time * f->wide_slope[cell] < f->most_part &&
                f->time * f->slope[cell] < STEEPEST;
    sum.w = sure ? f->slope[cell] : -1.0f;
    return sum;
}

float mt_flow_reach(const mt_flow *f, mote_vec4 flow)
{
    float part = f->time * flow.w;
    if (part >= 0)
        return f->most_reach * part / (1.0f - part);
    mote_vec3 up = mt_sub(f->high, mt_xyz(flow)), down = mt_sub(mt_xyz(flow), f->low);
    mote_vec3 off = {fmaxf(up.x, down.x), fmaxf(up.y, down.y), fmaxf(up.z, down.z)};
    return SURE * f->time * mt_length(off);
}

float mt_flow_slack(const mt_flow *f, mote_vec3 drift, mote_vec4 velocity)
{
    float speed = mt_length(mt_sub(mt_xyz(velocity), drift));
    return fminf(f->slack + f->time * speed, f->most_slack);
}

/* ---- particles ----------------------------------------------------------------------------------------- */

static void follow(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const flow_job *job = context;
    const mt_scratch *s = job->world->scratch;
    const mt_flow *f = &s->search.flow;
    mote_vec4 *drift = f->drift.data, *ahead = s->search.ahead.data;
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        mote_vec4 v = mt_velocities(job->world)[i], x = job->where[i];
        x = (mote_vec4){x.x + f->until_middle * v.x, x.y + f->until_middle * v.y, x.z + f->until_middle * v.z,
                        x.w};
        mote_vec4 flow = mt_flow_at(f, x);
        float slack = mt_flow_slack(f, mt_xyz(flow), v), further = flow.w < 0 ? 0.0f : mt_flow_reach(f, flow);
        ahead[i] = (mote_vec4){slack + further, 0.0f, 0.0f, v.w};
        drift[i] = (mote_vec4){flow.x, flow.y, flow.z, flow.w < 0 ? -1.0f : slack};
    }
}

/* Behind the last. */
static void pad(mote_world *world)
{
    const mt_scratch *s = world->scratch;
    uint32_t count = world->particles.count;
    for (uint32_t i = count; i < mt_slice_count(count) * MT_SLICE; i++)
        ((mote_vec4 *)s->search.ahead.data)[i] = ((mote_vec4 *)s->search.moved_ahead.data)[i] =
            ((mote_vec4 *)s->search.flow.drift.data)[i] = ((mote_vec4 *)s->search.flow.moved_drift.data)[i] =
                (mote_vec4){0.0f, 0.0f, 0.0f, 0.0f};
}

/* What some of the particles say. */
typedef struct flow_sample {
    float speed, slope; /* beside the flow, m/s, and of it, 1/s: on the average */
    uint32_t number,
        lost[SUBSTEPS]; /* how many were asked, and of lists for so many substeps and one: how many would
                                        not rely on the flow, but on that of one less */
} flow_sample;

static void ask_some(const flow_job *job, float h, uint32_t most, flow_sample *sample)
{
    const mote_world *world = job->world;
    const mt_flow *f = &world->scratch->search.flow;
    memset(sample, 0, sizeof *sample);
    for (uint32_t i = 0; i < world->particles.count; i += SAMPLE) {
        uint32_t cell = mt_table_cell(&f->table, job->where[i]);
        mote_vec4 flow = mt_flow_at(f, job->where[i]);
        sample->speed += mt_length(mt_sub(mt_xyz(mt_velocities(world)[i]), mt_xyz(flow)));
        sample->slope += f->slope[cell];
        sample->number++;
        float lasts = f->most_part / (h * f->wide_slope[cell]);
        if (lasts < (float)most)
            sample->lost[(uint32_t)lasts]++;
    }
    sample->speed /= (float)sample->number;
    sample->slope /= (float)sample->number;
}

/* For how many substeps of h seconds lists had best be made: lists for more are longer. Notes how far particles reach for
 * that on the average, beside what they need. */
static uint32_t best_substeps(const flow_job *job, float h, uint32_t most)
{
    mt_flow *f = &job->world->scratch->search.flow;
    flow_sample sample;
    ask_some(job, 0.5f * h, most, &sample);
    float least = INFINITY;
    uint32_t lost = 0, best = 1;
    for (uint32_t substeps = 1; substeps <= most; substeps++) {
        float time = 0.5f * h * (float)substeps,
              further = job->slack + time * (sample.speed + f->most_reach * sample.slope);
        float wider = 1.0f + further / job->base;
        float cost = wider * wider * wider * (PASSES + BUILD / (float)substeps);
        lost += sample.lost[substeps - 1];
        if (cost < least && (substeps == 1 || lost * FEW <= sample.number)) {
            best = substeps;
            f->usual = further;
            least = cost;
        }
    }
    return best;
}

mote_result mt_follow_flow(mote_world *world, const mote_vec4 *where, float h, float time,
                           const mt_motion *motion, bool at_start)
{
    mt_flow *f = &world->scratch->search.flow;
    mt_list_plan *plan = &world->scratch->search.plan;
    float before = at_start ? 0.0f : h; /* places of the start of a substep are asked for at its end */
    uint32_t most = (uint32_t)fminf((time + before) / h + 0.5f, (float)SUBSTEPS);
    flow_job job = {.world = world,
                    .where = where,
                    .time = 0.5f * h * (float)most,
                    .base = fmaxf(plan->least, plan->margin * motion->max_radius),
                    .slack = LEAST_SLACK * world->radius,
                    .most = MOST_SLACK * world->radius};
    f->time = job.time;
    f->slack = job.slack;
    f->most_slack = job.most;
    f->most_reach = job.base + job.most;
    MT_TRY(find_field(&job, motion));
    f->time = 0.5f * h * (float)best_substeps(&job, h, most);
    f->until_middle = f->time - before;
    plan->usual = job.base + USUAL * f->usual;
    mt_parallel_for(&world->threads, world->particles.count, BLOCK_SLOTS, follow, &job);
    pad(world);
    return MOTE_OK;
}

static void go_on(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const flow_job *job = context;
    const mt_flow *f = &job->world->scratch->search.flow;
    const mote_vec4 *velocity = mt_velocities(job->world);
    mote_vec4 *middle = f->middle.data;
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        mote_vec4 x = job->where[i], v = velocity[i];
        middle[i] = (mote_vec4){x.x + f->until_middle * v.x, x.y + f->until_middle * v.y,
                                x.z + f->until_middle * v.z, x.w};
    }
}

const mote_vec4 *mt_list_places(mote_world *world, const mote_vec4 *where)
{
    flow_job job = {.world = world, .where = where};
    if (!world->scratch->search.plan.follows)
        return where;
    mt_parallel_for(&world->threads, mt_slice_count(world->particles.count) * MT_SLICE, BLOCK_SLOTS, go_on,
                    &job);
    return world->scratch->search.flow.middle.data;
}
