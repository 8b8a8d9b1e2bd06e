#include "collide/triangle_near.h"

#define SAME_NORMAL   1e-4  /* length of the difference: planes that count as one */
#define SAME_DISTANCE 1e-5  /* parts of the reach */
#define SLACK         1e-6  /* cosine: by how much a neighbour must come nearer to hide an edge or vertex */
#define SHALLOW       0.05  /* cosine: planes that stand on each other more upright do not hide each other */
#define ON_EDGE       1e-12 /* parts of the edge: a point nearer than this is on it */

void mt_near_begin(mt_near_list *list, const mt_surface *surface, mote_vec3 x, float within,
                   mt_near_sides sides)
{
    list->surface = surface;
    list->x = x;
    list->within = within;
    list->reach = mt_box_grow((mt_box){x, x}, within);
    list->sides = sides;
    list->count = list->waiting_count = 0;
}

/* The order of the answer. At one distance faces come first: they are the truth where a point is exactly above
 * an inner edge. */
static bool comes_before(const mt_candidate *a, const mt_candidate *b)
{
    if (a->distance != b->distance)
        return a->distance < b->distance;
    if (a->feature != b->feature)
        return a->feature < b->feature;
    return a->low != b->low ? a->low < b->low : a->high < b->high;
}

static bool is_known(const mt_near_list *list, uint32_t feature, uint32_t low, uint32_t high)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const mt_candidate *known = &list->candidates[i];
        if (known->feature == feature && known->low == low && known->high == high)
            return true;
    }
    return false;
}

static void insert(mt_near_list *list, const mt_candidate *candidate)
{
    uint32_t place = list->count;
    if (place == MT_MAX_CANDIDATES) {
        if (!comes_before(candidate, &list->candidates[place - 1]))
            return;
        place--;
    } else {
        list->count++;
    }
    for (; place > 0 && comes_before(candidate, &list->candidates[place - 1]); place--)
        list->candidates[place] = list->candidates[place - 1];
    list->candidates[place] = *candidate;
}

static void add_face(mt_near_list *list, uint32_t number, const mt_triangle *triangle, double distance,
                     mt_real3 way, bool behind)
{
    if (is_known(list, MT_FACE, number, number))
        return;
    bool other_side = behind && list->sides == MT_NEAR_BOTH;
    mt_candidate face = {mt_triangle_plane(triangle, other_side), distance, way, MT_FACE, number, number};
    insert(list, &face);
}

/* What lies on or behind the plane of a face that is nearer cannot be touched before the face. This also
 * settles borders that lie against a face without sharing vertices with it. */
static bool hides(const mt_near_list *list, const mt_candidate *face, mt_real3 way, double square)
{
    double height = -mt_real_dot(mt_real_of(face->plane.normal), way); /* of the point over that place */
    return height >= face->distance - SAME_DISTANCE * (double)list->within && height > 0 &&
           height * height > SHALLOW * SHALLOW * square;
}

static bool is_hidden_by_face(const mt_near_list *list, const mt_closest *closest)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->candidates[i].feature == MT_FACE &&
            hides(list, &list->candidates[i], closest->way, closest->square))
            return true;
    return false;
}

/* The place of a vertex in a triangle, or 3. */
static int place_of(const mt_triangle *triangle, uint32_t vertex)
{
    int i = 0;
    while (i < 3 && triangle->corner[i] != vertex)
        i++;
    return i;
}

/* True if going from the nearest point along `edge` comes nearer to the point. */
static bool comes_nearer(mt_real3 way, double square, mt_real3 edge)
{
    double gain = -mt_real_dot(way, edge);
    return gain > 0 && gain * gain > SLACK * SLACK * square * mt_real_dot(edge, edge);
}

/* A triangle that has the edge or vertex and is nearer to the point than it. */
static bool is_nearer(const mt_triangle *triangle, const mt_closest *closest)
{
    int low = place_of(triangle, closest->low), high = place_of(triangle, closest->high);
    if (closest->feature == MT_EDGE) {
        /* The way is at right angles to the edge: only the corner opposite matters. */
        mt_real3 inwards = mt_real_between(triangle->at[low], triangle->at[3 - low - high]);
        return comes_nearer(closest->way, closest->square, inwards);
    }
    for (int i = 1; i < 3; i++) {
        mt_real3 edge = mt_real_between(triangle->at[low], triangle->at[(low + i) % 3]);
        if (comes_nearer(closest->way, closest->square, edge))
            return true;
    }
    return false;
}

/* The triangles that share the feature, one after the other; `at` starts as 0. */
static bool next_sharing(const mt_surface *surface, const mt_closest *closest, const uint32_t *fan,
                         uint32_t count, uint32_t *at, mt_triangle *triangle)
{
    while (*at < count) {
        *triangle = surface->triangle(surface->self, fan[(*at)++]);
        if (closest->feature == MT_VERTEX || place_of(triangle, closest->high) < 3)
            return true;
    }
    return false;
}

static bool sticks_out(const mt_surface *surface, const mt_closest *closest, const uint32_t *fan,
                       uint32_t count)
{
    mt_triangle triangle;
    for (uint32_t at = 0; next_sharing(surface, closest, fan, count, &at, &triangle);)
        if (is_nearer(&triangle, closest))
            return false;
    return true;
}

static bool same_normal(mt_real3 a, mt_real3 b)
{
    mt_real3 difference = mt_real_sub(a, b);
    return mt_real_dot(difference, difference) <= SAME_NORMAL * SAME_NORMAL;
}

/* Right above the border of a face the face is what touches. Rounding may see such a point outside of all
 * triangles around; the normal tells. */
static bool add_face_instead(mt_near_list *list, const mt_closest *closest, double distance, mt_real3 normal,
                             const uint32_t *fan, uint32_t count)
{
    mt_triangle triangle;
    for (uint32_t at = 0; next_sharing(list->surface, closest, fan, count, &at, &triangle);) {
        mt_real3 front = mt_real_of(mt_triangle_normal(&triangle));
        bool behind = mt_real_dot(front, normal) < 0;
        if (!same_normal(mt_real_scale(front, behind ? -1 : 1), normal))
            continue;
        if (!behind || list->sides == MT_NEAR_BOTH)
            add_face(list, fan[at - 1], &triangle, distance, closest->way, behind);
        return true;
    }
    return false;
}

static void add_edge_or_vertex(mt_near_list *list, const mt_closest *closest)
{
    if (is_hidden_by_face(list, closest) || is_known(list, closest->feature, closest->low, closest->high))
        return;
    uint32_t room[MT_FAN_ROOM], count;
    const uint32_t *fan = list->surface->fan(list->surface->self, closest->low, room, &count);
    if (!sticks_out(list->surface, closest, fan, count))
        return;
    double distance = sqrt(closest->square);
    mt_real3 normal = mt_real_scale(closest->way, -1 / distance);
    if (add_face_instead(list, closest, distance, normal, fan, count))
        return;
    mote_vec3 rounded = mt_real_round(normal);
    mt_real3 place = mt_real_add(mt_real_of(list->x), closest->way);
    mt_near plane = {rounded, (float)mt_real_dot(mt_real_of(rounded), place) + 0.0f};
    mt_candidate candidate = {plane, distance, closest->way, closest->feature, closest->low, closest->high};
    insert(list, &candidate);
}

static void settle_waiting(mt_near_list *list)
{
    for (uint32_t i = 0; i < list->waiting_count; i++)
        add_edge_or_vertex(list, &list->waiting[i]);
    list->waiting_count = 0;
}

/* The point lies on the edge or vertex itself, which then has no direction: the triangle's own is taken. */
static bool is_on_feature(const mt_triangle *triangle, const mt_closest *closest)
{
    if (closest->feature == MT_VERTEX)
        return closest->square == 0;
    mt_real3 edge = mt_real_between(triangle->at[place_of(triangle, closest->low)],
                                    triangle->at[place_of(triangle, closest->high)]);
    return closest->square <= ON_EDGE * ON_EDGE * mt_real_dot(edge, edge);
}

static bool is_outside(float a, float b, float c, float low, float high)
{
    return ((a < low) & (b < low) & (c < low)) | ((a > high) & (b > high) & (c > high));
}

/* Cheap, and true of most triangles in the leaves of a tree. */
static bool is_beyond_reach(const mt_near_list *list, const mt_triangle *triangle)
{
    const mote_vec3 *at = triangle->at;
    return is_outside(at[0].x, at[1].x, at[2].x, list->reach.min.x, list->reach.max.x) ||
           is_outside(at[0].y, at[1].y, at[2].y, list->reach.min.y, list->reach.max.y) ||
           is_outside(at[0].z, at[1].z, at[2].z, list->reach.min.z, list->reach.max.z);
}

void mt_near_take(mt_near_list *list, uint32_t number, const mt_triangle *triangle)
{
    if (is_beyond_reach(list, triangle))
        return;
    mt_real3 cross = mt_triangle_cross(triangle);
    double side = mt_triangle_side(triangle, cross, list->x),
           most = (double)list->within * (double)list->within;
    if (side * side > 1.000001 * most * mt_real_dot(cross, cross))
        return; /* its plane is too far already */
    mt_closest closest = mt_triangle_closest(triangle, list->x);
    if (!(closest.square <= most))
        return;
    if (closest.feature == MT_FACE || is_on_feature(triangle, &closest)) {
        bool behind = side < 0;
        if (list->sides == MT_NEAR_BOTH || behind == (list->sides == MT_NEAR_BACK))
            add_face(list, number, triangle, sqrt(closest.square), closest.way, behind);
        return;
    }
    if (list->sides == MT_NEAR_BACK)
        return;
    if (list->waiting_count == MT_MAX_WAITING)
        settle_waiting(list);
    list->waiting[list->waiting_count++] = closest;
}

bool mt_near_same(const mt_near *a, const mt_near *b, mote_vec3 x, float scale)
{
    mt_real3 first = mt_real_of(a->normal), second = mt_real_of(b->normal);
    double apart =
        mt_real_dot(mt_real_sub(first, second), mt_real_of(x)) - ((double)a->offset - (double)b->offset);
    return same_normal(first, second) && fabs(apart) <= SAME_DISTANCE * (double)scale;
}

static bool adds_nothing(const mt_near_list *list, uint32_t number, const mt_near *out, uint32_t count)
{
    const mt_candidate *candidate = &list->candidates[number];
    double square = candidate->distance * candidate->distance;
    for (uint32_t i = 0; i < number && list->sides != MT_NEAR_BACK; i++)
        if (list->candidates[i].feature == MT_FACE && hides(list, &list->candidates[i], candidate->way, square))
            return true;
    for (uint32_t i = 0; i < count; i++)
        if (mt_near_same(&out[i], &candidate->plane, list->x, list->within))
            return true;
    return false;
}

uint32_t mt_near_end(mt_near_list *list, mt_near out[MT_MAX_NEAR])
{
    settle_waiting(list);
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count && count < MT_MAX_NEAR; i++)
        if (!adds_nothing(list, i, out, count))
            out[count++] = list->candidates[i].plane;
    return count;
}
