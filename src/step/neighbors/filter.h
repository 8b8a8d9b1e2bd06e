/* Who is near but does not collide. */
#ifndef MOTE_STEP_NEIGHBORS_FILTER_H
#define MOTE_STEP_NEIGHBORS_FILTER_H

#include "step/scratch.h"

/* Whether a shared particle is in a body, or shares one with another. */
static inline bool is_shared_in(const mt_membership *m, uint32_t entry, uint32_t other)
{
    const mt_shared *shared = (const mt_shared *)m->shared.data + (entry & ~MT_SHARED);
    const uint32_t *bodies = (const uint32_t *)m->shared_bodies.data + shared->first_body;
    for (uint32_t k = 0; k < shared->bodies; k++)
        if (other < MT_SHARED ? other == bodies[k] + 1 : is_shared_in(m, other, bodies[k] + 1))
            return true;
    return false;
}

/* Whether two bodies do not collide because of a joint. */
static inline bool are_partners(const mt_list_job *job, uint32_t a, uint32_t b)
{
    for (uint32_t k = job->bodies.partner_start[a]; k < job->bodies.partner_start[a + 1]; k++)
        if (job->bodies.partners[k] == b)
            return true;
    return false;
}

/* Whether a body has a deferred pair with one that a particle is in. */
static inline bool is_deferred_with(const mt_list_job *job, uint32_t body, uint32_t other)
{
    for (uint32_t k = job->bodies.deferred_start[body]; k < job->bodies.deferred_start[body + 1]; k++) {
        uint32_t entry = job->bodies.deferred[k] + 1;
        if (other < MT_SHARED ? other == entry : is_shared_in(job->bodies.shared, other, entry))
            return true;
    }
    return false;
}

/* Whether the bodies of two particles do not collide until they are apart. */
static inline bool are_deferred(const mt_list_job *job, uint32_t a, uint32_t b)
{
    if (a < MT_SHARED)
        return is_deferred_with(job, a - 1, b);
    const mt_shared *shared = (const mt_shared *)job->bodies.shared->shared.data + (a & ~MT_SHARED);
    const uint32_t *bodies = (const uint32_t *)job->bodies.shared->shared_bodies.data + shared->first_body;
    for (uint32_t k = 0; k < shared->bodies; k++)
        if (is_deferred_with(job, bodies[k], b))
            return true;
    return false;
}

/* Whether two particles are in one body, or in two that do not collide. */
static inline bool are_one(const mt_list_job *job, uint32_t i, uint32_t j)
{
    uint32_t a = job->bodies.of[i], b = job->bodies.of[j];
    if (a == 0 || b == 0)
        return false;
    if (job->bodies.deferred_start != NULL && are_deferred(job, a, b))
        return true;
    if ((a | b) < MT_SHARED)
        return a == b || are_partners(job, a - 1, b - 1);
    return a >= MT_SHARED ? is_shared_in(job->bodies.shared, a, b) : is_shared_in(job->bodies.shared, b, a);
}

/* Keeps those that the phases let collide, and that are not in one body. */
static inline uint32_t filter(const mt_list_job *job, uint32_t slot, uint32_t *list, uint32_t count)
{
    uint32_t kept = 0, phase = job->phase[slot];
    for (uint32_t k = 0; k < count; k++) {
        bool same_group = ((job->phase[list[k]] ^ phase) & MOTE_PHASE_GROUP_MASK) == 0;
        if (same_group && (phase & job->phase[list[k]] & MOTE_PHASE_SELF_COLLIDE) == 0)
            continue;
        if (job->bodies.of == NULL || !are_one(job, slot, list[k]))
            list[kept++] = list[k];
    }
    return kept;
}

#endif
