#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE   700 /* RLIMIT_AS */
#include "io/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
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
static void settle_in(const apart_limits *limits)
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

bool apart_send(const apart_pipe *out, const void *data, size_t size)
{
    const char *bytes = data;
    while (size > 0) {
        ssize_t sent = write(out->fd, bytes, size);
        if (sent < 0 && errno != EINTR)
            return false;
        if (sent > 0) {
            bytes += sent;
            size -= (size_t)sent;
        }
    }
    return true;
}

/* Whoever asked may be killed: then nobody waits for the answer. */
static void end_with(pid_t parent)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent)
        _exit(1);
}

/* Ends without the program's own endings (files to flush, leaks to look for), which are the parent's. */
static _Noreturn void run_child(const apart_job *job, const apart_limits *limits, pid_t parent, int out)
{
    end_with(parent);
    settle_in(limits);
    apart_pipe end = {.fd = out};
    _exit(job->work(job->context, &end) ? 0 : 1);
}

/* ---- the parent ----------------------------------------------------------------------------------------- */

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* False if the pipe ends before, or the time. */
bool apart_receive(const apart_pipe *in, void *data, size_t size)
{
    char *bytes = data;
    while (size > 0) {
        double left = in->deadline - seconds_now();
        if (left <= 0)
            return false;
        struct pollfd wait = {.fd = in->fd, .events = POLLIN};
        int ready = poll(&wait, 1, left < 1 ? (int)(left * 1000) + 1 : 1000);
        if (ready < 0 && errno != EINTR)
            return false;
        if (ready <= 0)
            continue;
        ssize_t got = read(in->fd, bytes, size);
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
            return false;
        if (got > 0) {
            bytes += got;
            size -= (size_t)got;
        }
    }
    return true;
}

/* Why a child that sent no answer did not. */
static void explain(int status, bool reaped, const apart_limits *limits, char error[APART_ERROR])
{
    if (reaped && WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
        snprintf(error, APART_ERROR, "reading took more than %u s; it is damaged or too large",
                 limits->cpu_seconds);
    else if (reaped && WIFSIGNALED(status))
        snprintf(error, APART_ERROR, "it is damaged: the reader crashed over it (signal %d)", WTERMSIG(status));
    else
        snprintf(error, APART_ERROR, "it is damaged: the reader gave up on it");
}

bool apart_run(const apart_job *job, const apart_limits *limits, char error[APART_ERROR])
{
    int ends[2];
    if (pipe(ends) != 0) {
        snprintf(error, APART_ERROR, "no pipe to a reader: %s", strerror(errno));
        return false;
    }
    pid_t parent = getpid(), child = fork();
    if (child == 0)
        run_child(job, limits, parent, ends[1]);
    int fault = errno;
    close(ends[1]);
    apart_outcome came = APART_REFUSED;
    if (child < 0) {
        snprintf(error, APART_ERROR, "no process for a reader: %s", strerror(fault));
    } else {
        /* Time on the clock as well, for what waits without working; on a busy machine work may be slow. */
        apart_pipe in = {.fd = ends[0], .deadline = seconds_now() + 10.0 + 10.0 * limits->cpu_seconds};
        came = job->receive(job->context, &in, error);
        /* One that has ended is not reaped yet, so that the number is surely still its own. */
        if (came != APART_DONE)
            kill(child, SIGKILL);
        int status = 0;
        pid_t reaped;
        do
            reaped = waitpid(child, &status, 0);
        while (reaped < 0 && errno == EINTR);
        if (came == APART_ASTRAY)
            explain(status, reaped == child, limits, error);
    }
    close(ends[0]);
    return came == APART_DONE;
}
