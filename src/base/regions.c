#define _GNU_SOURCE
#include "base/regions.h"

#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#define LARGE_PAGE ((size_t)1 << 21) /* bytes */

/* A part of a region that nobody has. It is noted in itself; parts are in the order of their addresses, and no two
 * of them touch. */
typedef struct gap {
    struct gap *next;
    size_t size; /* bytes */
} gap;

struct mt_region {
    _Alignas(MT_ALIGNMENT) mt_region *next;
    size_t size; /* bytes, with this head */
    size_t used; /* bytes of it that blocks have */
    gap *gaps;
};

static size_t rounded(size_t size, size_t to)
{
    return (size + to - 1) / to * to;
}

static void ask_for_large_pages(void *memory, size_t size)
{
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    (void)madvise(memory, size, MADV_HUGEPAGE); /* without them it is slower, no more */
#else
    (void)memory;
    (void)size;
#endif
}

/* A region with room for a block. */
static mt_region *make_region(size_t block)
{
    size_t size = rounded(sizeof(mt_region) + block, LARGE_PAGE);
    if (size < block || size > SIZE_MAX / 2)
        return NULL;
    mt_region *region = aligned_alloc(LARGE_PAGE, size);
    if (region == NULL)
        return NULL;
    ask_for_large_pages(region, size);
    gap *whole = (gap *)(region + 1);
    *whole = (gap){NULL, size - sizeof *region};
    *region = (mt_region){.size = size, .gaps = whole};
    return region;
}

/* Takes a block from the front of the first gap that is large enough. */
static void *take_from(mt_region *region, size_t size)
{
    for (gap **link = &region->gaps; *link != NULL; link = &(*link)->next) {
        gap *found = *link;
        if (found->size < size)
            continue;
        if (found->size == size) {
            *link = found->next;
        } else {
            gap *rest = (gap *)((char *)found + size);
            *rest = (gap){found->next, found->size - size};
            *link = rest;
        }
        region->used += size;
        return found;
    }
    return NULL;
}

void *mt_region_allocate(mt_region **regions, size_t size)
{
    size_t needed = rounded(size, MT_ALIGNMENT);
    if (needed < size)
        return NULL;
    for (mt_region *region = *regions; region != NULL; region = region->next) {
        void *block = take_from(region, needed);
        if (block != NULL)
            return block;
    }
    mt_region *made = make_region(needed);
    if (made == NULL)
        return NULL;
    made->next = *regions;
    *regions = made;
    return take_from(made, needed);
}

/* One gap of two that touch. */
static void merge(gap *first)
{
    if (first->next != NULL && (char *)first + first->size == (char *)first->next) {
        first->size += first->next->size;
        first->next = first->next->next;
    }
}

static void give_back(mt_region *region, void *block, size_t size)
{
    gap *before = NULL, *made = block;
    for (gap *g = region->gaps; g != NULL && (char *)g < (char *)block; g = g->next)
        before = g;
    *made = (gap){before == NULL ? region->gaps : before->next, size};
    *(before == NULL ? &region->gaps : &before->next) = made;
    merge(made);
    if (before != NULL)
        merge(before);
    region->used -= size;
}

static bool holds(const mt_region *region, const void *block)
{
    uintptr_t start = (uintptr_t)region, at = (uintptr_t)block;
    return at >= start && at - start < region->size;
}

bool mt_region_release(mt_region **regions, void *block, size_t size)
{
    mt_region **link = regions;
    while (*link != NULL && !holds(*link, block))
        link = &(*link)->next;
    mt_region *region = *link;
    if (region == NULL)
        return false;
    give_back(region, block, rounded(size, MT_ALIGNMENT));
    if (region->used == 0) {
        *link = region->next;
        free(region);
    }
    return true;
}
