/* Bodies in a step. Each is a pose; its particles follow it, and it follows them: whatever stage moves
 * particles, the body is matched to where they went (follow_kernel.c says how). Bodies that are jointed make
 * an assembly, which one thread works on; assemblies run side by side. */
#ifndef MOTE_STEP_BODIES_BODIES_H
#define MOTE_STEP_BODIES_BODIES_H

#include "base/pose.h"
#include "world/bodies.h"

#define MT_NO_BODY UINT32_MAX
#define MT_TOUCHES 4096.0f /* a contact that touches counts so many that only might */

/* Eight particles that belong to one body alone. Rows are filled up with mass 0 and no slot. */
typedef struct mt_body_row {
    /* What every pass asks for, in three cache lines. */
    _Alignas(64) float x[8], y[8], z[8]; /* at rest, from the centre of mass, m */
    float opposes[8];                    /* kg: how much mass the body sets against pushes of this substep */
    uint32_t slot[8];                    /* where the particle is; the dummy's for those that fill up */
    uint32_t count;                      /* how many are real: the first */
    bool whole;                          /* the eight are a slice */
    bool quiet; /* none of them has a contact in this substep, so nobody asks where they are until its end */
    /* The rest. */
    _Alignas(64) float mass[8]; /* kg */
    float ease[8];              /* 1 / resistance, 0 for those that fill up */
    float resistance[8];        /* kg: as opposes, but against any push, at least */
    float normal_x[8], normal_y[8], normal_z[8],
        depth[8];         /* out of the body, in its own directions; see mt_link */
    uint32_t particle[8]; /* the index of its handle */
} mt_body_row;

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
    mote_vec3 start, end;     /* where it was put */
    mote_vec3 speed;          /* the mean of its bodies', before forces */
    float inverse_resistance; /* 1/kg, of all its bodies together; 0: held by a driven one */
    bool quiet;               /* as of rows */
} mt_shared_place;

typedef struct mt_holder {
    uint32_t body; /* in the plan's order */
    mote_vec3 rest;
} mt_holder;

typedef struct mt_body_work {
    uint32_t body; /* its place in the world's table */
    bool driven, asleep;
    uint32_t first_row, rows, first_share, shares;
    float inverse_mass;     /* 0: it does not move */
    float own_ease[6];      /* inverse inertia in its own directions; */
    float ease[6];          /* and in the world's, where it is predicted to be */
    float row_mass;         /* kg: of the particles in rows */
    float size;             /* the furthest particle, m */
    mt_pose start, pose;    /* at the start of the substep, and now */
    mt_frame at_start, at;  /* the same */
    mt_pose free;           /* where it would be without contacts */
    mote_vec3 velocity;     /* with which it is predicted, m/s */
    mote_vec3 spin;         /* rad/s */
    mote_vec3 angular;      /* momentum, kg m^2/s */
    mote_vec3 push, turn;   /* what constraints gave so far: impulse times h, kg m; and its moment, kg m^2 */
    mote_vec3 guess;        /* what the warm start gives, as push */
    mote_vec3 lift;         /* what fluids gave so far, of push; it starts from a guess, too: */
    float last_lift;        /* what they gave in the last substep, upwards, m/s^2 */
    mote_vec3 old_velocity; /* before forces */
    float load;
    float touches;           /* contacts that bear it */
    uint32_t shifts, placed; /* how often it was moved in this substep, and when its particles followed last */
    bool alone;              /* none of its particles has a contact */
    bool held;               /* it would touch something without its guess */
} mt_body_work;

#define MT_MOST_ROWS 6

/* The ways in which a joint's bodies may not differ: see joint_rows.h. */
typedef struct mt_joint_rows {
    int count;
    int limits;                                           /* rows from here on push one way only */
    mote_vec3 turn_a[MT_MOST_ROWS], turn_b[MT_MOST_ROWS]; /* how the error changes with the bodies' turning */
    double error[MT_MOST_ROWS];                           /* m, the first three; the others rad */
    double factor[MT_MOST_ROWS][MT_MOST_ROWS]; /* L D L^T of the system, with 1 / D on the diagonal */
    bool factored;
} mt_joint_rows;

typedef enum mt_joint_view { MT_JOINT_UNSEEN, MT_JOINT_AT_START, MT_JOINT_NOW } mt_joint_view;

typedef struct mt_joint_work {
    mt_joint_rows rows;
    mt_joint_view seen;              /* where `rows` are for: later iterations only measure the errors anew */
    bool limited;                    /* it has limits, so that rows come and go */
    mt_joint_view closed;            /* where it was found to be closed, */
    uint32_t closed_at;              /* when its bodies had been moved so often */
    uint32_t joint, a, b;            /* a and b in the plan's order; b may be MT_NO_BODY */
    mote_vec3 anchor_a, anchor_b;    /* from the centres of mass, in the bodies' directions */
    mote_vec3 force, torque;         /* given in this substep, times h^2 */
    mote_vec3 force_sum, torque_sum; /* mean over the step */
    mote_vec3 axis_b, side_b;        /* of the joint: yielding changes them */
    float bent;
    bool broken;
} mt_joint_work;

typedef struct mt_assembly {
    uint32_t first_body, bodies, first_joint, joints, first_place, places;
    bool alone;  /* it has no contacts in this substep: only joints move it */
    bool hushed; /* nor have its shared particles */
} mt_assembly;

typedef struct mt_body_plan {
    uint64_t edits; /* of the world's bodies, when it was made; 0: never */
    mt_array rows, shares, places, holders, bodies, joints, assemblies;
    uint32_t slot_count; /* particles in bodies */
    bool any_driven;
    uint32_t row_count, share_count, place_count, holder_count, body_count, joint_count, assembly_count;
    mt_array order; /* uint32_t: scratch for making it: by body its root, then its place in the order */
    mt_array partner_start,
        partners;       /* uint32_t a body and one more; places of bodies that it does not collide with */
    mt_array family_of; /* uint32_t by the index of a particle's handle: particles of one family never
                             * collide; 0: it has none */
    uint32_t family_count;
    uint64_t partner_edits; /* as edits, for these */
    mt_array sequence;   /* uint32_t: indices of the handles of particles in bodies, in the order in which they
                             * are to be in memory; behind them scratch */
    mt_array families;   /* uint32_t a slot: as family_of, for the neighbour lists */
    mt_array membership; /* uint32_t a slot: as mt_membership.of, for the neighbour lists */
} mt_body_plan;

struct mt_substep;

void mt_body_plan_init(mt_body_plan *plan);
void mt_body_plan_free(mt_body_plan *plan, mt_memory *memory);

/* At the start of a step: makes the plan anew if bodies have changed, and takes over poses. */
mote_result mt_bodies_begin(mote_world *world);
/* Where the particles are, after every reorder. */
void mt_bodies_locate(mote_world *world, const struct mt_substep *s);
/* Moves driven bodies to where they are at the end of the substep. */
void mt_bodies_drive(mote_world *world, const struct mt_substep *s);
/* Runs a kernel over all assemblies. */
void mt_bodies_run(mote_world *world, struct mt_substep *s, mt_range_task *kernel);
/* Poses, forces and breaks for good. */
void mt_bodies_commit(mote_world *world);
/* Where a driven body is after `part` of the step. */
mt_pose mt_driven_pose(const mt_body *body, float part, float dt);

static inline mt_body_work *mt_body_works(const mt_body_plan *plan)
{
    return plan->bodies.data;
}

static inline mt_joint_work *mt_joint_works(const mt_body_plan *plan)
{
    return plan->joints.data;
}

static inline mt_shared_place *mt_shared_places(const mt_body_plan *plan)
{
    return plan->places.data;
}

#endif
