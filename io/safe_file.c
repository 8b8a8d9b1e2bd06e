#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE   700 /* realpath */
#include "io/safe_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Small appends are gathered up to this many bytes. */
#define BUFFER_SIZE ((size_t)1 << 18)

struct safe_file {
    char *path;   /* as the caller wrote it, for texts */
    char *target; /* the file that is replaced */
    char *part;   /* where the bytes go meanwhile; NULL if the target is a device, which cannot be replaced */
    int fd;
    int fault; /* errno of the first append that failed; 0: none did */
    size_t used;
    unsigned char buffer[BUFFER_SIZE];
};

static bool complain(char *error, size_t size, const char *path, int code)
{
    char reason[128] = "";
    if (strerror_r(code, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", code);
    if (error != NULL && size > 0)
        snprintf(error, size, "cannot write '%s': %s", path, reason);
    return false;
}

static void release(safe_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    free(file->path);
    free(file->target);
    free(file->part);
    free(file);
}

/* Fills in target and part. Where the path leads to something that is neither a file, a folder nor a link (a device,
 * a pipe) a rename would destroy it, so that is written to directly. */
static bool find_target(safe_file *file, bool follow)
{
    struct stat info;
    bool exists = (follow ? stat : lstat)(file->path, &info) == 0;
    if (exists && S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        return false;
    }
    file->target = exists && follow ? realpath(file->path, NULL) : strdup(file->path);
    if (file->target == NULL)
        return false;
    if (exists && !S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode))
        return true;
    size_t length = strlen(file->target);
    file->part = malloc(length + sizeof SAFE_FILE_SUFFIX);
    if (file->part == NULL) {
        errno = ENOMEM;
        return false;
    }
    memcpy(file->part, file->target, length);
    memcpy(file->part + length, SAFE_FILE_SUFFIX, sizeof SAFE_FILE_SUFFIX);
    return true;
}

static bool open_target(safe_file *file)
{
    if (file->part == NULL) {
        file->fd = open(file->target, O_WRONLY | O_CLOEXEC);
    } else {
        /* What a crashed run left is of no use; made anew, it is surely not a link to somewhere else. */
        unlink(file->part);
        file->fd = open(file->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    return file->fd >= 0;
}

static safe_file *open_file(const char *path, bool follow, char *error, size_t error_size)
{
    safe_file *file = malloc(sizeof *file);
    if (file == NULL) {
        complain(error, error_size, path, ENOMEM);
        return NULL;
    }
    file->path = strdup(path);
    file->target = NULL;
    file->part = NULL;
    file->fd = -1;
    file->fault = 0;
    file->used = 0;
    if (file->path == NULL || !find_target(file, follow) || !open_target(file)) {
        complain(error, error_size, path, errno);
        release(file);
        return NULL;
    }
    return file;
}

safe_file *safe_file_open(const char *path, char *error, size_t error_size)
{
    return open_file(path, true, error, error_size);
}

safe_file *safe_file_open_own(const char *path, char *error, size_t error_size)
{
    return open_file(path, false, error, error_size);
}

static void write_out(safe_file *file, const unsigned char *bytes, size_t size)
{
    while (size > 0 && file->fault == 0) {
        ssize_t written = write(file->fd, bytes, size);
        if (written >= 0) {
            bytes += written;
            size -= (size_t)written;
        } else if (errno != EINTR) {
            file->fault = errno;
        }
    }
}

static void flush_buffer(safe_file *file)
{
    write_out(file, file->buffer, file->used);
    file->used = 0;
}

bool safe_file_append(safe_file *file, const void *data, size_t size)
{
    if (size > BUFFER_SIZE - file->used)
        flush_buffer(file);
    if (size > BUFFER_SIZE) {
        write_out(file, data, size);
    } else if (size > 0) {
        memcpy(file->buffer + file->used, data, size);
        file->used += size;
    }
    return file->fault == 0;
}

/* Some file systems and all pipes have nothing to bring to a disk; that is no fault. */
static int sync_fault(int fd)
{
    if (fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS)
        return 0;
    return errno;
}

/* The new name is safe only when the folder is on the disk as well. A folder that may not be read can still be
 * written to; then this is left out. */
static int sync_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash == NULL ? strdup(".") : strndup(path, slash == path ? 1 : (size_t)(slash - path));
    if (folder == NULL)
        return ENOMEM;
    int fault = 0, fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fault = sync_fault(fd);
        close(fd);
    }
    free(folder);
    return fault;
}

bool safe_file_commit(safe_file *file, char *error, size_t error_size)
{
    flush_buffer(file);
    int fault = file->fault;
    if (fault == 0)
        fault = sync_fault(file->fd);
    /* Some file systems over a network only notice a full disk here. */
    if (close(file->fd) != 0 && fault == 0)
        fault = errno;
    file->fd = -1;
    if (file->part != NULL) {
        if (fault == 0 && rename(file->part, file->target) != 0)
            fault = errno;
        if (fault == 0)
            fault = sync_folder(file->target);
        else
            unlink(file->part);
    }
    bool written = fault == 0 || complain(error, error_size, file->path, fault);
    release(file);
    return written;
}

void safe_file_abort(safe_file *file)
{
    if (file == NULL)
        return;
    if (file->part != NULL)
        unlink(file->part);
    release(file);
}

bool safe_file_write(const char *path, const void *data, size_t size, char *error, size_t error_size)
{
    safe_file *file = safe_file_open(path, error, error_size);
    if (file == NULL)
        return false;
    safe_file_append(file, data, size);
    return safe_file_commit(file, error, error_size);
}
