/* Filling meshes with points. */
#include "meshes.h"

#include "world/mesh_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The points of a form; the caller frees them. */
static mote_vec3 *sample(const test_mesh *form, float spacing, mote_sample_method method, size_t *count)
{
    mote_mesh mesh = mesh_view(form);
    mote_sample_def def = mote_default_sample_def();
    def.spacing = spacing;
    def.method = method;
    must(mote_mesh_sample(&mesh, &def, NULL, 0, count));
    mote_vec3 *points = malloc((*count + 1) * sizeof *points);
    points[*count] = vec(7, 7, 7);
    size_t again = 0;
    must(mote_mesh_sample(&mesh, &def, points, *count, &again));
    check_true(again == *count, "the same count twice: %zu and %zu", *count, again);
    check_true(points[*count].x == 7, "nothing is written beyond the capacity");
    return points;
}

static double volume_of(const test_mesh *form, float spacing, mote_sample_method method)
{
    size_t count;
    free(sample(form, spacing, method, &count));
    return (double)count * pow((double)spacing, 3);
}

/* 20 across the smallest extent of each. */
static void volumes(void **state)
{
    (void)state;
    test_mesh sphere = sphere_mesh(vec(3, -2, 1), 1, 48, 96), torus = torus_mesh(2, 0.5, 120, 60);
    test_mesh box = box_between(vec(-1, 0, 2), vec(0.3f, 1, 3.7f));
    for (int method = 0; method < MOTE_SAMPLE_COUNT; method++) {
        mote_sample_method m = (mote_sample_method)method;
        check_near(volume_of(&sphere, 0.1f, m) / (4.0 / 3 * TEST_PI), 1, 0.02, "sphere, method %d", method);
        check_near(volume_of(&torus, 0.05f, m) / (TEST_PI * TEST_PI), 1, 0.02, "torus, method %d", method);
        check_near(volume_of(&box, 0.05f, m) / 2.21, 1, 0.02, "box, method %d", method);
    }
    mesh_free(&sphere);
    mesh_free(&torus);
    mesh_free(&box);
}

/* A box gets exactly its lattice: round(extent / spacing) along each axis, centred, x fastest. */
static void lattice_of_a_box(void **state)
{
    (void)state;
    test_mesh box = box_between(vec(10, 0, -1), vec(11, 0.25f, 1));
    for (int method = 0; method < MOTE_SAMPLE_COUNT; method++) {
        size_t count;
        mote_vec3 *points = sample(&box, 0.3f, (mote_sample_method)method, &count);
        check_true(count == 3 * 1 * 7, "3 x 1 x 7 points, not %zu", count);
        for (size_t i = 0; i < count; i++) {
            check_near((double)points[i].x, 10.5 + 0.3 * ((double)(i % 3) - 1), 1e-6, "x of point %zu", i);
            check_near((double)points[i].y, 0.125, 1e-6, "y of point %zu", i);
            check_near((double)points[i].z, 0.3 * ((double)(i / 3) - 3), 1e-6, "z of point %zu", i);
        }
        free(points);
    }
    mesh_free(&box);
}

/* An octahedron about a lattice point: its corners, edges and axes are all on lattice lines. */
static void through_corners(void **state)
{
    (void)state;
    test_mesh form = empty_mesh(6, 8);
    const mote_vec3 corners[6] = {{4, 0, 0}, {-4, 0, 0}, {0, 4, 0}, {0, -4, 0}, {0, 0, 4}, {0, 0, -4}};
    const uint32_t sides[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
    memcpy(form.vertices, corners, sizeof corners);
    memcpy(form.triangles, sides, sizeof sides);
    for (int odd = 0; odd < 2; odd++) {
        float spacing = odd ? 8.0f / 9 : 1.0f; /* 9 points across, one in the middle; or 8, none */
        size_t count, inside = 0, within = 0;
        free(sample(&form, spacing, MOTE_SAMPLE_PARITY, &count));
        int n = odd ? 9 : 8;
        for (int i = 0; i < n * n * n; i++) {
            double x = fabs(i % n - 0.5 * (n - 1)), y = fabs(i / n % n - 0.5 * (n - 1));
            double z = fabs(i / n / n - 0.5 * (n - 1)), sum = (x + y + z) * (double)spacing;
            inside += sum < 4 - 1e-6;
            within += sum < 4 + 1e-6; /* what is on the surface may count or not */
        }
        check_true(count >= inside && count <= within, "%zu points, between %zu and %zu", count, inside,
                   within);
    }
    mesh_free(&form);
}

static double torus_distance(mote_vec3 x, double large, double small)
{
    double around = sqrt((double)x.x * (double)x.x + (double)x.z * (double)x.z) - large;
    return sqrt(around * around + (double)x.y * (double)x.y) - small;
}

/* Both methods find the same points, but for those on the surface; and these are inside by the closed form. */
static void methods_agree(void **state)
{
    (void)state;
    test_mesh torus = torus_mesh(2, 0.5, 120, 60), loose = loose_mesh(&torus);
    size_t counts[3];
    mote_vec3 *points[3] = {sample(&torus, 0.08f, MOTE_SAMPLE_PARITY, &counts[0]),
                            sample(&torus, 0.08f, MOTE_SAMPLE_SDF, &counts[1]),
                            sample(&loose, 0.08f, MOTE_SAMPLE_PARITY, &counts[2])};
    check_true(counts[0] == counts[1], "%zu and %zu points", counts[0], counts[1]);
    check_true(memcmp(points[0], points[1], counts[0] * sizeof(mote_vec3)) == 0, "the same points");
    check_true(counts[0] == counts[2] && memcmp(points[0], points[2], counts[0] * sizeof(mote_vec3)) == 0,
               "loose triangles too");
    for (size_t i = 0; i < counts[0]; i++)
        check_below(torus_distance(points[0][i], 2, 0.5), 1e-6, "point %zu", i);
    turn_inside_out(&torus);
    for (int method = 0; method < MOTE_SAMPLE_COUNT; method++) {
        size_t count;
        mote_vec3 *same = sample(&torus, 0.08f, (mote_sample_method)method, &count);
        check_true(count == counts[0] && memcmp(points[0], same, count * sizeof *same) == 0,
                   "inside out, method %d", method);
        free(same);
    }
    for (int i = 0; i < 3; i++)
        free(points[i]);
    mesh_free(&torus);
    mesh_free(&loose);
}

/* A box in a box with the other sense: what is between them. */
static void hollow(void **state)
{
    (void)state;
    test_mesh outer = box_between(vec(0, 0, 0), vec(4, 4, 4)), inner = box_between(vec(1, 1, 1), vec(3, 3, 3));
    turn_inside_out(&inner);
    test_mesh both = empty_mesh(16, 24);
    memcpy(both.vertices, outer.vertices, 8 * sizeof(mote_vec3));
    memcpy(both.vertices + 8, inner.vertices, 8 * sizeof(mote_vec3));
    for (int i = 0; i < 36; i++) {
        both.triangles[i] = outer.triangles[i];
        both.triangles[36 + i] = 8 + inner.triangles[i];
    }
    for (int method = 0; method < MOTE_SAMPLE_COUNT; method++)
        check_near(volume_of(&both, 0.25f, (mote_sample_method)method), 56, 1e-9, "hollow box, method %d",
                   method);
    mesh_free(&outer);
    mesh_free(&inner);
    mesh_free(&both);
}

static void check_refused(const mote_mesh *mesh, const mote_sample_def *def, mote_result result,
                          const char *word)
{
    size_t count = 12345;
    mote_result got = mote_mesh_sample(mesh, def, NULL, 0, &count);
    check_true(got == result && strstr(mote_last_error(), word) != NULL, "result %d with '%s' in: %s", (int)got,
               word, mote_last_error());
    check_true(count == 12345, "the count is left alone");
}

static void bad_input(void **state)
{
    (void)state;
    test_mesh box = box_between(vec(0, 0, 0), vec(1, 1, 1));
    mote_mesh good = mesh_view(&box), mesh = good;
    mote_sample_def def = mote_default_sample_def(), bad = def;
    check_true(def.spacing > 0 && def.method == MOTE_SAMPLE_PARITY, "the defaults");
    check_refused(NULL, &def, MOTE_ERROR_ARGUMENT, "mesh is NULL");
    check_refused(&good, NULL, MOTE_ERROR_ARGUMENT, "def is NULL");
    mesh.triangle_count = 11;
    check_refused(&mesh, &def, MOTE_ERROR_MESH, "3 open edges");
    mesh.triangle_count = 1;
    bad.method = MOTE_SAMPLE_SDF;
    check_refused(&mesh, &bad, MOTE_ERROR_MESH, "3 open edges");
    bad = def;
    const float spacings[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        bad.spacing = spacings[i];
        check_refused(&good, &bad, i < 2 ? MOTE_ERROR_ARGUMENT : MOTE_ERROR_NOT_FINITE, "sample.spacing");
    }
    bad.spacing = 1e-3f;
    check_refused(&good, &bad, MOTE_ERROR_LIMIT, "100000000 points");
    bad.spacing = 1e-30f;
    check_refused(&good, &bad, MOTE_ERROR_LIMIT, "1e-30");
    bad = def;
    bad.method = (mote_sample_method)MOTE_SAMPLE_COUNT;
    check_refused(&good, &bad, MOTE_ERROR_ARGUMENT, "sample.method");
    size_t count;
    check_true(mote_mesh_sample(&good, &def, NULL, 1, &count) == MOTE_ERROR_ARGUMENT, "no room for the points");
    check_true(mote_mesh_sample(&good, &def, NULL, 0, NULL) == MOTE_ERROR_ARGUMENT, "no count");
    box.triangles[7] = 8;
    check_refused(&good, &def, MOTE_ERROR_ARGUMENT, "vertex 8");
    mesh_free(&box);
    box = box_between(vec(0, 0, 0), vec(1, 1, 1));
    good = mesh_view(&box);
    uint32_t swap = box.triangles[0];
    box.triangles[0] = box.triangles[1];
    box.triangles[1] = swap;
    check_refused(&good, &def, MOTE_ERROR_MESH, "3 flipped edges");
    mesh_free(&box);
}

static void memory_failure(void **state)
{
    (void)state;
    test_mesh sphere = sphere_mesh(vec(0, 0, 0), 1, 8, 16);
    mote_mesh mesh = mesh_view(&sphere);
    for (int method = 0; method < MOTE_SAMPLE_COUNT; method++) {
        mote_result result = MOTE_ERROR_MEMORY;
        mote_sample_def def = {0.1f, (mote_sample_method)method};
        size_t n = 1;
        for (; result != MOTE_OK && n < 1000; n++) {
            test_heap heap = {.fail_at = n, .fill = 0xA5};
            mt_memory memory = mt_memory_make(heap_allocator(&heap));
            size_t count;
            result = mt_mesh_sample(&memory, &mesh, &def, NULL, 0, &count);
            check_true(result == MOTE_OK || result == MOTE_ERROR_MEMORY, "call %zu fails: %d", n, (int)result);
            check_true(heap.live_blocks == 0 && heap.wrong_sizes == 0 && heap.overruns == 0,
                       "nothing is left after call %zu", n);
        }
        check_true(result == MOTE_OK && n > 7, "it works after %zu calls", n);
    }
    mesh_free(&sphere);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volumes),        cmocka_unit_test(lattice_of_a_box), cmocka_unit_test(through_corners),
        cmocka_unit_test(methods_agree),  cmocka_unit_test(hollow),           cmocka_unit_test(bad_input),
        cmocka_unit_test(memory_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
