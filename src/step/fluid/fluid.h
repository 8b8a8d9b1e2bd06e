/* Fluids in a step: liquids keep their density (position-based fluids, Macklin and Mueller 2013, with masses).
 *
 * The kernel is Wendland's C2 function w(q) = (1 - q)^4 (4 q + 1) of q = distance / H, which is 1 in the
 * middle and 0 from H on; H is two rest spacings, four radii. With v a particle's share, so that the shares of a
 * cubic lattice at the rest spacing add up to 1, the constraint of particle i is
 *
 *     C_i = sum over j of v_j w(q_ij) + the walls' part - 1 <= 0,
 *
 * and p_i >= 0, its pressure times its volume times h^2, is what holds it: velocities change by
 *
 *     h dv_i = -w_i sum over j of (p_i v_j + p_j v_i) grad_i w(q_ij),
 *
 * w_j the inverse masses. What i gives j, j gives i: momentum is kept between fluids of any densities, bodies and
 * grains. Solids have an own share and reach (solid_of in fluid.c) and no pressure.
 *
 * Pressure is found at velocity level and remembered as a whole. With q_i = h sum over j of v_j grad w . (u_i - u_j)
 * how much denser a particle gets with the velocities that the last substep ended with (in later iterations: with those
 * that the liquid has now), and x = max(q_i - C_i - slack, 0) how much thinner than at rest it is at the start,
 *
 *     r_i  = q_i - x^2 / (x + drain),
 *     dp_i = omega r_i / (D_i (1 + C_i)) + the guess of coarse.h,
 *     D_i  = w_i |sum_j v_j grad w|^2 + sum_j w_j v_j^2 |grad w|^2,
 *     p_i  = min(max(p_i + dp_i, 0), most),    and p_i + gamma dp_i + the spring acts.
 *
 * gamma brakes waves of pressure: without it they would go on for ever, since p is the sum of all q. C is found at x*.
 * The spring is k C_i / (D_i (1 + C_i)) where C_i > 0, for impacts, and is not remembered. At the end of a step what
 * is left of C_i > 0 is taken away from places alone: with l max(C_i, 0) / D_i in the place of p they move and get no
 * velocity. (Were it given back as velocity, or summed up in p, long waves would grow: places would follow pressure,
 * and pressure what it was.)
 *
 * A pressure that is remembered pushes the same way wherever particles go in the substep, so they must not come far in it:
 * h^2 g times the depth, over d^2, is to stay below about 0.1. p_i is not remembered beyond that (most_held); there
 * springs are stiffer and the liquid is compressed, and places are not moved. More substeps make it deep again.
 *
 * The tensile correction (s_corr of Macklin and Mueller) adds to dp_i v_j + dp_j v_i of two particles of fluids
 *
 *     s_ij = a h^2 k_ij / (n (w_i + w_j) |grad w(e)|) max((w(q) / w(e))^4 - (w(1/2) / w(e))^4, 0),   e = 1/4,
 *
 * with k_ij = sqrt(k_i k_j) of their materials and n iterations. Two alone, half a rest spacing apart, part
 * with the acceleration a k_ij, whatever their masses, radius and h. Pressures do not pull here, so that
 * nothing would hold together what is pushed apart at the rest spacing: there, and beyond, it is 0. */
#ifndef MOTE_STEP_FLUID_FLUID_H
#define MOTE_STEP_FLUID_FLUID_H

#include "mote/world.h"

#define MT_FLUID_REACH      4.0f /* H, in radii */
#define MT_FLUID_WARM_START 0.3f /* of what held a liquid last is given again: held better it is never still */
#define MT_FLUID_TOUCH      0.4f /* a liquid's particle is that much smaller in contacts with solids, in radii */

/* What the kernels need to know of a world's fluids. */
typedef struct mt_fluid {
    bool any;      /* there are fluids at all */
    bool pure;     /* and nothing else: faster, with the same bits */
    bool uniform;  /* `pure`, and all particles are of one material and mass */
    mote_vec4 all; /* if uniform: what `wet` has of each particle, see mt_substep */
    float radius;  /* of the world's particles, m */
    float light;   /* what such a particle weighs at 125 kg/m^3, kg: see density_kernel.c */
    float support; /* H, m */
    float inverse_support;
    float share; /* v of a particle with the world's radius */
    float wall;  /* how far a wall is felt, m */
    float inverse_wall;
    float wall_part;  /* at the wall itself */
    float half_space; /* what makes the kernel's integral behind a wall fit the lattice's: near 1 */
    float solid_part; /* what a solid straight across makes up for */
    float solid_gap;  /* how much further than touching it is felt, m */
    float contact;    /* by how much contacts of liquids and solids are nearer than their radii say, m */
    float slope;      /* 20 / H^2: grad w = -slope (1 - q)^3 r */
    float least_give; /* of the denominator, in inverse masses: a part of the lattice's sum of v^2 |grad w|^2 */
    float most_move;  /* by pressure in an iteration, about, m: what is pressed together must not fly apart */
    float bulk;       /* kappa of fluid/coarse.h */
    float most_held;  /* pressure that is remembered, times the inverse mass, m^2 */
} mt_fluid;

/* What they need to know of the tensile correction. */
typedef struct mt_tensile {
    bool any;         /* some fluid has it */
    bool alike;       /* and all the same */
    float push;       /* a h^2 / (n |grad w(e)|), m^2 */
    float most;       /* k_ij is not more: what moves too far in a substep is thrown */
    float inverse;    /* 1 / w(e) */
    float at_spacing; /* (w(1/2) / w(e))^4 */
} mt_tensile;

/* At the start of a step. */
mt_fluid mt_fluid_of(const mote_world *world);
/* At the start of a substep of h seconds. */
mt_tensile mt_tensile_of(const mote_world *world, float h);
/* Whether a particle is of a fluid. */
bool mt_any_fluid(const mote_world *world);
/* Shares and inverse masses of particles, after every reorder: of liquids, and of solids if they are wanted. */
void mt_fluid_fill(mote_world *world, bool solids);

#endif
