/* Which known word was probably meant. */
#ifndef MOTE_IO_NEAREST_H
#define MOTE_IO_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

/* How many letters must be put in, left out or changed to make one word of the other. */
size_t edit_distance(const char *a, const char *b);

/* The nearest of several words that may have been meant; NULL if none is near. `words` ends with NULL. */
const char *nearest_word(const char *written, const char *const *words);

/* One word after the other: which of `known` and the `best` so far (NULL: none) was rather meant; NULL if
 * neither is near. */
const char *nearer_word(const char *written, const char *best, const char *known);

/* Whether somebody who wrote `written` may have meant `known`. */
bool is_near(const char *written, const char *known);

#endif
