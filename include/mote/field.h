/* Fields: forces that depend on where a particle is and how it moves. Gravity is a setting of the world. */
#ifndef MOTE_FIELD_H
#define MOTE_FIELD_H

#include "mote/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mote_field_type {
    MOTE_FIELD_ACCELERATION, /* adds `direction` x strength, m/s^2 */
    MOTE_FIELD_WIND,         /* draws the velocity towards `direction` (m/s) with the rate `strength`, 1/s */
    MOTE_FIELD_POINT,        /* towards `center` with `strength` m/s^2 (negative: away) */
    MOTE_FIELD_VORTEX,       /* around the axis `direction` through `center` with `strength` m/s^2 */
    MOTE_FIELD_DRAG,         /* slows with the rate `strength`, 1/s */
    MOTE_FIELD_COUNT
} mote_field_type;

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
