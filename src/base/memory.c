#include "base/memory.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static void *allocate_from_c(void *user, size_t size, size_t alignment)
{
    (void)user;
    size_t rounded = (size + alignment - 1) / alignment * alignment;
    return rounded < size ? NULL : aligned_alloc(alignment, rounded);
}

static void release_to_c(void *user, void *block, size_t size)
{
    (void)user;
    (void)size;
    free(block);
}

mt_memory mt_memory_make(mote_allocator host)
{
    if (host.allocate == NULL) {
        host.allocate = allocate_from_c;
        host.release = release_to_c;
    }
    return (mt_memory){.allocator = host};
}

void *mt_allocate(mt_memory *memory, size_t size)
{
    memory->in_callback = true;
    void *block = memory->allocator.allocate(memory->allocator.user, size, MT_ALIGNMENT);
    memory->in_callback = false;
    if (block == NULL) {
        mt_fail(MOTE_ERROR_MEMORY, "the allocator returned no memory for %zu bytes", size);
        return NULL;
    }
    memory->held += size;
    return block;
}

void mt_release(mt_memory *memory, void *block, size_t size)
{
    if (block == NULL)
        return;
    memory->held -= size;
    memory->in_callback = true;
    memory->allocator.release(memory->allocator.user, block, size);
    memory->in_callback = false;
}

void mt_array_init(mt_array *array, size_t element)
{
    *array = (mt_array){.element = element};
}

void mt_array_free(mt_array *array, mt_memory *memory)
{
    mt_release(memory, array->data, array->capacity * array->element);
    array->data = NULL;
    array->capacity = 0;
}

mote_result mt_array_reserve(mt_array *array, mt_memory *memory, size_t needed, size_t used)
{
    if (needed <= array->capacity)
        return MOTE_OK;
    size_t capacity = array->capacity * 2;
    if (capacity < needed)
        capacity = needed;
    if (capacity < 16)
        capacity = 16;
    void *data = mt_allocate(memory, capacity * array->element);
    if (data == NULL)
        return MOTE_ERROR_MEMORY;
    if (used > 0)
        memcpy(data, array->data, used * array->element);
    mt_array_free(array, memory);
    array->data = data;
    array->capacity = capacity;
    return MOTE_OK;
}
