#include "base/handles.h"

void mt_handles_init(mt_handles *handles)
{
    mt_array_init(&handles->entries, sizeof(mt_handle_entry));
    mt_array_init(&handles->free, sizeof(uint32_t));
    handles->count = handles->free_count = 0;
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
        entries[index].generation = 1;
    }
    entries[index].slot = slot;
    return (mt_handle){index, entries[index].generation};
}

void mt_handles_drop(mt_handles *handles, uint32_t index)
{
    mt_handle_entry *entry = &mt_handle_entries(handles)[index];
    entry->slot = MT_NO_SLOT;
    if (++entry->generation == 0) /* 0 is kept for null handles */
        entry->generation = 1;
    ((uint32_t *)handles->free.data)[handles->free_count++] = index;
}

uint32_t mt_handles_find(const mt_handles *handles, uint32_t index, uint32_t generation)
{
    if (generation == 0 || index >= handles->count)
        return MT_NO_SLOT;
    const mt_handle_entry *entry = &mt_handle_entries(handles)[index];
    return entry->generation == generation ? entry->slot : MT_NO_SLOT;
}
