/* Joints: particles that two bodies share. What the shared particles leave free is what the joint leaves
 * free: one is a ball joint, a line of them a hinge, a cross-section of them stiff. Joints come to be with
 * bodies that share particles (body.h), or are made here, with particles of their own. */
#ifndef MOTE_JOINT_H
#define MOTE_JOINT_H

#include "mote/body.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mote_joint_type {
    MOTE_JOINT_BALL,      /* turns any way */
    MOTE_JOINT_HINGE,     /* turns about its axis */
    MOTE_JOINT_STIFF,     /* does not turn */
    MOTE_JOINT_UNIVERSAL, /* swings two ways and does not twist */
    MOTE_JOINT_TYPE_COUNT
} mote_joint_type;

/* A force or torque that no joint reaches. */
#define MOTE_UNBREAKABLE 1e30f

typedef struct mote_joint_def {
    mote_joint_type type;  /* default MOTE_JOINT_BALL */
    mote_body_id a, b;     /* b null: jointed to the world */
    mote_vec3 anchor;      /* where, in the world, m */
    mote_vec3 axis;        /* of a hinge; along the bones for the others; any length but 0; default +Y */
    mote_vec3 second_axis; /* universal: the joint swings about this and about axis x this; default +X */
    /* Particles to share; 0 of them (default): the joint makes its own at the anchor: `size` of them, in a ring
     * across the axis, or along it for a hinge. They add to the bodies' mass: each weighs as much as the mean
     * particle of that of the two bodies whose particles are lighter. */
    const mote_particle_id *particles;
    size_t particle_count;
    uint32_t size; /* 0 (default): 1 for ball and universal, 2 for a hinge, 4 for stiff; at most 64 */
    float radius;  /* of its own particles, m; default MOTE_WORLD_RADIUS */
    /* Limits, rad, measured from how the bodies are when the joint is made. A hinge turns b beside a from
     * min_angle to max_angle about its axis (-pi..pi); a ball swings its axis by up to swing_limit and
     * twists by up to twist_limit either way (0..pi). Default: -pi..pi and pi: none */
    float min_angle, max_angle, swing_limit, twist_limit;
    /* Ball: where b's axis points when it is in the middle of its swing, in the world, any length; there the
     * twist is 0, too, if b gets there the shortest way. Default 0: along `axis` */
    mote_vec3 middle;
    float damping; /* part of the turning of the two beside each other that is lost a second, 1/s; default 0 */
    /* Whether the two bodies collide with each other; default false. Those of a joint that came to be with
     * bodies which share particles do: it is how the papers' knee knows its limit. */
    bool collide;
    /* It breaks when it pulls with more, N, or turns with more, N m; default MOTE_UNBREAKABLE */
    float break_force, break_torque;
    /* A stiff joint that has to hold more than this torque, N m, gives way and keeps the new form, until it has
     * bent by bend_limit in all, rad, when it breaks. Defaults: MOTE_UNBREAKABLE */
    float yield_torque, bend_limit;
} mote_joint_def;

MOTE_API mote_joint_def mote_default_joint_def(void);

/* Adds a joint; null on failure. */
MOTE_API mote_joint_id mote_joint_add(mote_world *world, const mote_joint_def *def);
/* The joint of two bodies (in either order); null if there is none. */
MOTE_API mote_joint_id mote_joint_between(const mote_world *world, mote_body_id a, mote_body_id b);
/* Changes limits, damping and strengths of a joint; what it joins, and where, and its middle stay. */
MOTE_API mote_result mote_joint_set(mote_world *world, mote_joint_id joint, const mote_joint_def *def);
/* Takes the bodies apart: shared particles stay with the first. */
MOTE_API mote_result mote_joint_remove(mote_world *world, mote_joint_id joint);
MOTE_API bool mote_joint_is_valid(const mote_world *world, mote_joint_id joint);
MOTE_API uint32_t mote_joint_count(const mote_world *world);
MOTE_API uint32_t mote_joint_list(const mote_world *world, mote_joint_id *ids, uint32_t capacity);

typedef struct mote_joint_state {
    mote_joint_type type;
    mote_body_id a, b;
    mote_vec3 anchor, axis; /* where they are now in a */
    float angle;            /* hinge: of b beside a about the axis, -pi..pi, rad */
    /* Of b's axis beside a's, 0..pi; of b about it, -pi..pi, rad. What a universal joint holds is that its two
     * axes stay at a right angle, so that with wide swings this twist is not 0. */
    float swing, twist;
    float gap;        /* how far apart the two bodies' ideas of the anchor are, m */
    mote_vec3 force;  /* with which b pulls at a, mean of the last step, N */
    mote_vec3 torque; /* with which b turns a at the anchor, N m */
    float bent;       /* how far it has yielded in all, rad */
} mote_joint_state;

MOTE_API mote_result mote_joint_get(const mote_world *world, mote_joint_id joint, mote_joint_state *state);

#ifdef __cplusplus
}
#endif

#endif
