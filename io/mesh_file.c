#include "io/mesh_file.h"

#include "io/input_file.h"
#include "io/mesh_file_import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS 10u /* of work that any file may take */

bool mesh_file_load(const char *path, mesh_file *mesh, char error[MESH_FILE_ERROR])
{
    *mesh = (mesh_file){0};
    size_t size = 0;
    char reason[MESH_FILE_ERROR] = "";
    const char *fault = input_file_fault(path, &size);
    if (fault == NULL) {
        mesh_limits limits = input_file_limits(size, SECONDS);
        mesh_source source = {.path = path};
        if (mesh_import_apart(&source, &limits, mesh, reason))
            return true;
        fault = reason;
    }
    input_file_complain(error, MESH_FILE_ERROR, "mesh", path, fault);
    return false;
}

bool mesh_file_parse(const void *data, size_t size, const char *hint, mesh_file *mesh,
                     char error[MESH_FILE_ERROR])
{
    *mesh = (mesh_file){0};
    char reason[MESH_FILE_ERROR] = "";
    if (data == NULL || size == 0) {
        snprintf(reason, sizeof reason, "it is empty");
    } else if (size > UINT32_MAX) {
        snprintf(reason, sizeof reason, "it is larger than 4 GB");
    } else {
        mesh_limits limits = input_file_limits(size, SECONDS);
        mesh_source source = {.data = data, .size = size, .hint = hint};
        if (mesh_import_apart(&source, &limits, mesh, reason))
            return true;
    }
    snprintf(error, MESH_FILE_ERROR, "cannot read the mesh in memory (%.20s): %.400s", hint, reason);
    return false;
}

void mesh_file_free(mesh_file *mesh)
{
    free(mesh->vertices);
    free(mesh->triangles);
    *mesh = (mesh_file){0};
}

mote_mesh mesh_file_view(const mesh_file *mesh)
{
    return (mote_mesh){.vertices = mesh->vertices,
                       .vertex_count = mesh->vertex_count,
                       .triangles = mesh->triangles,
                       .triangle_count = mesh->triangle_count};
}
