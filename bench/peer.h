/* Another engine that can run the scene `grains-column`, in the same frames as Mote. */
#ifndef MOTE_BENCH_PEER_H
#define MOTE_BENCH_PEER_H

#include "report.h"

typedef struct column_peer {
    const char *name; /* "Bullet" */

    /* Makes the column and steps it up to COLUMN_BUSY_FRAME. NULL on failure; stderr says why. */
    void *(*begin)(uint32_t particles);
    /* Steps and measures; false on failure, stderr says why. */
    bool (*measure)(void *column, uint32_t frames);
    report_run (*report)(void *column, const char *name);
    void (*end)(void *column); /* NULL is fine */
} column_peer;

#ifdef MOTE_WITH_BULLET
extern const column_peer bullet_column_peer;
#endif

#endif
