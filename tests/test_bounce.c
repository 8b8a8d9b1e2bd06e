/* Bounces against e^2 H, and rest after them.
 *
 * What a step of h can get wrong: the fall is over within one substep of the true moment, so the speed v at the
 * impact is known to g h and the height to v h. A bounce from H then reaches e^2 H with an error of at most
 * (1 + e^2) v h for the place and the speed, and g h^2 for the sampling of the top. */
#include "support.h"

#include <math.h>

static const float H = 1.0f / 1200; /* s: one substep a step, so that every substep is seen */

static double bounce_error(double restitution, double height)
{
    double v = sqrt(2 * TEST_GRAVITY * height), h = H;
    return (1 + restitution * restitution) * v * h + TEST_GRAVITY * h * h;
}

static mote_world *drop_world(float ball_restitution, float floor_restitution, double height,
                              mote_integrator integrator, mote_particle_id *ball)
{
    mote_settings settings = mote_default_settings();
    settings.substeps = 1;
    settings.integrator = integrator;
    mote_world *world = test_world(&settings);
    add_floor(world, add_material(world, 0.5f, 0.4f, floor_restitution));
    *ball = add_particle(world, vec(0, (float)height + TEST_RADIUS, 0), vec(0, 0, 0),
                         add_material(world, 0.5f, 0.4f, ball_restitution));
    return world;
}

/* Steps until the ball has gone down, bounced, and reached its next top; the height of that top. */
static double next_top(mote_world *world, mote_particle_id ball)
{
    double top = 0;
    bool rising = false;
    for (int i = 0; i < 4000; ++i) {
        step_times(world, 1, H);
        mote_particle_state s = state_of(world, ball);
        double height = (double)s.position.y - TEST_RADIUS;
        if (s.velocity.y > 0)
            rising = true;
        if (rising && height > top)
            top = height;
        if (rising && s.velocity.y < 0)
            return top;
    }
    return top;
}

static void height_of_a_bounce(void **state)
{
    (void)state;
    static const float values[] = {0.3f, 0.5f, 0.8f, 1};
    static const mote_integrator integrators[] = {MOTE_INTEGRATOR_SYMPLECTIC_EULER, MOTE_INTEGRATOR_VERLET};
    for (size_t i = 0; i < 4; ++i) {
        for (size_t k = 0; k < 2; ++k) {
            mote_particle_id ball;
            mote_world *world = drop_world(values[i], values[i], 1, integrators[k], &ball);
            double e = values[i];
            check_near(next_top(world, ball), e * e, bounce_error(e, 1), "height after a drop of 1 m, e %g", e);
            mote_world_destroy(world);
        }
    }
}

/* Each bounce may lose or gain what one may. */
static void full_bounce_keeps_its_height(void **state)
{
    (void)state;
    mote_particle_id ball;
    mote_world *world = drop_world(1, 1, 1, MOTE_INTEGRATOR_SYMPLECTIC_EULER, &ball);
    for (int bounce = 1; bounce <= 6; ++bounce)
        check_near(next_top(world, ball), 1, bounce * bounce_error(1, 1), "height after bounce %d with e 1",
                   bounce);
    mote_world_destroy(world);
}

/* The bouncier of the two decides. */
static void larger_restitution_wins(void **state)
{
    (void)state;
    mote_particle_id ball;
    mote_world *world = drop_world(0.8f, 0, 1, MOTE_INTEGRATOR_SYMPLECTIC_EULER, &ball);
    check_near(next_top(world, ball), 0.64, bounce_error(0.8, 1), "ball 0.8 on floor 0");
    mote_world_destroy(world);
    world = drop_world(0.2f, 0.6f, 1, MOTE_INTEGRATOR_SYMPLECTIC_EULER, &ball);
    check_near(next_top(world, ball), 0.36, bounce_error(0.6, 1), "ball 0.2 on floor 0.6");
    mote_world_destroy(world);
}

/* The default step (eight substeps of 1/480 s): nothing may rise again, not even by what was corrected. */
static void no_restitution_no_bounce(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_material_id dead = add_material(world, 0.5f, 0.4f, 0);
    add_floor(world, dead);
    mote_particle_id ball = add_particle(world, vec(0, 1 + TEST_RADIUS, 0), vec(0, 0, 0), dead);
    bool landed = false;
    for (int i = 0; i < 120; ++i) {
        step_times(world, 1, TEST_FRAME);
        mote_particle_state s = state_of(world, ball);
        double gap = (double)s.position.y - TEST_RADIUS;
        landed = landed || gap < 1e-4;
        if (!landed)
            continue;
        check_below(s.velocity.y, 1e-4, "velocity upwards after the impact");
        check_near(gap, 0, 1e-4, "height above the floor after the impact");
    }
    check_true(landed, "the ball came down");
    mote_world_destroy(world);
}

/* Newton's law for two free particles: the relative velocity comes back e times, the momentum stays. */
static void two_particles_bounce(void **state)
{
    (void)state;
    static const float cases[][3] = {{1, 1, 1}, {1, 1, 0.5f}, {3, 1, 1}, {10, 0.5f, 0.7f}, {1, 2, 0}};
    for (size_t i = 0; i < 5; ++i) {
        mote_settings settings = weightless();
        mote_world *world = test_world(&settings);
        mote_particle_def def = mote_default_particle_def();
        def.material = add_material(world, 0, 0, cases[i][2]);
        def.mass = cases[i][0];
        def.position = vec(-0.2f, 0, 0);
        def.velocity = vec(2, 0, 0);
        mote_particle_id a = mote_particle_add(world, &def);
        def.mass = cases[i][1];
        def.position = vec(0.2f, 0, 0);
        def.velocity = vec(-1, 0, 0);
        mote_particle_id b = mote_particle_add(world, &def);
        step_times(world, 30, TEST_FRAME);
        double ma = cases[i][0], mb = cases[i][1], e = cases[i][2];
        double centre = (2 * ma - mb) / (ma + mb); /* velocity of the centre of mass */
        const char *what = "%s after masses %g and %g met with e %g";
        check_near(state_of(world, a).velocity.x, centre - e * 3 * mb / (ma + mb), 1e-3, what, "first", ma, mb,
                   e);
        check_near(state_of(world, b).velocity.x, centre + e * 3 * ma / (ma + mb), 1e-3, what, "second", ma, mb,
                   e);
        mote_world_destroy(world);
    }
}

/* A bouncy ball at rest stays at rest: what gravity adds in a substep is no impact. */
static void rest_does_not_jitter(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_material_id bouncy = add_material(world, 0.5f, 0.4f, 0.9f);
    add_floor(world, bouncy);
    mote_particle_id ball = add_particle(world, vec(0, TEST_RADIUS, 0), vec(0, 0, 0), bouncy);
    for (int i = 0; i < 600; ++i) {
        step_times(world, 1, TEST_FRAME);
        mote_particle_state s = state_of(world, ball);
        check_near(s.position.y, TEST_RADIUS, 1e-6, "height of a resting ball, frame %d", i);
        check_below(length_of(s.velocity), 1e-4, "speed of a resting ball, frame %d", i);
    }
    mote_world_destroy(world);
}

/* And a bouncing one comes to rest: e^n sinks below the speed that no longer bounces, 2 g h = 0.08 m/s. The
 * bounces last (1 + e) / (1 - e) * sqrt(2 H / g) = 1.4 s for e = 0.5 and H = 1 m. */
static void bouncing_ends(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_material_id bouncy = add_material(world, 0.5f, 0.4f, 0.5f);
    add_floor(world, bouncy);
    mote_particle_id ball = add_particle(world, vec(0, 1 + TEST_RADIUS, 0), vec(0, 0, 0), bouncy);
    step_times(world, 120, TEST_FRAME);
    for (int i = 0; i < 60; ++i) {
        step_times(world, 1, TEST_FRAME);
        check_below(length_of(state_of(world, ball).velocity), 1e-3, "speed after all bounces, frame %d", i);
    }
    mote_world_destroy(world);
}

/* A stack that is built at rest comes to rest, with the default settings: after two seconds everything is
 * slower than 2 cm/s, or it would never fall asleep. It stands straight because nothing pushes it sideways. */
static void a_stack_comes_to_rest(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    add_floor(world, (mote_material_id){0});
    mote_particle_id stack[5];
    for (int i = 0; i < 5; ++i)
        stack[i] = add_particle(world, vec(0, (float)(2 * i + 1) * TEST_RADIUS, 0), vec(0, 0, 0),
                                (mote_material_id){0});
    step_times(world, 120, TEST_FRAME);
    for (int frame = 0; frame < 60; ++frame) {
        step_times(world, 1, TEST_FRAME);
        for (int i = 0; i < 5; ++i) {
            mote_particle_state s = state_of(world, stack[i]);
            check_below(length_of(s.velocity), 0.02, "speed of particle %d of a stack, frame %d", i, frame);
            check_near(s.position.y, (2 * i + 1) * (double)TEST_RADIUS, 0.05 * TEST_RADIUS,
                       "height of particle %d", i);
        }
    }
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(height_of_a_bounce),      cmocka_unit_test(full_bounce_keeps_its_height),
        cmocka_unit_test(larger_restitution_wins), cmocka_unit_test(no_restitution_no_bounce),
        cmocka_unit_test(two_particles_bounce),    cmocka_unit_test(rest_does_not_jitter),
        cmocka_unit_test(bouncing_ends),           cmocka_unit_test(a_stack_comes_to_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
