/* JSON as a tree of cJSON whose nodes know their lines. */
#ifndef MOTE_IO_JSON_TREE_H
#define MOTE_IO_JSON_TREE_H

#include "io/scene_faults.h"

#include <cjson/cJSON.h>

/* The tree of a text, for cJSON_Delete; NULL after a fault that names line, column and what was expected. */
cJSON *json_tree_parse(const char *text, size_t size, scene_faults *faults);

/* The line on which a node begins; 0 for one that was made later. The line is kept in the node's `valueint`,
 * which cJSON itself only reads for numbers, and there only when it equals the number. */
int json_line(const cJSON *node);

/* Forgets the lines of a node and what is below it. */
void json_forget_lines(cJSON *node);

/* "an object", "a number", ... */
const char *json_kind(const cJSON *node);

#endif
