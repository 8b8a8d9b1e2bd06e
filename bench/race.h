/* The falling column, run by several contestants in turns, round by round, so that a slow minute of the machine
 * hits everyone. */
#ifndef MOTE_BENCH_RACE_H
#define MOTE_BENCH_RACE_H

#include "column.h"
#include "peer.h"
#include "suite.h"

typedef struct column_race {
    const char *name; /* of the benchmark */
    uint32_t particles;
    column_run runs[BENCH_LIST_CAPACITY]; /* Mote, one run for each thread count */
    size_t run_count;
    const column_peer *peer; /* NULL: none */
    void *peer_column;
} column_race;

/* Runs the race; false on failure, stderr says why. Either way it is to be ended. It also fails when the runs
 * of Mote do not end with the same bits. */
bool race_run(column_race *race, const char *name, uint32_t particles, const column_peer *peer,
              const bench_options *options);
void race_end(column_race *race);

/* The sizes that the user gave, or ten thousand, a hundred thousand and a million; rising. */
bench_list race_sizes(const bench_options *options);

#endif
