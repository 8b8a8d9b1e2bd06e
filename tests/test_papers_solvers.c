/* The papers' solvers on a column of grains and a stack of boxes: the same for any threads and instructions, momentum,
 * SOR, residuals by kind, and iterations that end early. */
#include "support.h"

#include <math.h>

#define GRAINS 20

static mote_settings papers_settings(mote_solver solver, uint32_t iterations, float omega)
{
    mote_settings settings = mote_default_settings();
    settings.solver = solver;
    settings.substeps = 1;
    settings.iterations = iterations;
    settings.stabilization_iterations = 0;
    settings.relaxation = omega;
    return settings;
}

static mote_world *column_world(const mote_settings *settings)
{
    mote_world *world = test_world(settings);
    mote_material_id material = mote_world_default_material(world);
    add_floor(world, material);
    for (int k = 0; k < GRAINS; k++)
        add_particle(world, vec(0, (2 * (float)k + 1) * TEST_RADIUS, 0), vec(0, 0, 0), material);
    return world;
}

/* ---- the same bits -------------------------------------------------------------------------------------- */

static mote_solver solver_of_hash;

/* A column that falls over, with stabilising and scaled masses. */
static uint64_t hash_with(uint32_t threads, mote_simd level)
{
    mote_settings settings = papers_settings(solver_of_hash, 3, 1.2f);
    settings.substeps = 2;
    settings.stabilization_iterations = 1;
    settings.mass_scaling = 2;
    mote_world_def def = test_world_def(&settings);
    def.thread_count = threads;
    def.simd = level;
    mote_world *world = NULL;
    must(mote_world_create(&def, &world));
    mote_material_id material = mote_world_default_material(world);
    add_floor(world, material);
    for (int k = 0; k < 600; k++)
        add_particle(world,
                     vec(0.07f * (float)(k % 7), 0.08f * (float)(k / 49) + 0.05f, 0.09f * (float)(k / 7 % 7)),
                     vec(0.1f * (float)(k % 3), 0, 0), material);
    step_times(world, 20, TEST_FRAME);
    uint64_t hash = mote_world_hash(world);
    mote_world_destroy(world);
    return hash;
}

static void same_bits(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 3; k++) {
        solver_of_hash = (mote_solver)k;
        check_same_hashes(hash_with);
    }
}

/* ---- passes --------------------------------------------------------------------------------------------- */

/* The part of the weight that the floor does not bear after a substep of 1/240 s. */
static double not_borne(mote_solver solver, uint32_t iterations, float omega)
{
    mote_settings settings = papers_settings(solver, iterations, omega);
    mote_world *world = column_world(&settings);
    mote_particle_id first = mote_particles_get_view(world).id[0];
    double fallen = GRAINS * (double)state_of(world, first).mass * 9.81 / 240;
    must(mote_world_step(world, 1.0f / 240));
    mote_stats stats;
    must(mote_world_stats(world, &stats));
    mote_world_destroy(world);
    return fabs((double)stats.momentum.y) / fallen;
}

static void more_passes_carry_more(void **state)
{
    (void)state;
    check_near(not_borne(MOTE_SOLVER_JACOBI, 256, 1), 0.55, 0.02, "averaged Jacobi, 256 passes");
    check_near(not_borne(MOTE_SOLVER_COLORED, 256, 1), 0.17, 0.02, "Gauss-Seidel, 256 passes");
    check_near(not_borne(MOTE_SOLVER_GAUSS_SEIDEL, 256, 1), 0.17, 0.02, "in the order of pairs, 256 passes");
    check_below(not_borne(MOTE_SOLVER_COLORED, 256, 1.5f), 0.01, "SOR with 1.5, 256 passes");
    check_below(not_borne(MOTE_SOLVER_COLORED, 64, 1.9f), 0.01, "SOR with 1.9, 64 passes");
}

static double residual_of(mote_world *world, mote_residual kind)
{
    double residual = -1;
    must(mote_world_residual(world, kind, &residual));
    return residual;
}

static void residuals_by_kind(void **state)
{
    (void)state;
    mote_settings settings = papers_settings(MOTE_SOLVER_COLORED, 1, 1);
    mote_world *world = column_world(&settings);
    check_near(residual_of(world, MOTE_RESIDUAL_CONTACTS), 0, 0, "before the first step");
    must(mote_world_step(world, 1.0f / 240));
    double fall = 9.81 / (240.0 * 240.0);
    check_below(residual_of(world, MOTE_RESIDUAL_CONTACTS), fall, "grains overlap by, m");
    check_above(residual_of(world, MOTE_RESIDUAL_CONTACTS), 0.2 * fall, "grains overlap by, m");
    check_near(residual_of(world, MOTE_RESIDUAL_SHAPES), 0, 1e-2 * fall, "the floor, m");
    check_near(residual_of(world, MOTE_RESIDUAL_JOINTS), 0, 0, "joints");
    check_near(residual_of(world, MOTE_RESIDUAL_DENSITY), 0, 0, "density");
    check_near(residual_of(world, MOTE_RESIDUAL_PICKS), 0, 0, "picks");
    double value;
    check_true(mote_world_residual(world, MOTE_RESIDUAL_COUNT, &value) == MOTE_ERROR_ARGUMENT, "no kind");
    check_true(mote_world_residual(world, MOTE_RESIDUAL_SHAPES, NULL) == MOTE_ERROR_ARGUMENT, "no number");
    mote_world_destroy(world);
}

/* With a tolerance that all keep one iteration is as good as a thousand; a budget of nothing allows one. */
static void iterations_end_early(void **state)
{
    (void)state;
    mote_settings one = papers_settings(MOTE_SOLVER_JACOBI, 1, 1), many = one, loose = one, short_of_time = one;
    many.iterations = loose.iterations = short_of_time.iterations = 1000;
    loose.residual_tolerance = 1;
    short_of_time.time_budget = 1e-9f;
    const mote_settings *each[] = {&one, &many, &loose, &short_of_time};
    float height[4];
    for (int k = 0; k < 4; k++) {
        mote_world *world = column_world(each[k]);
        must(mote_world_step(world, 1.0f / 240));
        mote_stats stats;
        must(mote_world_stats(world, &stats));
        height[k] = stats.momentum.y;
        mote_world_destroy(world);
    }
    check_true(height[1] != height[0], "a thousand iterations are not one");
    check_near((double)height[2], (double)height[0], 0, "momentum with a tolerance");
    check_near((double)height[3], (double)height[0], 0, "momentum without time");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits),
        cmocka_unit_test(more_passes_carry_more),
        cmocka_unit_test(residuals_by_kind),
        cmocka_unit_test(iterations_end_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
