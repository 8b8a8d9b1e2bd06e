/* Snapshots with wrong bytes behind a right checksum: refused without a change, or restored to a world that can
 * be stepped and asked. */
#include "snapshot_edits.h"

#include <stdlib.h>
#include <string.h>

static mote_world *world_with_something_in_it(void)
{
    mote_world *world = fuzz_world();
    mote_particle_def particle = mote_default_particle_def();
    mote_particle_add(world, &particle);
    mote_plane_def plane = mote_default_plane_def();
    mote_plane_add(world, &plane);
    return world;
}

static bool restore(mote_world *world, const void *data, size_t size)
{
    uint64_t before = mote_world_hash(world);
    if (mote_snapshot_restore(world, data, size) == MOTE_OK)
        return true;
    fuzz_require(mote_world_hash(world) == before, "a snapshot that is refused changes nothing");
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mote_world *world = world_with_something_in_it();
    restore(world, data, size); /* any bytes */
    fuzz_bytes bytes = {data, size};
    size_t shift = fuzz_byte(&bytes) % 8, edited_size;
    uint8_t *edited = edited_snapshot(&bytes, &edited_size), *moved = malloc(shift + edited_size);
    fuzz_require(moved != NULL, "there is memory for a snapshot");
    memcpy(moved + shift, edited, edited_size); /* at addresses of every kind */
    free(edited);
    bool restored = restore(world, moved + shift, edited_size);
    free(moved);
    if (restored)
        fuzz_exercise(world);
    mote_world_destroy(world);
    return 0;
}
