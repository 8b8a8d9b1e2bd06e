/* The meshes and skins that bodies and bones of a scene carry, for pictures that show them in place of the
 * particles. */
#ifndef MOTE_TOOLS_CARRIED_H
#define MOTE_TOOLS_CARRIED_H

#include "io/scene_surfaces.h"
#include "render/render.h"
#include "scenes/scene.h"

typedef struct carried {
    render_surfaces shown; /* for the renderer */
    scene_surfaces *source;
    render_surface *items;
    bool *hidden;
    uint32_t *slot_of; /* of each index of a particle's handle */
} carried;

/* Where they are now, in the world that was last built of the scene. False after a complaint; free them in any
 * case. */
bool carried_collect(carried *c, const scene *s, const mote_world *world);
void carried_free(carried *c);

#endif
