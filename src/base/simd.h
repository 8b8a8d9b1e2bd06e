/* SIMD: eight virtual lanes of 32 bits, whatever the registers are. Written on the compilers' vector
 * extensions; the few operations that they lack have an x86 form and a plain C form with the same results.
 * Included by the kernels only, which are compiled once for each instruction set.
 *
 * There is no fused multiply-add, no approximate reciprocal and no sum across lanes here: a lane is a particle,
 * a lane's sum runs over its own list in order, so every width gives the same bits. */
#ifndef MOTE_BASE_SIMD_H
#define MOTE_BASE_SIMD_H

#include "mote/base.h"

#include <math.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define LANES 8

typedef float lanes __attribute__((vector_size(32)));
typedef int32_t lane_mask __attribute__((vector_size(32))); /* -1 where true, 0 where false */
typedef uint32_t lane_index __attribute__((vector_size(32)));
typedef float quad __attribute__((vector_size(16)));

#define LANE_FUNCTION static inline __attribute__((always_inline))

/* A loop that is compiled anew for every set of constants that it is called with. Sanitizers make so much code of
 * it that building would take minutes; there it is compiled once, and asks. */
#ifdef MOTE_SANITIZED
#define LANE_LOOP static __attribute__((noinline))
#else
#define LANE_LOOP LANE_FUNCTION
#endif

/* A function that stays one: inlined, it would take registers from the loops around it. */
#define LANE_CALL static __attribute__((noinline, unused))

LANE_FUNCTION lanes lanes_all(float value)
{
    return (lanes){value, value, value, value, value, value, value, value};
}

LANE_FUNCTION lane_index lanes_all_index(uint32_t value)
{
    return (lane_index){value, value, value, value, value, value, value, value};
}

LANE_FUNCTION lane_index lanes_iota(void)
{
    return (lane_index){0, 1, 2, 3, 4, 5, 6, 7};
}

/* Any alignment. */
LANE_FUNCTION lanes lanes_load(const float *from)
{
    lanes value;
    memcpy(&value, from, sizeof value);
    return value;
}

LANE_FUNCTION void lanes_store(float *to, lanes value)
{
    memcpy(to, &value, sizeof value);
}

LANE_FUNCTION lane_index lanes_load_index(const uint32_t *from)
{
    lane_index value;
    memcpy(&value, from, sizeof value);
    return value;
}

LANE_FUNCTION void lanes_store_index(uint32_t *to, lane_index value)
{
    memcpy(to, &value, sizeof value);
}

LANE_FUNCTION lanes lanes_select(lane_mask mask, lanes where_true, lanes where_false)
{
    return (lanes)(((lane_mask)where_true & mask) | ((lane_mask)where_false & ~mask));
}

/* The value where the mask is true, 0 elsewhere. */
LANE_FUNCTION lanes lanes_keep(lane_mask mask, lanes value)
{
    return (lanes)((lane_mask)value & mask);
}

/* Comparisons. They are functions because gcc takes operators on vectors wider than the registers apart into
 * single numbers. */
#if defined(__AVX__) || !defined(__SSE2__)
#define LANE_COMPARISON(name, operator, intrinsic)                                                             \
    LANE_FUNCTION lane_mask name(lanes a, lanes b)                                                             \
    {                                                                                                          \
        return a operator b;                                                                                   \
    }
#else
#define LANE_COMPARISON(name, operator, intrinsic)                                                             \
    LANE_FUNCTION lane_mask name(lanes a, lanes b)                                                             \
    {                                                                                                          \
        return lane_mask_join(intrinsic(lanes_low(a), lanes_low(b)), intrinsic(lanes_high(a), lanes_high(b))); \
    }

LANE_FUNCTION __m128 lanes_low(lanes a)
{
    return (__m128)__builtin_shufflevector(a, a, 0, 1, 2, 3);
}

LANE_FUNCTION __m128 lanes_high(lanes a)
{
    return (__m128)__builtin_shufflevector(a, a, 4, 5, 6, 7);
}

LANE_FUNCTION lanes lanes_of_halves(__m128 low, __m128 high)
{
    return __builtin_shufflevector((quad)low, (quad)high, 0, 1, 2, 3, 4, 5, 6, 7);
}

LANE_FUNCTION lane_mask lane_mask_join(__m128 low, __m128 high)
{
    return (lane_mask)lanes_of_halves(low, high);
}
#endif

LANE_COMPARISON(lanes_below, <, _mm_cmplt_ps)
LANE_COMPARISON(lanes_above, >, _mm_cmpgt_ps)
LANE_COMPARISON(lanes_at_most, <=, _mm_cmple_ps)
LANE_COMPARISON(lanes_at_least, >=, _mm_cmpge_ps)

LANE_FUNCTION lane_mask lanes_differ(lane_index a, lane_index b)
{
#if defined(__AVX__) || !defined(__SSE2__)
    return (lane_mask)(a != b);
#else
    __m128i x[2], y[2];
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    return ~lane_mask_join(_mm_castsi128_ps(_mm_cmpeq_epi32(x[0], y[0])),
                           _mm_castsi128_ps(_mm_cmpeq_epi32(x[1], y[1])));
#endif
}

/* b where either is NaN. */
LANE_FUNCTION lanes lanes_min(lanes a, lanes b)
{
#if defined(__AVX__)
    return (lanes)_mm256_min_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__)
    return lanes_of_halves(_mm_min_ps(lanes_low(a), lanes_low(b)), _mm_min_ps(lanes_high(a), lanes_high(b)));
#else
    return lanes_select(a < b, a, b);
#endif
}

LANE_FUNCTION lanes lanes_max(lanes a, lanes b)
{
#if defined(__AVX__)
    return (lanes)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__)
    return lanes_of_halves(_mm_max_ps(lanes_low(a), lanes_low(b)), _mm_max_ps(lanes_high(a), lanes_high(b)));
#else
    return lanes_select(a > b, a, b);
#endif
}

/* Correctly rounded, as C's sqrtf. */
LANE_FUNCTION lanes lanes_sqrt(lanes a)
{
#if defined(__AVX__)
    return (lanes)_mm256_sqrt_ps((__m256)a);
#elif defined(__SSE2__)
    return lanes_of_halves(_mm_sqrt_ps(lanes_low(a)), _mm_sqrt_ps(lanes_high(a)));
#else
    lanes root;
    for (int i = 0; i < LANES; i++)
        root[i] = sqrtf(a[i]);
    return root;
#endif
}

/* The nearest whole number, the even one of two; `a` must be within those of 32 bits. */
LANE_FUNCTION lane_mask lanes_round(lanes a)
{
#if defined(__AVX__)
    return (lane_mask)_mm256_cvtps_epi32((__m256)a);
#elif defined(__SSE2__)
    __m128i halves[2] = {_mm_cvtps_epi32(lanes_low(a)), _mm_cvtps_epi32(lanes_high(a))};
    lane_mask rounded;
    memcpy(&rounded, halves, sizeof rounded);
    return rounded;
#else
    lane_mask rounded;
    for (int i = 0; i < LANES; i++)
        rounded[i] = (int32_t)nearbyintf(a[i]);
    return rounded;
#endif
}

/* Between -limit and limit; NaN is not. */
LANE_FUNCTION lane_mask lanes_within(lanes a, lanes limit)
{
    return lanes_below(a, limit) & lanes_above(a, -limit);
}

/* The factor, at most 1, that makes vectors no longer than `limit` (above 0). */
LANE_FUNCTION lanes lanes_shortening(lanes x, lanes y, lanes z, float limit)
{
    lanes square = x * x + y * y + z * z;
    lanes over =
        lanes_select(lanes_above(square, lanes_all(limit * limit)), lanes_sqrt(square), lanes_all(limit));
    return lanes_all(limit) / over;
}

/* Bit i is set where lane i is true. */
LANE_FUNCTION uint32_t lanes_bits(lane_mask mask)
{
#if defined(__AVX__)
    return (uint32_t)_mm256_movemask_ps((__m256)mask);
#elif defined(__SSE2__)
    __m128 halves[2];
    memcpy(halves, &mask, sizeof halves);
    return (uint32_t)_mm_movemask_ps(halves[0]) | (uint32_t)_mm_movemask_ps(halves[1]) << 4;
#else
    uint32_t bits = 0;
    for (int i = 0; i < LANES; i++)
        bits |= (uint32_t)(mask[i] & 1) << i;
    return bits;
#endif
}

/* True in the lanes whose bit is set. */
LANE_FUNCTION lane_mask lanes_of_bits(uint32_t bits)
{
    lane_index one = (lane_index){1, 2, 4, 8, 16, 32, 64, 128} & lanes_all_index(bits);
    return lanes_differ(one, lanes_all_index(0));
}

/* The least and the largest of the eight: the same in any order. */
LANE_FUNCTION float lanes_least(lanes a)
{
    a = lanes_min(a, __builtin_shufflevector(a, a, 4, 5, 6, 7, 0, 1, 2, 3));
    a = lanes_min(a, __builtin_shufflevector(a, a, 2, 3, 0, 1, 6, 7, 4, 5));
    a = lanes_min(a, __builtin_shufflevector(a, a, 1, 0, 3, 2, 5, 4, 7, 6));
    return a[0];
}

LANE_FUNCTION float lanes_largest(lanes a)
{
    return -lanes_least(-a);
}

/* Four fields of eight structures, a field a vector. */
typedef struct lanes4 {
    lanes x, y, z, w;
} lanes4;

LANE_FUNCTION quad quad_load(const mote_vec4 *from)
{
    quad value;
    memcpy(&value, from, sizeof value);
    return value;
}

/* Four floats of any alignment. */
LANE_FUNCTION quad quad_load_numbers(const float *from)
{
    quad value;
    memcpy(&value, from, sizeof value);
    return value;
}

LANE_FUNCTION lanes lanes_join(quad low, quad high)
{
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

#if defined(__AVX__)
/* Rows 0..7 of four floats become four vectors of eight. */
LANE_FUNCTION lanes4 lanes_transpose(const quad row[LANES])
{
    lanes row04 = lanes_join(row[0], row[4]), row15 = lanes_join(row[1], row[5]);
    lanes row26 = lanes_join(row[2], row[6]), row37 = lanes_join(row[3], row[7]);
    lanes xy01 = __builtin_shufflevector(row04, row15, 0, 8, 1, 9, 4, 12, 5, 13);
    lanes zw01 = __builtin_shufflevector(row04, row15, 2, 10, 3, 11, 6, 14, 7, 15);
    lanes xy23 = __builtin_shufflevector(row26, row37, 0, 8, 1, 9, 4, 12, 5, 13);
    lanes zw23 = __builtin_shufflevector(row26, row37, 2, 10, 3, 11, 6, 14, 7, 15);
    return (lanes4){__builtin_shufflevector(xy01, xy23, 0, 1, 8, 9, 4, 5, 12, 13),
                    __builtin_shufflevector(xy01, xy23, 2, 3, 10, 11, 6, 7, 14, 15),
                    __builtin_shufflevector(zw01, zw23, 0, 1, 8, 9, 4, 5, 12, 13),
                    __builtin_shufflevector(zw01, zw23, 2, 3, 10, 11, 6, 7, 14, 15)};
}

LANE_FUNCTION void lanes_store4(mote_vec4 *base, lanes4 value)
{
    lanes xy01 = __builtin_shufflevector(value.x, value.y, 0, 8, 1, 9, 4, 12, 5, 13);
    lanes xy23 = __builtin_shufflevector(value.x, value.y, 2, 10, 3, 11, 6, 14, 7, 15);
    lanes zw01 = __builtin_shufflevector(value.z, value.w, 0, 8, 1, 9, 4, 12, 5, 13);
    lanes zw23 = __builtin_shufflevector(value.z, value.w, 2, 10, 3, 11, 6, 14, 7, 15);
    lanes row04 = __builtin_shufflevector(xy01, zw01, 0, 1, 8, 9, 4, 5, 12, 13);
    lanes row15 = __builtin_shufflevector(xy01, zw01, 2, 3, 10, 11, 6, 7, 14, 15);
    lanes row26 = __builtin_shufflevector(xy23, zw23, 0, 1, 8, 9, 4, 5, 12, 13);
    lanes row37 = __builtin_shufflevector(xy23, zw23, 2, 3, 10, 11, 6, 7, 14, 15);
    float *to = &base->x;
    lanes_store(to + 0, __builtin_shufflevector(row04, row15, 0, 1, 2, 3, 8, 9, 10, 11));
    lanes_store(to + 8, __builtin_shufflevector(row26, row37, 0, 1, 2, 3, 8, 9, 10, 11));
    lanes_store(to + 16, __builtin_shufflevector(row04, row15, 4, 5, 6, 7, 12, 13, 14, 15));
    lanes_store(to + 24, __builtin_shufflevector(row26, row37, 4, 5, 6, 7, 12, 13, 14, 15));
}

/* The way back: the four vectors as rows, first to last. */
LANE_FUNCTION void lanes_rows(lanes4 value, quad row[LANES])
{
    lanes xy01 = __builtin_shufflevector(value.x, value.y, 0, 8, 1, 9, 4, 12, 5, 13);
    lanes xy23 = __builtin_shufflevector(value.x, value.y, 2, 10, 3, 11, 6, 14, 7, 15);
    lanes zw01 = __builtin_shufflevector(value.z, value.w, 0, 8, 1, 9, 4, 12, 5, 13);
    lanes zw23 = __builtin_shufflevector(value.z, value.w, 2, 10, 3, 11, 6, 14, 7, 15);
    lanes pair[4] = {__builtin_shufflevector(xy01, zw01, 0, 1, 8, 9, 4, 5, 12, 13),
                     __builtin_shufflevector(xy01, zw01, 2, 3, 10, 11, 6, 7, 14, 15),
                     __builtin_shufflevector(xy23, zw23, 0, 1, 8, 9, 4, 5, 12, 13),
                     __builtin_shufflevector(xy23, zw23, 2, 3, 10, 11, 6, 7, 14, 15)};
    for (int k = 0; k < 4; k++) {
        row[k] = __builtin_shufflevector(pair[k], pair[k], 0, 1, 2, 3);
        row[k + 4] = __builtin_shufflevector(pair[k], pair[k], 4, 5, 6, 7);
    }
}

#else
/* Registers of four: two transpositions of four by four. */
typedef struct quad4 {
    quad x, y, z, w;
} quad4;

LANE_FUNCTION quad4 quad_transpose(quad a, quad b, quad c, quad d)
{
    quad xy01 = __builtin_shufflevector(a, b, 0, 4, 1, 5), zw01 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    quad xy23 = __builtin_shufflevector(c, d, 0, 4, 1, 5), zw23 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    return (quad4){
        __builtin_shufflevector(xy01, xy23, 0, 1, 4, 5), __builtin_shufflevector(xy01, xy23, 2, 3, 6, 7),
        __builtin_shufflevector(zw01, zw23, 0, 1, 4, 5), __builtin_shufflevector(zw01, zw23, 2, 3, 6, 7)};
}

LANE_FUNCTION lanes4 lanes_transpose(const quad row[LANES])
{
    quad4 low = quad_transpose(row[0], row[1], row[2], row[3]);
    quad4 high = quad_transpose(row[4], row[5], row[6], row[7]);
    return (lanes4){lanes_join(low.x, high.x), lanes_join(low.y, high.y), lanes_join(low.z, high.z),
                    lanes_join(low.w, high.w)};
}

LANE_FUNCTION void lanes_store4(mote_vec4 *base, lanes4 value)
{
    quad part[4][2];
    memcpy(part[0], &value.x, sizeof part[0]);
    memcpy(part[1], &value.y, sizeof part[1]);
    memcpy(part[2], &value.z, sizeof part[2]);
    memcpy(part[3], &value.w, sizeof part[3]);
    for (int half = 0; half < 2; half++) {
        quad4 rows = quad_transpose(part[0][half], part[1][half], part[2][half], part[3][half]);
        memcpy(base + 4 * half, &rows, sizeof rows);
    }
}

LANE_FUNCTION void lanes_rows(lanes4 value, quad row[LANES])
{
    mote_vec4 rows[LANES];
    lanes_store4(rows, value);
    memcpy(row, rows, sizeof rows);
}
#endif

LANE_FUNCTION lanes4 lanes_gather(const mote_vec4 *base, const uint32_t *index)
{
    const quad rows[LANES] = {quad_load(base + index[0]), quad_load(base + index[1]),
                              quad_load(base + index[2]), quad_load(base + index[3]),
                              quad_load(base + index[4]), quad_load(base + index[5]),
                              quad_load(base + index[6]), quad_load(base + index[7])};
    return lanes_transpose(rows);
}

/* The other way round; an index that stands twice gets the later lane. */
LANE_FUNCTION void lanes_scatter(mote_vec4 *base, const uint32_t *index, lanes4 value)
{
    quad rows[LANES];
    lanes_rows(value, rows);
    memcpy(base + index[0], &rows[0], sizeof *base);
    memcpy(base + index[1], &rows[1], sizeof *base);
    memcpy(base + index[2], &rows[2], sizeof *base);
    memcpy(base + index[3], &rows[3], sizeof *base);
    memcpy(base + index[4], &rows[4], sizeof *base);
    memcpy(base + index[5], &rows[5], sizeof *base);
    memcpy(base + index[6], &rows[6], sizeof *base);
    memcpy(base + index[7], &rows[7], sizeof *base);
}

/* Single numbers. */
LANE_FUNCTION lanes lanes_pick(const float *base, const uint32_t *index)
{
    return (lanes){base[index[0]], base[index[1]], base[index[2]], base[index[3]],
                   base[index[4]], base[index[5]], base[index[6]], base[index[7]]};
}

/* Eight structures that follow each other. */
LANE_FUNCTION lanes4 lanes_load4(const mote_vec4 *base)
{
    const quad rows[LANES] = {quad_load(base + 0), quad_load(base + 1), quad_load(base + 2),
                              quad_load(base + 3), quad_load(base + 4), quad_load(base + 5),
                              quad_load(base + 6), quad_load(base + 7)};
    return lanes_transpose(rows);
}

/* For passes that do the same to every number of a particle: two particles as they are in memory, side by side. */
LANE_FUNCTION lanes lanes_twice(float x, float y, float z, float w)
{
    return (lanes){x, y, z, w, x, y, z, w};
}

/* Without its sign. */
LANE_FUNCTION lanes lanes_size(lanes a)
{
    return (lanes)((lane_mask)a & (lane_mask)lanes_all_index(0x7FFFFFFFu));
}

/* Four values each of eight lists that begin `stride` apart: to[k] has the k-th of every list. */
LANE_FUNCTION void lanes_across(const float *lists, size_t stride, lanes to[4])
{
    quad rows[LANES];
    for (uint32_t lane = 0; lane < LANES; lane++)
        memcpy(&rows[lane], lists + lane * stride, sizeof rows[lane]);
    lanes4 across = lanes_transpose(rows);
    to[0] = across.x;
    to[1] = across.y;
    to[2] = across.z;
    to[3] = across.w;
}

/* Writes the lanes whose bit is set one after the other and answers how many they are. Up to eight places are
 * written, so there must be room for them. */
LANE_FUNCTION uint32_t lanes_compress(uint32_t *to, lane_index value, uint32_t bits)
{
#if defined(__AVX512VL__)
    _mm256_storeu_si256((__m256i *)(void *)to, _mm256_maskz_compress_epi32((__mmask8)bits, (__m256i)value));
#elif defined(__AVX2__) && defined(__BMI2__)
    /* Three bits a kept lane, pulled together: the numbers of the kept lanes, in order. */
    uint64_t spread = _pdep_u64(bits, UINT64_C(0x0101010101010101)) * 0xFF;
    uint64_t order = _pext_u64(UINT64_C(0x0706050403020100), spread);
    __m256i permutation = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)order));
    _mm256_storeu_si256((__m256i *)(void *)to, _mm256_permutevar8x32_epi32((__m256i)value, permutation));
#else
    uint32_t count = 0;
    for (uint32_t rest = bits; rest != 0; rest &= rest - 1)
        to[count++] = value[__builtin_ctz(rest)];
#endif
    return (uint32_t)__builtin_popcount(bits);
}

/* Eight partial sums, added up in one order. */
LANE_FUNCTION float lanes_sum(lanes a)
{
    quad half = __builtin_shufflevector(a, a, 0, 1, 2, 3) + __builtin_shufflevector(a, a, 4, 5, 6, 7);
    quad quarter = half + __builtin_shufflevector(half, half, 2, 3, 0, 1);
    return quarter[0] + quarter[1];
}

#endif
