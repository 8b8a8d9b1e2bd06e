/* Convex hulls: what encloses the points, and what a ball or a way meets there. */
#include "support.h"

#include "collide/collide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static mt_memory memory;

static mt_hull *make(const mote_vec3 *points, size_t count)
{
    mt_hull *hull = mt_hull_make(&memory, points, count);
    if (hull == NULL)
        fail_msg("no hull: %s", mote_last_error());
    return hull;
}

static mote_vec3 random_in_cube(uint64_t *seed, float half)
{
    float x = random_between(seed, -half, half), y = random_between(seed, -half, half);
    return vec(x, y, random_between(seed, -half, half));
}

static mote_vec3 random_in_ball(uint64_t *seed, float radius)
{
    for (;;) {
        mote_vec3 p = random_in_cube(seed, radius);
        if (length_of(p) <= (double)radius && length_of(p) > 0.01 * (double)radius)
            return p;
    }
}

static mote_vec3 random_on_sphere(uint64_t *seed, float radius)
{
    mote_vec3 p = random_in_ball(seed, radius);
    return mt_scale(p, radius / (float)length_of(p));
}

/* By an angle with rational sine and cosine (3/5, 4/5; 5/13, 12/13), about z and then about x. */
static mote_vec3 turned(mote_vec3 p)
{
    mote_vec3 q = vec(0.6f * p.x - 0.8f * p.y, 0.8f * p.x + 0.6f * p.y, p.z);
    return vec(q.x, 5.0f / 13 * q.y - 12.0f / 13 * q.z, 12.0f / 13 * q.y + 5.0f / 13 * q.z);
}

static void box_corners(mote_vec3 half, mote_vec3 corners[8])
{
    for (int i = 0; i < 8; i++)
        corners[i] = vec(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
}

/* ---- what a hull must be -------------------------------------------------------------------------------- */

static double size_of(mt_box box)
{
    return fmax((double)box.max.x - (double)box.min.x,
                fmax((double)box.max.y - (double)box.min.y, (double)box.max.z - (double)box.min.z));
}

static void between(mote_vec3 from, mote_vec3 to, double out[3])
{
    out[0] = (double)to.x - (double)from.x;
    out[1] = (double)to.y - (double)from.y;
    out[2] = (double)to.z - (double)from.z;
}

static double dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* How far the furthest point is in front of the plane of a triangle. */
static double worst_height(mote_mesh hull, size_t triangle, const mote_vec3 *points, size_t count)
{
    const uint32_t *c = hull.triangles + 3 * triangle;
    double u[3], v[3], d[3], worst = -1e30;
    between(hull.vertices[c[0]], hull.vertices[c[1]], u);
    between(hull.vertices[c[0]], hull.vertices[c[2]], v);
    const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    for (size_t i = 0; i < count; i++) {
        between(hull.vertices[c[0]], points[i], d);
        worst = fmax(worst, dot3(n, d) / sqrt(dot3(n, n)));
    }
    return worst;
}

static bool is_one_of(mote_vec3 p, const mote_vec3 *points, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (points[i].x == p.x && points[i].y == p.y && points[i].z == p.z)
            return true;
    return false;
}

static void check_same(mote_mesh a, mote_mesh b, const char *what)
{
    check_true(a.vertex_count == b.vertex_count && a.triangle_count == b.triangle_count &&
                   memcmp(a.vertices, b.vertices, a.vertex_count * sizeof *a.vertices) == 0 &&
                   memcmp(a.triangles, b.triangles, 3 * a.triangle_count * sizeof *a.triangles) == 0,
               "the hull of a hull's vertices is the same: %s", what);
}

/* Encloses all points, has only points as corners, is closed and looks outwards; and is the hull of its own
 * vertices to the bit. */
static mote_mesh_report check_hull(const mt_hull *hull, const mote_vec3 *points, size_t count, const char *what)
{
    mote_mesh mesh = mt_hull_source(hull);
    double size = size_of(mt_hull_bounds(hull)), worst = 0, outside = 0;
    for (size_t t = 0; t < mesh.triangle_count; t++)
        worst = fmax(worst, worst_height(mesh, t, points, count));
    check_below(worst, 1e-6 * size, "points in front of a triangle: %s", what);
    for (size_t i = 0; i < mesh.vertex_count; i++)
        check_true(is_one_of(mesh.vertices[i], points, count), "corner %zu is a point: %s", i, what);
    for (size_t i = 0; i < count; i++)
        outside = fmax(outside, (double)mt_hull_distance(hull, false, points[i]));
    check_below(outside, 1e-6 * size, "distance of the points: %s", what);
    mote_mesh_report report;
    must(mote_mesh_inspect(&mesh, &report));
    check_true(report.closed, "the hull is closed: %s", what);
    check_above(report.volume, 0, "volume: %s", what);
    check_true(mesh.triangle_count == 2 * mesh.vertex_count - 4, "Euler's rule: %s", what);
    mt_hull *again = make(mesh.vertices, mesh.vertex_count);
    check_same(mesh, mt_hull_source(again), what);
    mt_hull_free(again, &memory);
    return report;
}

/* ---- making --------------------------------------------------------------------------------------------- */

static void tetrahedron(void **state)
{
    (void)state;
    const mote_vec3 points[] = {{0, 0, 0}, {3, 0, 0}, {0, 3, 0}, {0, 0, 3}, {0.5f, 0.5f, 0.5f}};
    mt_hull *hull = make(points, 5);
    mote_mesh_report report = check_hull(hull, points, 5, "tetrahedron");
    check_true(mt_hull_source(hull).vertex_count == 4, "four corners");
    check_near(report.volume, 4.5, 1e-12, "volume");
    mt_hull_free(hull, &memory);
}

/* A lattice is the hardest case: nearly everything is in planes and rows. At every scale, and far away. */
static void lattice(void **state)
{
    (void)state;
    const float scales[] = {1e-30f, 1e-6f, 0.1f, 1.0f, 9e4f, 1.0f}, shifts[] = {0, 0, 0, 0, 0, 900000};
    enum { SIDE = 12, COUNT = SIDE * SIDE * SIDE };
    mote_vec3 *points = malloc(2 * COUNT * sizeof *points);
    for (size_t s = 0; s < 6; s++) {
        for (int i = 0; i < 2 * COUNT; i++) /* each twice */
            points[i] = vec((float)(i % SIDE) * scales[s], (float)(i / SIDE % SIDE) * scales[s] - shifts[s],
                            (float)(i / SIDE / SIDE % SIDE) * scales[s] + shifts[s]);
        mt_hull *hull = make(points, 2 * COUNT);
        double volume = check_hull(hull, points, 2 * COUNT, "lattice").volume;
        check_near(volume / pow(11 * (double)scales[s], 3), 1, 1e-6, "volume at scale %g", (double)scales[s]);
        check_true(mt_hull_source(hull).vertex_count == 8, "eight corners at scale %g", (double)scales[s]);
        mt_hull_free(hull, &memory);
    }
    free(points);
}

/* Turned, the planes of a lattice are rounded: the faces are still six for whoever stands inside. */
static void turned_lattice(void **state)
{
    (void)state;
    enum { SIDE = 12, COUNT = SIDE * SIDE * SIDE };
    mote_vec3 *points = malloc(COUNT * sizeof *points);
    for (int i = 0; i < COUNT; i++)
        points[i] = turned(
            vec((float)(i % SIDE) - 5.5f, (float)(i / SIDE % SIDE) - 5.5f, (float)(i / SIDE / SIDE) - 5.5f));
    mt_hull *hull = make(points, COUNT);
    check_near(check_hull(hull, points, COUNT, "turned lattice").volume, 1331, 1e-3, "volume");
    mt_near planes[MT_MAX_NEAR];
    uint32_t found = mt_hull_near(hull, true, vec(0, 0, 0), 6, planes);
    check_true(found == 6, "six faces, not %u", found);
    for (uint32_t i = 0; i < found; i++)
        check_near(-(double)planes[i].offset, 5.5, 1e-5, "depth of the middle under face %u", i);
    mt_hull_free(hull, &memory);
    free(points);
}

static void random_points(void **state)
{
    (void)state;
    enum { COUNT = 2000 };
    mote_vec3 *points = malloc(COUNT * sizeof *points);
    uint64_t seed = 5;
    for (int round = 0; round < 12; round++) {
        float size = round < 4 ? 1.0f : round < 8 ? 1e-5f : 3e5f;
        for (int i = 0; i < COUNT; i++)
            points[i] = round % 3 == 0   ? random_in_ball(&seed, size)
                        : round % 3 == 1 ? random_in_cube(&seed, size)
                                         : random_on_sphere(&seed, size);
        size_t count = round % 2 == 0 ? COUNT : 5 + (size_t)round;
        mt_hull *hull = make(points, count);
        mote_mesh_report report = check_hull(hull, points, count, "random points");
        double unit = (double)size * (double)size * (double)size;
        if (round % 3 == 2 && count == COUNT) {
            check_near(report.volume / unit, 4.0 / 3 * TEST_PI, 0.03, "volume of a ball");
            check_true(mt_hull_source(hull).vertex_count > COUNT * 99 / 100, "nearly all points are corners");
        }
        if (round % 3 == 1 && count == COUNT)
            check_near(report.volume / unit, 8, 0.5, "volume of a cube");
        mt_hull_free(hull, &memory);
    }
    free(points);
}

/* Prisms and thin plates: many points in two planes, and a hull that is nearly flat. */
static void flat_and_round(void **state)
{
    (void)state;
    const float heights[] = {1.0f, 1e-4f, 100.0f};
    for (int round = 0; round < 3; round++) {
        mote_vec3 points[400];
        for (int i = 0; i < 200; i++) {
            double angle = 2 * TEST_PI * i / 200;
            points[i] = vec((float)cos(angle), 0, (float)sin(angle));
            points[200 + i] = vec((float)cos(angle), heights[round], (float)sin(angle));
        }
        mt_hull *hull = make(points, 400);
        double exact = 100 * sin(2 * TEST_PI / 200) * (double)heights[round];
        check_near(check_hull(hull, points, 400, "prism").volume / exact, 1, 1e-4, "volume of a prism");
        mt_near out[MT_MAX_NEAR];
        check_true(mt_hull_near(hull, false, vec(0.1f, 2 * heights[round], 0.1f), 200, out) == 1, "its top");
        check_true(out[0].normal.y == 1 && out[0].offset == heights[round], "the top is exact: %g over %g",
                   (double)out[0].normal.y, (double)out[0].offset);
        mt_hull_free(hull, &memory);
    }
}

static void a_million_points(void **state)
{
    (void)state;
    size_t count = TEST_BY_BUILD(1000000, 100000, 100000);
    mote_vec3 *points = malloc(count * sizeof *points);
    uint64_t seed = 11;
    for (size_t i = 0; i < count; i++)
        points[i] = turned(random_in_cube(&seed, 1));
    mt_hull *hull = make(points, count);
    mote_mesh mesh = mt_hull_source(hull);
    mote_mesh_report report;
    must(mote_mesh_inspect(&mesh, &report));
    check_true(report.closed, "closed");
    double outside = 0;
    for (size_t i = 0; i < count; i += 997)
        outside = fmax(outside, (double)mt_hull_distance(hull, false, points[i]));
    check_below(outside, 1e-6, "distance of the points");
    check_near(report.volume, 8, 0.02, "volume");
    mt_hull_free(hull, &memory);
    for (size_t i = 0; i < count / 8; i++)
        points[i] = random_on_sphere(&seed, 1);
    check_true(mt_hull_make(&memory, points, count / 8) == NULL, "too many corners");
    check_true(strstr(mote_last_error(), "4096") != NULL, "the limit is named: %s", mote_last_error());
    free(points);
}

/* ---- questions ------------------------------------------------------------------------------------------ */

static double box_distance(mote_vec3 half, mote_vec3 x)
{
    double q[3] = {fabs((double)x.x) - (double)half.x, fabs((double)x.y) - (double)half.y,
                   fabs((double)x.z) - (double)half.z};
    double out = 0, in = fmax(q[0], fmax(q[1], q[2]));
    for (int k = 0; k < 3; k++)
        out += fmax(q[k], 0) * fmax(q[k], 0);
    return in > 0 ? sqrt(out) : in;
}

static double plane_distance(mt_near plane, mote_vec3 x)
{
    return (double)plane.normal.x * (double)x.x + (double)plane.normal.y * (double)x.y +
           (double)plane.normal.z * (double)x.z - (double)plane.offset;
}

static void distance_to_a_box(void **state)
{
    (void)state;
    mote_vec3 half = vec(1, 2, 0.5f), corners[8];
    box_corners(half, corners);
    mt_hull *hull = make(corners, 8);
    uint64_t seed = 3;
    for (int i = 0; i < 20000; i++) {
        mote_vec3 x = random_in_cube(&seed, 4);
        double exact = box_distance(half, x);
        check_near((double)mt_hull_distance(hull, false, x), exact, 1e-6, "distance at %g %g %g", (double)x.x,
                   (double)x.y, (double)x.z);
        mt_near out[MT_MAX_NEAR];
        check_true(mt_hull_near(hull, false, x, (float)exact + 0.01f, out) == 1, "one plane");
        check_near(plane_distance(out[0], x), exact, 2e-6, "distance to the plane");
        check_near(length_of(out[0].normal), 1, 1e-6, "length of the normal");
        check_true(exact < 0.02 || mt_hull_near(hull, false, x, (float)exact - 0.01f, out) == 0, "too far");
        if (exact < 0)
            check_near((double)mt_hull_distance(hull, true, x), -exact, 1e-6, "depth in the container");
    }
    mt_hull_free(hull, &memory);
}

/* The length of d - p u - q w. */
static double rest(const double d[3], double p, const double u[3], double q, const double w[3])
{
    double r[3] = {d[0] - p * u[0] - q * w[0], d[1] - p * u[1] - q * w[1], d[2] - p * u[2] - q * w[2]};
    return sqrt(dot3(r, r));
}

/* The smallest of the distances to all triangles and edges. */
static double brute_distance(mote_mesh mesh, mote_vec3 x)
{
    double best = 1e30, u[3], w[3], d[3];
    for (size_t i = 0; i < 3 * mesh.triangle_count; i++) {
        const uint32_t *corner = mesh.triangles + i / 3 * 3;
        mote_vec3 a = mesh.vertices[corner[i % 3]];
        between(a, mesh.vertices[corner[(i + 1) % 3]], u);
        between(a, mesh.vertices[corner[(i + 2) % 3]], w);
        between(a, x, d);
        best = fmin(best, rest(d, fmin(fmax(dot3(u, d) / dot3(u, u), 0), 1), u, 0, w)); /* the edge from a */
        double uu = dot3(u, u), ww = dot3(w, w), uw = dot3(u, w), ud = dot3(u, d), wd = dot3(w, d);
        double det = uu * ww - uw * uw, p = (ud * ww - wd * uw) / det, q = (wd * uu - ud * uw) / det;
        if (p >= 0 && q >= 0 && p + q <= 1)
            best = fmin(best, rest(d, p, u, q, w));
    }
    return best;
}

static void distance_by_brute_force(void **state)
{
    (void)state;
    mote_vec3 points[300];
    uint64_t seed = 77;
    const size_t counts[] = {4, 6, 20, 60, 300};
    for (size_t round = 0; round < 5; round++) {
        for (size_t i = 0; i < counts[round]; i++)
            points[i] = random_on_sphere(&seed, 1);
        mt_hull *hull = make(points, counts[round]);
        mote_mesh mesh = mt_hull_source(hull);
        for (int i = 0; i < 1000; i++) {
            mote_vec3 x = random_in_cube(&seed, 2);
            double exact = brute_distance(mesh, x), found = (double)mt_hull_distance(hull, false, x);
            check_near(fabs(found), exact, 1e-6, "distance to a hull of %zu points", counts[round]);
            mt_near out[MT_MAX_NEAR];
            check_true(mt_hull_near(hull, false, x, 10, out) == 1, "one plane");
            check_near(plane_distance(out[0], x), found, 1e-6, "distance to its plane");
            for (size_t k = 0; k < mesh.vertex_count && found > 0; k++)
                check_below(plane_distance(out[0], mesh.vertices[k]), 1e-6, "the hull is behind the plane");
        }
        mt_hull_free(hull, &memory);
    }
}

static void container_planes(void **state)
{
    (void)state;
    mote_vec3 corners[8], half = vec(1, 2, 0.5f);
    box_corners(half, corners);
    mt_hull *hull = make(corners, 8);
    mt_near out[MT_MAX_NEAR];
    check_true(mt_hull_near(hull, true, vec(0, 0, 0), 0.4f, out) == 0, "nothing within reach");
    check_true(mt_hull_near(hull, true, vec(0.95f, -1.875f, 0.25f), 0.2f, out) == 2, "a corner of two faces");
    check_true(out[0].normal.x == -1 && out[0].offset == -1, "the nearest first");
    check_true(out[1].normal.y == 1 && out[1].offset == -2, "the floor");
    check_true(mt_hull_near(hull, true, vec(1.25f, 0, 0), 0.1f, out) == 1, "outside of the container");
    check_near((double)mt_hull_distance(hull, true, vec(1.25f, 0, 0)), -0.25, 1e-6, "depth in its wall");
    check_true(mt_hull_near(hull, true, vec(0, 0, 0), 5, out) == 6, "all faces, two triangles each");
    mt_hull_free(hull, &memory);
    mote_vec3 points[500];
    uint64_t seed = 8;
    for (int i = 0; i < 500; i++)
        points[i] = random_on_sphere(&seed, 1);
    hull = make(points, 500);
    check_true(mt_hull_near(hull, true, vec(0, 0, 0.9f), 2, out) == MT_MAX_NEAR, "the nearest eight");
    double depth = (double)mt_hull_distance(hull, true, vec(0, 0, 0.9f));
    check_near(plane_distance(out[0], vec(0, 0, 0.9f)), depth, 1e-6, "the nearest of them");
    for (uint32_t i = 1; i < MT_MAX_NEAR; i++)
        check_true(plane_distance(out[i], vec(0, 0, 0.9f)) >=
                       plane_distance(out[i - 1], vec(0, 0, 0.9f)) - 1e-6,
                   "sorted by depth");
    mt_hull_free(hull, &memory);
}

static mote_vec3 along(mote_vec3 from, mote_vec3 to, float part)
{
    return mt_add(from, mt_scale(mt_sub(to, from), part));
}

/* Every way from outside to inside has an entry and every way out has an exit, on the surface and before it
 * nothing; ways that miss have none. */
static void ways(void **state)
{
    (void)state;
    uint64_t seed = 21;
    mote_vec3 points[60];
    for (int i = 0; i < 60; i++)
        points[i] = random_on_sphere(&seed, 1);
    int entries = 0, misses = 0;
    for (size_t count = 4; count <= 60; count += 14) {
        mt_hull *hull = make(points, count);
        for (int i = 0; i < 4000; i++) {
            mote_vec3 from = random_in_cube(&seed, 1.5f), to = random_in_cube(&seed, 1.5f);
            float start = mt_hull_distance(hull, false, from), end = mt_hull_distance(hull, false, to);
            mt_crossing crossing;
            bool enters = mt_hull_cross(hull, false, from, to, &crossing);
            if (enters)
                check_near((double)mt_hull_distance(hull, false, along(from, to, crossing.part)), 0, 1e-6,
                           "the entry is on the surface");
            check_true(!enters || start >= 0, "a way from inside does not enter");
            check_true(enters || !(start > 0 && end < 0), "an entry is missed");
            if (!enters && start > 0 && end > 0)
                for (int k = 1; k < 50; k++)
                    check_above((double)mt_hull_distance(hull, false, along(from, to, (float)k / 50)), -1e-6,
                                "a way without an entry stays outside");
            entries += enters;
            misses += !enters;
            bool leaves = mt_hull_cross(hull, true, from, to, &crossing);
            check_true(leaves == (start <= 0 && end > 0), "an exit from %g to %g", (double)start, (double)end);
            if (leaves) {
                check_near((double)mt_hull_distance(hull, false, along(from, to, crossing.part)), 0, 1e-6,
                           "the exit is on the surface");
                mt_near side = {crossing.normal, 0};
                check_below(plane_distance(side, to) - plane_distance(side, from), 0, "against the way");
            }
        }
        mt_hull_free(hull, &memory);
    }
    check_true(entries > 1000 && misses > 1000, "both occur: %d and %d", entries, misses);
}

/* ---- what is refused ------------------------------------------------------------------------------------ */

static void check_refused(const mote_vec3 *points, size_t count, mote_result result, const char *word)
{
    check_true(mt_hull_make(&memory, points, count) == NULL, "refused: %s", word);
    check_true(mote_last_result() == result && strstr(mote_last_error(), word) != NULL, "'%s' is named in: %s",
               word, mote_last_error());
}

static void bad_input(void **state)
{
    (void)state;
    mote_vec3 points[100];
    uint64_t seed = 1;
    check_refused(NULL, 4, MOTE_ERROR_ARGUMENT, "points");
    check_refused(points, 3, MOTE_ERROR_MESH, "3 points");
    check_refused(points, 0, MOTE_ERROR_MESH, "0 points");
    for (int i = 0; i < 100; i++)
        points[i] = vec(1, 2, 3);
    check_refused(points, 100, MOTE_ERROR_MESH, "one place");
    for (int i = 0; i < 100; i++)
        points[i] = vec((float)i * 0.1f, (float)i * 0.3f, (float)i * -0.7f);
    check_refused(points, 100, MOTE_ERROR_MESH, "line");
    for (int i = 0; i < 100; i++)
        points[i] = turned(vec(random_between(&seed, -1, 1), 0, random_between(&seed, -1, 1)));
    check_refused(points, 100, MOTE_ERROR_MESH, "plane");
    for (int i = 0; i < 100; i++)
        points[i] = random_in_cube(&seed, 1);
    points[17].y = NAN;
    check_refused(points, 100, MOTE_ERROR_NOT_FINITE, "point 17");
    points[17].y = INFINITY;
    check_refused(points, 100, MOTE_ERROR_NOT_FINITE, "point 17");
    points[17].y = 2e6f;
    check_refused(points, 100, MOTE_ERROR_ARGUMENT, "2e+06");
    mt_hull_free(NULL, &memory);
}

static void memory_failure(void **state)
{
    (void)state;
    mote_vec3 points[100];
    uint64_t seed = 9;
    for (int i = 0; i < 100; i++)
        points[i] = random_on_sphere(&seed, 1);
    bool made = false;
    size_t n = 1;
    for (; !made && n < 1000; n++) {
        test_heap heap = {.fail_at = n, .fill = 0xA5};
        mt_memory own = mt_memory_make(heap_allocator(&heap));
        mt_hull *hull = mt_hull_make(&own, points, 100);
        made = hull != NULL;
        check_true(made || mote_last_result() == MOTE_ERROR_MEMORY, "call %zu fails: %s", n, mote_last_error());
        mt_hull_free(hull, &own);
        check_true(heap.live_blocks == 0 && heap.wrong_sizes == 0 && heap.overruns == 0 && own.held == 0,
                   "nothing is left after call %zu", n);
    }
    check_true(made && n > 10, "it works once the memory is there, after %zu calls", n);
}

int main(void)
{
    memory = mt_memory_make((mote_allocator){0});
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tetrahedron),       cmocka_unit_test(lattice),
        cmocka_unit_test(turned_lattice),    cmocka_unit_test(random_points),
        cmocka_unit_test(flat_and_round),    cmocka_unit_test(a_million_points),
        cmocka_unit_test(distance_to_a_box), cmocka_unit_test(distance_by_brute_force),
        cmocka_unit_test(container_planes),  cmocka_unit_test(ways),
        cmocka_unit_test(bad_input),         cmocka_unit_test(memory_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
