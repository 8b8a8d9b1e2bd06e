/* Mesh files: what assimp reads (OBJ, PLY, STL, glTF, FBX, ...), as plain triangles in the file's own
 * coordinates and unit, with the nodes' transforms applied. FBX files are often in centimetres. */
#ifndef MOTE_IO_MESH_FILE_H
#define MOTE_IO_MESH_FILE_H

#include "mote/mote.h"

typedef struct mesh_file {
    mote_vec3 *vertices; /* no two at the same place, none without a triangle */
    size_t vertex_count;
    uint32_t *triangles; /* three indices each; seen from outside they run counter-clockwise */
    size_t triangle_count;
} mesh_file;

#define MESH_FILE_ERROR      512
#define MESH_FILE_MAX_COUNT  100000000u /* of vertices, and of triangles */
#define MESH_FILE_COORDINATE 1e9f       /* each coordinate is within +- this, in the file's unit */

/* Reads all meshes of a file into one. Points and lines are left out; polygons are cut into triangles. False
 * with a text in `error` that names the file and the reason; *mesh is then empty. Whatever is wrong with the
 * file, the program goes on: the reading happens in a process of its own, with limits of time and memory. */
bool mesh_file_load(const char *path, mesh_file *mesh, char error[MESH_FILE_ERROR]);
/* The same from memory; `hint` is the file's extension without the dot. */
bool mesh_file_parse(const void *data, size_t size, const char *hint, mesh_file *mesh,
                     char error[MESH_FILE_ERROR]);
void mesh_file_free(mesh_file *mesh);

mote_mesh mesh_file_view(const mesh_file *mesh);

#endif
