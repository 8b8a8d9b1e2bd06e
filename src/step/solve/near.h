/* Constants of contacts that several kernels share. */
#ifndef MOTE_STEP_SOLVE_NEAR_H
#define MOTE_STEP_SOLVE_NEAR_H

/* Contacts this close, in sums of radii, are counted among a particle's contacts though they do not overlap
 * yet: an iteration may close them, and a particle that is pushed by more contacts than it counted would be
 * thrown. */
#define MT_NEAR 1.02f

/* The pull of an adhesive contact is 3/2 pi R W (Johnson, Kendall and Roberts). */
#define MT_PULL 4.712389f

/* Adhesion reaches this far beyond touching, in sums of radii. */
#define MT_ADHESION_REACH 1.05f

#endif
