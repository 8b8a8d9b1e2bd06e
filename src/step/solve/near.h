/* What several kernels say of contacts. */
#ifndef MOTE_STEP_SOLVE_NEAR_H
#define MOTE_STEP_SOLVE_NEAR_H

#include <math.h>

/* Particles this close, in sums of radii, count as touching when they bounce. */
#define MT_NEAR 1.02f

/* An adhesive contact holds with up to 3/2 pi R W (Johnson, Kendall and Roberts)... */
#define MT_PULL 4.712389f

/* ... until it has opened this far, in sums of radii. */
#define MT_ADHESION_REACH 1.05f

/* The friction of two materials that touch. Of shapes it is made of the roots (contacts/surfaces.c has those of
 * particles, contacts/shapes_kernel.c takes them times the shape's). */
static inline float mt_friction_of_two(float a, float b)
{
    return sqrtf(a * b);
}

#endif
