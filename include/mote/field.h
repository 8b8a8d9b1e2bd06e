/* Fields: forces that depend on where a particle is and how it moves. Gravity is a setting of the world. */
#ifndef MOTE_FIELD_H
#define MOTE_FIELD_H

#include "mote/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a type makes of its definition. */
enum {
    MOTE_FIELD_IS_RATE = 1,       /* `strength` is a rate, 1/s, 0 or more; rates act after all that add */
    MOTE_FIELD_HAS_DIRECTION = 2, /* `direction` counts */
    MOTE_FIELD_HAS_AXIS = 4,      /* and must have a length */
};

/* THE list of types: FIELD(NAME, name in scene files, traits). The enum, checks and scene files come from it; what one does
 * is field_kick in src/step/predict/fields.c.
 *
 *     acceleration   adds `direction` x strength, m/s^2
 *     wind           draws the velocity towards `direction` (m/s) with the rate `strength`, 1/s
 *     point          towards `center` with `strength` m/s^2 (negative: away)
 *     vortex         around the axis `direction` through `center` with `strength` m/s^2
 *     drag           slows with the rate `strength`, 1/s */
#define MOTE_FIELD_TYPES(FIELD)                                                                                \
    FIELD(ACCELERATION, acceleration, MOTE_FIELD_HAS_DIRECTION)                                                \
    FIELD(WIND, wind, MOTE_FIELD_IS_RATE | MOTE_FIELD_HAS_DIRECTION)                                           \
    FIELD(POINT, point, 0)                                                                                     \
    FIELD(VORTEX, vortex, MOTE_FIELD_HAS_DIRECTION | MOTE_FIELD_HAS_AXIS)                                      \
    FIELD(DRAG, drag, MOTE_FIELD_IS_RATE)

typedef enum mote_field_type {
#define MOTE_FIELD_ENUM(NAME, name, traits) MOTE_FIELD_##NAME,
    MOTE_FIELD_TYPES(MOTE_FIELD_ENUM)
#undef MOTE_FIELD_ENUM
        MOTE_FIELD_COUNT
} mote_field_type;

/* Those of a type; 0 if there is no such. */
MOTE_API uint32_t mote_field_traits(mote_field_type type);

typedef struct mote_field_def {
    mote_field_type type;
    mote_vec3 center;    /* m; default 0 */
    mote_vec3 direction; /* see the type; default +Y */
    float strength;      /* see the type; default 1 */
    float radius;        /* m; the field fades linearly to nothing there; 0 (default): everywhere the same */
    uint32_t group;      /* acts on this group of phases only; MOTE_FIELD_ALL_GROUPS (default): on all */
} mote_field_def;

#define MOTE_FIELD_ALL_GROUPS 0xFFFFFFFFu

MOTE_API mote_field_def mote_default_field_def(void);
MOTE_API mote_field_id mote_field_add(mote_world *world, const mote_field_def *def);
MOTE_API mote_result mote_field_get(const mote_world *world, mote_field_id field, mote_field_def *def);
MOTE_API mote_result mote_field_set(mote_world *world, mote_field_id field, const mote_field_def *def);
MOTE_API mote_result mote_field_remove(mote_world *world, mote_field_id field);
MOTE_API bool mote_field_is_valid(const mote_world *world, mote_field_id field);

#ifdef __cplusplus
}
#endif

#endif
