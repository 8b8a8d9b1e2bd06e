/* The faces of a hull: triangles that lie in one plane, within what rounding does to them, are one face. */
#include "base/sort.h"
#include "collide/hull_parts.h"
#include "world/check.h"

#include <string.h>

#define NOBODY UINT32_MAX
#define SAME_WAY                                                                                               \
    0.9 /* of two normals of one face, least dot product; sides of a thin plate are no part of it */
#define CLOSENESS 1e-6 /* of the hull's size */

typedef struct trait {
    mt_vec3d normal;   /* unit */
    double area;       /* twice, m^2 */
    uint32_t triangle; /* its number */
} trait;

typedef struct link {
    uint32_t from, to; /* an edge, from < to */
    uint32_t corner;   /* its place in the triangle list */
} link;

typedef struct maker {
    mt_hull *hull;
    mt_array traits; /* trait, with as many again to sort; largest first when sorted */
    mt_array links;  /* link, with as many again to sort */
    mt_array beyond; /* uint32_t, one an edge: the triangle on its other side */
    mt_array order;  /* uint32_t: triangles face by face */
    mt_array owner;  /* uint32_t, one a triangle: its face */
    mt_array sorted; /* uint32_t: the triangle list, face by face */
} maker;

static int by_area(const void *a, const void *b)
{
    const trait *p = a, *q = b;
    if (p->area != q->area)
        return p->area > q->area ? -1 : 1;
    return p->triangle < q->triangle ? -1 : 1;
}

static int by_ends(const void *a, const void *b)
{
    const link *p = a, *q = b;
    if (p->from != q->from)
        return p->from < q->from ? -1 : 1;
    return p->to < q->to ? -1 : p->to > q->to ? 1 : 0;
}

static mt_vec3d corner_of(const mt_hull *hull, uint32_t triangle, uint32_t k)
{
    const mote_vec3 *vertices = hull->vertices.data;
    const uint32_t *triangles = hull->triangles.data;
    return mt_wide(vertices[triangles[3 * triangle + k % 3]]);
}

static void measure(maker *m)
{
    trait *traits = m->traits.data;
    for (uint32_t t = 0; t < m->hull->triangle_count; t++) {
        mt_vec3d a = corner_of(m->hull, t, 0);
        mt_vec3d n =
            mt_wide_cross(mt_wide_sub(corner_of(m->hull, t, 1), a), mt_wide_sub(corner_of(m->hull, t, 2), a));
        double area = mt_wide_length(n);
        traits[t] = (trait){{n.x / area, n.y / area, n.z / area}, area, t};
    }
}

/* The two triangles of an edge follow each other when all edges are sorted by their ends. */
static void find_neighbors(maker *m)
{
    const uint32_t *triangles = m->hull->triangles.data;
    uint32_t *beyond = m->beyond.data, count = 3 * m->hull->triangle_count;
    link *links = m->links.data;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t a = triangles[i], b = triangles[i % 3 == 2 ? i - 2 : i + 1];
        links[i] = (link){a < b ? a : b, a < b ? b : a, i};
    }
    mt_merge_sort(links, links + count, count, sizeof *links, by_ends);
    for (uint32_t i = 0; i < count; i += 2) {
        beyond[links[i].corner] = links[i + 1].corner / 3;
        beyond[links[i + 1].corner] = links[i].corner / 3;
    }
}

static bool belongs(const maker *m, const trait *traits, uint32_t triangle, const mt_hull_plane *plane)
{
    if (mt_wide_dot(traits[triangle].normal, plane->normal) < SAME_WAY)
        return false;
    for (uint32_t k = 0; k < 3; k++)
        if (fabs(mt_plane_height(plane, corner_of(m->hull, triangle, k))) > m->hull->close)
            return false;
    return true;
}

/* A face from its largest triangle outwards. `order` gets its triangles. The plane is moved until no corner of
 * the hull is in front of it. */
static uint32_t grow_face(maker *m, const trait *traits, uint32_t seed, uint32_t face, uint32_t first)
{
    uint32_t *order = m->order.data, *owner = m->owner.data, *beyond = m->beyond.data, end = first;
    mt_hull_plane plane = {traits[seed].normal, 0};
    plane.offset = mt_wide_dot(plane.normal, corner_of(m->hull, seed, 0));
    owner[seed] = face;
    order[end++] = seed;
    for (uint32_t i = first; i < end; i++)
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t other = beyond[3 * order[i] + k];
            if (owner[other] != NOBODY || !belongs(m, traits, other, &plane))
                continue;
            owner[other] = face;
            order[end++] = other;
        }
    const mote_vec3 *vertices = m->hull->vertices.data;
    for (uint32_t i = 0; i < m->hull->vertex_count; i++)
        plane.offset = fmax(plane.offset, mt_wide_dot(plane.normal, mt_wide(vertices[i])));
    ((mt_hull_plane *)m->hull->planes.data)[face] = plane;
    ((mt_hull_face *)m->hull->faces.data)[face] =
        (mt_hull_face){.first_triangle = first, .triangle_count = end - first};
    return end;
}

/* `traits` is in the order of triangles, its second half in the order of areas. */
static void grow_faces(maker *m)
{
    mt_hull *hull = m->hull;
    trait *traits = m->traits.data, *by_size = traits + hull->triangle_count;
    uint32_t *owner = m->owner.data, end = 0;
    memcpy(by_size, traits, hull->triangle_count * sizeof *traits);
    mt_merge_sort(by_size, by_size + hull->triangle_count, hull->triangle_count, sizeof *traits, by_area);
    for (uint32_t t = 0; t < hull->triangle_count; t++)
        owner[t] = NOBODY;
    for (uint32_t i = 0; i < hull->triangle_count; i++)
        if (owner[by_size[i].triangle] == NOBODY)
            end = grow_face(m, traits, by_size[i].triangle, hull->face_count++, end);
}

/* The planes through the edges of a face that other faces share. */
static void add_sides(maker *m, uint32_t index)
{
    mt_hull *hull = m->hull;
    mt_hull_face *face = (mt_hull_face *)hull->faces.data + index;
    const mt_hull_plane *plane = (const mt_hull_plane *)hull->planes.data + index;
    const uint32_t *order = m->order.data, *owner = m->owner.data, *beyond = m->beyond.data;
    mt_hull_plane *sides = hull->sides.data;
    face->first_side = hull->side_count;
    for (uint32_t i = face->first_triangle; i < face->first_triangle + face->triangle_count; i++)
        for (uint32_t k = 0; k < 3; k++) {
            if (owner[beyond[3 * order[i] + k]] == index)
                continue;
            mt_vec3d a = corner_of(hull, order[i], k);
            mt_vec3d out = mt_wide_cross(mt_wide_sub(corner_of(hull, order[i], k + 1), a), plane->normal);
            double length = mt_wide_length(out);
            if (length > 0) {
                out = (mt_vec3d){out.x / length, out.y / length, out.z / length};
                sides[hull->side_count++] = (mt_hull_plane){out, mt_wide_dot(out, a)};
            }
        }
    face->side_count = hull->side_count - face->first_side;
}

static void add_ball(maker *m, uint32_t index)
{
    mt_hull_face *face = (mt_hull_face *)m->hull->faces.data + index;
    const uint32_t *order = m->order.data;
    uint32_t last = face->first_triangle + face->triangle_count;
    mt_box box = mt_box_empty();
    for (uint32_t i = face->first_triangle; i < last; i++)
        for (uint32_t k = 0; k < 3; k++)
            box = mt_box_with(box, mt_narrow(corner_of(m->hull, order[i], k)));
    face->center = mt_wide(mt_scale(mt_add(box.min, box.max), 0.5f));
    for (uint32_t i = face->first_triangle; i < last; i++)
        for (uint32_t k = 0; k < 3; k++)
            face->radius =
                fmax(face->radius, mt_wide_length(mt_wide_sub(corner_of(m->hull, order[i], k), face->center)));
}

static void sort_triangles(maker *m)
{
    const uint32_t *order = m->order.data;
    uint32_t *from = m->hull->triangles.data, *to = m->sorted.data;
    for (uint32_t i = 0; i < m->hull->triangle_count; i++)
        memcpy(to + 3 * i, from + 3 * order[i], 3 * sizeof *to);
    memcpy(from, to, 3 * m->hull->triangle_count * sizeof *to);
}

static mote_result make_room(maker *m, mt_memory *memory)
{
    mt_hull *hull = m->hull;
    size_t triangles = hull->triangle_count;
    MT_TRY(mt_array_reserve(&m->traits, memory, 3 * triangles, 0));
    MT_TRY(mt_array_reserve(&m->links, memory, 6 * triangles, 0));
    MT_TRY(mt_array_reserve(&m->beyond, memory, 3 * triangles, 0));
    MT_TRY(mt_array_reserve(&m->order, memory, triangles, 0));
    MT_TRY(mt_array_reserve(&m->owner, memory, triangles, 0));
    MT_TRY(mt_array_reserve(&m->sorted, memory, 3 * triangles, 0));
    MT_TRY(mt_array_reserve(&hull->planes, memory, triangles, 0));
    MT_TRY(mt_array_reserve(&hull->faces, memory, triangles, 0));
    return mt_array_reserve(&hull->sides, memory, 3 * triangles, 0);
}

static void make(maker *m)
{
    measure(m);
    find_neighbors(m);
    grow_faces(m);
    for (uint32_t i = 0; i < m->hull->face_count; i++) {
        add_sides(m, i);
        add_ball(m, i);
    }
    sort_triangles(m);
}

mote_result mt_hull_make_faces(mt_hull *hull, mt_memory *memory)
{
    maker m = {.hull = hull};
    mt_array_init(&m.traits, sizeof(trait));
    mt_array_init(&m.links, sizeof(link));
    mt_array_init(&m.beyond, sizeof(uint32_t));
    mt_array_init(&m.order, sizeof(uint32_t));
    mt_array_init(&m.owner, sizeof(uint32_t));
    mt_array_init(&m.sorted, sizeof(uint32_t));
    mote_vec3 size = mt_sub(hull->bounds.max, hull->bounds.min);
    hull->close = CLOSENESS * (double)fmaxf(size.x, fmaxf(size.y, size.z));
    mote_result result = make_room(&m, memory);
    if (result == MOTE_OK)
        make(&m);
    mt_array *arrays[] = {&m.traits, &m.links, &m.beyond, &m.order, &m.owner, &m.sorted};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        mt_array_free(arrays[i], memory);
    return result;
}
