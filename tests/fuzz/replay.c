/* Runs a fuzz target over kept inputs, in builds without libFuzzer: every file that is named, and every file of
 * every folder that is named. A folder that is not there has no inputs. */
#define _POSIX_C_SOURCE 200809L
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static size_t played;

static bool fail(const char *path)
{
    fprintf(stderr, "cannot read '%s': %s\n", path, strerror(errno));
    return false;
}

static bool play_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return fail(path);
    /* Exactly as large as the input, so that reading past its end is seen. */
    uint8_t *data = malloc(size > 0 ? size : 1);
    bool whole = data != NULL && fread(data, 1, size, file) == size;
    fclose(file);
    if (whole) {
        printf("%s\n", path);
        fflush(stdout);
        LLVMFuzzerTestOneInput(data, size);
        played++;
    }
    free(data);
    return whole || fail(path);
}

static bool play(const char *path);

static bool play_folder(const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    if (count < 0)
        return fail(path);
    bool good = true;
    for (int i = 0; i < count; i++) {
        char inside[4096];
        snprintf(inside, sizeof inside, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            good = play(inside) && good;
        free(entries[i]);
    }
    free(entries);
    return good;
}

static bool play(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return errno == ENOENT || fail(path);
    return S_ISDIR(info.st_mode) ? play_folder(path) : play_file(path, (size_t)info.st_size);
}

int main(int argc, char **argv)
{
    bool good = true;
    for (int i = 1; i < argc; i++)
        good = play(argv[i]) && good;
    printf("%zu inputs\n", played);
    if (played == 0)
        fprintf(stderr, "there was nothing to play\n");
    return good && played > 0 ? 0 : 1;
}
