/* Momentum of what nothing outside pushes, by the third law: every correction of one particle has its equal and
 * opposite, whatever the masses, the friction and the solver. */
#include "support.h"

#include <math.h>

typedef struct motion {
    double momentum[3]; /* kg m/s */
    double traffic;     /* sum of m |v|, what the momentum's error is measured by */
    double energy;      /* J */
} motion;

static motion motion_of(const mote_world *world)
{
    mote_particles_view view = mote_particles_get_view(world);
    motion total = {0};
    for (size_t i = 0; i < view.count; ++i) {
        mote_vec4 v = view.velocity[i];
        double mass = 1 / (double)v.w, speed = length_of(vec(v.x, v.y, v.z));
        total.momentum[0] += mass * (double)v.x;
        total.momentum[1] += mass * (double)v.y;
        total.momentum[2] += mass * (double)v.z;
        total.traffic += mass * speed;
        total.energy += mass * speed * speed / 2;
    }
    return total;
}

static double momentum_error(const motion *before, const motion *after)
{
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
        double difference = after->momentum[axis] - before->momentum[axis];
        sum += difference * difference;
    }
    return sqrt(sum) / before->traffic;
}

static const char *solver_name(int solver)
{
    static const char *const names[] = {"Jacobi", "Gauss-Seidel", "coloured", "impulse"};
    return names[solver];
}

static mote_world *collision_world(int solver, float friction, float restitution, mote_material_id *material)
{
    mote_settings settings = weightless();
    settings.solver = (mote_solver)solver;
    mote_world *world = test_world(&settings);
    *material = add_material(world, friction, friction, restitution);
    return world;
}

/* Rounding: a velocity that is made from positions near 0.3 m (half an ulp: 1.5e-8 m) in 1/240 s is right to
 * 4e-6 m/s; the contact lasts a few substeps, the speeds are some m/s: 1e-5 of the traffic is rounding. */
static void two_particles(void **state)
{
    (void)state;
    static const float masses[][2] = {{1, 1}, {1, 3}, {0.01f, 1}, {100, 0.5f}};
    static const float surfaces[][2] = {{0, 0}, {0.5f, 0}, {0.5f, 0.6f}, {0, 1}};
    for (int solver = 0; solver < MOTE_SOLVER_COUNT; ++solver) {
        for (int i = 0; i < 16; ++i) {
            mote_material_id material;
            mote_world *world = collision_world(solver, surfaces[i % 4][0], surfaces[i % 4][1], &material);
            mote_particle_def def = mote_default_particle_def();
            def.material = material;
            def.mass = masses[i / 4][0];
            def.radius = 0.5f * TEST_RADIUS;
            def.position = vec(-0.2f, 0.02f, 0);
            def.velocity = vec(2, 0, 0.1f);
            mote_particle_id first = mote_particle_add(world, &def);
            must_exist(first);
            mote_vec3 start = def.velocity;
            def.mass = masses[i / 4][1];
            def.radius = TEST_RADIUS;
            def.position = vec(0.2f, -0.02f, 0.01f);
            def.velocity = vec(-1, 0.1f, 0);
            must_exist(mote_particle_add(world, &def));
            motion before = motion_of(world);
            step_times(world, 20, TEST_FRAME);
            motion after = motion_of(world);
            check_above(distance_of(state_of(world, first).velocity, start), 1e-3, "the particles met");
            const char *what = "%s, masses %g and %g, mu %g, e %g";
            double mu = surfaces[i % 4][0], e = surfaces[i % 4][1];
            check_below(momentum_error(&before, &after), 1e-5, what, solver_name(solver),
                        (double)masses[i / 4][0], (double)masses[i / 4][1], mu, e);
            check_below(after.energy, before.energy * (1 + 1e-3), what, solver_name(solver),
                        (double)masses[i / 4][0], (double)masses[i / 4][1], mu, e);
            mote_world_destroy(world);
        }
    }
}

/* The numbers of mote_world_stats are the same sums. */
static void stats_agree(void **state)
{
    (void)state;
    mote_settings settings = mote_default_settings();
    mote_world *world = test_world(&settings);
    mote_particle_def def = mote_default_particle_def();
    uint64_t seed = 5;
    double potential = 0, fastest = 0;
    for (int i = 0; i < 50; ++i) {
        def.position = vec((float)i, random_between(&seed, -5, 5), 0);
        def.velocity = vec(random_between(&seed, -1, 1), random_between(&seed, -1, 1), 1);
        def.mass = random_between(&seed, 0.1f, 10);
        must_exist(mote_particle_add(world, &def));
        potential += (double)def.mass * TEST_GRAVITY * (double)def.position.y;
        fastest = fmax(fastest, length_of(def.velocity));
    }
    motion expected = motion_of(world);
    mote_stats stats = stats_of(world);
    check_near(stats.momentum.x, expected.momentum[0], 1e-5 * expected.traffic, "momentum along x");
    check_near(stats.momentum.y, expected.momentum[1], 1e-5 * expected.traffic, "momentum along y");
    check_near(stats.momentum.z, expected.momentum[2], 1e-5 * expected.traffic, "momentum along z");
    check_near(stats.kinetic_energy, expected.energy, 1e-5 * expected.energy, "kinetic energy");
    check_near(stats.potential_energy, potential, 1e-3, "potential energy");
    check_near(stats.max_speed, fastest, 1e-5, "largest speed");
    check_near((double)stats.particles, 50, 0, "particles");
    mote_world_destroy(world);
}

static void add_cluster(mote_world *world, float x, float speed, float radius, mote_material_id material)
{
    mote_grains_def grains = mote_default_grains_def();
    grains.count[0] = 5;
    grains.count[1] = 8;
    grains.count[2] = 5;
    grains.radius = radius;
    grains.radius_spread = 0.3f;
    grains.jitter = 0.05f;
    grains.origin = vec(x, -8 * radius, -5 * radius);
    grains.velocity = vec(speed, 0, 0.2f * speed);
    grains.material = material;
    must(mote_grains_block(world, &grains, NULL));
}

/* Two hundred grains into two hundred smaller ones: masses 1:20, every grain with many contacts at once, which
 * is where sharing out corrections could lose the balance. 1e-4 of the traffic is ten times the rounding. */
static void two_clusters(void **state)
{
    (void)state;
    static const float frictions[] = {0, 0.5f};
    for (int solver = 0; solver < MOTE_SOLVER_COUNT; ++solver) {
        for (int i = 0; i < 2; ++i) {
            mote_material_id material;
            mote_world *world = collision_world(solver, frictions[i], 0, &material);
            add_cluster(world, -0.6f, 3, TEST_RADIUS, material);
            add_cluster(world, 0.1f, -1, 0.5f * TEST_RADIUS, material);
            motion before = motion_of(world);
            step_times(world, 30, TEST_FRAME);
            motion after = motion_of(world);
            const char *what = "%s, mu %g: %s";
            double mu = frictions[i];
            check_below(momentum_error(&before, &after), 1e-4, what, solver_name(solver), mu, "momentum error");
            check_below(after.energy, before.energy, what, solver_name(solver), mu, "energy after by before");
            check_below(after.energy, 0.95 * before.energy, what, solver_name(solver), mu,
                        "they did not collide");
            mote_world_destroy(world);
        }
    }
}

/* Adhesion pulls both ways. */
static void adhesion_pulls_both_ways(void **state)
{
    (void)state;
    for (int solver = 0; solver < MOTE_SOLVER_COUNT; ++solver) {
        mote_settings settings = weightless();
        settings.solver = (mote_solver)solver;
        mote_world *world = test_world(&settings);
        mote_material_def sticky = mote_default_material_def();
        sticky.adhesion = 100;
        mote_material_id material = mote_material_add(world, &sticky);
        add_cluster(world, -0.6f, 1, TEST_RADIUS, material);
        add_cluster(world, 0.1f, -2, 0.5f * TEST_RADIUS, material);
        motion before = motion_of(world);
        step_times(world, 30, TEST_FRAME);
        motion after = motion_of(world);
        check_below(momentum_error(&before, &after), 1e-4, "%s, with adhesion", solver_name(solver));
        mote_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_particles),
        cmocka_unit_test(stats_agree),
        cmocka_unit_test(two_clusters),
        cmocka_unit_test(adhesion_pulls_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
