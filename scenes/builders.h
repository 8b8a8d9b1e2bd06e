/* Parts of the program that add what a scene file cannot say. A file asks for one with its field "builder";
 * everything else (world, solver, materials, shapes) is in the file. */
#ifndef MOTE_SCENES_BUILDERS_H
#define MOTE_SCENES_BUILDERS_H

#include "io/scene_file.h"

typedef struct scene_builder {
    const char *name;
    uint32_t particles;                            /* how many it adds; 0: `count` tells */
    uint32_t (*count)(const scene_description *d); /* NULL: always `particles` */
    uint32_t most_objects;                         /* that "objects" may ask for; 0: it makes a fixed number */
    const char *const *materials;                  /* that the file must have; NULL at the end */
    mote_result (*build)(const scene_description *d, mote_world *world);
} scene_builder;

/* NULL for NULL, and if there is none of that name. */
const scene_builder *scene_builder_find(const char *name);
/* How many particles the scene's builder adds; 0 without one. */
uint32_t scene_builder_particles(const scene_description *d);
/* NULL at the end. */
extern const char *const SCENE_BUILDERS[];

mote_result hourglass_build(const scene_description *d, mote_world *world);
mote_result grain_sizes_build(const scene_description *d, mote_world *world);
mote_result overlap_build(const scene_description *d, mote_world *world);
mote_result jointed_pile_scene_build(const scene_description *d, mote_world *world);
mote_result pairs_540_scene_build(const scene_description *d, mote_world *world);
mote_result glass_build(const scene_description *d, mote_world *world);
uint32_t glass_count(const scene_description *d);
uint32_t jointed_pile_count(const scene_description *d);
uint32_t pairs_540_count(const scene_description *d);

#endif
