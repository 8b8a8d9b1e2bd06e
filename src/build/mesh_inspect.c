/* Looking for faults of a mesh: vertices at one place are found with a hash table, the triangles of an edge by
 * sorting all edges by their ends. */
#include "base/error.h"
#include "base/hash.h"
#include "base/vec.h"
#include "world/check.h"
#include "world/mesh_check.h"

#define NOBODY UINT32_MAX

typedef struct edge {
    uint32_t low, high; /* its ends, low < high */
    uint32_t corner;    /* where in the triangle list it starts */
} edge;

typedef struct inspection {
    const mote_mesh *mesh;
    mote_mesh_report *report;
    mt_array table;        /* uint32_t: vertices by the hash of their place */
    mt_array welded;       /* uint32_t: the first vertex at the same place */
    mt_array edges, spare; /* edge */
    mt_array starts;       /* uint32_t: while sorting, where the edges of a vertex begin */
    size_t edge_count;
} inspection;

/* ---- vertices at one place ------------------------------------------------------------------------------ */

static bool same_place(mote_vec3 a, mote_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static size_t place_hash(mote_vec3 v)
{
    /* -0 and 0 are one place. */
    float place[3] = {v.x + 0.0f, v.y + 0.0f, v.z + 0.0f};
    return (size_t)mt_hash_bytes(0, place, sizeof place);
}

static void weld(inspection *in, size_t slots)
{
    uint32_t *table = in->table.data, *welded = in->welded.data;
    const mote_vec3 *vertices = in->mesh->vertices;
    for (size_t i = 0; i < slots; i++)
        table[i] = NOBODY;
    for (size_t i = 0; i < in->mesh->vertex_count; i++) {
        size_t slot = place_hash(vertices[i]) & (slots - 1);
        while (table[slot] != NOBODY && !same_place(vertices[table[slot]], vertices[i]))
            slot = (slot + 1) & (slots - 1);
        if (table[slot] == NOBODY)
            table[slot] = (uint32_t)i;
        welded[i] = table[slot];
    }
}

/* ---- triangles ------------------------------------------------------------------------------------------ */

typedef struct vec3d {
    double x, y, z;
} vec3d;

static vec3d from_to(mote_vec3 a, mote_vec3 b)
{
    return (vec3d){(double)b.x - (double)a.x, (double)b.y - (double)a.y, (double)b.z - (double)a.z};
}

static vec3d cross(vec3d a, vec3d b)
{
    return (vec3d){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double dot(vec3d a, vec3d b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* Nothing but rounding is between three corners and a line: the sine of the angle is below 1e-12. */
static bool on_a_line(vec3d p, vec3d q, vec3d normal)
{
    return dot(normal, normal) <= 1e-24 * dot(p, p) * dot(q, q);
}

/* Volumes are measured from a point of the mesh, so that a mesh far from the origin loses no digits. */
static void measure_triangle(inspection *in, size_t triangle)
{
    mote_mesh_report *report = in->report;
    const uint32_t *corner = in->mesh->triangles + 3 * triangle;
    const mote_vec3 *vertices = in->mesh->vertices;
    mote_vec3 a = vertices[corner[0]], b = vertices[corner[1]], c = vertices[corner[2]];
    vec3d ab = from_to(a, b), ac = from_to(a, c), normal = cross(ab, ac);
    report->area += 0.5 * sqrt(dot(normal, normal));
    report->volume += dot(from_to(vertices[in->mesh->triangles[0]], a), normal); /* six times, so far */
    const mote_vec3 all[3] = {a, b, c};
    for (int k = 0; k < 3; k++) {
        report->min = (mote_vec3){fminf(report->min.x, all[k].x), fminf(report->min.y, all[k].y),
                                  fminf(report->min.z, all[k].z)};
        report->max = (mote_vec3){fmaxf(report->max.x, all[k].x), fmaxf(report->max.y, all[k].y),
                                  fmaxf(report->max.z, all[k].z)};
    }
    if (!on_a_line(ab, ac, normal))
        return;
    if (report->degenerate_triangles++ == 0)
        report->first_degenerate = triangle;
}

/* A triangle with two corners at one place is only an edge, there and back: it closes and opens nothing, so it
 * adds no edges. One with three corners on a line does join its neighbours. */
static void add_edges(inspection *in, size_t triangle)
{
    const uint32_t *corner = in->mesh->triangles + 3 * triangle, *welded = in->welded.data;
    uint32_t v[3] = {welded[corner[0]], welded[corner[1]], welded[corner[2]]};
    if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0])
        return;
    edge *edges = in->edges.data;
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t from = v[k], to = v[(k + 1) % 3];
        edges[in->edge_count++] =
            (edge){from < to ? from : to, from < to ? to : from, (uint32_t)(3 * triangle) + k};
    }
}

/* ---- edges ---------------------------------------------------------------------------------------------- */

static uint32_t end_of(const edge *e, bool high)
{
    return high ? e->high : e->low;
}

/* A stable counting sort by one end. */
static void sort_by_end(inspection *in, bool high)
{
    uint32_t *starts = in->starts.data;
    edge *from = in->edges.data, *to = in->spare.data;
    memset(starts, 0, (in->mesh->vertex_count + 1) * sizeof *starts);
    for (size_t i = 0; i < in->edge_count; i++)
        starts[end_of(&from[i], high) + 1]++;
    for (size_t v = 0; v < in->mesh->vertex_count; v++)
        starts[v + 1] += starts[v];
    for (size_t i = 0; i < in->edge_count; i++)
        to[starts[end_of(&from[i], high)]++] = from[i];
    mt_array swap = in->edges;
    in->edges = in->spare;
    in->spare = swap;
}

static bool runs_upwards(const inspection *in, const edge *e)
{
    const uint32_t *welded = in->welded.data;
    return welded[in->mesh->triangles[e->corner]] == e->low;
}

/* Counts the faults of the edges; answers where the first open one starts in the triangle list. */
static uint32_t judge_edges(inspection *in)
{
    mote_mesh_report *report = in->report;
    const edge *edges = in->edges.data;
    uint32_t first_open = NOBODY;
    for (size_t i = 0, next; i < in->edge_count; i = next) {
        next = i + 1;
        while (next < in->edge_count && edges[next].low == edges[i].low && edges[next].high == edges[i].high)
            next++;
        if (next - i == 1) {
            report->open_edges++;
            first_open = edges[i].corner < first_open ? edges[i].corner : first_open;
        } else if (next - i > 2) {
            report->nonmanifold_edges++;
        } else if (runs_upwards(in, &edges[i]) == runs_upwards(in, &edges[i + 1])) {
            report->flipped_edges++;
        }
    }
    return first_open;
}

static mote_result make_room(inspection *in, mt_memory *memory, size_t slots)
{
    MT_TRY(mt_array_reserve(&in->table, memory, slots, 0));
    MT_TRY(mt_array_reserve(&in->welded, memory, in->mesh->vertex_count, 0));
    MT_TRY(mt_array_reserve(&in->edges, memory, 3 * in->mesh->triangle_count, 0));
    MT_TRY(mt_array_reserve(&in->spare, memory, 3 * in->mesh->triangle_count, 0));
    return mt_array_reserve(&in->starts, memory, in->mesh->vertex_count + 1, 0);
}

static void look(inspection *in, size_t slots)
{
    weld(in, slots);
    for (size_t t = 0; t < in->mesh->triangle_count; t++) {
        measure_triangle(in, t);
        add_edges(in, t);
    }
    sort_by_end(in, true);
    sort_by_end(in, false);
    uint32_t open = judge_edges(in);
    mote_mesh_report *report = in->report;
    report->volume /= 6;
    if (open != NOBODY) {
        const uint32_t *corner = in->mesh->triangles + open / 3 * 3;
        report->first_open[0] = in->mesh->vertices[corner[open % 3]];
        report->first_open[1] = in->mesh->vertices[corner[(open + 1) % 3]];
    }
    report->closed =
        in->edge_count > 0 && report->open_edges + report->nonmanifold_edges + report->flipped_edges == 0;
}

mote_result mt_mesh_inspect(mt_memory *memory, const mote_mesh *mesh, mote_mesh_report *report)
{
    *report = (mote_mesh_report){.first_degenerate = SIZE_MAX,
                                 .min = {INFINITY, INFINITY, INFINITY},
                                 .max = {-INFINITY, -INFINITY, -INFINITY}};
    inspection in = {.mesh = mesh, .report = report};
    mt_array_init(&in.table, sizeof(uint32_t));
    mt_array_init(&in.welded, sizeof(uint32_t));
    mt_array_init(&in.edges, sizeof(edge));
    mt_array_init(&in.spare, sizeof(edge));
    mt_array_init(&in.starts, sizeof(uint32_t));
    size_t slots = 16; /* a power of two, at most half of them taken */
    while (slots < 2 * mesh->vertex_count)
        slots *= 2;
    mote_result result = make_room(&in, memory, slots);
    if (result == MOTE_OK)
        look(&in, slots);
    mt_array_free(&in.table, memory);
    mt_array_free(&in.welded, memory);
    mt_array_free(&in.edges, memory);
    mt_array_free(&in.spare, memory);
    mt_array_free(&in.starts, memory);
    return result;
}

mote_result mote_mesh_inspect(const mote_mesh *mesh, mote_mesh_report *report)
{
    MT_TRY(mt_mesh_check(mesh));
    MT_TRY(mt_check_pointer("report", report));
    mt_memory memory = mt_memory_make((mote_allocator){0});
    mote_mesh_report found;
    MT_TRY(mt_mesh_inspect(&memory, mesh, &found));
    *report = found;
    return MOTE_OK;
}
