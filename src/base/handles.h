/* Handles: indices with generations. A table maps a handle's index to a place (a slot) and tells stale handles
 * from living ones. Indices are handed out again, last freed first, with the next generation. The upper bits of a
 * generation are the number of the world, so that handles of another are told apart. */
#ifndef MOTE_BASE_HANDLES_H
#define MOTE_BASE_HANDLES_H

#include "base/memory.h"

#define MT_NO_SLOT UINT32_MAX

#define MT_GENERATION_BITS 24u
#define MT_GENERATION_MASK ((1u << MT_GENERATION_BITS) - 1u)
#define MT_MAX_NUMBER      255u /* of worlds: what is left of 32 bits */

typedef struct mt_handle {
    uint32_t index, generation;
} mt_handle;

typedef struct mt_handle_entry {
    uint32_t generation; /* of the handle that lives here, or of the next one that will */
    uint32_t slot;       /* where the thing is; MT_NO_SLOT: free */
} mt_handle_entry;

typedef struct mt_handles {
    mt_array entries; /* mt_handle_entry */
    mt_array free;    /* uint32_t indices, a stack; has room for every index, so that freeing cannot fail */
    uint32_t count;   /* entries in use, living or free */
    uint32_t free_count;
    uint32_t mark; /* the world's number, where generations have it */
} mt_handles;

void mt_handles_init(mt_handles *handles, uint32_t mark);
void mt_handles_free(mt_handles *handles, mt_memory *memory);

/* Makes sure that `more` handles can be taken without failing. */
mote_result mt_handles_reserve(mt_handles *handles, mt_memory *memory, size_t more);

/* Takes a reserved handle for the thing at `slot`. */
mt_handle mt_handles_take(mt_handles *handles, uint32_t slot);
void mt_handles_drop(mt_handles *handles, uint32_t index);

/* The slot, or MT_NO_SLOT if the handle is null, stale or was never given out. */
uint32_t mt_handles_find(const mt_handles *handles, uint32_t index, uint32_t generation);

/* Fails, and says why: the handle of a thing so called is of another world, or null or stale. */
mote_result mt_handle_refused(const mt_handles *handles, const char *what, uint32_t index, uint32_t generation);
/* Which of an array it is. */
mote_result mt_handle_refused_of(const mt_handles *handles, const char *array, size_t place, uint32_t index,
                                 uint32_t generation);

static inline mt_handle_entry *mt_handle_entries(const mt_handles *handles)
{
    return handles->entries.data;
}

#endif
