/* Constraints in a step. Every end of a constraint is a *place*: where it is at the start of the substep, and how far it
 * has moved since. Loose particles have one place each, whatever number of constraints holds them; pins and points of
 * bodies one an end. Constraints of one kind and one colour lie in *rows* of eight, which are solved at once. What
 * constraints give goes through here and nowhere else: a loose particle moves, a place of a body hands it to its body.
 *
 * In a substep (solve.c):
 *
 *     before the pass over contacts   the velocities that constraints gave in the last substep are given again, so that
 *                                     contacts see the load that hangs from them;
 *     after it                        they are taken back, to the bit where no contact has changed anything;
 *     after the flight                colour by colour, XPBD from a multiplier of 0 (Macklin et al. 2016), errors of the
 *                                     end, directions and levers of the start (SHAKE). Places and velocities change
 *                                     together. */
#ifndef MOTE_STEP_CONSTRAINTS_WORK_H
#define MOTE_STEP_CONSTRAINTS_WORK_H

#include "base/pose.h"
#include "world/constraints.h"

#define MT_OWN_VALUES (MT_VALUES - (uint32_t)MT_REST) /* of a kind: its rest, and what follows */
#define MT_NOT_HELD   UINT32_MAX

typedef enum mt_place_type { MT_PLACE_LOOSE, MT_PLACE_WORLD, MT_PLACE_SHAPE, MT_PLACE_BODY } mt_place_type;

typedef struct mt_place {
    uint32_t type;  /* mt_place_type */
    uint32_t index; /* of a particle's or a shape's handle; of a body: its place in `held` */
    uint32_t slot;  /* of a loose particle, since the last reorder */
    mote_vec3
        point; /* where a pin is: in the world, or in the shape's own coordinates; on a body: from the centre of mass
                      * in its own directions; m */
} mt_place;

/* A body that constraints hold. */
typedef struct mt_held_body {
    uint32_t body;      /* in the plan of bodies */
    uint32_t follows;   /* the assembly whose particles it takes along; MT_NOT_HELD: others see to it */
    mote_vec3 reply[3]; /* how it turns at the end for moments of the start: columns of a matrix, 1/(kg m^2) */
    mote_vec3 push, turn;  /* given in this substep: impulse times h, kg m, and its moment, kg m^2 */
    mote_vec3 pull, twist; /* what is expected of the next: impulse, kg m/s, and its moment, kg m^2/s */
    mote_vec4 velocity, spin, moment; /* of its mover, before that was given */
} mt_held_body;

typedef struct mt_constraint_row {
    _Alignas(64) uint32_t place[MT_MOST_ENDS][8];
    float own[MT_OWN_VALUES][8]; /* the rest, and what follows */
    float compliance[8], damping[8];
    float part[8];      /* of what is left of an error an iteration takes */
    float one_sided[8]; /* not 0: it is */
    float break_force[8];
    float lambda[8];  /* of this substep, below 0: pulls */
    float sum[8];     /* of lambdas over the step, above 0: pulls; once the step is judged the mean force, N */
    float tension[8]; /* of the last substep, N */
    uint32_t constraint[8];
    uint8_t lanes;                    /* bits of those that are constraints */
    uint8_t rigid;                    /* bits of those with a place on a body */
    uint8_t broken;                   /* bits, once the step is judged */
    uint8_t rigid_ends[MT_MOST_ENDS]; /* bits of the lanes where this end is on a body */
} mt_constraint_row;

/* Rows of one kind and one colour. */
typedef struct mt_row_group {
    uint32_t kind, first, count;
    bool alone; /* what is in it may share a mover: row by row, a constraint a row, on one thread */
} mt_row_group;

/* A constraint that broke, by its first two particles. */
typedef struct mt_broken {
    uint64_t key;
    uint32_t constraint, unused;
} mt_broken;

/* THE list of its arrays: ARRAY(name, type of an element).
 *
 *     places        loose ones, then the others, then eight of nobody, which fill rows up
 *     start         a place: where it is at the start of the substep, m
 *     move          a place: how far it is from there, m; w: inverse mass; 0 on bodies, which answer by themselves
 *     before        a loose place: the same before constraints
 *     pull          a place: what constraints are expected to give, m/s; 0 but of loose ones
 *     kept          a loose place: its velocity before that was given, m/s
 *     place_of      by the index of a particle's handle: its place + 1; 0: none
 *     held          bodies that are held
 *     held_of       by the place of a body in the plan of bodies: which of them it is, or MT_NOT_HELD
 *     rows, groups  groups by colour, then by kind
 *     number        a colour and kind, while rows are filled: how many, then the next lane
 *     broken        indices of constraints that broke in this step, in the order of their events
 *     broken_keys   twice as many: for finding that order */
#define MT_CONSTRAINT_ARRAYS(ARRAY)                                                                            \
    ARRAY(places, mt_place)                                                                                    \
    ARRAY(start, mote_vec4)                                                                                    \
    ARRAY(move, mote_vec4)                                                                                     \
    ARRAY(before, mote_vec4)                                                                                   \
    ARRAY(pull, mote_vec4)                                                                                     \
    ARRAY(kept, mote_vec4)                                                                                     \
    ARRAY(place_of, uint32_t)                                                                                  \
    ARRAY(held, mt_held_body)                                                                                  \
    ARRAY(held_of, uint32_t)                                                                                   \
    ARRAY(rows, mt_constraint_row)                                                                             \
    ARRAY(groups, mt_row_group)                                                                                \
    ARRAY(number, uint32_t)                                                                                    \
    ARRAY(broken, uint32_t)                                                                                    \
    ARRAY(broken_keys, mt_broken)

typedef struct mt_constraint_work {
#define ARRAY(name, type) mt_array name;
    MT_CONSTRAINT_ARRAYS(ARRAY)
#undef ARRAY
    uint64_t edits, body_edits; /* of the world, when it was made; 0: it is not */
    uint32_t iterations;        /* that `part` of rows is right for */
    uint32_t loose_count, place_count, held_count, row_count, group_count, broken_count;
    float force_scale; /* from a sum of lambdas over the step to the mean force, 1/s^2 */
} mt_constraint_work;

static inline mt_constraint_row *mt_constraint_rows(const mt_constraint_work *w)
{
    return w->rows.data;
}

static inline mt_held_body *mt_held_bodies(const mt_constraint_work *w)
{
    return w->held.data;
}

#endif
