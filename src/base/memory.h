/* Memory: the host's allocator with a count of the bytes held, and arrays that grow by doubling. */
#ifndef MOTE_BASE_MEMORY_H
#define MOTE_BASE_MEMORY_H

#include "mote/base.h"

#define MT_ALIGNMENT 64 /* a cache line, and the widest vector */

struct mt_region;

typedef struct mt_memory {
    mote_allocator allocator;  /* the host's; its functions NULL: none, blocks come from here */
    struct mt_region *regions; /* then: of the large ones, see regions.h */
    size_t held;               /* bytes given out and not yet back */
    bool in_callback;          /* inside one of the host's functions, which must not call into the world */
} mt_memory;

/* Takes large pages and the C library's functions where the host gave none. */
mt_memory mt_memory_make(mote_allocator host);

/* Aligned to MT_ALIGNMENT; NULL (with the error noted) when there is none. The contents are not set. */
void *mt_allocate(mt_memory *memory, size_t size);
void mt_release(mt_memory *memory, void *block, size_t size);

/* An array that knows its capacity. Elements in use are counted by the owner. */
typedef struct mt_array {
    void *data;
    size_t capacity; /* elements */
    size_t element;  /* bytes an element, set by mt_array_init */
} mt_array;

void mt_array_init(mt_array *array, size_t element);
void mt_array_free(mt_array *array, mt_memory *memory);

/* Makes room for `needed` elements, at least doubling when it must grow, and keeps the first `used`. On failure
 * the array is as before. */
mote_result mt_array_reserve(mt_array *array, mt_memory *memory, size_t needed, size_t used);

#endif
