/* Membership: which bodies each particle is in, by the index of its handle, made from the links. */
#include "world/bodies.h"
#include "world/check.h"

#include <string.h>

void mt_membership_init(mt_membership *m)
{
    mt_array_init(&m->of, sizeof(uint32_t));
    mt_array_init(&m->shared, sizeof(mt_shared));
    mt_array_init(&m->shared_bodies, sizeof(uint32_t));
    m->count = m->shared_count = 0;
    m->valid = true;
}

void mt_membership_free(mt_membership *m, mt_memory *memory)
{
    mt_array_free(&m->of, memory);
    mt_array_free(&m->shared, memory);
    mt_array_free(&m->shared_bodies, memory);
}

mote_result mt_membership_reserve(mote_world *world, size_t more_links, uint32_t handles)
{
    mt_membership *m = &world->membership;
    size_t links = world->link_count + more_links;
    MT_TRY(mt_array_reserve(&m->shared, &world->memory, links / 2 + 1, m->shared_count));
    MT_TRY(mt_array_reserve(&m->shared_bodies, &world->memory, links, m->shared_bodies.capacity));
    MT_TRY(mt_array_reserve(&m->of, &world->memory, handles, m->count));
    if (handles > m->count) {
        memset((uint32_t *)m->of.data + m->count, 0, (handles - m->count) * sizeof(uint32_t));
        m->count = handles;
    }
    return MOTE_OK;
}

/* Counts how many bodies each particle is in: the number, or the one body + 1. */
static void count_bodies(mote_world *world)
{
    mt_membership *m = &world->membership;
    uint32_t *of = m->of.data;
    if (m->count > 0)
        memset(of, 0, m->count * sizeof *of);
    m->shared_count = 0;
    for (uint32_t b = 0; b < world->bodies.count; b++) {
        const mt_body *body = &mt_bodies(world)[b];
        for (uint32_t k = 0; k < body->link_count; k++) {
            uint32_t index = mt_links(world)[body->first_link + k].particle.index;
            if (of[index] == 0)
                of[index] = b + 1;
            else {
                mt_shared *shared = m->shared.data;
                if (of[index] < MT_SHARED) {
                    shared[m->shared_count] = (mt_shared){index, 0, 1};
                    of[index] = MT_SHARED | m->shared_count++;
                }
                shared[of[index] & ~MT_SHARED].bodies++;
            }
        }
    }
}

static void list_shared_bodies(mote_world *world)
{
    mt_membership *m = &world->membership;
    const uint32_t *of = m->of.data;
    mt_shared *shared = m->shared.data;
    uint32_t next = 0;
    for (uint32_t k = 0; k < m->shared_count; k++) {
        shared[k].first_body = next;
        next += shared[k].bodies;
        shared[k].bodies = 0;
    }
    for (uint32_t b = 0; b < world->bodies.count; b++) {
        const mt_body *body = &mt_bodies(world)[b];
        for (uint32_t k = 0; k < body->link_count; k++) {
            uint32_t entry = of[mt_links(world)[body->first_link + k].particle.index];
            if (entry < MT_SHARED)
                continue;
            mt_shared *s = &shared[entry & ~MT_SHARED];
            ((uint32_t *)m->shared_bodies.data)[s->first_body + s->bodies++] = b;
        }
    }
}

void mt_membership_build(mote_world *world)
{
    mt_membership *m = &world->membership;
    if (m->valid)
        return;
    count_bodies(world);
    list_shared_bodies(world);
    m->valid = true;
}

uint32_t mt_membership_of(const mote_world *world, uint32_t particle, mt_member *member)
{
    const mt_membership *m = &world->membership;
    uint32_t entry = particle < m->count ? ((const uint32_t *)m->of.data)[particle] : 0;
    *member = (mt_member){NULL, entry - 1};
    if (entry < MT_SHARED)
        return entry != 0;
    const mt_shared *shared = (const mt_shared *)m->shared.data + (entry & ~MT_SHARED);
    member->bodies = (const uint32_t *)m->shared_bodies.data + shared->first_body;
    return shared->bodies;
}
