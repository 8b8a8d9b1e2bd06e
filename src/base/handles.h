/* Handles: indices with generations. A table maps a handle's index to a place (a slot) and tells stale handles
 * from living ones. Indices are handed out again, last freed first, with the next generation. */
#ifndef MOTE_BASE_HANDLES_H
#define MOTE_BASE_HANDLES_H

#include "base/memory.h"

#define MT_NO_SLOT UINT32_MAX

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
} mt_handles;

void mt_handles_init(mt_handles *handles);
void mt_handles_free(mt_handles *handles, mt_memory *memory);

/* Makes sure that `more` handles can be taken without failing. */
mote_result mt_handles_reserve(mt_handles *handles, mt_memory *memory, size_t more);

/* Takes a reserved handle for the thing at `slot`. */
mt_handle mt_handles_take(mt_handles *handles, uint32_t slot);
void mt_handles_drop(mt_handles *handles, uint32_t index);

/* The slot, or MT_NO_SLOT if the handle is null, stale or was never given out. */
uint32_t mt_handles_find(const mt_handles *handles, uint32_t index, uint32_t generation);

static inline mt_handle_entry *mt_handle_entries(const mt_handles *handles)
{
    return handles->entries.data;
}

#endif
