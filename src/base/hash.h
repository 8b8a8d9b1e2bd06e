/* Hash: 64-bit mixing for state hashes, checksums and seeds. */
#ifndef MOTE_BASE_HASH_H
#define MOTE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Every bit of the input reaches every bit of the output (multiply, xor-shift, twice). */
static inline uint64_t mt_mix(uint64_t value)
{
    value = (value ^ (value >> 32)) * UINT64_C(0x9E6C63D0876A9A35);
    value = (value ^ (value >> 29)) * UINT64_C(0xD6E8FEB86659FD93);
    return value ^ (value >> 32);
}

static inline uint64_t mt_hash_add(uint64_t hash, uint64_t value)
{
    return mt_mix(hash ^ (value + UINT64_C(0x9E3779B97F4A7C15) + (hash << 6) + (hash >> 2)));
}

/* Of any bytes; the length counts. */
static inline uint64_t mt_hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    hash = mt_hash_add(hash, size);
    for (; size >= 8; bytes += 8, size -= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        hash = mt_hash_add(hash, word);
    }
    if (size > 0) {
        uint64_t word = 0;
        memcpy(&word, bytes, size);
        hash = mt_hash_add(hash, word);
    }
    return hash;
}

#endif
