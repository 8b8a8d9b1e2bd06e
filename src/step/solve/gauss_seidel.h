/* Gauss-Seidel: contacts one after the other, each seeing what the last did. The reference that the averaged
 * solver is measured against, in sequence or by colours in parallel. */
#ifndef MOTE_STEP_SOLVE_GAUSS_SEIDEL_H
#define MOTE_STEP_SOLVE_GAUSS_SEIDEL_H

#include "step/scratch.h"

#define MT_CELL_COLORS 27u

typedef struct mt_colored_slot {
    uint64_t cell; /* colour in the high bits, then the coordinates */
    uint64_t slot;
} mt_colored_slot;

/* Particles by the colours of their cells, for the coloured solver. */
typedef struct mt_colors {
    const mt_substep *s;
    const mt_colored_slot *places;
    const uint32_t *groups; /* the first place of each cell */
    uint32_t first_group;
    uint32_t color_groups[MT_CELL_COLORS + 1]; /* the first cell of each colour */
} mt_colors;

/* At the start of a substep. */
mote_result mt_gauss_seidel_prepare(mote_world *world, const mt_substep *s, mt_colors *colors);
/* One iteration, in place. */
void mt_gauss_seidel_iterate(mote_world *world, const mt_substep *s, mt_colors *colors);

#endif
