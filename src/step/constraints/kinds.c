/* The kernels of all kinds, from the list in mote/constraint_kinds.h, at every level that the library is compiled for. */
#include "step/constraints/constraints.h"

#define LEVEL(level, name)                                                                                     \
    void mt_##name##_expect_##level(void *context, uint32_t begin, uint32_t end, uint32_t worker);             \
    void mt_##name##_project_##level(void *context, uint32_t begin, uint32_t end, uint32_t worker);
#define KERNELS(level, name) {mt_##name##_expect_##level, mt_##name##_project_##level},

#define KIND(NAME, name, ends, unit) LEVEL(baseline, name)
MT_CONSTRAINT_KINDS(KIND)
#undef KIND
#define KIND(NAME, name, ends, unit) KERNELS(baseline, name)
static const mt_constraint_kernels baseline[] = {MT_CONSTRAINT_KINDS(KIND)};
#undef KIND

#if defined(MOTE_KERNEL_AVX2)
#define KIND(NAME, name, ends, unit) LEVEL(avx2, name)
MT_CONSTRAINT_KINDS(KIND)
#undef KIND
#define KIND(NAME, name, ends, unit) KERNELS(avx2, name)
static const mt_constraint_kernels avx2[] = {MT_CONSTRAINT_KINDS(KIND)};
#undef KIND
#endif

#if defined(MOTE_KERNEL_AVX512)
#define KIND(NAME, name, ends, unit) LEVEL(avx512, name)
MT_CONSTRAINT_KINDS(KIND)
#undef KIND
#define KIND(NAME, name, ends, unit) KERNELS(avx512, name)
static const mt_constraint_kernels avx512[] = {MT_CONSTRAINT_KINDS(KIND)};
#undef KIND
#endif

const mt_constraint_kernels *mt_constraint_kernels_of(mote_simd level, uint32_t kind)
{
#if defined(MOTE_KERNEL_AVX2)
    if (level == MOTE_SIMD_AVX2)
        return &avx2[kind];
#endif
#if defined(MOTE_KERNEL_AVX512)
    if (level == MOTE_SIMD_AVX512)
        return &avx512[kind];
#endif
    (void)level;
    return &baseline[kind];
}
