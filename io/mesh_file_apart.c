/* Reading in a process of its own. The child reads the mesh and sends it through a pipe; whatever else becomes
 * of it is a reason why the file could not be read. */
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE   700 /* RLIMIT_AS */
#include "io/mesh_file_import.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Sanitizers take terabytes of addresses, and what they print must be seen. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UNDER_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define UNDER_SANITIZER 1
#endif
#endif
#ifndef UNDER_SANITIZER
#define UNDER_SANITIZER 0
#endif

/* What comes through the pipe before the arrays. */
typedef struct message {
    uint64_t magic;
    uint64_t vertex_count, triangle_count; /* both 0: it could not be read, for the reason in `error` */
    char error[MESH_FILE_ERROR];
} message;

#define MAGIC 0x6d6f74656d657368u

/* ---- the child ------------------------------------------------------------------------------------------ */

static void limit(int resource, rlim_t value)
{
    struct rlimit both = {value, value};
    setrlimit(resource, &both);
}

/* Bytes of addresses in use; 0 if that cannot be known. */
static size_t addresses_in_use(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL)
        return 0;
    if (fscanf(file, "%lu", &pages) != 1)
        pages = 0;
    fclose(file);
    return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* The program's own ways with signals, its limits and its error output are not the child's. */
static void settle_in(const mesh_limits *limits)
{
    static const int deadly[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGXCPU};
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly && !UNDER_SANITIZER; i++)
        signal(deadly[i], SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, limits->cpu_seconds);
    if (UNDER_SANITIZER)
        return;
    limit(RLIMIT_AS, (rlim_t)(addresses_in_use() + limits->memory));
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0)
        dup2(nowhere, STDERR_FILENO);
}

static bool send_all(int fd, const void *data, size_t size)
{
    const char *bytes = data;
    while (size > 0) {
        ssize_t sent = write(fd, bytes, size);
        if (sent < 0 && errno != EINTR)
            return false;
        if (sent > 0) {
            bytes += sent;
            size -= (size_t)sent;
        }
    }
    return true;
}

/* Ends without the program's own endings (files to flush, leaks to look for), which are the parent's. */
static _Noreturn void run_child(const mesh_source *source, const mesh_limits *limits, int out)
{
    settle_in(limits);
    mesh_file mesh;
    message head = {.magic = MAGIC};
    if (mesh_import(source, &mesh, head.error)) {
        head.vertex_count = mesh.vertex_count;
        head.triangle_count = mesh.triangle_count;
    }
    bool sent = send_all(out, &head, sizeof head) &&
                send_all(out, mesh.vertices, mesh.vertex_count * sizeof *mesh.vertices) &&
                send_all(out, mesh.triangles, 3 * mesh.triangle_count * sizeof *mesh.triangles);
    _exit(sent ? 0 : 1);
}

/* ---- the parent ----------------------------------------------------------------------------------------- */

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* False if the pipe ends before, or the time. */
static bool receive_all(int fd, void *data, size_t size, double deadline)
{
    char *bytes = data;
    while (size > 0) {
        double left = deadline - seconds_now();
        if (left <= 0)
            return false;
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        int ready = poll(&wait, 1, left < 1 ? (int)(left * 1000) + 1 : 1000);
        if (ready < 0 && errno != EINTR)
            return false;
        if (ready <= 0)
            continue;
        ssize_t got = read(fd, bytes, size);
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
            return false;
        if (got > 0) {
            bytes += got;
            size -= (size_t)got;
        }
    }
    return true;
}

static bool within_limits(float coordinate)
{
    return coordinate >= -MESH_FILE_COORDINATE && coordinate <= MESH_FILE_COORDINATE;
}

/* A child that went astray may send anything. */
static bool sound(const mesh_file *mesh)
{
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        mote_vec3 v = mesh->vertices[i];
        if (!within_limits(v.x) || !within_limits(v.y) || !within_limits(v.z))
            return false;
    }
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++)
        if (mesh->triangles[i] >= mesh->vertex_count)
            return false;
    return true;
}

typedef enum outcome { OUTCOME_READ, OUTCOME_REFUSED, OUTCOME_ASTRAY } outcome;

static outcome receive_mesh(int in, double deadline, mesh_file *mesh, char error[MESH_FILE_ERROR])
{
    message head;
    if (!receive_all(in, &head, sizeof head, deadline) || head.magic != MAGIC ||
        head.vertex_count > MESH_FILE_MAX_COUNT || head.triangle_count > MESH_FILE_MAX_COUNT)
        return OUTCOME_ASTRAY;
    if (head.vertex_count == 0 || head.triangle_count == 0) {
        head.error[MESH_FILE_ERROR - 1] = '\0';
        snprintf(error, MESH_FILE_ERROR, "%s", head.error);
        return OUTCOME_REFUSED;
    }
    mesh->vertex_count = (size_t)head.vertex_count;
    mesh->triangle_count = (size_t)head.triangle_count;
    mesh->vertices = malloc(mesh->vertex_count * sizeof *mesh->vertices);
    mesh->triangles = malloc(3 * mesh->triangle_count * sizeof *mesh->triangles);
    if (mesh->vertices == NULL || mesh->triangles == NULL) {
        snprintf(error, MESH_FILE_ERROR, "no memory for %zu vertices and %zu triangles", mesh->vertex_count,
                 mesh->triangle_count);
        return OUTCOME_REFUSED;
    }
    if (!receive_all(in, mesh->vertices, mesh->vertex_count * sizeof *mesh->vertices, deadline) ||
        !receive_all(in, mesh->triangles, 3 * mesh->triangle_count * sizeof *mesh->triangles, deadline) ||
        !sound(mesh))
        return OUTCOME_ASTRAY;
    return OUTCOME_READ;
}

/* Why a child that sent no answer did not. */
static void explain(int status, bool reaped, const mesh_limits *limits, char error[MESH_FILE_ERROR])
{
    if (reaped && WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
        snprintf(error, MESH_FILE_ERROR, "reading took more than %u s; it is damaged or too large",
                 limits->cpu_seconds);
    else if (reaped && WIFSIGNALED(status))
        snprintf(error, MESH_FILE_ERROR, "it is damaged: the reader crashed over it (signal %d)",
                 WTERMSIG(status));
    else
        snprintf(error, MESH_FILE_ERROR, "it is damaged: the reader gave up on it");
}

bool mesh_import_apart(const mesh_source *source, const mesh_limits *limits, mesh_file *mesh,
                       char error[MESH_FILE_ERROR])
{
    *mesh = (mesh_file){0};
    int ends[2];
    if (pipe(ends) != 0) {
        snprintf(error, MESH_FILE_ERROR, "no pipe to a reader: %s", strerror(errno));
        return false;
    }
    pid_t child = fork();
    if (child == 0)
        run_child(source, limits, ends[1]);
    int fault = errno;
    close(ends[1]);
    outcome came = OUTCOME_REFUSED;
    if (child < 0) {
        snprintf(error, MESH_FILE_ERROR, "no process for a reader: %s", strerror(fault));
    } else {
        /* Time on the clock as well, for what waits without working; on a busy machine work may be slow. */
        came = receive_mesh(ends[0], seconds_now() + 10.0 + 10.0 * limits->cpu_seconds, mesh, error);
        /* One that has ended is not reaped yet, so that the number is surely still its own. */
        if (came != OUTCOME_READ)
            kill(child, SIGKILL);
        int status = 0;
        pid_t reaped;
        do
            reaped = waitpid(child, &status, 0);
        while (reaped < 0 && errno == EINTR);
        if (came == OUTCOME_ASTRAY)
            explain(status, reaped == child, limits, error);
    }
    close(ends[0]);
    if (came != OUTCOME_READ)
        mesh_file_free(mesh);
    return came == OUTCOME_READ;
}
