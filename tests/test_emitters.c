/* Emitters of liquids: how much flows, at which density, who makes room for whom, and what is refused. */
#include "refused.h"

#include <string.h>

#define R 0.025f

static mote_world *wet_world(mote_settings settings, uint32_t most)
{
    mote_world_def def = test_world_def(&settings);
    def.number = 1; /* of all, so that handles of one are handles of its twin */
    def.radius = R;
    def.max_particles = most;
    mote_world *world = NULL;
    must(mote_world_create(&def, &world));
    return world;
}

static mote_material_id add_liquid(mote_world *world)
{
    mote_material_def def = mote_default_material_def();
    def.name = "water";
    def.fluid = true;
    return mote_material_add(world, &def);
}

static mote_emitter_def disc_of(mote_material_id material, float radius, float speed)
{
    mote_emitter_def def = mote_default_emitter_def();
    def.material = material;
    def.radius = radius;
    def.speed = speed;
    return def;
}

static size_t run_and_step(mote_world *world, mote_emitter_id emitter, uint32_t steps)
{
    size_t born = 0;
    for (uint32_t i = 0; i < steps; i++) {
        size_t now;
        must(mote_emitter_run(world, emitter, TEST_FRAME, &now));
        must(mote_world_step(world, TEST_FRAME));
        born += now;
    }
    return born;
}

/* Area times speed, for openings of all sizes, within the layer that is just coming. */
static void the_flow_is_area_times_speed(void **state)
{
    (void)state;
    const float radii[4] = {0.6f * R, 2.0f * R, 3.3f * R, 11.0f * R};
    for (int k = 0; k < 4; k++) {
        mote_world *world = wet_world(weightless(), 100000);
        mote_emitter_def def = disc_of(add_liquid(world), radii[k], 1.5f);
        size_t layer;
        must(mote_emitter_layer(&def, R, NULL, 0, &layer, NULL));
        mote_emitter_id emitter = mote_emitter_add(world, &def);
        must_exist(emitter);
        size_t born = 0, now;
        for (int i = 0; i < 600; i++) {
            must(mote_emitter_run(world, emitter, 0.01f, &now));
            born += now;
        }
        double area = TEST_PI * (double)radii[k] * (double)radii[k], share = pow(2.0 * (double)R, 3.0);
        check_near((double)born * share, area * 1.5 * 6.0, (double)layer * share,
                   "volume through a disc of radius %g, m^3", (double)radii[k]);
        mote_world_destroy(world);
    }
}

/* A jet of a rectangle is born at rest density: no particle is too dense, and those inside are not thin. */
static void a_jet_has_rest_density(void **state)
{
    (void)state;
    mote_world *world = wet_world(weightless(), 100000);
    mote_emitter_def def = mote_default_emitter_def();
    def.form = MOTE_EMITTER_RECTANGLE;
    def.direction = vec(1, 0, 0);
    def.side = vec(0, 1, 1);
    def.width = 0.43f;
    def.height = 0.31f;
    def.speed = 2.0f;
    def.material = add_liquid(world);
    mote_emitter_id emitter = mote_emitter_add(world, &def);
    must_exist(emitter);
    run_and_step(world, emitter, 30);
    mote_stats stats = stats_of(world);
    check_below(stats.max_density_error, 0.03, "largest density error in the jet");
    check_near(stats.fluid_volume, 0.43 * 0.31 * 2.0 * 0.5, 0.43 * 0.31 * 0.06,
               "volume after half a second, m^3");
    mote_particles_view view = mote_particles_get_view(world);
    for (size_t i = 0; i < view.count; i++) {
        check_below(view.position[i].x, 1.06, "the front, m");
        check_near(view.velocity[i].x, 2.0, 0.05, "speed, m/s");
    }
    mote_world_destroy(world);
}

/* Falling from the nozzle, the stream is where a falling stream is. */
static void a_stream_falls(void **state)
{
    (void)state;
    mote_world *world = wet_world(mote_default_settings(), 100000);
    mote_emitter_def def = disc_of(add_liquid(world), 0.6f * R, 1.0f);
    mote_emitter_id emitter = mote_emitter_add(world, &def);
    must_exist(emitter);
    run_and_step(world, emitter, 60);
    double lowest = 0.0;
    mote_particles_view view = mote_particles_get_view(world);
    for (size_t i = 0; i < view.count; i++)
        lowest = fmin(lowest, (double)view.position[i].y);
    check_near(lowest, -(1.0 + 0.5 * TEST_GRAVITY), 0.1, "where the first is after a second, m");
    mote_world_destroy(world);
}

/* There are never more than `most`; the oldest go first; and that takes no memory. */
static void the_oldest_make_room(void **state)
{
    (void)state;
    mote_world *world = wet_world(weightless(), 100000);
    mote_emitter_def def = disc_of(add_liquid(world), 0.1f, 3.0f);
    def.most = 500;
    mote_emitter_id emitter = mote_emitter_add(world, &def);
    must_exist(emitter);
    run_and_step(world, emitter, 120);
    size_t memory = stats_of(world).memory;
    run_and_step(world, emitter, 120);
    assert_int_equal(mote_particle_count(world), 500);
    assert_int_equal(stats_of(world).memory, memory);
    size_t layer;
    float spacing, furthest = 0.0f;
    must(mote_emitter_layer(&def, R, NULL, 0, &layer, &spacing));
    mote_particles_view view = mote_particles_get_view(world);
    for (size_t i = 0; i < view.count; i++)
        furthest = fmaxf(furthest, -view.position[i].y);
    check_near(furthest, (double)spacing * 500.0 / (double)layer, 4.0 * (double)spacing,
               "how far the oldest went, m");
    mote_world_destroy(world);
}

/* What others removed does not count; a full world gives no room but its own. */
static void sinks_make_room_too(void **state)
{
    (void)state;
    mote_world *world = wet_world(weightless(), 300);
    mote_volume_def sink = mote_default_volume_def();
    sink.type = MOTE_VOLUME_KILL;
    sink.min = vec(-5, -5, -5);
    sink.max = vec(5, -0.5f, 5);
    must_exist(mote_volume_add(world, &sink));
    mote_emitter_def def = disc_of(add_liquid(world), 0.1f, 1.0f);
    def.most = 250;
    mote_emitter_id emitter = mote_emitter_add(world, &def);
    must_exist(emitter);
    run_and_step(world, emitter, 600);
    size_t layer;
    float spacing;
    must(mote_emitter_layer(&def, R, NULL, 0, &layer, &spacing));
    double expected = 0.5 / (double)spacing * (double)layer;
    check_near((double)mote_particle_count(world), expected, 2.0 * (double)layer, "particles above the sink");
    mote_grains_def grains = mote_default_grains_def();
    grains.origin = vec(10, 10, 10);
    grains.count[0] = 300 - (uint32_t)mote_particle_count(world);
    grains.count[1] = grains.count[2] = 1;
    must(mote_grains_block(world, &grains, NULL));
    run_and_step(world, emitter, 60);
    check_below((double)mote_particle_count(world), 300.5, "particles of a full world");
    mote_world_destroy(world);
}

/* A world taken up again from a snapshot goes on with the same bits. */
static void snapshots_keep_emitters(void **state)
{
    (void)state;
    mote_world *worlds[2];
    mote_emitter_id emitter = {0, 0};
    for (int k = 0; k < 2; k++)
        worlds[k] = wet_world(mote_default_settings(), 10000);
    mote_emitter_def def = disc_of(add_liquid(worlds[0]), 0.1f, 2.0f);
    def.most = 300;
    emitter = mote_emitter_add(worlds[0], &def);
    must_exist(emitter);
    run_and_step(worlds[0], emitter, 50);
    static char bytes[1 << 20];
    size_t size;
    must(mote_snapshot_take(worlds[0], bytes, sizeof bytes, &size));
    must(mote_snapshot_restore(worlds[1], bytes, size));
    assert_int_equal(mote_world_hash(worlds[0]), mote_world_hash(worlds[1]));
    for (int k = 0; k < 2; k++)
        run_and_step(worlds[k], emitter, 50);
    assert_int_equal(mote_world_hash(worlds[0]), mote_world_hash(worlds[1]));
    mote_emitter_def kept;
    must(mote_emitter_get(worlds[1], emitter, &kept));
    assert_int_equal(kept.most, 300);
    must(mote_emitter_run(worlds[1], emitter, 0.5f, NULL));
    check_true(mote_world_hash(worlds[0]) != mote_world_hash(worlds[1]), "the hash sees an emitter");
    for (int k = 0; k < 2; k++)
        mote_world_destroy(worlds[k]);
}

/* Rings stay with their emitters when another is removed. */
static void emitters_are_removed(void **state)
{
    (void)state;
    mote_world *world = wet_world(weightless(), 10000);
    mote_emitter_def def = disc_of(add_liquid(world), 0.05f, 1.0f);
    mote_emitter_id ids[3];
    for (int k = 0; k < 3; k++) {
        def.position = vec((float)k, 0, 0);
        def.most = 40 + 10 * (uint32_t)k;
        ids[k] = mote_emitter_add(world, &def);
        must_exist(ids[k]);
    }
    for (int k = 0; k < 3; k++)
        run_and_step(world, ids[k], 100);
    assert_int_equal(mote_particle_count(world), 40 + 50 + 60);
    must(mote_emitter_remove(world, ids[1]));
    assert_false(mote_emitter_is_valid(world, ids[1]));
    refused(world, mote_emitter_run(world, ids[1], TEST_FRAME, NULL), MOTE_ERROR_STALE_HANDLE, "emitter");
    run_and_step(world, ids[2], 100);
    assert_int_equal(mote_particle_count(world), 40 + 50 + 60);
    mote_world_destroy(world);
}

static mote_result add(mote_world *world, const void *def, const void *context)
{
    (void)context;
    return mote_is_null(mote_emitter_add(world, def)) ? mote_last_result() : MOTE_OK;
}

static void bad_definitions_are_refused(void **state)
{
    (void)state;
    mote_world *world = wet_world(weightless(), 10000);
    mote_emitter_def good = disc_of(add_liquid(world), 0.1f, 1.0f), def = good;
    const float_field fields[] = {
        VEC3_FIELDS(mote_emitter_def, position, 2e6f),
        VEC3_FIELDS(mote_emitter_def, direction, 2e6f),
        {offsetof(mote_emitter_def, radius), "emitter.radius", 0.0f, 2e4f},
        {offsetof(mote_emitter_def, width), "emitter.width", -1.0f, 2e4f},
        {offsetof(mote_emitter_def, height), "emitter.height", -1.0f, 2e4f},
        {offsetof(mote_emitter_def, speed), "emitter.speed", 0.0f, 1e4f},
    };
    check_floats(world, &good, sizeof good, fields, sizeof fields / sizeof fields[0], add, NULL);
    def.direction = vec(0, 0, 0);
    refused_handle(world, mote_emitter_add(world, &def), MOTE_ERROR_ARGUMENT, "emitter.direction");
    def = good;
    def.form = MOTE_EMITTER_RECTANGLE;
    def.side = vec(0, 3, 0);
    refused_handle(world, mote_emitter_add(world, &def), MOTE_ERROR_ARGUMENT, "emitter.side");
    def = good;
    def.form = MOTE_EMITTER_FORM_COUNT;
    refused_handle(world, mote_emitter_add(world, &def), MOTE_ERROR_ARGUMENT, "emitter.form");
    def = good;
    def.material = mote_world_default_material(world);
    refused_handle(world, mote_emitter_add(world, &def), MOTE_ERROR_ARGUMENT, "is no fluid");
    def.material = (mote_material_id){77, 1};
    refused_handle(world, mote_emitter_add(world, &def), MOTE_ERROR_STALE_HANDLE, "emitter.material");
    def = good;
    def.most = 3;
    refused_handle(world, mote_emitter_add(world, &def), MOTE_ERROR_ARGUMENT, "emitter.most is 3");
    def = good;
    def.radius = 5000.0f;
    refused_handle(world, mote_emitter_add(world, &def), MOTE_ERROR_LIMIT, "emitter.radius");
    refused_handle(world, mote_emitter_add(world, NULL), MOTE_ERROR_ARGUMENT, "def");
    refused_handle(world, mote_emitter_add(NULL, &good), MOTE_ERROR_ARGUMENT, "world");
    mote_world_destroy(world);
}

/* An opening in a wall is refused, one beside it or in a channel of its own is not. */
static void an_opening_inside_a_wall_is_refused(void **state)
{
    (void)state;
    mote_world *world = wet_world(weightless(), 100000);
    mote_shape_def box = mote_default_shape_def();
    box.type = MOTE_SHAPE_BOX;
    box.half_extents = vec(0.5f, 0.5f, 0.5f);
    box.channels = 1;
    must_exist(mote_shape_add(world, &box));
    mote_emitter_def def = disc_of(add_liquid(world), 0.2f, 1.0f);
    def.position = vec(0.55f, 0, 0);
    refused_handle(world, mote_emitter_add(world, &def), MOTE_ERROR_ARGUMENT, "inside shape 0");
    def.position = vec(0, 0, 0);
    refused_handle(world, mote_emitter_add(world, &def), MOTE_ERROR_ARGUMENT, "emitter.position");
    def.phase = mote_phase(0, true, 2);
    must_exist(mote_emitter_add(world, &def));
    def = disc_of(def.material, 0.2f, 1.0f);
    def.position = vec(0.75f, 0, 0);
    must_exist(mote_emitter_add(world, &def));
    mote_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_flow_is_area_times_speed),
        cmocka_unit_test(a_jet_has_rest_density),
        cmocka_unit_test(a_stream_falls),
        cmocka_unit_test(the_oldest_make_room),
        cmocka_unit_test(sinks_make_room_too),
        cmocka_unit_test(snapshots_keep_emitters),
        cmocka_unit_test(emitters_are_removed),
        cmocka_unit_test(bad_definitions_are_refused),
        cmocka_unit_test(an_opening_inside_a_wall_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
