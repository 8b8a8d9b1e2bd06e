/* Blocks of a worker's part of a loop: its worker takes them from the front, as memory likes it, and those who help it
 * from behind, where they are not in its way. How many were taken from either end, and in which loop, is one number of 64
 * bits, so that a part that was left in an earlier loop need not be made ready by anybody. */
#ifndef MOTE_BASE_BLOCKS_H
#define MOTE_BASE_BLOCKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Takes a block of a part that has `size`; answers how many were taken from that end before, or `size`. `bits` is what
 * either count has of the number, `untouched` the number of a part of this loop of which nothing was taken. `in_order`:
 * loops are counted upwards, and a part that is in a later one has nothing left. */
static inline uint32_t mt_take_block(_Atomic uint64_t *taken, uint64_t untouched, uint32_t bits, bool in_order,
                                     uint32_t size, bool own)
{
    const uint64_t most = (UINT64_C(1) << bits) - 1, number = untouched >> 2 * bits;
    uint64_t seen = atomic_load_explicit(taken, memory_order_relaxed), now;
    uint32_t first, last;
    do {
        uint64_t of = seen >> 2 * bits;
        if (in_order && of > number)
            return size;
        now = of == number ? seen : untouched;
        first = (uint32_t)(now & most);
        last = (uint32_t)(now >> bits & most);
        if (first + last >= size)
            return size;
        now += own ? 1 : UINT64_C(1) << bits;
    } while (
        !atomic_compare_exchange_weak_explicit(taken, &seen, now, memory_order_relaxed, memory_order_relaxed));
    return own ? first : last;
}

#endif
