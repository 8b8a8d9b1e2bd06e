/* A world with something of everything that bodies can be: falling blocks, pairs with every type of joint, one
 * of them to the world, bodies that share particles, a driven paddle, a skeleton, and loose grains between
 * them. */
#ifndef MOTE_TESTS_JOINTED_WORLD_H
#define MOTE_TESTS_JOINTED_WORLD_H

#include "support.h"

/* Particles in a lattice of touching neighbours, its lowest corner at `corner`, and their body. */
mote_body_id add_block(mote_world *world, const uint32_t count[3], mote_vec3 corner, mote_vec3 velocity,
                       mote_body_mode mode);

/* A joint with the type's defaults; the axis is x. b may be null. */
mote_joint_id add_joint(mote_world *world, mote_joint_type type, mote_body_id a, mote_body_id b,
                        mote_vec3 anchor);

mote_body_state body_state_of(const mote_world *world, mote_body_id body);

typedef struct jointed_world {
    mote_world *world;
    mote_body_id paddle;        /* driven */
    mote_body_id door;          /* hinged to the world */
    mote_body_id pair[2];       /* with a particle in common */
    mote_joint_id joints[5];    /* ball, hinge, stiff, universal, and the door's */
    mote_body_id jointed[4][2]; /* the bodies of the first four */
    mote_skeleton_id skeleton;  /* its root is driven, one bone is on its way back to that, one is limp */
} jointed_world;

/* `blocks` of 27 particles fall, over as many grains; 0: only what is jointed. */
jointed_world make_jointed_world(const mote_world_def *def, uint32_t blocks);

/* Says where the paddle is to be after the next step, from the number of steps that the world has made. */
void move_paddle(mote_world *world, mote_body_id paddle);

/* `count` steps with a moving paddle; one number for all states and events on the way. */
uint64_t run_jointed(mote_world *world, mote_body_id paddle, uint32_t count);

#endif
