/* Pre-stabilisation, which the solvers of positions have: particles that overlap at the start part, and gain no velocity by it. Without it the
 * solver turns the correction of a substep into velocity, overlap / h. */
#include "support.h"

#include <math.h>

static const float depth = 0.5f * TEST_RADIUS; /* m of overlap */

static mote_world *overlap_world(uint32_t stabilization_iterations)
{
    mote_settings settings = weightless();
    settings.solver = MOTE_SOLVER_JACOBI;
    settings.substeps = 4;
    settings.iterations = 2;
    settings.stabilization_iterations = stabilization_iterations;
    return test_world(&settings);
}

/* A correction of 12.5 mm in a substep of 1/240 s is 3 m/s for each; rounding of a position near 0.05 m is
 * 4e-9 m, so the noise of a velocity is 1e-6 m/s and that of the energy 1e-12 J. */
static void two_particles_part_at_rest(void **state)
{
    (void)state;
    mote_world *world = overlap_world(4);
    mote_particle_id a = add_particle(world, vec(0, 0, 0), vec(0, 0, 0), (mote_material_id){0});
    mote_particle_id b =
        add_particle(world, vec(2 * TEST_RADIUS - depth, 0, 0), vec(0, 0, 0), (mote_material_id){0});
    step_times(world, 30, TEST_FRAME);
    double distance = distance_of(state_of(world, a).position, state_of(world, b).position);
    check_near(distance, 2 * TEST_RADIUS, 1e-4 * TEST_RADIUS, "distance with stabilisation");
    check_below(stats_of(world).kinetic_energy, 1e-11, "kinetic energy with stabilisation");
    mote_world_destroy(world);
}

static void without_it_they_fly_apart(void **state)
{
    (void)state;
    mote_world *world = overlap_world(0);
    add_particle(world, vec(0, 0, 0), vec(0, 0, 0), (mote_material_id){0});
    add_particle(world, vec(2 * TEST_RADIUS - depth, 0, 0), vec(0, 0, 0), (mote_material_id){0});
    step_times(world, 30, TEST_FRAME);
    double speed = depth / 2 * 240; /* all of it in the first substep */
    check_near(stats_of(world).kinetic_energy, speed * speed, 0.05 * speed * speed,
               "kinetic energy without stabilisation");
    mote_world_destroy(world);
}

/* Shared by mass: the light one moves, the heavy one hardly. */
static void the_heavier_moves_less(void **state)
{
    (void)state;
    mote_world *world = overlap_world(4);
    mote_particle_def def = mote_default_particle_def();
    def.mass = 9;
    mote_particle_id heavy = mote_particle_add(world, &def);
    def.mass = 1;
    def.position = vec(0, 2 * TEST_RADIUS - depth, 0);
    mote_particle_id light = mote_particle_add(world, &def);
    step_times(world, 30, TEST_FRAME);
    check_near(state_of(world, heavy).position.y, -0.1 * depth, 1e-3 * depth, "way of the heavy one");
    check_near(state_of(world, light).position.y, 2 * TEST_RADIUS - 0.1 * depth, 1e-3 * depth,
               "place of the light one");
    mote_world_destroy(world);
}

static void particle_leaves_a_plane_at_rest(void **state)
{
    (void)state;
    mote_world *world = overlap_world(4);
    add_floor(world, (mote_material_id){0});
    mote_particle_id p =
        add_particle(world, vec(0, TEST_RADIUS - depth, 0), vec(0, 0, 0), (mote_material_id){0});
    step_times(world, 30, TEST_FRAME);
    check_near(state_of(world, p).position.y, TEST_RADIUS, 1e-4 * TEST_RADIUS, "height with stabilisation");
    check_below(stats_of(world).kinetic_energy, 1e-11, "kinetic energy with stabilisation");
    mote_world_destroy(world);
}

static void without_it_the_plane_throws(void **state)
{
    (void)state;
    mote_world *world = overlap_world(0);
    add_floor(world, (mote_material_id){0});
    mote_particle_id p =
        add_particle(world, vec(0, TEST_RADIUS - depth, 0), vec(0, 0, 0), (mote_material_id){0});
    step_times(world, 30, TEST_FRAME);
    check_near(state_of(world, p).velocity.y, depth * 240, 0.05 * depth * 240,
               "velocity without stabilisation");
    mote_world_destroy(world);
}

/* A correction may change the velocity by max_acceleration * h a substep and no more. */
static void acceleration_by_contacts_is_limited(void **state)
{
    (void)state;
    const mote_solver solvers[] = {MOTE_SOLVER_JACOBI, MOTE_SOLVER_IMPULSE};
    for (int k = 0; k < 2; k++) {
        mote_settings settings = weightless();
        settings.solver = solvers[k];
        settings.stabilization_iterations = 0;
        settings.max_acceleration = 24;
        settings.substeps = 4;
        mote_world *world = test_world(&settings);
        add_floor(world, (mote_material_id){0});
        mote_particle_id p =
            add_particle(world, vec(0, TEST_RADIUS - depth, 0), vec(0, 0, 0), (mote_material_id){0});
        step_times(world, 1, TEST_FRAME);
        double speed = state_of(world, p).velocity.y;
        check_below(speed, 24.0 / 60 * (1 + 1e-5), "solver %d: velocity after a step, at most 24 m/s^2", k);
        check_above(speed, 24.0 / 240 * (1 - 1e-5), "solver %d: velocity after a step, at most 24 m/s^2", k);
        mote_world_destroy(world);
    }
}

/* 125 particles squeezed to three quarters of their room. A correction reaches one particle further with every
 * iteration, so what is left for the solver, and becomes velocity, shrinks with their number; after 64 of them,
 * a dozen for each of the five layers, less than a hundredth of the energy is left. */
static double squeezed_energy(uint32_t stabilization_iterations, double *overlap)
{
    mote_world *world = overlap_world(stabilization_iterations);
    mote_grains_def grains = mote_default_grains_def();
    grains.count[0] = grains.count[1] = grains.count[2] = 5;
    grains.spacing = 1.5f * TEST_RADIUS;
    must(mote_grains_block(world, &grains, NULL));
    step_times(world, 60, TEST_FRAME);
    mote_stats stats = stats_of(world);
    *overlap = (double)stats.max_penetration;
    mote_world_destroy(world);
    return stats.kinetic_energy;
}

static void a_squeezed_block_expands_calmly(void **state)
{
    (void)state;
    static const uint32_t iterations[] = {0, 4, 16, 64};
    double energies[4];
    for (int i = 0; i < 4; ++i) {
        double overlap;
        energies[i] = squeezed_energy(iterations[i], &overlap);
        check_below(overlap, 0.02 * TEST_RADIUS, "deepest overlap that is left with %u iterations",
                    iterations[i]);
        if (i > 0)
            check_below(energies[i], 0.8 * energies[i - 1], "kinetic energy with %u iterations against %u",
                        iterations[i], iterations[i - 1]);
    }
    check_above(energies[0], 1, "kinetic energy of the block without stabilisation");
    check_below(energies[3], 0.01 * energies[0], "kinetic energy of the block with 64 iterations");
}

/* Particles in the very same place have no direction to part in; the library must choose one, and the same one
 * every time. */
static void coincident_particles_part(void **state)
{
    (void)state;
    uint64_t hashes[2];
    for (int run = 0; run < 2; ++run) {
        mote_world *world = overlap_world(4);
        mote_particle_id a = add_particle(world, vec(1, 2, 3), vec(0, 0, 0), (mote_material_id){0});
        mote_particle_id b = add_particle(world, vec(1, 2, 3), vec(0, 0, 0), (mote_material_id){0});
        step_times(world, 30, TEST_FRAME);
        double distance = distance_of(state_of(world, a).position, state_of(world, b).position);
        check_near(distance, 2 * TEST_RADIUS, 1e-2 * TEST_RADIUS, "distance of two that were in one place");
        hashes[run] = mote_world_hash(world);
        mote_world_destroy(world);
    }
    check_true(hashes[0] == hashes[1], "parting is the same every time");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_particles_part_at_rest),
        cmocka_unit_test(without_it_they_fly_apart),
        cmocka_unit_test(the_heavier_moves_less),
        cmocka_unit_test(particle_leaves_a_plane_at_rest),
        cmocka_unit_test(without_it_the_plane_throws),
        cmocka_unit_test(acceleration_by_contacts_is_limited),
        cmocka_unit_test(a_squeezed_block_expands_calmly),
        cmocka_unit_test(coincident_particles_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
