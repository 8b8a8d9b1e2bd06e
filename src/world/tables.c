/* Tables of things with handles: packed, in the order of their making. */
#include "base/error.h"
#include "world/check.h"
#include "world/world.h"

#include <string.h>

void mt_table_init(mt_table *table, size_t element)
{
    mt_array_init(&table->items, element);
    mt_handles_init(&table->handles);
    table->count = 0;
}

void mt_table_free(mt_table *table, mt_memory *memory)
{
    mt_array_free(&table->items, memory);
    mt_handles_free(&table->handles, memory);
    table->count = 0;
}

mote_result mt_table_add(mt_table *table, mt_memory *memory, uint32_t limit, const char *what,
                         mt_handle *handle)
{
    if (table->count >= limit)
        return mt_fail(MOTE_ERROR_LIMIT, "there are %u %s already, the most that a world takes", table->count,
                       what);
    MT_TRY(mt_array_reserve(&table->items, memory, (size_t)table->count + 1, table->count));
    MT_TRY(mt_handles_reserve(&table->handles, memory, 1));
    *handle = mt_handles_take(&table->handles, table->count);
    table->count++;
    return MOTE_OK;
}

void mt_table_remove(mt_table *table, uint32_t slot, size_t id_offset)
{
    char *items = table->items.data;
    size_t size = table->items.element;
    uint32_t index;
    memcpy(&index, items + slot * size + id_offset, sizeof index);
    mt_handles_drop(&table->handles, index);
    table->count--;
    memmove(items + slot * size, items + (slot + 1) * size, (table->count - slot) * size);
    for (uint32_t i = slot; i < table->count; i++) {
        memcpy(&index, items + i * size + id_offset, sizeof index);
        mt_handle_entries(&table->handles)[index].slot = i;
    }
}
