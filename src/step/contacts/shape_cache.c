#include "step/contacts/shape_cache.h"

#include "step/scratch.h"
#include "world/check.h"

/* What is remembered is about places, not particles, so it does not matter who is in a slot by now. */
static bool is_cache_good(const mote_world *world, uint32_t slices)
{
    const mt_scratch *s = world->scratch;
    return world->placement.moving.count == 0 && s->shapes.cache_edits == world->shape_edits &&
           slices <= s->shapes.cache_slices && s->shapes.candidates_used < s->shapes.candidates.capacity;
}

mote_result mt_shape_cache_prepare(mote_world *world)
{
    mt_scratch *s = world->scratch;
    uint32_t slices = mt_slice_count(world->particles.count), used = atomic_load(&s->shapes.candidates_used);
    if (world->placement.standing.count + world->placement.moving.count == 0 || is_cache_good(world, slices))
        return MOTE_OK;
    MT_TRY(mt_array_reserve(&s->shapes.candidates, &world->memory, 4 * (size_t)slices + 2 * (size_t)used, 0));
    for (uint32_t i = 0; i < slices; i++)
        ((mt_shape_cache *)s->shapes.cache.data)[i] = (mt_shape_cache){0};
    atomic_store(&s->shapes.candidates_used, 0);
    s->shapes.cache_edits = world->shape_edits;
    s->shapes.cache_slices = slices;
    return MOTE_OK;
}
