/* Making a mesh: vertices at one place become one, triangles without an area go, and what remains gets fans
 * and a tree. */
#include "base/error.h"
#include "base/hash.h"
#include "collide/mesh.h"
#include "world/check.h"

#define EMPTY UINT32_MAX

/* Plus zero and minus zero are one place. */
static mote_vec3 without_minus_zero(mote_vec3 a)
{
    return (mote_vec3){a.x + 0.0f, a.y + 0.0f, a.z + 0.0f};
}

static bool same_place(mote_vec3 a, mote_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static uint64_t hash_of_place(mote_vec3 a)
{
    a = without_minus_zero(a);
    uint32_t bits[3];
    memcpy(bits, &a, sizeof bits);
    return mt_hash_add(mt_mix((uint64_t)bits[0] << 32 | bits[1]), bits[2]);
}

typedef struct welding {
    mt_array first; /* uint32_t a vertex of the source: the first one at its place, later its new number */
    mt_array table; /* uint32_t: vertices by the hash of their places */
} welding;

static void welding_free(welding *weld, mt_memory *memory)
{
    mt_array_free(&weld->first, memory);
    mt_array_free(&weld->table, memory);
}

/* For every vertex the first one at its place. */
static mote_result find_first(welding *weld, mt_memory *memory, const mote_mesh *source)
{
    size_t size = 16;
    while (size < 2 * source->vertex_count)
        size *= 2;
    MT_TRY(mt_array_reserve(&weld->first, memory, source->vertex_count, 0));
    MT_TRY(mt_array_reserve(&weld->table, memory, size, 0));
    uint32_t *first = weld->first.data, *table = weld->table.data;
    for (size_t i = 0; i < size; i++)
        table[i] = EMPTY;
    for (size_t v = 0; v < source->vertex_count; v++) {
        size_t place = (size_t)hash_of_place(source->vertices[v]) & (size - 1);
        while (table[place] != EMPTY && !same_place(source->vertices[table[place]], source->vertices[v]))
            place = (place + 1) & (size - 1);
        if (table[place] == EMPTY)
            table[place] = (uint32_t)v;
        first[v] = table[place];
    }
    mt_array_free(&weld->table, memory);
    return MOTE_OK;
}

static mote_result keep_triangles(mt_mesh *mesh, mt_memory *memory, const mote_mesh *source,
                                  const uint32_t *first)
{
    MT_TRY(mt_array_reserve(&mesh->triangles, memory, source->triangle_count, 0));
    mt_corners *kept = mesh->triangles.data;
    for (size_t t = 0; t < source->triangle_count; t++) {
        mt_triangle triangle;
        for (size_t i = 0; i < 3; i++) {
            triangle.corner[i] = first[source->triangles[3 * t + i]];
            triangle.at[i] = source->vertices[triangle.corner[i]];
        }
        if (!mt_triangle_has_area(&triangle))
            continue;
        memcpy(kept[mesh->triangle_count++].vertex, triangle.corner, sizeof triangle.corner);
    }
    if (mesh->triangle_count == 0)
        return mt_fail(MOTE_ERROR_MESH, "the mesh has %zu triangles, and none of them has an area",
                       source->triangle_count);
    return MOTE_OK;
}

/* Copies the vertices that triangles use, in their old order, and gives the triangles the new numbers. */
static mote_result keep_vertices(mt_mesh *mesh, mt_memory *memory, const mote_mesh *source, uint32_t *number)
{
    mt_corners *triangles = mesh->triangles.data;
    for (size_t v = 0; v < source->vertex_count; v++)
        number[v] = EMPTY;
    uint32_t used = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        for (int i = 0; i < 3; i++) {
            uint32_t *mark = &number[triangles[t].vertex[i]];
            used += *mark == EMPTY;
            *mark = 0;
        }
    MT_TRY(mt_array_reserve(&mesh->vertices, memory, used, 0));
    mote_vec3 *vertices = mesh->vertices.data;
    mesh->bounds = mt_box_empty();
    for (size_t v = 0; v < source->vertex_count; v++) {
        if (number[v] == EMPTY)
            continue;
        number[v] = mesh->vertex_count++;
        vertices[number[v]] = without_minus_zero(source->vertices[v]);
        mesh->bounds = mt_box_with(mesh->bounds, vertices[number[v]]);
    }
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        for (int i = 0; i < 3; i++)
            triangles[t].vertex[i] = number[triangles[t].vertex[i]];
    return MOTE_OK;
}

/* The triangles around every vertex: counted, then put in place. */
static mote_result make_fans(mt_mesh *mesh, mt_memory *memory)
{
    uint32_t corner_count = 3 * mesh->triangle_count;
    MT_TRY(mt_array_reserve(&mesh->fan_first, memory, (size_t)mesh->vertex_count + 2, 0));
    MT_TRY(mt_array_reserve(&mesh->fan, memory, corner_count, 0));
    const mt_corners *triangles = mesh->triangles.data;
    uint32_t *first = mesh->fan_first.data, *fan = mesh->fan.data;
    for (uint32_t v = 0; v < mesh->vertex_count + 2; v++)
        first[v] = 0;
    /* Two places further on: filling moves every start up by one vertex, to where it belongs. */
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        for (int i = 0; i < 3; i++)
            first[triangles[t].vertex[i] + 2]++;
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        first[v + 2] += first[v + 1];
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        for (int i = 0; i < 3; i++)
            fan[first[triangles[t].vertex[i] + 1]++] = t;
    return MOTE_OK;
}

static mote_result make_tree(mt_mesh *mesh, mt_memory *memory)
{
    mt_array boxes;
    mt_array_init(&boxes, sizeof(mt_box));
    MT_TRY(mt_array_reserve(&boxes, memory, mesh->triangle_count, 0));
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        mt_triangle triangle = mt_mesh_triangle(mesh, t);
        ((mt_box *)boxes.data)[t] = mt_triangle_box(&triangle);
    }
    mote_result result = mt_tree_build(&mesh->tree, memory, boxes.data, mesh->triangle_count);
    mt_array_free(&boxes, memory);
    mt_array_free(&mesh->tree.centers, memory);
    return result;
}

/* Rounding of a distance is a few parts in ten million of the coordinates. */
static mote_result make_slabs(mt_mesh *mesh, mt_memory *memory)
{
    MT_TRY(mt_array_reserve(&mesh->slabs, memory, mesh->triangle_count, 0));
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        mt_triangle triangle = mt_mesh_triangle(mesh, t);
        mt_near plane = mt_triangle_plane(&triangle, false);
        mt_slab slab = {plane.normal, plane.offset, 0.0f};
        for (int i = 0; i < 3; i++) {
            mote_vec3 at = triangle.at[i];
            float size = fabsf(at.x) + fabsf(at.y) + fabsf(at.z) + fabsf(plane.offset);
            slab.half = mt_most(slab.half, fabsf(mt_dot(plane.normal, at) - plane.offset) + 1e-6f * size);
        }
        ((mt_slab *)mesh->slabs.data)[t] = slab;
    }
    return MOTE_OK;
}

static mote_result fill(mt_mesh *mesh, mt_memory *memory, const mote_mesh *source, welding *weld)
{
    MT_TRY(find_first(weld, memory, source));
    MT_TRY(keep_triangles(mesh, memory, source, weld->first.data));
    MT_TRY(keep_vertices(mesh, memory, source, weld->first.data));
    MT_TRY(make_fans(mesh, memory));
    MT_TRY(make_slabs(mesh, memory));
    return make_tree(mesh, memory);
}

mt_mesh *mt_mesh_make(mt_memory *memory, const mote_mesh *source)
{
    mt_mesh *mesh = mt_allocate(memory, sizeof *mesh);
    if (mesh == NULL)
        return NULL;
    *mesh = (mt_mesh){.vertex_count = 0};
    mt_array_init(&mesh->vertices, sizeof(mote_vec3));
    mt_array_init(&mesh->triangles, sizeof(mt_corners));
    mt_array_init(&mesh->fan_first, sizeof(uint32_t));
    mt_array_init(&mesh->fan, sizeof(uint32_t));
    mt_array_init(&mesh->slabs, sizeof(mt_slab));
    mt_tree_init(&mesh->tree);
    welding weld;
    mt_array_init(&weld.first, sizeof(uint32_t));
    mt_array_init(&weld.table, sizeof(uint32_t));
    mote_result result = fill(mesh, memory, source, &weld);
    welding_free(&weld, memory);
    if (result == MOTE_OK)
        return mesh;
    mt_mesh_free(mesh, memory);
    return NULL;
}

void mt_mesh_free(mt_mesh *mesh, mt_memory *memory)
{
    if (mesh == NULL)
        return;
    mt_array_free(&mesh->vertices, memory);
    mt_array_free(&mesh->triangles, memory);
    mt_array_free(&mesh->fan_first, memory);
    mt_array_free(&mesh->fan, memory);
    mt_array_free(&mesh->slabs, memory);
    mt_tree_free(&mesh->tree, memory);
    mt_release(memory, mesh, sizeof *mesh);
}

mt_box mt_mesh_bounds(const mt_mesh *mesh)
{
    return mesh->bounds;
}

mote_mesh mt_mesh_source(const mt_mesh *mesh)
{
    return (mote_mesh){mesh->vertices.data, mesh->vertex_count,
                       ((const mt_corners *)mesh->triangles.data)->vertex, mesh->triangle_count};
}
