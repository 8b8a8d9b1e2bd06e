/* The algorithms of src/base, which know no physics: the sort, the parallel loop, the handles and the hash. */
#include "support.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/handles.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/threads.h"

/* ---- sort ----------------------------------------------------------------------------------------------- */

typedef struct item {
    uint32_t key, place;
} item;

static int by_key(const void *a, const void *b)
{
    uint32_t x = ((const item *)a)->key, y = ((const item *)b)->key;
    return (x > y) - (x < y);
}

/* All lengths up to 70, which has every pattern of whole and broken runs, and a long one; keys repeat often, so
 * that stability is put to the test. */
static void sort_orders_and_is_stable(void **state)
{
    (void)state;
    static item items[5000], spare[5000];
    uint64_t seed = 1;
    for (uint32_t round = 0; round <= 71; ++round) {
        uint32_t count = round <= 70 ? round : 5000;
        for (uint32_t i = 0; i < count; ++i)
            items[i] = (item){(uint32_t)random_between(&seed, 0, (float)(count / 4 + 2)), i};
        mt_merge_sort(items, spare, count, sizeof(item), by_key);
        uint64_t places = 0;
        for (uint32_t i = 0; i < count; ++i) {
            places += items[i].place;
            if (i == 0)
                continue;
            check_true(items[i - 1].key <= items[i].key, "%u items: %u and %u are in order", count, i - 1, i);
            check_true(items[i - 1].key < items[i].key || items[i - 1].place < items[i].place,
                       "%u items: equal keys at %u and %u kept their order", count, i - 1, i);
        }
        check_near((double)places, count * (count - 1.0) / 2, 0, "%u items: sum of their places", count);
    }
}

/* ---- parallel loop -------------------------------------------------------------------------------------- */

typedef struct visits {
    _Atomic uint32_t seen[3000];
    _Atomic uint32_t odd_blocks; /* blocks that do not start at a multiple, or of workers that are not there */
    uint32_t block, count, workers;
} visits;

static void visit(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    visits *v = context;
    bool whole = end - begin == v->block || end == v->count;
    if (begin % v->block != 0 || !whole || worker >= v->workers)
        atomic_fetch_add(&v->odd_blocks, 1);
    for (uint32_t i = begin; i < end; ++i)
        atomic_fetch_add(&v->seen[i], 1);
}

static void loop_visits_every_index_once(void **state)
{
    (void)state;
    static const uint32_t counts[] = {0, 1, 7, 8, 63, 64, 65, 1000, 2999};
    for (uint32_t workers = 1; workers <= 5; ++workers) {
        mt_memory memory = mt_memory_make((mote_allocator){0});
        mt_threads threads;
        must(mt_threads_start(&threads, &memory, (mote_task_system){0}, workers));
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
            static visits v;
            memset(&v, 0, sizeof v);
            v.count = counts[c];
            v.block = 8;
            v.workers = workers;
            mt_parallel_for(&threads, counts[c], 8, visit, &v);
            for (uint32_t i = 0; i < 3000; ++i)
                check_near(v.seen[i], i < counts[c], 0, "visits of %u of %u with %u workers", i, counts[c],
                           workers);
            check_near(v.odd_blocks, 0, 0, "odd blocks with %u workers", workers);
        }
        mt_threads_stop(&threads, &memory);
    }
}

/* ---- handles -------------------------------------------------------------------------------------------- */

static void handles_are_used_again_with_a_new_generation(void **state)
{
    (void)state;
    mt_memory memory = mt_memory_make((mote_allocator){0});
    mt_handles handles;
    mt_handles_init(&handles, 0);
    must(mt_handles_reserve(&handles, &memory, 3));
    mt_handle a = mt_handles_take(&handles, 10), b = mt_handles_take(&handles, 20);
    check_near(mt_handles_find(&handles, a.index, a.generation), 10, 0, "slot of the first");
    check_near(mt_handles_find(&handles, b.index, b.generation), 20, 0, "slot of the second");
    mt_handles_drop(&handles, a.index);
    check_true(mt_handles_find(&handles, a.index, a.generation) == MT_NO_SLOT, "dropped");
    mt_handle c = mt_handles_take(&handles, 30);
    check_near(c.index, a.index, 0, "the index is used again");
    check_true(c.generation != a.generation, "with another generation");
    check_true(mt_handles_find(&handles, a.index, a.generation) == MT_NO_SLOT, "the old handle stays stale");
    check_true(mt_handles_find(&handles, 99, 1) == MT_NO_SLOT, "an index that never was");
    check_true(mt_handles_find(&handles, c.index, 0) == MT_NO_SLOT, "the null generation");
    mt_handles_free(&handles, &memory);
}

/* ---- hash ----------------------------------------------------------------------------------------------- */

/* Changing one bit changes about half of the 64; over 4096 changes the mean is 32 +- 0.06, and no single one
 * is likely to be below 10. */
static void hash_avalanches(void **state)
{
    (void)state;
    unsigned char bytes[64];
    for (int i = 0; i < 64; ++i)
        bytes[i] = (unsigned char)(i * 7);
    double sum = 0;
    int tries = 0;
    for (size_t length = 1; length <= 64; length += 9) {
        uint64_t plain = mt_hash_bytes(1, bytes, length);
        for (size_t bit = 0; bit < length * 8; ++bit, ++tries) {
            bytes[bit / 8] ^= (unsigned char)(1u << (bit % 8));
            int changed = __builtin_popcountll(plain ^ mt_hash_bytes(1, bytes, length));
            bytes[bit / 8] ^= (unsigned char)(1u << (bit % 8));
            check_above(changed, 8, "bits that change with bit %zu of %zu bytes", bit, length);
            sum += changed;
        }
    }
    check_near(sum / tries, 32, 0.5, "bits that change on average");
}

static void hash_counts_the_length(void **state)
{
    (void)state;
    const unsigned char zeros[32] = {0};
    for (size_t a = 0; a < 32; ++a)
        for (size_t b = 0; b < a; ++b)
            check_true(mt_hash_bytes(1, zeros, a) != mt_hash_bytes(1, zeros, b), "%zu and %zu zeros", a, b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sort_orders_and_is_stable),
        cmocka_unit_test(loop_visits_every_index_once),
        cmocka_unit_test(handles_are_used_again_with_a_new_generation),
        cmocka_unit_test(hash_avalanches),
        cmocka_unit_test(hash_counts_the_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
