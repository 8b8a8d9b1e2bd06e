/* Work in a process of its own, with limits of time and memory: for readers of others' making, which damaged
 * files can bring down. The child works and sends what it found through a pipe; whatever else becomes of it
 * is a reason why there is no answer. */
#ifndef MOTE_IO_APART_H
#define MOTE_IO_APART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define APART_ERROR 512

typedef struct apart_limits {
    uint32_t cpu_seconds; /* that the work may take, 1 or more */
    size_t memory;        /* bytes that it may take beyond what the program has */
} apart_limits;

/* One end of the pipe. */
typedef struct apart_pipe {
    int fd;
    double deadline; /* on the clock, s; of the receiving end only */
} apart_pipe;

/* All of it, or false. */
bool apart_send(const apart_pipe *pipe, const void *data, size_t size);
bool apart_receive(const apart_pipe *pipe, void *data, size_t size);

typedef enum apart_outcome {
    APART_DONE,    /* the answer is there and sound */
    APART_REFUSED, /* the child, or this side, gave a reason why not */
    APART_ASTRAY   /* no answer, or nonsense */
} apart_outcome;

typedef struct apart_job {
    void *context;
    /* In the child: works and sends; false if it cannot be sent. What it changes the parent does not see. */
    bool (*work)(void *context, const apart_pipe *out);
    /* In the parent: takes what is sent. A child that went astray may send anything. A text in `error`
     * belongs to APART_REFUSED. */
    apart_outcome (*receive)(void *context, const apart_pipe *in, char error[APART_ERROR]);
} apart_job;

/* True if the answer was APART_DONE; else a text in `error` says why, without naming the file. */
bool apart_run(const apart_job *job, const apart_limits *limits, char error[APART_ERROR]);

#endif
