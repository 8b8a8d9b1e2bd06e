/* What joints tell of themselves and when they give way: forces, limits, damping, breaking, yielding. */
#include "lattices.h"

#include <math.h>

/* Two blocks under each other: the upper joint bears both, the lower one the lower block. */
static void forces_are_weights(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    lattice one = hanging(3), two = hanging(2);
    two.center.y -= 0.7f;
    mote_body_id locked = add_locked(world, vec(0, 0.15f, 0));
    mote_body_id a = add_lattice(world, &one), b = add_lattice(world, &two);
    mote_joint_def def = joint_def(MOTE_JOINT_BALL, locked, a, vec(0, 1, 0));
    mote_joint_id upper = add_joint_of(world, &def);
    def.a = b; /* the other way round: now a is pulled up by the joint */
    def.b = a;
    def.anchor = vec(0, -0.7f, 0);
    mote_joint_id lower = add_joint_of(world, &def);
    step_times(world, 120, TEST_FRAME);
    check_near((double)joint_of(world, upper).force.y, -5 * TEST_GRAVITY, 0.03 * 5 * TEST_GRAVITY,
               "5 kg pull at the locked body with, N");
    check_near((double)joint_of(world, lower).force.y, 2 * TEST_GRAVITY, 0.03 * 2 * TEST_GRAVITY,
               "the block of 2 kg is pulled with, N");
    check_below((double)joint_of(world, upper).gap, 0.1 * (double)TEST_RADIUS, "upper gap, m");
    check_below((double)joint_of(world, lower).gap, 0.1 * (double)TEST_RADIUS, "lower gap, m");
    mote_joint_id found = mote_joint_between(world, a, b), list[4];
    check_true(found.index == lower.index && found.generation == lower.generation, "the joint between the two");
    check_true(mote_is_null(mote_joint_between(world, locked, b)), "no joint between first and last");
    check_near(mote_joint_list(world, list, 4), 2, 0, "joints");
    mote_world_destroy(world);
}

static void removed_joint_lets_go(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    lattice block = hanging(1);
    mote_body_id locked = add_locked(world, vec(0, 0.15f, 0)), body = add_lattice(world, &block);
    mote_joint_def def = joint_def(MOTE_JOINT_BALL, locked, body, vec(0, 1, 0));
    mote_joint_id joint = add_joint_of(world, &def);
    step_times(world, 60, TEST_FRAME);
    check_below(gap_of(world, body), 0.1 * (double)TEST_RADIUS, "it hangs, gap, m");
    must(mote_joint_remove(world, joint));
    check_true(!mote_joint_is_valid(world, joint), "the joint is no more");
    check_near(mote_joint_count(world), 0, 0, "joints");
    double height = place_of(world, body, block.center).y;
    step_times(world, 30, TEST_FRAME);
    /* steps of h = 1/480 s: g h^2 n (n + 1) / 2 */
    double fall = TEST_GRAVITY * 240 * 241 / 2 / 480 / 480;
    check_near(place_of(world, body, block.center).y, height - fall, 0.002, "it falls freely, m");
    mote_world_destroy(world);
}

/* A ball joint, or a stiff one that holds a beam, with a part of the strength that it needs. */
static bool breaks(bool by_torque, double strength)
{
    mote_world *world = test_world(NULL);
    lattice block = by_torque ? sticking_out(2) : hanging(2);
    mote_body_id locked = add_locked(world, by_torque ? vec(-0.15f, 0, 0) : vec(0, 0.15f, 0));
    mote_body_id body = add_lattice(world, &block);
    mote_joint_def def = joint_def(by_torque ? MOTE_JOINT_STIFF : MOTE_JOINT_BALL, locked, body, vec(0, 1, 0));
    if (by_torque)
        def.break_torque = (float)(strength * 2 * TEST_GRAVITY * (0.1 + HALF_ARM));
    else
        def.break_force = (float)(strength * 2 * TEST_GRAVITY);
    mote_joint_id joint = add_joint_of(world, &def);
    size_t events = 0;
    for (int n = 0; n < 120; n++) {
        step_times(world, 1, TEST_FRAME);
        events += event_count(world, MOTE_EVENT_BREAK);
    }
    bool broken = !mote_joint_is_valid(world, joint), fell = body_of(world, body).center.y < -2;
    check_true(broken == fell, "it falls if it breaks: height %g m", (double)body_of(world, body).center.y);
    check_near((double)events, broken, 0, "events that say so");
    mote_world_destroy(world);
    return broken;
}

static void breaks_at_its_strength(void **state)
{
    (void)state;
    check_true(!breaks(false, 1.15), "a ball joint that bears 1.15 times the weight holds");
    check_true(breaks(false, 0.95), "one that bears 0.95 times the weight breaks");
    check_true(!breaks(true, 1.15), "a stiff joint that bears 1.15 times the torque holds");
    check_true(breaks(true, 0.95), "one that bears 0.95 times the torque breaks");
}

/* ---- limits and damping --------------------------------------------------------------------------------- */

/* The largest angle that a ball joint with limits of 0.5 rad comes to, pushed about an axis with 3 rad/s. */
static double farthest(mote_vec3 about, bool limited)
{
    mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    lattice block = hanging(1);
    mote_body_id locked = add_locked(world, vec(0, 0.15f, 0)), body = add_lattice(world, &block);
    mote_joint_def def = joint_def(MOTE_JOINT_BALL, locked, body, vec(0, 1, 0));
    if (limited)
        def.swing_limit = def.twist_limit = 0.5f;
    add_joint_of(world, &def);
    triple center = triple_of(body_of(world, body).center);
    triple spin = scaled(triple_of(about), 3);
    must(mote_body_set_velocity(world, body, vec_of(cross(spin, center)), vec_of(spin)));
    double most = 0;
    for (int n = 0; n < 20; n++) {
        step_times(world, 1, TEST_FRAME);
        most = fmax(most, fabs(turn_of(world, body, about)));
    }
    mote_world_destroy(world);
    return most;
}

static void ball_has_limits(void **state)
{
    (void)state;
    static const mote_vec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}, {0, -1, 0}};
    for (size_t n = 0; n < sizeof axes / sizeof axes[0]; n++) {
        check_near(farthest(axes[n], true), 0.5, 0.05, "case %zu: limited to 0.5 rad", n);
        check_near(farthest(axes[n], false), 1, 0.05, "case %zu: not limited, 3 rad/s for a third of a second",
                   n);
    }
}

/* Its middle 0.4 rad to one side: it swings so much further there, and so much less to the other; that it does not
 * twist by itself says that the frames are turned the shortest way. */
static void ball_swings_about_its_middle(void **state)
{
    (void)state;
    for (int side = -1; side <= 1; side += 2) {
        mote_settings settings = weightless();
        mote_world *world = test_world(&settings);
        lattice block = hanging(1);
        mote_body_id locked = add_locked(world, vec(0, 0.15f, 0)), body = add_lattice(world, &block);
        mote_joint_def def = joint_def(MOTE_JOINT_BALL, locked, body, vec(0, 1, 0));
        def.middle = vec(0, 2 * cosf(0.4f), 2 * sinf(0.4f)); /* turned about x */
        def.swing_limit = 0.6f;
        def.twist_limit = 0.05f;
        mote_joint_id joint = add_joint_of(world, &def);
        mote_joint_state at;
        must(mote_joint_get(world, joint, &at));
        check_near((double)at.swing, 0.4, 1e-5, "swing at the start");
        check_near((double)at.twist, 0, 1e-5, "twist at the start");
        triple center = triple_of(body_of(world, body).center), spin = {3 * side, 0, 0};
        must(mote_body_set_velocity(world, body, vec_of(cross(spin, center)), vec_of(spin)));
        double most = 0;
        for (int n = 0; n < 25; n++) {
            step_times(world, 1, TEST_FRAME);
            most = fmax(most, side * turn_of(world, body, vec(1, 0, 0)));
        }
        check_near(most, side > 0 ? 1.0 : 0.2, 0.05, "the farthest it turns to side %d", side);
        mote_world_destroy(world);
    }
}

/* The spin about an axis through the anchor after a second, of one of 0.5 rad/s. */
static double slowed(mote_vec3 about, float damping)
{
    mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    lattice block = hanging(1);
    mote_body_id locked = add_locked(world, vec(0, 0.15f, 0)), body = add_lattice(world, &block);
    mote_joint_def def = joint_def(MOTE_JOINT_BALL, locked, body, vec(0, 1, 0));
    mote_joint_id joint = add_joint_of(world, &def);
    def.damping = damping;
    must(mote_joint_set(world, joint, &def));
    triple center = triple_of(body_of(world, body).center), spin = scaled(triple_of(about), 0.5);
    must(mote_body_set_velocity(world, body, vec_of(cross(spin, center)), vec_of(spin)));
    step_times(world, 60, TEST_FRAME);
    double left = dot(triple_of(body_of(world, body).spin), triple_of(about));
    mote_world_destroy(world);
    return left;
}

/* The part c of the turning is lost a second: what is left after a second is e^-c. */
static void damping_slows(void **state)
{
    (void)state;
    static const mote_vec3 axes[] = {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}};
    for (int n = 0; n < 3; n++) {
        check_near(slowed(axes[n], 0), 0.5, 0.005, "axis %d without damping: spin, rad/s", n);
        check_near(slowed(axes[n], 1), 0.5 * exp(-1), 0.01, "axis %d with damping 1: spin, rad/s", n);
    }
}

/* Two free blocks with a ball joint of four particles in a ring, twisting against each other: nothing holds
 * them. */
static void ring_does_not_rub(void **state)
{
    (void)state;
    mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    lattice one = hanging(24), two = hanging(24);
    two.center.y = -two.center.y;
    mote_body_id a = add_lattice(world, &one), b = add_lattice(world, &two);
    mote_joint_def def = joint_def(MOTE_JOINT_BALL, a, b, vec(0, 1, 0));
    def.size = 4;
    add_joint_of(world, &def);
    must(mote_body_set_velocity(world, a, vec(0, 0, 0), vec(0, 2, 0)));
    must(mote_body_set_velocity(world, b, vec(0, 0, 0), vec(0, -1, 0)));
    double angles[3][2];
    for (int n = 0; n < 3; n++) {
        step_times(world, n == 0 ? 1 : 30, TEST_FRAME); /* first the shared particles come between the two */
        angles[n][0] = turn_of(world, a, vec(0, 1, 0));
        angles[n][1] = turn_of(world, b, vec(0, 1, 0));
    }
    check_near(angles[2][0] - angles[1][0], angles[1][0] - angles[0][0], 0.005,
               "the one turns on as before, rad");
    check_near(angles[2][1] - angles[1][1], angles[1][1] - angles[0][1], 0.005, "and the other, rad");
    check_above(angles[2][0] - angles[2][1], 2, "they did turn against each other, rad");
    mote_world_destroy(world);
}

/* ---- yielding ------------------------------------------------------------------------------------------- */

#define YIELD 0.8 /* of the torque that the beam's weight has */

/* The angle, rad, that a beam has bent by after two seconds; *bent is what the joint says. */
static double bent_beam(float dt, double *bent)
{
    mote_world *world = test_world(NULL);
    lattice beam = sticking_out(2);
    mote_body_id locked = add_locked(world, vec(-0.15f, 0, 0)), body = add_lattice(world, &beam);
    mote_joint_def def = joint_def(MOTE_JOINT_STIFF, locked, body, vec(1, 0, 0));
    def.yield_torque = (float)(YIELD * 2 * TEST_GRAVITY * (0.1 + HALF_ARM));
    mote_joint_id joint = add_joint_of(world, &def);
    step_times(world, (uint32_t)lround(2 / (double)dt), dt);
    *bent = (double)joint_of(world, joint).bent;
    double angle = -turn_of(world, body, vec(0, 0, 1));
    mote_world_destroy(world);
    return angle;
}

/* Falling by the angle x, the weight W at the arm d does the work W d sin x, and the yielding torque takes
 * YIELD W d x: it stops where the two are the same, and there the weight's torque, W d cos x, is too small to
 * bend it any more. */
static double yielded_angle(void)
{
    double low = 0.1, high = 3;
    for (int n = 0; n < 60; n++) {
        double middle = 0.5 * (low + high);
        if (sin(middle) > YIELD * middle)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void beam_yields(void **state)
{
    (void)state;
    double coarse_bent, fine_bent, expected = yielded_angle();
    double coarse = bent_beam(1 / 60.0f, &coarse_bent), fine = bent_beam(1 / 240.0f, &fine_bent);
    check_near(coarse / fine, 1, 0.1, "bent with steps of 1/60 s, of that with 1/240 s");
    check_near(fine / expected, 1, 0.1, "bent with steps of 1/240 s, of the closed form");
    check_near(coarse_bent / coarse, 1, 0.05, "what the joint says, of what the body did");
    check_near(fine_bent / fine, 1, 0.05, "what the joint says, of what the body did");
}

static void bends_until_it_breaks(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    lattice beam = sticking_out(2);
    mote_body_id locked = add_locked(world, vec(-0.15f, 0, 0)), body = add_lattice(world, &beam);
    mote_joint_def def = joint_def(MOTE_JOINT_STIFF, locked, body, vec(1, 0, 0));
    def.yield_torque = (float)(YIELD * 2 * TEST_GRAVITY * (0.1 + HALF_ARM));
    def.bend_limit = 0.4f;
    mote_joint_id joint = add_joint_of(world, &def);
    double most = 0;
    for (int n = 0; n < 120 && mote_joint_is_valid(world, joint); n++) {
        most = fmax(most, (double)joint_of(world, joint).bent);
        step_times(world, 1, TEST_FRAME);
    }
    check_true(!mote_joint_is_valid(world, joint), "it breaks");
    check_above(most, 0.2, "not before it has bent, rad");
    check_below(most, 0.4 + 1e-3, "nor after its limit, rad");
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_weights),
        cmocka_unit_test(removed_joint_lets_go),
        cmocka_unit_test(breaks_at_its_strength),
        cmocka_unit_test(ball_has_limits),
        cmocka_unit_test(ball_swings_about_its_middle),
        cmocka_unit_test(damping_slows),
        cmocka_unit_test(ring_does_not_rub),
        cmocka_unit_test(beam_yields),
        cmocka_unit_test(bends_until_it_breaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
