/* What the kernels that change velocities of fluids share: viscosity, XSPH, vorticity confinement.
 *
 * Viscosity. Two particles at the distance r = q H, in the direction n from one to the other, give each other
 *
 *     F = 30 m s / S  k(q) n (n . (v_j - v_i)),    k(q) = (1 - q) (1 + b (1 - q)),
 *
 * m the viscosity in Pa s, s the rest spacing, S the sum of k(q) (r / s)^2 over a cubic lattice of spacing s.
 * The force is along n, so that both momentum and angular momentum are kept and what turns as a whole feels
 * nothing. For a smooth flow the sum over neighbours is
 *
 *     sum F = 15 m s^3 (sum k r^2 n n n n / S s^2) : grad grad v,
 *
 * which is m s^3 (laplace v + 2 grad div v) where directions are evenly spread: 30 is twice the 15 of the mean
 * of n n n n. On a cubic lattice they are not, and most choices of k make shear along the axes two to four
 * times as easy as across. b is the one for which a lattice, too, is the same in all directions: the sum of
 * k r^2 (n_x^4 - 3 n_x^2 n_y^2) is 0. S of the lattice is then within 0.3 % of the integral over space, so that
 * liquids that have lost all order are as viscous.
 *
 * With K the matrix of these forces and of the walls', velocities v at the end of a substep are those for which
 *
 *     M (v - v*) = -h K v,
 *
 * solved pair by pair (rub.h): whatever a sweep adds is made of forces between pairs, and momentum is kept however
 * early it ends. M + h K is positive, so this is stable for any viscosity and h. Places follow: x changes by
 * h (v - v*), or in every substep a thick liquid would move as far as a thin one before its velocity is put right, and
 * creep at g h.
 * Directions n are those at the start of the substep: places at its end are h v further, so that only for these
 * the moments of what two give each other add up to 0. A body takes part with its own mass and inertia: its
 * particles move as one (carry_kernel.c). */
#ifndef MOTE_STEP_FLUID_STIR_H
#define MOTE_STEP_FLUID_STIR_H

#include "step/scratch.h"

#define MT_DRAG_SHAPE     1.29058905f /* b */
#define MT_DRAG_TOLERANCE 0.01f       /* of the change of velocities */

/* A body in the solve: the impulse (kg m/s) that its particles were given and its moment about the centre of mass
 * (kg m^2/s). */
typedef struct mt_body_drag {
    mote_vec3 push, turn;
    mote_vec3 velocity, spin; /* that its particles are to have in the next pass */
    float stiffness;          /* see mt_stir.hold */
} mt_body_drag;

/* What a pass notes of a block of particles. */
typedef struct mt_stir_sums {
    float stiffness; /* the largest h K of a particle over its mass */
    bool thick;      /* of some particle it was not small from the first, see rub_kernel.c */
} mt_stir_sums;

_Static_assert(sizeof(mt_stir_sums) <= MT_BLOCK_RECORD, "a block's record must hold it");

/* Of a pair, where its row is: the impulse over the distance, and its last change, kg/s; what z is for a speed times the
 * distance, kg/m^2, and how much less for what was given. */
typedef struct mt_stir_pairs {
    float *given, *last, *pull, *less;
} mt_stir_pairs;

/* Sums over a lattice at rest, which make those over neighbours comparable. */
typedef struct mt_stir_lattice {
    float friction; /* of k(q) n_x^2 */
    float mean;     /* what makes the kernel's sum 1: XSPH */
    float slope;    /* what makes the sum of (1 - q)^3 r^2 3: vorticity */
    float spacing;  /* m */
} mt_stir_lattice;

/* The context of the kernels: so many fields because each pass reads what others have written, array by array. The w of a
 * direction says what the particle is. For viscosity: of a fluid the root of the viscosity; of a solid the negative of its
 * volume in those of the world's particles, at most 1. For XSPH: the root of the part, for confinement 1; of solids 0. */
typedef struct mt_stir {
    mt_substep *s;
    mote_vec4 *velocity; /* of the world */
    mote_vec4 *position; /* of the world; w: radius */
    /* Of each particle, dummies included: */
    mote_vec4 *place;     /* x, y, z at the start of the substep; w: what its radius is above the world's, m */
    mote_vec4 *direction; /* the velocity so far, m/s; w: what it is, see above */
    mote_vec4 *residual;  /* what it was given, kg m/s */
    mote_vec4 *image;     /* what velocities change for that, m/s */
    mote_vec4 *change;    /* what walls give it as it is, kg m/s; in the end as `image` */
    uint8_t *touched;     /* a slice: some of its particles are in pairs that rub */
    uint8_t *left; /* a slice: not 0: liquids do not reach it, and all that is here of it is as dummies are */
    mt_body_drag *drags; /* a body of the plan */
    mt_stir_sums *sums;  /* a block */
    float unit;          /* h 30 s / S, m s */
    float wall;          /* the same for walls, per metre of distance, m^2 s */
    float nearest;       /* walls are at least so far, m */
    /* See rub.h. */
    mote_vec4 *hold; /* a particle: s, t, then a and b of the sweep; before the first: s, t, the largest h K */
    mote_vec4
        *inverse_mass[2]; /* a particle at walls: xx, yy, zz; xy, xz, yz of what it does to a push, 1/kg */
    mt_stir_pairs pairs;
    float *grain;   /* a particle: the unit of what it is given, kg m/s, see rub_kernel.c */
    float thin;     /* pairs with less viscosity are thin: they rub once a step, see drag.h, Pa s */
    float times;    /* of what is thin: how many substeps' worth is to act now; 0 but at a step's end */
    float thickest; /* the root of the largest viscosity of all */
    bool all_thin;  /* liquids only, and one sweep does for all: the same bits, faster */
    uint32_t sweep; /* 1, 2, 3 ... */
    mt_stir_lattice lattice;
} mt_stir;

#endif
