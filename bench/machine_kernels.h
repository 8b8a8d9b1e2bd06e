/* The innermost loops of the machine benchmark, one version for each instruction set. */
#ifndef MOTE_BENCH_MACHINE_KERNELS_H
#define MOTE_BENCH_MACHINE_KERNELS_H

#include "mote/mote.h"

typedef struct machine_kernels {
    mote_simd level;
    uint32_t lanes; /* floats in a register */

    /* a[i] = b[i] + factor c[i] for i < count; arrays at multiples of 64 bytes, count a multiple of 16. */
    void (*triad)(float *a, const float *b, const float *c, float factor, size_t count);

    /* `rounds` times one multiplication and one addition on each of MACHINE_CHAINS registers. */
    float (*multiply_add)(size_t rounds, float factor, float addend);
} machine_kernels;

/* Independent chains of operations: enough to hide the latency of two operations on two ports, few enough for
 * sixteen registers. */
#define MACHINE_CHAINS 12

/* All the sets that this CPU and this build have, the simplest first. */
const machine_kernels *machine_kernels_list(size_t *count);

#endif
