#define _POSIX_C_SOURCE 200809L
#include "io/input_file.h"

#include <assimp/cimport.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

const char *input_file_fault(const char *path, size_t *size)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return strerror(errno);
    if (S_ISDIR(info.st_mode))
        return "it is a folder";
    /* A pipe would be waited for without end. */
    if (!S_ISREG(info.st_mode))
        return "it is not a file";
    if (info.st_size == 0)
        return "it is empty";
    /* What is on the disk: the holes of a sparse file say nothing, and would be waited for an hour. */
    size_t stored = (size_t)info.st_blocks * 512;
    *size = stored < (size_t)info.st_size ? stored : (size_t)info.st_size;
    return NULL;
}

apart_limits input_file_limits(size_t size, uint32_t seconds)
{
    size_t megabytes = size >> 20;
    return (apart_limits){.cpu_seconds = seconds + (uint32_t)(megabytes < 3600 ? megabytes : 3600),
                          .memory = ((size_t)2 << 30) + 256 * size};
}

void input_file_complain(char *error, size_t error_size, const char *kind, const char *path, const char *reason)
{
    snprintf(error, error_size, "cannot read the %s file '%.200s': %.250s", kind, path, reason);
}

void assimp_fault(char *reason, size_t reason_size, const char *otherwise)
{
    const char *text = aiGetErrorString();
    bool silent = text == NULL || text[0] == '\0';
    /* C++'s own word for it says nothing to who wants to read a file. */
    bool no_memory = !silent && strstr(text, "bad_alloc") != NULL;
    snprintf(reason, reason_size, "%s", silent ? otherwise : no_memory ? "it needs too much memory" : text);
    for (char *at = reason; *at != '\0'; at++)
        if ((unsigned char)*at < ' ')
            *at = ' ';
}
