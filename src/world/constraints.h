/* Constraints between steps: the table, who is at their ends, and their colours. Nothing here knows what kinds there are
 * but constraint_kinds.c. */
#ifndef MOTE_WORLD_CONSTRAINTS_H
#define MOTE_WORLD_CONSTRAINTS_H

#include "base/handles.h"
#include "mote/constraint.h"

#define MT_MAX_CONSTRAINTS 16777216u
#define MT_MOST_ENDS       ((uint32_t)MOTE_CONSTRAINT_MAX_ENDS)
#define MT_VALUES          ((uint32_t)MOTE_CONSTRAINT_MAX_VALUES)

/* The values that every kind has, in the order of MOTE_CONSTRAINT_PARAMETERS; behind the rest come the kind's own. */
typedef enum mt_common_value {
    MT_COMPLIANCE,
    MT_DAMPING,
    MT_STIFFNESS,
    MT_BREAK_FORCE,
    MT_ONE_SIDED,
    MT_COLLIDE,
    MT_REST,
} mt_common_value;

/* Constraints of one colour have no particle and no body in common. */
#define MT_COLORS       64u
#define MT_NO_ROOM      64u /* its particles have all colours: it is solved alone, after the others */
#define MT_NOT_COLORED  65u /* new: the next step gives it one */
#define MT_COLOR_GROUPS 65u

typedef struct mt_constraint_end {
    uint32_t type;              /* mote_end_type */
    uint32_t index, generation; /* of the handle of a particle, shape or body */
    mote_vec3 point;            /* as mote_constraint_end has it */
} mt_constraint_end;

/* Members of four bytes only, so that there is no padding: snapshots and hashes take the bytes as they are. */
typedef struct mt_constraint {
    mote_constraint_id id;
    uint32_t kind, color;
    uint32_t apart; /* its particles do not collide with each other */
    mt_constraint_end ends[MT_MOST_ENDS];
    float values[MT_VALUES];
} mt_constraint;

/* What the last step has found out: above 0 pulls. */
typedef struct mt_constraint_result {
    float force;   /* mean of the step, N */
    float tension; /* the same in its last substep, N */
    float lambda;  /* that times h^2, kg m */
} mt_constraint_result;

/* Its neighbours in the order of making: indices of handles + 1; 0: none. */
typedef struct mt_constraint_order {
    uint32_t previous, next;
} mt_constraint_order;

/* The ends at a particle, body or shape, as a list. An end is 4 times the constraint's index, and which of its ends it
 * is, + 1; 0: none. */
typedef struct mt_end_links {
    uint32_t previous[MT_MOST_ENDS], next[MT_MOST_ENDS];
} mt_end_links;

/* Arrays of constraints go by the index of the handle. */
typedef struct mt_constraints {
    mt_handles handles; /* the slot is the index itself; made with the tables, see tables.c */
    uint32_t count;
    mt_array items, results, order, links;
    uint32_t first, last, first_new; /* in the order of making, as mt_constraint_order; new: without colour */
    mt_array first_end[MOTE_END_TYPE_COUNT]; /* uint32_t by the index of a particle, shape or body */
    uint32_t known[MOTE_END_TYPE_COUNT];     /* how many of these there are */
    mt_array used[MOTE_END_TYPE_COUNT];      /* uint64_t, likewise: colours that it has */
    uint32_t colored[MOTE_END_TYPE_COUNT];   /* how many of these there are */
    uint64_t edits;                          /* counts changes; not state */
    uint64_t body_edits;                     /* of the world, when colours were looked at last */
} mt_constraints;

/* A kind as the world sees it; a row of constraint_kinds.c. */
typedef struct mt_constraint_kind {
    mote_kind_info info;
    /* What is measured, of the places of the ends. */
    float (*measure)(const mote_vec3 *places, const float *values);
    /* Whether balls whose radii have the sum overlap at rest. */
    bool (*overlaps)(const float *values, float radii);
} mt_constraint_kind;

extern const mt_constraint_kind mt_constraint_kinds[];
extern const uint32_t mt_constraint_kind_count;

/* All rows. A program may bring kinds of its own, in a file that defines MOTE_MORE_CONSTRAINT_KINDS: the two files that
 * make tables of the rows are then compiled with MOTE_MORE_KINDS, which names it (tests/example_kind). */
#ifdef MOTE_MORE_KINDS
#include MOTE_MORE_KINDS
#else
#define MOTE_MORE_CONSTRAINT_KINDS(KIND)
#endif
#define MT_CONSTRAINT_KINDS(KIND) MOTE_CONSTRAINT_KINDS(KIND) MOTE_MORE_CONSTRAINT_KINDS(KIND)

#define KIND(NAME, name, ends, unit)                                                                           \
    float mt_##name##_measure(const mote_vec3 *places, const float *values);                                   \
    bool mt_##name##_overlaps(const float *values, float radii);
MT_CONSTRAINT_KINDS(KIND)
#undef KIND

void mt_constraints_init(mt_constraints *c);
void mt_constraints_free(mt_constraints *c, mt_memory *memory);

/* constraint_check.c: whether a definition can be added; `number`: which of many, or MT_ONE. */
#define MT_ONE SIZE_MAX
mote_result mt_constraint_check(const mote_world *world, const mote_constraint_def *def, size_t number);
/* Whether values and colours are such that a constraint can have; its ends are another question. */
bool mt_constraint_fits(const mt_constraint *c);

/* constraints.c */
mote_result mt_constraint_find(const mote_world *world, mote_constraint_id id, uint32_t *index);
/* Room for `count` constraints and for the ends at everything that the world has. */
mote_result mt_constraints_reserve(mote_world *world, uint32_t count);
/* Appends one that is known to fit, with its handle's index reserved; nothing is woken. */
void mt_constraint_append(mote_world *world, const mt_constraint *made);
/* Takes one out, and wakes what it held. */
void mt_constraint_drop(mote_world *world, uint32_t index);
/* All that are at a particle, shape or body that is about to go. */
void mt_constraints_release(mote_world *world, mote_end_type type, uint32_t index);
/* All of them, without waking anybody. */
void mt_constraints_clear(mote_world *world);
/* Whether two particles (by the indices of their handles) do not collide because of a constraint. */
bool mt_are_bound(const mote_world *world, uint32_t a, uint32_t b);
/* Whether a particle does not collide with a body because of a constraint with it or a particle of it. */
bool mt_is_bound_to_body(const mote_world *world, uint32_t particle, mote_body_id body);
/* Whether all agree with whom constraints connect a particle (by the index of its handle): the slots of other particles,
 * and one of each body; a shape that moves never does. The membership must be known. */
typedef bool mt_connected_task(const void *context, uint32_t slot);
bool mt_connected_agree(const mote_world *world, uint32_t particle, mt_connected_task *agrees,
                        const void *context);
/* What its kind measures now. */
float mt_constraint_measure(const mote_world *world, const mt_constraint *one);
/* constraint_read.c: root mean square of what measures are off beyond what the compliance allows. */
double mt_constraints_residual(const mote_world *world, uint32_t kind);
/* Where an end is now. */
mote_vec3 mt_end_place(const mote_world *world, const mt_constraint_end *end);

/* constraint_colors.c: gives new ones a colour, and others another if bodies have changed so that they need it. */
mote_result mt_constraints_color(mote_world *world);
void mt_constraint_uncolor(mote_world *world, const mt_constraint *c);

static inline mt_constraint *mt_constraint_items(const mt_constraints *c)
{
    return c->items.data;
}

static inline mt_constraint_result *mt_constraint_results(const mt_constraints *c)
{
    return c->results.data;
}

static inline mt_constraint_order *mt_constraint_orders(const mt_constraints *c)
{
    return c->order.data;
}

static inline mt_end_links *mt_constraint_links(const mt_constraints *c)
{
    return c->links.data;
}

/* The first end at something, and the one after it. */
static inline uint32_t mt_first_end(const mt_constraints *c, mote_end_type type, uint32_t index)
{
    return index < c->known[type] ? ((const uint32_t *)c->first_end[type].data)[index] : 0;
}

static inline const mt_constraint *mt_end_constraint(const mt_constraints *c, uint32_t end)
{
    return &mt_constraint_items(c)[(end - 1) / MT_MOST_ENDS];
}

static inline uint32_t mt_next_end(const mt_constraints *c, uint32_t end)
{
    return mt_constraint_links(c)[(end - 1) / MT_MOST_ENDS].next[(end - 1) % MT_MOST_ENDS];
}

#endif
