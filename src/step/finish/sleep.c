/* Sleep. A particle that has been slow for a while, among touching neighbours that have been slow as well,
 * falls asleep: its velocity and spin are zeroed and it counts as fixed until it wakes. It wakes when a touching
 * neighbour moves fast, when a moving shape touches it, or when something near it was taken away or changed. Impulses
 * stop within a step who hits a sleeper, which is as good as fixed: there it wakes a step before it is hit. */
#include "base/vec.h"
#include "step/finish/finish.h"
#include "step/neighbors/plan.h"
#include "world/check.h"

#define BLOCK_SLOTS (MT_BLOCK * MT_SLICE)
#define TOUCH       1.05f /* sums of radii within which particles count as touching */
#define WAKE_FACTOR 2.0f  /* a neighbour this many times faster than the sleeping speed wakes */
#define LISTED      0.99f /* of how far lists look ahead: nobody within is missing by rounding */

typedef struct sleep_job {
    mote_world *world;
    float dt, sleep_square, wake_square;
} sleep_job;

static bool is_disturbed(const mote_world *world, mote_vec4 x)
{
    const mt_disturbance *d = &world->disturbance;
    return d->any && x.x + x.w >= d->min.x && x.x - x.w <= d->max.x && x.y + x.w >= d->min.y &&
           x.y - x.w <= d->max.y && x.z + x.w >= d->min.z && x.z - x.w <= d->max.z;
}

/* A spin counts as what it is at the surface, if somebody goes by it. */
static float speed_square(const mote_world *world, uint32_t i)
{
    mote_vec3 v = mt_xyz(mt_velocities(world)[i]);
    float square = mt_dot(v, v);
    if (world->materials[mt_material_indices(world)[i]].rolls) {
        mote_vec3 turning = mt_scale(mt_xyz(mt_spins(world)[i]), mt_positions(world)[i].w);
        square += mt_dot(turning, turning);
    }
    return square;
}

/* What is asked of the touching neighbours: that none moves fast enough to wake a sleeper, that none is on
 * the move still, or that all sleep. */
typedef enum question {
    NONE_WAKES,
    NONE_MOVES,
    ALL_SLEEP,
} question;

static bool holds_for(const sleep_job *job, uint32_t j, question asked)
{
    const mote_world *world = job->world;
    float rest = mt_rest_times(world)[j];
    bool lies = mt_velocities(world)[j].w == 0 || rest < 0;
    if (asked == NONE_WAKES)
        return speed_square(world, j) <= job->wake_square;
    return lies || (asked == NONE_MOVES && rest >= 0.5f * world->settings.sleep_time);
}

/* Whether j flies so that it touches i, which lies still, before another step is over. Lists hold all of whom this can
 * be true where the step starts (plan.c, ahead.c), whatever else they hold; nobody looks further than they do. */
static bool will_touch(const sleep_job *job, uint32_t i, uint32_t j)
{
    const mote_world *world = job->world;
    const mote_settings *set = &world->settings;
    mote_vec4 x = mt_positions(world)[i], y = mt_positions(world)[j];
    mote_vec3 d = mt_sub(mt_xyz(x), mt_xyz(y)), way = mt_scale(mt_xyz(mt_velocities(world)[j]), 2.0f * job->dt);
    float along = mt_dot(d, way), square = mt_dot(way, way), touch = TOUCH * (x.w + y.w);
    float furthest = MT_LOOK_AHEAD * world->radius, far = sqrtf(square) < furthest ? sqrtf(square) : furthest;
    float listed = set->contact_margin * (x.w + y.w) + LISTED * far;
    if (!(along > 0) || !(mt_dot(d, d) < listed * listed))
        return false;
    d = mt_sub(d, mt_scale(way, along < square ? along / square : 1.0f)); /* where they are nearest */
    return mt_dot(d, d) <= touch * touch;
}

static void look_range(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const sleep_job *job = context;
    const mote_world *world = job->world;
    const mt_lists *lists = &world->scratch->search.lists;
    uint8_t *struck = world->scratch->finish.struck.data;
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        struck[i] = 0;
        uint32_t count = mt_rest_times(world)[i] < 0 ? mt_neighbor_count(lists, i) : 0;
        for (uint32_t k = 0; struck[i] == 0 && k < count; k++) {
            uint32_t j = mt_neighbor(lists, i, k);
            struck[i] = j < world->particles.count && !holds_for(job, j, NONE_WAKES) && will_touch(job, i, j);
        }
    }
}

typedef struct asking {
    const sleep_job *job;
    question asked;
} asking;

/* Who is held by a constraint counts as touching. */
static bool agrees(const void *context, uint32_t j)
{
    const asking *a = context;
    return holds_for(a->job, j, a->asked);
}

static bool neighbors_agree(const sleep_job *job, uint32_t i, question asked)
{
    const mote_world *world = job->world;
    const mt_lists *lists = &world->scratch->search.lists;
    uint32_t touches = 0;
    for (uint32_t k = 0; k < mt_neighbor_count(lists, i); k++) {
        uint32_t j = mt_neighbor(lists, i, k);
        if (j >= world->particles.count ||
            !mt_are_touching(mt_positions(world)[i], mt_positions(world)[j], TOUCH))
            continue;
        if (!holds_for(job, j, asked))
            return false;
        touches++;
    }
    const asking asks = {job, asked};
    if (!mt_connected_agree(world, mt_particle_ids(world)[i].index, agrees, &asks))
        return false;
    return touches > 0 || asked != ALL_SLEEP; /* who lies alone is not held by sleepers */
}

static float judge(const sleep_job *job, uint32_t i)
{
    const mote_world *world = job->world;
    float rest = mt_rest_times(world)[i];
    if (mt_velocities(world)[i].w == 0 || world->materials[mt_material_indices(world)[i]].fluid)
        return 0.0f;
    if (rest < 0) {
        mote_vec4 x = mt_positions(world)[i];
        bool wakes = ((const uint8_t *)world->scratch->finish.struck.data)[i] != 0 || is_disturbed(world, x) ||
                     mt_moving_shape_touches(world, mt_xyz(x), TOUCH * x.w) ||
                     !neighbors_agree(job, i, NONE_WAKES);
        return wakes ? 0.0f : MT_ASLEEP;
    }
    float speed = speed_square(world, i);
    bool slow = speed < job->sleep_square;
    /* Who is wedged between sleepers may tremble without end: too slow to wake them counts as slow. */
    if (!slow && !(speed < job->wake_square && neighbors_agree(job, i, ALL_SLEEP)))
        return 0.0f;
    rest += job->dt;
    return rest >= world->settings.sleep_time && neighbors_agree(job, i, NONE_MOVES) ? MT_ASLEEP : rest;
}

static void judge_range(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const sleep_job *job = context;
    float *out = job->world->scratch->particles.rest_time.data;
    (void)worker;
    for (uint32_t i = begin; i < end; i++)
        out[i] = judge(job, i);
}

/* Goes through the particles of an assembly: finds the shortest rest, or writes it. */
static float rest_of_assembly(mote_world *world, const mt_assembly *a, float rest, bool write)
{
    const mt_body_plan *p = &world->scratch->bodies;
    float *judged = world->scratch->particles.rest_time.data, least = MT_ASLEEP;
    for (uint32_t i = 0; i < a->bodies; i++) {
        const mt_body_work *work = &mt_body_works(p)[a->first_body + i];
        const mt_body *body = &mt_bodies(world)[work->body];
        for (uint32_t k = 0; k < body->link_count; k++) {
            uint32_t particle = mt_links(world)[body->first_link + k].particle.index;
            uint32_t slot = mt_handle_entries(&world->particles.handles)[particle].slot;
            if (write && mt_velocities(world)[slot].w > 0)
                judged[slot] = rest;
            else if (judged[slot] >= 0 && mt_velocities(world)[slot].w > 0 &&
                     (least < 0 || judged[slot] < least))
                least = judged[slot];
        }
    }
    return least;
}

/* Jointed bodies fall asleep when all their particles may, and wake when one does. */
static void sleep_together(mote_world *world, uint32_t k)
{
    const mt_assembly *a = (const mt_assembly *)world->scratch->bodies.assemblies.data + k;
    float rest = rest_of_assembly(world, a, 0.0f, false);
    if (rest >= 0)
        rest_of_assembly(world, a, rest, true);
}

static sleep_job job_of(mote_world *world, float dt)
{
    float square = world->settings.sleep_speed * world->settings.sleep_speed;
    return (sleep_job){world, dt, square, WAKE_FACTOR * WAKE_FACTOR * square};
}

mote_result mt_sleep_look(mote_world *world, float dt)
{
    if (world->settings.sleep_speed == 0)
        return MOTE_OK;
    MT_TRY(mt_array_reserve(&world->scratch->finish.struck, &world->memory, world->particles.count, 0));
    sleep_job job = job_of(world, dt);
    mt_parallel_for(&world->threads, world->particles.count, BLOCK_SLOTS, look_range, &job);
    return MOTE_OK;
}

mote_result mt_sleep_judge(mote_world *world, float dt)
{
    float speed = world->settings.sleep_speed;
    if (speed == 0 || world->particles.count == 0)
        return MOTE_OK;
    sleep_job job = job_of(world, dt);
    mt_parallel_for(&world->threads, world->particles.count, BLOCK_SLOTS, judge_range, &job);
    for (uint32_t k = 0; k < world->scratch->bodies.assembly_count; k++)
        sleep_together(world, k);
    return MOTE_OK;
}

void mt_sleep_commit(mote_world *world)
{
    world->disturbance.any = false;
    if (world->settings.sleep_speed == 0)
        return;
    const float *judged = world->scratch->particles.rest_time.data;
    for (uint32_t i = 0; i < world->particles.count; i++) {
        mote_vec4 *v = &mt_velocities(world)[i];
        mt_rest_times(world)[i] = judged[i];
        if (judged[i] < 0) {
            *v = (mote_vec4){0.0f, 0.0f, 0.0f, v->w};
            mt_spins(world)[i] = (mote_vec4){0.0f, 0.0f, 0.0f, 0.0f};
        }
    }
}
