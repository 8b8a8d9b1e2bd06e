/* Height fields: planes of contact, crossings and distances, against closed forms and against the mesh of the
 * same triangles. */
#include "mesh_models.h"

#include "collide/collide.h"

#include <math.h>

enum { COLUMNS = 41, ROWS = 33 };

static float heights[COLUMNS * ROWS];

typedef float terrain(double x, double z);

static float level(double x, double z)
{
    (void)x;
    (void)z;
    return 0;
}

static float slope(double x, double z)
{
    return (float)(0.37 * x - 0.2 * z);
}

static float waves(double x, double z)
{
    return (float)(0.8 * sin(0.7 * x) * cos(0.9 * z) + 0.1 * sin(3 * x + z));
}

/* A sheer step: the surface is all but upright there. */
static float cliff(double x, double z)
{
    return waves(x, z) + (x > 5 ? 6.0f : 0);
}

static mt_heightfield *make_field(terrain *form, float spacing)
{
    for (uint32_t j = 0; j < ROWS; j++)
        for (uint32_t i = 0; i < COLUMNS; i++)
            heights[j * COLUMNS + i] = form((double)((float)i * spacing), (double)((float)j * spacing));
    mote_heightfield_def def = {COLUMNS, ROWS, spacing, heights};
    mt_heightfield *field = mt_heightfield_make(&memory, &def);
    assert_non_null(field);
    return field;
}

/* The same triangles as a mesh. */
static mt_mesh *make_mesh(float spacing)
{
    model_clear();
    for (uint32_t j = 0; j < ROWS; j++)
        for (uint32_t i = 0; i < COLUMNS; i++)
            model_vertex(vec((float)i * spacing, heights[j * COLUMNS + i], (float)j * spacing));
    for (uint32_t j = 0; j + 1 < ROWS; j++)
        for (uint32_t i = 0; i + 1 < COLUMNS; i++) {
            uint32_t a = j * COLUMNS + i, b = a + 1, c = a + COLUMNS, d = c + 1;
            model_triangle(a, d, b);
            model_triangle(a, c, d);
        }
    mote_mesh source = model_source();
    mt_mesh *mesh = mt_mesh_make(&memory, &source);
    assert_non_null(mesh);
    return mesh;
}

/* The height of the surface: linear on each half of a cell. */
static double height_at(double x, double z, double spacing)
{
    double u = x / spacing, v = z / spacing;
    uint32_t i = (uint32_t)fmin(floor(u), COLUMNS - 2), j = (uint32_t)fmin(floor(v), ROWS - 2);
    u -= i;
    v -= j;
    const float *at = &heights[j * COLUMNS + i];
    double a = (double)at[0], b = (double)at[1], c = (double)at[COLUMNS], d = (double)at[COLUMNS + 1];
    return u >= v ? a + u * (b - a) + v * (d - b) : a + v * (c - a) + u * (d - c);
}

/* ---- near ----------------------------------------------------------------------------------------------- */

static void level_ground(void **state)
{
    (void)state;
    mt_heightfield *field = make_field(level, 0.5f);
    uint64_t seed = 3;
    mt_near near[MT_MAX_NEAR];
    for (int i = 0; i < 50000; i++) {
        float radius = i % 2 ? 0.1f : 1.2f, step = i % 4 < 2 ? 0.25f : 1.0f / 64;
        mote_vec3 x = vec(random_between(&seed, 2, 18), 0.9f * radius, random_between(&seed, 2, 14));
        if (i % 5 != 0) /* above nodes, edges and diagonals */
            x = vec(floorf(x.x / step) * step, x.y, floorf(x.z / step) * step);
        for (int sign = -1; sign <= 1; sign++) { /* below, on and above the ground */
            x.y = (float)sign * 0.9f * radius;
            uint32_t count = mt_heightfield_near(field, x, 1.1f * radius, near);
            check_true(count == 1, "%u planes at (%g, %g, %g)", count, (double)x.x, (double)x.y, (double)x.z);
            check_near(distance_of(near[0].normal, vec(0, 1, 0)), 0, 0, "normal");
            check_near(near[0].offset, 0, 0, "offset");
        }
    }
    check_true(mt_heightfield_near(field, vec(3, 1, 3), 0.99f, near) == 0, "out of reach");
    check_true(mt_heightfield_near(field, vec(3, -100, 3), 0.5f, near) == 1, "deep in the ground");
    check_near(near[0].normal.y, 1, 0, "the way out of the deep is up");
    check_true(mt_heightfield_near(field, vec(-3, -1, 3), 0.5f, near) == 0, "beside the field");
    check_true(mt_heightfield_near(field, vec(-0.3f, 0.4f, 3.1f), 0.6f, near) == 1, "over the border");
    check_near(distance_of(near[0].normal, vec(-0.6f, 0.8f, 0)), 0, 1e-6, "the border is an edge");
    mt_heightfield_free(field, &memory);
}

static void even_slope(void **state)
{
    (void)state;
    mt_heightfield *field = make_field(slope, 0.5f);
    uint64_t seed = 5;
    double length = sqrt(0.37 * 0.37 + 1 + 0.2 * 0.2);
    mote_vec3 normal = vec((float)(-0.37 / length), (float)(1 / length), (float)(0.2 / length));
    for (int i = 0; i < 30000; i++) {
        float u = random_between(&seed, 2, 18), v = random_between(&seed, 2, 14);
        if (i % 5 != 0) {
            u = floorf(4 * u) / 4;
            v = floorf(4 * v) / 4;
        }
        float height = random_between(&seed, -0.5f, 0.5f);
        mote_vec3 x =
            vec(u + height * normal.x, slope((double)u, (double)v) + height * normal.y, v + height * normal.z);
        mt_near near[MT_MAX_NEAR];
        uint32_t count = mt_heightfield_near(field, x, 0.6f, near);
        check_true(count == 1, "%u planes at (%g, %g), height %g", count, (double)u, (double)v, (double)height);
        check_near(distance_of(near[0].normal, normal), 0, 3e-6, "normal");
        check_near(height_over(near[0].normal, near[0].offset, x), height, 4e-6, "height");
    }
    mt_heightfield_free(field, &memory);
}

/* In the open both feel the same, plane by plane. In the ground the first plane is the one overhead. */
static void same_planes_as_mesh(void **state)
{
    (void)state;
    const float spacing = 0.3f;
    mt_heightfield *field = make_field(waves, spacing);
    mt_mesh *mesh = make_mesh(spacing);
    uint64_t seed = 7;
    uint32_t most = 0;
    for (int i = 0; i < 30000; i++) {
        float x = random_between(&seed, -0.2f, 12.2f), z = random_between(&seed, -0.2f, 9.8f);
        bool over = x >= 0 && x <= 12 && z >= 0 && z <= 9.6f;
        double ground = over ? height_at((double)x, (double)z, (double)spacing) : 0;
        mote_vec3 point = vec(x, (float)ground + random_between(&seed, over ? -0.3f : 0.9f, 1), z);
        mt_near near[MT_MAX_NEAR], expected[MT_MAX_NEAR];
        uint32_t count = mt_heightfield_near(field, point, 0.4f, near);
        if (over && (double)point.y < ground - 1e-5) {
            check_true(count >= 1, "a plane in the ground");
            check_near(height_over(near[0].normal, near[0].offset, vec(x, (float)ground, z)), 0, 2e-6,
                       "the first plane is the one overhead");
            for (uint32_t k = 0; k < count; k++) {
                check_above(near[k].normal.y, 0, "planes look up");
                check_below(height_over(near[k].normal, near[k].offset, point), 1e-6, "the point is below");
            }
        } else if (!over || (double)point.y > ground + 1e-5) {
            uint32_t expected_count = mt_mesh_near(mesh, point, 0.4f, expected);
            check_true(count == expected_count, "%u planes, the mesh has %u, at (%g, %g, %g)", count,
                       expected_count, (double)x, (double)point.y, (double)z);
            for (uint32_t k = 0; k < count; k++) {
                check_near(distance_of(near[k].normal, expected[k].normal), 0, 1e-6, "normal %u", k);
                check_near(near[k].offset, expected[k].offset, 2e-6, "offset %u", k);
            }
            most = count > most ? count : most;
        }
    }
    check_above(most, 1, "planes that some point has");
    mt_mesh_free(mesh, &memory);
    mt_heightfield_free(field, &memory);
}

/* ---- cross ---------------------------------------------------------------------------------------------- */

static void compare_crossings(terrain *form, float spacing, int count)
{
    mt_heightfield *field = make_field(form, spacing);
    mt_mesh *mesh = make_mesh(spacing);
    float width = (float)(COLUMNS - 1) * spacing, depth = (float)(ROWS - 1) * spacing;
    uint64_t seed = 11;
    int met = 0, missed = 0;
    for (int i = 0; i < count; i++) {
        mote_vec3 from = vec(random_between(&seed, 0, width), 0, random_between(&seed, 0, depth));
        mote_vec3 to = vec(random_between(&seed, -1, width + 1), random_between(&seed, -2, 7),
                           random_between(&seed, -1, depth + 1));
        if (i % 3 == 0) { /* short ways, straight down too */
            to.x = i % 2 ? from.x : fminf(from.x + 0.1f, width);
            to.z = from.z;
        }
        if (i % 4 == 0) { /* from node to node */
            from.x = floorf(from.x / spacing) * spacing;
            from.z = floorf(from.z / spacing) * spacing;
            to.x = floorf(to.x / spacing) * spacing;
            to.z = floorf(to.z / spacing) * spacing;
        }
        from.y = (float)height_at((double)from.x, (double)from.z, (double)spacing) +
                 random_between(&seed, 0.001f, 3);
        mt_crossing crossing, expected;
        bool crosses = mt_heightfield_cross(field, from, to, &crossing);
        /* Above ground the first triangle that a way meets is met from above. */
        check_true(crosses == mt_mesh_cross(mesh, from, to, &expected), "way %d", i);
        bool over = to.x >= 0 && to.x <= width && to.z >= 0 && to.z <= depth;
        if (over && (double)to.y < height_at((double)to.x, (double)to.z, (double)spacing) - 1e-5)
            check_true(crosses, "way %d ends in the ground", i);
        met += crosses;
        missed += !crosses;
        if (!crosses)
            continue;
        check_near(crossing.part, expected.part, 1e-6, "part of way %d", i);
        check_above(crossing.normal.y, 0, "the normal looks up");
        if (i % 4 != 0) /* through an edge either of its triangles will do */
            check_near(distance_of(crossing.normal, expected.normal), 0, 1e-6, "normal of way %d", i);
    }
    check_above(met, count / 20, "ways that meet the ground");
    check_above(missed, count / 20, "ways that do not");
    mt_mesh_free(mesh, &memory);
    mt_heightfield_free(field, &memory);
}

static void same_crossings_as_mesh(void **state)
{
    (void)state;
    const int count = TEST_BY_BUILD(100000, 20000, 2000);
    compare_crossings(level, 0.25f, count);
    compare_crossings(slope, 0.25f, count);
    compare_crossings(waves, 0.3f, count);
    compare_crossings(cliff, 0.3f, count);
}

static void only_from_above(void **state)
{
    (void)state;
    mt_heightfield *field = make_field(level, 0.5f);
    mt_crossing crossing;
    check_true(mt_heightfield_cross(field, vec(3, 1, 3), vec(4, -1, 3), &crossing), "from above");
    check_near(crossing.part, 0.5, 0, "half way");
    check_near(distance_of(crossing.normal, vec(0, 1, 0)), 0, 0, "normal");
    check_true(!mt_heightfield_cross(field, vec(3, -1, 3), vec(4, 1, 3), &crossing), "from below");
    check_true(!mt_heightfield_cross(field, vec(3, -1, 3), vec(4, -2, 3), &crossing), "below");
    check_true(!mt_heightfield_cross(field, vec(3, 1, 3), vec(4, 0, 3), &crossing), "onto the ground");
    check_true(mt_heightfield_cross(field, vec(3, 0, 3), vec(3, -1, 3), &crossing), "from the ground down");
    check_near(crossing.part, 0, 0, "at once");
    check_true(!mt_heightfield_cross(field, vec(-1, -0.5f, 3), vec(3, -0.5f, 3), &crossing),
               "in from the side");
    check_true(!mt_heightfield_cross(field, vec(-1, 1, 3), vec(-1, -1, 3), &crossing), "down beside the field");
    check_true(!mt_heightfield_cross(field, vec(-1, 1, 3), vec(0.5f, -8, 3), &crossing), "in below the border");
    check_true(mt_heightfield_cross(field, vec(-1, 1, 3), vec(2, -1, 3), &crossing), "from beside, above");
    check_true(mt_heightfield_cross(field, vec(0, 1, 0), vec(0, -1, 0), &crossing), "at the first node");
    check_true(mt_heightfield_cross(field, vec(20, 1, 16), vec(20, -1, 16), &crossing), "at the last node");
    check_true(mt_heightfield_cross(field, vec(3, 1e5f, 3), vec(4, -1e5f, 5), &crossing), "a long way");
    check_true(!mt_heightfield_cross(field, vec(3, 1, 3), vec(3, 1, 3), &crossing), "no way at all");
    mt_heightfield_free(field, &memory);
}

/* A point jumps at random and goes wherever no crossing is found: it never gets into the ground, though many of
 * its places lie exactly on it. */
static void chains_are_tight(void **state)
{
    (void)state;
    mt_heightfield *field = make_field(level, 0.5f);
    uint64_t seed = 13;
    mote_vec3 at = vec(4, 1, 4);
    int moves = 0;
    for (int i = 0; i < 200000; i++) {
        mote_vec3 to =
            vec(random_between(&seed, 0, 20), random_between(&seed, -1, 1), random_between(&seed, 0, 16));
        if (i % 3 != 0)
            to = vec(floorf(to.x), floorf(to.y * 2) * 0.5f, floorf(to.z));
        mt_crossing crossing;
        if (mt_heightfield_cross(field, at, to, &crossing))
            continue;
        at = to;
        moves++;
        check_true(at.y >= 0, "jump %d led to (%g, %g, %g)", i, (double)at.x, (double)at.y, (double)at.z);
    }
    check_above(moves, 10000, "jumps that were free");
    mt_heightfield_free(field, &memory);
}

/* ---- distance ------------------------------------------------------------------------------------------- */

static void same_distance_as_mesh(void **state)
{
    (void)state;
    const float spacing = 0.3f;
    for (int form = 0; form < 2; form++) {
        mt_heightfield *field = make_field(form == 0 ? waves : cliff, spacing);
        mt_mesh *mesh = make_mesh(spacing);
        uint64_t seed = 17;
        for (int i = 0; i < 5000; i++) {
            float reach = i % 2 ? 1.0f : 30.0f;
            mote_vec3 x = vec(random_between(&seed, -reach, 12 + reach), random_between(&seed, -reach, reach),
                              random_between(&seed, -reach, 9.6f + reach));
            bool over = x.x >= 0 && x.x <= 12 && x.z >= 0 && x.z <= 9.6f;
            double ground = over ? height_at((double)x.x, (double)x.z, (double)spacing) : -1e9;
            double sign = (double)x.y < ground ? -1 : 1;
            double distance = (double)mt_mesh_distance(mesh, x, INFINITY);
            if (distance < 1e-5)
                continue;
            check_near(mt_heightfield_distance(field, x, INFINITY), sign * distance, 1e-6 * (1 + distance),
                       "distance of (%g, %g, %g)", (double)x.x, (double)x.y, (double)x.z);
            float most = (float)distance * 0.99f;
            check_near(mt_heightfield_distance(field, x, most), sign * (double)most, 0, "not within `most`");
        }
        mt_mesh_free(mesh, &memory);
        mt_heightfield_free(field, &memory);
    }
}

/* ---- making --------------------------------------------------------------------------------------------- */

static void what_is_kept(void **state)
{
    (void)state;
    mt_heightfield *field = make_field(slope, 0.5f);
    mote_heightfield_def kept = mt_heightfield_source(field);
    assert_int_equal(kept.columns, COLUMNS);
    assert_int_equal(kept.rows, ROWS);
    check_near(kept.spacing, 0.5, 0, "spacing");
    assert_ptr_not_equal(kept.heights, heights);
    assert_memory_equal(kept.heights, heights, sizeof heights);
    mt_box box = mt_heightfield_bounds(field);
    check_near(distance_of(box.min, vec(0, slope(0, 16), 0)), 0, 0, "low corner of the box");
    check_near(distance_of(box.max, vec(20, slope(20, 0), 16)), 0, 0, "high corner of the box");
    mt_heightfield_free(field, &memory);
}

/* The least field there is: one cell. */
static void one_cell(void **state)
{
    (void)state;
    const float corners[4] = {0, 0, 0, 1};
    mote_heightfield_def def = {2, 2, 2.0f, corners};
    mt_heightfield *field = mt_heightfield_make(&memory, &def);
    assert_non_null(field);
    mt_crossing crossing;
    check_true(mt_heightfield_cross(field, vec(1, 3, 1), vec(1, -1, 1), &crossing), "through the diagonal");
    check_near(crossing.part, 2.5 / 4, 1e-7, "the diagonal rises from 0 to 1");
    check_near(mt_heightfield_distance(field, vec(2, 3, 2), 10), 2, 1e-6, "over the high corner");
    check_near(mt_heightfield_distance(field, vec(-3, 4, 0), 10), 5, 1e-6, "beside the first corner");
    check_near(mt_heightfield_distance(field, vec(0, -1, 0), 10), -1, 1e-6, "below the first corner");
    mt_near near[MT_MAX_NEAR];
    check_true(mt_heightfield_near(field, vec(1.5f, 0.76f, 1.5f), 0.1f, near) == 1, "on the ridge: one edge");
    double length = sqrt(72);
    mote_vec3 ridge = vec((float)(-2 / length), (float)(8 / length), (float)(-2 / length));
    check_near(distance_of(near[0].normal, ridge), 0, 1e-6, "normal of the ridge");
    mt_heightfield_free(field, &memory);
    const float sunk[4] = {0, 0, 0, -1};
    def.heights = sunk;
    field = mt_heightfield_make(&memory, &def);
    assert_non_null(field);
    check_true(mt_heightfield_near(field, vec(1.5f, -0.7f, 1.5f), 0.1f, near) == 2, "in the valley: two faces");
    mt_heightfield_free(field, &memory);
}

static void no_memory(void **state)
{
    (void)state;
    mote_heightfield_def def = {COLUMNS, ROWS, 1.0f, heights};
    for (size_t at = 1; at <= 2; at++) {
        test_heap heap = {.fail_at = at};
        mt_memory counted = mt_memory_make(heap_allocator(&heap));
        assert_null(mt_heightfield_make(&counted, &def));
        assert_int_equal(mote_last_result(), MOTE_ERROR_MEMORY);
        check_true(heap.live_blocks == 0 && counted.held == 0, "nothing leaks");
    }
    mt_heightfield_free(NULL, &memory);
}

int main(void)
{
    memory = mt_memory_make((mote_allocator){0});
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(level_ground, nothing_leaks),
        cmocka_unit_test_teardown(even_slope, nothing_leaks),
        cmocka_unit_test_teardown(same_planes_as_mesh, nothing_leaks),
        cmocka_unit_test_teardown(same_crossings_as_mesh, nothing_leaks),
        cmocka_unit_test_teardown(only_from_above, nothing_leaks),
        cmocka_unit_test_teardown(chains_are_tight, nothing_leaks),
        cmocka_unit_test_teardown(same_distance_as_mesh, nothing_leaks),
        cmocka_unit_test_teardown(what_is_kept, nothing_leaks),
        cmocka_unit_test_teardown(one_cell, nothing_leaks),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
