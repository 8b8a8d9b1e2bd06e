#define _POSIX_C_SOURCE 200809L
#include "io/mesh_file.h"

#include "io/mesh_file_import.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Far more than reading takes: at least 10 MB a second and some tens of bytes a byte. */
static mesh_limits limits_for(size_t size)
{
    size_t megabytes = size >> 20;
    return (mesh_limits){.cpu_seconds = 10 + (uint32_t)(megabytes < 3600 ? megabytes : 3600),
                         .memory = ((size_t)2 << 30) + 256 * size};
}

/* Why this is nothing that can be read; NULL if it is a file. */
static const char *not_a_file(const char *path, size_t *size)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return strerror(errno);
    if (S_ISDIR(info.st_mode))
        return "it is a folder";
    /* A pipe would be waited for without end. */
    if (!S_ISREG(info.st_mode))
        return "it is not a file";
    if (info.st_size == 0)
        return "it is empty";
    *size = (size_t)info.st_size;
    return NULL;
}

bool mesh_file_load(const char *path, mesh_file *mesh, char error[MESH_FILE_ERROR])
{
    *mesh = (mesh_file){0};
    size_t size = 0;
    char reason[MESH_FILE_ERROR] = "";
    const char *fault = not_a_file(path, &size);
    if (fault == NULL) {
        mesh_limits limits = limits_for(size);
        mesh_source source = {.path = path};
        if (mesh_import_apart(&source, &limits, mesh, reason))
            return true;
        fault = reason;
    }
    /* Long paths must not push the reason out. */
    snprintf(error, MESH_FILE_ERROR, "cannot read the mesh file '%.250s': %.200s", path, fault);
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
        mesh_limits limits = limits_for(size);
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
