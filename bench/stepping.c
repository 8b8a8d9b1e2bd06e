#include "stepping.h"

#include "tools/command.h"

#include <stdlib.h>

bool bench_succeeded(mote_result result)
{
    if (result != MOTE_OK)
        complain("bench: %s", library_error(result));
    return result == MOTE_OK;
}

bool bench_step(mote_world *world, float dt, uint32_t frames)
{
    for (uint32_t i = 0; i < frames; i++)
        if (!bench_succeeded(mote_world_step(world, dt)))
            return false;
    return true;
}

bool state_keep(const mote_world *world, kept_state *state)
{
    size_t capacity = mote_snapshot_size(world);
    state->bytes = malloc(capacity);
    if (state->bytes == NULL) {
        complain("bench: no memory for a snapshot of %zu bytes", capacity);
        return false;
    }
    return bench_succeeded(mote_snapshot_take(world, state->bytes, capacity, &state->size));
}

bool state_restore(mote_world *world, const kept_state *state)
{
    return bench_succeeded(mote_snapshot_restore(world, state->bytes, state->size));
}

void state_free(kept_state *state)
{
    free(state->bytes);
    *state = (kept_state){0};
}
