/* Checkpoint files with wrong bytes: of any kind, and behind right checksums. */
#define _POSIX_C_SOURCE 200809L
#include "snapshot_edits.h"

#include "tools/checkpoint.c" /* a part of the command, which is no library */

#include <unistd.h>

#define SCENE UINT64_C(0x0123456789ABCDEF) /* the hash of some scene */

static char path[64];

static void remove_file(void)
{
    unlink(path);
}

static void name_file(void)
{
    if (path[0] != '\0')
        return;
    snprintf(path, sizeof path, "/tmp/mote-fuzz-%ld.mote", (long)getpid());
    atexit(remove_file);
}

static void store(const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    fuzz_require(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0,
                 "the file can be written");
}

static bool restore(mote_world *world)
{
    char error[CHECKPOINT_ERROR] = "";
    uint32_t frame = 12345;
    uint64_t before = mote_world_hash(world);
    if (checkpoint_restore(path, world, SCENE, &frame, error))
        return true;
    fuzz_require(mote_world_hash(world) == before && frame == 12345, "a file that is refused changes nothing");
    fuzz_require(strstr(error, path) != NULL, "the error names the file");
    return false;
}

/* A header before the snapshot, with up to four changed bytes before its checksum is made, and one after. */
static void store_edited(fuzz_bytes *bytes)
{
    uint8_t places[5], values[5];
    for (int i = 0; i < 5; i++) {
        places[i] = fuzz_byte(bytes);
        values[i] = fuzz_byte(bytes);
    }
    size_t size;
    uint8_t *snapshot = edited_snapshot(bytes, &size), *whole = malloc(sizeof(header) + size);
    fuzz_require(whole != NULL, "there is memory for a checkpoint");
    header h = {.magic = MAGIC, .version = VERSION, .scene_hash = SCENE, .snapshot_size = size};
    for (int i = 0; i < 4; i++)
        ((uint8_t *)&h)[places[i] % sizeof h] ^= values[i];
    h.snapshot_size = places[0] < 128 ? size : h.snapshot_size;
    if (h.snapshot_size <= size)
        h.checksum = checksum_of(&h, snapshot);
    memcpy(whole, &h, sizeof h);
    memcpy(whole + sizeof h, snapshot, size);
    whole[places[4] % sizeof h] ^= values[4];
    store(whole, sizeof h + size);
    free(whole);
    free(snapshot);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    name_file();
    mote_world *world = fuzz_world();
    store(data, size); /* any bytes */
    restore(world);
    fuzz_bytes bytes = {data, size};
    store_edited(&bytes);
    if (restore(world))
        fuzz_exercise(world);
    mote_world_destroy(world);
    return 0;
}
