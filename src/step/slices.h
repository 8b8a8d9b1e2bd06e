/* How passes share particles out: eight that follow each other are a slice, many slices a block. */
#ifndef MOTE_STEP_SLICES_H
#define MOTE_STEP_SLICES_H

#include "world/world.h"

#define MT_BLOCK_RECORD 64u /* bytes: the most that a pass notes of a block */
#define MT_BLOCK        64u /* slices a block of a parallel loop: 512 particles */
#define MT_PIECE        16u /* the same for loops whose slices differ much in what they cost */

static inline uint32_t mt_slice_count(uint32_t particles)
{
    return (particles + MT_SLICE - 1) / MT_SLICE;
}

static inline uint32_t mt_block_count(uint32_t slices)
{
    return (slices + MT_BLOCK - 1) / MT_BLOCK;
}

#endif
