/* Scenes in use: overrides, key frames, emitters, checkpoints, the hash, and texts that are damaged. */
#include "support.h"

#include "io/scene_math.h"
#include "scenes/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static scene *open_text(const char *text, const scene_request *request, scene_faults *faults)
{
    *faults = (scene_faults){0};
    return scene_open_text(text, strlen(text), "test", ".", request, faults);
}

/* A scene that must be without any fault. */
static scene *must_open(const char *text, const scene_request *request)
{
    scene_faults faults;
    scene *s = open_text(text, request, &faults);
    check_true(s != NULL && faults.count == 0, "%s: %s", faults.count > 0 ? faults.items[0].field : "",
               faults.count > 0 ? faults.items[0].text : text);
    scene_faults_free(&faults);
    return s;
}

/* ---- overrides ------------------------------------------------------------------------------------------ */

#define SMALL_SCENE                                                                                            \
    "{\"mote\": 1, \"materials\": [{\"name\": \"sand\"}], \"shapes\": [{\"type\": \"plane\"}, {\"name\": "     \
    "\"ball\", \"type\": \"sphere\", \"position\": [5, 5, 5]}], \"grains\": [{\"name\": \"g\", \"total\": "    \
    "64, "                                                                                                     \
    "\"material\": \"sand\"}]}"

static const char *const OVERRIDES[] = {
    "solver.substeps=7",
    "gravity[1]=-3",
    "shapes.ball.radius=0.25",
    "shapes[1].position=[1, 2, 3]",
    "materials.sand.static_friction=0.75",
    "title=12",
    "solver.solver=gauss-seidel",
};

static void overrides_are_put_in(void **state)
{
    (void)state;
    const scene_request request = {.overrides = OVERRIDES, .override_count = 7};
    scene *s = must_open(SMALL_SCENE, &request);
    assert_string_equal(s->title, "12");
    mote_world *world;
    must(scene_create(s, 1, MOTE_SIMD_AUTO, &world));
    mote_settings settings = mote_world_settings(world);
    assert_int_equal(settings.substeps, 7);
    assert_int_equal(settings.solver, MOTE_SOLVER_GAUSS_SEIDEL);
    assert_true(settings.gravity.x == 0.0f && settings.gravity.y == -3.0f && settings.gravity.z == 0.0f);
    mote_shape_id ids[2];
    assert_int_equal(mote_shape_list(world, ids, 2), 2);
    mote_shape_def ball;
    must(mote_shape_get(world, ids[1], &ball));
    assert_true(ball.radius == 0.25f && ball.position.x == 1.0f && ball.position.z == 3.0f);
    mote_material_def sand;
    must(mote_material_get(world, mote_material_at(world, 1), &sand));
    assert_true(sand.static_friction == 0.75f);
    mote_world_destroy(world);
    scene_close(s);
}

static void bad_overrides_are_told(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"solver.substep=4", "solver.substep", "unknown field 'substep'; did you mean 'substeps'?"},
        {"solver.substeps=0", "solver.substeps", "must be 1 to 1000, not 0"},
        {"solver.substeps=many", "solver.substeps", "must be a number, not a text"},
        {"shapes[2].radius=1", "shapes[2].radius", "there are only 2 shapes"},
        {"shapes.bal.radius=1", "shapes.bal.radius",
         "there is none of the name 'bal' among the shapes; did you mean 'ball'?"},
        {"shapes.tower.radius=1", "shapes.tower.radius", "there is none of the name 'tower' among the shapes"},
        {"shapes[x].radius=1", "shapes[x].radius", "a number and ']' are expected"},
        {"shapes[0]=1", "shapes[0]", "'.' and a field are expected"},
        {"solver", "solver", "no override"},
        {"=3", "", "a field's name is expected"},
        {"gravity[3]=1", "gravity[3]", "has no such item"},
        {"gravity.x=1", "gravity.x", "'=' is expected"},
        {"shapes.ball.half_extents=[1,1,1]", "shapes[1].half_extents", "does not belong to the type 'sphere'"},
        {"title.x=1", "title.x", "'=' is expected"},
        {"materials.sand.name=wood", "grains[0].material", "there is no material 'sand'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const scene_request request = {.overrides = &cases[i][0], .override_count = 1};
        scene_faults faults;
        scene *s = open_text(SMALL_SCENE, &request, &faults);
        check_true(s == NULL && faults.count == 1 && strcmp(faults.items[0].field, cases[i][1]) == 0 &&
                       strstr(faults.items[0].text, cases[i][2]) != NULL,
                   "%s: %zu faults, the first: %s: %s", cases[i][0], faults.count,
                   faults.count > 0 ? faults.items[0].field : "", faults.count > 0 ? faults.items[0].text : "");
        scene_faults_free(&faults);
    }
}

static void only_what_scales_scales(void **state)
{
    (void)state;
    scene *s = must_open(SMALL_SCENE, &(scene_request){.particles = 1000});
    assert_int_equal(s->particles, 1000);
    scene_close(s);
    scene_faults faults;
    s = open_text("{\"mote\": 1, \"grains\": [{\"count\": [1, 1, 1]}]}", &(scene_request){.particles = 9},
                  &faults);
    check_true(s == NULL && faults.count == 1 && strstr(faults.items[0].text, "fixed") != NULL,
               "a fixed number is told");
    scene_faults_free(&faults);
}

/* ---- motion --------------------------------------------------------------------------------------------- */

static double turn_of(mote_quat q)
{
    return 2.0 * atan2(sqrt((double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z), fabs((double)q.w)) *
           180.0 / TEST_PI;
}

static void rotations_are_even(void **state)
{
    (void)state;
    mote_quat none = {0, 0, 0, 1}, quarter = scene_turn(vec(0, 0, 2), 90.0);
    check_near(quarter.z, sqrt(0.5), 1e-7, "z of a quarter turn");
    check_near(quarter.w, sqrt(0.5), 1e-7, "w of a quarter turn");
    mote_vec3 turned = scene_rotate(quarter, vec(1, 0, 5));
    check_near(distance_of(turned, vec(0, 1, 5)), 0.0, 1e-6, "x becomes y");
    for (int i = 0; i <= 10; i++)
        check_near(turn_of(scene_slerp(none, quarter, 0.1 * i)), 9.0 * i, 1e-4, "degrees after %d tenths", i);
    for (int i = 0; i < 100; i++) {
        double x, y;
        scene_circle(0.07 * i - 2.0, &x, &y);
        check_near(x, cos(2.0 * TEST_PI * (0.07 * i - 2.0)), 1e-14, "cosine");
        check_near(y, sin(2.0 * TEST_PI * (0.07 * i - 2.0)), 1e-14, "sine");
    }
}

#define MOVED                                                                                                  \
    "{\"mote\": 1, \"dt\": 0.1, \"gravity\": [0, 0, 0], \"shapes\": [{\"type\": \"box\", \"position\": [0, "   \
    "5, 0],"                                                                                                   \
    " \"motion\": {\"loop\": %s, \"keys\": [{\"time\": 1, \"rotation\": {\"axis\": [0, 1, 0], \"degrees\": "   \
    "0}},"                                                                                                     \
    " {\"time\": 3, \"position\": [4, 5, 0], \"rotation\": {\"axis\": [0, 1, 0], \"degrees\": 720}}]}}],"      \
    " \"particles\": [{\"position\": [100, 0, 0]}]}"

static mote_shape_def shape_after(scene *s, uint32_t frames)
{
    mote_world *world;
    must(scene_create(s, 1, MOTE_SIMD_AUTO, &world));
    for (uint32_t frame = 0; frame < frames; frame++) {
        must(scene_before_frame(s, world, frame));
        must(mote_world_step(world, s->dt));
    }
    mote_shape_id id;
    mote_shape_list(world, &id, 1);
    mote_shape_def def;
    must(mote_shape_get(world, id, &def));
    mote_world_destroy(world);
    return def;
}

static void shapes_follow_their_keys(void **state)
{
    (void)state;
    char text[1024];
    snprintf(text, sizeof text, MOVED, "false");
    scene *s = must_open(text, NULL);
    check_near(shape_after(s, 5).position.x, 0.0, 1e-5, "it waits for the first key");
    check_near(shape_after(s, 20).position.x, 2.0, 1e-4, "half way");
    check_near(shape_after(s, 40).position.x, 4.0, 1e-4, "it stays behind the last key");
    check_near(turn_of(shape_after(s, 15).rotation), 180.0, 0.05, "a quarter of two turns");
    scene_close(s);
    snprintf(text, sizeof text, MOVED, "true");
    s = must_open(text, NULL);
    check_near(shape_after(s, 35).position.x, 1.0, 1e-3, "it begins again");
    scene_close(s);
}

/* ---- emitters ------------------------------------------------------------------------------------------- */

#define FOUNTAIN                                                                                               \
    "{\"mote\": 1, \"dt\": 0.1, \"gravity\": [0, 0, 0], \"emitters\": [{\"position\": [0, 0, 0], "             \
    "\"direction\": [0, "                                                                                      \
    "0, 2], \"speed\": 4, \"rate\": 5, \"start\": 0.5, \"end\": 2.5, \"nozzle\": 0.3%s}]}"

/* 5 a second for 2 seconds are 10; each moves on at 4 m/s from where it was emitted. */
static void emitters_keep_their_rate(void **state)
{
    (void)state;
    char text[1024];
    snprintf(text, sizeof text, FOUNTAIN, "");
    scene *s = must_open(text, NULL);
    mote_world *world;
    must(scene_create(s, 1, MOTE_SIMD_AUTO, &world));
    for (uint32_t frame = 0; frame < 40; frame++) {
        must(scene_before_frame(s, world, frame));
        must(mote_world_step(world, s->dt));
        double time = frame * 0.1 + 1e-6;
        double expected = time < 0.5 ? 0.0 : floor((fmin(time, 2.49) - 0.5) * 5.0) + 1.0;
        check_near((double)mote_particle_count(world), expected, 0.0, "emitted after frame %u", frame);
    }
    mote_particles_view view = mote_particles_get_view(world);
    for (size_t i = 0; i < view.count; i++) {
        double age = 4.0 - (0.5 + view.id[i].index * 0.2);
        check_near(view.position[i].z, 4.0 * age, 1e-4, "particle %u has gone", view.id[i].index);
        check_below(hypot(view.position[i].x, view.position[i].y), 0.3001, "it began on the nozzle");
    }
    mote_world_destroy(world);
    scene_close(s);
    snprintf(text, sizeof text, FOUNTAIN, ", \"limit\": 3");
    s = must_open(text, NULL);
    assert_int_equal(s->particles, 3);
    scene_close(s);
}

/* A world that is restored from a snapshot goes on with the same bits. */
static void resumed_runs_are_the_same(void **state)
{
    (void)state;
    uint64_t hashes[2];
    for (int resumed = 0; resumed < 2; resumed++) {
        scene_faults faults = {0};
        scene *s = scene_open("rain", NULL, &faults);
        assert_non_null(s);
        mote_world *world;
        must(scene_create(s, 1, MOTE_SIMD_AUTO, &world));
        for (uint32_t frame = 0; frame < 20; frame++) {
            if (resumed == 1 && frame == 10) {
                size_t size = mote_snapshot_size(world);
                void *snapshot = malloc(size);
                must(mote_snapshot_take(world, snapshot, size, NULL));
                mote_world_destroy(world);
                scene_close(s);
                s = scene_open("rain", NULL, &faults);
                must(scene_create(s, 1, MOTE_SIMD_AUTO, &world));
                must(mote_snapshot_restore(world, snapshot, size));
                free(snapshot);
            }
            must(scene_before_frame(s, world, frame));
            must(mote_world_step(world, s->dt));
        }
        hashes[resumed] = mote_world_hash(world);
        mote_world_destroy(world);
        scene_close(s);
        scene_faults_free(&faults);
    }
    assert_true(hashes[0] == hashes[1]);
}

/* ---- hash ----------------------------------------------------------------------------------------------- */

static uint64_t hash_with(const char *override, uint32_t particles)
{
    const scene_request request = {particles, &override, override != NULL ? 1 : 0};
    scene *s = must_open(SMALL_SCENE, &request);
    uint64_t hash = scene_hash(s);
    scene_close(s);
    return hash;
}

static void the_hash_sees_what_decides_the_run(void **state)
{
    (void)state;
    uint64_t plain = hash_with(NULL, 0);
    assert_true(hash_with(NULL, 0) == plain);
    assert_true(hash_with("title=other", 0) == plain);
    assert_true(hash_with("frames=7", 0) == plain);
    assert_true(hash_with("solver.substeps=5", 0) != plain);
    assert_true(hash_with("shapes.ball.radius=0.6", 0) != plain);
    assert_true(hash_with(NULL, 500) != plain);
}

/* ---- damage --------------------------------------------------------------------------------------------- */

/* Bytes of a scene are changed, left out and repeated. Whatever comes of it: either there is a scene or there
 * is an error, and neither crashes nor leaks. */
static void damaged_texts_do_no_harm(void **state)
{
    (void)state;
    char texts[3][1024];
    snprintf(texts[0], sizeof texts[0], "%s", SMALL_SCENE);
    snprintf(texts[1], sizeof texts[1], MOVED, "true");
    snprintf(texts[2], sizeof texts[2], FOUNTAIN, ", \"limit\": 9");
    static const char junk[] = "{}[],:\"0123456789.eE-+tfn\\ \n\xff";
    uint64_t random = 5;
    int opened = 0, refused = 0;
    for (int round = 0; round < TEST_BY_BUILD(6000, 3000, 500); round++) {
        char text[2048];
        snprintf(text, sizeof text, "%s", texts[round % 3]);
        int changes = 1 + (int)random_between(&random, 0, 3);
        for (int i = 0; i < changes; i++) {
            size_t length = strlen(text), at = (size_t)random_between(&random, 0, (float)length);
            float kind = random_between(&random, 0, 3);
            if (kind < 1)
                text[at] = junk[(size_t)random_between(&random, 0, sizeof junk - 1)];
            else if (kind < 2)
                memmove(text + at, text + at + 1, length - at);
            else
                memmove(text + at + 1, text + at, length - at + 1);
        }
        scene_faults faults;
        scene *s = open_text(text, NULL, &faults);
        assert_true((s == NULL) == (faults.errors > 0));
        opened += s != NULL;
        refused += s == NULL;
        scene_close(s);
        scene_faults_free(&faults);
    }
    check_true(opened > 10 && refused > 10, "%d scenes, %d refused", opened, refused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overrides_are_put_in),      cmocka_unit_test(bad_overrides_are_told),
        cmocka_unit_test(only_what_scales_scales),   cmocka_unit_test(rotations_are_even),
        cmocka_unit_test(shapes_follow_their_keys),  cmocka_unit_test(emitters_keep_their_rate),
        cmocka_unit_test(resumed_runs_are_the_same), cmocka_unit_test(the_hash_sees_what_decides_the_run),
        cmocka_unit_test(damaged_texts_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
