/* Making a hull: checks, corners, triangles. */
#include "base/error.h"
#include "base/sort.h"
#include "collide/hull_build.h"
#include "collide/hull_parts.h"
#include "world/check.h"

#include <string.h>

#define POINT_LIMIT ((size_t)100000000)
#define COORD_LIMIT 1e6f /* m */
#define FEWEST      4u

static mote_result check_points(const mote_vec3 *points, size_t count)
{
    MT_TRY(mt_check_pointer("points", points));
    if (count < FEWEST)
        return mt_fail(MOTE_ERROR_MESH, "a hull of %zu points; it needs at least %u", count, FEWEST);
    if (count > POINT_LIMIT)
        return mt_fail(MOTE_ERROR_ARGUMENT, "a hull of %zu points; it must be at most %zu", count, POINT_LIMIT);
    for (size_t i = 0; i < count; i++) {
        mote_vec3 p = points[i];
        if (!mt_is_finite3(p))
            return mt_fail(MOTE_ERROR_NOT_FINITE,
                           "point %zu of the hull is (%g, %g, %g); it must have finite coordinates", i,
                           (double)p.x, (double)p.y, (double)p.z);
        if (fabsf(p.x) > COORD_LIMIT || fabsf(p.y) > COORD_LIMIT || fabsf(p.z) > COORD_LIMIT)
            return mt_fail(MOTE_ERROR_ARGUMENT,
                           "point %zu of the hull is (%g, %g, %g); each coordinate must be within +-%g", i,
                           (double)p.x, (double)p.y, (double)p.z, (double)COORD_LIMIT);
    }
    return MOTE_OK;
}

static int by_place(const void *a, const void *b)
{
    const mote_vec3 *p = a, *q = b;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    if (p->y != q->y)
        return p->y < q->y ? -1 : 1;
    return p->z < q->z ? -1 : p->z > q->z ? 1 : 0;
}

static int by_corners(const void *a, const void *b)
{
    const uint32_t *p = a, *q = b;
    for (int k = 0; k < 3; k++)
        if (p[k] != q[k])
            return p[k] < q[k] ? -1 : 1;
    return 0;
}

/* Keeps the corners of the points that were built, sorted. `points` may be the hull's own vertices. */
static mote_result keep_corners(mt_hull *hull, mt_memory *memory, const mote_vec3 *points,
                                const mt_hull_result *built)
{
    mt_array kept;
    mt_array_init(&kept, sizeof(mote_vec3));
    MT_TRY(mt_array_reserve(&kept, memory, 2 * (size_t)built->corner_count, 0));
    const uint32_t *corners = built->corners.data;
    mote_vec3 *to = kept.data;
    for (uint32_t i = 0; i < built->corner_count; i++) {
        mote_vec3 p = points[corners[i]];
        to[i] = (mote_vec3){p.x + 0.0f, p.y + 0.0f, p.z + 0.0f}; /* no -0: one place, one sign */
    }
    mt_merge_sort(to, to + built->corner_count, built->corner_count, sizeof *to, by_place);
    mt_array_free(&hull->vertices, memory);
    hull->vertices = kept;
    hull->vertex_count = built->corner_count;
    return MOTE_OK;
}

/* Each with its lowest corner first, in the order of their corners. */
static mote_result keep_triangles(mt_hull *hull, mt_memory *memory, const mt_hull_result *built)
{
    size_t numbers = 3 * (size_t)built->triangle_count;
    MT_TRY(mt_array_reserve(&hull->triangles, memory, 2 * numbers, 0));
    const uint32_t *from = built->triangles.data;
    uint32_t *to = hull->triangles.data;
    for (size_t i = 0; i < numbers; i += 3) {
        const uint32_t *c = from + i;
        uint32_t low = c[0] < c[1] ? (c[0] < c[2] ? 0 : 2) : (c[1] < c[2] ? 1 : 2);
        for (uint32_t k = 0; k < 3; k++)
            to[i + k] = c[(low + k) % 3];
    }
    mt_merge_sort(to, to + numbers, built->triangle_count, 3 * sizeof *to, by_corners);
    hull->triangle_count = built->triangle_count;
    return MOTE_OK;
}

/* The hull of the corners alone may still drop one that is within the tolerance. It is built again until all
 * stay: so a hull of a hull's vertices is the same hull. */
static mote_result settle(mt_hull *hull, mt_memory *memory, const mote_vec3 *points, size_t count,
                          mt_hull_result *built)
{
    MT_TRY(mt_hull_build(memory, points, (uint32_t)count, built));
    MT_TRY(keep_corners(hull, memory, points, built));
    for (;;) {
        MT_TRY(mt_hull_build(memory, hull->vertices.data, hull->vertex_count, built));
        if (built->corner_count == hull->vertex_count)
            return keep_triangles(hull, memory, built);
        MT_TRY(keep_corners(hull, memory, hull->vertices.data, built));
    }
}

static mote_result fill(mt_hull *hull, mt_memory *memory, const mote_vec3 *points, size_t count)
{
    mt_hull_result built;
    mt_hull_result_init(&built);
    mote_result result = settle(hull, memory, points, count, &built);
    mt_hull_result_free(&built, memory);
    MT_TRY(result);
    hull->bounds = mt_box_empty();
    for (uint32_t i = 0; i < hull->vertex_count; i++)
        hull->bounds = mt_box_with(hull->bounds, ((mote_vec3 *)hull->vertices.data)[i]);
    return mt_hull_make_faces(hull, memory);
}

mt_hull *mt_hull_make(mt_memory *memory, const mote_vec3 *points, size_t count)
{
    if (check_points(points, count) != MOTE_OK)
        return NULL;
    mt_hull *hull = mt_allocate(memory, sizeof *hull);
    if (hull == NULL)
        return NULL;
    memset(hull, 0, sizeof *hull);
    mt_array_init(&hull->vertices, sizeof(mote_vec3));
    mt_array_init(&hull->triangles, sizeof(uint32_t));
    mt_array_init(&hull->planes, sizeof(mt_hull_plane));
    mt_array_init(&hull->faces, sizeof(mt_hull_face));
    mt_array_init(&hull->sides, sizeof(mt_hull_plane));
    if (fill(hull, memory, points, count) == MOTE_OK)
        return hull;
    mt_hull_free(hull, memory);
    return NULL;
}

void mt_hull_free(mt_hull *hull, mt_memory *memory)
{
    if (hull == NULL)
        return;
    mt_array_free(&hull->vertices, memory);
    mt_array_free(&hull->triangles, memory);
    mt_array_free(&hull->planes, memory);
    mt_array_free(&hull->faces, memory);
    mt_array_free(&hull->sides, memory);
    mt_release(memory, hull, sizeof *hull);
}

mt_box mt_hull_bounds(const mt_hull *hull)
{
    return hull->bounds;
}

mote_mesh mt_hull_source(const mt_hull *hull)
{
    return (mote_mesh){hull->vertices.data, hull->vertex_count, hull->triangles.data, hull->triangle_count};
}
