/* The long waves of a liquid's pressure. What an iteration does to pressures reaches as far as a particle's
 * neighbours, so that the weight of a deep liquid would take hundreds of them to arrive at its bottom. So the same
 * equations are also put for pressures that are trilinear between nodes four rest spacings apart, a 64th as many
 * unknowns:
 *
 *     A_cd = sum over particles i of w_i G_ic . G_id,   G_ic = kappa grad phi_c + phi_c g_i,   b_c = sum of phi_c r_i,
 *
 * with phi_c the node's function, g_i = 2 sum of v grad w and the walls' slope (0 but at free surfaces), kappa the sum of
 * -v dw/dx x of a lattice, and r_i how much denser the particle is about to get. A is made of means over each cell: of
 * w, w g and w g^2. What a fixed number of Chebyshev's sweeps makes of it is a guess of pressures and no more: it is
 * added to what each particle's own equation says, and acts pair by pair like all pressure. It is made in every second
 * substep: in every eighth, waves grow.
 *
 * Local: cells that hold something under pressure know each other only through nodes that they share, and a sweep goes
 * one node far. Nothing is summed over the world. Sums over a cell are of whole numbers, so their order does not
 * matter. */
#ifndef MOTE_STEP_FLUID_COARSE_H
#define MOTE_STEP_FLUID_COARSE_H

#include "step/scratch.h"

/* In the first iteration of a step: the cells, and who is in which. */
mote_result mt_coarse_begin(mote_world *world, const mt_substep *s);

/* A guess of the change of pressure for each liquid particle, from s->liquids.lean to s->liquids.guess; 0 in substeps
 * without one. */
void mt_coarse_guess(mote_world *world, mt_substep *s);

#endif
