/* Numbers about the world as it is now. */
#include "base/vec.h"
#include "step/finish/stats_fluid.h"
#include "step/neighbors/neighbors.h"
#include "step/neighbors/plan.h"
#include "world/check.h"
#include "world/placement.h"
#include "world/world.h"

static void add_energies(const mote_world *world, mote_stats *stats)
{
    double momentum[3] = {0, 0, 0};
    mote_vec3 g = world->settings.gravity;
    for (uint32_t i = 0; i < world->particles.count; i++) {
        mote_vec4 x = mt_positions(world)[i], v = mt_velocities(world)[i];
        float speed = mt_length(mt_xyz(v));
        stats->max_speed = speed > stats->max_speed ? speed : stats->max_speed;
        stats->asleep += mt_rest_times(world)[i] < 0;
        if (v.w == 0)
            continue;
        double mass = 1.0 / (double)v.w;
        double turning = (double)x.w * (double)mt_length(mt_xyz(mt_spins(world)[i]));
        stats->kinetic_energy +=
            0.5 * mass * ((double)speed * (double)speed + (double)MT_BALL_INERTIA * turning * turning);
        stats->potential_energy -=
            mass * ((double)g.x * (double)x.x + (double)g.y * (double)x.y + (double)g.z * (double)x.z);
        momentum[0] += mass * (double)v.x;
        momentum[1] += mass * (double)v.y;
        momentum[2] += mass * (double)v.z;
    }
    stats->momentum = (mote_vec3){(float)momentum[0], (float)momentum[1], (float)momentum[2]};
}

static void add_gap(mote_stats *stats, float gap, float near, double share)
{
    stats->contacts += gap < near;
    if (gap >= 0)
        return;
    stats->max_penetration = -gap > stats->max_penetration ? -gap : stats->max_penetration;
    stats->residual -= share * (double)gap;
}

static void add_shape_overlaps(const mote_world *world, uint32_t i, mote_stats *stats)
{
    mote_vec4 x = mt_positions(world)[i];
    float near = 2.0f * (world->settings.contact_margin - 1.0f) * x.w;
    uint32_t channels = (mt_phases(world)[i] & MOTE_PHASE_CHANNEL_MASK) >> MOTE_PHASE_CHANNEL_SHIFT;
    uint32_t *around = world->scratch->shapes.around.data;
    uint32_t count = mt_placement_around(world, mt_xyz(x), near + x.w, around);
    for (uint32_t k = 0; k < count; k++) {
        const mt_placed *placed = &mt_placed_shapes(&world->placement)[around[k]];
        if ((placed->channels & channels) != 0 && !placed->trigger)
            add_gap(stats, mt_placed_distance(placed, mt_xyz(x), near + 2.0f * x.w) - x.w, near, 1.0);
    }
}

/* A pair of free particles is in both lists, so each entry counts for half. */
static void add_overlaps(const mote_world *world, uint32_t i, mote_stats *stats)
{
    const mt_lists *lists = &world->scratch->search.lists;
    mote_vec4 x = mt_positions(world)[i];
    float margin = world->settings.contact_margin;
    for (uint32_t k = 0; k < mt_neighbor_count(lists, i); k++) {
        uint32_t j = mt_neighbor(lists, i, k);
        if (j >= world->particles.count ||
            mt_are_bound(world, mt_particle_ids(world)[i].index, mt_particle_ids(world)[j].index))
            continue;
        mote_vec4 other = mt_positions(world)[j];
        float touch = x.w + other.w;
        float gap = mt_length(mt_sub(mt_xyz(x), mt_xyz(other))) - touch;
        add_gap(stats, gap, (margin - 1.0f) * touch, mt_velocities(world)[j].w > 0 ? 0.5 : 1.0);
    }
    if (mt_velocities(world)[i].w > 0)
        add_shape_overlaps(world, i, stats);
}

static mote_result measure(mote_world *world, mote_stats *stats)
{
    uint32_t builds = world->neighbor_builds;
    MT_TRY(mt_scratch_reserve(world));
    MT_TRY(mt_placement_begin(world, 0.0f));
    MT_TRY(mt_array_reserve(&world->scratch->shapes.around, &world->memory, world->shapes.count, 0));
    MT_TRY(mt_deferred_begin(world));
    if (mt_any_fluid(world))
        mt_fluid_fill(world, true); /* lists ask for it */
    mt_list_plan plan = mt_plan_for_now(world);
    MT_TRY(mt_grid_sort(world, mt_positions(world), &plan));
    MT_TRY(mt_lists_build(world, mt_positions(world), false, false));
    world->neighbor_builds = builds;
    for (uint32_t i = 0; i < world->particles.count; i++)
        add_overlaps(world, i, stats);
    stats->neighbors = world->scratch->search.lists.entries;
    return mt_stats_add_fluids(world, stats);
}

mote_result mote_world_stats(mote_world *world, mote_stats *stats)
{
    MT_TRY(mt_enter(world, "mote_world_stats"));
    MT_TRY(mt_check_pointer("stats", stats));
    mote_stats made = {
        .particles = world->particles.count,
        .bodies = world->bodies.count,
        .joints = world->joints.count,
        .constraints = world->constraints.count,
        .neighbor_builds = world->neighbor_builds,
        .substeps = world->settings.substeps,
        .iterations = world->settings.iterations,
        .step_ms = world->step_ms,
    };
    add_energies(world, &made);
    mote_result result = MOTE_OK;
    if (world->particles.count > 0) {
        world->busy = true;
        result = measure(world, &made);
        world->busy = false;
    }
    made.memory = world->memory.held;
    if (result == MOTE_OK)
        *stats = made;
    return result;
}
