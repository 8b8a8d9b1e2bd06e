/* Triangle meshes as colliders: what is kept of them, distances, signs and crossings, against closed forms and
 * against looking at every triangle. */
#include "mesh_models.h"

#include "collide/collide.h"

#include <math.h>
#include <string.h>

static mt_mesh *make(void)
{
    mote_mesh source = model_source();
    mt_mesh *mesh = mt_mesh_make(&memory, &source);
    check_true(mesh != NULL, "the mesh is made: %s", mote_last_error());
    return mesh;
}

/* ---- distances ------------------------------------------------------------------------------------------ */

static void compare_distances(const char *name, uint32_t points, float half)
{
    mt_mesh *mesh = make();
    mote_mesh kept = mt_mesh_source(mesh);
    uint64_t seed = 11;
    for (uint32_t i = 0; i < points; i++) {
        mote_vec3 x = random_point(&seed, half);
        truth expected = truth_of(&kept, x);
        double tolerance = 1e-6 * (1 + expected.distance);
        check_near(mt_mesh_distance(mesh, x, INFINITY), expected.distance, tolerance, "%s: distance", name);
        float most = (float)expected.distance * 0.999f;
        check_near(mt_mesh_distance(mesh, x, most), most, 0, "%s: nothing nearer than `most`", name);
        double sign = expected.winding > 0.5 ? -1 : 1;
        check_near(mt_mesh_signed_distance(mesh, x), sign * expected.distance, tolerance,
                   "%s: signed distance of (%g, %g, %g)", name, (double)x.x, (double)x.y, (double)x.z);
    }
    mt_mesh_free(mesh, &memory);
}

static void distances(void **state)
{
    (void)state;
    build_torus(36, 18, 0.4f);
    compare_distances("torus", 2000, 1.8f);
    build_sphere(30, 15);
    compare_distances("sphere", 1500, 1.5f);
    build_cube(3);
    compare_distances("cube", 5000, 1.8f);
    build_star();
    compare_distances("star", 5000, 3.5f);
    compare_distances("star, far", 500, 300.0f);
}

/* Fine meshes against the forms that they stand for: the chords of n sides lie within 1 - cos(pi/n) of the
 * radius. */
static void closed_forms(void **state)
{
    (void)state;
    uint64_t seed = 3;
    build_torus(200, 100, 0.4f);
    mt_mesh *mesh = make();
    for (int i = 0; i < 5000; i++) {
        mote_vec3 x = random_point(&seed, 1.8f);
        double ring = hypot((double)x.x, (double)x.z) - 1, exact = hypot(ring, (double)x.y) - 0.4;
        double chord = 1.4 * (1 - cos(TEST_PI / 200)) + 0.4 * (1 - cos(TEST_PI / 100));
        check_near(mt_mesh_signed_distance(mesh, x), exact, chord + 1e-6, "torus");
    }
    mt_mesh_free(mesh, &memory);
    build_cube(7);
    mesh = make();
    for (int i = 0; i < 20000; i++) {
        mote_vec3 x = random_point(&seed, 1.8f);
        double ax = fabs((double)x.x) - 1, ay = fabs((double)x.y) - 1, az = fabs((double)x.z) - 1;
        double out = sqrt(pow(fmax(ax, 0), 2) + pow(fmax(ay, 0), 2) + pow(fmax(az, 0), 2));
        check_near(mt_mesh_signed_distance(mesh, x), out + fmin(fmax(ax, fmax(ay, az)), 0), 1e-6, "cube");
    }
    mt_mesh_free(mesh, &memory);
}

/* ---- crossings ------------------------------------------------------------------------------------------ */

/* The point of the way is on the surface, and the normal looks back. */
static void check_crossing(const mt_mesh *mesh, mote_vec3 from, mote_vec3 to, const mt_crossing *crossing)
{
    mote_vec3 at = vec(from.x + crossing->part * (to.x - from.x), from.y + crossing->part * (to.y - from.y),
                       from.z + crossing->part * (to.z - from.z));
    check_below(mt_mesh_distance(mesh, at, INFINITY), 2e-6, "distance of the crossing to the surface");
    check_near(length_of(crossing->normal), 1, 1e-6, "length of the normal");
    check_below(wide_dot(wide_from(vec(0, 0, 0), crossing->normal), wide_from(from, to)), 0.0,
                "the normal looks to where the way comes from");
}

static void torus_is_tight(void **state)
{
    (void)state;
    build_torus(100, 100, 0.4f);
    mt_mesh *mesh = make();
    uint64_t seed = 17;
    const int count = TEST_BY_BUILD(120000, 40000, 4000);
    for (int i = 0; i < count; i++) {
        mote_vec3 in, out;
        do
            in = random_point(&seed, 1.4f);
        while (hypot(hypot((double)in.x, (double)in.z) - 1, (double)in.y) > 0.397);
        do
            out = random_point(&seed, 2);
        while (hypot(hypot((double)out.x, (double)out.z) - 1, (double)out.y) < 0.4001);
        mt_crossing crossing;
        check_true(mt_mesh_cross(mesh, in, out, &crossing), "out of the torus, way %d", i);
        if (i % 64 == 0)
            check_crossing(mesh, in, out, &crossing);
        check_true(mt_mesh_cross(mesh, out, in, &crossing), "into the torus, way %d", i);
    }
    mt_mesh_free(mesh, &memory);
}

static mote_vec3 lattice_point(uint64_t *seed, int half, float spacing)
{
    float x = floorf(random_between(seed, (float)-half, (float)half + 1));
    float y = floorf(random_between(seed, (float)-half, (float)half + 1));
    float z = floorf(random_between(seed, (float)-half, (float)half + 1));
    return vec(x * spacing, y * spacing, z * spacing);
}

static float largest(mote_vec3 a)
{
    return fmaxf(fabsf(a.x), fmaxf(fabsf(a.y), fabsf(a.z)));
}

/* Ways between points of the lattice that the cube's vertices lie on: they run through its edges, its vertices
 * and along its faces. */
static void cube_is_tight(void **state)
{
    (void)state;
    build_cube(4);
    mt_mesh *mesh = make();
    uint64_t seed = 23;
    const int count = TEST_BY_BUILD(800000, 100000, 10000);
    int through = 0;
    for (int i = 0; i < count; i++) {
        mote_vec3 from = lattice_point(&seed, 6, 0.25f), to = lattice_point(&seed, 6, 0.25f);
        bool starts_in = largest(from) < 1, ends_in = largest(to) < 1;
        mt_crossing crossing;
        bool crosses = mt_mesh_cross(mesh, from, to, &crossing);
        /* A point on the surface is outside: the sides look outwards, and 0 is their side. */
        if (starts_in != ends_in)
            check_true(crosses, "way %d from (%g, %g, %g) to (%g, %g, %g)", i, (double)from.x, (double)from.y,
                       (double)from.z, (double)to.x, (double)to.y, (double)to.z);
        if (starts_in && ends_in)
            check_true(!crosses, "way %d stays inside", i);
        through += crosses;
    }
    check_above(through, count / 4, "ways through the surface");
    mt_mesh_free(mesh, &memory);
}

/* A point jumps at random and goes wherever no crossing is found. However long the chain, it never gets to the
 * other side, though many of its places lie exactly on faces, edges and vertices. */
static void chains_are_tight(void **state)
{
    (void)state;
    const int count = TEST_BY_BUILD(100000, 30000, 3000);
    for (uint32_t cells = 1; cells <= 4; cells += 3)
        for (int inside = 0; inside < 2; inside++) {
            build_cube(cells);
            mt_mesh *mesh = make();
            uint64_t seed = 29;
            mote_vec3 at = inside ? vec(0, 0, 0) : vec(1.5f, 0, 0);
            int moves = 0;
            for (int i = 0; i < count; i++) {
                mote_vec3 to = i % 3 == 0 ? random_point(&seed, 1.6f) : lattice_point(&seed, 6, 0.25f);
                mt_crossing crossing;
                if (mt_mesh_cross(mesh, at, to, &crossing))
                    continue;
                at = to;
                moves++;
                check_true(inside ? largest(at) < 1 : largest(at) >= 1, "jump %d led to (%g, %g, %g)", i,
                           (double)at.x, (double)at.y, (double)at.z);
            }
            check_above(moves, count / 20, "jumps that were free");
            mt_mesh_free(mesh, &memory);
        }
}

/* Many short jumps among spikes; a jump that would cross goes up to the surface instead, as near as floats can
 * say, if that is free. So most of the chain is spent within rounding of faces, edges and vertices. */
static void spikes_are_tight(void **state)
{
    (void)state;
    build_star();
    mt_mesh *mesh = make();
    mote_mesh kept = mt_mesh_source(mesh);
    uint64_t seed = 53;
    const int count = TEST_BY_BUILD(200000, 40000, 4000);
    for (int inside = 0; inside < 2; inside++) {
        mote_vec3 at = inside ? vec(0, 0, 0) : vec(3, 3, 3);
        int stopped = 0, checked = 0;
        for (int i = 0; i < count; i++) {
            mote_vec3 step = random_point(&seed, i % 2 ? 1.0f : 0.05f);
            mote_vec3 to = vec(at.x + step.x, at.y + step.y, at.z + step.z);
            if (largest(to) > 3)
                continue;
            mt_crossing crossing;
            if (mt_mesh_cross(mesh, at, to, &crossing)) {
                stopped++;
                float part = crossing.part;
                to = vec(at.x + part * step.x, at.y + part * step.y, at.z + part * step.z);
                if (mt_mesh_cross(mesh, at, to, &crossing))
                    continue;
            }
            at = to;
            if (i % 16 != 0)
                continue;
            truth now = truth_of(&kept, at);
            checked += now.distance > 1e-6;
            if (now.distance > 1e-6)
                check_near(now.winding, inside, 1e-6, "jump %d led to (%g, %g, %g)", i, (double)at.x,
                           (double)at.y, (double)at.z);
        }
        check_above(stopped, count / 20, "jumps that were stopped");
        check_above(checked, count / 64, "places that were looked at");
    }
    mt_mesh_free(mesh, &memory);
}

/* Ways exactly through the middle of an edge or through a vertex, after 1/49 of their length, which is not a
 * number that doubles have: rounding decides on which side of the edge they pass. */
static void edges_are_tight(void **state)
{
    (void)state;
    build_star();
    mt_mesh *mesh = make();
    mote_mesh kept = mt_mesh_source(mesh);
    uint64_t seed = 59;
    const int count = TEST_BY_BUILD(20000, 8000, 1000);
    int through = 0;
    for (int i = 0; i < count; i++) {
        const uint32_t *corner = &kept.triangles[3 * ((size_t)i % kept.triangle_count)];
        mote_vec3 a = kept.vertices[corner[i % 3]], b = kept.vertices[corner[(i + i % 2) % 3]];
        mote_vec3 middle = vec((a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2);
        mote_vec3 step = random_point(&seed, i % 5 == 0 ? 0.04f : 0.01f);
        const float fine = 1 << 20;
        step = vec(roundf(step.x * fine) / fine, roundf(step.y * fine) / fine, roundf(step.z * fine) / fine);
        mote_vec3 from = vec(middle.x - step.x, middle.y - step.y, middle.z - step.z);
        mote_vec3 to = vec(middle.x + 48 * step.x, middle.y + 48 * step.y, middle.z + 48 * step.z);
        truth start = truth_of(&kept, from), end = truth_of(&kept, to);
        if (start.distance < 1e-6 || end.distance < 1e-6 || (start.winding > 0.5) == (end.winding > 0.5))
            continue;
        through++;
        mt_crossing crossing;
        check_true(mt_mesh_cross(mesh, from, to, &crossing), "way %d from (%.9g, %.9g, %.9g)", i,
                   (double)from.x, (double)from.y, (double)from.z);
        check_crossing(mesh, from, to, &crossing);
    }
    check_above(through, count / 10, "ways from one side to the other");
    mt_mesh_free(mesh, &memory);
}

/* Outside of a convex form: no crossing exactly where the way misses it. */
static void sphere_is_missed(void **state)
{
    (void)state;
    build_sphere(60, 30);
    mt_mesh *mesh = make();
    uint64_t seed = 31;
    int missed = 0, met = 0;
    for (int i = 0; i < 100000; i++) {
        mote_vec3 from = random_point(&seed, 3), to = random_point(&seed, 3);
        if (length_of(from) < 1.001 || length_of(to) < 1.001)
            continue;
        double nearest = sqrt(segment_square(wide_from(vec(0, 0, 0), from), wide_from(vec(0, 0, 0), to)));
        mt_crossing crossing;
        bool crosses = mt_mesh_cross(mesh, from, to, &crossing);
        if (nearest > 1.00001)
            check_true(!crosses, "way %d passes at %g", i, nearest);
        if (nearest < cos(TEST_PI / 30) * cos(TEST_PI / 60) - 0.001) {
            check_true(crosses, "way %d goes through at %g", i, nearest);
            check_crossing(mesh, from, to, &crossing);
        }
        missed += !crosses;
        met += crosses;
    }
    check_above(missed, 1000, "ways that miss");
    check_above(met, 1000, "ways that meet");
    mt_mesh_free(mesh, &memory);
}

/* The first of several walls, from either side; ways that end on a wall are on the side of its normal. */
static void first_wall(void **state)
{
    (void)state;
    model_clear();
    for (int i = 0; i < 100; i++) {
        float x = (float)(99 - i); /* the last in the list is met first */
        uint32_t a = model_vertex(vec(x, -1, -1)), b = model_vertex(vec(x, 3, -1)),
                 c = model_vertex(vec(x, -1, 3));
        model_triangle(a, b, c); /* looks to +x */
    }
    mt_mesh *mesh = make();
    mt_crossing crossing;
    check_true(mt_mesh_cross(mesh, vec(-1, 0, 0), vec(199, 0, 0), &crossing), "through all");
    check_near(crossing.part, 1.0 / 200, 1e-9, "part of the way");
    check_near(crossing.normal.x, -1, 0, "normal");
    check_true(mt_mesh_cross(mesh, vec(199, 0, 0), vec(-1, 0, 0), &crossing), "back");
    check_near(crossing.part, 0.5, 0, "part of the way back");
    check_near(crossing.normal.x, 1, 0, "normal on the way back");
    check_true(!mt_mesh_cross(mesh, vec(0.25f, 0, 0), vec(0.75f, 0.5f, 0), &crossing), "between two walls");
    check_true(!mt_mesh_cross(mesh, vec(0.5f, 0, 0), vec(0, 0, 0), &crossing), "onto a wall from its side");
    check_true(mt_mesh_cross(mesh, vec(0, 0, 0), vec(-0.5f, 0, 0), &crossing), "from the wall through it");
    check_near(crossing.part, 0, 0, "at once");
    check_true(mt_mesh_cross(mesh, vec(-0.5f, 0, 0), vec(0, 0, 0), &crossing), "onto the wall from behind");
    check_near(crossing.part, 1, 0, "at the end");
    check_true(!mt_mesh_cross(mesh, vec(-1, 2, 2), vec(99, 2, 2), &crossing), "beside the walls");
    check_true(!mt_mesh_cross(mesh, vec(0, 0, 0), vec(0, 0, 0), &crossing), "no way at all");
    mt_mesh_free(mesh, &memory);
}

/* ---- making --------------------------------------------------------------------------------------------- */

static void what_is_kept(void **state)
{
    (void)state;
    const mote_vec3 vertices[] = {{9, 9, 9}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0},   {-0.0f, -0.0f, 0},
                                  {1, 1, 0}, {2, 2, 0}, {0, 1, 0}, {0.5f, 0, 0}};
    const uint32_t triangles[] = {1, 2, 3, 1, 5, 6, 2, 2, 3, 4, 1, 2, 2, 5, 7, 4, 8, 2};
    mote_mesh source = {vertices, 9, triangles, 6};
    mt_mesh *mesh = mt_mesh_make(&memory, &source);
    assert_non_null(mesh);
    mote_mesh kept = mt_mesh_source(mesh);
    const mote_vec3 expected_vertices[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    const uint32_t expected_triangles[] = {0, 1, 2, 1, 3, 2};
    assert_int_equal(kept.vertex_count, 4);
    assert_int_equal(kept.triangle_count, 2);
    assert_memory_equal(kept.vertices, expected_vertices, sizeof expected_vertices);
    assert_memory_equal(kept.triangles, expected_triangles, sizeof expected_triangles);
    mt_mesh *again = mt_mesh_make(&memory, &kept);
    mote_mesh same = mt_mesh_source(again);
    assert_int_equal(same.vertex_count, 4);
    assert_memory_equal(same.vertices, kept.vertices, sizeof expected_vertices);
    assert_memory_equal(same.triangles, kept.triangles, sizeof expected_triangles);
    mt_box box = mt_mesh_bounds(mesh);
    check_near(distance_of(box.min, vec(0, 0, 0)) + distance_of(box.max, vec(1, 1, 0)), 0, 0, "box");
    mt_mesh_free(again, &memory);
    mt_mesh_free(mesh, &memory);
}

static void nothing_to_keep(void **state)
{
    (void)state;
    const mote_vec3 vertices[] = {{0, 0, 0}, {1, 1, 1}, {3, 3, 3}, {0.1f, 0.1f, 0.1f}};
    const uint32_t triangles[] = {0, 1, 2, 0, 0, 1, 2, 2, 2, 0, 3, 1};
    mote_mesh source = {vertices, 4, triangles, 4};
    assert_null(mt_mesh_make(&memory, &source));
    assert_int_equal(mote_last_result(), MOTE_ERROR_MESH);
    check_true(strstr(mote_last_error(), "4 triangles") != NULL, "the error counts: %s", mote_last_error());
    check_true(memory.held == 0, "%zu bytes are still held", memory.held);
}

static void no_memory(void **state)
{
    (void)state;
    build_cube(3);
    mote_mesh source = model_source();
    test_heap heap = {.fill = 0xAB};
    mt_memory counted = mt_memory_make(heap_allocator(&heap));
    mt_mesh *mesh = NULL;
    size_t failures = 0;
    for (size_t at = 1; mesh == NULL; at++) {
        heap.calls = 0;
        heap.fail_at = at;
        mesh = mt_mesh_make(&counted, &source);
        if (mesh == NULL) {
            failures++;
            assert_int_equal(mote_last_result(), MOTE_ERROR_MEMORY);
            check_true(heap.live_blocks == 0 && counted.held == 0, "%zu blocks leak at call %zu",
                       heap.live_blocks, at);
        }
    }
    check_above((double)failures, 5, "calls that can fail");
    mt_mesh_free(mesh, &counted);
    mt_mesh_free(NULL, &counted);
    check_true(heap.live_blocks == 0 && heap.overruns == 0 && heap.wrong_sizes == 0, "all is given back");
}

int main(void)
{
    memory = mt_memory_make((mote_allocator){0});
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(distances, nothing_leaks),
        cmocka_unit_test_teardown(closed_forms, nothing_leaks),
        cmocka_unit_test_teardown(torus_is_tight, nothing_leaks),
        cmocka_unit_test_teardown(cube_is_tight, nothing_leaks),
        cmocka_unit_test_teardown(chains_are_tight, nothing_leaks),
        cmocka_unit_test_teardown(spikes_are_tight, nothing_leaks),
        cmocka_unit_test_teardown(edges_are_tight, nothing_leaks),
        cmocka_unit_test_teardown(sphere_is_missed, nothing_leaks),
        cmocka_unit_test_teardown(first_wall, nothing_leaks),
        cmocka_unit_test_teardown(what_is_kept, nothing_leaks),
        cmocka_unit_test_teardown(nothing_to_keep, nothing_leaks),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
