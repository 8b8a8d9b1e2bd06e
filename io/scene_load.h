/* Files that a scene names, for scene_load*.c. */
#ifndef MOTE_IO_SCENE_LOAD_H
#define MOTE_IO_SCENE_LOAD_H

#include "io/scene_file.h"

/* A field that names a file, for complaints. */
typedef struct named_file {
    const scene_source *source;
    const char *path; /* as written */
    const cJSON *item;
    const char *field; /* "file" */
    char where[SCENE_PATH];
    scene_faults *faults;
} named_file;

named_file name_file(const scene_source *source, scene_faults *faults, const char *list, size_t index,
                     const scene_item *item, const char *field, const char *path);
/* Notes an error at the field. False. */
bool named_file_fail(const named_file *file, const char *text);
/* The path on the disk: relative ones start at the scene's folder. */
bool named_file_path(const named_file *file, char *path, size_t size);

/* The bones and clips of skeletons. */
void scene_load_rigs(scene_description *d, const scene_source *source, scene_faults *faults);
void scene_free_rigs(scene_description *d);

#endif
