/* Joining the vertices of meshes, and cutting polygons that come from no file. */
#include "io/mesh_file_builder.h"
#include "support.h"

#include <math.h>

/* A place has one vertex, whatever the signs of its zeros; the least step away is another place. */
static void places(void **state)
{
    (void)state;
    mesh_builder builder = {0};
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 5000; i++) {
            float x = nextafterf((float)(i % 50), 100.0f), y = (float)(i / 50);
            assert_int_equal(mesh_builder_vertex(&builder, vec(x, y, 0)), 2 * i);
            assert_int_equal(mesh_builder_vertex(&builder, vec((float)(i % 50), y, 0)), 2 * i + 1);
        }
    assert_int_equal(mesh_builder_vertex(&builder, vec(-0.0f, -0.0f, -0.0f)), 1);
    check_near((double)builder.mesh.vertex_count, 10000, 0, "places");
    mesh_builder_free(&builder);
}

/* Polygons without an area, or that cross themselves, have no right triangles; there are count - 2 all the
 * same, and each edge of the rim belongs to one of them, so that what was closed stays closed. */
static void odd_polygons(void **state)
{
    (void)state;
    static const float bow_tie[][2] = {{0, 0}, {1, 1}, {1, 0}, {0, 1}};
    static const float line[][2] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}};
    const struct {
        const float (*corner)[2];
        uint32_t count;
    } polygons[] = {{bow_tie, 4}, {line, 5}};
    for (size_t p = 0; p < 2; p++) {
        mesh_builder builder = {0};
        uint32_t corners[5], count = polygons[p].count;
        for (uint32_t i = 0; i < count; i++)
            corners[i] =
                mesh_builder_vertex(&builder, vec(polygons[p].corner[i][0], polygons[p].corner[i][1], 0));
        assert_true(mesh_builder_polygon(&builder, corners, count));
        check_near((double)builder.mesh.triangle_count, count - 2.0, 0, "triangles of polygon %zu", p);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t from = corners[i], to = corners[(i + 1) % count], found = 0;
            for (size_t k = 0; k < 3 * builder.mesh.triangle_count; k++) {
                const uint32_t *triangle = builder.mesh.triangles + k / 3 * 3;
                found += triangle[k % 3] == from && triangle[(k + 1) % 3] == to;
            }
            check_near(found, 1, 0, "triangles at edge %u of polygon %zu", i, p);
        }
        mesh_builder_free(&builder);
    }
    mesh_builder nothing = {0};
    assert_true(mesh_builder_polygon(&nothing, NULL, 0));
    check_near((double)nothing.mesh.triangle_count, 0, 0, "triangles of nothing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places),
        cmocka_unit_test(odd_polygons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
