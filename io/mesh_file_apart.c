/* Reading in a process of its own: how a mesh goes through the pipe. */
#include "io/apart.h"
#include "io/mesh_file_import.h"

#include <stdio.h>
#include <stdlib.h>

/* What comes through the pipe before the arrays. */
typedef struct message {
    uint64_t magic;
    uint64_t vertex_count, triangle_count; /* both 0: it could not be read, for the reason in `error` */
    char error[MESH_FILE_ERROR];
} message;

#define MAGIC 0x6d6f74656d657368u

typedef struct transfer {
    const mesh_source *source;
    mesh_file *mesh;
} transfer;

static bool read_and_send(void *context, const apart_pipe *out)
{
    const transfer *all = context;
    mesh_file mesh;
    message head = {.magic = MAGIC};
    if (mesh_import(all->source, &mesh, head.error)) {
        head.vertex_count = mesh.vertex_count;
        head.triangle_count = mesh.triangle_count;
    }
    return apart_send(out, &head, sizeof head) &&
           apart_send(out, mesh.vertices, mesh.vertex_count * sizeof *mesh.vertices) &&
           apart_send(out, mesh.triangles, 3 * mesh.triangle_count * sizeof *mesh.triangles);
}

static bool within_limits(float coordinate)
{
    return coordinate >= -MESH_FILE_COORDINATE && coordinate <= MESH_FILE_COORDINATE;
}

/* A child that went astray may send anything. */
static bool sound(const mesh_file *mesh)
{
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        mote_vec3 v = mesh->vertices[i];
        if (!within_limits(v.x) || !within_limits(v.y) || !within_limits(v.z))
            return false;
    }
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++)
        if (mesh->triangles[i] >= mesh->vertex_count)
            return false;
    return true;
}

static apart_outcome receive_mesh(void *context, const apart_pipe *in, char error[APART_ERROR])
{
    const transfer *all = context;
    mesh_file *mesh = all->mesh;
    message head;
    if (!apart_receive(in, &head, sizeof head) || head.magic != MAGIC ||
        head.vertex_count > MESH_FILE_MAX_COUNT || head.triangle_count > MESH_FILE_MAX_COUNT)
        return APART_ASTRAY;
    if (head.vertex_count == 0 || head.triangle_count == 0) {
        head.error[MESH_FILE_ERROR - 1] = '\0';
        snprintf(error, APART_ERROR, "%s", head.error);
        return APART_REFUSED;
    }
    mesh->vertex_count = (size_t)head.vertex_count;
    mesh->triangle_count = (size_t)head.triangle_count;
    mesh->vertices = malloc(mesh->vertex_count * sizeof *mesh->vertices);
    mesh->triangles = malloc(3 * mesh->triangle_count * sizeof *mesh->triangles);
    if (mesh->vertices == NULL || mesh->triangles == NULL) {
        snprintf(error, APART_ERROR, "no memory for %zu vertices and %zu triangles", mesh->vertex_count,
                 mesh->triangle_count);
        return APART_REFUSED;
    }
    if (!apart_receive(in, mesh->vertices, mesh->vertex_count * sizeof *mesh->vertices) ||
        !apart_receive(in, mesh->triangles, 3 * mesh->triangle_count * sizeof *mesh->triangles) || !sound(mesh))
        return APART_ASTRAY;
    return APART_DONE;
}

bool mesh_import_apart(const mesh_source *source, const mesh_limits *limits, mesh_file *mesh,
                       char error[MESH_FILE_ERROR])
{
    _Static_assert(MESH_FILE_ERROR == APART_ERROR, "a reason fits in either");
    *mesh = (mesh_file){0};
    transfer all = {.source = source, .mesh = mesh};
    apart_job job = {.context = &all, .work = read_and_send, .receive = receive_mesh};
    if (apart_run(&job, limits, error))
        return true;
    mesh_file_free(mesh);
    return false;
}
