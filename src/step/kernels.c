#include "step/kernels.h"

const mt_kernels *mt_kernels_of(mote_simd level)
{
    static const mt_kernels baseline = {
#define KERNEL(name) mt_##name##_baseline,
#include "step/kernels.inl"
#undef KERNEL
    };
#if defined(MOTE_KERNEL_AVX2)
    static const mt_kernels avx2 = {
#define KERNEL(name) mt_##name##_avx2,
#include "step/kernels.inl"
#undef KERNEL
    };
    if (level == MOTE_SIMD_AVX2)
        return &avx2;
#endif
#if defined(MOTE_KERNEL_AVX512)
    static const mt_kernels avx512 = {
#define KERNEL(name) mt_##name##_avx512,
#include "step/kernels.inl"
#undef KERNEL
    };
    if (level == MOTE_SIMD_AVX512)
        return &avx512;
#endif
    (void)level;
    return &baseline;
}
