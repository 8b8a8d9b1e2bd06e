/* Shapes: particles rest on them, slide down them, are carried and thrown by them, as the closed forms say. */
#include "meshes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SOLIDS 7
static const char *const SOLID_NAMES[SOLIDS] = {"box",         "hull",   "mesh",   "sdf",
                                                "heightfield", "sphere", "capsule"};

/* A slab 8 m wide whose top is the plane y = 0 of its own coordinates, in any of the forms that have a flat
 * top; then two round ones whose top is there. *below is how far under the top the origin of the shape is. */
static mote_shape_def slab(mote_world *world, int kind, float *below)
{
    mote_shape_def def = mote_default_shape_def();
    test_mesh box = box_mesh(vec(4, 0.25f, 4));
    mote_mesh view = mesh_view(&box);
    static float heights[9 * 9];
    *below = 0.25f;
    def.half_extents = vec(4, 0.25f, 4);
    def.type = kind == 0   ? MOTE_SHAPE_BOX
               : kind < 5  ? MOTE_SHAPE_GEOMETRY
               : kind == 5 ? MOTE_SHAPE_SPHERE
                           : MOTE_SHAPE_CAPSULE;
    if (kind == 1)
        def.geometry = mote_hull_add(world, box.vertices, box.vertex_count);
    if (kind == 2)
        def.geometry = mote_mesh_add(world, &view);
    if (kind == 3)
        def.geometry = mote_sdf_add_mesh(world, &view, 0.125f);
    if (kind == 4)
        def.geometry = mote_heightfield_add(world, &(mote_heightfield_def){9, 9, 1.0f, heights});
    if (kind == 4)
        *below = 0;
    if (kind == 5)
        *below = def.radius = 0.4f;
    if (kind == 6) {
        def.half_height = 0.3f;
        *below = def.radius + def.half_height;
    }
    if (def.type == MOTE_SHAPE_GEOMETRY)
        must_exist(def.geometry);
    mesh_free(&box);
    return def;
}

/* A height field begins at its corner. */
static void center(mote_shape_def *def, int kind, mote_vec3 x_axis, mote_vec3 z_axis)
{
    if (kind != 4)
        return;
    def->position.x -= 4 * (x_axis.x + z_axis.x);
    def->position.y -= 4 * (x_axis.y + z_axis.y);
    def->position.z -= 4 * (x_axis.z + z_axis.z);
}

static void particles_rest_on_top(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < SOLIDS; kind++) {
        mote_world *world = test_world(NULL);
        float below;
        mote_shape_def def = slab(world, kind, &below);
        def.position = vec(0, 1 - below, 0);
        center(&def, kind, vec(1, 0, 0), vec(0, 0, 1));
        mote_shape_id shape = mote_shape_add(world, &def);
        must_exist(shape);
        mote_particle_id id = add_particle(world, vec(0, 1.5f, 0), vec(0, 0, 0), (mote_material_id){0, 0});
        step_times(world, 120, TEST_FRAME);
        mote_particle_state state = state_of(world, id);
        check_near((double)state.position.y, 1 + (double)TEST_RADIUS, 0.01 * (double)TEST_RADIUS,
                   "height on a %s", SOLID_NAMES[kind]);
        check_below(length_of(state.velocity), 1e-3, "speed on a %s", SOLID_NAMES[kind]);
        mote_vec3 force;
        must(mote_shape_force(world, shape, &force));
        check_near((double)force.y, -TEST_GRAVITY, 0.02 * TEST_GRAVITY, "weight on a %s", SOLID_NAMES[kind]);
        mote_world_destroy(world);
    }
}

/* On a slope of 30 degrees with friction mu the acceleration is g (sin - mu cos). */
static void particles_slide_down_slopes(void **unused)
{
    (void)unused;
    const double angle = TEST_PI / 6, mu = 0.2, expected = TEST_GRAVITY * (sin(angle) - mu * cos(angle));
    for (int kind = 0; kind < 5; kind++) {
        mote_world *world = test_world(NULL);
        mote_material_id rough = add_material(world, (float)mu, (float)mu, 0);
        float below;
        mote_shape_def def = slab(world, kind, &below);
        def.material = rough;
        def.rotation = (mote_quat){0, 0, (float)sin(-angle / 2), (float)cos(angle / 2)}; /* down towards +x */
        mote_vec3 up = vec((float)sin(angle), (float)cos(angle), 0),
                  along = vec((float)cos(angle), (float)-sin(angle), 0);
        def.position = vec(-below * up.x, -below * up.y, 0);
        center(&def, kind, along, vec(0, 0, 1));
        must_exist(mote_shape_add(world, &def));
        float start = -3.5f, high = TEST_RADIUS;
        mote_particle_id id =
            add_particle(world, vec(start * along.x + high * up.x, start * along.y + high * up.y, 0.123f),
                         vec(0, 0, 0), rough);
        step_times(world, 60, TEST_FRAME);
        mote_particle_state state = state_of(world, id);
        double speed = (double)(state.velocity.x * along.x + state.velocity.y * along.y);
        check_near(speed, expected, 0.01 * expected, "speed after 1 s down a %s", SOLID_NAMES[kind]);
        check_near((double)(state.position.x * up.x + state.position.y * up.y), (double)TEST_RADIUS,
                   0.02 * (double)TEST_RADIUS, "height over a %s", SOLID_NAMES[kind]);
        mote_world_destroy(world);
    }
}

typedef struct path {
    mote_vec3 position, velocity;
} path;

/* Slides over the floor, past 200 inner edges and more, with and without friction. */
static path slide(bool triangles, float mu, mote_vec3 velocity, float half)
{
    mote_world *world = test_world(NULL);
    mote_material_id rough = add_material(world, mu, mu, 0);
    if (triangles) {
        test_mesh floor = floor_mesh(half, 60); /* 7,200 triangles */
        mote_mesh view = mesh_view(&floor);
        mote_shape_def def = mote_default_shape_def();
        def.type = MOTE_SHAPE_GEOMETRY;
        def.geometry = mote_mesh_add(world, &view);
        must_exist(def.geometry);
        def.material = rough;
        must_exist(mote_shape_add(world, &def));
        mesh_free(&floor);
    } else
        add_floor(world, rough);
    mote_particle_id id = add_particle(world, vec(-6.1f, TEST_RADIUS, -5.3f), velocity, rough);
    step_times(world, 120, TEST_FRAME);
    mote_particle_state state = state_of(world, id);
    mote_world_destroy(world);
    return (path){state.position, state.velocity};
}

static void compare_paths(float mu, mote_vec3 velocity, float half)
{
    path flat = slide(false, mu, velocity, half), mesh = slide(true, mu, velocity, half);
    double way = distance_of(flat.position, vec(-6.1f, TEST_RADIUS, -5.3f)), speed = length_of(flat.velocity);
    check_below(distance_of(flat.position, mesh.position), 0.001 * way, "path at %g m/s, mu %g",
                length_of(velocity), (double)mu);
    check_below(distance_of(flat.velocity, mesh.velocity), 0.001 * speed, "speed at %g m/s, mu %g",
                length_of(velocity), (double)mu);
    check_below(fabs((double)(mesh.position.y - flat.position.y)), 1e-4 * (double)TEST_RADIUS,
                "bumps at %g m/s", length_of(velocity));
}

static void inner_edges_are_not_felt(void **unused)
{
    (void)unused;
    const mote_vec3 ways[] = {{5, 0, 0}, {4, 0, 3.7f}, {0.01f, 0, 5}, {6, 0, 5.9f}};
    for (int i = 0; i < 8; i++)
        compare_paths(i % 2 == 0 ? 0.0f : 0.1f, ways[i / 2], 8);
}

/* A metre and more in a substep, and so many edges that several are passed in each. */
static void inner_edges_are_not_felt_when_fast(void **unused)
{
    (void)unused;
    compare_paths(0.0f, vec(300, 0, 170), 700);
    compare_paths(0.1f, vec(300, 0, 170), 700);
    compare_paths(0.0f, vec(90, 0, 3), 200);
}

/* A belt: a box that moves at 1 m/s under a particle carries it off after v / (mu g) seconds. */
static void moving_shapes_carry(void **unused)
{
    (void)unused;
    mote_world *world = test_world(NULL);
    mote_material_id rough = add_material(world, 0.5f, 0.5f, 0);
    float below;
    mote_shape_def def = slab(world, 0, &below);
    def.material = rough;
    def.position = vec(0, -below, 0);
    def.velocity = vec(1, 0, 0);
    must_exist(mote_shape_add(world, &def));
    mote_particle_id id = add_particle(world, vec(0, TEST_RADIUS, 0), vec(0, 0, 0), rough);
    step_times(world, 6, TEST_FRAME);
    check_near((double)state_of(world, id).velocity.x, 0.5 * TEST_GRAVITY * 0.1, 0.02,
               "speed while it still slips");
    step_times(world, 54, TEST_FRAME);
    check_near((double)state_of(world, id).velocity.x, 1.0, 0.002, "speed of the belt");
    /* x = v t - v^2 / (2 mu g) */
    check_near((double)state_of(world, id).position.x, 1 - 1 / (2 * 0.5 * TEST_GRAVITY), 0.01,
               "place on the belt");
    mote_world_destroy(world);
}

/* A turntable: the particle goes round with it while mu g is more than w^2 r. */
static void turning_shapes_carry(void **unused)
{
    (void)unused;
    mote_world *world = test_world(NULL);
    mote_material_id rough = add_material(world, 1, 1, 0);
    float below;
    mote_shape_def def = slab(world, 0, &below);
    def.material = rough;
    def.position = vec(0, -below, 0);
    def.spin = vec(0, 1, 0);
    must_exist(mote_shape_add(world, &def));
    mote_particle_id id = add_particle(world, vec(2, TEST_RADIUS, 0), vec(0, 0, -2), rough);
    step_times(world, 60, TEST_FRAME);
    mote_particle_state state = state_of(world, id);
    check_near((double)state.position.x, 2 * cos(1), 0.02, "x after a radian");
    check_near((double)state.position.z, -2 * sin(1), 0.02, "z after a radian");
    check_near(length_of(state.velocity), 2.0, 0.02, "speed at 2 m from the middle");
    mote_world_destroy(world);
}

/* A wall that comes at 3 m/s throws what comes at 2 m/s, with restitution 0.8: 3 + 0.8 (3 + 2). */
static void moving_walls_throw(void **unused)
{
    (void)unused;
    for (int driven = 0; driven < 2; driven++) {
        mote_settings settings = weightless();
        mote_world *world = test_world(&settings);
        mote_material_id rubber = add_material(world, 0, 0, 0.8f);
        mote_shape_def def = mote_default_shape_def();
        def.type = MOTE_SHAPE_BOX;
        def.material = rubber;
        if (driven == 0)
            def.velocity = vec(3, 0, 0);
        mote_shape_id wall = mote_shape_add(world, &def);
        must_exist(wall);
        mote_particle_id id = add_particle(world, vec(1.3f, 0.1f, 0.1f), vec(-2, 0, 0), rubber);
        for (int frame = 1; frame <= 30; frame++) {
            if (driven)
                must(mote_shape_move_to(world, wall, vec(0.05f * (float)frame, 0, 0), (mote_quat){0, 0, 0, 1}));
            must(mote_world_step(world, TEST_FRAME));
        }
        check_near((double)state_of(world, id).velocity.x, 7.0, 0.05, "speed of what was thrown");
        mote_shape_def now;
        must(mote_shape_get(world, wall, &now));
        check_near((double)now.position.x, 1.5, 1e-4, "place of the wall");
        mote_world_destroy(world);
    }
}

/* With restitution 1 and no friction a box keeps the energy of what flies about in it, however fast; so does
 * a round mesh while a substep is short beside its curvature. */
static void full_bounces_keep_energy(void **unused)
{
    (void)unused;
    const float speeds[3] = {3, 30, 300};
    for (int i = 0; i < 5; i++) {
        mote_settings settings = weightless();
        mote_world *world = test_world(&settings);
        mote_material_id rubber = add_material(world, 0, 0, 1);
        test_mesh ball = sphere_mesh(vec(0, 0, 0), 2, 24, 48);
        mote_mesh view = mesh_view(&ball);
        mote_shape_def def = mote_default_shape_def();
        def.material = rubber;
        def.half_extents = vec(2, 2, 2);
        def.inside = i < 3;
        def.type = i < 3 ? MOTE_SHAPE_BOX : MOTE_SHAPE_GEOMETRY;
        if (i >= 3)
            def.geometry = mote_mesh_add(world, &view);
        must_exist(mote_shape_add(world, &def));
        uint64_t state = 5;
        float speed = speeds[i % 3];
        for (int k = 0; k < 300; k++) {
            mote_particle_def particle = mote_default_particle_def();
            mote_vec3 d = vec(random_between(&state, -1, 1), random_between(&state, -1, 1),
                              random_between(&state, -1, 1));
            float scale = speed / (float)length_of(d);
            particle.position = vec(0.3f * d.y, 0.3f * d.z, 0.3f * d.x);
            particle.velocity = vec(scale * d.x, scale * d.y, scale * d.z);
            particle.radius = 0.01f;
            particle.material = rubber;
            particle.phase = mote_phase(1, false, 1);
            must_exist(mote_particle_add(world, &particle));
        }
        step_times(world, 60, TEST_FRAME);
        double kept = stats_of(world).kinetic_energy / (0.5 * 300 * (double)speed * (double)speed);
        check_near(kept, 1.0, 0.03, "energy kept at %g m/s in a %s", (double)speed,
                   i < 3 ? "box" : "round mesh");
        mesh_free(&ball);
        mote_world_destroy(world);
    }
}

static void triggers_report_and_do_not_push(void **unused)
{
    (void)unused;
    mote_settings settings = weightless();
    mote_world *world = test_world(&settings);
    mote_shape_def def = mote_default_shape_def();
    def.trigger = true;
    mote_shape_id trigger = mote_shape_add(world, &def);
    must_exist(trigger);
    mote_particle_id id = add_particle(world, vec(-1, 0, 0), vec(1, 0, 0), (mote_material_id){0, 0});
    double came = 0, left = 0;
    for (int frame = 1; frame <= 120; frame++) {
        must(mote_world_step(world, TEST_FRAME));
        mote_events events = mote_world_events(world);
        for (size_t i = 0; i < events.count; i++) {
            check_true(events.items[i].shape.index == trigger.index && events.items[i].a.index == id.index,
                       "who");
            if (events.items[i].type == MOTE_EVENT_TRIGGER_ENTER)
                came = mote_world_time(world);
            if (events.items[i].type == MOTE_EVENT_TRIGGER_EXIT)
                left = mote_world_time(world);
        }
    }
    check_near(came, 1 - 0.5 - (double)TEST_RADIUS, 0.02, "time of coming in");
    check_near(left, 1 + 0.5 + (double)TEST_RADIUS, 0.02, "time of going out");
    check_near((double)state_of(world, id).velocity.x, 1.0, 1e-6, "speed after it");
    mote_world_destroy(world);
}

static void channels_of_shapes(void **unused)
{
    (void)unused;
    mote_world *world = test_world(NULL);
    mote_shape_def def = mote_default_shape_def();
    def.type = MOTE_SHAPE_BOX;
    def.channels = 2;
    must_exist(mote_shape_add(world, &def));
    mote_particle_def particle = mote_default_particle_def();
    particle.position = vec(0, 1, 0);
    particle.phase = mote_phase(0, true, 2);
    mote_particle_id held = mote_particle_add(world, &particle);
    particle.position = vec(0.3f, 1, 0);
    particle.phase = mote_phase(0, true, 5);
    mote_particle_id falls = mote_particle_add(world, &particle);
    step_times(world, 60, TEST_FRAME);
    check_near((double)state_of(world, held).position.y, 0.5 + (double)TEST_RADIUS, 1e-3,
               "of the same channel");
    check_below((double)state_of(world, falls).position.y, -1.0, "of another channel");
    mote_world_destroy(world);
}

/* ---- a world of everything ----------------------------------------------------------------------------- */

static mote_world *zoo(uint32_t threads, mote_simd simd)
{
    mote_world_def def = test_world_def(NULL);
    def.thread_count = threads;
    def.simd = simd;
    mote_world *world;
    must(mote_world_create(&def, &world));
    for (int kind = 0; kind < SOLIDS; kind++) {
        float below;
        mote_shape_def shape = slab(world, kind, &below);
        float turn = 0.15f * (float)kind;
        shape.position = vec(0.2f * (float)kind - 0.6f, -0.4f * (float)kind, 0.1f * (float)kind);
        shape.rotation = (mote_quat){0.1f, turn, 0.05f, 1};
        center(&shape, kind, vec(1, 0, 0), vec(0, 0, 1));
        if (kind % 2 == 0)
            shape.spin = vec(0.3f, 0.5f, 0);
        must_exist(mote_shape_add(world, &shape));
    }
    mote_shape_def room = mote_default_shape_def();
    room.inside = true;
    room.radius = 5;
    must_exist(mote_shape_add(world, &room));
    mote_grains_def grains = mote_default_grains_def();
    grains.origin = vec(-0.7f, 1, -0.7f);
    grains.jitter = 0.1f;
    grains.radius_spread = 0.3f;
    grains.count[0] = grains.count[1] = grains.count[2] = 12;
    must(mote_grains_block(world, &grains, NULL));
    return world;
}

static void same_bits_for_threads_and_simd(void **unused)
{
    (void)unused;
    uint64_t expected = 0;
    const uint32_t threads[] = {1, 2, 3, 5};
    for (int level = MOTE_SIMD_BASELINE; level < MOTE_SIMD_COUNT; level++) {
        if (!mote_simd_supported((mote_simd)level))
            continue;
        for (int i = 0; i < 4; i++) {
            mote_world *world = zoo(threads[i], (mote_simd)level);
            step_times(world, TEST_BY_BUILD(60, 20, 5), TEST_FRAME);
            uint64_t hash = mote_world_hash(world);
            expected = expected == 0 ? hash : expected;
            check_true(hash == expected, "hash of %u threads, %s", threads[i],
                       mote_simd_name((mote_simd)level));
            mote_world_destroy(world);
        }
    }
}

static void snapshots_hold_everything(void **unused)
{
    (void)unused;
    mote_world *world = zoo(1, MOTE_SIMD_AUTO);
    mote_shape_id shapes[16];
    assert_int_equal(mote_shape_list(world, shapes, 16), SOLIDS + 1);
    step_times(world, 20, TEST_FRAME);
    must(mote_shape_move_to(world, shapes[1], vec(0.1f, -0.3f, 0.2f), (mote_quat){0, 0.3f, 0, 1}));
    size_t size = mote_snapshot_size(world);
    void *data = malloc(size);
    assert_non_null(data);
    must(mote_snapshot_take(world, data, size, NULL));
    uint64_t before = mote_world_hash(world);
    step_times(world, 20, TEST_FRAME);
    uint64_t after = mote_world_hash(world);
    must(mote_snapshot_restore(world, data, size)); /* back, keeping the geometries */
    check_true(mote_world_hash(world) == before, "the world is back");
    step_times(world, 20, TEST_FRAME);
    check_true(mote_world_hash(world) == after, "and goes the same way");
    mote_world *other = test_world(NULL); /* and in a world that has nothing */
    must(mote_snapshot_restore(other, data, size));
    check_true(mote_world_hash(other) == before, "another world has become it");
    check_true(mote_geometry_count(other) == 4, "%u geometries", mote_geometry_count(other));
    step_times(other, 20, TEST_FRAME);
    check_true(mote_world_hash(other) == after, "and goes the same way");
    free(data);
    mote_world_destroy(other);
    mote_world_destroy(world);
}

/* What is remembered of the shapes near a place does not change what happens: a world that goes on and one
 * that is restored from its snapshot, with nothing remembered, go the same way. Grains fall asleep and wake,
 * so that lanes are dead and alive by turns. */
static void remembering_changes_nothing(void **unused)
{
    (void)unused;
    mote_settings settings = mote_default_settings();
    settings.sleep_speed = 0.05f;
    settings.sleep_time = 0.1f;
    mote_world *world = test_world(&settings);
    for (int i = 0; i < 60; i++) {
        mote_shape_def def = mote_default_shape_def();
        def.type = i % 3 == 0 ? MOTE_SHAPE_BOX : i % 3 == 1 ? MOTE_SHAPE_SPHERE : MOTE_SHAPE_CAPSULE;
        def.position = vec(0.5f * (float)(i % 8) - 1.75f, 0.1f * (float)(i % 5), 0.5f * (float)(i / 8) - 1.75f);
        def.radius = 0.2f;
        def.half_height = 0.15f;
        def.half_extents = vec(0.3f, 0.1f, 0.2f);
        def.rotation = (mote_quat){0.1f * (float)(i % 4), 0.3f, 0, 1};
        must_exist(mote_shape_add(world, &def));
    }
    mote_grains_def grains = mote_default_grains_def();
    grains.origin = vec(-1, 1, -1);
    grains.jitter = 0.1f;
    grains.count[0] = grains.count[2] = 20;
    grains.count[1] = 5;
    must(mote_grains_block(world, &grains, NULL));
    for (int round = 0; round < 6; round++) {
        size_t size = mote_snapshot_size(world);
        void *data = malloc(size);
        assert_non_null(data);
        must(mote_snapshot_take(world, data, size, NULL));
        mote_world *other = test_world(NULL);
        must(mote_snapshot_restore(other, data, size));
        free(data);
        step_times(world, 15, TEST_FRAME);
        step_times(other, 15, TEST_FRAME);
        check_true(mote_world_hash(world) == mote_world_hash(other), "round %d", round);
        mote_world_destroy(other);
    }
    check_above((double)stats_of(world).asleep, 100.0, "asleep at the end");
    mote_world_destroy(world);
}

static void bad_shapes_are_refused(void **unused)
{
    (void)unused;
    mote_world *world = test_world(NULL);
    mote_shape_def good = mote_default_shape_def(), bad;
#define REFUSED(change, word)                                                                                  \
    do {                                                                                                       \
        bad = good;                                                                                            \
        change;                                                                                                \
        check_true(mote_is_null(mote_shape_add(world, &bad)), "%s", #change);                                  \
        check_true(strstr(mote_last_error(), word) != NULL, "%s says: %s", #change, mote_last_error());        \
    } while (0)
    REFUSED(bad.radius = 0, "shape.radius");
    REFUSED(bad.radius = NAN, "shape.radius");
    REFUSED(bad.rotation = ((mote_quat){0, 0, 0, 0}), "shape.rotation");
    REFUSED(bad.position.y = INFINITY, "shape.position");
    REFUSED((bad.type = MOTE_SHAPE_BOX, bad.half_extents.z = -1), "shape.half_extents.z");
    REFUSED((bad.type = MOTE_SHAPE_CAPSULE, bad.half_height = -1), "shape.half_height");
    REFUSED(bad.type = (mote_shape_type)99, "shape.type");
    REFUSED(bad.type = MOTE_SHAPE_GEOMETRY, "shape.geometry");
    REFUSED((bad.type = MOTE_SHAPE_PLANE, bad.inside = true), "shape.inside");
    REFUSED(bad.spin.x = 1e9f, "shape.spin");
    REFUSED(bad.channels = 1000, "shape.channels");
    test_mesh floor = floor_mesh(1, 1);
    mote_mesh view = mesh_view(&floor);
    mote_geometry_id sheet = mote_mesh_add(world, &view);
    must_exist(sheet);
    REFUSED((bad.type = MOTE_SHAPE_GEOMETRY, bad.geometry = sheet, bad.inside = true), "shape.inside");
    check_true(mote_is_null(mote_sdf_add_mesh(world, &view, 0.1f)), "an open mesh has no distance field");
    check_true(strstr(mote_last_error(), "4 open edges") != NULL, "says: %s", mote_last_error());
    good.type = MOTE_SHAPE_GEOMETRY;
    good.geometry = sheet;
    mote_shape_id shape = mote_shape_add(world, &good);
    must_exist(shape);
    check_true(mote_geometry_remove(world, sheet) == MOTE_ERROR_ARGUMENT, "it is in use");
    must(mote_shape_remove(world, shape));
    must(mote_geometry_remove(world, sheet));
    check_true(mote_geometry_remove(world, sheet) == MOTE_ERROR_STALE_HANDLE, "it is gone");
    check_true(mote_shape_move_to(world, shape, vec(0, 0, 0), (mote_quat){0, 0, 0, 1}) ==
                   MOTE_ERROR_STALE_HANDLE,
               "and so is the shape");
    assert_int_equal(mote_shape_count(world), 0);
    assert_int_equal(mote_geometry_count(world), 0);
    mesh_free(&floor);
    mote_world_destroy(world);
}

/* Everything that shapes need memory for, once; false at the first call that fails. */
static bool use_shapes(mote_world *world, void *data, size_t size)
{
    test_mesh box = box_mesh(vec(1, 1, 1));
    mote_mesh view = mesh_view(&box);
    static const float heights[4] = {0, 0.1f, 0, 0};
    mote_geometry_id made[4] = {mote_mesh_add(world, &view),
                                mote_hull_add(world, box.vertices, box.vertex_count),
                                mote_sdf_add_mesh(world, &view, 0.5f),
                                mote_heightfield_add(world, &(mote_heightfield_def){2, 2, 1.0f, heights})};
    mesh_free(&box);
    for (int i = 0; i < 4; i++) {
        mote_shape_def def = mote_default_shape_def();
        def.type = MOTE_SHAPE_GEOMETRY;
        def.geometry = made[i];
        def.spin = vec(i == 0, 0, 0);
        if (mote_is_null(made[i]) || mote_is_null(mote_shape_add(world, &def)))
            return false;
    }
    mote_particle_def particle = mote_default_particle_def();
    particle.position = vec(0, 1.1f, 0);
    mote_particle_id id = mote_particle_add(world, &particle);
    mote_ray ray = {vec(0, 5, 0), vec(0, -1, 0), 10};
    mote_ray_hit hit;
    mote_pick_def pick = mote_default_pick_def();
    pick.particle = id;
    return !mote_is_null(id) && !mote_is_null(mote_pick_add(world, &pick)) &&
           mote_world_step(world, TEST_FRAME) == MOTE_OK &&
           mote_ray_cast(world, &ray, 1, NULL, &hit) == MOTE_OK &&
           (data == NULL || mote_snapshot_restore(world, data, size) == MOTE_OK);
}

/* Whichever call of the allocator fails, the world can be stepped and ended, and nothing is left. */
static void memory_failures_leave_no_trace(void **unused)
{
    (void)unused;
    mote_world *source = zoo(1, MOTE_SIMD_AUTO);
    size_t size = mote_snapshot_size(source);
    void *data = malloc(size);
    assert_non_null(data);
    must(mote_snapshot_take(source, data, size, NULL));
    mote_world_destroy(source);
    bool done = false;
    for (size_t n = 1; !done; n++) {
        test_heap heap = {.fail_at = n};
        mote_world_def def = test_world_def(NULL);
        def.allocator = heap_allocator(&heap);
        mote_world *world;
        if (mote_world_create(&def, &world) == MOTE_OK) {
            done = use_shapes(world, data, size);
            check_true(done || mote_last_result() == MOTE_ERROR_MEMORY, "call %zu says: %s", n,
                       mote_last_error());
            heap.fail_at = 0;
            must(mote_world_step(world, TEST_FRAME));
            mote_world_destroy(world);
        }
        check_true(heap.live_blocks == 0 && heap.wrong_sizes == 0 && heap.overruns == 0,
                   "%zu blocks left after %zu", heap.live_blocks, n);
    }
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(particles_rest_on_top),
        cmocka_unit_test(particles_slide_down_slopes),
        cmocka_unit_test(inner_edges_are_not_felt),
        cmocka_unit_test(inner_edges_are_not_felt_when_fast),
        cmocka_unit_test(moving_shapes_carry),
        cmocka_unit_test(turning_shapes_carry),
        cmocka_unit_test(moving_walls_throw),
        cmocka_unit_test(full_bounces_keep_energy),
        cmocka_unit_test(triggers_report_and_do_not_push),
        cmocka_unit_test(channels_of_shapes),
        cmocka_unit_test(same_bits_for_threads_and_simd),
        cmocka_unit_test(snapshots_hold_everything),
        cmocka_unit_test(remembering_changes_nothing),
        cmocka_unit_test(bad_shapes_are_refused),
        cmocka_unit_test(memory_failures_leave_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
