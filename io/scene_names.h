/* What a scene calls its bodies, for exports. */
#ifndef MOTE_IO_SCENE_NAMES_H
#define MOTE_IO_SCENE_NAMES_H

#include "io/export.h"
#include "io/scene_file.h"

/* What the copy of an entry is called, as joints call it: "ring[3]"; without a name of its own "body 2". `text` has
 * room for EXPORT_NAME_SIZE bytes; longer names are cut. */
const char *scene_copy_name(char text[EXPORT_NAME_SIZE], const char *name, const char *kind, size_t entry,
                            size_t copy, size_t copies);

/* The bodies of the world that was last built from the file, and the bones of its skeletons ("dancer.LeftHand").
 * The caller frees them. NULL without memory. */
export_name *scene_body_names(const scene_file *file, const mote_world *world, size_t *count);

#endif
