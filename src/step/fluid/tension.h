/* Surface tension and wetting, after Akinci, Akinci and Teschner 2013: forces between particles of fluids, and
 * of fluids and solids.
 *
 * With q = distance / H, e the unit vector from j to i, d the rest spacing H / 2 and S_ij the tension of the
 * pair, N/m, the force on i is
 *
 *     F_ij = -A S_ij d (c(q) + p(q) max((n_i - n_j) . e, -1)) e,
 *
 *     p(q) = 64 q^3 (1 - q)^3,   c(q) = p(q) beyond half of H, 2 p(q) - 1 below (Akinci's spline),
 *     n_i  = H sum over j of s_ij v_j grad w(q_ij): into the fluid, about 1 at a surface, 0 inside,
 *
 * v the shares of the density (fluid.h). The first term holds the fluid together. The second, among particles
 * of fluids only, makes the surface small and smooth: n is a gradient of the density, and the sum over the
 * neighbours is the capillary force of Korteweg. Akinci's is along n_i - n_j; here it is what that has along
 * the line of the pair, which comes to the same over all directions and keeps angular momentum as well.
 *
 * S_ij is sqrt(a b) of two surface tensions, so that two fluids have the tension of Girifalco and Good between
 * them, (sqrt a - sqrt b)^2. For a fluid and a solid it is half the work of adhesion, sqrt(a b), times D: so
 * much that this is the work it takes to part them. s_ij, from 0 to 1, says how far j is no surface to i:
 * S_ij / S_ii, without D. Then drops meet walls at the angle of Young and Dupre, W = sigma (1 + cos angle).
 * Walls are half spaces of solid.
 *
 * The forces move x* before the iterations, by h^2 F / m, as pressures do in them: at x* both change a spin
 * alike, while a force at x would set drops spinning. S_ij is at most MT_TENSION_LIMIT / (h^2 (w_i + w_j)), w
 * the inverse masses: beyond four times that drops burst. All is the same for i and j but for its sign. */
#ifndef MOTE_STEP_FLUID_TENSION_H
#define MOTE_STEP_FLUID_TENSION_H

#include "step/scratch.h"

#define MT_COHESION      0.4f  /* A: drops swing as fast as their tension says (Rayleigh); measured */
#define MT_WETTING       6.2f  /* D for particles: the work of a lattice; from the angle of drops */
#define MT_WALL_PART     0.42f /* D of walls in that: the work of a half space is larger */
#define MT_TENSION_LIMIT 0.1f  /* drops are quiet at it, and a hundredth too dense */

typedef struct mt_tension {
    const mt_substep *s;
    mote_vec4 *normal; /* n */
    /* Of each particle. If it is of a fluid: sqrt of d times its tension, sqrt of d D / 2 times its adhesion.
     * If it is of a solid, third: the latter times its volume beside that of a fluid's particle. Last its share
     * of the density, by volume. */
    const mote_vec4 *bond;
    bool uniform;  /* all particles are of one material and mass: */
    mote_vec4 all; /* then what `bond` has of each */
    bool wets;     /* there are shapes that may have adhesion, and so has a fluid */
    float most;    /* S d (w_i + w_j) is at most this, m/s^2 */
} mt_tension;

/* Moves x*, before the iterations of a substep. Answers whether it did. */
bool mt_apply_tension(mote_world *world, mt_substep *s);

#endif
