/* Quickhull with exact decisions. The points are put on a grid of 2^30 cells along the longest side of their
 * box; which side of a plane a point is on is then a question of whole numbers, and never answered wrongly. So
 * the hull is always closed and convex, whatever the points are: doubled, in rows, in planes.
 *
 * A point that is in front of a face by more than a tolerance waits in the list of that face. The furthest of a
 * list becomes a corner: the faces that it sees go, and new ones join it to the border of the hole. */
#include "collide/hull_build.h"

#include "base/error.h"
#include "base/vec.h"
#include "world/check.h"

#include <string.h>

#define NOBODY    UINT32_MAX
#define GRID_BITS 30
#define TOLERANCE 128.0 /* cells: about what the rounding of a float amounts to */
#define FLAT      512.0 /* cells: nothing thinner is a solid */
#define LIVE_LIMIT                                                                                             \
    (8 * MT_HULL_MAX_CORNERS) /* faces at a time; a hull with too many corners is given up early */

typedef struct spot {
    int64_t x, y, z; /* cells */
} spot;

typedef struct face {
    uint32_t corner[3];
    uint32_t beyond[3]; /* the face over the edge from corner k to the next */
    uint32_t waiting;   /* the first point of its list */
    uint32_t furthest;  /* of its list */
    double reach;       /* of the furthest, cells */
    spot normal;        /* exact */
    double length;      /* of the normal */
    uint32_t seen_by;   /* the last point that asked and saw this face */
    bool alive;
} face;

typedef struct gap {
    uint32_t from, to; /* an edge at the border of the hole */
    uint32_t outer;    /* the face that stays */
} gap;

typedef struct builder {
    mt_memory *memory;
    uint32_t count;
    mt_array spots;    /* spot, one a point */
    mt_array next;     /* uint32_t, one a point: lists */
    mt_array starting; /* uint32_t, one a point: the new face whose border edge starts there; then: its edges */
    mt_array faces;    /* face */
    mt_array hole;     /* uint32_t: faces that the new corner sees */
    mt_array border;   /* gap */
    uint32_t face_count, live_count, hole_count, border_count;
} builder;

/* ---- whole numbers -------------------------------------------------------------------------------------- */

static spot minus(spot a, spot b)
{
    return (spot){a.x - b.x, a.y - b.y, a.z - b.z};
}

/* Differences are at most 2^30, so products of two are within 2^61. */
static spot cross(spot a, spot b)
{
    return (spot){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double length_of(spot a)
{
    double x = (double)a.x, y = (double)a.y, z = (double)a.z;
    return sqrt(x * x + y * y + z * z);
}

/* The number of whole 2^30 in m, rounded down, and what is left. */
static int64_t high_part(int64_t m)
{
    int64_t unit = INT64_C(1) << GRID_BITS;
    return m / unit - (m % unit < 0 ? 1 : 0);
}

static int64_t low_part(int64_t m)
{
    return m - high_part(m) * (INT64_C(1) << GRID_BITS);
}

/* The sign of the dot product of a normal and a difference: 90 bits, in two halves. */
static int exact_sign(spot n, spot d)
{
    int64_t high = high_part(n.x) * d.x + high_part(n.y) * d.y + high_part(n.z) * d.z;
    int64_t low = low_part(n.x) * d.x + low_part(n.y) * d.y + low_part(n.z) * d.z;
    high += high_part(low);
    low = low_part(low);
    return high < 0 ? -1 : high > 0 || low > 0 ? 1 : 0;
}

/* On which side of a face a point is: 1 in front, 0 in the plane, -1 behind. Floating point answers when its
 * error cannot matter. */
static int side_of(const builder *b, const face *f, uint32_t point)
{
    const spot *spots = b->spots.data;
    spot d = minus(spots[point], spots[f->corner[0]]);
    double x = (double)f->normal.x * (double)d.x, y = (double)f->normal.y * (double)d.y;
    double z = (double)f->normal.z * (double)d.z, sum = x + y + z;
    if (fabs(sum) > 1e-14 * (fabs(x) + fabs(y) + fabs(z)))
        return sum > 0 ? 1 : -1;
    return exact_sign(f->normal, d);
}

/* How far a point is in front of a face, cells. */
static double height_of(const builder *b, const face *f, uint32_t point)
{
    const spot *spots = b->spots.data;
    spot d = minus(spots[point], spots[f->corner[0]]);
    return ((double)f->normal.x * (double)d.x + (double)f->normal.y * (double)d.y +
            (double)f->normal.z * (double)d.z) /
           f->length;
}

/* ---- points to the grid --------------------------------------------------------------------------------- */

static void place_points(builder *b, const mote_vec3 *points)
{
    mote_vec3 low = points[0], high = points[0];
    for (uint32_t i = 1; i < b->count; i++) {
        low = (mote_vec3){fminf(low.x, points[i].x), fminf(low.y, points[i].y), fminf(low.z, points[i].z)};
        high = (mote_vec3){fmaxf(high.x, points[i].x), fmaxf(high.y, points[i].y), fmaxf(high.z, points[i].z)};
    }
    double x = (double)high.x - (double)low.x, y = (double)high.y - (double)low.y;
    double z = (double)high.z - (double)low.z;
    int exponent; /* of the longest side; a power of two keeps what is on a plane on it */
    frexp(fmax(x, fmax(y, z)), &exponent);
    spot *spots = b->spots.data;
    for (uint32_t i = 0; i < b->count; i++) {
        double dx = (double)points[i].x - (double)low.x, dy = (double)points[i].y - (double)low.y;
        double dz = (double)points[i].z - (double)low.z;
        spots[i].x = (int64_t)floor(ldexp(dx, GRID_BITS - exponent) + 0.5);
        spots[i].y = (int64_t)floor(ldexp(dy, GRID_BITS - exponent) + 0.5);
        spots[i].z = (int64_t)floor(ldexp(dz, GRID_BITS - exponent) + 0.5);
    }
}

/* ---- faces ---------------------------------------------------------------------------------------------- */

static mote_result add_face(builder *b, uint32_t i, uint32_t j, uint32_t k, uint32_t *index)
{
    MT_TRY(mt_array_reserve(&b->faces, b->memory, b->face_count + 1, b->face_count));
    const spot *spots = b->spots.data;
    face f = {.corner = {i, j, k}, .waiting = NOBODY, .furthest = NOBODY, .seen_by = NOBODY, .alive = true};
    f.normal = cross(minus(spots[j], spots[i]), minus(spots[k], spots[i]));
    f.length = length_of(f.normal);
    *index = b->face_count++;
    b->live_count++;
    ((face *)b->faces.data)[*index] = f;
    return MOTE_OK;
}

/* Puts a point into the list of the first of some faces that it is in front of; it is dropped if there is
 * none. */
static void hand_out(builder *b, uint32_t point, uint32_t first, uint32_t end)
{
    face *faces = b->faces.data;
    uint32_t *next = b->next.data;
    for (uint32_t i = first; i < end; i++) {
        face *f = &faces[i];
        double height = height_of(b, f, point);
        if (height <= TOLERANCE)
            continue;
        next[point] = f->waiting;
        f->waiting = point;
        if (height > f->reach) {
            f->reach = height;
            f->furthest = point;
        }
        return;
    }
}

/* ---- the first tetrahedron ------------------------------------------------------------------------------ */

static uint32_t furthest_from_point(const builder *b, uint32_t p)
{
    const spot *spots = b->spots.data;
    uint32_t best = p;
    double most = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        double length = length_of(minus(spots[i], spots[p]));
        if (length > most) {
            most = length;
            best = i;
        }
    }
    return best;
}

static uint32_t furthest_from_line(const builder *b, uint32_t p, uint32_t q, double *distance)
{
    const spot *spots = b->spots.data;
    spot along = minus(spots[q], spots[p]);
    uint32_t best = p;
    double most = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        double area = length_of(cross(along, minus(spots[i], spots[p])));
        if (area > most) {
            most = area;
            best = i;
        }
    }
    *distance = most / length_of(along);
    return best;
}

static uint32_t furthest_from_face(const builder *b, const face *f, double *distance)
{
    uint32_t best = f->corner[0];
    *distance = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        double height = fabs(height_of(b, f, i));
        if (height > *distance) {
            *distance = height;
            best = i;
        }
    }
    return best;
}

static mote_result choose_four(builder *b, uint32_t four[4])
{
    const spot *spots = b->spots.data;
    four[0] = furthest_from_point(b, 0);
    four[1] = furthest_from_point(b, four[0]);
    if (length_of(minus(spots[four[1]], spots[four[0]])) == 0)
        return mt_fail(MOTE_ERROR_MESH, "the %u points of the hull are all at one place", b->count);
    double distance;
    four[2] = furthest_from_line(b, four[0], four[1], &distance);
    if (distance <= FLAT)
        return mt_fail(MOTE_ERROR_MESH, "the %u points of the hull all lie on a line", b->count);
    face plane = {.corner = {four[0], four[1], four[2]}};
    plane.normal = cross(minus(spots[four[1]], spots[four[0]]), minus(spots[four[2]], spots[four[0]]));
    plane.length = length_of(plane.normal);
    four[3] = furthest_from_face(b, &plane, &distance);
    if (distance <= FLAT)
        return mt_fail(MOTE_ERROR_MESH, "the %u points of the hull all lie in a plane", b->count);
    if (side_of(b, &plane, four[3]) > 0) { /* the first face must look away from the fourth point */
        uint32_t swap = four[1];
        four[1] = four[2];
        four[2] = swap;
    }
    return MOTE_OK;
}

static mote_result start(builder *b)
{
    uint32_t p[4] = {0}, index;
    MT_TRY(choose_four(b, p));
    MT_TRY(add_face(b, p[0], p[1], p[2], &index));
    MT_TRY(add_face(b, p[1], p[0], p[3], &index));
    MT_TRY(add_face(b, p[2], p[1], p[3], &index));
    MT_TRY(add_face(b, p[0], p[2], p[3], &index));
    static const uint32_t beyond[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    face *faces = b->faces.data;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            faces[i].beyond[k] = beyond[i][k];
    for (uint32_t i = 0; i < b->count; i++)
        hand_out(b, i, 0, 4);
    return MOTE_OK;
}

/* ---- one more corner ------------------------------------------------------------------------------------ */

static mote_result add_to_hole(builder *b, uint32_t index, uint32_t point)
{
    MT_TRY(mt_array_reserve(&b->hole, b->memory, b->hole_count + 1, b->hole_count));
    ((uint32_t *)b->hole.data)[b->hole_count++] = index;
    face *f = (face *)b->faces.data + index;
    f->seen_by = point;
    f->alive = false;
    b->live_count--;
    return MOTE_OK;
}

/* The faces that a point sees, beginning with one that it does see, and their border. */
static mote_result dig(builder *b, uint32_t first, uint32_t point)
{
    face *faces = b->faces.data;
    b->hole_count = b->border_count = 0;
    MT_TRY(add_to_hole(b, first, point));
    for (uint32_t i = 0; i < b->hole_count; i++) {
        const face *f = &faces[((uint32_t *)b->hole.data)[i]];
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t other = f->beyond[k];
            if (faces[other].seen_by == point)
                continue;
            if (side_of(b, &faces[other], point) > 0) {
                MT_TRY(add_to_hole(b, other, point));
                continue;
            }
            MT_TRY(mt_array_reserve(&b->border, b->memory, b->border_count + 1, b->border_count));
            ((gap *)b->border.data)[b->border_count++] = (gap){f->corner[k], f->corner[(k + 1) % 3], other};
        }
    }
    return MOTE_OK;
}

/* New faces from the border to the point, joined to their neighbours. */
static mote_result close_hole(builder *b, uint32_t point)
{
    uint32_t *starting = b->starting.data, first = b->face_count;
    for (uint32_t i = 0; i < b->border_count; i++) {
        gap g = ((gap *)b->border.data)[i];
        uint32_t index;
        MT_TRY(add_face(b, g.from, g.to, point, &index));
        starting[g.from] = index;
        face *faces = b->faces.data, *outer = &faces[g.outer];
        faces[index].beyond[0] = g.outer;
        for (uint32_t k = 0; k < 3; k++)
            if (outer->corner[k] == g.to && outer->corner[(k + 1) % 3] == g.from)
                outer->beyond[k] = index;
    }
    face *faces = b->faces.data;
    for (uint32_t i = first; i < b->face_count; i++) {
        uint32_t follower = starting[faces[i].corner[1]];
        faces[i].beyond[1] = follower;
        faces[follower].beyond[2] = i;
    }
    return MOTE_OK;
}

static mote_result add_corner(builder *b, uint32_t index)
{
    uint32_t point = ((face *)b->faces.data)[index].furthest, first = b->face_count;
    MT_TRY(dig(b, index, point));
    MT_TRY(close_hole(b, point));
    const face *faces = b->faces.data;
    const uint32_t *next = b->next.data, *hole = b->hole.data;
    for (uint32_t i = 0; i < b->hole_count; i++)
        for (uint32_t p = faces[hole[i]].waiting, after; p != NOBODY; p = after) {
            after = next[p];
            if (p != point)
                hand_out(b, p, first, b->face_count);
        }
    return MOTE_OK;
}

/* ---- the result ----------------------------------------------------------------------------------------- */

static mote_result too_many_corners(void)
{
    return mt_fail(MOTE_ERROR_MESH, "the hull has more than %u corners", MT_HULL_MAX_CORNERS);
}

/* A corner is where at least three edges meet; an edge is where two faces do not lie in one plane. */
static void count_edges(builder *b)
{
    uint32_t *edges = b->starting.data;
    const face *faces = b->faces.data;
    memset(edges, 0, b->count * sizeof *edges);
    for (uint32_t i = 0; i < b->face_count; i++)
        for (uint32_t k = 0; k < 3 && faces[i].alive; k++) {
            const face *other = &faces[faces[i].beyond[k]];
            for (uint32_t m = 0; m < 3; m++)
                if (side_of(b, &faces[i], other->corner[m]) != 0) {
                    edges[faces[i].corner[k]]++;
                    break;
                }
        }
}

static mote_result write_result(builder *b, mt_hull_result *result)
{
    const face *faces = b->faces.data;
    const uint32_t *edges = b->starting.data;
    MT_TRY(mt_array_reserve(&result->triangles, b->memory, 3 * (size_t)b->live_count, 0));
    MT_TRY(mt_array_reserve(&result->corners, b->memory, MT_HULL_MAX_CORNERS, 0));
    uint32_t *triangles = result->triangles.data, *corners = result->corners.data;
    count_edges(b);
    result->triangle_count = result->corner_count = 0;
    for (uint32_t i = 0; i < b->face_count; i++)
        if (faces[i].alive)
            memcpy(triangles + 3 * result->triangle_count++, faces[i].corner, sizeof faces[i].corner);
    for (uint32_t i = 0; i < b->count; i++) {
        if (edges[i] < 3)
            continue;
        if (result->corner_count == MT_HULL_MAX_CORNERS)
            return too_many_corners();
        corners[result->corner_count++] = i;
    }
    return MOTE_OK;
}

static mote_result build(builder *b, const mote_vec3 *points, mt_hull_result *result)
{
    MT_TRY(mt_array_reserve(&b->spots, b->memory, b->count, 0));
    MT_TRY(mt_array_reserve(&b->next, b->memory, b->count, 0));
    MT_TRY(mt_array_reserve(&b->starting, b->memory, b->count, 0));
    place_points(b, points);
    MT_TRY(start(b));
    for (uint32_t i = 0; i < b->face_count; i++) {
        const face *f = (const face *)b->faces.data + i;
        if (!f->alive || f->furthest == NOBODY)
            continue;
        MT_TRY(add_corner(b, i));
        if (b->live_count > LIVE_LIMIT)
            return too_many_corners();
    }
    return write_result(b, result);
}

mote_result mt_hull_build(mt_memory *memory, const mote_vec3 *points, uint32_t count, mt_hull_result *result)
{
    builder b = {.memory = memory, .count = count};
    mt_array_init(&b.spots, sizeof(spot));
    mt_array_init(&b.next, sizeof(uint32_t));
    mt_array_init(&b.starting, sizeof(uint32_t));
    mt_array_init(&b.faces, sizeof(face));
    mt_array_init(&b.hole, sizeof(uint32_t));
    mt_array_init(&b.border, sizeof(gap));
    mote_result outcome = build(&b, points, result);
    mt_array *arrays[] = {&b.spots, &b.next, &b.starting, &b.faces, &b.hole, &b.border};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        mt_array_free(arrays[i], memory);
    return outcome;
}

void mt_hull_result_init(mt_hull_result *result)
{
    mt_array_init(&result->triangles, sizeof(uint32_t));
    mt_array_init(&result->corners, sizeof(uint32_t));
    result->triangle_count = result->corner_count = 0;
}

void mt_hull_result_free(mt_hull_result *result, mt_memory *memory)
{
    mt_array_free(&result->triangles, memory);
    mt_array_free(&result->corners, memory);
}
