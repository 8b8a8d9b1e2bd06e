/* Constraints: what holds particles to each other, to the world, to shapes and to bodies for as long as it is not
 * removed and does not break: ropes, springs, cloth. Ends may be particles of bodies: then the body is held there. */
#ifndef MOTE_CONSTRAINT_H
#define MOTE_CONSTRAINT_H

#include "mote/constraint_kinds.h"
#include "mote/world.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MOTE_CONSTRAINT_MAX_ENDS   4
#define MOTE_CONSTRAINT_MAX_VALUES 10

typedef enum mote_constraint_kind {
#define MOTE_KIND_ENUM(NAME, name, ends, unit) MOTE_CONSTRAINT_##NAME,
    MOTE_CONSTRAINT_KINDS(MOTE_KIND_ENUM)
#undef MOTE_KIND_ENUM
        MOTE_CONSTRAINT_KIND_COUNT
} mote_constraint_kind;

/* What an end is at. */
typedef enum mote_end_type {
    MOTE_END_PARTICLE, /* `particle`, be it loose or of a body */
    MOTE_END_WORLD,    /* `point`, in the world, m: a pin */
    MOTE_END_SHAPE,    /* `point` of `shape`, in the shape's own coordinates, m: a pin that moves with it */
    MOTE_END_BODY,     /* `point` of `body`, in the body's own coordinates, m */
    MOTE_END_TYPE_COUNT
} mote_end_type;

typedef struct mote_constraint_end {
    mote_end_type type;
    mote_particle_id particle;
    mote_shape_id shape;
    mote_body_id body;
    mote_vec3 point;
} mote_constraint_end;

/* Whether the particles of a constraint collide with each other. */
enum {
    MOTE_COLLIDE_IF_APART, /* not if they overlap where the constraint is at rest: the default. Of a distance: not if its
                            * length is below the sum of the radii */
    MOTE_COLLIDE_ALWAYS,
    MOTE_COLLIDE_NEVER,
};

typedef struct mote_constraint_def {
    mote_constraint_kind kind;
    mote_constraint_end ends[MOTE_CONSTRAINT_MAX_ENDS]; /* as many as the kind has */
    union {                                             /* the parameters of the kind: constraint_kinds.h */
        float values[MOTE_CONSTRAINT_MAX_VALUES];
        mote_distance distance;
    };
} mote_constraint_def;

/* The kind with all parameters at their defaults; its ends are null. */
MOTE_API mote_constraint_def mote_default_constraint_def(mote_constraint_kind kind);

MOTE_API mote_constraint_end mote_end_particle(mote_particle_id particle);
MOTE_API mote_constraint_end mote_end_world(mote_vec3 point);
MOTE_API mote_constraint_end mote_end_shape(mote_shape_id shape, mote_vec3 point);
MOTE_API mote_constraint_end mote_end_body(mote_body_id body, mote_vec3 point);

/* Adds a constraint; null on failure. Wakes what it holds. It goes with the first of its particles, bodies or shapes
 * that is removed. */
MOTE_API mote_constraint_id mote_constraint_add(mote_world *world, const mote_constraint_def *def);
/* Adds many: all of them, or with an error none. `ids` (may be NULL) has room for `count`. */
MOTE_API mote_result mote_constraints_add(mote_world *world, const mote_constraint_def *defs, size_t count,
                                          mote_constraint_id *ids);
/* Changes the parameters of a constraint, and where its pins are (`point`); what its ends are at stays. */
MOTE_API mote_result mote_constraint_set(mote_world *world, mote_constraint_id constraint,
                                         const mote_constraint_def *def);
MOTE_API mote_result mote_constraint_remove(mote_world *world, mote_constraint_id constraint);
MOTE_API bool mote_constraint_is_valid(const mote_world *world, mote_constraint_id constraint);
MOTE_API uint32_t mote_constraint_count(const mote_world *world);
/* In the order of their making: up to `capacity` of them; answers how many there are. */
MOTE_API uint32_t mote_constraint_list(const mote_world *world, mote_constraint_id *ids, uint32_t capacity);

/* What it was made with; a rest that was measured is in it. */
MOTE_API mote_result mote_constraint_get(const mote_world *world, mote_constraint_id constraint,
                                         mote_constraint_def *def);

/* Reads many at once; any of the arrays may be NULL. */
typedef struct mote_constraint_readings {
    float *measures; /* what the kind measures, now: of a distance its length, m */
    float *
        forces; /* with which it holds, mean of the last step: of a distance N; above 0: it pulls its ends together,
                      * below: it pushes them apart */
    float *lambdas; /* the multiplier of the last substep, force times h^2: of a distance kg m */
} mote_constraint_readings;

MOTE_API mote_result mote_constraints_read(const mote_world *world, const mote_constraint_id *ids, size_t count,
                                           const mote_constraint_readings *readings);
/* Where the ends of a constraint are now, in the world; `places` has room for MOTE_CONSTRAINT_MAX_ENDS. */
MOTE_API mote_result mote_constraint_places(const mote_world *world, mote_constraint_id constraint,
                                            mote_vec3 *places);

/* ---- the list of kinds as data --------------------------------------------------------------------------- */

typedef struct mote_parameter_info {
    const char *name, *unit, *text;
    float least, most, usual; /* usual: the default; MOTE_AS_MADE: measured when the constraint is made */
} mote_parameter_info;

typedef struct mote_kind_info {
    const char *name, *unit; /* unit: of what it measures */
    uint32_t ends, parameter_count;
    const mote_parameter_info *parameters; /* in the order of mote_constraint_def.values */
} mote_kind_info;

/* NULL: there is no such kind. */
MOTE_API const mote_kind_info *mote_constraint_kind_info(mote_constraint_kind kind);

#ifdef __cplusplus
}
#endif

#endif
