/* What the benchmarks do with worlds alike: steps that complain, and states to go back to. */
#ifndef MOTE_BENCH_STEPPING_H
#define MOTE_BENCH_STEPPING_H

#include "mote/mote.h"

/* All say on stderr what went wrong before they answer false. */

bool bench_succeeded(mote_result result);
bool bench_step(mote_world *world, float dt, uint32_t frames);

typedef struct kept_state {
    void *bytes;
    size_t size;
} kept_state;

/* Start with {0}. */
bool state_keep(const mote_world *world, kept_state *state);
bool state_restore(mote_world *world, const kept_state *state);
void state_free(kept_state *state);

#endif
