/* Shock propagation: a tall column and a solver that is given little time. Each iteration carries the weight
 * one particle further down, so two of them leave the lower particles squeezed; with masses that fall with the
 * height the column stands. */
#include "support.h"

#include <math.h>

enum { STACKED = 25 };

typedef struct column {
    double sag;      /* m that the top has sunk, on average of the last two seconds */
    double rise;     /* m that the top ever was above its place at the start */
    double sideways; /* m, the largest distance from the axis */
    double overlap;  /* m, the deepest */
} column;

static column stand(float mass_scaling, uint32_t substeps, uint32_t iterations)
{
    mote_settings settings = mote_default_settings();
    settings.solver = MOTE_SOLVER_JACOBI;
    settings.substeps = substeps;
    settings.iterations = iterations;
    settings.stabilization_iterations = 4; /* the fall of the first moments should not come back as speed */
    settings.mass_scaling = mass_scaling;
    mote_world *world = test_world(&settings);
    mote_material_id smooth = add_material(world, 0, 0, 0);
    add_floor(world, smooth);
    mote_particle_id ids[STACKED];
    for (int i = 0; i < STACKED; ++i)
        ids[i] = add_particle(world, vec(0, (float)(2 * i + 1) * TEST_RADIUS, 0), vec(0, 0, 0), smooth);
    const double start = (2 * STACKED - 1) * (double)TEST_RADIUS;
    column result = {0};
    for (int frame = 0; frame < 300; ++frame) {
        step_times(world, 1, TEST_FRAME);
        double top = state_of(world, ids[STACKED - 1]).position.y;
        result.rise = fmax(result.rise, top - start);
        result.sag += frame >= 180 ? (start - top) / 120 : 0;
    }
    result.overlap = (double)stats_of(world).max_penetration;
    for (int i = 0; i < STACKED; ++i) {
        mote_vec3 p = state_of(world, ids[i]).position;
        result.sideways = fmax(result.sideways, hypot((double)p.x, (double)p.z));
    }
    mote_world_destroy(world);
    return result;
}

/* The masses of neighbours differ by e where 1/scaling is a particle's height. A contact then passes on only
 * 1/e of the load from above, so the sag grows with the number of particles and not with its square: for 25 it
 * should be some ten times less. "Much less" is a quarter. */
static void column_sags_much_less(void **state)
{
    (void)state;
    for (uint32_t substeps = 1; substeps <= 2; ++substeps) {
        column plain = stand(0, substeps, 2), scaled = stand(1 / (2 * TEST_RADIUS), substeps, 2);
        print_message("%u substeps: sag %.1f mm without, %.1f mm with mass scaling\n", substeps,
                      1000 * plain.sag, 1000 * scaled.sag);
        check_near(plain.sideways, 0, 1e-6, "the column without mass scaling is straight");
        check_near(scaled.sideways, 0, 1e-6, "the column with mass scaling is straight");
        check_above(plain.sag, 0.5 * TEST_RADIUS, "sag without mass scaling, %u substeps", substeps);
        check_below(scaled.sag, plain.sag / 4, "sag with mass scaling, %u substeps", substeps);
        /* It starts without any stress, so a swing brings it back to where it was at most; a radius more
         * would be energy out of nothing. */
        check_below(scaled.rise, TEST_RADIUS, "rise of the top with mass scaling, %u substeps", substeps);
        check_below(scaled.overlap, plain.overlap, "deepest overlap with mass scaling, %u substeps", substeps);
    }
}

/* It only shares out corrections; a particle on its own falls as before. */
static void free_fall_does_not_feel_it(void **state)
{
    (void)state;
    mote_settings settings = mote_default_settings();
    settings.solver = MOTE_SOLVER_JACOBI;
    settings.substeps = 4;
    settings.gravity = vec(0, -10, 0);
    settings.mass_scaling = 5;
    mote_world *world = test_world(&settings);
    mote_particle_id p = add_particle(world, vec(0, 8, 0), vec(0, 0, 0), (mote_material_id){0});
    step_times(world, 64, 1.0f / 64);
    check_near(state_of(world, p).position.y, 8 - 10 * 256.0 * 257 / 2 / (256.0 * 256), 0, "height after 1 s");
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(column_sags_much_less),
        cmocka_unit_test(free_fall_does_not_feel_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
