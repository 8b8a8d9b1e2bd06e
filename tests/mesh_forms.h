/* Meshes of known forms, for the tests. */
#ifndef MOTE_TESTS_MESH_FORMS_H
#define MOTE_TESTS_MESH_FORMS_H

#include "support.h"

#include <math.h>
#include <stdlib.h>

typedef struct mesh_form {
    mote_vec3 *vertices;
    uint32_t *triangles;
    size_t vertex_count, triangle_count;
} mesh_form;

static inline mesh_form form_of(size_t vertex_count, size_t triangle_count)
{
    return (mesh_form){calloc(vertex_count, sizeof(mote_vec3)), calloc(3 * triangle_count, sizeof(uint32_t)),
                       vertex_count, triangle_count};
}

static inline void form_free(mesh_form *form)
{
    free(form->vertices);
    free(form->triangles);
}

static inline mote_mesh mesh_of(const mesh_form *form)
{
    return (mote_mesh){form->vertices, form->vertex_count, form->triangles, form->triangle_count};
}

/* Corner i has the higher x, y, z where bit 0, 1, 2 is set. */
static inline mesh_form box_form(mote_vec3 low, mote_vec3 high)
{
    static const uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    mesh_form form = form_of(8, 12);
    for (int i = 0; i < 8; i++)
        form.vertices[i] = vec(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z);
    for (int q = 0; q < 6; q++)
        for (int k = 0; k < 3; k++) {
            form.triangles[6 * q + k] = quads[q][k];
            form.triangles[6 * q + 3 + k] = quads[q][(k + 2) % 4];
        }
    return form;
}

/* A grid of m by n cells that closes on itself both ways. */
static inline void wrap_grid(mesh_form *form, uint32_t m, uint32_t n)
{
    uint32_t *to = form->triangles;
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = 0; j < n; j++) {
            uint32_t a = i * n + j, b = (i + 1) % m * n + j, c = (i + 1) % m * n + (j + 1) % n;
            uint32_t d = i * n + (j + 1) % n;
            const uint32_t corners[6] = {a, b, c, a, c, d};
            for (int k = 0; k < 6; k++)
                *to++ = corners[k];
        }
}

/* About the y axis: `large` is from the middle to the middle of the tube, `small` the tube's radius. */
static inline mesh_form torus_form(double large, double small, uint32_t m, uint32_t n)
{
    mesh_form form = form_of((size_t)m * n, 2 * (size_t)m * n);
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = 0; j < n; j++) {
            double u = 2 * TEST_PI * i / m, v = 2 * TEST_PI * j / n, r = large + small * cos(v);
            form.vertices[i * n + j] = vec((float)(r * cos(u)), (float)(-small * sin(v)), (float)(r * sin(u)));
        }
    wrap_grid(&form, m, n);
    return form;
}

/* `rings` bands of `around` quads between two poles. */
static inline mesh_form sphere_form(mote_vec3 center, double radius, uint32_t rings, uint32_t around)
{
    mesh_form form = form_of(2 + (size_t)(rings - 1) * around, 2 * (size_t)(rings - 1) * around);
    form.vertices[0] = vec(center.x, center.y + (float)radius, center.z);
    form.vertices[1] = vec(center.x, center.y - (float)radius, center.z);
    for (uint32_t i = 1; i < rings; i++)
        for (uint32_t j = 0; j < around; j++) {
            double a = TEST_PI * i / rings, b = 2 * TEST_PI * j / around;
            form.vertices[2 + (i - 1) * around + j] =
                vec(center.x + (float)(radius * sin(a) * cos(b)), center.y + (float)(radius * cos(a)),
                    center.z + (float)(radius * sin(a) * sin(b)));
        }
    uint32_t *to = form.triangles;
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
    return form;
}

/* The same triangles, each with vertices of its own. */
static inline mesh_form loose_form(const mesh_form *form)
{
    mesh_form loose = form_of(3 * form->triangle_count, form->triangle_count);
    for (size_t i = 0; i < 3 * form->triangle_count; i++) {
        loose.vertices[i] = form->vertices[form->triangles[i]];
        loose.triangles[i] = (uint32_t)i;
    }
    return loose;
}

static inline void turn_inside_out(mesh_form *form)
{
    for (size_t t = 0; t < form->triangle_count; t++) {
        uint32_t swap = form->triangles[3 * t];
        form->triangles[3 * t] = form->triangles[3 * t + 1];
        form->triangles[3 * t + 1] = swap;
    }
}

#endif
