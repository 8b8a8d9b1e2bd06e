/* The surfaces that a scene's bodies and skeletons carry, for exports: meshes of bodies that are filled meshes,
 * and skins of rigs. */
#ifndef MOTE_IO_SCENE_SURFACES_H
#define MOTE_IO_SCENE_SURFACES_H

#include "io/export.h"
#include "io/scene_file.h"

typedef struct scene_surfaces scene_surfaces;

/* The surfaces of the world that was last built from the file, which must outlive them. Bodies that are cut
 * into pieces have none, since their pieces have no meshes. NULL without memory. */
scene_surfaces *scene_surfaces_make(const scene_file *file);
/* NULL is fine. */
void scene_surfaces_free(scene_surfaces *surfaces);

/* Puts skins where the bones are now. What `scene_surfaces_list` answered before is changed: nobody may be
 * reading it. */
mote_result scene_surfaces_move(scene_surfaces *surfaces, const mote_world *world);

/* Those that are there, for exporter_set_surfaces; a skin whose skeleton was removed is not. Valid until the
 * next move. */
const export_surface *scene_surfaces_list(const scene_surfaces *surfaces, size_t *count);

#endif
