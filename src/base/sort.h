/* Sorting that is stable and asks for no memory (C's qsort is and does neither). */
#ifndef MOTE_BASE_SORT_H
#define MOTE_BASE_SORT_H

#include <stddef.h>

typedef int mt_compare(const void *a, const void *b);

/* Sorts `count` items of `size` bytes; `spare` has as much room as `items`. */
void mt_merge_sort(void *items, void *spare, size_t count, size_t size, mt_compare *compare);

#endif
