/* Volumes: boxes in space that notice particles (triggers) or remove them (kill volumes). They push nothing. */
#ifndef MOTE_VOLUME_H
#define MOTE_VOLUME_H

#include "mote/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mote_volume_type {
    MOTE_VOLUME_TRIGGER, /* reports particles that come in and go out, as events */
    MOTE_VOLUME_KILL,    /* removes particles whose centre is inside, with an event */
    MOTE_VOLUME_BOUNDS,  /* removes particles whose centre is outside, with an event */
    MOTE_VOLUME_COUNT
} mote_volume_type;

typedef struct mote_volume_def {
    mote_volume_type type;
    mote_vec3 min, max; /* m, min below max on every axis */
} mote_volume_def;

MOTE_API mote_volume_def mote_default_volume_def(void);
MOTE_API mote_volume_id mote_volume_add(mote_world *world, const mote_volume_def *def);
MOTE_API mote_result mote_volume_get(const mote_world *world, mote_volume_id volume, mote_volume_def *def);
MOTE_API mote_result mote_volume_remove(mote_world *world, mote_volume_id volume);
MOTE_API bool mote_volume_is_valid(const mote_world *world, mote_volume_id volume);

#ifdef __cplusplus
}
#endif

#endif
