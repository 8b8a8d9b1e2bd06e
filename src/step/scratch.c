#include "step/scratch.h"

#include "base/point_grid.h"
#include "step/fluid/stir.h"
#include "step/fluid/viscosity.h"
#include "step/kernels.h"
#include "step/neighbors/neighbors.h"
#include "world/check.h"

#include <stddef.h>
#include <string.h>

/* How much room an array has before a step begins. */
typedef enum room { THEIRS, SLOT, SLICE, BLOCK, LIQUID_SLOT, LIQUID_SLICE, BODY_SLICE, SHAPE, ROOMS } room;

typedef struct scratch_array {
    size_t offset; /* of its mt_array in mt_scratch */
    size_t element;
    room room;
} scratch_array;

static const scratch_array arrays[] = {
#define ARRAY(field, element, room) {offsetof(mt_scratch, field), sizeof(element), room},
#include "step/scratch.inl"
#undef ARRAY
};

#define ARRAYS (sizeof arrays / sizeof arrays[0])

static mt_array *array_at(mt_scratch *s, const scratch_array *array)
{
    return (mt_array *)(void *)((char *)s + array->offset);
}

mote_result mt_scratch_create(mote_world *world)
{
    mt_scratch *s = mt_allocate(&world->memory, sizeof *s);
    if (s == NULL)
        return MOTE_ERROR_MEMORY;
    memset(s, 0, sizeof *s);
    for (size_t i = 0; i < ARRAYS; i++)
        mt_array_init(array_at(s, &arrays[i]), arrays[i].element);
    world->scratch = s;
    world->kernels = mt_kernels_of(world->simd);
    return MOTE_OK;
}

void mt_scratch_destroy(mote_world *world)
{
    mt_scratch *s = world->scratch;
    if (s == NULL)
        return;
    for (size_t i = 0; i < ARRAYS; i++)
        mt_array_free(array_at(s, &arrays[i]), &world->memory);
    mt_release(&world->memory, s, sizeof *s);
    world->scratch = NULL;
}

mote_result mt_scratch_reserve(mote_world *world)
{
    mt_scratch *s = world->scratch;
    size_t slices = (size_t)mt_slice_count(world->particles.count) + 1;
    size_t slots = slices * MT_SLICE + MT_RANK_PADDING;
    bool liquids = mt_any_fluid(world), bodies = world->bodies.count > 0;
    const size_t needed[ROOMS] = {
        [SLOT] = slots,
        [SLICE] = slices,
        [BLOCK] = mt_block_count((uint32_t)slices) + 1,
        [LIQUID_SLOT] = liquids ? slots : 0,
        [LIQUID_SLICE] = liquids ? slices : 0,
        [BODY_SLICE] = bodies ? slices : 0,
        [SHAPE] = world->shapes.count,
    };
    for (size_t i = 0; i < ARRAYS; i++)
        MT_TRY(mt_array_reserve(array_at(s, &arrays[i]), &world->memory, needed[arrays[i].room], 0));
    MT_TRY(mt_stale_reserve(world));
    MT_TRY(mt_viscosity_reserve(world, slots));
    return mt_array_reserve(&s->shapes.rows, &world->memory, slices / 4 + 64, 0);
}
