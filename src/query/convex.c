/* Convex sets against a box, by the algorithm of Gilbert, Johnson and Keerthi (1988): the two overlap if the
 * origin is in the set of all differences of their points. A simplex in that set is moved towards the origin
 * until it is around it, or until a plane is seen to part the two. */
#include "query/turned_box.h"

#define MOST_STEPS 128

typedef struct simplex {
    mt_real3 at[4];
    int count;
} simplex;

static double square_of(mt_real3 a)
{
    return mt_real_dot(a, a);
}

/* ---- the nearest point of a simplex to the origin; corners that it does not need are dropped ------------- */

static mt_real3 nearest_of_line(simplex *s)
{
    mt_real3 a = s->at[0], along = mt_real_sub(s->at[1], a);
    double part = -mt_real_dot(a, along), whole = square_of(along);
    if (part <= 0 || whole == 0) {
        s->count = 1;
        return a;
    }
    if (part >= whole) {
        *s = (simplex){{s->at[1]}, 1};
        return s->at[0];
    }
    return mt_real_add(a, mt_real_scale(along, part / whole));
}

static mt_real3 nearest_of_edges(simplex *s)
{
    simplex best = {.count = 0};
    mt_real3 nearest = s->at[0];
    for (int i = 0; i < 3; i++) {
        simplex edge = {{s->at[i], s->at[(i + 1) % 3]}, 2};
        mt_real3 x = nearest_of_line(&edge);
        if (best.count == 0 || square_of(x) < square_of(nearest)) {
            best = edge;
            nearest = x;
        }
    }
    *s = best;
    return nearest;
}

static mt_real3 nearest_of_triangle(simplex *s)
{
    mt_real3 a = s->at[0], b = s->at[1], c = s->at[2];
    mt_real3 normal = mt_real_cross(mt_real_sub(b, a), mt_real_sub(c, a));
    double whole = square_of(normal);
    /* The origin is over the face if it is on the inner side of each edge. */
    if (whole > 0 && mt_real_dot(mt_real_cross(a, b), normal) >= 0 &&
        mt_real_dot(mt_real_cross(b, c), normal) >= 0 && mt_real_dot(mt_real_cross(c, a), normal) >= 0)
        return mt_real_scale(normal, mt_real_dot(a, normal) / whole);
    return nearest_of_edges(s);
}

/* Whether the origin and the corner `other` are on different sides of a face; flat simplices have no inside. */
static bool is_beyond(const simplex *face, mt_real3 other)
{
    mt_real3 a = face->at[0];
    mt_real3 normal = mt_real_cross(mt_real_sub(face->at[1], a), mt_real_sub(face->at[2], a));
    double inner = mt_real_dot(normal, mt_real_sub(other, a)), origin = -mt_real_dot(normal, a);
    return inner > 0 ? origin < 0 : inner < 0 ? origin > 0 : true;
}

/* The origin itself if it is inside. */
static mt_real3 nearest_of_tetrahedron(simplex *s)
{
    static const int faces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
    simplex best = *s;
    mt_real3 nearest = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        simplex face = {{s->at[faces[i][0]], s->at[faces[i][1]], s->at[faces[i][2]]}, 3};
        if (!is_beyond(&face, s->at[faces[i][3]]))
            continue;
        mt_real3 x = nearest_of_triangle(&face);
        if (best.count == 4 || square_of(x) < square_of(nearest)) {
            best = face;
            nearest = x;
        }
    }
    *s = best;
    return nearest;
}

static mt_real3 nearest_of(simplex *s)
{
    switch (s->count) {
    case 1:
        return s->at[0];
    case 2:
        return nearest_of_line(s);
    case 3:
        return nearest_of_triangle(s);
    default:
        return nearest_of_tetrahedron(s);
    }
}

/* ---- the search ------------------------------------------------------------------------------------------ */

/* The difference, point minus box, that is furthest against a direction. */
static mt_real3 furthest_against(const mote_vec3 *points, size_t count, const mt_turned_box *box,
                                 mt_real3 direction)
{
    mt_real3 best = mt_real_of(points[0]);
    double least = mt_real_dot(best, direction);
    for (size_t i = 1; i < count; i++) {
        mt_real3 x = mt_real_of(points[i]);
        double along = mt_real_dot(x, direction);
        if (along < least) {
            least = along;
            best = x;
        }
    }
    best = mt_real_sub(best, box->center);
    for (int k = 0; k < 3; k++)
        best = mt_real_add(best,
                           mt_real_scale(box->half[k], mt_real_dot(box->half[k], direction) > 0 ? -1.0 : 1.0));
    return best;
}

bool mt_convex_meets_box(const mote_vec3 *points, size_t count, double radius, const mt_turned_box *box)
{
    simplex s = {{mt_real_sub(mt_real_of(points[0]), box->center)}, 1};
    mt_real3 x = s.at[0];
    double size =
        mt_real_size(x) + mt_real_size(box->half[0]) + mt_real_size(box->half[1]) + mt_real_size(box->half[2]);
    double touching = mt_real_most(radius, 1e-13 * size);
    for (int step = 0; step < MOST_STEPS; step++) {
        if (square_of(x) < touching * touching)
            return true;
        mt_real3 next = furthest_against(points, count, box, x);
        double length = sqrt(square_of(x)), apart = mt_real_dot(next, x) / length;
        /* No difference is nearer to the origin than `apart`. */
        if (apart >= touching || apart >= length * (1 - 1e-14))
            return false;
        s.at[s.count++] = next;
        x = nearest_of(&s);
        if (s.count == 4)
            return true;
    }
    return true;
}
