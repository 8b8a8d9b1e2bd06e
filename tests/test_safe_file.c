/* Safe files: a file is the old one or the new one, and what cannot be written is said. */
#define _POSIX_C_SOURCE 200809L
#include "io/safe_file.h"
#include "support.h"
#include "temp_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void expect_file(const char *name, const char *content)
{
    size_t size;
    char *bytes = temp_bytes(name, &size);
    assert_non_null(bytes);
    assert_string_equal(bytes, content);
    free(bytes);
}

static void safe_files(void **state)
{
    (void)state;
    char error[256] = "", target[128];
    assert_true(safe_file_write(temp_path("a"), "old", 3, error, sizeof error));
    expect_file("a", "old");
    safe_file *file = safe_file_open(temp_path("a"), error, sizeof error);
    assert_non_null(file);
    assert_true(safe_file_append(file, "never", 5));
    safe_file_abort(file);
    safe_file_abort(NULL);
    expect_file("a", "old");
    check_near((double)temp_files_with(SAFE_FILE_SUFFIX), 0, 0, "unfinished files after giving up");

    /* What a crashed run left is in nobody's way, even if it is a link to something dear. */
    assert_int_equal(symlink("a", temp_path("b" SAFE_FILE_SUFFIX)), 0);
    assert_true(safe_file_write(temp_path("b"), "new", 3, error, sizeof error));
    expect_file("a", "old");
    expect_file("b", "new");

    /* A link stays one; the file behind it is replaced. */
    assert_int_equal(symlink("a", temp_path("link")), 0);
    assert_true(safe_file_write(temp_path("link"), "newer", 5, error, sizeof error));
    expect_file("a", "newer");
    check_true(readlink(temp_path("link"), target, sizeof target) == 1, "it is still a link");
    /* Not if the program made up its name: then somebody put the link there. */
    safe_file *own = safe_file_open_own(temp_path("link"), error, sizeof error);
    assert_non_null(own);
    safe_file_append(own, "own", 3);
    assert_true(safe_file_commit(own, error, sizeof error));
    check_true(readlink(temp_path("link"), target, sizeof target) < 0, "the link itself is replaced");

    check_true(!safe_file_write(temp_folder, "x", 1, error, sizeof error), "a folder is no file");
    check_true(strstr(error, temp_folder) != NULL && strstr(error, "directory") != NULL, "%s", error);
    check_true(!safe_file_write(temp_path("no/such"), "x", 1, error, sizeof error), "no such folder");
    check_true(strstr(error, temp_path("no/such")) != NULL && strstr(error, "No such file") != NULL, "%s",
               error);
    check_true(!safe_file_write(temp_path("a/below"), "x", 1, error, sizeof error), "below a file");
    check_true(strstr(error, "Not a directory") != NULL, "%s", error);

    /* Devices are written to, not replaced. */
    check_true(!safe_file_write("/dev/full", "x", 1, error, sizeof error), "a full device");
    check_true(strstr(error, "/dev/full") != NULL && strstr(error, "No space left") != NULL, "%s", error);
    check_true(safe_file_write("/dev/null", "x", 1, error, sizeof error), "%s", error);
    struct stat info;
    assert_int_equal(stat("/dev/null", &info), 0);
    check_true(S_ISCHR(info.st_mode), "the device is still one");
}

/* Appends of all sizes, around the size of the buffer too, come out in their order. */
static void long_files(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 100, 262143, 0, 1, 262144, 7, 262145, 1000000, 3, 262137};
    char error[256] = "";
    safe_file *file = safe_file_open(temp_path("long"), error, sizeof error);
    assert_non_null(file);
    unsigned char *block = malloc(1000000);
    assert_non_null(block);
    size_t total = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (size_t k = 0; k < sizes[i]; k++)
            block[k] = (unsigned char)((total + k) % 251);
        assert_true(safe_file_append(file, block, sizes[i]));
        total += sizes[i];
    }
    check_true(safe_file_commit(file, error, sizeof error), "%s", error);
    size_t size;
    char *bytes = temp_bytes("long", &size);
    check_near((double)size, (double)total, 0, "bytes");
    for (size_t k = 0; k < size; k++)
        if ((unsigned char)bytes[k] != k % 251)
            fail_msg("byte %zu is %d", k, (unsigned char)bytes[k]);
    free(bytes);
    free(block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_TEMP_FOLDER(safe_files),
        IN_TEMP_FOLDER(long_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
