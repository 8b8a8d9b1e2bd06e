/* Compliant contacts (XPBD): a contact pressed with the force F gives way by F times its compliance. That is
 * a length in metres, so it must come out whatever the substeps, the iterations and the solver. */
#include "support.h"

#include <math.h>

enum { STACKED = 4 };

static const float COMPLIANCE = 2e-4f; /* m/N, of each of the two materials: 4e-4 together */
static const float MASS = 2.0f;        /* kg */
static const float DAMPING = 4.0f;     /* 1/s: a soft contact is a spring, and must come to rest */

typedef struct solving {
    mote_solver solver;
    uint32_t substeps, iterations;
} solving;

static mote_world *soft_world(solving how, mote_material_id *soft)
{
    mote_settings settings = mote_default_settings();
    settings.solver = how.solver;
    settings.substeps = how.substeps;
    settings.iterations = how.iterations;
    settings.damping = DAMPING;
    mote_world *world = test_world(&settings);
    mote_material_def def = mote_default_material_def();
    def.compliance = COMPLIANCE;
    *soft = mote_material_add(world, &def);
    must_exist(*soft);
    add_floor(world, *soft);
    return world;
}

static mote_particle_id add_ball(mote_world *world, mote_material_id material, float height)
{
    mote_particle_def def = mote_default_particle_def();
    def.mass = MASS;
    def.material = material;
    def.position = vec(0, height, 0);
    mote_particle_id ball = mote_particle_add(world, &def);
    must_exist(ball);
    return ball;
}

/* What a particle at rest presses with, N. Damping acts on the velocity that gravity has just given, so it
 * takes a part of the weight as well: v = (0 + g h) / (1 + damping h). */
static double weight_of(solving how)
{
    double h = (double)TEST_FRAME / how.substeps;
    return (double)MASS * TEST_GRAVITY / (1 + (double)DAMPING * h);
}

static const solving WAYS[] = {
    {MOTE_SOLVER_JACOBI, 4, 1},        {MOTE_SOLVER_JACOBI, 4, 2},  {MOTE_SOLVER_JACOBI, 4, 16},
    {MOTE_SOLVER_JACOBI, 1, 8},        {MOTE_SOLVER_JACOBI, 12, 2}, {MOTE_SOLVER_GAUSS_SEIDEL, 4, 2},
    {MOTE_SOLVER_GAUSS_SEIDEL, 4, 16}, {MOTE_SOLVER_COLORED, 4, 2},
};

/* At rest a ball has sunk by m g times the compliance; the position is a float near 0.05 m, good to 1e-8 m. */
static void a_ball_sinks_by_its_weight(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof WAYS / sizeof WAYS[0]; ++i) {
        const double expected = weight_of(WAYS[i]) * 2 * (double)COMPLIANCE;
        mote_material_id soft;
        mote_world *world = soft_world(WAYS[i], &soft);
        mote_particle_id ball = add_ball(world, soft, TEST_RADIUS);
        step_times(world, 600, TEST_FRAME);
        double sunk = (double)TEST_RADIUS - (double)state_of(world, ball).position.y;
        check_near(sunk, expected, 0.01 * expected, "sink, solver %d, %u substeps x %u iterations",
                   (int)WAYS[i].solver, WAYS[i].substeps, WAYS[i].iterations);
        mote_world_destroy(world);
    }
}

/* In a stack every contact bears what is above it: the top sinks by the sum, 1 + 2 + 3 + 4 weights.
 * Iterations that are too few leave the impulses unfinished, so this needs more of them than a ball alone. */
static void a_stack_sinks_contact_by_contact(void **state)
{
    (void)state;
    static const solving ways[] = {
        {MOTE_SOLVER_JACOBI, 8, 8}, {MOTE_SOLVER_JACOBI, 8, 32}, {MOTE_SOLVER_GAUSS_SEIDEL, 8, 8}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; ++i) {
        const double weight = weight_of(ways[i]) * 2 * (double)COMPLIANCE;
        mote_material_id soft;
        mote_world *world = soft_world(ways[i], &soft);
        mote_particle_id balls[STACKED];
        for (int k = 0; k < STACKED; ++k)
            balls[k] = add_ball(world, soft, (float)(2 * k + 1) * TEST_RADIUS);
        step_times(world, 600, TEST_FRAME);
        double sunk =
            (2 * STACKED - 1) * (double)TEST_RADIUS - (double)state_of(world, balls[STACKED - 1]).position.y;
        check_near(sunk, 10 * weight, 0.02 * 10 * weight, "sink of the top, solver %d, %u iterations",
                   (int)ways[i].solver, ways[i].iterations);
        mote_world_destroy(world);
    }
}

/* A spring gives back what it took: momentum of two soft balls that meet is kept. */
static void a_soft_collision_keeps_momentum(void **state)
{
    (void)state;
    mote_settings settings = mote_default_settings();
    settings.gravity = vec(0, 0, 0);
    mote_world *world = test_world(&settings);
    mote_material_def def = mote_default_material_def();
    def.compliance = COMPLIANCE;
    mote_material_id soft = mote_material_add(world, &def);
    mote_particle_id a = add_particle(world, vec(-0.1f, 0, 0), vec(2, 0, 0), soft);
    add_particle(world, vec(0.1f, 0.03f, 0), vec(-1, 0, 0), soft);
    double before = stats_of(world).momentum.x;
    step_times(world, 30, TEST_FRAME);
    check_near(stats_of(world).momentum.x, before, 1e-5 * fabs(before) + 1e-6,
               "momentum after a soft collision");
    check_near(stats_of(world).momentum.y, 0, 1e-5, "sideways momentum");
    check_below(state_of(world, a).velocity.x, 1.0, "speed of the first after it met the second");
    mote_world_destroy(world);
}

/* Adhesion is the other end of the same bound: a soft ball hangs from a ceiling, pulled out by its weight. */
static void a_soft_ball_hangs_by_adhesion(void **state)
{
    (void)state;
    mote_settings settings = mote_default_settings();
    mote_world *world = test_world(&settings);
    mote_material_def def = mote_default_material_def();
    def.compliance = 2e-5f;
    def.adhesion = (float)(3 * MASS * TEST_GRAVITY / (1.5 * TEST_PI * TEST_RADIUS)); /* three weights */
    mote_material_id soft = mote_material_add(world, &def);
    mote_plane_def ceiling = mote_default_plane_def();
    ceiling.normal = vec(0, -1, 0);
    ceiling.material = soft;
    must_exist(mote_plane_add(world, &ceiling));
    mote_particle_id ball = add_ball(world, soft, -TEST_RADIUS);
    step_times(world, 600, TEST_FRAME);
    double drop = -(double)TEST_RADIUS - (double)state_of(world, ball).position.y;
    double expected = (double)MASS * TEST_GRAVITY * 2 * (double)def.compliance;
    check_near(drop, expected, 0.02 * expected, "drop of a hanging soft ball");
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_sinks_by_its_weight),
        cmocka_unit_test(a_stack_sinks_contact_by_contact),
        cmocka_unit_test(a_soft_collision_keeps_momentum),
        cmocka_unit_test(a_soft_ball_hangs_by_adhesion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
