/* JSON text, looked at strictly before cJSON reads it: cJSON tells neither line nor reason, and takes more than
 * JSON allows. */
#ifndef MOTE_IO_JSON_TEXT_H
#define MOTE_IO_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define JSON_MAX_DEPTH 32 /* of objects and arrays in each other */

/* The first fault of a text. */
typedef struct json_text_fault {
    int line, column; /* from 1; columns count bytes */
    char text[128];
} json_text_fault;

/* The lines of a text's values, in the order in which they begin. */
typedef struct json_lines {
    int *items;
    size_t count, capacity;
} json_lines;

void json_lines_free(json_lines *lines);

/* True if the text is one JSON value with nothing behind it; `lines` is then filled. It begins as {0} and must
 * be freed in any case. */
bool json_text_scan(const char *text, size_t size, json_lines *lines, json_text_fault *fault);

#endif
