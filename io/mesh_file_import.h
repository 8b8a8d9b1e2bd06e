/* Inside the mesh files: reading with assimp in this process (mesh_import) or in one of its own
 * (mesh_import_apart).
 *
 * Why a process of its own: assimp 5.2 reads or refuses every file of its own test set, but files with a few
 * wrong bytes can bring it down. About one in eighty ends in a loop without end (a PLY header that is cut
 * short), in an exception that nobody catches, or in a write to a wrong address. None of that can be held
 * within the process in which it happens. */
#ifndef MOTE_IO_MESH_FILE_IMPORT_H
#define MOTE_IO_MESH_FILE_IMPORT_H

#include "io/apart.h"
#include "io/mesh_file.h"

/* What is to be read: a file, or bytes. */
typedef struct mesh_source {
    const char *path; /* NULL: the bytes */
    const void *data;
    size_t size;
    const char *hint; /* extension of the bytes' format, without the dot */
} mesh_source;

typedef apart_limits mesh_limits;

/* In this process: for the other one, and for tests that look for leaks. The text in `error` is only the
 * reason. */
bool mesh_import(const mesh_source *source, mesh_file *mesh, char error[MESH_FILE_ERROR]);

/* In a process of its own. */
bool mesh_import_apart(const mesh_source *source, const mesh_limits *limits, mesh_file *mesh,
                       char error[MESH_FILE_ERROR]);

#endif
