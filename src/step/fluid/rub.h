/* Viscosity pair by pair, so that nothing out of reach changes a bit.
 *
 * What is solved is what stir.h says: with f the impulse that a pair exchanges along n, c = h K of the pair and W what
 * particles (walls included) do to a push,
 *
 *     v = v* + W sum f n,     f = c n . (v_j - v_i).
 *
 * A sweep changes the impulses of all pairs at once,
 *
 *     z = (c n . (v_j - v_i) - f) / (1 + s_i + s_j),    d <- a z + b d,    f <- f + d,
 *
 * so that momentum and angular momentum are kept however early it ends. s is a bound for the largest h K of all that a
 * particle does to its pairs: by Cauchy and Schwarz all eigenvalues of what stands before f in z are then within
 * 1 / (1 + s_i + s_j) and 1, for any arrangement, and Chebyshev's coefficients a and b for t^2 to 1 make the error fall
 * as 2 r^k, r = (1 - t) / (1 + t). t^2 is 1 / (1 + 2 s), with the s of a lattice if that is more: the same for most of a
 * liquid. A pair takes the coefficients of the one of its two with the smaller t, until the error is small; then it
 * stays as it is. All this is known from who is near; that others need more sweeps changes nothing. A particle hears
 * of what is at most as many times H away as there are sweeps.
 *
 * A body has an s for all its pairs together, and moves by the sum of what they give (carry_kernel.c). Walls are not
 * iterated: they are part of W. */
#ifndef MOTE_STEP_FLUID_RUB_H
#define MOTE_STEP_FLUID_RUB_H

#include "step/fluid/stir.h"

#define MT_RUB_SWEEPS 60u
#define MT_RUB_THIN   0.005f  /* s: if it is less it counts as that, and one sweep does */
#define MT_RUB_LEAST  0.0441f /* t: with less, more sweeps would be needed than that */

/* As mt_stir.hold has it of dummies. */
#define MT_HOLD_OF_NOBODY ((mote_vec4){0.0f, 1.0f, 0.0f, 0.0f})

/* 1 / sqrt(1 + 2 s), as for lanes. */
static inline float mt_rub_pace(float stiffness)
{
    float pace = 1.0f / sqrtf(1.0f + 2.0f * fmaxf(stiffness, MT_RUB_THIN));
    return pace > MT_RUB_LEAST ? pace : MT_RUB_LEAST;
}

/* Once the job's velocities are there. */
void mt_rub(mote_world *world, mt_stir *job);

#endif
