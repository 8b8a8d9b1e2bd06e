/* Surface tension and wetting, after Akinci, Akinci and Teschner 2013: forces between particles of fluids, and
 * of fluids and solids.
 *
 * With q = distance / H, e the unit vector from j to i, d the rest spacing H / 2 and S_ij the tension of the
 * pair, N/m, the force on i is
 *
 *     F_ij = -S_ij d (A c(q) + B p(q) (n_i - n_j) . e) e,
 *
 *     p(q) = 64 q^3 (1 - q)^3,   c(q) = p(q) beyond half of H, 2 p(q) - 1 below (Akinci's spline),
 *     n_i  = H sum over j of s_ij v_j grad w(q_ij): into the fluid, about 1 at a surface, 0 inside,
 *
 * v the shares of the density (fluid.h). The first term holds the fluid together; the second, among particles of
 * fluids only, makes the surface smooth. Akinci's second term is along n_i - n_j; here it is what that has along
 * the line of the pair, which comes to the same for many neighbours (n is a gradient) and keeps angular momentum
 * as well.
 *
 * S_ij is sqrt(a b) of two surface tensions, and half of sqrt(a b) of two adhesions for a fluid and a solid: a
 * solid whose work of adhesion is twice the fluid's tension holds it like more of the fluid, and the angle at
 * which others are met is Young and Dupre's, W = sigma (1 + cos angle). s_ij = S_ij / S_ii, at most 1, says how
 * far j is no surface to i. Walls are half spaces of solid.
 *
 * Forces are explicit, so S_ij d is at most MOST_PUSH d / (h^2 (w_i + w_j)), w inverse masses: what is stable.
 * All of it is the same for i and j but for its sign. */
#ifndef MOTE_STEP_FLUID_TENSION_H
#define MOTE_STEP_FLUID_TENSION_H

#include "step/scratch.h"

typedef struct mt_tension {
    const mt_substep *s;
    mote_vec4 *normal; /* n */
    /* Of each particle: sqrt of d times tension, of d times half the adhesion if it is of a fluid, the same if it
     * is of a solid, times its volume in world's particles; each 0 if it is not. */
    const mote_vec4 *bond;
    bool alike;     /* all particles are of fluids of one tension, and have the same mass */
    bool wets;      /* there are shapes with adhesion, and fluids */
    float strength; /* S d, if alike and not limited, N */
    float most;     /* S d (w_i + w_j) is at most this, m/s^2 */
    float cohesion, smoothing, wall; /* A, B, and the force of a wall beside that of a lattice of particles */
} mt_tension;

/* Moves x*, before the iterations of a substep. */
void mt_apply_tension(mote_world *world, mt_substep *s);

#endif
