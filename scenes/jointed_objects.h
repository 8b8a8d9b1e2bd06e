/* Jointed objects: two bodies of particles that share some, as lattices. Their layers stand across the y axis,
 * four particles each, at x and z = +-r, two radii apart; the joint is at the middle. */
#ifndef MOTE_SCENES_JOINTED_OBJECTS_H
#define MOTE_SCENES_JOINTED_OBJECTS_H

#include "mote/mote.h"

typedef enum jointed_kind {
    JOINTED_KNEE,      /* a hinge along z that opens one way only, towards +x */
    JOINTED_BALL,      /* one shared particle */
    JOINTED_STIFF,     /* four shared particles, a layer */
    JOINTED_UNIVERSAL, /* two hinges across each other, with a small body between them */
    JOINTED_HINGE,     /* a hinge along z that opens both ways */
    JOINTED_KIND_COUNT
} jointed_kind;

#define JOINTED_MAX_BODIES 3
#define JOINTED_MAX_LAYERS 32

typedef struct jointed_object_def {
    jointed_kind kind;
    mote_vec3 center;          /* of the joint, m */
    mote_quat rotation;        /* of any length but 0; default none */
    float radius;              /* of the particles, m; default 0.25 */
    float mass;                /* of a particle, kg; default 1 */
    uint32_t layers;           /* of each body, 1..JOINTED_MAX_LAYERS; default 4, of a universal joint 3 */
    mote_material_id material; /* default (null): the world's default material */
} jointed_object_def;

jointed_object_def jointed_object_default(jointed_kind kind);

/* Particles that it consists of; 0 for a definition that is out of its ranges. */
uint32_t jointed_object_particles(const jointed_object_def *def);

/* How far the lowest and the highest layer of a body are from the joint's centre, m. */
void jointed_object_reach(const jointed_object_def *def, float *lowest, float *highest);

/* Adds the particles and the bodies: the upper, the lower and, of a universal joint, the middle one. Joints
 * come to be with them. On failure nothing is added and *body_count is 0. */
mote_result jointed_object_add(mote_world *world, const jointed_object_def *def,
                               mote_body_id bodies[JOINTED_MAX_BODIES], uint32_t *body_count);

/* ---- whole scenes: what falls, the ground, gravity and the solver's settings ---------------------------- */

#define JOINTED_RADIUS 0.25f /* m, of all particles of these scenes */

/* A small box without joints: `side`^3 particles. */
typedef struct jointed_block {
    mote_vec3 center; /* m */
    uint32_t side;    /* particles along an edge */
} jointed_block;

/* A pile of any number of objects, the four kinds but the plain hinge by turns, each kind above its own block.
 * Object `index` is in layer index / 4. */
#define JOINTED_PILE_BLOCKS 4
jointed_object_def jointed_pile_object(uint32_t index);
jointed_block jointed_pile_block(uint32_t index);
uint32_t jointed_pile_particles(uint32_t objects);
mote_result jointed_pile_build(mote_world *world, uint32_t objects);

/* 540 long bodies in 270 pairs, with knees, balls and stiff joints by turns, above a basin of five boxes. */
#define PAIRS_540_OBJECTS 270
jointed_object_def pairs_540_object(uint32_t index);
uint32_t pairs_540_particles(void);
mote_result pairs_540_build(mote_world *world);

#endif
