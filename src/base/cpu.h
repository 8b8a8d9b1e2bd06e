/* CPU: which instruction sets there are, and which one a world uses. */
#ifndef MOTE_BASE_CPU_H
#define MOTE_BASE_CPU_H

#include "mote/base.h"

/* The level that `wanted`, the environment's MOTE_SIMD and the CPU come to. */
mote_result mt_simd_choose(mote_simd wanted, mote_simd *level);

#endif
