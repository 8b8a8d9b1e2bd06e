#include "base/sort.h"

#include <stdbool.h>
#include <string.h>

typedef struct merge {
    size_t size;
    mt_compare *compare;
} merge;

/* Merges from[begin, middle) and from[middle, end) into `to`, the left one first where they are equal. */
static void merge_runs(const merge *m, const char *from, char *to, size_t begin, size_t middle, size_t end)
{
    size_t left = begin, right = middle;
    for (size_t k = begin; k < end; k++) {
        bool take_left =
            left < middle && (right >= end || m->compare(from + left * m->size, from + right * m->size) <= 0);
        memcpy(to + k * m->size, from + (take_left ? left++ : right++) * m->size, m->size);
    }
}

void mt_merge_sort(void *items, void *spare, size_t count, size_t size, mt_compare *compare)
{
    merge m = {size, compare};
    char *from = items, *to = spare;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t begin = 0; begin < count; begin += 2 * width) {
            size_t middle = begin + width < count ? begin + width : count;
            size_t end = middle + width < count ? middle + width : count;
            merge_runs(&m, from, to, begin, middle, end);
        }
        char *swap = from;
        from = to;
        to = swap;
    }
    if (from != items)
        memcpy(items, from, count * size);
}
