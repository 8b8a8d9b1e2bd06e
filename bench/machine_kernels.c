#include "machine_kernels.h"

#define CHAINS(DO)     DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)
#define CHAIN_BEGIN(k) lanes chain##k = (lanes){0} + (float)k;
#define CHAIN_STEP(k)  chain##k = chain##k * factor + addend;
#define CHAIN_SUM(k)   sum += chain##k;

/* The build forbids contraction, so a multiplication and an addition stay two operations, as in the solver. */
#define KERNELS(name, attributes, bytes)                                                                       \
    attributes static void triad_##name(float *a, const float *b, const float *c, float factor, size_t count)  \
    {                                                                                                          \
        typedef float lanes __attribute__((vector_size(bytes), may_alias));                                    \
        lanes *target = (lanes *)(void *)a;                                                                    \
        const lanes *left = (const lanes *)(const void *)b, *right = (const lanes *)(const void *)c;           \
        for (size_t i = 0; i < count * sizeof(float) / (bytes); i++)                                           \
            target[i] = left[i] + right[i] * factor;                                                           \
    }                                                                                                          \
    attributes static float multiply_add_##name(size_t rounds, float factor, float addend)                     \
    {                                                                                                          \
        typedef float lanes __attribute__((vector_size(bytes)));                                               \
        CHAINS(CHAIN_BEGIN)                                                                                    \
        for (size_t i = 0; i < rounds; i++) {                                                                  \
            CHAINS(CHAIN_STEP)                                                                                 \
        }                                                                                                      \
        lanes sum = {0};                                                                                       \
        CHAINS(CHAIN_SUM)                                                                                      \
        return sum[0] + sum[1];                                                                                \
    }

KERNELS(baseline, , 16)
#if defined(__x86_64__)
KERNELS(avx2, __attribute__((target("avx2"))), 32)
KERNELS(avx512, __attribute__((target("avx512f"))), 64)
#endif

static const machine_kernels ALL_KERNELS[] = {
    {MOTE_SIMD_BASELINE, 4, triad_baseline, multiply_add_baseline},
#if defined(__x86_64__)
    {MOTE_SIMD_AVX2, 8, triad_avx2, multiply_add_avx2},
    {MOTE_SIMD_AVX512, 16, triad_avx512, multiply_add_avx512},
#endif
};

const machine_kernels *machine_kernels_list(size_t *count)
{
    *count = 1;
    while (*count < sizeof ALL_KERNELS / sizeof *ALL_KERNELS && mote_simd_supported(ALL_KERNELS[*count].level))
        ++*count;
    return ALL_KERNELS;
}
