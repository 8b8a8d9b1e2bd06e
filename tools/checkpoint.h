/* Checkpoints: a run of a scene on disk, to go on from after a crash or a break. A checkpoint is a snapshot of
 * the world with the frame and the scene that it belongs to. */
#ifndef MOTE_TOOLS_CHECKPOINT_H
#define MOTE_TOOLS_CHECKPOINT_H

#include "mote/mote.h"

#define CHECKPOINT_ERROR 1024

/* Writes the world as it is after `frame` frames of the scene with that hash. A crash at any moment leaves the
 * earlier file of that name whole. False with a text in `error` that names the file. */
bool checkpoint_write(const char *path, const mote_world *world, uint64_t scene_hash, uint32_t frame,
                      char error[CHECKPOINT_ERROR]);

/* Makes the world what it was; *frame gets the frames done. A file that is cut short, has changed bytes, or is
 * of another version or another scene is refused and leaves the world as it was. False with a text in `error`
 * that names the file and the reason. */
bool checkpoint_restore(const char *path, mote_world *world, uint64_t scene_hash, uint32_t *frame,
                        char error[CHECKPOINT_ERROR]);

#endif
