/* Membership: which bodies each particle is in, by the index of its handle, made from the links. Small changes
 * are made in place, so that many bodies can come and go without all of it being made anew for each. */
#include "world/bodies.h"
#include "world/check.h"

#include <string.h>

void mt_membership_init(mt_membership *m)
{
    mt_array_init(&m->of, sizeof(uint32_t));
    mt_array_init(&m->shared, sizeof(mt_shared));
    mt_array_init(&m->shared_bodies, sizeof(uint32_t));
    m->count = m->shared_count = 0;
    m->valid = m->known = true;
    mt_joint_index_init(m);
}

void mt_membership_free(mt_membership *m, mt_memory *memory)
{
    mt_array_free(&m->of, memory);
    mt_array_free(&m->shared, memory);
    mt_array_free(&m->shared_bodies, memory);
    mt_joint_index_free(m, memory);
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
    return mt_joint_index_reserve(world);
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
    mt_joint_index_build(world);
    m->valid = m->known = true;
}

void mt_membership_know(mote_world *world)
{
    if (!world->membership.known)
        mt_membership_build(world);
}

static void forget(mt_membership *m)
{
    m->valid = m->known = false;
}

/* A particle of one body gets a second. The new entry is the last, as it is in the order of the links if the
 * body is the last too. */
static void become_shared(mote_world *world, uint32_t body, uint32_t particle)
{
    mt_membership *m = &world->membership;
    uint32_t *entry = (uint32_t *)m->of.data + particle, *bodies = m->shared_bodies.data;
    mt_shared *shared = m->shared.data;
    uint32_t other = *entry - 1, k = m->shared_count;
    uint32_t end = k > 0 ? shared[k - 1].first_body + shared[k - 1].bodies : 0;
    if (k >= m->shared.capacity || (size_t)end + 2 > m->shared_bodies.capacity) {
        forget(m); /* entries of no use fill it */
        return;
    }
    shared[k] = (mt_shared){particle, end, 2};
    bodies[end] = other < body ? other : body;
    bodies[end + 1] = other < body ? body : other;
    *entry = MT_SHARED | m->shared_count++;
    m->valid = m->valid && body + 1 == world->bodies.count;
}

void mt_membership_join(mote_world *world, uint32_t body, uint32_t particle)
{
    mt_membership *m = &world->membership;
    if (!m->known)
        return;
    uint32_t *entry = (uint32_t *)m->of.data + particle;
    if (*entry == 0)
        *entry = body + 1;
    else if (*entry < MT_SHARED)
        become_shared(world, body, particle);
    else
        forget(m); /* a third body is rare */
}

void mt_membership_leave(mote_world *world, uint32_t body, uint32_t particle)
{
    mt_membership *m = &world->membership;
    if (!m->known)
        return;
    uint32_t *entry = (uint32_t *)m->of.data + particle;
    if (*entry < MT_SHARED) {
        *entry = 0;
        return;
    }
    mt_shared *shared = (mt_shared *)m->shared.data + (*entry & ~MT_SHARED);
    uint32_t *bodies = (uint32_t *)m->shared_bodies.data + shared->first_body, kept = 0;
    for (uint32_t k = 0; k < shared->bodies; k++)
        if (bodies[k] != body)
            bodies[kept++] = bodies[k];
    shared->bodies = kept;
    if (kept == 1)
        *entry = bodies[0] + 1;
    m->valid = false;
}

void mt_membership_close(mote_world *world, uint32_t body)
{
    mt_membership *m = &world->membership;
    if (!m->known || body == world->bodies.count) /* it was the last */
        return;
    uint32_t *of = m->of.data;
    for (uint32_t i = 0; i < m->count; i++)
        of[i] -= of[i] > body + 1 && of[i] < MT_SHARED;
    const mt_shared *shared = m->shared.data;
    for (uint32_t k = 0; k < m->shared_count; k++) {
        uint32_t *bodies = (uint32_t *)m->shared_bodies.data + shared[k].first_body;
        for (uint32_t i = 0; i < shared[k].bodies; i++)
            bodies[i] -= bodies[i] > body;
    }
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
