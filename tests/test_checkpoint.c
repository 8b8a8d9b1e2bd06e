/* Checkpoints: a run that goes on from one ends with the same bits, and whatever may happen to the file is
 * noticed and named. */
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include "tools/checkpoint.c" /* a part of the command, which is no library */

#include <sys/stat.h>
#include <unistd.h>

#define SCENE     UINT64_C(0x0123456789ABCDEF) /* the hash of some scene */
#define FRAME     40u
#define PATH_SIZE 64

/* A folder of the test's own; every test removes what it put there. */
static char folder[PATH_SIZE], path[PATH_SIZE + 16];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/mote-checkpoint-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/run.mote", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder); /* fails if anything else was left behind */
}

static mote_world *moving_world(uint32_t threads)
{
    mote_world_def def = test_world_def(NULL);
    def.thread_count = threads;
    mote_world *world = tumbling_world(&def, 6, 6, 6);
    step_times(world, FRAME, TEST_FRAME);
    return world;
}

static void write_or_fail(const mote_world *world, uint32_t frame)
{
    char error[CHECKPOINT_ERROR] = "";
    check_true(checkpoint_write(path, world, SCENE, frame, error), "written (%s)", error);
}

static unsigned char *load_file(size_t *size)
{
    char error[CHECKPOINT_ERROR] = "";
    unsigned char *bytes = read_all(path, size, error);
    check_true(bytes != NULL, "read (%s)", error);
    return bytes;
}

static void store_file(const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* The file as it stands must be refused with the word in the text, and the world must not change. */
static void check_refused(mote_world *world, uint64_t scene_hash, const char *word)
{
    char error[CHECKPOINT_ERROR] = "";
    uint32_t frame = 12345;
    uint64_t before = mote_world_hash(world);
    check_true(!checkpoint_restore(path, world, scene_hash, &frame, error), "refused: %s", word);
    check_true(strstr(error, path) != NULL, "the text names the file: %s", error);
    check_true(strstr(error, word) != NULL, "the text says '%s': %s", word, error);
    check_true(frame == 12345 && mote_world_hash(world) == before, "nothing has changed");
}

static void goes_on_with_the_same_bits(void **state)
{
    (void)state;
    mote_world *world = moving_world(1), *fresh = NULL;
    write_or_fail(world, FRAME);
    mote_world_def def = test_world_def(NULL);
    def.thread_count = 3;
    must(mote_world_create(&def, &fresh));
    char error[CHECKPOINT_ERROR] = "";
    uint32_t frame = 0;
    check_true(checkpoint_restore(path, fresh, SCENE, &frame, error), "restored (%s)", error);
    check_near(frame, FRAME, 0, "frames done");
    step_times(world, 20, TEST_FRAME);
    step_times(fresh, 20, TEST_FRAME);
    check_true(mote_world_hash(world) == mote_world_hash(fresh), "the same state 20 frames later");
    mote_world_destroy(world);
    mote_world_destroy(fresh);
}

/* The next checkpoint takes the place of the last, even a longer one. */
static void replaces_the_last_one(void **state)
{
    (void)state;
    mote_world *large = moving_world(1), *small = test_world(NULL);
    write_or_fail(large, 1);
    write_or_fail(small, 2);
    char error[CHECKPOINT_ERROR] = "";
    uint32_t frame = 0;
    check_true(checkpoint_restore(path, large, SCENE, &frame, error), "restored (%s)", error);
    check_near(frame, 2, 0, "frames done");
    check_near((double)mote_particle_count(large), 0, 0, "particles");
    mote_world_destroy(large);
    mote_world_destroy(small);
}

static void every_cut_is_noticed(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    add_particle(world, vec(0, 1, 0), vec(1, 0, 0), (mote_material_id){0});
    write_or_fail(world, FRAME);
    size_t size;
    unsigned char *bytes = load_file(&size);
    for (size_t kept = 0; kept < size; kept++) {
        store_file(bytes, kept);
        check_refused(world, SCENE, "cut short");
    }
    bytes[size] = 0; /* read_all() leaves room for one more */
    store_file(bytes, size + 1);
    check_refused(world, SCENE, "1 bytes too many");
    free(bytes);
    mote_world_destroy(world);
}

static void every_changed_byte_is_noticed(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    add_particle(world, vec(0, 1, 0), vec(1, 0, 0), (mote_material_id){0});
    write_or_fail(world, FRAME);
    size_t size;
    unsigned char *bytes = load_file(&size);
    for (size_t i = 0; i < size; i++) {
        const char *word = i < 8               ? "not a checkpoint"
                           : i < 12            ? "version"
                           : i >= 24 && i < 32 ? "bytes"
                                               : "checksum";
        static const unsigned char flips[] = {0x01, 0x80, 0xFF};
        for (size_t k = 0; k < sizeof flips; k++) {
            bytes[i] ^= flips[k];
            store_file(bytes, size);
            check_refused(world, SCENE, word);
            bytes[i] ^= flips[k];
        }
    }
    store_file(bytes, size);
    char error[CHECKPOINT_ERROR] = "";
    uint32_t frame = 0;
    check_true(checkpoint_restore(path, world, SCENE, &frame, error), "undamaged it is taken (%s)", error);
    free(bytes);
    mote_world_destroy(world);
}

static void other_scenes_and_versions_are_refused(void **state)
{
    (void)state;
    mote_world *world = moving_world(1);
    write_or_fail(world, FRAME);
    check_refused(world, SCENE + 1, "another scene");
    size_t size;
    unsigned char *bytes = load_file(&size);
    header h;
    memcpy(&h, bytes, sizeof h);
    h.version = 7;
    h.checksum = checksum_of(&h, bytes + sizeof h);
    memcpy(bytes, &h, sizeof h);
    store_file(bytes, size);
    check_refused(world, SCENE, "version 7");
    free(bytes);
    mote_world_destroy(world);
}

/* A checkpoint whose bytes all fit may still hold what the library refuses. */
static void a_bad_snapshot_is_named(void **state)
{
    (void)state;
    mote_world *world = moving_world(1);
    struct {
        header h;
        uint64_t nonsense[4];
    } file = {.h = {.magic = MAGIC, .version = VERSION, .scene_hash = SCENE, .snapshot_size = 32}};
    file.h.checksum = checksum_of(&file.h, file.nonsense);
    store_file(&file, sizeof file);
    check_refused(world, SCENE, "cannot be restored");
    mote_world_destroy(world);
}

static void what_is_no_file_is_named(void **state)
{
    (void)state;
    mote_world *world = test_world(NULL);
    check_refused(world, SCENE, "No such file");
    assert_int_equal(mkdir(path, 0777), 0);
    check_refused(world, SCENE, "cannot read");
    char error[CHECKPOINT_ERROR] = "";
    check_true(!checkpoint_write(path, world, SCENE, 0, error), "a folder is no file to write");
    check_true(strstr(error, path) != NULL, "the text names it: %s", error);
    assert_int_equal(rmdir(path), 0);
    mote_world_destroy(world);
}

#define in_a_folder(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_a_folder(goes_on_with_the_same_bits),
        in_a_folder(replaces_the_last_one),
        in_a_folder(every_cut_is_noticed),
        in_a_folder(every_changed_byte_is_noticed),
        in_a_folder(other_scenes_and_versions_are_refused),
        in_a_folder(a_bad_snapshot_is_named),
        in_a_folder(what_is_no_file_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
