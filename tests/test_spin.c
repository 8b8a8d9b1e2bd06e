/* Grains that roll: a material whose particles are balls that friction turns. A grain goes down a slope with 5/7 g sin,
 * collisions keep angular momentum with the spins in it, and a tower of single grains does not stand. Gravity is tilted
 * instead of the floor. */
#include "heap_slope.h"
#include "impulse_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define R TEST_RADIUS

static mote_material_id add_rolling(mote_world *world, float friction, float restitution)
{
    mote_material_def def = mote_default_material_def();
    def.static_friction = def.kinetic_friction = friction;
    def.restitution = restitution;
    def.rolls = true;
    mote_material_id material = mote_material_add(world, &def);
    must_exist(material);
    return material;
}

static mote_vec3 spin_of(const mote_world *world, mote_particle_id particle)
{
    return state_of(world, particle).spin;
}

/* ---- a slope -------------------------------------------------------------------------------------------- */

static mote_world *slope_world(double degrees)
{
    mote_settings settings = impulse_settings();
    double angle = degrees * TEST_PI / 180;
    settings.gravity = vec((float)(TEST_GRAVITY * sin(angle)), (float)(-TEST_GRAVITY * cos(angle)), 0);
    return test_world(&settings);
}

enum { SECOND = 60 };

/* Down the slope, m, in a second. */
static double way_of_a_grain(mote_world *world, mote_material_id material, mote_particle_id *grain)
{
    add_floor(world, material);
    *grain = add_particle(world, vec(0, R, 0), vec(0, 0, 0), material);
    step_times(world, SECOND, TEST_FRAME);
    return (double)state_of(world, *grain).position.x;
}

static void grains_roll_down_slopes(void **state)
{
    (void)state;
    static const double slopes[] = {2, 10, 20};
    for (int k = 0; k < 3; k++) {
        mote_world *world = slope_world(slopes[k]);
        mote_particle_id grain;
        double way = way_of_a_grain(world, add_rolling(world, 0.8f, 0), &grain);
        double exact = 5.0 / 7 * TEST_GRAVITY * sin(slopes[k] * TEST_PI / 180);
        double speed = (double)state_of(world, grain).velocity.x;
        print_message("%g degrees: %.4f of 5/7 g sin by way, %.4f by speed\n", slopes[k], 2 * way / exact,
                      speed / exact);
        check_near(2 * way, exact, 0.02 * exact, "%g degrees: acceleration by way, m/s^2", slopes[k]);
        check_near(speed, exact, 0.02 * exact, "%g degrees: the same by speed", slopes[k]);
        check_near(-(double)spin_of(world, grain).z * (double)R, speed, 0.01 * speed,
                   "%g degrees: it rolls, spin times radius, m/s", slopes[k]);
        mote_world_destroy(world);
    }
}

/* With too little friction it slips: g (sin - mu cos), and spins up with 5/2 mu g cos / r. */
static void grains_slip_on_smooth_slopes(void **state)
{
    (void)state;
    const double angle = 30 * TEST_PI / 180, mu = 0.1, exact = TEST_GRAVITY * (sin(angle) - mu * cos(angle));
    mote_world *world = slope_world(30);
    mote_particle_id grain;
    double way = way_of_a_grain(world, add_rolling(world, (float)mu, 0), &grain);
    check_near(2 * way, exact, 0.02 * exact, "acceleration, m/s^2");
    check_near(-(double)spin_of(world, grain).z * (double)R, 2.5 * mu * TEST_GRAVITY * cos(angle), 0.05,
               "what friction made of the spin, times radius, m/s");
    mote_world_destroy(world);
}

static void grains_of_other_materials_do_not(void **state)
{
    (void)state;
    static const double slopes[] = {20, 45};
    for (int k = 0; k < 2; k++) {
        double angle = slopes[k] * TEST_PI / 180, exact = TEST_GRAVITY * (sin(angle) - 0.8 * cos(angle));
        mote_world *world = slope_world(slopes[k]);
        mote_particle_id grain;
        double way = way_of_a_grain(world, add_material(world, 0.8f, 0.8f, 0), &grain);
        check_near(2 * way, fmax(exact, 0), 0.02 * fabs(exact), "%g degrees: it sticks or slides", slopes[k]);
        check_near(length_of(spin_of(world, grain)), 0, 0, "it does not spin");
        mote_world_destroy(world);
    }
}

/* Thrown without a spin it slips until it rolls, with 5/7 of its speed; then nothing brakes it. */
static void a_thrown_grain_ends_up_rolling(void **state)
{
    (void)state;
    mote_world *world = impulse_world();
    mote_material_id rough = add_rolling(world, 0.5f, 0);
    add_floor(world, rough);
    mote_particle_id grain = add_particle(world, vec(0, R, 0), vec(2, 0, 0), rough);
    step_times(world, 5 * SECOND, TEST_FRAME);
    check_near(state_of(world, grain).velocity.x, 2 * 5.0 / 7, 0.01, "speed, m/s");
    check_near(-(double)spin_of(world, grain).z * (double)R, 2 * 5.0 / 7, 0.01, "spin times radius, m/s");
    mote_world_destroy(world);
}

/* ---- angular momentum ----------------------------------------------------------------------------------- */

/* Of two that meet askew, some with a spin; measured by m |x| |v| of before. */
static void oblique_collisions(void **state)
{
    (void)state;
    static const float frictions[] = {0.1f, 0.5f, 1}, bounces[] = {0, 0.7f}, masses[] = {1, 3, 0.1f};
    double most = 0;
    for (int i = 0; i < 18; i++) {
        mote_world *world = impulse_weightless_world();
        mote_particle_def def = mote_default_particle_def();
        def.material = add_rolling(world, frictions[i % 3], bounces[i / 3 % 2]);
        def.position = vec(-0.2f, 0.03f, 0);
        def.velocity = vec(2, 0, 0.1f);
        mote_particle_id a = mote_particle_add(world, &def);
        must_exist(a);
        def.mass = masses[i / 6];
        def.radius = i % 2 == 0 ? R : 0.6f * R;
        def.position = vec(0.2f, -0.01f, 0.01f);
        def.velocity = vec(-1, 0.1f, 0);
        mote_particle_id b = mote_particle_add(world, &def);
        must_exist(b);
        if (i % 4 > 1)
            must(mote_particle_set_spin(world, b, vec(3, -20, 10)));
        motion before = motion_of(world);
        step_times(world, 20, TEST_FRAME);
        motion after = motion_of(world);
        double lost = size_of(minus(after.angular, before.angular)) / before.bustle;
        if (bounces[i / 3 % 2] == 0)
            check_above(length_of(spin_of(world, a)), 0.1, "pair %d: they rubbed, rad/s", i);
        check_below(lost, 1e-5, "pair %d: angular momentum that came from nowhere", i);
        check_below(size_of(minus(after.momentum, before.momentum)) / before.traffic, 1e-5,
                    "pair %d: the same of momentum", i);
        check_below(after.energy, before.energy * (1 + 1e-5), "pair %d: energy, J", i);
        most = fmax(most, lost);
        mote_world_destroy(world);
    }
    print_message("two grains: angular momentum to %.1e\n", most);
}

static void add_cluster(mote_world *world, mote_vec3 origin, mote_vec3 velocity, mote_material_id material)
{
    mote_grains_def grains = mote_default_grains_def();
    grains.count[0] = grains.count[2] = 5;
    grains.count[1] = 4;
    grains.origin = origin;
    grains.radius_spread = 0.3f;
    grains.jitter = 0.05f;
    grains.velocity = velocity;
    grains.material = material;
    must(mote_grains_block(world, &grains, NULL));
}

static mote_world *clusters_world(uint32_t threads)
{
    mote_settings settings = impulse_weightless();
    mote_world_def def = test_world_def(&settings);
    def.thread_count = threads;
    mote_world *world = NULL;
    must(mote_world_create(&def, &world));
    mote_material_id rough = add_rolling(world, 0.5f, 0);
    add_cluster(world, vec(-0.7f, -0.1f, -0.2f), vec(1, 0, 0.1f), rough);
    add_cluster(world, vec(0.2f, -0.2f, -0.2f), vec(-1, 0, 0), rough);
    return world;
}

static void clusters(void **state)
{
    (void)state;
    mote_world *world = clusters_world(1);
    motion before = motion_of(world);
    double most = 0;
    for (int n = 0; n < TEST_BY_BUILD(300, 60, 10); n++) {
        step_times(world, 1, TEST_FRAME);
        motion now = motion_of(world);
        double turned_by = size_of(minus(now.angular, before.angular)) / before.bustle;
        check_below(turned_by, 1e-3, "step %d: angular momentum that came from nowhere, part of the bustle", n);
        check_below(size_of(minus(now.momentum, before.momentum)) / before.traffic, 1e-5, "step %d: momentum",
                    n);
        most = fmax(most, turned_by);
    }
    double left = motion_of(world).energy / before.energy;
    print_message("two hundred grains: angular momentum to %.1e, %.0f %% of the energy left\n", most,
                  100 * left);
    if (TEST_BY_BUILD(1, 1, 0))
        check_below(left, 0.8, "they met");
    mote_world_destroy(world);
}

/* ---- rolling grains and bodies -------------------------------------------------------------------------- */

/* Grains that a plank rests on go half as fast as the plank. */
static void a_plank_on_rollers(void **state)
{
    (void)state;
    mote_world *world = impulse_world();
    mote_material_id rough = add_rolling(world, 0.6f, 0);
    add_floor(world, rough);
    mote_particle_id roller[9];
    for (int n = 0; n < 9; n++)
        roller[n] = add_particle(world, vec(8 * R * (float)(n / 3 - 1), R, 4 * R * (float)(n % 3 - 1)),
                                 vec(0, 0, 0), rough);
    lattice plank = {.count = {21, 1, 9}, .center = {0, 3 * R, 0}, .material = rough};
    mote_body_id body = add_lattice(world, &plank);
    step_times(world, 30, TEST_FRAME);
    must(mote_body_set_velocity(world, body, vec(0.4f, 0, 0), vec(0, 0, 0)));
    step_times(world, 15, TEST_FRAME);
    double speed = (double)body_of(world, body).velocity.x;
    check_above(speed, 0.3, "it is hardly braked, m/s");
    for (int n = 0; n < 9; n++) {
        check_near(state_of(world, roller[n]).velocity.x, 0.5 * speed, 0.05, "roller %d: speed, m/s", n);
        check_near(-(double)spin_of(world, roller[n]).z * (double)R, 0.5 * speed, 0.05,
                   "roller %d: spin times radius, m/s", n);
    }
    mote_world_destroy(world);
}

/* What is put into a body, fixed, or made of another material loses its spin. */
static void who_cannot_roll_has_no_spin(void **state)
{
    (void)state;
    mote_world *world = impulse_weightless_world();
    mote_material_id rough = add_rolling(world, 0.5f, 0);
    mote_particle_id grain[5];
    for (int n = 0; n < 5; n++) {
        mote_material_id material = n == 3 ? mote_world_default_material(world) : rough;
        grain[n] = add_particle(world, vec((float)n, 0, 0), vec(0, 0, 0), material);
        must(mote_particle_set_spin(world, grain[n], vec(1, 2, 3)));
    }
    add_body(world, grain, 2);
    must(mote_particle_set_fixed(world, grain[2], true, 1));
    step_times(world, 2, TEST_FRAME);
    for (int n = 0; n < 4; n++)
        check_near(length_of(spin_of(world, grain[n])), 0, 0, "particle %d: spin, rad/s", n);
    check_near(distance_of(spin_of(world, grain[4]), vec(1, 2, 3)), 0, 0, "a loose one keeps it");
    mote_world_destroy(world);
}

/* ---- a tower -------------------------------------------------------------------------------------------- */

/* How high it is after two seconds, in parts of its height. */
static double tower_left(bool rolls)
{
    enum { HEIGHT = 12 };
    mote_world *world = impulse_world();
    mote_material_id rough = rolls ? add_rolling(world, 0.8f, 0) : add_material(world, 0.8f, 0.8f, 0);
    add_floor(world, rough);
    mote_grains_def tower = mote_default_grains_def();
    tower.count[0] = tower.count[2] = 3;
    tower.count[1] = HEIGHT;
    tower.origin = vec(0, R, 0);
    tower.jitter = 0.05f;
    tower.material = rough;
    must(mote_grains_block(world, &tower, NULL));
    double before = highest_grain(world);
    step_times(world, 2 * SECOND, TEST_FRAME);
    double left = highest_grain(world) / before;
    mote_world_destroy(world);
    return left;
}

static void a_tower_falls(void **state)
{
    (void)state;
    double rolling = tower_left(true), held = tower_left(false);
    print_message("a tower of grains: %.2f of its height left if they roll, %.2f if not\n", rolling, held);
    check_below(rolling, 0.5, "part of the height of a tower of grains that roll");
}

/* ---- sleep ---------------------------------------------------------------------------------------------- */

static void sleepers_do_not_spin(void **state)
{
    (void)state;
    mote_settings settings = impulse_settings();
    settings.sleep_speed = 0.05f;
    settings.sleep_time = 0.1f;
    settings.damping = 2;
    mote_world *world = test_world(&settings);
    mote_material_id rough = add_rolling(world, 0.5f, 0);
    add_floor(world, rough);
    mote_particle_id grain = add_particle(world, vec(0, R, 0), vec(0, 0, 0), rough);
    must(mote_particle_set_spin(world, grain, vec(0, 10, 0)));
    step_times(world, 20, TEST_FRAME);
    check_true(!state_of(world, grain).asleep, "who spins is awake");
    check_above(length_of(spin_of(world, grain)), 1, "spin, rad/s");
    step_times(world, 200, TEST_FRAME);
    check_true(state_of(world, grain).asleep, "damping has made it sleep");
    check_near(length_of(spin_of(world, grain)), 0, 0, "spin of a sleeper");
    must(mote_particle_set_spin(world, grain, vec(0, 10, 0)));
    check_true(!state_of(world, grain).asleep, "a spin wakes it");
    mote_world_destroy(world);
}

/* ---- the same bits -------------------------------------------------------------------------------------- */

static mote_world *heap_world(uint32_t threads, mote_simd level)
{
    mote_settings settings = impulse_settings();
    mote_world_def def = test_world_def(&settings);
    def.thread_count = threads;
    def.simd = level;
    mote_world *world = tumbling_world(&def, 8, 8, 8);
    mote_material_id rough = add_rolling(world, 0.5f, 0.2f);
    mote_particles_view view = mote_particles_get_view(world);
    for (size_t i = 0; i < view.count; i++)
        if (view.id[i].index % 3 != 0)
            must(mote_particle_set_material(world, view.id[i], rough));
    must_exist(add_brick(world, 3, 3, 3, vec(0, 2, 0)));
    return world;
}

static uint64_t hash_after(uint32_t threads, mote_simd level)
{
    mote_world *world = heap_world(threads, level);
    step_times(world, TEST_BY_BUILD(120, 30, 5), TEST_FRAME);
    uint64_t hash = mote_world_hash(world);
    mote_world_destroy(world);
    return hash;
}

static void same_bits_for_any_threads(void **state)
{
    (void)state;
    uint64_t hash = hash_after(1, MOTE_SIMD_AUTO);
    for (uint32_t threads = 2; threads <= 3; threads++)
        check_true(hash_after(threads, MOTE_SIMD_AUTO) == hash, "%u threads: the same bits", threads);
    check_same_hashes(hash_after);
}

static void snapshots_go_on(void **state)
{
    (void)state;
    mote_world *world = heap_world(1, MOTE_SIMD_AUTO), *fresh = twin_of(world);
    step_times(world, 60, TEST_FRAME);
    size_t size = mote_snapshot_size(world);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    must(mote_snapshot_take(world, bytes, size, NULL));
    must(mote_snapshot_restore(fresh, bytes, size));
    mote_particles_view view = mote_particles_get_view(world);
    double fastest = 0;
    for (size_t i = 0; i < view.count; i++) {
        mote_vec3 spin = vec(view.spin[i].x, view.spin[i].y, view.spin[i].z), restored;
        must(mote_particles_read_spins(fresh, &view.id[i], 1, &restored));
        check_true(memcmp(&spin, &restored, sizeof spin) == 0, "particle %u: its spin", view.id[i].index);
        fastest = fmax(fastest, length_of(spin));
    }
    check_above(fastest, 1, "some spin, rad/s");
    check_true(mote_world_hash(fresh) == mote_world_hash(world), "restored: the same bits");
    step_times(world, 30, TEST_FRAME);
    step_times(fresh, 30, TEST_FRAME);
    check_true(mote_world_hash(fresh) == mote_world_hash(world), "and thirty steps later");
    free(bytes);
    mote_world_destroy(world);
    mote_world_destroy(fresh);
}

/* For want of memory; all spins are what they were. */
static void failed_steps_change_nothing(void **state)
{
    (void)state;
    test_heap heap = {0};
    mote_settings settings = impulse_settings();
    mote_world_def def = test_world_def(&settings);
    def.allocator = heap_allocator(&heap);
    mote_world *world = NULL;
    must(mote_world_create(&def, &world));
    mote_material_id rough = add_rolling(world, 0.5f, 0);
    add_floor(world, rough);
    for (int n = 0; n < 20; n++)
        add_particle(world, vec(0.11f * (float)n, R, 0), vec(1, 0, 0), rough);
    step_times(world, 20, TEST_FRAME);
    size_t refused = 0;
    for (size_t later = 1; later < 40; later++) {
        for (int n = 0; n < 200; n++) /* so that there is something to be allocated */
            add_particle(world, vec(0.11f * (float)n, R + 0.11f * (float)later, 0), vec(1, 0, 0), rough);
        uint64_t before = mote_world_hash(world);
        heap.fail_at = heap.calls + later;
        mote_result result = mote_world_step(world, TEST_FRAME);
        heap.fail_at = 0;
        refused += result != MOTE_OK;
        check_true((result == MOTE_OK) == (mote_world_hash(world) != before),
                   "call %zu: all of the step or nothing", later);
    }
    check_above((double)refused, 3, "steps that failed");
    mote_world_destroy(world);
}

/* ---- reading and writing -------------------------------------------------------------------------------- */

static void reading_and_writing(void **state)
{
    (void)state;
    mote_world *world = impulse_world();
    mote_material_id rough = add_rolling(world, 0.5f, 0);
    mote_material_def def;
    must(mote_material_get(world, rough, &def));
    check_true(def.rolls, "the material rolls");
    must(mote_material_get(world, mote_world_default_material(world), &def));
    check_true(!def.rolls, "the default does not");
    mote_particle_id grain[2];
    for (int n = 0; n < 2; n++)
        grain[n] = add_particle(world, vec((float)n, 0, 0), vec(0, 0, 0), rough);
    mote_vec3 spins[2] = {{1, 2, 3}, {4, 5, 6}}, read[2];
    must(mote_particles_write_spins(world, grain, 2, spins));
    must(mote_particles_read_spins(world, grain, 2, read));
    check_true(memcmp(spins, read, sizeof spins) == 0, "what was written is read");
    must(mote_particle_remove(world, grain[0]));
    check_near(spin_of(world, grain[1]).y, 5, 0, "it moves with its particle");
    assert_int_equal(mote_particles_write_spins(world, grain, 2, spins), MOTE_ERROR_STALE_HANDLE);
    assert_int_equal(mote_particle_set_spin(world, grain[1], vec(0, NAN, 0)), MOTE_ERROR_NOT_FINITE);
    assert_int_equal(mote_particle_set_spin(world, grain[1], vec(0, 1e6f, 0)), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_particles_read_spins(world, grain + 1, 1, NULL), MOTE_ERROR_ARGUMENT);
    check_near(spin_of(world, grain[1]).y, 5, 0, "nothing of it was written");
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grains_roll_down_slopes),
        cmocka_unit_test(grains_slip_on_smooth_slopes),
        cmocka_unit_test(grains_of_other_materials_do_not),
        cmocka_unit_test(a_thrown_grain_ends_up_rolling),
        cmocka_unit_test(oblique_collisions),
        cmocka_unit_test(clusters),
        cmocka_unit_test(a_plank_on_rollers),
        cmocka_unit_test(who_cannot_roll_has_no_spin),
        cmocka_unit_test(a_tower_falls),
        cmocka_unit_test(sleepers_do_not_spin),
        cmocka_unit_test(same_bits_for_any_threads),
        cmocka_unit_test(snapshots_go_on),
        cmocka_unit_test(failed_steps_change_nothing),
        cmocka_unit_test(reading_and_writing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
