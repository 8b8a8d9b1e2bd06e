/* What mote_mesh_inspect finds in a mesh. */
#include "meshes.h"

#include "world/mesh_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static mote_mesh_report report_of(const test_mesh *form)
{
    mote_mesh mesh = mesh_view(form);
    mote_mesh_report report;
    memset(&report, 0xA5, sizeof report);
    must(mote_mesh_inspect(&mesh, &report));
    return report;
}

static void check_faults(const mote_mesh_report *r, size_t degenerate, size_t open, size_t nonmanifold,
                         size_t flipped, const char *what)
{
    check_true(r->degenerate_triangles == degenerate && r->open_edges == open &&
                   r->nonmanifold_edges == nonmanifold && r->flipped_edges == flipped,
               "%s: %zu degenerate, %zu open, %zu crowded, %zu flipped", what, r->degenerate_triangles,
               r->open_edges, r->nonmanifold_edges, r->flipped_edges);
    check_true(r->closed == (open + nonmanifold + flipped == 0), "%s: closed", what);
}

static void sound_box(void **state)
{
    (void)state;
    test_mesh box = box_between(vec(-1, 10, 3), vec(1, 14, 8.5f));
    mote_mesh_report r = report_of(&box);
    check_faults(&r, 0, 0, 0, 0, "a box");
    check_true(r.first_degenerate == SIZE_MAX, "no first degenerate");
    check_near(r.volume, 44, 0, "volume");
    check_near(r.area, 82, 0, "area");
    check_true(r.min.x == -1 && r.min.y == 10 && r.min.z == 3 && r.max.x == 1 && r.max.y == 14 &&
                   r.max.z == 8.5f,
               "its box");
    turn_inside_out(&box);
    r = report_of(&box);
    check_faults(&r, 0, 0, 0, 0, "a box inside out");
    check_near(r.volume, -44, 0, "volume inside out");
    mesh_free(&box);
    box = box_between(vec(999990, -999990, 5), vec(999991, -999988, 8));
    check_near(report_of(&box).volume, 6, 0, "volume far away");
    mesh_free(&box);
}

/* Triangles with vertices of their own are judged by their form; -0 and 0 are one place. */
static void loose_triangles(void **state)
{
    (void)state;
    test_mesh forms[] = {box_between(vec(0, 0, 0), vec(1, 1, 1)), sphere_mesh(vec(0, 0, 0), 1, 20, 40),
                         torus_mesh(2, 0.5, 60, 30)};
    for (int i = 0; i < 3; i++) {
        test_mesh loose = loose_mesh(&forms[i]);
        for (size_t k = 0; k < loose.vertex_count; k += 2)
            if (loose.vertices[k].x == 0)
                loose.vertices[k].x = -0.0f;
        mote_mesh_report whole = report_of(&forms[i]), apart = report_of(&loose);
        check_faults(&whole, 0, 0, 0, 0, "a whole mesh");
        check_faults(&apart, 0, 0, 0, 0, "loose triangles");
        check_near(apart.volume, whole.volume, 1e-12, "volume of loose triangles");
        check_near(apart.area, whole.area, 1e-12, "area of loose triangles");
        mesh_free(&loose);
    }
    check_near(report_of(&forms[1]).volume, 4.0 / 3 * TEST_PI, 0.06, "volume of a sphere");
    check_near(report_of(&forms[2]).volume, 2 * TEST_PI * TEST_PI * 2 * 0.25, 0.1, "volume of a torus");
    check_near(report_of(&forms[2]).area, 4 * TEST_PI * TEST_PI * 2 * 0.5, 0.4, "area of a torus");
    for (int i = 0; i < 3; i++)
        mesh_free(&forms[i]);
}

static void missing_triangle(void **state)
{
    (void)state;
    test_mesh box = box_between(vec(0, 0, 0), vec(1, 1, 1));
    box.triangle_count--;
    mote_mesh_report r = report_of(&box);
    check_faults(&r, 0, 3, 0, 0, "a box without its last triangle");
    /* Corners 7, 6, 4 are missing; of their edges the one between 4 and 6 comes first, in the side x = 0. */
    check_true(r.first_open[0].x == 0 && r.first_open[0].y == 0 && r.first_open[0].z == 1 &&
                   r.first_open[1].x == 0 && r.first_open[1].y == 1 && r.first_open[1].z == 1,
               "the first open edge is from %g %g %g to %g %g %g", (double)r.first_open[0].x,
               (double)r.first_open[0].y, (double)r.first_open[0].z, (double)r.first_open[1].x,
               (double)r.first_open[1].y, (double)r.first_open[1].z);
    mesh_free(&box);
}

static void flipped_triangle(void **state)
{
    (void)state;
    test_mesh box = box_between(vec(0, 0, 0), vec(1, 1, 1));
    uint32_t swap = box.triangles[15];
    box.triangles[15] = box.triangles[16];
    box.triangles[16] = swap;
    mote_mesh_report r = report_of(&box);
    check_faults(&r, 0, 0, 0, 3, "a box with a flipped triangle");
    mesh_free(&box);
}

/* A fin on an edge of the box: that edge has three triangles, the fin two open ones. */
static void nonmanifold_edge(void **state)
{
    (void)state;
    test_mesh box = box_between(vec(0, 0, 0), vec(1, 1, 1)), fin = empty_mesh(9, 13);
    memcpy(fin.vertices, box.vertices, 8 * sizeof(mote_vec3));
    memcpy(fin.triangles, box.triangles, 36 * sizeof(uint32_t));
    fin.vertices[8] = vec(-1, -1, 0.5f);
    const uint32_t corners[3] = {0, 4, 8};
    memcpy(fin.triangles + 36, corners, sizeof corners);
    mote_mesh_report r = report_of(&fin);
    check_faults(&r, 0, 2, 1, 0, "a box with a fin");
    mesh_free(&box);
    mesh_free(&fin);
}

/* A triangle folded to an edge changes nothing; one on a line joins an edge in two parts to a whole one. */
static void degenerate_triangles(void **state)
{
    (void)state;
    test_mesh box = box_between(vec(0, 0, 0), vec(1, 1, 1)), more = empty_mesh(8, 13);
    memcpy(more.vertices, box.vertices, 8 * sizeof(mote_vec3));
    memcpy(more.triangles, box.triangles, 36 * sizeof(uint32_t));
    const uint32_t folded[3] = {3, 3, 5};
    memcpy(more.triangles + 36, folded, sizeof folded);
    mote_mesh_report r = report_of(&more);
    check_faults(&r, 1, 0, 0, 0, "a folded triangle");
    check_true(r.first_degenerate == 12, "it is triangle %zu", r.first_degenerate);
    check_near(r.volume, 1, 0, "volume");
    const uint32_t edge_only[9] = {0, 0, 1, 2, 2, 2, 1, 0, 0};
    memcpy(more.triangles, edge_only, sizeof edge_only);
    more.triangle_count = 3;
    mote_mesh mesh = mesh_view(&more);
    must(mote_mesh_inspect(&mesh, &r));
    check_true(r.degenerate_triangles == 3 && r.first_degenerate == 0 && !r.closed, "nothing but edges");
    mesh_free(&more);

    /* The tetrahedron 0, 1, 2, 3 with a point 4 in the middle of edge 0-1; one side uses 0-1 as a whole. */
    test_mesh split = empty_mesh(5, 6);
    const mote_vec3 corners[5] = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0, 0, 2}, {1, 0, 0}};
    const uint32_t sides[18] = {0, 2, 4, 4, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3, 0, 4, 1};
    memcpy(split.vertices, corners, sizeof corners);
    memcpy(split.triangles, sides, sizeof sides);
    r = report_of(&split);
    check_faults(&r, 1, 0, 0, 0, "a triangle on a line");
    check_true(r.first_degenerate == 5, "it is triangle %zu", r.first_degenerate);
    check_near(r.volume, 8.0 / 6, 1e-15, "volume");
    mesh_free(&split);
    mesh_free(&box);
}

static void check_refused(const mote_mesh *mesh, mote_result result, const char *word)
{
    mote_mesh_report report;
    mote_result got = mote_mesh_inspect(mesh, &report);
    check_true(got == result && strstr(mote_last_error(), word) != NULL, "result %d with '%s' in: %s", (int)got,
               word, mote_last_error());
}

static void bad_input(void **state)
{
    (void)state;
    test_mesh box = box_between(vec(0, 0, 0), vec(1, 1, 1));
    mote_mesh good = mesh_view(&box), mesh = good;
    check_refused(NULL, MOTE_ERROR_ARGUMENT, "mesh is NULL");
    check_true(mote_mesh_inspect(&good, NULL) == MOTE_ERROR_ARGUMENT, "no report");
    mesh.vertices = NULL;
    check_refused(&mesh, MOTE_ERROR_ARGUMENT, "vertices");
    mesh = good;
    mesh.triangles = NULL;
    check_refused(&mesh, MOTE_ERROR_ARGUMENT, "triangles");
    mesh = good;
    mesh.triangle_count = 0;
    check_refused(&mesh, MOTE_ERROR_MESH, "triangle_count");
    mesh = good;
    mesh.vertex_count = 0;
    check_refused(&mesh, MOTE_ERROR_MESH, "vertex_count");
    mesh = good;
    mesh.triangle_count = 100000001;
    check_refused(&mesh, MOTE_ERROR_ARGUMENT, "100000001");
    mesh = good;
    mesh.vertex_count = 7;
    check_refused(&mesh, MOTE_ERROR_ARGUMENT, "vertex 7");
    box.vertices[5].z = NAN;
    check_refused(&good, MOTE_ERROR_NOT_FINITE, "vertices[5]");
    box.vertices[5].z = -INFINITY;
    check_refused(&good, MOTE_ERROR_NOT_FINITE, "vertices[5]");
    box.vertices[5].z = 1.1e6f;
    check_refused(&good, MOTE_ERROR_ARGUMENT, "vertices[5]");
    mesh_free(&box);
}

static void memory_failure(void **state)
{
    (void)state;
    test_mesh box = box_between(vec(0, 0, 0), vec(1, 1, 1));
    mote_mesh mesh = mesh_view(&box);
    mote_result result = MOTE_ERROR_MEMORY;
    size_t n = 1;
    for (; result != MOTE_OK && n < 100; n++) {
        test_heap heap = {.fail_at = n, .fill = 0xA5};
        mt_memory memory = mt_memory_make(heap_allocator(&heap));
        mote_mesh_report report;
        result = mt_mesh_inspect(&memory, &mesh, &report);
        check_true(result == MOTE_OK || result == MOTE_ERROR_MEMORY, "call %zu fails: %d", n, (int)result);
        check_true(heap.live_blocks == 0 && heap.wrong_sizes == 0 && heap.overruns == 0,
                   "nothing is left after call %zu", n);
    }
    check_true(result == MOTE_OK && n > 3, "it works after %zu calls", n);
    mesh_free(&box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_box),        cmocka_unit_test(loose_triangles),
        cmocka_unit_test(missing_triangle), cmocka_unit_test(flipped_triangle),
        cmocka_unit_test(nonmanifold_edge), cmocka_unit_test(degenerate_triangles),
        cmocka_unit_test(bad_input),        cmocka_unit_test(memory_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
