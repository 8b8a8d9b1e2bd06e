/* Emitters: openings through which a liquid comes into the world: nozzles, springs, inflow planes. Sinks are
 * volumes that remove particles (volume.h). */
#ifndef MOTE_EMITTER_H
#define MOTE_EMITTER_H

#include "mote/particle.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mote_emitter_form {
    MOTE_EMITTER_DISC,
    MOTE_EMITTER_RECTANGLE,
    MOTE_EMITTER_FORM_COUNT
} mote_emitter_form;

/* The liquid comes in layers across the opening, at the density of its material and as much as goes through
 * the opening's area at that speed: area * speed cubic metres a second. */
typedef struct mote_emitter_def {
    mote_emitter_form form;    /* default MOTE_EMITTER_DISC */
    mote_vec3 position;        /* the middle of the opening, m; default 0 */
    mote_vec3 direction;       /* where the liquid goes; any length but 0; default (0, -1, 0) */
    mote_vec3 side;            /* of a rectangle: along its width, not along `direction`; default (1, 0, 0) */
    float radius;              /* of a disc, m, 1e-6 to 1e4; default 0.1 */
    float width, height;       /* of a rectangle: along `side` and across it, m, 1e-6 to 1e4; default 0.2 */
    float speed;               /* m/s, 1e-3 to 5000; default 1 */
    mote_material_id material; /* a fluid; there is no default */
    uint32_t phase;            /* default MOTE_PHASE_DEFAULT */
    /* So many of its particles at once, at least a layer: when there are as many, or max_particles of the
     * world are reached, each new one takes the place of its oldest. Default 100000 */
    uint32_t most;
} mote_emitter_def;

MOTE_API mote_emitter_def mote_default_emitter_def(void);

/* Adds an emitter; null on failure. The opening must not be inside of a shape. At most 1024. */
MOTE_API mote_emitter_id mote_emitter_add(mote_world *world, const mote_emitter_def *def);
MOTE_API mote_result mote_emitter_get(const mote_world *world, mote_emitter_id emitter, mote_emitter_def *def);
/* What it has emitted stays. */
MOTE_API mote_result mote_emitter_remove(mote_world *world, mote_emitter_id emitter);
MOTE_API bool mote_emitter_is_valid(const mote_world *world, mote_emitter_id emitter);

/* Lets out what comes in dt seconds: call it before a step of dt seconds, for as long as the liquid is to flow.
 * What is in front of the opening is pushed aside by the step. `emitted` is NULL or gets how many particles
 * there are more. Takes no memory beyond what mote_emitter_add took, unless others have used it up. */
MOTE_API mote_result mote_emitter_run(mote_world *world, mote_emitter_id emitter, float dt, size_t *emitted);

/* Where the particles of a layer begin, in a world of the given radius: the first `capacity` places are written
 * (`places` may be NULL if it is 0); *count gets how many there are. `spacing` is NULL or gets the distance of
 * two layers, m. */
MOTE_API mote_result mote_emitter_layer(const mote_emitter_def *def, float radius, mote_vec3 *places,
                                        size_t capacity, size_t *count, float *spacing);

#ifdef __cplusplus
}
#endif

#endif
