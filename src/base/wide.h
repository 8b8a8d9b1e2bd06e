/* Sixteen lanes, where registers hold as many: two rows of eight at a time, with the same bits. MT_WIDE says whether there
 * are any. */
#ifndef MOTE_BASE_WIDE_H
#define MOTE_BASE_WIDE_H

#include "base/simd.h"

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define MT_WIDE 1

typedef float wide __attribute__((vector_size(64)));
typedef uint32_t wide_index __attribute__((vector_size(64)));

typedef struct wide4 {
    wide x, y, z, w;
} wide4;

LANE_FUNCTION wide wide_all(float value)
{
    return (wide)_mm512_set1_ps(value);
}

/* The same for both rows. */
LANE_FUNCTION wide wide_twice(lanes a)
{
    return (wide)_mm512_insertf32x8(_mm512_castps256_ps512((__m256)a), (__m256)a, 1);
}

LANE_FUNCTION wide4 wide_twice4(lanes4 a)
{
    return (wide4){wide_twice(a.x), wide_twice(a.y), wide_twice(a.z), wide_twice(a.w)};
}

LANE_FUNCTION wide wide_min(wide a, wide b)
{
    return (wide)_mm512_min_ps((__m512)a, (__m512)b);
}

LANE_FUNCTION wide wide_max(wide a, wide b)
{
    return (wide)_mm512_max_ps((__m512)a, (__m512)b);
}

LANE_FUNCTION wide wide_sqrt(wide a)
{
    return (wide)_mm512_sqrt_ps((__m512)a);
}

/* As lanes_round. */
LANE_FUNCTION wide_index wide_round(wide a)
{
    return (wide_index)_mm512_cvtps_epi32((__m512)a);
}

/* The sum of both rows. */
LANE_FUNCTION lane_index wide_fold(wide_index a)
{
    return (lane_index)_mm512_castsi512_si256((__m512i)a) +
           (lane_index)_mm512_extracti64x4_epi64((__m512i)a, 1);
}

/* Every fourth of sixteen structures, one behind the other. */
LANE_FUNCTION __m512 wide_every_fourth(const mote_vec4 *base, const uint32_t *index)
{
    __m512 all = _mm512_castps128_ps512(_mm_loadu_ps(&base[index[0]].x));
    all = _mm512_insertf32x4(all, _mm_loadu_ps(&base[index[4]].x), 1);
    all = _mm512_insertf32x4(all, _mm_loadu_ps(&base[index[8]].x), 2);
    return _mm512_insertf32x4(all, _mm_loadu_ps(&base[index[12]].x), 3);
}

LANE_FUNCTION wide4 wide_gather(const mote_vec4 *base, const uint32_t *index)
{
    __m512 a = wide_every_fourth(base, index), b = wide_every_fourth(base, index + 1);
    __m512 c = wide_every_fourth(base, index + 2), d = wide_every_fourth(base, index + 3);
    __m512 xy01 = _mm512_unpacklo_ps(a, b), zw01 = _mm512_unpackhi_ps(a, b);
    __m512 xy23 = _mm512_unpacklo_ps(c, d), zw23 = _mm512_unpackhi_ps(c, d);
    return (wide4){(wide)_mm512_shuffle_ps(xy01, xy23, 0x44), (wide)_mm512_shuffle_ps(xy01, xy23, 0xEE),
                   (wide)_mm512_shuffle_ps(zw01, zw23, 0x44), (wide)_mm512_shuffle_ps(zw01, zw23, 0xEE)};
}

LANE_FUNCTION wide wide_pick(const float *base, const uint32_t *index)
{
    return (wide)_mm512_i32gather_ps(_mm512_loadu_si512(index), base, 4);
}

#else
#define MT_WIDE 0
#endif

#endif
