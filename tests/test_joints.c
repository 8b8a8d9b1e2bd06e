/* Joints: what they leave free, what they hold and how well, beside closed forms. Bodies hang from a locked
 * body or from the world, made by mote_joint_add or by sharing particles. */
#include "lattices.h"

#include <math.h>

/* ---- pendulums ------------------------------------------------------------------------------------------ */

#define SWING 5 /* degrees */

/* The time from the first to the fifth passage upwards through the middle, over four. Gravity is turned by
 * SWING instead of the body, which swings about the new vertical by as much. */
static double period_of(mote_world *world, mote_body_id body, float dt)
{
    double middle = SWING * TEST_PI / 180, last = 0, first_time = 0, time = 0;
    int passages = 0;
    for (int n = 0; passages < 5 && time < 60; n++) {
        step_times(world, 1, dt);
        double angle = turn_of(world, body, vec(0, 0, 1)) - middle;
        if (last < 0 && angle >= 0) {
            double when = time + (double)dt * last / (last - angle);
            passages++;
            first_time = passages == 1 ? when : first_time;
            last = angle;
            if (passages == 5)
                return (when - first_time) / 4;
        }
        last = angle;
        time += (double)dt;
    }
    check_true(false, "the pendulum swings: %d passages in %g s", passages, time);
    return 0;
}

typedef enum hanger { WORLD, LOCKED_BODY, SHARED_PARTICLES } hanger;

/* Two particles on the axis that a locked body and the hanging one share. */
static mote_body_id hang_by_sharing(mote_world *world, const lattice *block)
{
    mote_particle_id ids[LATTICE_MAX], above[LATTICE_MAX];
    size_t count = 0, above_count = 0;
    lattice top = {.count = {2, 2, 2}, .center = {0, 0.15f, 0}};
    add_lattice_particles(world, &top, above, &above_count);
    above[above_count++] = ids[count++] = add_point(world, vec(0, 0, TEST_RADIUS), 1);
    above[above_count++] = ids[count++] = add_point(world, vec(0, 0, -TEST_RADIUS), 1);
    add_lattice_particles(world, block, ids, &count);
    mote_body_id locked = add_body(world, above, above_count), body = add_body(world, ids, count);
    must(mote_body_set_mode(world, locked, MOTE_BODY_DRIVEN));
    check_near(mote_joint_count(world), 1, 0, "sharing makes one joint");
    return body;
}

static double measured_period(hanger from, float mass, float dt)
{
    mote_settings settings = mote_default_settings();
    double tilt = SWING * TEST_PI / 180;
    settings.gravity = vec((float)(TEST_GRAVITY * sin(tilt)), (float)(-TEST_GRAVITY * cos(tilt)), 0);
    mote_world *world = test_world(&settings);
    lattice block = hanging(mass);
    mote_body_id body;
    if (from == SHARED_PARTICLES) {
        body = hang_by_sharing(world, &block);
    } else {
        body = add_lattice(world, &block);
        mote_body_id locked = {0, 0};
        if (from == LOCKED_BODY)
            locked = add_locked(world, vec(0, 0.15f, 0));
        mote_joint_def def = joint_def(MOTE_JOINT_HINGE, body, locked, vec(0, 0, 1));
        add_joint_of(world, &def);
    }
    double period = period_of(world, body, dt);
    mote_world_destroy(world);
    return period;
}

/* T = 2 pi sqrt(I / (m g d)); what is on the axis counts for neither I nor m d. */
static void pendulum_keeps_time(void **state)
{
    (void)state;
    double inertia = 0;
    for (int layer = 0; layer < ARM; layer++)
        inertia += pow(0.1 * (layer + 1), 2) + pow(0.05, 2);
    double expected = 2 * TEST_PI * sqrt(inertia / ARM / (TEST_GRAVITY * (0.1 + HALF_ARM)));
    static const float masses[] = {0.1f, 1, 100}, steps[] = {1 / 30.0f, 1 / 60.0f, 1 / 120.0f};
    static const char *const names[] = {"the world", "a locked body", "shared particles"};
    for (int from = WORLD; from <= SHARED_PARTICLES; from++)
        for (int m = 0; m < 3; m++)
            for (int s = 0; s < 3; s++)
                check_near(measured_period((hanger)from, masses[m], steps[s]) / expected, 1, 0.02,
                           "period on a hinge to %s, %g kg, steps of 1/%g s, of the true one", names[from],
                           (double)masses[m], 1 / (double)steps[s]);
}

/* ---- what is free --------------------------------------------------------------------------------------- */

/* A body below a locked one, joined at the origin, is given a spin of 1 rad/s about an axis through there. The
 * angle that it has turned by after half a second, rad: 0.5 if it is free to. */
static double free_turn(mote_joint_type type, mote_vec3 joint_axis, mote_vec3 about)
{
    mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    lattice block = hanging(1);
    mote_body_id locked = add_locked(world, vec(0, 0.15f, 0)), body = add_lattice(world, &block);
    mote_joint_def def = joint_def(type, locked, body, joint_axis);
    mote_joint_id joint = add_joint_of(world, &def);
    triple center = triple_of(body_of(world, body).center);
    must(mote_body_set_velocity(world, body, vec_of(cross(triple_of(about), center)), about));
    step_times(world, 30, TEST_FRAME);
    double angle = turn_of(world, body, about);
    mote_joint_state now = joint_of(world, joint);
    if (type == MOTE_JOINT_HINGE)
        check_near((double)now.angle, turn_of(world, body, joint_axis), 0.01, "the angle that the hinge tells");
    if (type == MOTE_JOINT_BALL && about.y > 0)
        check_near((double)now.twist, angle, 0.01, "the twist that the ball joint tells");
    if (type == MOTE_JOINT_BALL && about.y == 0)
        check_near((double)now.swing, fabs(angle), 0.01, "the swing that the ball joint tells");
    check_below(gap_of(world, body), 0.1 * (double)TEST_RADIUS, "gap of joint type %d, m", (int)type);
    check_below((double)now.gap, 0.1 * (double)TEST_RADIUS, "gap that joint type %d tells, m", (int)type);
    mote_world_destroy(world);
    return angle;
}

static void degrees_of_freedom(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        mote_joint_type type;
        mote_vec3 axis;
        bool free[3];
    } cases[] = {{"ball", MOTE_JOINT_BALL, {0, 1, 0}, {true, true, true}},
                 {"hinge", MOTE_JOINT_HINGE, {0, 0, 1}, {false, false, true}},
                 {"hinge across", MOTE_JOINT_HINGE, {1, 0, 0}, {true, false, false}},
                 {"stiff", MOTE_JOINT_STIFF, {0, 1, 0}, {false, false, false}},
                 {"universal", MOTE_JOINT_UNIVERSAL, {0, 1, 0}, {true, false, true}}};
    static const mote_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++)
        for (int i = 0; i < 3; i++) {
            double angle = free_turn(cases[n].type, cases[n].axis, axes[i]);
            if (cases[n].free[i])
                check_near(angle, 0.5, 0.03, "%s: free about axis %d, rad in half a second", cases[n].name, i);
            else
                check_near(degrees(angle), 0, 2, "%s: held about axis %d, degrees", cases[n].name, i);
        }
}

/* ---- under load ----------------------------------------------------------------------------------------- */

/* A long block along the hinge's axis, hung at one end: its weight wants to turn the axis. */
static void hinge_holds_its_axis(void **state)
{
    (void)state;
    static const float masses[] = {1, 100};
    for (int m = 0; m < 2; m++) {
        mote_world *world = test_world(NULL);
        lattice block = {.count = {2, 2, 6}, .center = {0, -0.15f, 0.25f}, .mass = masses[m]};
        mote_body_id locked = add_locked(world, vec(0, 0.15f, 0)), body = add_lattice(world, &block);
        mote_joint_def def = joint_def(MOTE_JOINT_HINGE, locked, body, vec(0, 0, 1));
        mote_joint_id joint = add_joint_of(world, &def);
        double worst = 0;
        for (int n = 0; n < 180; n++) {
            step_times(world, 1, TEST_FRAME);
            triple axis = turned(body_of(world, body).pose.rotation, (triple){0, 0, 1});
            worst = fmax(worst, degrees(acos(fmin(1, axis.z))));
        }
        check_below(worst, 2, "%g kg off the middle: the hinge's axis turned by, degrees", (double)masses[m]);
        check_below(gap_of(world, body), 0.1 * (double)TEST_RADIUS, "gap, m");
        double weight = (double)masses[m] * TEST_GRAVITY;
        mote_joint_state now = joint_of(world, joint);
        check_near((double)now.force.y, -weight, 0.03 * weight, "it pulls with its weight, N");
        /* r x F with r = (0, -0.15, 0.25): the weight turns the locked body about +x */
        check_near((double)now.torque.x, 0.25 * weight, 0.03 * 0.25 * weight, "and turns with, N m");
        mote_world_destroy(world);
    }
}

/* A lower leg that sticks out to +x and may bend downwards only if `downwards`; three times its weight hangs at
 * its end. The furthest that it has turned about z in two seconds, degrees. */
static double knee_angle(bool downwards)
{
    mote_world *world = test_world(NULL);
    lattice leg = sticking_out(2), load = {.count = {2, 2, 2}, .center = {0.7f, -0.15f, 0}, .mass = 6};
    mote_body_id locked = add_locked(world, vec(-0.15f, 0, 0)), body = add_lattice(world, &leg);
    mote_body_id weight = add_lattice(world, &load);
    mote_joint_def def = joint_def(MOTE_JOINT_HINGE, locked, body, vec(0, 0, 1));
    def.min_angle = downwards ? -2.4f : 0;
    def.max_angle = downwards ? 0 : 2.4f;
    add_joint_of(world, &def);
    mote_joint_def hook = joint_def(MOTE_JOINT_BALL, body, weight, vec(0, 1, 0));
    hook.anchor = vec(0.7f, 0, 0);
    add_joint_of(world, &hook);
    double furthest = 0;
    for (int n = 0; n < 120; n++) {
        step_times(world, 1, TEST_FRAME);
        double angle = degrees(turn_of(world, body, vec(0, 0, 1)));
        furthest = fabs(angle) > fabs(furthest) ? angle : furthest;
    }
    mote_world_destroy(world);
    return furthest;
}

static void knee_bends_one_way(void **state)
{
    (void)state;
    check_near(knee_angle(false), 0, 3, "a knee that must not bend down holds, degrees");
    check_below(knee_angle(true), -90, "one that may swings past straight down, degrees");
}

/* As in the literature: the shared particles at +r, limiters of the lower body at -r that touch the upper one.
 * The angle after a third of a second of gravity to `side`, degrees. */
static double touching_knee(float side)
{
    mote_settings settings = mote_default_settings();
    settings.gravity = vec(side * (float)TEST_GRAVITY, 0, 0);
    mote_world *world = test_world(&settings);
    mote_particle_id upper[LATTICE_MAX], lower[LATTICE_MAX];
    size_t uppers = 0, lowers = 0;
    const float r = TEST_RADIUS;
    lattice block = {.count = {2, 4, 2}, .center = {0, 5 * r, 0}};
    add_lattice_particles(world, &block, upper, &uppers);
    block.center.y = -5 * r;
    add_lattice_particles(world, &block, lower, &lowers);
    for (int n = -1; n <= 1; n += 2) {
        upper[uppers++] = lower[lowers++] = add_point(world, vec(r, 0, (float)n * r), 1);
        lower[lowers++] = add_point(world, vec(-r, 0, (float)n * r), 1);
    }
    mote_body_id a = add_body(world, upper, uppers), b = add_body(world, lower, lowers);
    must(mote_body_set_mode(world, a, MOTE_BODY_DRIVEN));
    check_true(!mote_is_null(mote_joint_between(world, a, b)), "sharing joins them");
    step_times(world, 20, TEST_FRAME);
    double angle = degrees(turn_of(world, b, vec(0, 0, 1)));
    mote_world_destroy(world);
    return angle;
}

static void touching_knee_bends_one_way(void **state)
{
    (void)state;
    /* Turning the lower body to +x about its hinge at +r takes the limiters away from the upper one. */
    check_above(touching_knee(1), 30, "it bends, degrees");
    check_near(touching_knee(-1), 0, 5, "the other way it does not, degrees");
}

/* A beam from a locked body, under its own weight. */
static void stiff_holds(void **state)
{
    (void)state;
    static const float masses[] = {0.1f, 1, 100};
    for (int m = 0; m < 3; m++) {
        mote_world *world = test_world(NULL);
        lattice beam = sticking_out(masses[m]);
        mote_body_id locked = add_locked(world, vec(-0.15f, 0, 0)), body = add_lattice(world, &beam);
        mote_joint_def def = joint_def(MOTE_JOINT_STIFF, locked, body, vec(1, 0, 0));
        mote_joint_id joint = add_joint_of(world, &def);
        double worst = 0;
        for (int n = 0; n < 180; n++) {
            step_times(world, 1, TEST_FRAME);
            worst = fmax(worst, fabs(degrees(turn_of(world, body, vec(0, 0, 1)))));
        }
        check_below(worst, 5, "a beam of %g kg bends by, degrees", (double)masses[m]);
        check_below(gap_of(world, body), 0.1 * (double)TEST_RADIUS, "gap, m");
        double weight = (double)masses[m] * TEST_GRAVITY, arm = 0.1 + HALF_ARM;
        mote_joint_state now = joint_of(world, joint);
        check_near((double)now.force.y, -weight, 0.03 * weight, "force on the locked body, N");
        check_near((double)now.torque.z, -weight * arm, 0.03 * weight * arm, "torque on the locked body, N m");
        mote_world_destroy(world);
    }
}

/* Two bodies that share a cross-section of four particles. */
static void shared_section_holds(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_particle_id fixed_part[LATTICE_MAX], beam_part[LATTICE_MAX];
    size_t fixed_count = 0, beam_count = 0;
    lattice root = {.count = {2, 2, 2}, .center = {-0.15f, 0, 0}}, beam = sticking_out(24);
    lattice section = {.count = {1, 2, 2}};
    add_lattice_particles(world, &section, beam_part, &beam_count);
    for (size_t n = 0; n < beam_count; n++)
        fixed_part[fixed_count++] = beam_part[n];
    add_lattice_particles(world, &root, fixed_part, &fixed_count);
    add_lattice_particles(world, &beam, beam_part, &beam_count);
    mote_body_id a = add_body(world, fixed_part, fixed_count), b = add_body(world, beam_part, beam_count);
    must(mote_body_set_mode(world, a, MOTE_BODY_DRIVEN));
    mote_joint_state now = joint_of(world, mote_joint_between(world, b, a));
    check_true(now.type == MOTE_JOINT_STIFF, "four shared particles off a line are a stiff joint");
    step_times(world, 180, TEST_FRAME);
    check_near(degrees(turn_of(world, b, vec(0, 0, 1))), 0, 5, "the beam bends by, degrees");
    check_below(gap_of(world, b), 0.1 * (double)TEST_RADIUS, "gap, m");
    mote_world_destroy(world);
}

/* A couple of forces about the axis, each as large as a quarter of the weight and 0.2 m off it. */
static void universal_does_not_twist(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    lattice block = hanging(4);
    mote_body_id locked = add_locked(world, vec(0, 0.15f, 0)), body = add_lattice(world, &block);
    mote_joint_def def = joint_def(MOTE_JOINT_UNIVERSAL, locked, body, vec(0, 1, 0));
    mote_joint_id joint = add_joint_of(world, &def);
    float push = (float)TEST_GRAVITY * TEST_FRAME;
    for (int n = 0; n < 180; n++) {
        mote_vec3 c = body_of(world, body).center;
        must(mote_body_apply_impulse(world, body, vec(0, 0, -push), vec(c.x + 0.2f, c.y, c.z)));
        must(mote_body_apply_impulse(world, body, vec(0, 0, push), vec(c.x - 0.2f, c.y, c.z)));
        step_times(world, 1, TEST_FRAME);
        check_near(degrees(turn_of(world, body, vec(0, 1, 0))), 0, 3, "frame %d: twist, degrees", n);
    }
    check_near((double)joint_of(world, joint).torque.y, 0.4 * TEST_GRAVITY, 0.03 * 0.4 * TEST_GRAVITY,
               "torque on the locked body, N m");
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_keeps_time),         cmocka_unit_test(degrees_of_freedom),
        cmocka_unit_test(hinge_holds_its_axis),        cmocka_unit_test(knee_bends_one_way),
        cmocka_unit_test(touching_knee_bends_one_way), cmocka_unit_test(stiff_holds),
        cmocka_unit_test(shared_section_holds),        cmocka_unit_test(universal_does_not_twist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
