/* Distance fields: against spheres and boxes, whose distances are known. */
#include "meshes.h"

#include "collide/collide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static mt_memory memory;

/* ---- fields of known forms ------------------------------------------------------------------------------ */

typedef double form(const double x[3]);

#define SPHERE_RADIUS 1.0

static double sphere(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) - SPHERE_RADIUS;
}

/* Half extents 1, 0.5, 0.75. */
static double box(const double x[3])
{
    double q[3] = {fabs(x[0]) - 1, fabs(x[1]) - 0.5, fabs(x[2]) - 0.75}, square = 0;
    for (int k = 0; k < 3; k++)
        square += fmax(q[k], 0) * fmax(q[k], 0);
    return square > 0 ? sqrt(square) : fmax(q[0], fmax(q[1], q[2]));
}

static double slope(const double x[3])
{
    return 0.48 * x[0] + 0.6 * x[1] + 0.64 * x[2] - 0.3;
}

static double at(form *f, mote_vec3 x)
{
    const double wide[3] = {(double)x.x, (double)x.y, (double)x.z};
    return f(wide);
}

static mt_sdf *field_of(form *f, float half, uint32_t side)
{
    mote_sdf_def def = {.origin = vec(-half, -half, -half), .count = {side, side, side}};
    def.cell = 2 * half / (float)(side - 1);
    float *values = malloc((size_t)side * side * side * sizeof *values);
    for (uint32_t i = 0; i < side * side * side; i++)
        values[i] =
            (float)at(f, vec(-half + def.cell * (float)(i % side), -half + def.cell * (float)(i / side % side),
                             -half + def.cell * (float)(i / side / side)));
    def.values = values;
    mt_sdf *sdf = mt_sdf_make(&memory, &def);
    if (sdf == NULL)
        fail_msg("no field: %s", mote_last_error());
    free(values);
    return sdf;
}

static mote_vec3 random_point(uint64_t *seed, float half)
{
    float x = random_between(seed, -half, half), y = random_between(seed, -half, half);
    return vec(x, y, random_between(seed, -half, half));
}

static double plane_distance(mt_near plane, mote_vec3 x)
{
    return (double)plane.normal.x * (double)x.x + (double)plane.normal.y * (double)x.y +
           (double)plane.normal.z * (double)x.z - (double)plane.offset;
}

/* ---- distance and near ---------------------------------------------------------------------------------- */

/* Linear fields are interpolated without error, inside and, along the way out, outside of the grid. */
static void linear_field(void **state)
{
    (void)state;
    mt_sdf *sdf = field_of(slope, 1.5f, 13);
    uint64_t seed = 4;
    mt_near out[MT_MAX_NEAR];
    for (int i = 0; i < 3000; i++) {
        mote_vec3 x = random_point(&seed, 1.5f);
        double exact = at(slope, x);
        check_near((double)mt_sdf_distance(sdf, false, x), exact, 1e-6, "distance");
        check_near((double)mt_sdf_distance(sdf, true, x), -exact, 1e-6, "distance in a container");
        check_true(mt_sdf_near(sdf, false, x, 10, out) == 1, "one plane");
        check_near((double)out[0].normal.x, 0.48, 2e-6, "normal");
        check_near((double)out[0].normal.y, 0.6, 2e-6, "normal");
        check_near((double)out[0].normal.z, 0.64, 2e-6, "normal");
        check_near(plane_distance(out[0], x), exact, 2e-6, "distance to the plane");
        check_true(mt_sdf_near(sdf, true, x, 10, out) == 1, "one plane of the container");
        check_near((double)out[0].normal.y, -0.6, 2e-6, "normal of the container");
        check_near(plane_distance(out[0], x), -exact, 2e-6, "distance to the plane of the container");
        check_true(mt_sdf_near(sdf, false, x, (float)exact - 0.01f, out) == 0, "out of reach");
    }
    mote_vec3 outside = vec(2.5f, 0, 0);
    check_near((double)mt_sdf_distance(sdf, false, outside), 1 + at(slope, vec(1.5f, 0, 0)), 1e-6, "outside");
    check_true(mt_sdf_near(sdf, false, outside, 10, out) == 1, "a plane outside");
    double length =
        sqrt(1 + 0.6 * 0.6 + 0.64 * 0.64); /* 1 m a metre outwards, the grid's slope along its side */
    check_near((double)out[0].normal.x, 1 / length, 1e-6, "normal outside");
    check_near((double)out[0].normal.z, 0.64 / length, 1e-6, "normal outside");
    mt_sdf_free(sdf, &memory);
}

/* The error of interpolation is at most cell^2 / 8 times the sum of the second derivatives: 2 / r here. */
static void sphere_field(void **state)
{
    (void)state;
    mt_sdf *sdf = field_of(sphere, 1.6f, 65);
    double cell = 0.05;
    uint64_t seed = 5;
    mt_near out[MT_MAX_NEAR];
    for (int i = 0; i < 20000; i++) {
        mote_vec3 x = random_point(&seed, 1.6f);
        double r = length_of(x), exact = r - 1;
        if (r < 0.3)
            continue;
        check_near((double)mt_sdf_distance(sdf, false, x), exact, cell * cell / 8 * 3 / r, "distance at r = %g",
                   r);
        check_true(mt_sdf_near(sdf, false, x, 2, out) == 1, "a plane");
        double cosine = ((double)out[0].normal.x * (double)x.x + (double)out[0].normal.y * (double)x.y +
                         (double)out[0].normal.z * (double)x.z) /
                        r;
        check_above(cosine, 1 - pow(cell / r, 2), "direction at r = %g", r);
        check_near(length_of(out[0].normal), 1, 1e-6, "unit normal");
        check_near(plane_distance(out[0], x), (double)mt_sdf_distance(sdf, false, x), 1e-6, "offset");
    }
    for (int i = 0; i < 2000; i++) { /* outside of the grid the distance is an upper bound */
        mote_vec3 x = random_point(&seed, 6);
        double exact = length_of(x) - 1, found = (double)mt_sdf_distance(sdf, false, x);
        check_true(length_of(x) < 0.3 || found > exact - 0.01, "%g is not below %g", found, exact);
        check_below(found, exact + 1.6, "outside");
    }
    check_true(mt_sdf_near(sdf, false, vec(0, 0, 0), 2, out) == 1,
               "the middle, where the field has no direction");
    check_near(length_of(out[0].normal), 1, 1e-6, "unit normal in the middle");
    mt_sdf_free(sdf, &memory);
}

static void flat_field(void **state)
{
    (void)state;
    const float values[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
    const mote_sdf_def def = {vec(0, 0, 0), 1, {2, 2, 2}, values};
    mt_sdf *sdf = mt_sdf_make(&memory, &def);
    mt_near out[MT_MAX_NEAR];
    check_true(mt_sdf_near(sdf, false, vec(0.5f, 0.5f, 0.5f), 0, out) == 1, "one plane");
    check_true(out[0].normal.y == 1 && out[0].offset == 1.5f, "up, 1 m above: %g", (double)out[0].offset);
    mt_crossing crossing;
    check_true(mt_sdf_cross(sdf, false, vec(10, 0.5f, 0.5f), vec(0.5f, 0.5f, 0.5f), &crossing), "an entry");
    check_near(10 - 9.5 * (double)crossing.part, 2, 1e-5, "1 m before the grid's box");
    check_near((double)crossing.normal.x, 1, 1e-6, "against the way");
    mt_sdf_free(sdf, &memory);
}

/* ---- ways ----------------------------------------------------------------------------------------------- */

static mote_vec3 along(mote_vec3 from, mote_vec3 to, float part)
{
    return vec(from.x + part * (to.x - from.x), from.y + part * (to.y - from.y),
               from.z + part * (to.z - from.z));
}

/* Entries and exits are never missed, are on the surface and on its free side, and are the first ones. */
static void check_ways(form *f, uint32_t side, float reach, uint64_t seed)
{
    mt_sdf *sdf = field_of(f, 1.6f, side);
    int entries = 0, exits = 0;
    for (int i = 0; i < 4000; i++) {
        mote_vec3 from = random_point(&seed, i % 2 ? reach : 0.9f), to = random_point(&seed, reach);
        for (int inside = 0; inside < 2; inside++) {
            double start = (double)mt_sdf_distance(sdf, inside, from),
                   end = (double)mt_sdf_distance(sdf, inside, to);
            mt_crossing c;
            bool found = mt_sdf_cross(sdf, inside, from, to, &c);
            check_true(found || !(start > 0 && end < 0), "a crossing is missed from %g to %g", start, end);
            check_true(!found || start >= 0, "it starts at %g, not on the free side", start);
            if (!found)
                continue;
            check_true(c.part >= 0 && c.part <= 1, "part %g", (double)c.part);
            double there = (double)mt_sdf_distance(sdf, inside, along(from, to, c.part));
            check_true(there >= 0, "on the free side: %g", there);
            check_below(there, 1e-5 * (double)reach, "on the surface");
            check_near(length_of(c.normal), 1, 1e-6, "unit normal");
            for (int k = 0; k < 40; k++) {
                float part = c.part * (float)k / 40;
                check_above((double)mt_sdf_distance(sdf, inside, along(from, to, part)), -1e-3, "the first");
            }
            entries += !inside;
            exits += inside;
        }
    }
    check_true(entries > 50 && exits > 50, "both occur: %d and %d", entries, exits);
    mt_sdf_free(sdf, &memory);
}

static void ways(void **state)
{
    (void)state;
    check_ways(sphere, 33, 1.6f, 1);
    check_ways(sphere, 9, 5, 2);
    check_ways(box, 33, 1.6f, 3);
    check_ways(box, 65, 4, 4);
    mt_sdf *sdf = field_of(sphere, 1.6f, 65);
    mt_crossing c;
    check_true(mt_sdf_cross(sdf, false, vec(1000, 0, 0), vec(-1000, 0, 0), &c), "a long way");
    check_near(1000 - 2000 * (double)c.part, 1, 1e-3, "its entry");
    check_near((double)c.normal.x, 1, 1e-3, "its normal");
    check_true(!mt_sdf_cross(sdf, false, vec(1000, 1.1f, 0), vec(-1000, 1.1f, 0), &c), "a way that misses");
    check_true(mt_sdf_cross(sdf, true, vec(0, 0.5f, 0), vec(0, 900, 0), &c), "a long way out");
    check_near(0.5 + 899.5 * (double)c.part, 1, 1e-3, "its exit");
    check_near((double)c.normal.y, -1, 1e-3, "its normal");
    check_true(!mt_sdf_cross(sdf, false, vec(0, 2, 0), vec(0, 2, 0), &c), "no way at all");
    check_true(!mt_sdf_cross(sdf, true, vec(0, 2, 0), vec(0, 3, 0), &c), "not in the container");
    mt_sdf_free(sdf, &memory);
}

/* A wall of one node's width, in a field that is no true distance: values of 1 and -1 only. */
static void thin_wall(void **state)
{
    (void)state;
    enum { SIDE = 40 };
    float *values = malloc(SIDE * SIDE * SIDE * sizeof *values);
    for (int i = 0; i < SIDE * SIDE * SIDE; i++)
        values[i] = i % SIDE == 20 ? -1.0f : 1.0f;
    const mote_sdf_def def = {vec(0, 0, 0), 0.01f, {SIDE, SIDE, SIDE}, values};
    mt_sdf *sdf = mt_sdf_make(&memory, &def);
    uint64_t seed = 6;
    for (int i = 0; i < 2000; i++) {
        mote_vec3 from = vec(-random_between(&seed, 0, 3), random_between(&seed, 0, 0.39f), 0.2f);
        mote_vec3 to = vec(0.39f + random_between(&seed, 0, 3), random_between(&seed, 0, 0.39f), 0.2f);
        mt_crossing c;
        check_true(mt_sdf_cross(sdf, false, from, to, &c), "through a wall of 1 cm");
        check_near((double)along(from, to, c.part).x, 0.195, 1e-4, "its near side");
    }
    mt_sdf_free(sdf, &memory);
    free(values);
}

/* ---- from meshes ---------------------------------------------------------------------------------------- */

static mt_sdf *field_of_mesh(const test_mesh *mesh, float cell)
{
    mote_mesh source = mesh_view(mesh);
    mt_sdf *sdf = mt_sdf_make_from_mesh(&memory, &source, cell);
    if (sdf == NULL)
        fail_msg("no field: %s", mote_last_error());
    return sdf;
}

static mote_vec3 node_place(const mote_sdf_def *def, size_t i)
{
    return vec(def->origin.x + def->cell * (float)(i % def->count[0]),
               def->origin.y + def->cell * (float)(i / def->count[0] % def->count[1]),
               def->origin.z + def->cell * (float)(i / def->count[0] / def->count[1]));
}

/* Near the surface the values are exact; everywhere the sign is right, and the size nearly. */
static void check_nodes(mt_sdf *sdf, form *f, double tolerance)
{
    mote_sdf_def def = mt_sdf_source(sdf);
    size_t nodes = (size_t)def.count[0] * def.count[1] * def.count[2];
    for (size_t i = 0; i < nodes; i++) {
        double exact = at(f, node_place(&def, i)), found = (double)def.values[i];
        if (fabs(exact) < 2.9 * (double)def.cell) {
            check_near(found, exact, tolerance, "node %zu near the surface", i);
            continue;
        }
        check_true((found < 0) == (exact < 0), "the sign of node %zu: %g for %g", i, found, exact);
        check_near(found, exact, 0.5 * (double)def.cell + 0.05 * fabs(exact), "node %zu further away", i);
    }
}

static void from_meshes(void **state)
{
    (void)state;
    test_mesh cube = box_between(vec(-1, -0.5f, -0.75f), vec(1, 0.5f, 0.75f));
    mt_sdf *sdf = field_of_mesh(&cube, 0.05f);
    mt_box bounds = mt_sdf_bounds(sdf);
    check_near((double)bounds.min.x, -1.1, 1e-6, "two cells beyond the box");
    check_true((double)bounds.max.x > 1.0999 && (double)bounds.max.z > 0.8499, "two cells beyond the box");
    check_below((double)bounds.max.x, 1.1501, "not much more");
    check_nodes(sdf, box, 2e-6);
    mt_sdf_free(sdf, &memory);
    mesh_free(&cube);
    test_mesh ball = sphere_mesh(vec(0, 0, 0), 1, 80, 160);
    sdf = field_of_mesh(&ball, 0.04f);
    check_nodes(sdf, sphere, 1e-3); /* as far as the mesh is from the sphere */
    mt_sdf_free(sdf, &memory);
    turn_inside_out(&ball);
    sdf = field_of_mesh(&ball, 0.1f);
    check_near((double)mt_sdf_distance(sdf, false, vec(0, 0, 0.5f)), 0.5, 0.02,
               "inside out, free in the middle");
    check_below((double)mt_sdf_distance(sdf, false, vec(0, 0, 1.15f)), -0.1, "and solid around");
    mt_sdf_free(sdf, &memory);
    mesh_free(&ball);
}

/* Field to definition to field is the same field. */
static void source_is_the_field(void **state)
{
    (void)state;
    mt_sdf *sdf = field_of(sphere, 1.6f, 17);
    mote_sdf_def def = mt_sdf_source(sdf);
    mt_sdf *again = mt_sdf_make(&memory, &def);
    uint64_t seed = 8;
    for (int i = 0; i < 500; i++) {
        mote_vec3 x = random_point(&seed, 3);
        check_true(mt_sdf_distance(sdf, false, x) == mt_sdf_distance(again, false, x), "the same distance");
    }
    mt_sdf_free(sdf, &memory);
    mt_sdf_free(again, &memory);
}

/* ---- what is refused ------------------------------------------------------------------------------------ */

static void check_refused(const mote_sdf_def *def, mote_result result, const char *word)
{
    check_true(mt_sdf_make(&memory, def) == NULL, "refused: %s", word);
    check_true(mote_last_result() == result && strstr(mote_last_error(), word) != NULL, "'%s' is named in: %s",
               word, mote_last_error());
}

static void bad_input(void **state)
{
    (void)state;
    float values[27] = {0};
    const mote_sdf_def good = {vec(0, 0, 0), 1, {3, 3, 3}, values};
    mote_sdf_def def = good;
    check_refused(NULL, MOTE_ERROR_ARGUMENT, "sdf is NULL");
    def.values = NULL;
    check_refused(&def, MOTE_ERROR_ARGUMENT, "sdf.values");
    def = good;
    def.origin.y = NAN;
    check_refused(&def, MOTE_ERROR_NOT_FINITE, "sdf.origin.y");
    def = good;
    def.cell = 0;
    check_refused(&def, MOTE_ERROR_ARGUMENT, "sdf.cell");
    def.cell = NAN;
    check_refused(&def, MOTE_ERROR_NOT_FINITE, "sdf.cell");
    def = good;
    def.count[1] = 1;
    check_refused(&def, MOTE_ERROR_ARGUMENT, "sdf.count[1]");
    def.count[1] = 2049;
    check_refused(&def, MOTE_ERROR_ARGUMENT, "2049");
    def.count[0] = def.count[1] = def.count[2] = 2000;
    check_refused(&def, MOTE_ERROR_ARGUMENT, "8000000000");
    values[13] = INFINITY;
    check_refused(&good, MOTE_ERROR_NOT_FINITE, "sdf.values[13]");
    values[13] = -2e9f;
    check_refused(&good, MOTE_ERROR_ARGUMENT, "sdf.values[13]");
    test_mesh cube = box_between(vec(0, 0, 0), vec(1, 1, 1));
    mote_mesh mesh = mesh_view(&cube);
    const float cells[] = {0, -1, NAN, 1e-4f};
    for (int i = 0; i < 4; i++)
        check_true(mt_sdf_make_from_mesh(&memory, &mesh, cells[i]) == NULL, "cell %g", (double)cells[i]);
    check_true(strstr(mote_last_error(), "nodes") != NULL, "too many nodes: %s", mote_last_error());
    mt_sdf_free(NULL, &memory);
    mesh_free(&cube);
}

static void memory_failure(void **state)
{
    (void)state;
    test_mesh cube = box_between(vec(0, 0, 0), vec(1, 1, 1));
    mote_mesh mesh = mesh_view(&cube);
    bool made = false;
    size_t n = 1;
    for (; !made && n < 1000; n++) {
        test_heap heap = {.fail_at = n, .fill = 0xA5};
        mt_memory own = mt_memory_make(heap_allocator(&heap));
        mt_sdf *sdf = mt_sdf_make_from_mesh(&own, &mesh, 0.25f);
        made = sdf != NULL;
        check_true(made || mote_last_result() == MOTE_ERROR_MEMORY, "call %zu fails: %s", n, mote_last_error());
        mt_sdf_free(sdf, &own);
        check_true(heap.live_blocks == 0 && heap.wrong_sizes == 0 && heap.overruns == 0,
                   "nothing is left after call %zu", n);
    }
    check_true(made && n > 4, "it works after %zu calls", n);
    mesh_free(&cube);
}

int main(void)
{
    memory = mt_memory_make((mote_allocator){0});
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_field), cmocka_unit_test(sphere_field),        cmocka_unit_test(flat_field),
        cmocka_unit_test(ways),         cmocka_unit_test(thin_wall),           cmocka_unit_test(from_meshes),
        cmocka_unit_test(bad_input),    cmocka_unit_test(source_is_the_field), cmocka_unit_test(memory_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
