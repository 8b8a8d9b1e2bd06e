/* Bullet's rigid-body world, filled with boxes and joints between them, behind a C interface. Single precision,
 * one thread, its own default solver with ten iterations; nothing falls asleep, as nothing does in Mote. */
#ifndef MOTE_BENCH_BULLET_JOINTS_H
#define MOTE_BENCH_BULLET_JOINTS_H

#include "mote/mote.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bullet_joints bullet_joints;

typedef struct bullet_box {
    mote_vec3 center; /* m */
    mote_quat rotation;
    mote_vec3 half_extents; /* m */
    float mass;             /* kg; 0: fixed */
    float friction;
} bullet_box;

typedef enum bullet_joint_kind {
    BULLET_BALL,
    BULLET_HINGE, /* about the axis, both ways */
    BULLET_KNEE,  /* about the axis, one way: box a turns about it by negative angles only */
    BULLET_FIXED,
    BULLET_UNIVERSAL, /* about the axis, which box a carries, and the second, which box b carries */
} bullet_joint_kind;

typedef struct bullet_joint {
    bullet_joint_kind kind;
    uint32_t a, b;               /* places in the list of boxes */
    mote_vec3 anchor;            /* m */
    mote_vec3 axis, second_axis; /* unit, across each other */
} bullet_joint;

/* NULL when there is no memory. */
bullet_joints *bullet_joints_create(const bullet_box *boxes, size_t box_count, const bullet_joint *joints,
                                    size_t joint_count, mote_vec3 gravity);
void bullet_joints_destroy(bullet_joints *pile);

/* One step of exactly dt seconds. */
void bullet_joints_step(bullet_joints *pile, float dt);

/* Where a box is now. */
mote_pose bullet_joints_pose(const bullet_joints *pile, size_t box);

/* How far apart the two boxes' ideas of their anchor are: mean and largest of all joints, m. */
void bullet_joints_gaps(const bullet_joints *pile, double *mean, double *largest);

#ifdef __cplusplus
}
#endif

#endif
