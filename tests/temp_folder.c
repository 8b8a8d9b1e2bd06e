#define _POSIX_C_SOURCE 200809L
#include "temp_folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char temp_folder[64];

int temp_folder_make(void **state)
{
    (void)state;
    snprintf(temp_folder, sizeof temp_folder, "/tmp/mote-test-XXXXXX");
    return mkdtemp(temp_folder) == NULL;
}

void temp_remove(const char *folder)
{
    DIR *list = opendir(folder);
    for (struct dirent *item = list == NULL ? NULL : readdir(list); item != NULL; item = readdir(list)) {
        char below[1024];
        snprintf(below, sizeof below, "%s/%s", folder, item->d_name);
        if (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0)
            continue;
        if (unlink(below) != 0)
            temp_remove(below);
    }
    if (list != NULL)
        closedir(list);
    rmdir(folder);
}

int temp_folder_remove(void **state)
{
    (void)state;
    temp_remove(temp_folder);
    return 0;
}

const char *temp_path(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", temp_folder, name);
    return path;
}

char *temp_bytes(const char *name, size_t *size)
{
    FILE *file = fopen(temp_path(name), "rb");
    if (file == NULL)
        return NULL;
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    bytes[*size] = '\0';
    fclose(file);
    return bytes;
}

size_t temp_files_with(const char *part_of_name)
{
    size_t count = 0;
    DIR *list = opendir(temp_folder);
    assert_non_null(list);
    for (struct dirent *item = readdir(list); item != NULL; item = readdir(list))
        count += strstr(item->d_name, part_of_name) != NULL;
    closedir(list);
    return count;
}
