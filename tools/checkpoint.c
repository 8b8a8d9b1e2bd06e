/* The file: a header of 40 bytes, then the snapshot as the library gives it. Numbers are as in memory; a file
 * of a machine with another order of bytes is not recognised. */
#define _POSIX_C_SOURCE 200809L
#include "checkpoint.h"

#include "io/safe_file.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAGIC   UINT64_C(0x504B484345544F4D) /* "MOTECHKP" */
#define VERSION 1u
#define REASON  128 /* room for what is wrong with a checkpoint, without its name */

typedef struct header {
    uint64_t magic;
    uint32_t version, frame;
    uint64_t scene_hash;
    uint64_t snapshot_size; /* bytes, of what follows the header */
    uint64_t checksum;      /* of the header before it and of the snapshot */
} header;

static_assert(sizeof(header) == 40, "the header has no padding");

/* Each step is one to one in the word and in the sum so far, so a change within one word is always seen. */
static uint64_t add_to_checksum(uint64_t sum, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    while (size > 0) {
        uint64_t word = 0;
        size_t part = size < sizeof word ? size : sizeof word;
        memcpy(&word, bytes, part);
        sum = (sum ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        sum ^= sum >> 32;
        bytes += part;
        size -= part;
    }
    return sum;
}

static uint64_t checksum_of(const header *h, const void *snapshot)
{
    return add_to_checksum(add_to_checksum(0, h, offsetof(header, checksum)), snapshot,
                           (size_t)h->snapshot_size);
}

/* ---- writing --------------------------------------------------------------------------------------------- */

bool checkpoint_write(const char *path, const mote_world *world, uint64_t scene_hash, uint32_t frame,
                      char error[CHECKPOINT_ERROR])
{
    size_t capacity = mote_snapshot_size(world), size = 0;
    unsigned char *bytes = capacity > SIZE_MAX - sizeof(header) ? NULL : malloc(sizeof(header) + capacity);
    if (bytes == NULL) {
        snprintf(error, CHECKPOINT_ERROR, "cannot write '%s': no memory for a snapshot of %zu bytes", path,
                 capacity);
        return false;
    }
    mote_result result = mote_snapshot_take(world, bytes + sizeof(header), capacity, &size);
    if (result != MOTE_OK) {
        snprintf(error, CHECKPOINT_ERROR, "cannot write '%s': %s", path, mote_last_error());
        free(bytes);
        return false;
    }
    header h = {
        .magic = MAGIC, .version = VERSION, .frame = frame, .scene_hash = scene_hash, .snapshot_size = size};
    h.checksum = checksum_of(&h, bytes + sizeof h);
    memcpy(bytes, &h, sizeof h);
    bool written = safe_file_write(path, bytes, sizeof h + size, error, CHECKPOINT_ERROR);
    free(bytes);
    return written;
}

/* ---- reading --------------------------------------------------------------------------------------------- */

/* All bytes of a file; NULL with a text in `error`. The caller frees them. */
static unsigned char *read_all(const char *path, size_t *size, char error[CHECKPOINT_ERROR])
{
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) { /* a pipe would be waited for without end */
        snprintf(error, CHECKPOINT_ERROR, "cannot read the checkpoint '%s': it is not a file", path);
        return NULL;
    }
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = NULL;
    long length = -1;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0 && (length = ftell(file)) >= 0 && length < LONG_MAX)
        rewind(file);
    else
        length = -1;
    if (length >= 0 && (bytes = malloc((size_t)length + 1)) != NULL)
        *size = fread(bytes, 1, (size_t)length, file);
    if (bytes == NULL || ferror(file)) {
        snprintf(error, CHECKPOINT_ERROR, "cannot read the checkpoint '%s': %s", path, strerror(errno));
        free(bytes);
        bytes = NULL;
    }
    if (file != NULL)
        fclose(file);
    return bytes;
}

/* What is wrong with a checkpoint, in words that follow its name; false with the words in `reason`. */
static bool is_sound(const unsigned char *bytes, size_t size, uint64_t scene_hash, header *h,
                     char reason[REASON])
{
    uint64_t magic = 0;
    memcpy(&magic, bytes, size < sizeof magic ? size : sizeof magic);
    if (size >= sizeof magic && magic != MAGIC) {
        snprintf(reason, REASON, "is not a checkpoint");
        return false;
    }
    if (size < sizeof *h) {
        snprintf(reason, REASON, "is cut short: it has only %zu bytes", size);
        return false;
    }
    memcpy(h, bytes, sizeof *h);
    uint64_t follows = size - sizeof *h;
    if (h->version != VERSION)
        snprintf(reason, REASON, "is of version %" PRIu32 "; this command reads version %u", h->version,
                 VERSION);
    else if (follows < h->snapshot_size)
        snprintf(reason, REASON, "is cut short: %" PRIu64 " bytes of %" PRIu64 " are missing",
                 h->snapshot_size - follows, h->snapshot_size);
    else if (follows > h->snapshot_size)
        snprintf(reason, REASON, "is damaged: it has %" PRIu64 " bytes too many", follows - h->snapshot_size);
    else if (h->checksum != checksum_of(h, bytes + sizeof *h))
        snprintf(reason, REASON, "is damaged: its checksum does not fit its bytes");
    else if (h->scene_hash != scene_hash)
        snprintf(reason, REASON, "belongs to another scene, or to this one with other options");
    else
        return true;
    return false;
}

bool checkpoint_restore(const char *path, mote_world *world, uint64_t scene_hash, uint32_t *frame,
                        char error[CHECKPOINT_ERROR])
{
    size_t size = 0;
    unsigned char *bytes = read_all(path, &size, error);
    if (bytes == NULL)
        return false;
    header h;
    char reason[REASON];
    bool restored = is_sound(bytes, size, scene_hash, &h, reason);
    if (!restored) {
        snprintf(error, CHECKPOINT_ERROR, "the checkpoint '%s' %s", path, reason);
    } else if (mote_snapshot_restore(world, bytes + sizeof h, (size_t)h.snapshot_size) != MOTE_OK) {
        snprintf(error, CHECKPOINT_ERROR, "the checkpoint '%s' cannot be restored: %s", path,
                 mote_last_error());
        restored = false;
    } else {
        *frame = h.frame;
    }
    free(bytes);
    return restored;
}
