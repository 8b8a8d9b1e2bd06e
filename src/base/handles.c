#include "base/handles.h"

#include "base/error.h"

#include <stdio.h>

void mt_handles_init(mt_handles *handles, uint32_t mark)
{
    mt_array_init(&handles->entries, sizeof(mt_handle_entry));
    mt_array_init(&handles->free, sizeof(uint32_t));
    handles->count = handles->free_count = 0;
    handles->mark = mark;
}

void mt_handles_free(mt_handles *handles, mt_memory *memory)
{
    mt_array_free(&handles->entries, memory);
    mt_array_free(&handles->free, memory);
    handles->count = handles->free_count = 0;
}

mote_result mt_handles_reserve(mt_handles *handles, mt_memory *memory, size_t more)
{
    size_t fresh = more > handles->free_count ? more - handles->free_count : 0;
    size_t needed = handles->count + fresh;
    mote_result result = mt_array_reserve(&handles->entries, memory, needed, handles->count);
    if (result != MOTE_OK)
        return result;
    return mt_array_reserve(&handles->free, memory, needed, handles->free_count);
}

mt_handle mt_handles_take(mt_handles *handles, uint32_t slot)
{
    mt_handle_entry *entries = mt_handle_entries(handles);
    uint32_t index;
    if (handles->free_count > 0) {
        index = ((uint32_t *)handles->free.data)[--handles->free_count];
    } else {
        index = handles->count++;
        entries[index].generation = handles->mark | 1;
    }
    entries[index].slot = slot;
    return (mt_handle){index, entries[index].generation};
}

void mt_handles_drop(mt_handles *handles, uint32_t index)
{
    mt_handle_entry *entry = &mt_handle_entries(handles)[index];
    entry->slot = MT_NO_SLOT;
    uint32_t next = (entry->generation + 1) & MT_GENERATION_MASK;
    entry->generation = handles->mark | (next != 0 ? next : 1); /* 0 is kept for null handles */
    ((uint32_t *)handles->free.data)[handles->free_count++] = index;
}

uint32_t mt_handles_find(const mt_handles *handles, uint32_t index, uint32_t generation)
{
    if (generation == 0 || index >= handles->count)
        return MT_NO_SLOT;
    const mt_handle_entry *entry = &mt_handle_entries(handles)[index];
    return entry->generation == generation ? entry->slot : MT_NO_SLOT;
}

mote_result mt_handle_refused(const mt_handles *handles, const char *what, uint32_t index, uint32_t generation)
{
    uint32_t number = generation >> MT_GENERATION_BITS, own = handles->mark >> MT_GENERATION_BITS;
    if (number != 0 && number != own)
        return mt_fail(MOTE_ERROR_STALE_HANDLE,
                       "%s %u (generation %u) is of world number %u; this one is number %u", what, index,
                       generation & MT_GENERATION_MASK, number, own);
    return mt_fail(MOTE_ERROR_STALE_HANDLE, "%s %u (generation %u) is null or stale", what, index,
                   generation & MT_GENERATION_MASK);
}

mote_result mt_handle_refused_of(const mt_handles *handles, const char *array, size_t place, uint32_t index,
                                 uint32_t generation)
{
    char what[80];
    snprintf(what, sizeof what, "%s[%zu]", array, place);
    return mt_handle_refused(handles, what, index, generation);
}
