/* Which known word was probably meant. */
#ifndef MOTE_TOOLS_NEAREST_H
#define MOTE_TOOLS_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

/* How many letters must be put in, left out or changed to make one word of the other. */
size_t edit_distance(const char *a, const char *b);

/* Whether somebody who wrote `written` may have meant `known`. */
bool is_near(const char *written, const char *known);

#endif
