/* Places for the particles of a liquid that stand in no order: as far apart as a liquid's, and no lattice. */
#ifndef MOTE_BUILD_PACKING_H
#define MOTE_BUILD_PACKING_H

#include "base/memory.h"

/* A box of any size is taken from a small one, in which points have been moved apart: its walls as they are, and what
 * is between as often as it has to be repeated. Lengths are in spacings. */
typedef struct mt_packing {
    uint32_t counts[3]; /* of cells of the box that is to be filled: as many points are in it */
    uint32_t kept[3];   /* of the small one */
    mote_vec3 *points;  /* of the small one, x fastest, then y, then z; each not far from its cell */
    size_t count;
} mt_packing;

/* The same for the same counts and seed, bit for bit. */
mote_result mt_packing_make(mt_packing *packing, const uint32_t counts[3], uint32_t seed, mt_memory *memory);
void mt_packing_free(mt_packing *packing, mt_memory *memory);

/* From the box's corner; half a spacing from its faces at least. */
mote_vec3 mt_packing_place(const mt_packing *packing, uint32_t x, uint32_t y, uint32_t z);

#endif
