/* Motion without contacts, against the exact solution of each integrator's own recurrence.
 *
 * Constant acceleration g, n substeps of h, T = n h:
 *   symplectic Euler   x = x0 + v0 T + g h^2 n (n + 1) / 2
 *   explicit Euler     x = x0 + v0 T + g h^2 n (n - 1) / 2
 *   Verlet             x = x0 + v0 T + g T^2 / 2
 * and v = v0 + g T for all three. */
#include "support.h"

#include <math.h>

static const char *integrator_name(mote_integrator integrator)
{
    static const char *const names[] = {"symplectic Euler", "explicit Euler", "Verlet"};
    return names[integrator];
}

/* The factor of g in the position: the integral of time as the integrator sees it. */
static double fallen_per_gravity(mote_integrator integrator, const double *substeps, size_t count)
{
    double time = 0, sum = 0;
    for (size_t i = 0; i < count; ++i) {
        double h = substeps[i];
        double seen = integrator == MOTE_INTEGRATOR_SYMPLECTIC_EULER ? time + h
                      : integrator == MOTE_INTEGRATOR_EXPLICIT_EULER ? time
                                                                     : time + h / 2;
        sum += h * seen;
        time += h;
    }
    return sum;
}

/* With h a power of two and g a small integer every intermediate number fits into a float's 24 bits, so there
 * is no rounding at all and the answer must be right to the last bit. */
static void free_fall_is_exact(void **state)
{
    (void)state;
    static const uint32_t substeps[] = {1, 4, 8};
    for (int integrator = 0; integrator < MOTE_INTEGRATOR_COUNT; ++integrator) {
        for (size_t k = 0; k < 3; ++k) {
            mote_settings settings = mote_default_settings();
            settings.gravity = vec(0, -10, 0);
            settings.integrator = (mote_integrator)integrator;
            settings.substeps = substeps[k];
            mote_world *world = test_world(&settings);
            mote_particle_id p = add_particle(world, vec(0, 8, 1), vec(3, 2, -1.5f), (mote_material_id){0});
            step_times(world, 64, 1.0f / 64);
            double n = 64.0 * substeps[k], h = 1.0 / n;
            double pairs = integrator == MOTE_INTEGRATOR_SYMPLECTIC_EULER ? n * (n + 1)
                           : integrator == MOTE_INTEGRATOR_EXPLICIT_EULER ? n * (n - 1)
                                                                          : n * n;
            mote_particle_state s = state_of(world, p);
            const char *name = integrator_name((mote_integrator)integrator);
            check_near(s.position.y, 8 + 2 - 10 * h * h * pairs / 2, 0, "y, %s, %u substeps", name,
                       substeps[k]);
            check_near(s.position.x, 3, 0, "x, %s, %u substeps", name, substeps[k]);
            check_near(s.position.z, -0.5, 0, "z, %s, %u substeps", name, substeps[k]);
            check_near(s.velocity.y, 2 - 10, 0, "v, %s, %u substeps", name, substeps[k]);
            mote_world_destroy(world);
        }
    }
}

/* Odd numbers and a step that changes all the time; only rounding may differ. Each substep rounds the position
 * (below 8 m: half an ulp is 2.4e-7) and the velocity (below 16 m/s: 4.8e-7) once or twice; 240 substeps in
 * the same direction make at most 2.3e-4 m/s and, over the second, 2.3e-4 m; a tenth of that is usual. */
static void projectile_with_variable_steps(void **state)
{
    (void)state;
    static const float steps[] = {1.0f / 60, 1.0f / 90, 0.011f, 1.0f / 30, 0.004f, 0.0271f};
    for (int integrator = 0; integrator < MOTE_INTEGRATOR_COUNT; ++integrator) {
        mote_settings settings = mote_default_settings();
        settings.integrator = (mote_integrator)integrator;
        settings.substeps = 4;
        mote_world *world = test_world(&settings);
        mote_particle_id p =
            add_particle(world, vec(-1.3f, 2.7f, 0.9f), vec(1.7f, 4.1f, -2.3f), (mote_material_id){0});
        double substeps[240];
        size_t count = 0;
        double time = 0;
        for (size_t i = 0; i < 60; ++i) {
            float dt = steps[i % 6];
            must(mote_world_step(world, dt));
            for (int k = 0; k < 4; ++k)
                substeps[count++] = (double)dt / 4;
            time += (double)dt;
        }
        double fallen = fallen_per_gravity((mote_integrator)integrator, substeps, count);
        const char *name = integrator_name((mote_integrator)integrator);
        mote_particle_state s = state_of(world, p);
        check_near(s.position.x, -1.3 + 1.7 * time, 2.3e-4, "x, %s", name);
        check_near(s.position.y, 2.7 + 4.1 * time - TEST_GRAVITY * fallen, 2.3e-4, "y, %s", name);
        check_near(s.position.z, 0.9 - 2.3 * time, 2.3e-4, "z, %s", name);
        check_near(s.velocity.y, 4.1 - TEST_GRAVITY * time, 2.3e-4, "v, %s", name);
        check_near(mote_world_time(world), time, 1e-9, "time of the world");
        check_near((double)mote_world_step_count(world), 60, 0, "steps of the world");
        mote_world_destroy(world);
    }
}

/* ---- a body in the field of a point: acceleration of constant size towards the origin --------------------
 * The potential is strength * r, so E = v^2 / 2 + strength * r for a mass of one. */

enum { X, Z, VX, VZ };

static void orbit_slope(const double *s, double *slope)
{
    double r = sqrt(s[X] * s[X] + s[Z] * s[Z]);
    slope[X] = s[VX];
    slope[Z] = s[VZ];
    slope[VX] = -s[X] / r;
    slope[VZ] = -s[Z] / r;
}

/* Runge and Kutta's fourth-order step, small enough to be exact here. */
static void orbit_reference(double seconds, double speed, double *s)
{
    const int count = 20000;
    double h = seconds / count, k[4][4], at[4];
    s[X] = 1, s[Z] = 0, s[VX] = 0, s[VZ] = speed;
    for (int i = 0; i < count; ++i) {
        orbit_slope(s, k[0]);
        for (int stage = 1; stage < 4; ++stage) {
            for (int j = 0; j < 4; ++j)
                at[j] = s[j] + (stage == 3 ? h : h / 2) * k[stage - 1][j];
            orbit_slope(at, k[stage]);
        }
        for (int j = 0; j < 4; ++j)
            s[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
    }
}

static mote_particle_state orbit(mote_integrator integrator, double seconds, uint32_t steps_per_second,
                                 float speed)
{
    mote_settings settings = weightless();
    settings.integrator = integrator;
    settings.substeps = 1;
    mote_world *world = test_world(&settings);
    mote_field_def field = mote_default_field_def();
    field.type = MOTE_FIELD_POINT;
    must_exist(mote_field_add(world, &field));
    mote_particle_id p = add_particle(world, vec(1, 0, 0), vec(0, 0, speed), (mote_material_id){0});
    step_times(world, (uint32_t)(seconds * steps_per_second), 1.0f / (float)steps_per_second);
    mote_particle_state end = state_of(world, p);
    mote_world_destroy(world);
    return end;
}

static double orbit_error(mote_integrator integrator, uint32_t steps_per_second)
{
    double reference[4];
    orbit_reference(4, 0.5, reference);
    mote_vec3 end = orbit(integrator, 4, steps_per_second, 0.5f).position;
    return hypot(end.x - reference[X], end.z - reference[Z]);
}

static double orbit_energy(mote_particle_state s)
{
    double v = length_of(s.velocity);
    return v * v / 2 + length_of(s.position);
}

/* Halving the step halves a first-order error and quarters a second-order one; 15 % is room for the next
 * term of the series, which is of the size of h itself (1/32 s against a motion of about 1 s). */
static void integrators_have_their_order(void **state)
{
    (void)state;
    double verlet = orbit_error(MOTE_INTEGRATOR_VERLET, 32) / orbit_error(MOTE_INTEGRATOR_VERLET, 64);
    check_near(verlet, 4, 0.6, "Verlet: error ratio when h is halved");
    double symplectic =
        orbit_error(MOTE_INTEGRATOR_SYMPLECTIC_EULER, 128) / orbit_error(MOTE_INTEGRATOR_SYMPLECTIC_EULER, 256);
    check_near(symplectic, 2, 0.3, "symplectic Euler: error ratio when h is halved");
    double explicit_euler =
        orbit_error(MOTE_INTEGRATOR_EXPLICIT_EULER, 128) / orbit_error(MOTE_INTEGRATOR_EXPLICIT_EULER, 256);
    check_near(explicit_euler, 2, 0.3, "explicit Euler: error ratio when h is halved");
}

/* On a circle (v^2 = a r) a step of explicit Euler adds h^2 a^2 / 2 to the kinetic energy and as much to the
 * potential one, so the energy grows by h a^2 a second. The other two are symplectic: their energy swings by
 * about h (first order) and h^2 (second order) but does not drift. */
static void integrators_and_energy(void **state)
{
    (void)state;
    const double start = 0.5 + 1, seconds = 40, h = 1.0 / 32;
    double gained = orbit_energy(orbit(MOTE_INTEGRATOR_EXPLICIT_EULER, seconds, 32, 1)) - start;
    check_near(gained, h * seconds, 0.05 * h * seconds, "energy that explicit Euler gains in %g s", seconds);
    double symplectic = orbit_energy(orbit(MOTE_INTEGRATOR_SYMPLECTIC_EULER, seconds, 32, 0.75f));
    check_near(symplectic, 0.75 * 0.75 / 2 + 1, h, "energy with symplectic Euler after %g s", seconds);
    double verlet = orbit_energy(orbit(MOTE_INTEGRATOR_VERLET, seconds, 32, 0.75f));
    check_near(verlet, 0.75 * 0.75 / 2 + 1, h * h, "energy with Verlet after %g s", seconds);
}

/* ---- limits and fixed particles ------------------------------------------------------------------------- */

static void speed_is_limited(void **state)
{
    (void)state;
    mote_settings settings = mote_default_settings();
    settings.gravity = vec(-6, -8, 0);
    settings.max_speed = 2;
    mote_world *world = test_world(&settings);
    mote_particle_id p = add_particle(world, vec(0, 0, 0), vec(0, 0, 0), (mote_material_id){0});
    step_times(world, 60, TEST_FRAME);
    mote_vec3 v = state_of(world, p).velocity;
    check_near(length_of(v), 2, 2e-5, "speed");
    check_near(v.x / v.y, 0.75, 1e-5, "direction of the velocity");
    /* From now on every second brings exactly two metres. */
    mote_vec3 before = state_of(world, p).position;
    step_times(world, 60, TEST_FRAME);
    check_near(distance_of(before, state_of(world, p).position), 2, 1e-4, "way in a second at the limit");
    mote_world_destroy(world);
}

/* A fixed particle follows its own velocity through gravity, fields, impulses, planes and other particles. */
static void fixed_particles_move_by_themselves(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    add_floor(world, (mote_material_id){0});
    mote_field_def wind = mote_default_field_def();
    wind.type = MOTE_FIELD_WIND;
    wind.direction = vec(0, 0, 9);
    wind.group = 0; /* that of the fixed particle, not of the obstacle */
    must_exist(mote_field_add(world, &wind));
    mote_particle_def def = mote_default_particle_def();
    def.fixed = true;
    def.position = vec(0, 0.5f, 0);
    def.velocity = vec(0.25f, -0.5f, 0);
    mote_particle_id p = mote_particle_add(world, &def);
    must_exist(p);
    mote_particle_id obstacle = add_particle(world, vec(0.25f + 0.5f * TEST_RADIUS, TEST_RADIUS, 0),
                                             vec(0, 0, 0), (mote_material_id){0});
    must(mote_particle_set_phase(world, obstacle, mote_phase(1, true, 0x7F)));
    must(mote_particle_apply_impulse(world, p, vec(5, 5, 5)));
    step_times(world, 128, 1.0f / 64);
    mote_particle_state s = state_of(world, p);
    check_near(s.position.x, 0.5, 1e-6, "x of the fixed particle");
    check_near(s.position.y, -0.5, 1e-6, "y of the fixed particle");
    check_near(s.position.z, 0, 0, "z of the fixed particle");
    check_near(s.velocity.x, 0.25, 1e-6, "vx of the fixed particle");
    check_near(s.velocity.y, -0.5, 1e-6, "vy of the fixed particle");
    check_true(s.fixed && isinf(s.mass), "a fixed particle has no finite mass");
    check_above(fabs((double)state_of(world, obstacle).position.x - (0.25 + 0.5 * TEST_RADIUS)),
                TEST_RADIUS / 4, "the fixed particle pushes what is in its way");
    mote_world_destroy(world);
}

static void impulses_change_velocities(void **state)
{
    (void)state;
    mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    mote_particle_def def = mote_default_particle_def();
    def.mass = 4;
    def.velocity = vec(1, 0, 0);
    mote_particle_id p = mote_particle_add(world, &def);
    must(mote_particle_apply_impulse(world, p, vec(2, -6, 1)));
    step_times(world, 64, 1.0f / 64);
    mote_particle_state s = state_of(world, p);
    check_near(s.velocity.x, 1 + 2.0 / 4, 1e-6, "vx");
    check_near(s.velocity.y, -6.0 / 4, 1e-6, "vy");
    check_near(s.velocity.z, 1.0 / 4, 1e-6, "vz");
    check_near(s.position.y, -1.5, 1e-5, "y after a second");
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_fall_is_exact),
        cmocka_unit_test(projectile_with_variable_steps),
        cmocka_unit_test(integrators_have_their_order),
        cmocka_unit_test(integrators_and_energy),
        cmocka_unit_test(speed_is_limited),
        cmocka_unit_test(fixed_particles_move_by_themselves),
        cmocka_unit_test(impulses_change_velocities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
