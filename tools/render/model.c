#include "model.h"

#include "vector.h"

#include <stdlib.h>

void model_destroy(model *m)
{
    free(m->vertices);
    free(m->triangles);
    *m = (model){0};
}

/* Room for one more item of the given size; false, with the array as it was, without memory. */
static bool make_room(void **items, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return true;
    size_t wanted = *room < 64 ? 64 : 2 * *room;
    void *moved = realloc(*items, wanted * size);
    if (moved == NULL)
        return false;
    *items = moved;
    *room = wanted;
    return true;
}

uint32_t model_add_vertex(model *m, mote_vec3 position, mote_vec3 normal)
{
    void *vertices = m->vertices;
    m->failed = m->failed || m->vertex_count >= UINT32_MAX ||
                !make_room(&vertices, m->vertex_count, &m->vertex_room, sizeof *m->vertices);
    m->vertices = vertices;
    if (m->failed)
        return 0;
    m->vertices[m->vertex_count] = (model_vertex){position, normal};
    return (uint32_t)m->vertex_count++;
}

void model_add_triangle(model *m, uint32_t a, uint32_t b, uint32_t c)
{
    void *triangles = m->triangles;
    m->failed =
        m->failed || !make_room(&triangles, m->triangle_count, &m->triangle_room, 3 * sizeof *m->triangles);
    m->triangles = triangles;
    if (m->failed)
        return;
    uint32_t *corners = m->triangles + 3 * m->triangle_count++;
    corners[0] = a;
    corners[1] = b;
    corners[2] = c;
}

void model_bounds(const model *m, mote_vec3 *min, mote_vec3 *max)
{
    *min = (mote_vec3){INFINITY, INFINITY, INFINITY};
    *max = (mote_vec3){-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < m->vertex_count; i++) {
        *min = vector_least(*min, m->vertices[i].position);
        *max = vector_most(*max, m->vertices[i].position);
    }
}

/* ---- balls ---------------------------------------------------------------------------------------------- */

/* The rings of a half, from the equator (ring 0) to the pole; the pole is a ring as well, so that all quads
 * are alike. `side` is 1 for the upper half and -1 for the lower one. */
static void add_rings(model *m, int segments, int rings, float side)
{
    for (int ring = 0; ring <= rings; ring++) {
        float lift = 1.57079633f * (float)ring / (float)rings;
        float width = ring < rings ? cosf(lift) : 0.0f;
        for (int i = 0; i < segments; i++) {
            float turn = 6.28318531f * (float)i / (float)segments;
            mote_vec3 place = {width * cosf(turn), side * sinf(lift), -width * sinf(turn)};
            model_add_vertex(m, place, place);
        }
    }
}

/* Two triangles between ring `low` and ring `high` above it, both counted by their first vertex. */
static void join_rings(model *m, uint32_t low, uint32_t high, uint32_t segments)
{
    for (uint32_t i = 0; i < segments; i++) {
        uint32_t next = (i + 1) % segments;
        model_add_triangle(m, low + i, low + next, high + next);
        model_add_triangle(m, low + i, high + next, high + i);
    }
}

void model_make_ball(model *m, int segments)
{
    int rings = segments / 4;
    uint32_t width = (uint32_t)segments;
    add_rings(m, segments, rings, 1.0f);
    m->upper = m->vertex_count;
    add_rings(m, segments, rings, -1.0f);
    uint32_t lower = (uint32_t)m->upper;
    for (uint32_t ring = 0; ring < (uint32_t)rings; ring++) {
        join_rings(m, ring * width, (ring + 1) * width, width);
        join_rings(m, lower + (ring + 1) * width, lower + ring * width, width);
    }
    join_rings(m, lower, 0, width);
}

/* ---- boxes ---------------------------------------------------------------------------------------------- */

static void add_face(model *m, mote_vec3 normal, mote_vec3 across, mote_vec3 along)
{
    uint32_t corners[4];
    for (int i = 0; i < 4; i++) {
        float a = i == 0 || i == 3 ? -1.0f : 1.0f, b = i < 2 ? -1.0f : 1.0f;
        mote_vec3 side = vector_add(vector_scale(across, a), vector_scale(along, b));
        corners[i] = model_add_vertex(m, vector_add(normal, side), normal);
    }
    model_add_triangle(m, corners[0], corners[1], corners[2]);
    model_add_triangle(m, corners[0], corners[2], corners[3]);
}

void model_make_box(model *m)
{
    mote_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    add_face(m, x, y, z);
    add_face(m, y, z, x);
    add_face(m, z, x, y);
    add_face(m, vector_scale(x, -1), z, y);
    add_face(m, vector_scale(y, -1), x, z);
    add_face(m, vector_scale(z, -1), y, x);
}
