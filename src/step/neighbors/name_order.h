/* The order of a particle's neighbours. Lists come in the order of cells, and that follows from how many particles
 * there are and how fast, wherever they are. Where sums run over a list their order must not: it is then that of
 * the particles' names, which only what is in the list has a say in. */
#ifndef MOTE_STEP_NEIGHBORS_NAME_ORDER_H
#define MOTE_STEP_NEIGHBORS_NAME_ORDER_H

#include "base/simd.h"
#include "step/neighbors/slice_lists.h"

#define NO_NAME ((uint32_t)INT32_MAX) /* of dummies: behind all others */

/* Whether a liquid has to do with a slice: a particle of it or an entry of its lists is of one. */
static inline bool is_wet(const mt_list_job *job, uint32_t slice, const slice_lists *found)
{
    for (uint32_t lane = 0; lane < LANES; lane++)
        if (job->wet[slice * LANES + lane].z > 0)
            return true;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const uint32_t *list = list_of(job, found, lane);
        for (uint32_t k = 0; k < found->length[lane]; k++)
            if (job->wet[list[k]].z > 0)
                return true;
    }
    return false;
}

/* Slots become names. */
static inline void name_lists(const mt_list_job *job, const slice_lists *found)
{
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint32_t *list = list_of(job, found, lane);
        for (uint32_t k = 0; k < found->length[lane]; k++)
            list[k] = job->names[list[k]].index;
    }
}

/* And slots again. */
LANE_FUNCTION void find_named(const mt_list_job *job, uint32_t *rows, uint32_t count)
{
#if defined(__AVX2__)
    const __m256i none = _mm256_set1_epi32(INT32_MAX), dummy = _mm256_set1_epi32((int)job->dummy);
    const int *slots = (const int *)(const void *)&job->named->slot;
    for (uint32_t k = 0; k < count; k++, rows += LANES) {
        __m256i name = (__m256i)lanes_load_index(rows), real = _mm256_cmpgt_epi32(none, name);
        __m256i slot = _mm256_mask_i32gather_epi32(dummy, slots, name, real, sizeof *job->named);
        lanes_store_index(rows, (lane_index)slot);
    }
#else
    for (uint32_t k = 0; k < count * LANES; k++)
        rows[k] = rows[k] != NO_NAME ? job->named[rows[k]].slot : job->dummy;
#endif
}

/* The lesser of each lane comes first. */
LANE_FUNCTION void put_in_order(uint32_t *first, uint32_t *second)
{
    lane_mask a = (lane_mask)lanes_load_index(first), b = (lane_mask)lanes_load_index(second);
#if defined(__AVX2__)
    lanes_store_index(first, (lane_index)_mm256_min_epi32((__m256i)a, (__m256i)b));
    lanes_store_index(second, (lane_index)_mm256_max_epi32((__m256i)a, (__m256i)b));
#else
    lane_mask less = a < b;
    lanes_store_index(first, (lane_index)((a & less) | (b & ~less)));
    lanes_store_index(second, (lane_index)((b & less) | (a & ~less)));
#endif
}

/* Batcher's odd-even merge sort of eight lists at once, the same comparisons for all of them: runs of p rows that are
 * in order become runs of 2 p. What is missing to a power of two would come last, and is left out. */
LANE_FUNCTION void sort_rows(uint32_t *rows, uint32_t count)
{
    for (uint32_t p = 1; p < count; p *= 2)
        for (uint32_t k = p; k >= 1; k /= 2)
            for (uint32_t j = k & (p - 1); j + k < count; j += 2 * k) {
                if (((j + k) & (2 * p - 1)) == 0)
                    continue; /* from one run to the next */
                uint32_t end = j + 2 * k < count ? j + k : count - k;
                for (uint32_t i = j; i < end; i++)
                    put_in_order(rows + (size_t)i * LANES, rows + (size_t)(i + k) * LANES);
            }
}

/* Rows of names, short lists filled up with NO_NAME, become rows of slots in the order of names. */
LANE_CALL void order_by_name(const mt_list_job *job, uint32_t *rows, uint32_t count)
{
    sort_rows(rows, count);
    find_named(job, rows, count);
}

#endif
