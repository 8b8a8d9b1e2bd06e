/* Mesh files: what assimp reads (OBJ, PLY, STL, glTF, FBX, ...), as plain triangles in the file's own
 * coordinates, with the nodes' transforms applied. */
#ifndef MOTE_IO_MESH_FILE_H
#define MOTE_IO_MESH_FILE_H

#include "mote/mote.h"

typedef struct mesh_file {
    mote_vec3 *vertices;
    size_t vertex_count;
    uint32_t *triangles; /* three indices each */
    size_t triangle_count;
} mesh_file;

#define MESH_FILE_ERROR 512

/* Reads all meshes of a file into one. Points and lines are left out. False with a text in `error` that
 * names the file and the reason. */
bool mesh_file_load(const char *path, mesh_file *mesh, char error[MESH_FILE_ERROR]);
/* The same from memory; `hint` is the file's extension without the dot. */
bool mesh_file_parse(const void *data, size_t size, const char *hint, mesh_file *mesh,
                     char error[MESH_FILE_ERROR]);
void mesh_file_free(mesh_file *mesh);

mote_mesh mesh_file_view(const mesh_file *mesh);

#endif
