/* Volumes: particles that kill volumes and bounds take away at the end of a step. */
#include "step/finish/finish.h"
#include "world/check.h"

#define BLOCK_SLOTS (MT_BLOCK * MT_SLICE)

bool mt_volume_contains(const mote_volume_def *volume, mote_vec4 x)
{
    return x.x >= volume->min.x && x.x <= volume->max.x && x.y >= volume->min.y && x.y <= volume->max.y &&
           x.z >= volume->min.z && x.z <= volume->max.z;
}

bool mt_volume_kills(const mote_volume_def *volume, mote_vec4 x)
{
    return volume->type == MOTE_VOLUME_KILL
               ? mt_volume_contains(volume, x)
               : volume->type == MOTE_VOLUME_BOUNDS && !mt_volume_contains(volume, x);
}

/* Marks the blocks where a particle dies, so that the rest need not be looked through again. */
static void mark_blocks(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    mote_world *world = context;
    uint32_t dying = 0;
    (void)worker;
    for (uint32_t i = begin; i < end; i++)
        for (uint32_t v = 0; v < world->volumes.count; v++)
            dying |= mt_volume_kills(&mt_volumes(world)[v].def, mt_positions(world)[i]);
    ((uint32_t *)world->scratch->block_bad.data)[begin / BLOCK_SLOTS] = dying;
}

static bool any_kills(const mote_world *world)
{
    for (uint32_t v = 0; v < world->volumes.count; v++)
        if (mt_volumes(world)[v].def.type != MOTE_VOLUME_TRIGGER)
            return true;
    return false;
}

static bool is_killed(const mote_world *world, uint32_t slot)
{
    for (uint32_t v = 0; v < world->volumes.count; v++)
        if (mt_volume_kills(&mt_volumes(world)[v].def, mt_positions(world)[slot]))
            return true;
    return false;
}

mote_result mt_volumes_judge(mote_world *world)
{
    mt_scratch *s = world->scratch;
    uint32_t count = world->particles.count;
    s->finish.killed_count = 0;
    if (!any_kills(world))
        return MOTE_OK;
    mt_parallel_for(&world->threads, count, BLOCK_SLOTS, mark_blocks, world);
    for (uint32_t begin = 0; begin < count; begin += BLOCK_SLOTS) {
        if (((const uint32_t *)s->block_bad.data)[begin / BLOCK_SLOTS] == 0)
            continue;
        uint32_t end = count - begin < BLOCK_SLOTS ? count : begin + BLOCK_SLOTS;
        MT_TRY(mt_array_reserve(&s->finish.killed, &world->memory, (size_t)s->finish.killed_count + BLOCK_SLOTS,
                                s->finish.killed_count));
        for (uint32_t i = begin; i < end; i++)
            if (is_killed(world, i))
                ((uint32_t *)s->finish.killed.data)[s->finish.killed_count++] = i;
    }
    return MOTE_OK;
}

/* From the last slot down, so that the particle that takes a freed slot is never one that dies as well. */
void mt_volumes_commit(mote_world *world)
{
    mt_scratch *s = world->scratch;
    for (uint32_t k = s->finish.killed_count; k > 0; k--)
        mt_particle_remove_slot(world, ((const uint32_t *)s->finish.killed.data)[k - 1]);
    if (s->finish.killed_count > 0)
        mt_particles_pad(world);
}
