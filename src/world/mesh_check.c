#include "world/mesh_check.h"

#include "base/error.h"
#include "base/vec.h"
#include "world/check.h"

static mote_result check_count(const char *field, size_t count)
{
    if (count == 0)
        return mt_fail(MOTE_ERROR_MESH, "%s is 0; a mesh has at least one triangle", field);
    if (count > MT_MESH_COUNT_LIMIT)
        return mt_fail(MOTE_ERROR_ARGUMENT, "%s is %zu; it must be at most %zu", field, count,
                       MT_MESH_COUNT_LIMIT);
    return MOTE_OK;
}

static mote_result check_vertices(const mote_mesh *mesh)
{
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        mote_vec3 v = mesh->vertices[i];
        if (!mt_is_finite3(v))
            return mt_fail(MOTE_ERROR_NOT_FINITE,
                           "mesh.vertices[%zu] is (%g, %g, %g); it must have finite coordinates", i,
                           (double)v.x, (double)v.y, (double)v.z);
        if (fabsf(v.x) > MT_MESH_LIMIT || fabsf(v.y) > MT_MESH_LIMIT || fabsf(v.z) > MT_MESH_LIMIT)
            return mt_fail(MOTE_ERROR_ARGUMENT,
                           "mesh.vertices[%zu] is (%g, %g, %g); each coordinate must be within +-%g", i,
                           (double)v.x, (double)v.y, (double)v.z, (double)MT_MESH_LIMIT);
    }
    return MOTE_OK;
}

mote_result mt_mesh_check(const mote_mesh *mesh)
{
    MT_TRY(mt_check_pointer("mesh", mesh));
    MT_TRY(check_count("mesh.triangle_count", mesh->triangle_count));
    MT_TRY(check_count("mesh.vertex_count", mesh->vertex_count));
    MT_TRY(mt_check_pointer("mesh.vertices", mesh->vertices));
    MT_TRY(mt_check_pointer("mesh.triangles", mesh->triangles));
    MT_TRY(check_vertices(mesh));
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++)
        if (mesh->triangles[i] >= mesh->vertex_count)
            return mt_fail(MOTE_ERROR_ARGUMENT,
                           "corner %zu of mesh triangle %zu is vertex %u; there are %zu vertices", i % 3, i / 3,
                           mesh->triangles[i], mesh->vertex_count);
    return MOTE_OK;
}

mote_result mt_mesh_check_closed(const mote_mesh_report *report)
{
    if (report->closed)
        return MOTE_OK;
    if (report->open_edges + report->nonmanifold_edges + report->flipped_edges == 0)
        return mt_fail(MOTE_ERROR_MESH, "the mesh encloses nothing: its %zu triangles have no area",
                       report->degenerate_triangles);
    const mote_vec3 *first = report->first_open;
    if (report->open_edges > 0)
        return mt_fail(MOTE_ERROR_MESH,
                       "the mesh is not closed: it has %zu open edges, the first from (%g, %g, %g) to "
                       "(%g, %g, %g), %zu non-manifold edges and %zu flipped edges",
                       report->open_edges, (double)first[0].x, (double)first[0].y, (double)first[0].z,
                       (double)first[1].x, (double)first[1].y, (double)first[1].z, report->nonmanifold_edges,
                       report->flipped_edges);
    return mt_fail(MOTE_ERROR_MESH,
                   "the mesh is not closed: it has 0 open edges, %zu non-manifold edges and %zu flipped edges",
                   report->nonmanifold_edges, report->flipped_edges);
}
