#include "collide/triangle.h"

/* Corners are on a line if the height over the longest side is below this part of it: what rounding leaves of
 * differences that are not exact. Far below what floats can place on purpose (1e-7). */
#define LEAST_HEIGHT 1e-13

/* How far outside of its border a line still meets a triangle, as a part of the distance to the corners and of
 * the line's length. Rounding is wrong by about 1e-15; floats cannot place a point to better than 1e-8. */
#define BORDER_OF_TRIANGLE 1e-9
#define BORDER_OF_WAY      1e-14

bool mt_triangle_has_area(const mt_triangle *triangle)
{
    double longest = 0;
    for (int i = 0; i < 3; i++) {
        mt_real3 edge = mt_real_between(triangle->at[i], triangle->at[(i + 1) % 3]);
        longest = mt_real_most(longest, mt_real_dot(edge, edge));
    }
    mt_real3 cross = mt_triangle_cross(triangle);
    return sqrt(mt_real_dot(cross, cross)) > LEAST_HEIGHT * longest;
}

mote_vec3 mt_triangle_normal(const mt_triangle *triangle)
{
    mt_real3 cross = mt_triangle_cross(triangle);
    double length = sqrt(mt_real_dot(cross, cross));
    return mt_real_round((mt_real3){cross.x / length, cross.y / length, cross.z / length});
}

mt_near mt_triangle_plane(const mt_triangle *triangle, bool other_side)
{
    mt_real3 normal = mt_real_of(mt_triangle_normal(triangle));
    if (other_side)
        normal = mt_real_scale(normal, -1);
    return (mt_near){mt_real_round(normal), (float)mt_real_dot(normal, mt_real_of(triangle->at[0])) + 0.0f};
}

mt_box mt_triangle_box(const mt_triangle *triangle)
{
    mt_box box = {triangle->at[0], triangle->at[0]};
    return mt_box_with(mt_box_with(box, triangle->at[1]), triangle->at[2]);
}

/* The nearest point of the edge between two corners, seen from the origin. It starts from the vertex with the
 * lower number, so that the triangles of an edge find the same point to the bit. */
static mt_closest closest_of_edge(uint32_t first, mt_real3 a, uint32_t second, mt_real3 b)
{
    if (first > second) {
        uint32_t number = first;
        first = second;
        second = number;
        mt_real3 place = a;
        a = b;
        b = place;
    }
    mt_real3 edge = mt_real_sub(b, a);
    double along = -mt_real_dot(a, edge), square = mt_real_dot(edge, edge);
    if (along <= 0)
        return (mt_closest){mt_real_dot(a, a), a, MT_VERTEX, first, first};
    if (along >= square)
        return (mt_closest){mt_real_dot(b, b), b, MT_VERTEX, second, second};
    mt_real3 way = mt_real_add(a, mt_real_scale(edge, along / square));
    return (mt_closest){mt_real_dot(way, way), way, MT_EDGE, first, second};
}

/* The point is over the face unless it is outside of an edge; then the nearest point is on such an edge. This
 * stays exact for needles, whose barycentric coordinates are all rounding. */
mt_closest mt_triangle_closest(const mt_triangle *triangle, mote_vec3 x)
{
    mt_real3 cross = mt_triangle_cross(triangle);
    mt_real3 to[3] = {mt_real_between(x, triangle->at[0]), mt_real_between(x, triangle->at[1]),
                      mt_real_between(x, triangle->at[2])};
    mt_closest best = {.square = (double)INFINITY};
    bool inside = true;
    for (int i = 0; i < 3; i++) {
        int next = i < 2 ? i + 1 : 0;
        if (mt_real_dot(cross, mt_real_cross(to[i], to[next])) >= 0)
            continue;
        inside = false;
        mt_closest edge = closest_of_edge(triangle->corner[i], to[i], triangle->corner[next], to[next]);
        if (edge.square < best.square)
            best = edge;
    }
    if (!inside)
        return best;
    double side = mt_triangle_side(triangle, cross, x), square = mt_real_dot(cross, cross);
    return (mt_closest){side * side / square, mt_real_scale(cross, -side / square), MT_FACE, 0, 0};
}

mt_way mt_way_make(mote_vec3 from, mote_vec3 to)
{
    mt_way way = {from, to, mt_real_between(from, to), 0};
    way.size = mt_real_size(way.step);
    return way;
}

/* The volumes that the line spans with each edge have the same sign, or are as good as zero. They are taken
 * about the point where the line passes the plane: there numbers are as small as they can be. */
static bool line_meets(const mt_real3 corner[3], const mt_real3 edge[3], const mt_way *way)
{
    bool left = true, right = true;
    for (int i = 0; i < 3; i++) {
        double volume = mt_real_dot(way->step, mt_real_cross(corner[i], edge[i]));
        double border = way->size * mt_real_size(edge[i]) *
                        (BORDER_OF_TRIANGLE * mt_real_size(corner[i]) + BORDER_OF_WAY * way->size);
        left = left && volume >= -border;
        right = right && volume <= border;
    }
    return left || right;
}

/* A plane that the line hardly leaves is met at a place that rounding chooses; it is never outside of where the
 * triangle itself is along the line. */
static double keep_within(double part, const mt_real3 to[3], const mt_way *way)
{
    double square = mt_real_dot(way->step, way->step);
    double first = mt_real_dot(to[0], way->step) / square, last = first;
    for (int i = 1; i < 3; i++) {
        double place = mt_real_dot(to[i], way->step) / square;
        first = mt_real_least(first, place);
        last = mt_real_most(last, place);
    }
    return mt_real_least(mt_real_most(mt_real_least(mt_real_most(part, first), last), 0), 1);
}

bool mt_triangle_crossed(const mt_triangle *triangle, const mt_way *way, double *part, bool *from_front)
{
    mt_real3 cross = mt_triangle_cross(triangle);
    double start = mt_triangle_side(triangle, cross, way->from);
    double end = mt_triangle_side(triangle, cross, way->to);
    if ((start >= 0) == (end >= 0))
        return false;
    double place = start / (start - end);
    mt_real3 to[3], corner[3], edge[3];
    for (int i = 0; i < 3; i++) {
        to[i] = mt_real_between(way->from, triangle->at[i]);
        corner[i] = mt_real_sub(to[i], mt_real_scale(way->step, place));
        edge[i] = mt_real_between(triangle->at[i], triangle->at[i < 2 ? i + 1 : 0]);
    }
    if (!line_meets(corner, edge, way))
        return false;
    *part = keep_within(place, to, way);
    *from_front = start >= 0;
    return true;
}
