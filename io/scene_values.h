/* What the two halves of the reader share: paths, lists, and arrays. */
#ifndef MOTE_IO_SCENE_VALUES_H
#define MOTE_IO_SCENE_VALUES_H

#include "io/scene_fields.h"

/* Add to the reader's path; the answer is for scene_path_pop. */
size_t scene_path_push(scene_reader *reader, const char *name);
size_t scene_path_push_index(scene_reader *reader, size_t index);
void scene_path_pop(scene_reader *reader, size_t length);

/* An array of objects, of which the kind is checked already. */
bool scene_read_list(scene_reader *reader, const scene_field *field, const cJSON *node, scene_list *list);

#endif
