/* Joints neither make energy nor lose much of it, with long levers and fast turning too; and a body that turns
 * freely tumbles as Euler's equations say. */
#include "impulse_world.h"

#include <math.h>

#define R TEST_RADIUS

enum { SECONDS = TEST_BY_BUILD(60, 10, 2) };

/* ---- a double pendulum ---------------------------------------------------------------------------------- */

/* Two beams in a row that stick out to +x, hinged to the world and to each other about z. */
static mote_world *double_pendulum(uint32_t substeps)
{
    mote_settings settings = impulse_settings();
    settings.substeps = substeps;
    mote_world *world = test_world(&settings);
    lattice upper = sticking_out(0), lower = sticking_out(0);
    lower.center.x += 0.7f;
    mote_body_id a = add_lattice(world, &upper), b = add_lattice(world, &lower);
    join(world, MOTE_JOINT_HINGE, a, (mote_body_id){0}, vec(0, 0, 0), vec(0, 0, 1));
    join(world, MOTE_JOINT_HINGE, a, b, vec(0.7f, 0, 0), vec(0, 0, 1));
    return world;
}

/* By how much the energy is ever off what it was, as a part of what there is between the start and hanging down:
 * every particle would then be as far below as it is aside now. */
static double energy_error(uint32_t substeps)
{
    mote_world *world = double_pendulum(substeps);
    motion start = motion_of(world);
    double range = TEST_GRAVITY * start.mass * start.center.x, energy = energy_of(world), worst = 0, most = 0;
    for (int n = 0; n < 60 * SECONDS; n++) {
        step_times(world, 1, TEST_FRAME);
        double error = (energy_of(world) - energy) / range;
        worst = fabs(error) > fabs(worst) ? error : worst;
        most = fmax(most, motion_of(world).energy / range);
    }
    print_message("%u substeps: the energy is off by up to %.2f %%\n", substeps, 100 * worst);
    check_above(most, 0.5, "it swings: kinetic energy, part of the range");
    mote_world_destroy(world);
    return fabs(worst);
}

static void double_pendulum_keeps_energy(void **state)
{
    (void)state;
    double eight = energy_error(8), sixteen = energy_error(16), many = energy_error(32);
    check_below(eight, 0.05, "error with 8 substeps");
    check_below(sixteen, fmax(eight, 0.01), "error with 16 substeps, against that with 8");
    check_below(many, fmax(sixteen, 0.01), "error with 32 substeps, against that with 16");
}

/* ---- long levers ---------------------------------------------------------------------------------------- */

typedef struct lever {
    const char *name;
    mote_joint_type type;
    uint32_t count[3]; /* particles of each of the two bodies */
    float distance;    /* m from the bodies to the joint */
    mote_vec3 spin;    /* rad/s, of the whole */
    float against;     /* rad/s, by which the two turn beside each other about the joint's axis */
} lever;

static const lever levers[] = {
    {"stiff, 3.2 m, across", MOTE_JOINT_STIFF, {3, 1, 1}, 3.2f, {0, 0, 18}, 0},
    {"stiff, 3.2 m, along", MOTE_JOINT_STIFF, {1, 3, 1}, 3.2f, {18, 0, 0}, 0},
    {"stiff, 3.2 m, askew", MOTE_JOINT_STIFF, {3, 1, 1}, 3.2f, {9, 9, 9}, 0},
    {"hinge, 1.6 m", MOTE_JOINT_HINGE, {2, 2, 2}, 1.6f, {0, 0, 10}, 0},
    {"hinge, 1.6 m, opening", MOTE_JOINT_HINGE, {2, 2, 2}, 1.6f, {0, 0, 5}, 2},
    {"hinge, 1.6 m, askew", MOTE_JOINT_HINGE, {2, 2, 2}, 1.6f, {6, 3, 2}, 0},
    {"universal, 3 m", MOTE_JOINT_UNIVERSAL, {2, 2, 2}, 3, {0, 0, 10}, 0},
    {"universal, 3 m, askew", MOTE_JOINT_UNIVERSAL, {2, 2, 2}, 3, {4, 4, 4}, 0},
    {"ball, 3 m, askew", MOTE_JOINT_BALL, {2, 2, 2}, 3, {4, 4, 4}, 0},
};

/* The velocities of a rigid turn about the common centre; and one of each body about the joint, to opposite
 * sides. */
static void set_turning(mote_world *world, const mote_body_id body[2], const lever *l)
{
    triple middle = motion_of(world).center, anchor = {0, (double)l->distance, 0};
    for (int n = 0; n < 2; n++) {
        triple own = {0, 0, (n == 0 ? 0.5 : -0.5) * (double)l->against};
        triple place = triple_of(body_of(world, body[n]).center), spin = triple_of(l->spin);
        triple velocity = plus(cross(spin, minus(place, middle)), cross(own, minus(place, anchor)));
        must(mote_body_set_velocity(world, body[n], vec_of(velocity), vec_of(plus(spin, own))));
    }
}

/* The two stand side by side; the joint is far above both. */
static mote_world *lever_world(const lever *l)
{
    mote_world *world = impulse_weightless_world();
    mote_body_id body[2];
    for (int n = 0; n < 2; n++) {
        float x = (n == 0 ? -1.0f : 1.0f) * ((float)l->count[0] + 0.5f) * R;
        body[n] = add_brick(world, l->count[0], l->count[1], l->count[2], vec(x, 0, 0));
    }
    join(world, l->type, body[0], body[1], vec(0, l->distance, 0),
         l->type == MOTE_JOINT_HINGE ? vec(0, 0, 1) : vec(0, 1, 0));
    set_turning(world, body, l);
    return world;
}

static void long_levers_gain_nothing(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t k = 0; k < sizeof levers / sizeof levers[0]; k++) {
        mote_world *world = lever_world(&levers[k]);
        double energy = motion_of(world).energy, most = 0, last = 0;
        for (int n = 0; n < 60 * SECONDS / 4; n++) {
            step_times(world, 1, TEST_FRAME);
            last = motion_of(world).energy / energy;
            most = fmax(most, last);
        }
        print_message("%s: kinetic energy at most %.4f, in the end %.4f of the first\n", levers[k].name, most,
                      last);
        wrong += !(most <= 1.02);
        mote_world_destroy(world);
    }
    check_near(wrong, 0, 0, "levers with more than 1.02 times the energy");
}

/* ---- a body that tumbles -------------------------------------------------------------------------------- */

/* Spin in the body's own principal axes, rad/s. */
typedef struct tumbling {
    double moment[3], spin[3];
} tumbling;

/* I1 w1' = (I2 - I3) w2 w3, and so on round. */
static void euler_rate(const tumbling *t, const double spin[3], double rate[3])
{
    for (int n = 0; n < 3; n++) {
        int j = (n + 1) % 3, k = (n + 2) % 3;
        rate[n] = (t->moment[j] - t->moment[k]) * spin[j] * spin[k] / t->moment[n];
    }
}

/* A step of the classical Runge-Kutta method. */
static void euler_step(tumbling *t, double h)
{
    static const double part[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    double rate[3] = {0}, sum[3] = {0}, at[3];
    for (int stage = 0; stage < 4; stage++) {
        for (int n = 0; n < 3; n++)
            at[n] = t->spin[n] + part[stage] * h * rate[n];
        euler_rate(t, at, rate);
        for (int n = 0; n < 3; n++)
            sum[n] += weight[stage] * rate[n];
    }
    for (int n = 0; n < 3; n++)
        t->spin[n] += h * sum[n] / 6;
}

/* How often the spin about axis 1, the middle one, changes its sign in `seconds`; *since gets how long before the
 * end the last time was, s. */
static int exact_flips(tumbling t, double seconds, double *since)
{
    const double h = 1e-4;
    int flips = 0;
    *since = 0;
    for (double time = 0; time < seconds; time += h) {
        double before = t.spin[1];
        euler_step(&t, h);
        *since += h;
        if ((before > 0) != (t.spin[1] > 0)) {
            flips++;
            *since = 0;
        }
    }
    return flips;
}

/* 2 x 3 x 5 particles: the moments about z, y, x are in this order, smallest first. With this much beside the middle
 * axis the end of the minute falls into the middle between two flips. */
static void tumbles_as_euler_says(void **state)
{
    (void)state;
    const mote_vec3 spin = {0, 15, 0.1625f};
    mote_world *world = impulse_weightless_world();
    lattice block = {.count = {2, 3, 5}, .spin = spin};
    mote_body_id body = add_lattice(world, &block);
    mote_vec3 moment = body_of(world, body).inertia;
    tumbling t = {.moment = {(double)moment.x, (double)moment.y, (double)moment.z},
                  .spin = {(double)spin.z, (double)spin.y, (double)spin.x}};
    double since;
    int expected = exact_flips(t, SECONDS, &since), flips = 0;
    double energy = motion_of(world).energy, last = 1;
    for (int n = 0; n < 60 * SECONDS; n++) {
        step_times(world, 1, TEST_FRAME);
        mote_body_state now = body_of(world, body);
        double along = dot(triple_of(now.spin), turned(now.pose.rotation, (triple){0, 1, 0}));
        flips += along * last < 0;
        last = along;
        check_near(motion_of(world).energy, energy, 0.02 * energy, "frame %d: energy, J", n);
    }
    print_message("%d flips, by Euler %d, the last %.2f s before the end\n", flips, expected, since);
    check_near(flips, expected, 0, "flips in %d s", SECONDS);
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(double_pendulum_keeps_energy),
        cmocka_unit_test(long_levers_gain_nothing),
        cmocka_unit_test(tumbles_as_euler_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
