/* Bad input about worlds: their definitions and settings, the lengths of steps, and pointers to nothing. */
#include "bad_input.h"

#include <string.h>

static void steps_of_no_sensible_length(void **state)
{
    (void)state;
    fixture f = make_fixture();
    static const float bad[] = {0, -0.0f, -1, 1.001f, 1e30f};
    for (int i = 0; i < 5; ++i)
        refused(f.world, mote_world_step(f.world, bad[i]), MOTE_ERROR_ARGUMENT, "dt");
    for (int i = 0; i < 3; ++i)
        refused(f.world, mote_world_step(f.world, not_finite[i]), MOTE_ERROR_NOT_FINITE, "dt");
    must(mote_world_step(f.world, MOTE_MAX_DT));
    mote_world_destroy(f.world);
}

/* One bad value for each field, written over good ones by its offset. */
typedef struct bad_setting {
    const char *word;
    size_t offset;
    float value;
    uint32_t whole; /* for counts and enums */
    bool is_whole;
} bad_setting;

#define BAD_FLOAT(field, value)                                                                                \
    {                                                                                                          \
#field, offsetof(mote_settings, field), (value), 0, false                                              \
    }
#define BAD_WHOLE(field, number)                                                                               \
    {                                                                                                          \
#field, offsetof(mote_settings, field), 0, (number), true                                              \
    }

static const bad_setting bad_settings[] = {
    BAD_FLOAT(gravity, NAN),
    BAD_FLOAT(gravity, 1e30f),
    BAD_WHOLE(substeps, 0),
    BAD_WHOLE(substeps, 1001),
    BAD_WHOLE(iterations, 0),
    BAD_WHOLE(iterations, 10001),
    BAD_WHOLE(stabilization_iterations, 1001),
    BAD_WHOLE(solver, MOTE_SOLVER_COUNT),
    BAD_WHOLE(integrator, MOTE_INTEGRATOR_COUNT),
    BAD_FLOAT(relaxation, 0),
    BAD_FLOAT(relaxation, 2.01f),
    BAD_FLOAT(relaxation, -1),
    BAD_FLOAT(relaxation, NAN),
    BAD_FLOAT(residual_tolerance, -1e-3f),
    BAD_FLOAT(residual_tolerance, 2e4f),
    BAD_FLOAT(residual_tolerance, NAN),
    BAD_FLOAT(time_budget, -1e-3f),
    BAD_FLOAT(time_budget, 2e4f),
    BAD_FLOAT(time_budget, NAN),
    BAD_FLOAT(contact_margin, 0.9f),
    BAD_FLOAT(contact_margin, 2.1f),
    BAD_FLOAT(neighbor_skin, -0.1f),
    BAD_FLOAT(neighbor_skin, 2.1f),
    BAD_FLOAT(mass_scaling, -0.5f),
    BAD_FLOAT(mass_scaling, -1),
    BAD_FLOAT(mass_scaling, 2e6f),
    BAD_FLOAT(mass_scaling, NAN),
    BAD_FLOAT(damping, -1),
    BAD_FLOAT(damping, INFINITY),
    BAD_FLOAT(sleep_speed, -1),
    BAD_FLOAT(sleep_speed, NAN),
    BAD_FLOAT(sleep_time, -1),
    BAD_FLOAT(sleep_time, NAN),
    BAD_FLOAT(max_speed, 0),
    BAD_FLOAT(max_speed, NAN),
    BAD_FLOAT(max_acceleration, 0),
    BAD_FLOAT(max_acceleration, -1),
    BAD_FLOAT(restitution_speed, -1),
    BAD_FLOAT(restitution_speed, NAN),
    BAD_FLOAT(max_depenetration_speed, -1),
    BAD_FLOAT(max_depenetration_speed, NAN),
};

static void settings_out_of_range(void **state)
{
    (void)state;
    fixture f = make_fixture();
    for (size_t i = 0; i < sizeof bad_settings / sizeof bad_settings[0]; ++i) {
        const bad_setting *bad = &bad_settings[i];
        mote_settings settings = mote_default_settings();
        if (bad->is_whole)
            memcpy((char *)&settings + bad->offset, &bad->whole, sizeof bad->whole);
        else
            memcpy((char *)&settings + bad->offset, &bad->value, sizeof bad->value);
        mote_result expected =
            bad->is_whole || isfinite(bad->value) ? MOTE_ERROR_ARGUMENT : MOTE_ERROR_NOT_FINITE;
        refused(f.world, mote_world_set_settings(f.world, &settings), expected, bad->word);
        mote_world_def def = test_world_def(&settings);
        mote_world *none = f.world;
        refused(f.world, mote_world_create(&def, &none), expected, bad->word);
        assert_null(none);
    }
    refused(f.world, mote_world_set_settings(f.world, NULL), MOTE_ERROR_ARGUMENT, "settings");
    mote_world_destroy(f.world);
}

static void check_no_world(mote_world_def def, mote_result expected, const char *word)
{
    mote_world *world = (mote_world *)&def;
    mote_result result = mote_world_create(&def, &world);
    check_refused_at(__FILE__, __LINE__, NULL, 0, result, expected, word, "mote_world_create");
    assert_null(world);
}

static void definitions_out_of_range(void **state)
{
    (void)state;
    mote_world_def bad;
    bad = test_world_def(NULL), bad.radius = 0;
    check_no_world(bad, MOTE_ERROR_ARGUMENT, "radius");
    bad = test_world_def(NULL), bad.radius = -1;
    check_no_world(bad, MOTE_ERROR_ARGUMENT, "radius");
    bad = test_world_def(NULL), bad.radius = NAN;
    check_no_world(bad, MOTE_ERROR_NOT_FINITE, "radius");
    bad = test_world_def(NULL), bad.max_particles = 0;
    check_no_world(bad, MOTE_ERROR_ARGUMENT, "max_particles");
    bad = test_world_def(NULL), bad.max_particles = 100000001;
    check_no_world(bad, MOTE_ERROR_ARGUMENT, "max_particles");
    bad = test_world_def(NULL), bad.thread_count = 1000000;
    check_no_world(bad, MOTE_ERROR_ARGUMENT, "thread_count");
    bad = test_world_def(NULL), bad.simd = MOTE_SIMD_COUNT;
    check_no_world(bad, MOTE_ERROR_ARGUMENT, "simd");
    test_heap heap = {0};
    bad = test_world_def(NULL), bad.allocator = heap_allocator(&heap), bad.allocator.release = NULL;
    check_no_world(bad, MOTE_ERROR_ARGUMENT, "release");
    mote_world *world = NULL;
    check_true(mote_world_create(NULL, &world) == MOTE_ERROR_ARGUMENT, "no definition");
    bad = test_world_def(NULL);
    check_true(mote_world_create(&bad, NULL) == MOTE_ERROR_ARGUMENT, "nowhere to put the world");
}

/* Null pointers where a world, an input or an output belongs. */
static void null_pointers(void **state)
{
    (void)state;
    fixture f = make_fixture();
    mote_world *w = f.world;
    refused(w, mote_particle_get(w, f.particle, NULL), MOTE_ERROR_ARGUMENT, "state");
    refused_handle(w, mote_particle_add(w, NULL), MOTE_ERROR_ARGUMENT, "def");
    refused(w, mote_plane_get(w, f.shape, NULL), MOTE_ERROR_ARGUMENT, "def");
    refused(w, mote_plane_set(w, f.shape, NULL), MOTE_ERROR_ARGUMENT, "def");
    refused(w, mote_shape_force(w, f.shape, NULL), MOTE_ERROR_ARGUMENT, "force");
    refused(w, mote_field_get(w, f.field, NULL), MOTE_ERROR_ARGUMENT, "def");
    refused(w, mote_field_set(w, f.field, NULL), MOTE_ERROR_ARGUMENT, "def");
    refused(w, mote_volume_get(w, f.volume, NULL), MOTE_ERROR_ARGUMENT, "def");
    refused(w, mote_material_get(w, mote_world_default_material(w), NULL), MOTE_ERROR_ARGUMENT, "def");
    refused(w, mote_material_set(w, mote_world_default_material(w), NULL), MOTE_ERROR_ARGUMENT, "def");
    refused(w, mote_world_stats(w, NULL), MOTE_ERROR_ARGUMENT, "stats");
    mote_particle_def def = mote_default_particle_def();
    mote_plane_def plane = mote_default_plane_def();
    mote_grains_def grains = mote_default_grains_def();
    mote_settings settings = mote_default_settings();
    mote_stats stats;
    char bytes[16] = {0};
    check_refused_at(__FILE__, __LINE__, NULL, 0, mote_world_step(NULL, TEST_FRAME), MOTE_ERROR_ARGUMENT,
                     "world", "step");
    check_refused_at(__FILE__, __LINE__, NULL, 0, mote_world_set_settings(NULL, &settings), MOTE_ERROR_ARGUMENT,
                     "world", "set_settings");
    check_refused_at(__FILE__, __LINE__, NULL, 0, mote_world_wake(NULL), MOTE_ERROR_ARGUMENT, "world", "wake");
    check_refused_at(__FILE__, __LINE__, NULL, 0, mote_world_stats(NULL, &stats), MOTE_ERROR_ARGUMENT, "world",
                     "stats");
    check_refused_at(__FILE__, __LINE__, NULL, 0, mote_grains_block(NULL, &grains, NULL), MOTE_ERROR_ARGUMENT,
                     "world", "grains");
    check_refused_at(__FILE__, __LINE__, NULL, 0, mote_snapshot_take(NULL, bytes, 16, NULL),
                     MOTE_ERROR_ARGUMENT, "world", "take");
    check_refused_at(__FILE__, __LINE__, NULL, 0, mote_snapshot_restore(NULL, bytes, 16), MOTE_ERROR_ARGUMENT,
                     "world", "restore");
    assert_true(mote_is_null(mote_particle_add(NULL, &def)));
    assert_true(mote_is_null(mote_plane_add(NULL, &plane)));
    assert_int_equal(mote_particle_count(NULL), 0);
    assert_int_equal(mote_particles_get_view(NULL).count, 0);
    assert_int_equal(mote_world_events(NULL).count, 0);
    assert_int_equal(mote_snapshot_size(NULL), 0);
    mote_world_hash(NULL);
    mote_world_destroy(NULL);
    mote_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_of_no_sensible_length),
        cmocka_unit_test(settings_out_of_range),
        cmocka_unit_test(definitions_out_of_range),
        cmocka_unit_test(null_pointers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
