/* Distance constraints: springs stretch as their stiffness says, chains hang in their catenary, pendulums keep their
 * energy, and what hangs from ropes weighs what it weighs. At default settings unless a test says otherwise. */
#include "ropes.h"

#include <math.h>
#include <string.h>

enum { SECONDS = TEST_BY_BUILD(60, 10, 2) };

static mote_world *world_with(uint32_t substeps)
{
    mote_settings settings = impulse_settings();
    settings.substeps = substeps;
    return test_world(&settings);
}

static mote_particle_id add_weight(mote_world *world, mote_vec3 position, float mass)
{
    mote_particle_def def = mote_default_particle_def();
    def.position = position;
    def.mass = mass;
    mote_particle_id id = mote_particle_add(world, &def);
    must_exist(id);
    return id;
}

/* ---- springs -------------------------------------------------------------------------------------------- */

/* Critically damped, so that it is at rest after some swings' time. */
static void check_spring(float stiffness, uint32_t substeps)
{
    const float mass = 10, rest = 0.1f;
    mote_world *world = world_with(substeps);
    mote_particle_id weight = add_weight(world, vec(0, -rest, 0), mass);
    mote_constraint_id spring = add_spring(world, mote_end_world(vec(0, 0, 0)), mote_end_particle(weight), rest,
                                           1 / stiffness, 2 * sqrtf(stiffness * mass));
    step_times(world, stiffness < 100 ? 900 : 240, TEST_FRAME);
    double expected = (double)mass * TEST_GRAVITY / (double)stiffness;
    check_near(measure_of(world, spring) - (double)rest, expected, 0.01 * expected,
               "stretch of %g N/m, %u substeps", (double)stiffness, substeps);
    check_near(force_of(world, spring), (double)mass * TEST_GRAVITY, 0.001 * (double)mass * TEST_GRAVITY,
               "force of %g N/m, %u substeps", (double)stiffness, substeps);
    mote_world_destroy(world);
}

static void springs_stretch_by_their_stiffness(void **state)
{
    (void)state;
    for (float stiffness = 10; stiffness < 2e7f; stiffness *= 10)
        for (uint32_t substeps = 1; substeps <= 64; substeps *= 4)
            check_spring(stiffness, substeps);
}

/* Between two loose weights nothing from outside acts: they swing about their middle with the period that springs have. */
static void a_spring_swings_in_time(void **state)
{
    (void)state;
    mote_settings settings = impulse_weightless();
    settings.substeps = 32;
    mote_world *world = test_world(&settings);
    mote_particle_id a = add_weight(world, vec(-0.6f, 0, 0), 1), b = add_weight(world, vec(0.6f, 0, 0), 3);
    mote_constraint_id spring = add_spring(world, mote_end_particle(a), mote_end_particle(b), 1, 1.0f / 300, 0);
    double period = 2 * TEST_PI * sqrt(0.75 / 300), last = measure_of(world, spring), crossed[2] = {0};
    int crossings = 0;
    for (int n = 1; n <= 320; n++) {
        step_times(world, 1, TEST_FRAME / 4);
        double now = measure_of(world, spring);
        if (last > 1 && now <= 1 && crossings < 4)
            crossed[crossings++ > 0] = (double)TEST_FRAME / 4 * (n - (1 - now) / (last - now));
        last = now;
    }
    check_near((crossed[1] - crossed[0]) / 3, period, 0.01 * period, "period, s");
    mote_world_destroy(world);
}

/* ---- chains --------------------------------------------------------------------------------------------- */

enum { LINKS = 50 };

/* Where the ends of a hanging chain's links are, from the balance of forces: the pull along is H everywhere, that
 * downwards changes by a weight from link to link. */
static double hang(double length, double weight, double span, double x[LINKS + 1], double y[LINKS + 1])
{
    double low = 1e-6, high = 1e6, along = 0;
    for (int k = 0; k < 200; k++) {
        along = sqrt(low * high);
        x[0] = y[0] = 0;
        for (int n = 0; n < LINKS; n++) {
            double down = weight * (0.5 * (LINKS - 1) - n), pull = hypot(along, down);
            x[n + 1] = x[n] + length * along / pull;
            y[n + 1] = y[n] - length * down / pull;
        }
        if (x[LINKS] < span)
            low = along;
        else
            high = along;
    }
    return along;
}

static void a_chain_hangs_in_its_catenary(void **state)
{
    (void)state;
    const float length = 0.2f, span = 6, mass = 0.1f;
    mote_settings settings = impulse_settings();
    settings.damping = 0.5f; /* or it would swing for minutes */
    mote_world *world = test_world(&settings);
    rope chain = add_rope(world, mote_end_world(vec(0, 0, 0)), vec(0, 0, 0), mote_end_world(vec(span, 0, 0)),
                          vec(span, 0, 0), LINKS, mass, length);
    step_times(world, 60 * SECONDS, TEST_FRAME);
    double x[LINKS + 1], y[LINKS + 1],
        along = hang((double)length, (double)mass * TEST_GRAVITY, (double)span, x, y);
    double off = 0, sag = -y[LINKS / 2], wrong = 0;
    for (int n = 1; n < LINKS; n++) {
        mote_vec3 at = state_of(world, chain.particles[n - 1]).position;
        off = fmax(off, hypot((double)at.x - x[n], (double)at.y - y[n]));
    }
    for (int n = 0; n < LINKS; n++) {
        double pull = hypot(along, (double)mass * TEST_GRAVITY * (0.5 * (LINKS - 1) - n));
        wrong = fmax(wrong, fabs(force_of(world, chain.links[n]) / pull - 1));
    }
    print_message("catenary: off by %.2f %% of the sag, forces by %.2f %%\n", 100 * off / sag, 100 * wrong);
    if (SECONDS >= 60) {
        check_below(off, 0.01 * sag, "m off the catenary, whose sag is %.2f m", sag);
        check_below(wrong, 0.03, "forces of the links, part by which they are off");
    }
    mote_world_destroy(world);
}

/* ---- pendulums ------------------------------------------------------------------------------------------ */

/* By how much the energy is off at most, as a part of what there is between the start and hanging down. */
static double pendulum_error(uint32_t substeps)
{
    mote_world *world = world_with(substeps);
    mote_particle_id weight = add_weight(world, vec(1, 0, 0), 1);
    hold(world, mote_end_world(vec(0, 0, 0)), mote_end_particle(weight), 1);
    double worst = 0, most = 0;
    for (int n = 0; n < 60 * SECONDS; n++) {
        step_times(world, 1, TEST_FRAME);
        worst = fmax(worst, fabs(energy_of(world) / TEST_GRAVITY));
        most = fmax(most, -(double)state_of(world, weight).position.y);
    }
    check_above(most, 0.9, "it swings: m down");
    mote_world_destroy(world);
    return worst;
}

static void a_pendulum_keeps_its_energy(void **state)
{
    (void)state;
    double bound = 0.02;
    for (uint32_t substeps = 4; substeps <= 64; substeps *= 2) {
        double error = pendulum_error(substeps);
        print_message("%u substeps: the energy is off by up to %.3f %%\n", substeps, 100 * error);
        check_below(error, bound, "error with %u substeps", substeps);
        bound = fmax(error, 0.001);
    }
}

/* Of a body that hangs by a point, about which it also spins. */
static void a_body_on_a_pin_keeps_its_energy(void **state)
{
    (void)state;
    mote_world *world = world_with(8);
    lattice bar = sticking_out(0);
    mote_body_id body = add_lattice(world, &bar);
    motion start = motion_of(world);
    hold(world, mote_end_world(vec(-0.5f, 0, 0)), mote_end_body(body, vec(0, 0, 0)), 0.5f);
    double range = TEST_GRAVITY * start.mass * (start.center.x + 0.5), energy = energy_of(world), worst = 0;
    for (int n = 0; n < 60 * SECONDS; n++) {
        step_times(world, 1, TEST_FRAME);
        worst = fmax(worst, fabs(energy_of(world) - energy) / range);
    }
    print_message("a bar on a string: the energy is off by up to %.2f %%\n", 100 * worst);
    check_below(worst, 0.05, "part of the energy by which it is off");
    mote_world_destroy(world);
}

/* ---- loads ---------------------------------------------------------------------------------------------- */

/* A crate of 20 kg on four ropes, and a box of 60 kg that lies on it. */
static void a_crate_hangs_from_four_ropes(void **state)
{
    (void)state;
    mote_world *world = impulse_world();
    mote_rigid_def def = mote_default_rigid_def();
    def.mass = 20;
    mote_body_id crate = mote_rigid_box(world, &def, (uint32_t[3]){10, 2, 10});
    must_exist(crate);
    mote_constraint_id ropes[4];
    for (int n = 0; n < 4; n++) {
        float x = n % 2 == 0 ? -0.45f : 0.45f, z = n / 2 == 0 ? -0.45f : 0.45f;
        ropes[n] =
            hold(world, mote_end_world(vec(x, 2, z)), mote_end_body(crate, vec(x, 0.1f, z)), MOTE_AS_MADE);
    }
    step_times(world, 120, TEST_FRAME);
    for (int n = 0; n < 4; n++)
        check_near(force_of(world, ropes[n]), 5 * TEST_GRAVITY, 0.05 * TEST_GRAVITY, "rope %d, N", n);
    def.mass = 60;
    def.pose.position = vec(0.1f, 0.3f, 0);
    must_exist(mote_rigid_box(world, &def, (uint32_t[3]){4, 4, 4}));
    step_times(world, 300, TEST_FRAME);
    double sum = 0, torque = 0;
    for (int n = 0; n < 4; n++) {
        sum += force_of(world, ropes[n]);
        torque += force_of(world, ropes[n]) * (n % 2 == 0 ? -0.45 : 0.45);
    }
    check_near(sum, 80 * TEST_GRAVITY, 0.8 * TEST_GRAVITY, "all four with a load, N");
    check_near(torque, 6 * TEST_GRAVITY, 0.06 * TEST_GRAVITY, "they balance where the load lies, N m");
    check_near((double)body_of(world, crate).center.y, 0, 0.001, "height of the crate, m");
    mote_world_destroy(world);
}

/* Loose beads: a net of one mesh that carries a brick by its corners. */
static void a_rope_of_beads_bears_a_brick(void **state)
{
    (void)state;
    mote_world *world = impulse_world();
    lattice block = {.count = {3, 3, 3}, .center = {0, 0, 0}, .mass = 2.7f};
    mote_body_id brick = add_lattice(world, &block);
    rope made = add_rope(world, mote_end_world(vec(0, 1.1f, 0)), vec(0, 1.1f, 0),
                         mote_end_body(brick, vec(0, 0.1f, 0)), vec(0, 0.1f, 0), 10, 0.1f, MOTE_AS_MADE);
    step_times(world, 600, TEST_FRAME);
    double top = 0, end = 0;
    for (int n = 0; n < 120; n++) {
        step_times(world, 1, TEST_FRAME);
        top += force_of(world, made.links[0]) / 120;
        end += force_of(world, made.links[9]) / 120;
    }
    check_near(top, 3.6 * TEST_GRAVITY, 0.036 * TEST_GRAVITY, "the first link bears all, N");
    check_near(end, 2.7 * TEST_GRAVITY, 0.027 * TEST_GRAVITY, "the last the brick, N");
    mote_world_destroy(world);
}

/* A shape that moves takes what hangs from it along. */
static void a_pin_goes_with_its_shape(void **state)
{
    (void)state;
    mote_world *world = impulse_world();
    mote_shape_def def = mote_default_shape_def();
    def.radius = 0.1f;
    def.position = vec(0, 2, 0);
    def.velocity = vec(0, 0.5f, 0);
    mote_shape_id hook = mote_shape_add(world, &def);
    must_exist(hook);
    mote_particle_id weight = add_weight(world, vec(0, 0.9f, 0), 2);
    mote_constraint_id cord =
        hold(world, mote_end_shape(hook, vec(0, -0.1f, 0)), mote_end_particle(weight), MOTE_AS_MADE);
    step_times(world, 240, TEST_FRAME);
    check_near((double)state_of(world, weight).position.y, 2.9, 0.001, "m up after 4 s");
    check_near(force_of(world, cord), 2 * TEST_GRAVITY, 0.02 * TEST_GRAVITY, "force, N");
    mote_world_destroy(world);
}

/* ---- one side only -------------------------------------------------------------------------------------- */

static void a_rope_only_pulls(void **state)
{
    (void)state;
    mote_world *world = impulse_weightless_world();
    mote_particle_id a = add_weight(world, vec(0, 0, 0), 1), b = add_weight(world, vec(0.5f, 0, 0), 1);
    mote_constraint_def def = mote_default_constraint_def(MOTE_CONSTRAINT_DISTANCE);
    def.ends[0] = mote_end_particle(a);
    def.ends[1] = mote_end_particle(b);
    def.distance.length = 1;
    def.distance.one_sided = true;
    mote_constraint_id cord = mote_constraint_add(world, &def);
    must_exist(cord);
    must(mote_particle_set_velocity(world, b, vec(0.5f, 0, 0)));
    step_times(world, 30, TEST_FRAME);
    check_near((double)state_of(world, b).velocity.x, 0.5, 0, "slack: nothing holds it, m/s");
    check_near(force_of(world, cord), 0, 0, "nor is there a force, N");
    step_times(world, 60, TEST_FRAME);
    check_near((double)state_of(world, b).velocity.x, 0.25, 1e-4, "taut: both go on together, m/s");
    check_near((double)state_of(world, a).velocity.x, 0.25, 1e-4, "taut: both go on together, m/s");
    check_near(measure_of(world, cord), 1, 1e-4, "and are as far apart as the cord is long, m");
    mote_world_destroy(world);
}

/* ---- the papers' stiffness ------------------------------------------------------------------------------ */

/* n iterations of 1 - (1 - k)^(1/n) leave 1 - k of an error, whatever n is. */
static void papers_stiffness_leaves_its_part(void **state)
{
    (void)state;
    for (uint32_t iterations = 1; iterations <= 64; iterations *= 4) {
        mote_settings settings = impulse_weightless();
        settings.substeps = 1;
        settings.iterations = iterations;
        mote_world *world = test_world(&settings);
        mote_particle_id a = add_weight(world, vec(2, 0, 0), 1);
        mote_constraint_def def = mote_default_constraint_def(MOTE_CONSTRAINT_DISTANCE);
        def.ends[0] = mote_end_world(vec(0, 0, 0));
        def.ends[1] = mote_end_particle(a);
        def.distance.length = 1;
        def.distance.stiffness = 0.8f;
        mote_constraint_id one = mote_constraint_add(world, &def);
        must_exist(one);
        step_times(world, 1, TEST_FRAME);
        check_near(measure_of(world, one) - 1, 0.2, 1e-4, "left of an error of 1 m with %u iterations",
                   iterations);
        mote_world_destroy(world);
    }
}

/* ---- breaking ------------------------------------------------------------------------------------------- */

static void what_bears_too_much_breaks(void **state)
{
    (void)state;
    mote_world *world = impulse_world();
    mote_particle_id weights[3];
    mote_constraint_id cords[3];
    for (int n = 0; n < 3; n++) {
        weights[n] = add_weight(world, vec((float)n, 1, 0), (float)(n + 1));
        mote_constraint_def def = mote_default_constraint_def(MOTE_CONSTRAINT_DISTANCE);
        def.ends[0] = mote_end_particle(weights[n]);
        def.ends[1] = mote_end_world(vec((float)n, 2, 0));
        def.distance.break_force = 25;
        cords[n] = mote_constraint_add(world, &def);
        must_exist(cords[n]);
    }
    step_times(world, 1, TEST_FRAME);
    mote_events events = mote_world_events(world);
    check_near((double)event_count(world, MOTE_EVENT_BREAK), 1, 0, "29 N are too much for 25 N, 20 are not");
    for (size_t k = 0; k < events.count; k++)
        if (events.items[k].type == MOTE_EVENT_BREAK) {
            check_true(memcmp(&events.items[k].constraint, &cords[2], sizeof cords[2]) == 0, "it is the third");
            check_true(events.items[k].a.index == weights[2].index && mote_is_null(events.items[k].b),
                       "with its particle");
        }
    check_true(!mote_constraint_is_valid(world, cords[2]) && mote_constraint_is_valid(world, cords[1]),
               "what broke is gone");
    check_near(mote_constraint_count(world), 2, 0, "constraints left");
    step_times(world, 60, TEST_FRAME);
    check_near((double)event_count(world, MOTE_EVENT_BREAK), 0, 0, "an event comes once");
    check_near((double)state_of(world, weights[1]).position.y, 1, 1e-4, "what holds, m");
    check_below((double)state_of(world, weights[2]).position.y, -3, "what broke falls, m");
    mote_world_destroy(world);
}

/* Every one of many that break in one step has its event. */
static void each_that_breaks_has_its_event(void **state)
{
    (void)state;
    enum { SIDE = TEST_BY_BUILD(100, 40, 10) };
    mote_settings settings = impulse_weightless();
    mote_world *world = test_world(&settings);
    mote_particle_id ids[SIDE * SIDE];
    for (int k = 0; k < SIDE * SIDE; k++)
        ids[k] = add_weight(world, vec(0.3f * (float)(k % SIDE), 0, 0.3f * (float)(k / SIDE)), 1);
    mote_constraint_def def = mote_default_constraint_def(MOTE_CONSTRAINT_DISTANCE);
    def.distance.break_force = 0.001f;
    def.distance.length = 0.2f;
    for (int k = 0; k < SIDE * SIDE; k++)
        for (int axis = 0; axis < 2; axis++) {
            if ((axis == 0 ? k % SIDE : k / SIDE) + 1 == SIDE)
                continue;
            def.ends[0] = mote_end_particle(ids[k]);
            def.ends[1] = mote_end_particle(ids[k + (axis == 0 ? 1 : SIDE)]);
            must_exist(mote_constraint_add(world, &def));
        }
    uint32_t count = mote_constraint_count(world);
    step_times(world, 1, TEST_FRAME);
    check_near((double)event_count(world, MOTE_EVENT_BREAK) + (double)mote_constraint_count(world),
               (double)count, 0, "events, and what is left, of %u constraints", count);
    check_above((double)event_count(world, MOTE_EVENT_BREAK), 0.99 * (double)count, "events");
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(springs_stretch_by_their_stiffness),
        cmocka_unit_test(a_spring_swings_in_time),
        cmocka_unit_test(a_chain_hangs_in_its_catenary),
        cmocka_unit_test(a_pendulum_keeps_its_energy),
        cmocka_unit_test(a_body_on_a_pin_keeps_its_energy),
        cmocka_unit_test(a_crate_hangs_from_four_ropes),
        cmocka_unit_test(a_rope_of_beads_bears_a_brick),
        cmocka_unit_test(a_pin_goes_with_its_shape),
        cmocka_unit_test(a_rope_only_pulls),
        cmocka_unit_test(papers_stiffness_leaves_its_part),
        cmocka_unit_test(what_bears_too_much_breaks),
        cmocka_unit_test(each_that_breaks_has_its_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
