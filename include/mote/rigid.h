/* Builders of bodies: boxes, capsules, meshes and any points become particles and a body at once. */
#ifndef MOTE_RIGID_H
#define MOTE_RIGID_H

#include "mote/joint.h"
#include "mote/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What all builders take. */
typedef struct mote_rigid_def {
    mote_pose pose;            /* where the body's own coordinates are; default: as the world's */
    mote_vec3 velocity, spin;  /* m/s of the centre of mass, rad/s; default 0 */
    float radius;              /* of the particles, m; default MOTE_WORLD_RADIUS */
    float spacing;             /* between their centres, m, > 0; default MOTE_TOUCHING: twice the radius */
    float mass;                /* of the whole body, kg, > 0; 0 (default): from the material's density, each
                                * particle as a cube of its spacing */
    mote_material_id material; /* default (null): the world's default material */
    uint32_t phase;            /* default MOTE_PHASE_DEFAULT */
    mote_body_mode mode;       /* default MOTE_BODY_DYNAMIC */
} mote_rigid_def;

MOTE_API mote_rigid_def mote_default_rigid_def(void);

/* All of them: a body, or null and nothing added. Coordinates are the body's own. */

/* A lattice of count[0] x count[1] x count[2] particles around the origin. */
MOTE_API mote_body_id mote_rigid_box(mote_world *world, const mote_rigid_def *def, const uint32_t count[3]);
/* A rod with round ends along y, from -half_length to +half_length between the ends' centres; `thickness` is
 * its radius, m, at least the particles'. */
MOTE_API mote_body_id mote_rigid_capsule(mote_world *world, const mote_rigid_def *def, float half_length,
                                         float thickness);
/* A ball of the radius `size`, m, at least the particles'. */
MOTE_API mote_body_id mote_rigid_ball(mote_world *world, const mote_rigid_def *def, float size);
/* A particle at every point. */
MOTE_API mote_body_id mote_rigid_points(mote_world *world, const mote_rigid_def *def, const mote_vec3 *points,
                                        size_t count);
/* A closed mesh, filled. */
MOTE_API mote_body_id mote_rigid_mesh(mote_world *world, const mote_rigid_def *def, const mote_mesh *mesh,
                                      mote_sample_method method);

/* ---- bodies that bend and break ------------------------------------------------------------------------
 * Cut into pieces that hold together by stiff joints, each as strong as the area that it joins. */

typedef struct mote_pieces_def {
    float size;       /* of a piece, about, m, > 0 */
    float strength;   /* tension and shear that it bears before it breaks, Pa; default MOTE_UNBREAKABLE */
    float yield;      /* bending stress beyond which it bends for good, Pa; default MOTE_UNBREAKABLE */
    float bend_limit; /* how far a cut may bend before it breaks, rad; default MOTE_UNBREAKABLE */
    uint32_t seed;    /* of the cuts; 0: straight cuts across a lattice; default 1 */
} mote_pieces_def;

MOTE_API mote_pieces_def mote_default_pieces_def(void);

/* Cuts points into pieces, adds their bodies and joins neighbours. The first `capacity` ids of bodies are
 * written (`bodies` may be NULL if it is 0), *count gets how many pieces there are. All or nothing. */
MOTE_API mote_result mote_pieces_add(mote_world *world, const mote_rigid_def *def,
                                     const mote_pieces_def *pieces, const mote_vec3 *points, size_t point_count,
                                     mote_body_id *bodies, size_t capacity, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
