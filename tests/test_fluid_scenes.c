/* What the scenes of liquids show, in worlds small enough for a test: slabs that float as deep as Archimedes
 * says, a stone that presses a raft down, water that lies flat and keeps its volume for a minute. */
#include "wet_tank.h"

#include <math.h>

#define WIDE  24 /* the tank, in spacings */
#define DEEP  12 /* along z */
#define WATER 6  /* layers of water */
#define SLAB  10 /* edge of a slab, in spacings */
#define HIGH  4  /* its height */

static mote_body_id add_box_at(mote_world *world, float density, mote_vec3 place, uint32_t edge, uint32_t high)
{
    mote_rigid_def def = mote_default_rigid_def();
    def.material = add_matter(world, density, false);
    def.pose.position = place;
    mote_body_id body = mote_rigid_box(world, &def, (const uint32_t[3]){edge, high, edge});
    must_exist(body);
    return body;
}

static mote_vec3 place_of(const mote_world *world, mote_body_id body)
{
    mote_body_state state;
    must(mote_body_get(world, body, &state));
    return state.pose.position;
}

/* The water's level, by volume: how many particles stand in slices across the
 * tank that the slab is not in, each with its cube. */
static double level_beside(const mote_world *world, double slab_x)
{
    mote_particles_view view = mote_particles_get_view(world);
    double spacing = 2.0 * (double)R, gap = (SLAB / 2 + 2) * spacing;
    size_t water = 0, slices = 0;
    for (int k = 0; k < WIDE; k++) {
        double from = k * spacing, to = from + spacing;
        if (from < slab_x + gap && to > slab_x - gap)
            continue;
        slices++;
        for (size_t i = 0; i < view.count; i++)
            water += (double)view.position[i].x >= from && (double)view.position[i].x < to;
    }
    check_above((double)slices, 0.5, "slices of water alone");
    return (double)water * spacing / (double)(slices * DEEP);
}

/* The part of a slab's height that is under water. */
static double immersion(const mote_world *world, mote_body_id slab)
{
    mote_vec3 place = place_of(world, slab);
    double height = 2.0 * (double)R * HIGH;
    return (level_beside(world, (double)place.x) - (double)place.y + 0.5 * height) / height;
}

static mote_world *slab_world(float density, mote_body_id *slab)
{
    mote_world *world = tank_world();
    add_tank(world, WIDE, DEEP);
    add_water(world, WIDE, WATER, DEEP);
    *slab = add_box_at(world, density, vec(R * WIDE, 2.0f * R * (WATER + 0.5f * HIGH), R * DEEP), SLAB, HIGH);
    return world;
}

static void slabs_float_at_their_depth(void **state)
{
    (void)state;
    const float parts[3] = {0.25f, 0.5f, 0.75f};
    for (int k = 0; k < 3; k++) {
        mote_body_id slab;
        mote_world *world = slab_world(1000.0f * parts[k], &slab);
        step_times(world, 240, TEST_FRAME);
        check_near(immersion(world, slab), (double)parts[k], 0.05, "part under water");
        mote_world_destroy(world);
    }
}

static void a_dense_slab_sinks(void **state)
{
    (void)state;
    mote_body_id slab;
    mote_world *world = slab_world(1500.0f, &slab);
    step_times(world, 120, TEST_FRAME);
    check_above(immersion(world, slab), 1.25, "how far its bottom is under water, in its heights");
    mote_world_destroy(world);
}

/* How far b is from a along a's own upward axis. */
static double height_above(const mote_world *world, mote_body_id b, mote_body_id a)
{
    mote_body_state state;
    must(mote_body_get(world, a, &state));
    mote_vec3 from = state.pose.position, to = place_of(world, b);
    const mote_quat q = state.pose.rotation;
    double x = 2.0 * (double)(q.x * q.y - q.w * q.z), y = 1.0 - 2.0 * (double)(q.x * q.x + q.z * q.z),
           z = 2.0 * (double)(q.y * q.z + q.w * q.x);
    return x * (double)(to.x - from.x) + y * (double)(to.y - from.y) + z * (double)(to.z - from.z);
}

/* A stone of 4 x 4 x 4 particles is laid on a raft that floats: the raft goes down until it displaces the
 * weight of both, whatever the stone weighs beside the raft. It sways a little: what counts is
 * the mean of the last second. With few substeps it lies deeper. The stone of 2500 on a raft of 100 makes this
 * top-heavy: its metacentre is 4.17 + 1 - 5.2 spacings above the centre of mass, a bit below 0, so that it
 * heels over by about 7 degrees to either side. How high the stone lies is asked along the raft's own axis. */
static void check_raft(float raft_density, float stone_density, uint32_t substeps)
{
    enum { STONE = 4, LAST = 60 };
    mote_body_id raft;
    mote_world *world = slab_world(raft_density, &raft);
    mote_settings settings = mote_world_settings(world);
    settings.substeps = substeps;
    must(mote_world_set_settings(world, &settings));
    step_times(world, 90, TEST_FRAME);
    mote_vec3 place = place_of(world, raft);
    place.y += R * (HIGH + STONE);
    mote_body_id stone = add_box_at(world, stone_density, place, STONE, STONE);
    step_times(world, 180 - LAST, TEST_FRAME);
    double under = 0.0;
    for (int n = 0; n < LAST; n++) {
        step_times(world, 1, TEST_FRAME);
        under += immersion(world, raft) / LAST;
    }
    double load = (double)stone_density * STONE * STONE * STONE / (SLAB * SLAB * HIGH);
    check_near(under, ((double)raft_density + load) / 1000.0, substeps < 4 ? 0.07 : 0.05,
               "part of a raft of %g kg/m^3 under water, with a stone of %g, %u substeps", (double)raft_density,
               (double)stone_density, substeps);
    check_near(height_above(world, stone, raft), (double)R * (HIGH + STONE), 0.1 * (double)R,
               "the stone lies on the raft, m");
    mote_world_destroy(world);
}

static void a_stone_presses_a_raft_down(void **state)
{
    (void)state;
    const uint32_t usual = mote_default_settings().substeps;
    check_raft(250.0f, 1500.0f, usual);
    check_raft(250.0f, 3000.0f, usual);
    check_raft(500.0f, 750.0f, usual);
    check_raft(100.0f, 2500.0f, usual);
    check_raft(250.0f, 1500.0f, 4);
    check_raft(250.0f, 3000.0f, 4);
    check_raft(100.0f, 2500.0f, 4);
    check_raft(250.0f, 1500.0f, 2);
}

/* A column is let go in a tank four times as long. A minute later the surface
 * is flat within half a spacing and where it was after a third of that, and so
 * is the volume. */
static void water_keeps_its_volume_for_a_minute(void **state)
{
    (void)state;
    mote_world *world = tank_world();
    double spacing = 2.0 * (double)R;
    add_tank(world, WIDE, 4);
    add_water(world, WIDE / 4, 16, 4);
    double volume = (double)mote_particle_count(world) * spacing * spacing * spacing;
    step_times(world, 1200, TEST_FRAME);
    double early = highest_of(world, 0.0, 10.0);
    step_times(world, TEST_BY_BUILD(2400, 1200, 300), TEST_FRAME);
    double low = 1e9, high = 0.0;
    for (int k = 0; k < 6; k++) {
        double top = highest_of(world, k * WIDE / 6 * spacing, (k + 1) * WIDE / 6 * spacing);
        low = fmin(low, top);
        high = fmax(high, top);
    }
    check_below(high - low, 0.5 * spacing, "how flat the surface is, m");
    check_near(high, early, 0.02 * early, "its height after a minute, m");
    check_near(stats_of(world).fluid_volume, volume, 0.02 * volume, "volume, m^3");
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slabs_float_at_their_depth),
        cmocka_unit_test(a_dense_slab_sinks),
        cmocka_unit_test(a_stone_presses_a_raft_down),
        cmocka_unit_test(water_keeps_its_volume_for_a_minute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
