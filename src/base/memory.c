#include "base/memory.h"

#include "base/error.h"
#include "base/regions.h"

#include <stdlib.h>
#include <string.h>

/* Whether blocks of a world are taken from regions: not where a tool is to watch over each of them. */
#if defined(__SANITIZE_ADDRESS__)
#define IN_REGIONS false
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IN_REGIONS false
#endif
#endif
#ifndef IN_REGIONS
#define IN_REGIONS true
#endif

/* Where the host gave no allocator. */
static void *allocate_own(mt_memory *memory, size_t size)
{
    if (IN_REGIONS && size >= MT_REGION_BLOCK && memory->held >= MT_REGION_WORLD)
        return mt_region_allocate(&memory->regions, size);
    size_t rounded = (size + MT_ALIGNMENT - 1) / MT_ALIGNMENT * MT_ALIGNMENT;
    return rounded < size ? NULL : aligned_alloc(MT_ALIGNMENT, rounded);
}

static void release_own(mt_memory *memory, void *block, size_t size)
{
    if (!mt_region_release(&memory->regions, block, size))
        free(block);
}

static void *allocate_from_host(mt_memory *memory, size_t size)
{
    memory->in_callback = true;
    void *block = memory->allocator.allocate(memory->allocator.user, size, MT_ALIGNMENT);
    memory->in_callback = false;
    return block;
}

static void release_to_host(mt_memory *memory, void *block, size_t size)
{
    memory->in_callback = true;
    memory->allocator.release(memory->allocator.user, block, size);
    memory->in_callback = false;
}

mt_memory mt_memory_make(mote_allocator host)
{
    return (mt_memory){.allocator = host};
}

void *mt_allocate(mt_memory *memory, size_t size)
{
    bool host = memory->allocator.allocate != NULL;
    void *block = host ? allocate_from_host(memory, size) : allocate_own(memory, size);
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
    if (memory->allocator.allocate != NULL)
        release_to_host(memory, block, size);
    else
        release_own(memory, block, size);
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
