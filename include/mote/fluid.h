/* Liquids: filling boxes and closed meshes with particles of a fluid, at the density of its material. */
#ifndef MOTE_FLUID_H
#define MOTE_FLUID_H

#include "mote/mesh.h"
#include "mote/particle.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How particles stand at the start. */
typedef enum mote_packing {
    MOTE_PACKING_LATTICE, /* a cube each, one beside the other */
    MOTE_PACKING_RANDOM,  /* in no order, as in a liquid: as many, as far from walls, thrown and moved apart.
                           * At rest it falls into rows by itself, in seconds */
    MOTE_PACKING_COUNT
} mote_packing;

/* Particles two of the world's radii apart, each with the mass of the liquid in a cube as wide: density * 8
 * radius^3. So much liquid is there as the cubes are large together. */
typedef struct mote_fluid_def {
    mote_vec3 min, max;        /* the box, m: min below max on every axis; default -0.5 and 0.5 */
    mote_material_id material; /* a fluid; there is no default */
    mote_vec3 velocity;        /* m/s; default 0 */
    float jitter;         /* each centre is moved by up to this part of the spacing, within the box; 0..0.5;
                           * default 0 */
    uint32_t seed;        /* of the jitter and of a random packing; default 1 */
    uint32_t phase;       /* default MOTE_PHASE_DEFAULT */
    mote_packing packing; /* of a box; a mesh takes a lattice only; default MOTE_PACKING_LATTICE */
} mote_fluid_def;

MOTE_API mote_fluid_def mote_default_fluid_def(void);

/* How many particles the box takes along x, y and z. What misses a particle's width by less than a thousandth
 * of it counts as full. Fails like mote_fluid_block, but adds nothing. */
MOTE_API mote_result mote_fluid_block_counts(const mote_world *world, const mote_fluid_def *def,
                                             uint32_t counts[3]);

/* Fills the box, all or nothing. The first cube is in the corner `min`; what is left along an axis, less than a
 * particle's width, stays empty at `max`. `ids` is NULL or has room for all; x runs fastest, then y, then z. */
MOTE_API mote_result mote_fluid_block(mote_world *world, const mote_fluid_def *def, mote_particle_id *ids);

/* Fills a closed mesh, which stands in the world's coordinates, all or nothing; min and max are not used.
 * `count` is NULL or gets how many particles there are. */
MOTE_API mote_result mote_fluid_mesh(mote_world *world, const mote_fluid_def *def, const mote_mesh *mesh,
                                     mote_sample_method method, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
