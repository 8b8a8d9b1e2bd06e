/* Kernels: the hot loops of a step. Each is compiled once for every instruction set, from the same source with
 * the same results; a world has a table of those that its CPU runs. All work on slices of eight particles, but where
 * kernels.inl says otherwise. */
#ifndef MOTE_STEP_KERNELS_H
#define MOTE_STEP_KERNELS_H

#include "step/scratch.h"

typedef struct mt_kernels {
#define KERNEL(name) mt_range_task *name;
#include "step/kernels.inl"
#undef KERNEL
} mt_kernels;

const mt_kernels *mt_kernels_of(mote_simd level);

/* The name of a kernel at the level that a file is compiled for: MT_KERNEL(solve) is mt_solve_avx2. */
#define MT_JOIN_(a, b, c) a##b##_##c
#define MT_JOIN(a, b, c)  MT_JOIN_(a, b, c)
#define MT_KERNEL(name)   MT_JOIN(mt_, name, MOTE_KERNEL_LEVEL)

#define KERNEL(name) mt_range_task mt_##name##_baseline;
#include "step/kernels.inl"
#undef KERNEL
#if defined(MOTE_KERNEL_AVX2)
#define KERNEL(name) mt_range_task mt_##name##_avx2;
#include "step/kernels.inl"
#undef KERNEL
#endif
#if defined(MOTE_KERNEL_AVX512)
#define KERNEL(name) mt_range_task mt_##name##_avx512;
#include "step/kernels.inl"
#undef KERNEL
#endif

#endif
