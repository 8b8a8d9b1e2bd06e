/* Inside the rig files: reading with assimp in this process (rig_import), for the process of its own and for
 * tests that look for leaks, and the steps of it. */
#ifndef MOTE_IO_RIG_FILE_IMPORT_H
#define MOTE_IO_RIG_FILE_IMPORT_H

#include "io/apart.h"
#include "io/rig_file.h"
#include "io/rig_file_math.h"

#include <assimp/scene.h>

/* The text in `error` is only the reason. */
bool rig_import(const char *path, const rig_options *options, rig *out, char error[RIG_ERROR]);
/* In a process of its own. */
bool rig_import_apart(const char *path, const rig_options *options, const apart_limits *limits, rig *out,
                      char error[RIG_ERROR]);

/* A node of the file. Nodes stand in a table, parents first. */
typedef struct rig_node {
    const struct aiNode *node;
    uint32_t parent;  /* in the table; MOTE_NO_BONE: none */
    uint32_t bone;    /* of the rig; MOTE_NO_BONE: it is none */
    uint32_t carrier; /* its own bone, or that of the nearest node above that has one; or MOTE_NO_BONE */
    uint32_t marked;  /* how many of itself and the nodes below are surely bones */
    uint32_t meshes;  /* how many meshes it and the nodes below have */
    bool is_marked;
    bool needed;     /* itself or a node below is a bone */
    rig_affine rest; /* in the model's coordinates */
} rig_node;

typedef struct rig_importer {
    const struct aiScene *scene;
    rig_affine top; /* from the file's coordinates to the model's */
    rig_node *nodes;
    uint32_t node_count;
    uint32_t *by_name; /* the nodes sorted by name, then by index */
    rig *rig;
    char *error;
} rig_importer;

/* Writes the error; always false. */
bool rig_refuse(rig_importer *in, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A name for messages: printable, not long; valid until the next call. */
const char *rig_shown_name(const struct aiString *name);
/* It ends where it says. */
bool rig_name_is_sound(const struct aiString *name);
bool rig_out_of_memory(rig_importer *in);

/* Before assimp reads the file: false for a BVH file whose number of frames or whose time of a frame cannot be;
 * true for all others. */
bool rig_check_bvh(rig_importer *in, const char *path);

/* The steps, in this order; each false with an error. */
bool rig_check_meshes(rig_importer *in);
bool rig_check_animations(rig_importer *in);
bool rig_collect_nodes(rig_importer *in); /* fills nodes and by_name */
bool rig_choose_bones(rig_importer *in);  /* fills the rig's bones */
bool rig_read_clips(rig_importer *in);
bool rig_read_skin(rig_importer *in);

/* The first node of that name; MOTE_NO_BONE if there is none. */
uint32_t rig_find_node(const rig_importer *in, const struct aiString *name);
/* What assimp's matrix does to points. */
rig_affine rig_affine_from(const struct aiMatrix4x4 *a);

#endif
