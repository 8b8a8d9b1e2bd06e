/* What a convex hull answers. Height means the distance in front of the plane of a face; the greatest height
 * decides most questions: below 0 the point is inside, and no point is closer to the hull than that. */
#include "collide/hull_parts.h"

/* The face with the greatest height. */
static uint32_t highest_face(const mt_hull *hull, mt_vec3d x, double *height)
{
    const mt_hull_plane *planes = hull->planes.data;
    uint32_t best = 0;
    double top = mt_plane_height(&planes[0], x);
    for (uint32_t i = 1; i < hull->face_count; i++) {
        double h = mt_plane_height(&planes[i], x);
        if (h > top) {
            top = h;
            best = i;
        }
    }
    *height = top;
    return best;
}

/* Whether a point is straight above a face. */
static bool is_above(const mt_hull *hull, uint32_t index, mt_vec3d x)
{
    const mt_hull_face *face = (const mt_hull_face *)hull->faces.data + index;
    const mt_hull_plane *sides = (const mt_hull_plane *)hull->sides.data + face->first_side;
    for (uint32_t i = 0; i < face->side_count; i++)
        if (mt_plane_height(&sides[i], x) > 0)
            return false;
    return true;
}

static mt_vec3d on_segment(mt_vec3d a, mt_vec3d b, mt_vec3d x)
{
    mt_vec3d along = mt_wide_sub(b, a);
    double part = mt_wide_dot(mt_wide_sub(x, a), along) / mt_wide_dot(along, along);
    return mt_wide_add_scaled(a, along, part < 0 ? 0 : part > 1 ? 1 : part);
}

static void take_nearer(mt_vec3d x, mt_vec3d point, mt_vec3d *nearest, double *square)
{
    mt_vec3d d = mt_wide_sub(x, point);
    double s = mt_wide_dot(d, d);
    if (s < *square) {
        *square = s;
        *nearest = point;
    }
}

/* The nearest point of a triangle, if it is nearer than what is known: straight below, or on an edge. */
static void try_triangle(const mt_vec3d v[3], mt_vec3d x, mt_vec3d *nearest, double *square)
{
    mt_vec3d ab = mt_wide_sub(v[1], v[0]), ac = mt_wide_sub(v[2], v[0]), ax = mt_wide_sub(x, v[0]);
    mt_vec3d n = mt_wide_cross(ab, ac);
    double whole = mt_wide_dot(n, n);
    double to_b = mt_wide_dot(mt_wide_cross(ax, ac), n), to_c = mt_wide_dot(mt_wide_cross(ab, ax), n);
    if (to_b >= 0 && to_c >= 0 && to_b + to_c <= whole) {
        take_nearer(x, mt_wide_add_scaled(x, n, -mt_wide_dot(ax, n) / whole), nearest, square);
        return;
    }
    if (to_c < 0)
        take_nearer(x, on_segment(v[0], v[1], x), nearest, square);
    if (to_b < 0)
        take_nearer(x, on_segment(v[0], v[2], x), nearest, square);
    if (to_b + to_c > whole)
        take_nearer(x, on_segment(v[1], v[2], x), nearest, square);
}

/* The nearest point of the hull to a point outside: it is on a face that sees the point. */
static mt_vec3d nearest_point(const mt_hull *hull, mt_vec3d x, double *distance)
{
    const mt_hull_plane *planes = hull->planes.data;
    const mt_hull_face *faces = hull->faces.data;
    const mote_vec3 *vertices = hull->vertices.data;
    const uint32_t *triangles = hull->triangles.data;
    mt_vec3d nearest = mt_wide(vertices[0]);
    double square = HUGE_VAL, reach = HUGE_VAL;
    for (uint32_t i = 0; i < hull->face_count; i++) {
        if (mt_plane_height(&planes[i], x) < -hull->close)
            continue;
        mt_vec3d to_center = mt_wide_sub(x, faces[i].center);
        double most = reach + faces[i].radius;
        if (mt_wide_dot(to_center, to_center) > most * most)
            continue;
        const uint32_t *corner = triangles + 3 * (size_t)faces[i].first_triangle;
        for (uint32_t t = 0; t < faces[i].triangle_count; t++, corner += 3) {
            mt_vec3d v[3] = {mt_wide(vertices[corner[0]]), mt_wide(vertices[corner[1]]),
                             mt_wide(vertices[corner[2]])};
            try_triangle(v, x, &nearest, &square);
        }
        reach = sqrt(square);
    }
    *distance = reach;
    return nearest;
}

static mt_near plane_of_face(const mt_hull_plane *plane, bool inside)
{
    double s = inside ? -1.0 : 1.0;
    return (mt_near){{(float)(s * plane->normal.x), (float)(s * plane->normal.y), (float)(s * plane->normal.z)},
                     (float)(s * plane->offset)};
}

static uint32_t near_outside(const mt_hull *hull, mt_vec3d x, double within, mt_near *out)
{
    double height;
    uint32_t face = highest_face(hull, x, &height);
    if (height > within)
        return 0;
    *out = plane_of_face((const mt_hull_plane *)hull->planes.data + face, false);
    if (height <= 0 || is_above(hull, face, x))
        return 1;
    double distance;
    mt_vec3d point = nearest_point(hull, x, &distance);
    if (distance > within)
        return 0;
    if (distance <= 4 * hull->close) /* too near for a direction of its own */
        return 1;
    mt_vec3d away = mt_wide_sub(x, point);
    away = (mt_vec3d){away.x / distance, away.y / distance, away.z / distance};
    *out = (mt_near){mt_narrow(away), (float)mt_wide_dot(away, point)};
    return 1;
}

/* The faces of a container, the nearest first. */
static uint32_t near_inside(const mt_hull *hull, mt_vec3d x, double within, mt_near out[MT_MAX_NEAR])
{
    const mt_hull_plane *planes = hull->planes.data;
    double depths[MT_MAX_NEAR];
    uint32_t count = 0;
    for (uint32_t i = 0; i < hull->face_count; i++) {
        double depth = -mt_plane_height(&planes[i], x);
        if (depth > within || (count == MT_MAX_NEAR && depth >= depths[count - 1]))
            continue;
        uint32_t place = count < MT_MAX_NEAR ? count++ : count - 1;
        for (; place > 0 && depths[place - 1] > depth; place--) {
            depths[place] = depths[place - 1];
            out[place] = out[place - 1];
        }
        depths[place] = depth;
        out[place] = plane_of_face(&planes[i], true);
    }
    return count;
}

uint32_t mt_hull_near(const mt_hull *hull, bool inside, mote_vec3 x, float within, mt_near out[MT_MAX_NEAR])
{
    return inside ? near_inside(hull, mt_wide(x), (double)within, out)
                  : near_outside(hull, mt_wide(x), (double)within, out);
}

float mt_hull_distance(const mt_hull *hull, bool inside, mote_vec3 x)
{
    double height;
    mt_vec3d point = mt_wide(x);
    uint32_t face = highest_face(hull, point, &height);
    if (inside)
        return (float)-height;
    if (height > 0 && !is_above(hull, face, point))
        nearest_point(hull, point, &height);
    return (float)height;
}

/* The part of the way that lies inside, from entry to exit, and the faces there. */
typedef struct clip {
    double entry, exit;
    uint32_t entry_face, exit_face;
    bool starts_outside; /* or on the surface */
    bool starts_inside;  /* or on the surface */
    bool misses;         /* all of the way is in front of a face */
} clip;

static clip clip_way(const mt_hull *hull, mt_vec3d from, mt_vec3d to)
{
    const mt_hull_plane *planes = hull->planes.data;
    clip c = {.entry = -1, .exit = 2, .starts_inside = true};
    for (uint32_t i = 0; i < hull->face_count; i++) {
        double start = mt_plane_height(&planes[i], from), end = mt_plane_height(&planes[i], to);
        c.starts_outside |= start >= 0;
        c.starts_inside &= start <= 0;
        c.misses |= start >= 0 && end >= 0;
        if (start >= 0 && end < 0 && start / (start - end) > c.entry) {
            c.entry = start / (start - end);
            c.entry_face = i;
        }
        if (start <= 0 && end > 0 && start / (start - end) < c.exit) {
            c.exit = start / (start - end);
            c.exit_face = i;
        }
    }
    return c;
}

/* Rounded towards the start, so that the place is not beyond the surface. */
static float part_of(double part)
{
    float rounded = (float)part;
    return (double)rounded > part ? nextafterf(rounded, 0.0f) : rounded;
}

bool mt_hull_cross(const mt_hull *hull, bool inside, mote_vec3 from, mote_vec3 to, mt_crossing *crossing)
{
    const mt_hull_plane *planes = hull->planes.data;
    clip c = clip_way(hull, mt_wide(from), mt_wide(to));
    if (inside) {
        if (!c.starts_inside || c.exit > 1)
            return false;
        *crossing = (mt_crossing){part_of(c.exit), plane_of_face(&planes[c.exit_face], true).normal};
        return true;
    }
    if (!c.starts_outside || c.misses || c.entry < 0 || c.entry > c.exit)
        return false;
    *crossing = (mt_crossing){part_of(c.entry), plane_of_face(&planes[c.entry_face], false).normal};
    return true;
}
