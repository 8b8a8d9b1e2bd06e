/* Snapshots: the whole state of a world in one block of bytes, to save, to send, or to go back to. A world that
 * is restored from a snapshot goes on with the same bits as the one that the snapshot was taken of. */
#ifndef MOTE_SNAPSHOT_H
#define MOTE_SNAPSHOT_H

#include "mote/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The bytes that a snapshot taken now needs. */
MOTE_API size_t mote_snapshot_size(const mote_world *world);

/* Writes a snapshot; *size (may be NULL) gets the bytes written. Too little room is an error. */
MOTE_API mote_result mote_snapshot_take(const mote_world *world, void *buffer, size_t capacity, size_t *size);

/* Makes the world what it was. Particles, materials, shapes, fields, volumes and settings are replaced, handles
 * of that time are valid again, in another world those that have its number (mote_world_number); memory, threads, SIMD
 * level and number stay the world's own. Damaged bytes are refused
 * and leave the world as it was. */
MOTE_API mote_result mote_snapshot_restore(mote_world *world, const void *data, size_t size);

#ifdef __cplusplus
}
#endif

#endif
