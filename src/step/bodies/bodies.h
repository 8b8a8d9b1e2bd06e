/* Bodies in a step. Each is a pose; its particles follow it, and it follows them: whatever stage moves
 * particles, the body is matched to where they went (follow_kernel.c says how). Bodies that are jointed make
 * an assembly, which one thread works on; assemblies run side by side, those that are alike in batches. */
#ifndef MOTE_STEP_BODIES_BODIES_H
#define MOTE_STEP_BODIES_BODIES_H

#include "base/pose.h"
#include "world/bodies.h"

#define MT_NO_BODY     UINT32_MAX
#define MT_FAMILY_NONE 0x80000000u /* families from here on are none: their particles may collide */

/* What few passes ask of the particles of a row. */
typedef struct mt_row_rest {
    _Alignas(64) float inverse_inertia
        [8];              /* 1/kg: how far a push moves the body there, at most; 0 for those that fill up */
    float mass[8];        /* kg */
    uint32_t slot[8];     /* where the particle is; the dummy's for those that fill up */
    uint32_t particle[8]; /* the index of its handle */
} mt_row_rest;

/* Eight particles that belong to one body alone. Rows are filled up with mass 0 and no slot. What every pass
 * asks for is in two cache lines, and rows follow each other. */
typedef struct mt_body_row {
    _Alignas(64) float x[8];
    float y[8], z[8]; /* at rest, from the centre of mass, m */
    mt_row_rest *rest;
    uint32_t first; /* the slot of the first of them */
    /* What all real ones have, or -1 if they differ: */
    float radius;       /* m */
    float inverse_mass; /* 1/kg */
    float mass;         /* kg; also -1 if they are not eight */
    uint8_t count;      /* how many are real: the first */
    bool whole;         /* the eight are a slice */
    bool free;          /* in this step they are all awake and free to move */
    bool flies;         /* so are all in their slices, which are of bodies: bodies alone move these */
} mt_body_row;

_Static_assert(sizeof(mt_body_row) == 128, "a row is two cache lines");

/* A shared particle in one of its bodies. */
typedef struct mt_body_share {
    mote_vec3 rest;
    float mass, resistance;
    uint32_t place; /* in the plan's places */
} mt_body_share;

/* A shared particle. */
typedef struct mt_shared_place {
    uint32_t particle, slot;  /* the index of its handle, and where it is */
    uint32_t first, count;    /* of the bodies that move it, in `holders` */
    mote_vec3 speed;          /* the mean of its bodies', before forces */
    float inverse_resistance; /* 1/kg, of all its bodies together; 0: held by a driven one */
    bool free, flies;         /* as those of a row */
} mt_shared_place;

typedef struct mt_holder {
    uint32_t body; /* in the plan's order */
    mote_vec3 rest;
} mt_holder;

typedef struct mt_body_work {
    uint32_t body; /* its place in the world's table */
    bool driven, asleep;
    uint32_t first_row, rows, first_share, shares;
    float inverse_mass;           /* 0: it does not move */
    float own_inverse_inertia[6]; /* inverse inertia in its own directions */
    float size;                   /* the furthest particle, m */
    mt_pose start, pose;          /* at the start of the substep, and now */
    mt_frame at_start, at;        /* the same */
    mote_vec3 velocity;           /* with which it is predicted, m/s */
    mote_vec3 spin;               /* rad/s */
    mote_vec3 angular;            /* momentum, kg m^2/s */
    mote_vec3 push, turn; /* what constraints gave so far: impulse times h, kg m; and its moment, kg m^2 */
    float after_turn;     /* nothing: four numbers are written at a time */
    uint32_t shifts;      /* how often it was moved in this substep */
} mt_body_work;

typedef struct mt_joint_work {
    uint32_t joint, a, b;            /* a and b in the plan's order; b may be MT_NO_BODY */
    uint32_t slot_a, slot_b;         /* the same among the bodies of its batch */
    bool limited;                    /* it has limits */
    uint32_t batch_joint, lane;      /* where it is solved */
    mote_vec3 anchor_a, anchor_b;    /* from the centres of mass, in the bodies' directions */
    mote_vec3 force, torque;         /* given in this substep, times h^2 */
    mote_vec3 force_sum, torque_sum; /* mean over the step */
    mote_vec3 axis_b, side_b;        /* of the joint: yielding changes them */
    float bent;
    bool broken;
} mt_joint_work;

typedef struct mt_assembly {
    uint32_t first_body, bodies, first_joint, joints, first_place, places;
    uint32_t slots; /* its bodies, and one for each time that a joint holds something else */
    bool stopped;   /* the guard has put it back, with all its particles */
    bool near;      /* liquids may reach some of its particles in this substep, */
    bool wet;       /* and do, or nearly */
    bool current;   /* its particles have the velocities of its bodies */
} mt_assembly;

/* ---- batches -------------------------------------------------------------------------------------------
 * Up to eight assemblies whose bodies and joints are alike, so that each body is moved and each joint is solved
 * in all of them at once, an assembly a lane. Lanes that are left over have the world for all bodies: what does
 * not move is left alone. */

#define MT_BATCH     8u
#define MT_MOST_ROWS 6u  /* of a joint: see joint_lanes.h */
#define MT_TRIANGLE  21u /* numbers of a symmetric matrix of so many rows */

typedef struct mt_batch {
    uint32_t assembly[MT_BATCH], count;
    uint32_t first_body, bodies, first_joint, joints; /* in batch_bodies and batch_joints */
    uint32_t own;                                     /* of the bodies, the first: those of the assemblies */
    uint32_t first_link, links;                       /* in tree_links */
    bool tree;     /* joints are solved all at once, see joint_trees.c; else one after the other */
    bool limited;  /* some joint has limits */
    bool factored; /* the system of all joints is made */
} mt_batch;

typedef struct mt_vec_lanes {
    float x[MT_BATCH], y[MT_BATCH], z[MT_BATCH];
} mt_vec_lanes;

/* L D L^T of a system: the lower triangle, with 1 / D on the diagonal. */
typedef struct mt_factor_lanes {
    double f[MT_TRIANGLE][MT_BATCH];
} mt_factor_lanes;

typedef struct mt_pose_lanes {
    mt_vec_lanes position;
    float rotation[4][MT_BATCH];
} mt_pose_lanes;

/* A body of each of the assemblies. */
typedef struct mt_batch_body {
    _Alignas(64) mt_body_work *work[MT_BATCH]; /* where they are; the plan's last stands for the world */
    uint32_t shifts[MT_BATCH];
    float inverse_mass[MT_BATCH], inverse_inertia[6][MT_BATCH]; /* 0 for what does not move */
    mt_pose_lanes now, start;
    mt_vec_lanes frame[3]; /* the columns of the rotation, at the start or now */
    mt_vec_lanes carry[3]; /* the columns of the flight's rotation, and of what */
    mt_vec_lanes reply[3]; /* a moment at the start turns the body by at the end: see shake_kernel.c */
    mt_vec_lanes velocity, spin, held_turn; /* while joints hold: see hold_kernel.c */
    uint32_t moved;                         /* bits of those that are to be written back */
    uint32_t body[MT_BATCH]; /* places in the plan's order; lanes left over have that of the first */
} mt_batch_body;

#define MT_NO_LIMIT 3.14f /* rad: limits from here on are none */

/* A joint of each of the assemblies: the whole of it in one stretch of memory, which each pass reads from its start on. So
 * many fields because that is what a joint is; passes that need only its beginning stop there. */
typedef struct mt_batch_joint {
    uint32_t a, b; /* of the batch's bodies */
    uint32_t type;
    bool limited;                       /* it has limits, so that rows come and go */
    bool yields;                        /* not all of them hold any torque */
    bool damped;                        /* some have damping */
    bool factored;                      /* `factor` is made of `arm_a`, `arm_b` and `turn` */
    _Alignas(64) mt_vec_lanes anchor_a; /* this and the next in the bodies' directions */
    mt_vec_lanes anchor_b, axis_a, axis_b, side_a, side_b;
    float low[MT_BATCH], high[MT_BATCH]; /* rad: limits of a hinge; of others, high: of the swing, */
    float twist[MT_BATCH];               /* and of the twist, to both sides */
    float yield_torque[MT_BATCH];        /* N m */
    float damping[MT_BATCH];             /* 1/s */
    mt_vec_lanes arm_a, arm_b;
    mt_vec_lanes turn[3]; /* directions of the rows after the anchor's */
    mt_factor_lanes factor;
    /* Where all joints are solved at once: its place in that order; its rows, and bits of the lanes in which each of its
     * limits counts, that the system was made with; errors, diagonals of the system, and what solves it. */
    uint32_t place, rows, active[2];
    float side[2][MT_BATCH];  /* of a limit that counts: 1: the upper, -1: the lower */
    double warm[2][MT_BATCH]; /* what it gave in this substep */
    float error[MT_MOST_ROWS][MT_BATCH];
    double whole[MT_MOST_ROWS][MT_BATCH], solution[MT_MOST_ROWS][MT_BATCH];
    mt_vec_lanes force, torque;           /* given in this substep, times h^2 */
    mt_vec_lanes held_force, held_torque; /* of these: what bodies fly with */
    /* For the substep: what may stay open of the rows but limits; limits, as far as they were passed before; and how
     * the joint was turned. See joint_opening.h. */
    float open[MT_MOST_ROWS][MT_BATCH], lowest[2][MT_BATCH], highest[2][MT_BATCH], first_angle[2][MT_BATCH];
} mt_batch_joint;

/* The order in which the joints of a batch are taken out of their system: a joint, and its links. */
typedef struct mt_tree_step {
    uint32_t joint, first, count;
} mt_tree_step;

/* A later joint that shares a body with that of the step, and what couples the two: rows by columns. */
typedef struct mt_tree_link {
    uint32_t joint;
    _Alignas(64) double f[MT_MOST_ROWS * MT_MOST_ROWS][MT_BATCH];
} mt_tree_link;

/* Assemblies that are alike, side by side. */
typedef struct mt_batch_plan {
    mt_array all, bodies, joints; /* mt_batch, mt_batch_body, mt_batch_joint */
    uint32_t count;
    mt_array tree_steps, tree_links; /* mt_tree_step a joint; mt_tree_link */
    mt_array tree_ends;              /* uint32_t: scratch for making them */
} mt_batch_plan;

/* Who does not collide. */
typedef struct mt_family_plan {
    mt_array partner_start,
        partners; /* uint32_t a body and one more; places of bodies that it does not collide with */
    mt_array of;  /* uint32_t by the index of a particle's handle: particles of one family never
                    * collide; 0: it is in no body; see MT_FAMILY_NONE */
    mt_array kin; /* uint32_t a body: those that are partners or share particles, or whose partners are and
                    * do, have one number, that of the first of them */
    uint32_t count;
    uint64_t edits; /* as those of the plan */
} mt_family_plan;

/* Where in memory particles of bodies are. */
typedef struct mt_slot_plan {
    mt_array sequence;   /* uint32_t: indices of the handles of particles in bodies, in the order in which they
                          * are to be in memory; behind them scratch */
    mt_array families;   /* uint32_t a slot: as mt_family_plan.of, for the neighbour lists */
    mt_array membership; /* uint32_t a slot: as mt_membership.of, for the neighbour lists */
    /* As edits, for the last time when particles were in sequence: of the slots of rows; of the families and
     * memberships of slots; and of the names of clusters. */
    uint64_t located_edits, noted_edits, named_edits;
    uint32_t located_dummy; /* and which slot filled up rows then */
} mt_slot_plan;

typedef struct mt_body_plan {
    uint64_t edits; /* of the world's bodies, when it was made; 0: never */
    mt_array rows, row_rests, shares, places, holders, bodies, joints, assemblies;
    uint32_t row_count, share_count, place_count, holder_count, body_count, joint_count, assembly_count;
    mt_array order;      /* uint32_t: scratch for making it: by body its root, then its place in the order */
    uint32_t slot_count; /* particles in bodies */
    bool any_driven;
    float radius; /* m: of all particles, if all are of bodies and have the same, else -1 */
    mt_batch_plan batches;
    mt_family_plan families;
    mt_slot_plan slots;
} mt_body_plan;

struct mt_substep;

/* At the start of a step: makes the plan anew if bodies have changed, and takes over poses. */
mote_result mt_bodies_begin(mote_world *world);
/* Puts the assemblies of a new plan into batches. */
mote_result mt_batches_make(mote_world *world, mt_body_plan *plan);
/* Finds out which of them have joints that are solved all at once, of so many joints. */
mote_result mt_joint_trees_make(mote_world *world, mt_body_plan *plan, uint32_t joints);
/* Where the particles are, after every reorder. */
void mt_bodies_locate(mote_world *world, const struct mt_substep *s);
/* Moves driven bodies to where they are at the end of the substep. */
void mt_bodies_drive(mote_world *world, const struct mt_substep *s);
/* Runs a kernel over all assemblies. */
void mt_bodies_run(mote_world *world, struct mt_substep *s, mt_range_task *kernel);
/* Runs a kernel that solves joints, over all batches. */
void mt_bodies_run_batches(mote_world *world, struct mt_substep *s, mt_range_task *kernel);
/* Marks the particles of assemblies that were stopped for the guard, who looks at them again. */
void mt_bodies_mark_stopped(const struct mt_substep *s);
/* Poses, forces and breaks for good. */
void mt_bodies_commit(mote_world *world);

static inline mt_body_work *mt_body_works(const mt_body_plan *plan)
{
    return plan->bodies.data;
}

static inline mt_batch_body *mt_batch_bodies(const mt_body_plan *plan, const mt_batch *batch)
{
    return (mt_batch_body *)plan->batches.bodies.data + batch->first_body;
}

static inline mt_batch_joint *mt_batch_joints(const mt_body_plan *plan, const mt_batch *batch)
{
    return (mt_batch_joint *)plan->batches.joints.data + batch->first_joint;
}

static inline mt_tree_step *mt_tree_steps(const mt_body_plan *plan, const mt_batch *batch)
{
    return (mt_tree_step *)plan->batches.tree_steps.data + batch->first_joint;
}

static inline mt_tree_link *mt_tree_links(const mt_body_plan *plan, const mt_batch *batch)
{
    return (mt_tree_link *)plan->batches.tree_links.data + batch->first_link;
}

static inline mt_joint_work *mt_joint_works(const mt_body_plan *plan)
{
    return plan->joints.data;
}

static inline mt_shared_place *mt_shared_places(const mt_body_plan *plan)
{
    return plan->places.data;
}

/* Whether two bodies do not collide because of a joint. */
static inline bool mt_are_partners(const mt_body_plan *plan, uint32_t a, uint32_t b)
{
    const uint32_t *start = plan->families.partner_start.data, *partners = plan->families.partners.data;
    for (uint32_t k = start[a]; k < start[a + 1]; k++)
        if (partners[k] == b)
            return true;
    return false;
}

#endif
