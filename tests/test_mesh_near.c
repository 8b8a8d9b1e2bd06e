/* What a ball touches of a triangle mesh: the planes near a point. */
#include "mesh_models.h"

#include "collide/collide.h"

#include <math.h>

static mt_mesh *make(void)
{
    mote_mesh source = model_source();
    mt_mesh *mesh = mt_mesh_make(&memory, &source);
    check_true(mesh != NULL, "the mesh is made: %s", mote_last_error());
    return mesh;
}

/* ---- planes near a point -------------------------------------------------------------------------------- */

static void check_plane(const mt_near *plane, mote_vec3 normal, double offset, double tolerance,
                        const char *what)
{
    check_near(distance_of(plane->normal, normal), 0, tolerance, "%s: normal (%g, %g, %g)", what,
               (double)plane->normal.x, (double)plane->normal.y, (double)plane->normal.z);
    check_near(plane->offset, offset, tolerance, "%s: offset", what);
}

/* Anywhere over a floor of 3,200 triangles, exactly above edges and vertices too, there is one plane: the
 * floor's, to the bit. */
static void flat_floor(void **state)
{
    (void)state;
    build_floor(40, 0);
    mt_mesh *mesh = make();
    uint64_t seed = 37;
    mt_near near[MT_MAX_NEAR];
    for (int i = 0; i < 50000; i++) {
        float radius = i % 2 ? 0.3f : 2.5f; /* smaller and larger than triangles */
        float step = i % 4 < 2 ? 0.5f : 1.0f / 64;
        mote_vec3 x = vec(random_between(&seed, 3, 37), 0.9f * radius, random_between(&seed, 3, 37));
        if (i % 5 != 0) /* on a lattice: above vertices, edges, diagonals */
            x = vec(floorf(x.x / step) * step, x.y, floorf(x.z / step) * step);
        uint32_t count = mt_mesh_near(mesh, x, 1.1f * radius, near);
        check_true(count == 1, "%u planes over (%g, %g)", count, (double)x.x, (double)x.z);
        check_plane(&near[0], vec(0, 1, 0), 0, 0, "above");
        x.y = -x.y;
        check_true(mt_mesh_near(mesh, x, 1.1f * radius, near) == 1, "one plane below");
        check_plane(&near[0], vec(0, -1, 0), 0, 0, "below");
        x.y = 0;
        check_true(mt_mesh_near(mesh, x, 1.1f * radius, near) == 1, "one plane on the floor");
        check_plane(&near[0], vec(0, 1, 0), 0, 0, "on the floor");
    }
    check_true(mt_mesh_near(mesh, vec(5, 1, 5), 0.99f, near) == 0, "out of reach");
    mt_mesh_free(mesh, &memory);
}

/* A slope has no exact numbers: points above its edges are so only to rounding. */
static void sloped_floor(void **state)
{
    (void)state;
    build_floor(40, 0.37f);
    mt_mesh *mesh = make();
    uint64_t seed = 41;
    double length = hypot(1, 0.37);
    mote_vec3 normal = vec((float)(-0.37 / length), (float)(1 / length), 0);
    for (int i = 0; i < 50000; i++) {
        float u = random_between(&seed, 3, 37), v = random_between(&seed, 3, 37);
        if (i % 5 != 0) {
            u = floorf(2 * u) / 2;
            v = floorf(2 * v) / 2;
        }
        float height = random_between(&seed, 0.01f, 0.5f);
        mote_vec3 x = vec(u + height * normal.x, 0.37f * u + height * normal.y, v);
        mt_near near[MT_MAX_NEAR];
        uint32_t count = mt_mesh_near(mesh, x, 0.6f, near);
        check_true(count == 1, "%u planes over (%g, %g)", count, (double)u, (double)v);
        check_near(distance_of(near[0].normal, normal), 0, 3e-6, "slope: normal");
        double over = height_over(near[0].normal, near[0].offset, x);
        check_near(over, height, 4e-6, "slope: height");
    }
    mt_mesh_free(mesh, &memory);
}

/* A plane through whole numbers u and v, in triangles. Over its vertices and the middles of its edges, exactly,
 * rounding may see the point outside of every triangle; it feels the plane nevertheless, to the bit. */
static void tilted_lattice(void **state)
{
    (void)state;
    uint64_t seed = 61;
    for (int trial = 0; trial < 3000; trial++) {
        int u[3], v[3];
        for (int k = 0; k < 3; k++) {
            u[k] = 2 * (int)random_between(&seed, -500, 500);
            v[k] = 2 * (int)random_between(&seed, -500, 500);
        }
        double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        if (length < 1e5) /* needles: the point would be too near */
            continue;
        model_clear();
        for (int j = -2; j <= 2; j++)
            for (int i = -2; i <= 2; i++)
                model_vertex(vec((float)(i * u[0] + j * v[0]), (float)(i * u[1] + j * v[1]),
                                 (float)(i * u[2] + j * v[2])));
        for (uint32_t j = 0; j < 4; j++)
            for (uint32_t i = 0; i < 4; i++) {
                uint32_t a = j * 5 + i;
                model_triangle(a, a + 1, a + 6);
                model_triangle(a, a + 6, a + 5);
            }
        mt_mesh *mesh = make();
        mote_vec3 normal = vec((float)(n[0] / length), (float)(n[1] / length), (float)(n[2] / length));
        for (int place = 0; place < 16; place++) { /* in halves of u and v */
            int i = place % 4 - 1, j = place / 4 - 1;
            float scale = 1.0f / 8192;
            mote_vec3 x = vec((float)((i * u[0] + j * v[0]) / 2) + scale * (float)n[0],
                              (float)((i * u[1] + j * v[1]) / 2) + scale * (float)n[1],
                              (float)((i * u[2] + j * v[2]) / 2) + scale * (float)n[2]);
            mt_near near[MT_MAX_NEAR];
            uint32_t count = mt_mesh_near(mesh, x, 1.1f * scale * (float)length, near);
            check_true(count == 1, "%u planes, trial %d, place %d", count, trial, place);
            check_near(distance_of(near[0].normal, normal), 0, 0, "normal, trial %d, place %d", trial, place);
        }
        mt_mesh_free(mesh, &memory);
    }
}

/* A ridge of 3e-5 is flat: over it one of its faces touches, not the edge. One of 3e-3 is an edge. */
static void low_ridges(void **state)
{
    (void)state;
    for (int form = 0; form < 2; form++) {
        float sink = form == 0 ? 3e-5f : 3e-3f;
        model_clear();
        uint32_t a = model_vertex(vec(0, 0, -1)), b = model_vertex(vec(0, 0, 1));
        model_triangle(a, b, model_vertex(vec(1, -sink, 0)));
        model_triangle(b, a, model_vertex(vec(-1, -sink, 0)));
        mt_mesh *mesh = make();
        mt_near near[MT_MAX_NEAR];
        check_true(mt_mesh_near(mesh, vec(0, 0.1f, 0.3f), 0.2f, near) == 1, "one plane over a ridge");
        check_near(fabs((double)near[0].normal.x), form == 0 ? (double)sink : 0, 1e-9, "how far it leans");
        mt_mesh_free(mesh, &memory);
    }
}

/* A border that lies against the middle of another edge, without a common vertex, is not felt either. */
static void unequal_neighbours(void **state)
{
    (void)state;
    model_clear();
    uint32_t a = model_vertex(vec(-4, 0, -4)), b = model_vertex(vec(-4, 0, 8)), c = model_vertex(vec(0, 0, -4));
    uint32_t d = model_vertex(vec(0, 0, 8)), e = model_vertex(vec(4, 0, 0)), f = model_vertex(vec(0, 0, 1.3f));
    uint32_t g = model_vertex(vec(0, 0, -1.7f));
    model_triangle(a, b, c);
    model_triangle(b, d, c);
    model_triangle(g, f, e);
    mt_mesh *mesh = make();
    uint64_t seed = 43;
    for (int i = 0; i < 5000; i++) {
        mote_vec3 x = vec(random_between(&seed, -1, 0.5f), 0.9f, random_between(&seed, -1, 0.5f));
        mt_near near[MT_MAX_NEAR];
        check_true(mt_mesh_near(mesh, x, 1.1f, near) == 1, "one plane at (%g, %g)", (double)x.x, (double)x.z);
        check_plane(&near[0], vec(0, 1, 0), 0, 0, "plane");
    }
    mt_mesh_free(mesh, &memory);
}

static void cube_contacts(void **state)
{
    (void)state;
    build_cube(4);
    mt_mesh *mesh = make();
    mt_near near[MT_MAX_NEAR];
    const float half = sqrtf(0.5f), third = sqrtf(1.0f / 3);
    check_true(mt_mesh_near(mesh, vec(1.3f, 1.3f, 0.1f), 0.5f, near) == 1, "one plane at an edge");
    check_plane(&near[0], vec(half, half, 0), sqrt(2), 1e-6, "edge");
    check_true(mt_mesh_near(mesh, vec(1.3f, 1.3f, 0.5f), 0.5f, near) == 1,
               "one plane between two edges in line");
    check_plane(&near[0], vec(half, half, 0), sqrt(2), 1e-6, "edges in line");
    check_true(mt_mesh_near(mesh, vec(-1.2f, -1.2f, -1.2f), 0.5f, near) == 1, "one plane at a corner");
    check_plane(&near[0], vec(-third, -third, -third), sqrt(3), 1e-6, "corner");
    check_true(mt_mesh_near(mesh, vec(1.3f, 0.9f, 0.9f), 0.5f, near) == 1, "one plane at a side");
    check_plane(&near[0], vec(1, 0, 0), 1, 0, "side");
    check_true(mt_mesh_near(mesh, vec(0.8f, 0.75f, 0.7f), 0.5f, near) == 3, "three planes inside a corner");
    check_plane(&near[0], vec(-1, 0, 0), -1, 0, "nearest first");
    check_plane(&near[1], vec(0, -1, 0), -1, 0, "then the second");
    check_plane(&near[2], vec(0, 0, -1), -1, 0, "then the third");
    check_true(mt_mesh_near(mesh, vec(0.999999f, 0.75f, 0), 0.5f, near) == 2, "a wall close by hides no other");
    mt_mesh_free(mesh, &memory);
}

/* Whatever is nearest is among the planes: at its distance, as the first. No plane cuts off the point. */
static void nearest_is_felt(void **state)
{
    (void)state;
    for (int form = 0; form < 3; form++) {
        if (form == 0)
            build_star();
        else if (form == 1)
            build_torus(60, 30, 0.4f);
        else
            build_sphere(30, 15);
        mt_mesh *mesh = make();
        uint64_t seed = 47;
        for (int i = 0; i < 20000; i++) {
            mote_vec3 x = random_point(&seed, 1.8f);
            if (i % 2) /* exactly at a vertex, along one axis from it */
                x = shared_model.vertices[(uint32_t)i % shared_model.vertex_count];
            if (i % 4 == 1)
                x.y += 0.1f;
            float distance = mt_mesh_distance(mesh, x, INFINITY);
            mt_near near[MT_MAX_NEAR];
            uint32_t count = mt_mesh_near(mesh, x, distance * 1.1f + 1e-6f, near);
            check_true(count > 0, "a plane at (%g, %g, %g)", (double)x.x, (double)x.y, (double)x.z);
            for (uint32_t k = 0; k < count; k++) {
                double height = height_over(near[k].normal, near[k].offset, x);
                check_near(length_of(near[k].normal), 1, 1e-6, "length of a normal");
                if (k == 0)
                    check_near(height, distance, 1e-6 * (1 + (double)distance), "the nearest is first");
                check_above(height, (double)distance - 2e-6, "height over plane %u of %u", k, count);
            }
        }
        mt_mesh_free(mesh, &memory);
    }
}

int main(void)
{
    memory = mt_memory_make((mote_allocator){0});
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(flat_floor, nothing_leaks),
        cmocka_unit_test_teardown(sloped_floor, nothing_leaks),
        cmocka_unit_test_teardown(tilted_lattice, nothing_leaks),
        cmocka_unit_test_teardown(low_ridges, nothing_leaks),
        cmocka_unit_test_teardown(unequal_neighbours, nothing_leaks),
        cmocka_unit_test_teardown(cube_contacts, nothing_leaks),
        cmocka_unit_test_teardown(nearest_is_felt, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
