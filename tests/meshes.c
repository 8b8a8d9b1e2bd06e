#include "meshes.h"

#include <math.h>
#include <stdlib.h>

test_mesh empty_mesh(size_t vertices, size_t triangles)
{
    test_mesh mesh = {calloc(vertices, sizeof(mote_vec3)), calloc(triangles, sizeof(uint32_t[3])), vertices,
                      triangles};
    assert_non_null(mesh.vertices);
    assert_non_null(mesh.triangles);
    return mesh;
}

mote_mesh mesh_view(const test_mesh *mesh)
{
    return (mote_mesh){mesh->vertices, mesh->vertex_count, mesh->triangles, mesh->triangle_count};
}

void mesh_free(test_mesh *mesh)
{
    free(mesh->vertices);
    free(mesh->triangles);
}

/* Two triangles of a cell of a grid whose columns and rows may close upon themselves. */
static void add_cell(test_mesh *mesh, size_t *next, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const uint32_t corners[6] = {a, b, c, a, c, d};
    for (int i = 0; i < 6; i++)
        mesh->triangles[(*next)++] = corners[i];
}

test_mesh torus_mesh(double major, double minor, uint32_t around, uint32_t across)
{
    test_mesh mesh = empty_mesh((size_t)around * across, 2 * (size_t)around * across);
    size_t next = 0;
    for (uint32_t i = 0; i < around; i++) {
        for (uint32_t k = 0; k < across; k++) {
            double a = 2 * TEST_PI * i / around, b = 2 * TEST_PI * k / across, out = major + minor * cos(b);
            mesh.vertices[i * across + k] =
                vec((float)(out * cos(a)), (float)(minor * sin(b)), (float)(out * sin(a)));
            uint32_t i2 = (i + 1) % around, k2 = (k + 1) % across;
            add_cell(&mesh, &next, i * across + k, i * across + k2, i2 * across + k2, i2 * across + k);
        }
    }
    return mesh;
}

/* Corner i has the higher x, y, z where bit 0, 1, 2 is set. */
test_mesh box_between(mote_vec3 low, mote_vec3 high)
{
    static const uint32_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    test_mesh mesh = empty_mesh(8, 12);
    for (uint32_t i = 0; i < 8; i++)
        mesh.vertices[i] = vec(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z);
    size_t next = 0;
    for (int f = 0; f < 6; f++)
        add_cell(&mesh, &next, faces[f][0], faces[f][1], faces[f][2], faces[f][3]);
    return mesh;
}

test_mesh box_mesh(mote_vec3 half)
{
    return box_between(vec(-half.x, -half.y, -half.z), half);
}

test_mesh floor_mesh(float half, uint32_t cells)
{
    test_mesh mesh = empty_mesh((size_t)(cells + 1) * (cells + 1), 2 * (size_t)cells * cells);
    size_t next = 0;
    for (uint32_t row = 0; row <= cells; row++) {
        for (uint32_t column = 0; column <= cells; column++) {
            uint32_t at = row * (cells + 1) + column;
            mesh.vertices[at] = vec(half * (2.0f * (float)column / (float)cells - 1.0f), 0.0f,
                                    half * (2.0f * (float)row / (float)cells - 1.0f));
            if (row < cells && column < cells)
                add_cell(&mesh, &next, at, at + cells + 1, at + cells + 2, at + 1);
        }
    }
    return mesh;
}

test_mesh bowl_mesh(double radius, uint32_t around, uint32_t down)
{
    test_mesh mesh = empty_mesh(1 + (size_t)around * down, (size_t)around * (2 * (size_t)down - 1));
    size_t next = 0;
    mesh.vertices[0] = vec(0.0f, (float)-radius, 0.0f);
    for (uint32_t ring = 0; ring < down; ring++) {
        double angle = 0.5 * TEST_PI * (ring + 1) / down;
        for (uint32_t i = 0; i < around; i++) {
            double turn = 2 * TEST_PI * i / around;
            uint32_t at = 1 + ring * around + i, beside = 1 + ring * around + (i + 1) % around;
            mesh.vertices[at] = vec((float)(radius * sin(angle) * cos(turn)), (float)(-radius * cos(angle)),
                                    (float)(radius * sin(angle) * sin(turn)));
            if (ring == 0) {
                const uint32_t corners[3] = {0, at, beside};
                for (int k = 0; k < 3; k++)
                    mesh.triangles[next++] = corners[k];
            } else
                add_cell(&mesh, &next, at - around, at, beside, beside - around);
        }
    }
    return mesh;
}

/* `rings` bands of `around` quads between two poles. */
test_mesh sphere_mesh(mote_vec3 center, double radius, uint32_t rings, uint32_t around)
{
    test_mesh mesh = empty_mesh(2 + (size_t)(rings - 1) * around, 2 * (size_t)(rings - 1) * around);
    mesh.vertices[0] = vec(center.x, center.y + (float)radius, center.z);
    mesh.vertices[1] = vec(center.x, center.y - (float)radius, center.z);
    for (uint32_t i = 1; i < rings; i++)
        for (uint32_t j = 0; j < around; j++) {
            double a = TEST_PI * i / rings, b = 2 * TEST_PI * j / around;
            mesh.vertices[2 + (i - 1) * around + j] =
                vec(center.x + (float)(radius * sin(a) * cos(b)), center.y + (float)(radius * cos(a)),
                    center.z + (float)(radius * sin(a) * sin(b)));
        }
    uint32_t *to = mesh.triangles;
    for (uint32_t j = 0; j < around; j++) {
        uint32_t next = (j + 1) % around, last = 2 + (rings - 2) * around;
        const uint32_t caps[6] = {0, 2 + next, 2 + j, 1, last + j, last + next};
        for (int k = 0; k < 6; k++)
            *to++ = caps[k];
        for (uint32_t i = 1; i + 1 < rings; i++) {
            uint32_t upper = 2 + (i - 1) * around, lower = upper + around;
            const uint32_t quad[6] = {upper + j, upper + next, lower + next,
                                      upper + j, lower + next, lower + j};
            for (int k = 0; k < 6; k++)
                *to++ = quad[k];
        }
    }
    return mesh;
}

/* The same triangles, each with vertices of its own. */
test_mesh loose_mesh(const test_mesh *mesh)
{
    test_mesh loose = empty_mesh(3 * mesh->triangle_count, mesh->triangle_count);
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++) {
        loose.vertices[i] = mesh->vertices[mesh->triangles[i]];
        loose.triangles[i] = (uint32_t)i;
    }
    return loose;
}

void turn_inside_out(test_mesh *mesh)
{
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        uint32_t swap = mesh->triangles[3 * t];
        mesh->triangles[3 * t] = mesh->triangles[3 * t + 1];
        mesh->triangles[3 * t + 1] = swap;
    }
}
