/* Sleeping and waking: what rests falls asleep, what sleeps does not move by a bit, and whatever could move it
 * wakes it. */
#include "support.h"

#include <math.h>
#include <string.h>

static const float sleep_speed = 0.05f; /* m/s */

static mote_settings sleepy(void)
{
    mote_settings settings = mote_default_settings();
    settings.sleep_speed = sleep_speed;
    settings.sleep_time = 0.5f;
    return settings;
}

/* A particle that lies on the floor, asleep. */
static mote_world *sleeping_world(mote_particle_id *particle, mote_shape_id *floor)
{
    mote_settings settings = sleepy();
    mote_world *world = test_world(&settings);
    mote_shape_id shape = add_floor(world, (mote_material_id){0});
    *particle = add_particle(world, vec(0, TEST_RADIUS, 0), vec(0, 0, 0), (mote_material_id){0});
    if (floor)
        *floor = shape;
    step_times(world, 60, TEST_FRAME);
    check_true(state_of(world, *particle).asleep, "a particle that rests for 1 s sleeps");
    return world;
}

static const mote_event *find_event(const mote_world *world, mote_event_type type, mote_particle_id a)
{
    mote_events events = mote_world_events(world);
    for (size_t i = 0; i < events.count; ++i) {
        const mote_event *e = &events.items[i];
        if (e->type == type && e->a.index == a.index && e->a.generation == a.generation)
            return e;
    }
    return NULL;
}

static void sleeps_after_its_time(void **state)
{
    (void)state;
    mote_settings settings = sleepy();
    mote_world *world = test_world(&settings);
    add_floor(world, (mote_material_id){0});
    mote_particle_id p = add_particle(world, vec(0, TEST_RADIUS, 0), vec(0, 0, 0), (mote_material_id){0});
    int asleep_at = -1;
    size_t events = 0;
    for (int i = 1; i <= 120; ++i) {
        step_times(world, 1, TEST_FRAME);
        if (asleep_at < 0 && state_of(world, p).asleep) {
            asleep_at = i;
            check_true(find_event(world, MOTE_EVENT_SLEEP, p) != NULL,
                       "falling asleep is an event of that step");
        }
        events += event_count(world, MOTE_EVENT_SLEEP);
    }
    check_near(asleep_at, 30, 2, "frame at which it falls asleep, with a sleep time of 0.5 s");
    check_near((double)events, 1, 0, "events of falling asleep");
    mote_particles_view view = mote_particles_get_view(world);
    check_below((double)view.rest_time[0], -1e-30, "rest time of a sleeping particle");
    check_near((double)stats_of(world).asleep, 1, 0, "sleepers in the statistics");
    mote_world_destroy(world);
}

static void nobody_sleeps_by_default(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    add_floor(world, (mote_material_id){0});
    add_particle(world, vec(0, TEST_RADIUS, 0), vec(0, 0, 0), (mote_material_id){0});
    step_times(world, 120, TEST_FRAME);
    check_near((double)stats_of(world).asleep, 0, 0, "sleepers with a sleeping speed of 0");
    mote_world_destroy(world);
}

/* Slow is not enough: a particle at the top of its flight is slow, but not for half a second. */
static void flight_does_not_sleep(void **state)
{
    (void)state;
    mote_settings settings = sleepy();
    mote_world *world = test_world(&settings);
    mote_particle_id p = add_particle(world, vec(0, 0, 0), vec(0, 5, 0), (mote_material_id){0});
    for (int i = 0; i < 120; ++i) {
        step_times(world, 1, TEST_FRAME);
        check_true(!state_of(world, p).asleep, "a flying particle is awake, frame %d", i);
    }
    mote_world_destroy(world);
}

/* Zero velocity and the same bits for ten seconds. */
static void a_sleeping_pile_does_not_drift(void **state)
{
    (void)state;
    mote_settings settings = sleepy();
    mote_world_def def = test_world_def(&settings);
    mote_world *world = tumbling_world(&def, 6, 6, 6);
    int frames = 0;
    while (stats_of(world).asleep < 216 && frames < 900) {
        step_times(world, 1, TEST_FRAME);
        ++frames;
    }
    check_near((double)stats_of(world).asleep, 216, 0, "sleepers after %d frames", frames);
    static mote_vec4 before[216];
    memcpy(before, mote_particles_get_view(world).position, sizeof before);
    mote_particle_id ids[216];
    memcpy(ids, mote_particles_get_view(world).id, sizeof ids);
    step_times(world, 600, TEST_FRAME);
    for (int i = 0; i < 216; ++i) {
        mote_particle_state s = state_of(world, ids[i]);
        check_true(s.asleep, "particle %d still sleeps", i);
        check_near(length_of(s.velocity), 0, 0, "speed of sleeping particle %d", i);
        check_near(distance_of(s.position, vec(before[i].x, before[i].y, before[i].z)), 0, 0,
                   "drift of sleeping particle %d", i);
    }
    mote_world_destroy(world);
}

static void wakes_when_hit(void **state)
{
    (void)state;
    mote_particle_id sleeper;
    mote_world *world = sleeping_world(&sleeper, NULL);
    add_particle(world, vec(0.5f, TEST_RADIUS, 0), vec(-3, 0, 0), (mote_material_id){0});
    bool reported = false;
    for (int i = 0; i < 20; ++i) {
        step_times(world, 1, TEST_FRAME);
        reported = reported || find_event(world, MOTE_EVENT_WAKE, sleeper) != NULL;
    }
    check_true(reported, "waking is an event");
    check_below(state_of(world, sleeper).position.x, -0.02, "place of the particle that was hit");
    mote_world_destroy(world);
}

static void wakes_when_its_floor_goes(void **state)
{
    (void)state;
    mote_particle_id sleeper;
    mote_shape_id floor;
    mote_world *world = sleeping_world(&sleeper, &floor);
    must(mote_shape_remove(world, floor));
    step_times(world, 30, TEST_FRAME);
    check_below(state_of(world, sleeper).position.y, -0.5, "height half a second after the floor went");
    mote_world_destroy(world);
}

/* The lower of three stacked particles is taken away; the wake must go up through the second to the third. */
static void wakes_when_its_support_goes(void **state)
{
    (void)state;
    mote_settings settings = sleepy();
    settings.substeps = 8;
    settings.iterations = 8;
    mote_world *world = test_world(&settings);
    add_floor(world, (mote_material_id){0});
    mote_particle_id stack[3];
    for (int i = 0; i < 3; ++i)
        stack[i] = add_particle(world, vec(0, (float)(2 * i + 1) * TEST_RADIUS, 0), vec(0, 0, 0),
                                (mote_material_id){0});
    step_times(world, 180, TEST_FRAME);
    check_near((double)stats_of(world).asleep, 3, 0, "sleepers in a stack of three");
    must(mote_particle_remove(world, stack[0]));
    step_times(world, 60, TEST_FRAME);
    check_near(state_of(world, stack[1]).position.y, TEST_RADIUS, 0.02 * TEST_RADIUS,
               "second, now on the floor");
    check_near(state_of(world, stack[2]).position.y, 3 * TEST_RADIUS, 0.05 * TEST_RADIUS, "third, now second");
    mote_world_destroy(world);
}

static void wakes_by_an_impulse(void **state)
{
    (void)state;
    mote_particle_id sleeper;
    mote_world *world = sleeping_world(&sleeper, NULL);
    must(mote_particle_apply_impulse(world, sleeper, vec(0, 4, 0)));
    step_times(world, 15, TEST_FRAME);
    /* v t - g t^2 / 2 - the half substep of symplectic Euler, after a quarter of a second */
    check_near(state_of(world, sleeper).position.y, TEST_RADIUS + 1 - TEST_GRAVITY / 32, 0.01,
               "height after an impulse of 4 N s on 1 kg");
    mote_world_destroy(world);
}

static void wakes_when_written_to(void **state)
{
    (void)state;
    mote_particle_id sleeper;
    mote_world *world = sleeping_world(&sleeper, NULL);
    must(mote_particle_set_position(world, sleeper, vec(0, 1, 0)));
    step_times(world, 6, TEST_FRAME);
    check_below(state_of(world, sleeper).position.y, 0.97, "height a tenth of a second after it was lifted");
    mote_world_destroy(world);
    world = sleeping_world(&sleeper, NULL);
    must(mote_particle_set_velocity(world, sleeper, vec(2, 0, 0)));
    step_times(world, 6, TEST_FRAME);
    check_above(state_of(world, sleeper).position.x, 0.1, "way in a tenth of a second after it was pushed");
    mote_world_destroy(world);
}

static void wakes_on_demand(void **state)
{
    (void)state;
    mote_particle_id sleeper;
    mote_world *world = sleeping_world(&sleeper, NULL);
    must(mote_world_wake(world));
    check_true(!state_of(world, sleeper).asleep, "mote_world_wake wakes at once");
    step_times(world, 60, TEST_FRAME);
    check_true(state_of(world, sleeper).asleep, "and it falls asleep again");
    mote_world_destroy(world);
}

/* Gravity is what it rested under. */
static void wakes_when_gravity_turns(void **state)
{
    (void)state;
    mote_particle_id sleeper;
    mote_world *world = sleeping_world(&sleeper, NULL);
    mote_settings settings = mote_world_settings(world);
    settings.gravity = vec(0, 9.81f, 0);
    must(mote_world_set_settings(world, &settings));
    step_times(world, 30, TEST_FRAME);
    check_above(state_of(world, sleeper).position.y, 1, "height half a second after gravity turned");
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sleeps_after_its_time),
        cmocka_unit_test(nobody_sleeps_by_default),
        cmocka_unit_test(flight_does_not_sleep),
        cmocka_unit_test(a_sleeping_pile_does_not_drift),
        cmocka_unit_test(wakes_when_hit),
        cmocka_unit_test(wakes_when_its_floor_goes),
        cmocka_unit_test(wakes_when_its_support_goes),
        cmocka_unit_test(wakes_by_an_impulse),
        cmocka_unit_test(wakes_when_written_to),
        cmocka_unit_test(wakes_on_demand),
        cmocka_unit_test(wakes_when_gravity_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
