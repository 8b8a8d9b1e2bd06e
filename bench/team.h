/* A few threads that do the same work at the same time, timed together. */
#ifndef MOTE_BENCH_TEAM_H
#define MOTE_BENCH_TEAM_H

#include "sampling.h"

#include <stdint.h>

/* What thread `member` of `size` does. */
typedef void team_work(void *context, uint32_t member, uint32_t size);

/* Every thread prepares once (touch memory, warm caches; may be NULL), then all work `passes` times, starting
 * together. A pass lasts from the first start to the last end; its milliseconds are added to `times_ms`. False
 * when there are no threads or no memory left. */
bool team_run(uint32_t size, uint32_t passes, team_work *prepare, team_work *work, void *context,
              sample_set *times_ms);

#endif
