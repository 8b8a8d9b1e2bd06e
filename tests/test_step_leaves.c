/* What a step leaves can be kept: after any step that did not fail the snapshot restores; one that would leave more than
 * that fails and names the particle. And no particle of a body is faster than it may be. */
#include "impulse_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FASTEST 1e4f /* m/s */

enum {
    STEPS = TEST_BY_BUILD(1000, 400, 60),
    LONG = TEST_BY_BUILD(11000, 11000, 200)
}; /* LONG: to the end of space */

static void check_restores(mote_world *world, const char *what, int step)
{
    size_t size = mote_snapshot_size(world);
    unsigned char *bytes = malloc(size);
    assert_non_null(bytes);
    must(mote_snapshot_take(world, bytes, size, NULL));
    uint64_t hash = mote_world_hash(world);
    mote_result result = mote_snapshot_restore(world, bytes, size);
    if (result != MOTE_OK)
        print_message("%s, step %d: %s\n", what, step, mote_last_error());
    assert_int_equal(result, MOTE_OK);
    check_true(mote_world_hash(world) == hash, "%s, step %d: the same world", what, step);
    free(bytes);
}

/* Bars joined at their ends, thrown out at full speed and turning as fast as they may, and two grains. */
static mote_world *thrown_world(mote_solver solver, float max_speed)
{
    mote_settings settings = impulse_weightless();
    settings.solver = solver;
    settings.max_speed = max_speed;
    mote_world *world = test_world(&settings);
    mote_body_id bar[4];
    add_jointed_bars(world, vec(0, 0, 0), bar);
    add_jointed_bars(world, vec(2, 0, 0), bar + 2);
    mote_vec3 out = {0.99f * FASTEST, 0, 0};
    for (int n = 0; n < 4; n++)
        must(mote_body_set_velocity(world, bar[n], out, vec(0, n % 2 == 0 ? 100 : -100, 60)));
    mote_particle_def def = mote_default_particle_def();
    for (int n = 0; n < 2; n++) {
        def.position = vec(0, 2 + 0.08f * (float)n, 0);
        def.velocity = vec(0, n == 0 ? 5e3f : -5e3f, 8e3f * (float)n);
        must_exist(mote_particle_add(world, &def));
    }
    return world;
}

static void check_world(mote_solver solver, float max_speed, float dt, int steps, const char *what)
{
    mote_world *world = thrown_world(solver, max_speed);
    double most = 0;
    int n = 0;
    mote_result result = MOTE_OK;
    for (; n < steps && result == MOTE_OK; n++) {
        result = mote_world_step(world, dt);
        if (n % 100 == 0 || (n > 9900 && n < 10300))
            check_restores(world, what, n);
        if (solver == MOTE_SOLVER_IMPULSE && result == MOTE_OK)
            most = fmax(most, fastest_of(world));
    }
    check_restores(world, what, n);
    if (result != MOTE_OK) {
        print_message("%s, step %d: %s\n", what, n, mote_last_error());
        assert_int_equal(result, MOTE_ERROR_NOT_FINITE);
        assert_non_null(strstr(mote_last_error(), "particle"));
    }
    print_message("%s: at most %.1f m/s\n", what, most);
    check_below(most, (double)max_speed * (1 + 1e-5), "%s: the fastest particle, m/s", what);
    mote_world_destroy(world);
}

static void thrown_far(void **state)
{
    (void)state;
    check_world(MOTE_SOLVER_IMPULSE, FASTEST, MOTE_MAX_DT, LONG, "impulses, to the end of space");
    check_world(MOTE_SOLVER_JACOBI, FASTEST, MOTE_MAX_DT, LONG, "Jacobi, to the end of space");
}

static void bound_by_max_speed(void **state)
{
    (void)state;
    check_world(MOTE_SOLVER_IMPULSE, 20, TEST_FRAME, STEPS, "impulses, at most 20 m/s");
    check_world(MOTE_SOLVER_IMPULSE, FASTEST, TEST_FRAME, STEPS, "impulses, at most 1e4 m/s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thrown_far),
        cmocka_unit_test(bound_by_max_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
