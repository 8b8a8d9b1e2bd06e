/* Regions: blocks are aligned, never overlap, keep what is in them whatever is asked for and given back around them,
 * and the room of those that are given back is used again. */
#include "support.h"

#include "base/memory.h"
#include "base/regions.h"

#include <stdint.h>
#include <string.h>

enum { BLOCKS = 200, ROUNDS = 20000 };

typedef struct block {
    uint8_t *at;
    size_t size;
    uint8_t mark;
} block;

static void take(mt_region **regions, block *b, size_t size, uint8_t mark)
{
    *b = (block){mt_region_allocate(regions, size), size, mark};
    check_true(b->at != NULL, "a block of %zu bytes", size);
    check_near((double)((uintptr_t)b->at % MT_ALIGNMENT), 0, 0, "bytes beside the alignment");
    memset(b->at, mark, size);
}

static void give_back(mt_region **regions, block *b)
{
    size_t kept = 0;
    while (kept < b->size && b->at[kept] == b->mark)
        kept++;
    check_near((double)kept, (double)b->size, 0, "bytes of a block that are as they were");
    check_true(mt_region_release(regions, b->at, b->size), "a block is in a region");
    b->at = NULL;
}

static void blocks_keep_what_is_in_them(void **state)
{
    (void)state;
    static block blocks[BLOCKS];
    mt_region *regions = NULL;
    uint32_t random = 1;
    for (uint32_t round = 0; round < TEST_BY_BUILD(ROUNDS, ROUNDS / 10, ROUNDS / 10); round++) {
        random = random * 1664525u + 1013904223u;
        block *b = &blocks[(random >> 8) % BLOCKS];
        if (b->at != NULL)
            give_back(&regions, b);
        else
            take(&regions, b, 1 + (random >> 12) % 60000, (uint8_t)round);
    }
    for (uint32_t i = 0; i < BLOCKS; i++)
        if (blocks[i].at != NULL)
            give_back(&regions, &blocks[i]);
    check_true(regions == NULL, "no region is left without blocks");
}

/* Gaps that touch are one: what half as large blocks left is room for whole ones, in the same place. */
static void room_is_used_again(void **state)
{
    (void)state;
    block small[32], large[16];
    mt_region *regions = NULL;
    for (uint32_t i = 0; i < 32; i++)
        take(&regions, &small[i], 32768, (uint8_t)i);
    block last;
    take(&regions, &last, 64, 99); /* keeps the region */
    const mt_region *only = regions;
    uint8_t *first = small[0].at;
    for (uint32_t i = 0; i < 32; i += 2)
        give_back(&regions, &small[i]);
    for (uint32_t i = 31; i < 32; i -= 2)
        give_back(&regions, &small[i]);
    for (uint32_t i = 0; i < 16; i++)
        take(&regions, &large[i], 65536, (uint8_t)i);
    check_true(large[0].at == first, "the first block is where the first was");
    check_true(regions == only, "there is no other region");
    for (uint32_t i = 0; i < 16; i++)
        give_back(&regions, &large[i]);
    give_back(&regions, &last);
    check_true(regions == NULL, "the region is given back");
}

static void others_are_told_apart(void **state)
{
    (void)state;
    mt_region *regions = NULL;
    block b, large;
    uint8_t elsewhere[64];
    check_true(!mt_region_release(&regions, elsewhere, sizeof elsewhere), "no region holds it");
    take(&regions, &b, 100, 1);
    check_true(!mt_region_release(&regions, elsewhere, sizeof elsewhere), "no region holds it");
    take(&regions, &large, (size_t)5 << 20, 2); /* more than a region usually has */
    give_back(&regions, &b);
    give_back(&regions, &large);
    check_true(mt_region_allocate(&regions, SIZE_MAX - 10) == NULL, "there is no such memory");
    check_true(regions == NULL, "nothing is left");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_keep_what_is_in_them),
        cmocka_unit_test(room_is_used_again),
        cmocka_unit_test(others_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
