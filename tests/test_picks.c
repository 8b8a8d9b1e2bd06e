/* Picks: a pick is a spring without a rest length, as stiff and as strong as it is told to be. */
#include "lattices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static mote_pick_id add_pick(mote_world *world, mote_particle_id particle, mote_vec3 target, float compliance,
                             float max_force)
{
    mote_pick_def def = mote_default_pick_def();
    def.particle = particle;
    def.target = target;
    def.compliance = compliance;
    def.max_force = max_force;
    mote_pick_id pick = mote_pick_add(world, &def);
    must_exist(pick);
    return pick;
}

static mote_vec3 force_of(const mote_world *world, mote_pick_id pick)
{
    mote_vec3 force;
    must(mote_pick_force(world, pick, &force));
    return force;
}

static mote_particle_id add_mass(mote_world *world, mote_vec3 position, float mass)
{
    mote_particle_def def = mote_default_particle_def();
    def.position = position;
    def.mass = mass;
    mote_particle_id id = mote_particle_add(world, &def);
    must_exist(id);
    return id;
}

static void come_to_rest(mote_world *world, float damping)
{
    mote_settings settings = mote_world_settings(world);
    settings.damping = damping;
    must(mote_world_set_settings(world, &settings));
    step_times(world, 600, TEST_FRAME);
}

/* A weight hangs m g c below the target, whatever the substeps, iterations and solver. */
static void weight_on_a_spring(void **state)
{
    (void)state;
    const struct {
        uint32_t substeps, iterations;
        mote_solver solver;
        float mass, compliance;
    } cases[] = {
        {1, 1, MOTE_SOLVER_JACOBI, 2, 5e-3f},       {4, 2, MOTE_SOLVER_JACOBI, 2, 5e-3f},
        {8, 10, MOTE_SOLVER_JACOBI, 0.5f, 2e-2f},   {20, 1, MOTE_SOLVER_JACOBI, 10, 1e-3f},
        {4, 3, MOTE_SOLVER_GAUSS_SEIDEL, 2, 5e-3f}, {4, 3, MOTE_SOLVER_COLORED, 2, 5e-3f},
    };
    /* Damping takes its part of a substep's gravity too, so it must fade away. */
    const float dampings[3] = {4, 0.4f, 0.04f};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mote_settings settings = mote_default_settings();
        settings.substeps = cases[i].substeps;
        settings.iterations = cases[i].iterations;
        settings.solver = cases[i].solver;
        mote_world *world = test_world(&settings);
        mote_particle_id weight = add_mass(world, vec(1, 2, 3), cases[i].mass);
        mote_pick_id pick = add_pick(world, weight, vec(1, 2, 3), cases[i].compliance, 1e30f);
        for (int stage = 0; stage < 3; stage++)
            come_to_rest(world, dampings[stage]);
        double load = (double)cases[i].mass * TEST_GRAVITY, sag = load * (double)cases[i].compliance;
        mote_vec3 x = state_of(world, weight).position, force = force_of(world, pick);
        check_near(2 - (double)x.y, sag, 0.01 * sag, "case %zu: sag", i);
        check_near((double)force.y, load, 0.01 * load, "case %zu: force", i);
        check_near(hypot((double)x.x - 1, (double)x.z - 3), 0, 1e-6, "case %zu: it hangs straight", i);
        check_near(hypot((double)force.x, (double)force.z), 0, 1e-3, "case %zu: it pulls straight", i);
        mote_world_destroy(world);
    }
}

/* Without compliance the particle is where the target is, at once and however heavy. */
static void held_fast(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_particle_id weight = add_mass(world, vec(0, 0, 0), 1000);
    mote_pick_id pick = add_pick(world, weight, vec(0, 0.01f, 0), 0, 1e30f);
    step_times(world, 1, TEST_FRAME);
    check_near(state_of(world, weight).position.y, 0.01, 1e-6, "height");
    step_times(world, 10, TEST_FRAME);
    check_near(state_of(world, weight).position.y, 0.01, 1e-6, "height later");
    check_near(force_of(world, pick).y, 1000 * TEST_GRAVITY, 10 * TEST_GRAVITY, "force");
    mote_world_destroy(world);
}

/* Too weak for the weight: it falls with g - F / m. Stronger: it is held. */
static void limited_force(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_particle_id weight = add_mass(world, vec(0, 0, 0), 2);
    mote_pick_id pick = add_pick(world, weight, vec(0, 100, 0), 1e-4f, 8);
    step_times(world, 60, 1.0f / 60);
    double a = TEST_GRAVITY - 8.0 / 2;
    check_near(state_of(world, weight).velocity.y, -a, 0.02 * a, "speed after one second");
    check_near(state_of(world, weight).position.y, -0.5 * a, 0.02 * 0.5 * a, "height after one second");
    check_near(force_of(world, pick).y, 8, 1e-3, "it pulls as hard as it may");
    mote_world_destroy(world);
}

/* Dragged over a floor at an even speed a grain takes mu m g. */
static void dragged_over_a_floor(void **state)
{
    (void)state;
    const float mu = 0.3f, mass = 2, speed = 0.5f;
    mote_settings settings = mote_default_settings();
    settings.substeps = 8;
    mote_world *world = test_world(&settings);
    mote_material_id material = add_material(world, mu, mu, 0);
    add_floor(world, material);
    mote_particle_def def = mote_default_particle_def();
    def.position = vec(0, TEST_RADIUS, 0);
    def.mass = mass;
    def.material = material;
    mote_particle_id grain = mote_particle_add(world, &def);
    mote_pick_id pick = add_pick(world, grain, def.position, 1e-3f, 1e30f);
    double sum = 0;
    for (int i = 1; i <= 300; i++) {
        must(mote_pick_set_target(world, pick, vec(speed * TEST_FRAME * (float)i, TEST_RADIUS, 0)));
        step_times(world, 1, TEST_FRAME);
        sum += i > 180 ? (double)force_of(world, pick).x : 0;
    }
    double expected = (double)mu * (double)mass * TEST_GRAVITY;
    check_near(sum / 120, expected, 0.02 * expected, "mean force");
    check_near(state_of(world, grain).velocity.x, speed, 0.05 * speed, "speed");
    mote_world_destroy(world);
}

/* However it is pulled, a grain does not sink into a floor, and stands still there. */
static void pulled_against_a_floor(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        const float compliances[] = {0, 1e-5f, 1e-4f};
        mote_world *world = test_world(NULL);
        mote_shape_def box = mote_default_shape_def();
        box.type = MOTE_SHAPE_BOX;
        box.position.y = -0.5f;
        if (i < 3)
            add_floor(world, (mote_material_id){0, 0});
        else
            must_exist(mote_shape_add(world, &box));
        mote_particle_id grain = add_mass(world, vec(0, TEST_RADIUS, 0), 1);
        add_pick(world, grain, vec(0, -1, 0), compliances[i % 3], 1e30f);
        step_times(world, 120, TEST_FRAME);
        check_near(state_of(world, grain).position.y, TEST_RADIUS, 0.02 * TEST_RADIUS, "height, compliance %g",
                   (double)compliances[i % 3]);
        check_below(length_of(state_of(world, grain).velocity), 0.05, "speed, compliance %g",
                    (double)compliances[i % 3]);
        mote_world_destroy(world);
    }
}

/* ---- living and ending ----------------------------------------------------------------------------------- */

static void check_ended(mote_world *world, mote_pick_id pick)
{
    mote_pick_def def;
    mote_vec3 force;
    check_true(!mote_pick_is_valid(world, pick), "it has ended");
    assert_int_equal(mote_pick_get(world, pick, &def), MOTE_ERROR_STALE_HANDLE);
    assert_int_equal(mote_pick_set_target(world, pick, vec(0, 0, 0)), MOTE_ERROR_STALE_HANDLE);
    assert_int_equal(mote_pick_force(world, pick, &force), MOTE_ERROR_STALE_HANDLE);
    assert_int_equal(mote_pick_remove(world, pick), MOTE_ERROR_STALE_HANDLE);
}

static void ends_with_its_particle(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_particle_id first = add_mass(world, vec(0, 0, 0), 1), second = add_mass(world, vec(1, 0, 0), 1);
    mote_pick_id a = add_pick(world, first, vec(0, 0, 0), 0, 1e30f);
    mote_pick_id b = add_pick(world, second, vec(1, 0, 0), 0, 1e30f);
    step_times(world, 2, TEST_FRAME);
    must(mote_particle_remove(world, first));
    check_ended(world, a);
    check_true(mote_pick_is_valid(world, b), "the other goes on");
    mote_particle_id third = add_mass(world, vec(0, 5, 0), 1); /* takes the index of the first */
    step_times(world, 30, TEST_FRAME);
    check_ended(world, a);
    check_near(state_of(world, second).position.y, 0, 1e-6, "the other is held");
    check_below(state_of(world, third).position.y, 4.5, "the new one falls");
    must(mote_pick_remove(world, b));
    check_ended(world, b);
    step_times(world, 30, TEST_FRAME);
    check_below(state_of(world, second).position.y, -0.5, "and then the other falls");
    mote_world_destroy(world);
}

/* A kill volume removes the particle within the step. */
static void ends_within_a_step(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_particle_id p = add_mass(world, vec(0, 0, 0), 1);
    mote_pick_id pick = add_pick(world, p, vec(10, 0, 0), 0, 1e30f);
    mote_volume_def kill = mote_default_volume_def();
    kill.type = MOTE_VOLUME_KILL;
    kill.min = vec(9, -1, -1);
    kill.max = vec(11, 1, 1);
    must_exist(mote_volume_add(world, &kill));
    step_times(world, 1, TEST_FRAME);
    check_true(mote_particle_count(world) == 0, "the particle is gone");
    check_ended(world, pick);
    step_times(world, 2, TEST_FRAME);
    mote_world_destroy(world);
}

static void moving_the_target_wakes(void **state)
{
    (void)state;
    mote_settings settings = mote_default_settings();
    settings.sleep_speed = 0.05f;
    mote_world *world = test_world(&settings);
    add_floor(world, (mote_material_id){0});
    mote_particle_id p = add_mass(world, vec(0, TEST_RADIUS, 0), 1);
    mote_pick_id pick = add_pick(world, p, vec(0, TEST_RADIUS, 0), 1e-4f, 1e30f);
    step_times(world, 120, TEST_FRAME);
    check_true(state_of(world, p).asleep, "it sleeps at its target");
    must(mote_pick_set_target(world, pick, vec(0, 1, 0)));
    check_true(!state_of(world, p).asleep, "it wakes");
    step_times(world, 20, TEST_FRAME);
    check_above(state_of(world, p).position.y, 0.9, "and follows");
    mote_world_destroy(world);
}

/* ---- bits ------------------------------------------------------------------------------------------------ */

/* A heap with three grains pulled out of it. */
static mote_world *pulled_heap(uint32_t threads, mote_pick_id picks[3])
{
    mote_world_def def = test_world_def(NULL);
    def.number = 1; /* of all, so that picks of one are picks of its twin */
    def.thread_count = threads;
    mote_world *world = tumbling_world(&def, 8, 8, 8);
    mote_particles_view view = mote_particles_get_view(world);
    mote_particle_id ids[3] = {view.id[3], view.id[100], view.id[200]};
    for (int i = 0; i < 3; i++)
        picks[i] = add_pick(world, ids[i], vec((float)i, 1, 0), 1e-3f, i == 0 ? 3.0f : 1e30f);
    step_times(world, 20, TEST_FRAME);
    return world;
}

static uint64_t hash_after(mote_world *world, const mote_pick_id picks[3])
{
    must(mote_pick_set_target(world, picks[1], vec(0, 2, 1)));
    step_times(world, 20, TEST_FRAME);
    return mote_world_hash(world);
}

static void same_on_any_threads(void **state)
{
    (void)state;
    uint64_t hashes[3];
    for (uint32_t threads = 1; threads <= 3; threads++) {
        mote_pick_id picks[3];
        mote_world *world = pulled_heap(threads, picks);
        hashes[threads - 1] = hash_after(world, picks);
        mote_world_destroy(world);
    }
    assert_int_equal(hashes[0], hashes[1]);
    assert_int_equal(hashes[0], hashes[2]);
}

static void same_after_a_snapshot(void **state)
{
    (void)state;
    mote_pick_id picks[3], others[3];
    mote_world *world = pulled_heap(1, picks), *other = pulled_heap(1, others);
    size_t size = mote_snapshot_size(world);
    void *saved = malloc(size);
    must(mote_snapshot_take(world, saved, size, NULL));
    uint64_t then = mote_world_hash(world), later = hash_after(world, picks);
    must(mote_snapshot_restore(world, saved, size));
    assert_int_equal(mote_world_hash(world), then);
    assert_int_equal(hash_after(world, picks), later);
    must(mote_pick_remove(other, others[0]));
    step_times(other, 5, TEST_FRAME);
    must(mote_snapshot_restore(other, saved, size));
    check_true(mote_pick_is_valid(other, picks[0]), "a pick of that time is valid again");
    assert_int_equal(hash_after(other, picks), later);
    must(mote_pick_remove(other, picks[0]));
    check_true(mote_world_hash(other) != later, "the hash sees picks");
    free(saved);
    mote_world_destroy(world);
    mote_world_destroy(other);
}

static void bad_input(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    mote_particle_id p = add_mass(world, vec(0, 0, 0), 1);
    mote_pick_def good = mote_default_pick_def(), def;
    good.particle = p;
    assert_true(mote_is_null(mote_pick_add(NULL, &good)) && mote_is_null(mote_pick_add(world, NULL)));
    def = good;
    def.particle.generation++;
    assert_true(mote_is_null(mote_pick_add(world, &def)));
    assert_int_equal(mote_last_result(), MOTE_ERROR_STALE_HANDLE);
    const float bad_compliances[] = {-1, NAN, INFINITY}, bad_forces[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 3; i++) {
        def = good;
        def.compliance = bad_compliances[i];
        assert_true(mote_is_null(mote_pick_add(world, &def)));
    }
    for (int i = 0; i < 4; i++) {
        def = good;
        def.max_force = bad_forces[i];
        assert_true(mote_is_null(mote_pick_add(world, &def)));
    }
    def = good;
    def.target.y = NAN;
    assert_true(mote_is_null(mote_pick_add(world, &def)));
    mote_pick_id pick = mote_pick_add(world, &good);
    must_exist(pick);
    assert_int_equal(mote_pick_set_target(world, pick, vec(NAN, 0, 0)), MOTE_ERROR_NOT_FINITE);
    assert_int_equal(mote_pick_set_target(world, pick, vec(2e6f, 0, 0)), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_pick_set_target(NULL, pick, vec(0, 0, 0)), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_pick_get(world, pick, NULL), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_pick_force(world, pick, NULL), MOTE_ERROR_ARGUMENT);
    assert_true(!mote_pick_is_valid(world, (mote_pick_id){0, 0}) && !mote_pick_is_valid(NULL, pick));
    must(mote_pick_get(world, pick, &def));
    assert_true(def.compliance == good.compliance && def.particle.index == p.index);
    for (int i = 1; i < 1024; i++)
        must_exist(mote_pick_add(world, &good));
    assert_true(mote_is_null(mote_pick_add(world, &good)));
    assert_int_equal(mote_last_result(), MOTE_ERROR_LIMIT);
    mote_world_destroy(world);
}

/* A pick could not move it. One that was there when its body became driven pulls nothing, and again when the body is
 * let go. */
static void driven_bodies_are_not_picked(void **state)
{
    (void)state;
    mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    mote_particle_id ids[8];
    size_t count = 0;
    lattice block = {.count = {2, 2, 2}};
    add_lattice_particles(world, &block, ids, &count);
    mote_body_id body = add_body(world, ids, count);
    mote_pick_id pick = add_pick(world, ids[0], vec(0, 1, 0), 1e-3f, 1e30f);
    must(mote_body_set_mode(world, body, MOTE_BODY_DRIVEN));
    mote_pick_def def = mote_default_pick_def();
    def.particle = ids[1];
    assert_true(mote_is_null(mote_pick_add(world, &def)));
    assert_int_equal(mote_last_result(), MOTE_ERROR_ARGUMENT);
    assert_non_null(strstr(mote_last_error(), "driven"));
    step_times(world, 30, TEST_FRAME);
    check_near(size_of(triple_of(body_of(world, body).center)), 0, 0, "way of a driven body that is picked, m");
    check_near(length_of(force_of(world, pick)), 0, 0, "force of its pick, N");
    must(mote_body_set_mode(world, body, MOTE_BODY_DYNAMIC));
    step_times(world, 10, TEST_FRAME);
    check_above((double)body_of(world, body).center.y, 0.01, "way of the body after it is let go, m");
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weight_on_a_spring),
        cmocka_unit_test(held_fast),
        cmocka_unit_test(limited_force),
        cmocka_unit_test(dragged_over_a_floor),
        cmocka_unit_test(pulled_against_a_floor),
        cmocka_unit_test(ends_with_its_particle),
        cmocka_unit_test(ends_within_a_step),
        cmocka_unit_test(moving_the_target_wakes),
        cmocka_unit_test(same_on_any_threads),
        cmocka_unit_test(same_after_a_snapshot),
        cmocka_unit_test(driven_bodies_are_not_picked),
        cmocka_unit_test(bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
