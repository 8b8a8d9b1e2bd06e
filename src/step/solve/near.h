/* What several kernels say of contacts. */
#ifndef MOTE_STEP_SOLVE_NEAR_H
#define MOTE_STEP_SOLVE_NEAR_H

/* Particles this close, in sums of radii, count as touching when they bounce. */
#define MT_NEAR 1.02f

/* An adhesive contact holds with up to 3/2 pi R W (Johnson, Kendall and Roberts)... */
#define MT_PULL 4.712389f

/* ... until it has opened this far, in sums of radii. */
#define MT_ADHESION_REACH 1.05f

#endif
