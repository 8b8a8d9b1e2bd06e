/* Parts of the program that add particles which a scene file cannot say. A file asks for one with its field
 * "builder"; everything else (world, solver, materials, shapes) is in the file. */
#ifndef MOTE_SCENES_BUILDERS_H
#define MOTE_SCENES_BUILDERS_H

#include "io/scene_file.h"

typedef struct scene_builder {
    const char *name;
    uint32_t particles;           /* how many it adds */
    const char *const *materials; /* that the file must have; NULL at the end */
    mote_result (*build)(const scene_description *d, mote_world *world);
} scene_builder;

/* NULL for NULL, and if there is none of that name. */
const scene_builder *scene_builder_find(const char *name);
/* NULL at the end. */
extern const char *const SCENE_BUILDERS[];

mote_result hourglass_build(const scene_description *d, mote_world *world);
mote_result grain_sizes_build(const scene_description *d, mote_world *world);
mote_result overlap_build(const scene_description *d, mote_world *world);

#endif
