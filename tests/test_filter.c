/* Who collides with whom: groups, self-collision and shape channels. */
#include "support.h"

#include <math.h>

/* Two particles fly at each other; true if they passed through as if alone. */
static bool pass_through(uint32_t first, uint32_t second)
{
    mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    mote_particle_def def = mote_default_particle_def();
    def.position = vec(-0.5f, 0, 0);
    def.velocity = vec(1, 0, 0);
    def.phase = first;
    mote_particle_id a = mote_particle_add(world, &def);
    def.position = vec(0.5f, 0, 0);
    def.velocity = vec(-1, 0, 0);
    def.phase = second;
    mote_particle_id b = mote_particle_add(world, &def);
    step_times(world, 64, 1.0f / 64);
    float xa = state_of(world, a).position.x, xb = state_of(world, b).position.x;
    mote_world_destroy(world);
    bool passed = fabsf(xa - 0.5f) < 1e-5f && fabsf(xb + 0.5f) < 1e-5f;
    /* Without restitution a head-on meeting ends with both at rest, touching. */
    bool stopped = fabsf(xa + TEST_RADIUS) < 0.1f * TEST_RADIUS && fabsf(xb - TEST_RADIUS) < 0.1f * TEST_RADIUS;
    check_true(passed != stopped, "they pass or they stop: x = %g and %g", (double)xa, (double)xb);
    return passed;
}

static void groups(void **state)
{
    (void)state;
    check_true(!pass_through(mote_phase(0, true, 0), mote_phase(0, true, 0)),
               "one group that collides with itself");
    check_true(pass_through(mote_phase(0, false, 0), mote_phase(0, false, 0)), "one group that does not");
    check_true(pass_through(mote_phase(7, false, 0x7F), mote_phase(7, false, 0x7F)), "channels are for shapes");
    check_true(!pass_through(mote_phase(1, false, 0), mote_phase(2, false, 0)), "two groups");
    check_true(!pass_through(mote_phase(1, false, 0), mote_phase(1 << 19, false, 0)), "a high group");
    check_true(!pass_through(mote_phase(0xFFFFF, true, 0), mote_phase(0xFFFFF, true, 0)), "the last group");
    check_true(!pass_through(MOTE_PHASE_DEFAULT, MOTE_PHASE_DEFAULT), "the default phase");
}

/* A particle falls towards a plane; true if it went through. */
static bool falls_through(uint32_t particle_channels, uint32_t plane_channels)
{
    mote_world *world = test_world(NULL);
    mote_plane_def plane = mote_default_plane_def();
    plane.channels = plane_channels;
    must_exist(mote_plane_add(world, &plane));
    mote_particle_def def = mote_default_particle_def();
    def.position = vec(0, 0.5f, 0);
    def.phase = mote_phase(0, true, particle_channels);
    mote_particle_id p = mote_particle_add(world, &def);
    step_times(world, 60, TEST_FRAME);
    float y = state_of(world, p).position.y;
    mote_world_destroy(world);
    check_true(y < -1 || fabsf(y - TEST_RADIUS) < 1e-3f, "it rests or is far below: y = %g", (double)y);
    return y < 0;
}

static void channels(void **state)
{
    (void)state;
    for (uint32_t bit = 0; bit < 7; ++bit) {
        check_true(!falls_through(1u << bit, 1u << bit), "channel %u with itself", bit);
        check_true(!falls_through(0x7F, 1u << bit), "all channels with channel %u", bit);
        check_true(falls_through(1u << bit, 1u << ((bit + 1) % 7)), "channel %u with the next", bit);
        check_true(falls_through(0x7Fu & ~(1u << bit), 1u << bit), "all but channel %u with it", bit);
    }
    check_true(falls_through(0, 0x7F), "a particle without channels");
    check_true(falls_through(0x7F, 0), "a plane without channels");
}

/* Two boxes of grains in one place, of one group without self-collision: they stay as they are, and the
 * statistics see no overlap that anyone would have to mend. */
static void ghosts_overlap_in_peace(void **state)
{
    (void)state;
    mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    mote_grains_def grains = mote_default_grains_def();
    grains.phase = mote_phase(3, false, 0x7F);
    grains.spacing = TEST_RADIUS;
    must(mote_grains_block(world, &grains, NULL));
    step_times(world, 10, TEST_FRAME);
    mote_stats stats = stats_of(world);
    check_near(stats.kinetic_energy, 0, 0, "kinetic energy");
    check_near(stats.residual, 0, 0, "sum of overlaps between particles that may collide");
    mote_world_destroy(world);
}

/* A phase may change during flight. */
static void phase_can_change(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    add_floor(world, (mote_material_id){0});
    mote_particle_id p = add_particle(world, vec(0, TEST_RADIUS, 0), vec(0, 0, 0), (mote_material_id){0});
    step_times(world, 30, TEST_FRAME);
    check_near(state_of(world, p).position.y, TEST_RADIUS, 1e-5, "height on the floor");
    must(mote_particle_set_phase(world, p, mote_phase(0, true, 0)));
    step_times(world, 30, TEST_FRAME);
    check_below(state_of(world, p).position.y, -0.5, "height after the channels were taken away");
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups),
        cmocka_unit_test(channels),
        cmocka_unit_test(ghosts_overlap_in_peace),
        cmocka_unit_test(phase_can_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
