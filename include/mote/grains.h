/* Grains: blocks of loose particles, for sand, gravel and test columns. */
#ifndef MOTE_GRAINS_H
#define MOTE_GRAINS_H

#include "mote/particle.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A spacing that says: each touches the next. */
#define MOTE_TOUCHING (-3e38f)

/* A box of nx x ny x nz particles on a cubic lattice. Masses come from the material's density. */
typedef struct mote_grains_def {
    mote_vec3 origin;          /* the centre of the first particle, m; default 0 */
    uint32_t count[3];         /* particles along x, y, z, at least 1 each; default 10, 10, 10 */
    float radius;              /* m, > 0; default MOTE_WORLD_RADIUS */
    float radius_spread;       /* radii are drawn evenly from radius x [1 - spread, 1], 0..0.95; default 0 */
    float spacing;             /* between centres, m, > 0; default MOTE_TOUCHING: twice the radius */
    float jitter;              /* each centre is moved by up to this part of the spacing, 0..1; default 0 */
    uint32_t seed;             /* of spread and jitter; default 1 */
    mote_vec3 velocity;        /* m/s; default 0 */
    mote_material_id material; /* default (null): the world's default material */
    uint32_t phase;            /* default MOTE_PHASE_DEFAULT */
} mote_grains_def;

MOTE_API mote_grains_def mote_default_grains_def(void);

/* Adds the block, all or nothing. `ids` is NULL or has room for count[0] * count[1] * count[2]; x runs fastest,
 * then y, then z. */
MOTE_API mote_result mote_grains_block(mote_world *world, const mote_grains_def *def, mote_particle_id *ids);

#ifdef __cplusplus
}
#endif

#endif
