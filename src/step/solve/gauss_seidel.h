/* Gauss-Seidel: contacts one after the other, each seeing what the last did. The reference that the averaged
 * solver is measured against, in sequence or by colours in parallel. */
#ifndef MOTE_STEP_SOLVE_GAUSS_SEIDEL_H
#define MOTE_STEP_SOLVE_GAUSS_SEIDEL_H

#include "step/scratch.h"

/* All iterations of the substep, in place. */
mote_result mt_gauss_seidel_solve(mote_world *world, mt_substep *s);

#endif
