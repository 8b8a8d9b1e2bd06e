/* Who does not collide because of bodies. Partners are two bodies with a joint that says so. A body is a family
 * of its own, or of all its partners if these are partners of each other and of nobody else: then a particle
 * need not look at the particles of its family at all. */
#include "base/error.h"
#include "base/groups.h"
#include "step/bodies/bodies.h"
#include "step/neighbors/neighbors.h"
#include "world/bodies.h"
#include "world/check.h"

#include <string.h>

#define MOST_MEMBERS 8u
#define ALIKE        6u

/* Both bodies of a joint whose bodies do not collide; false if it is no such joint. */
static bool find_partners(const mote_world *world, const mt_joint *joint, uint32_t pair[2])
{
    pair[0] = mt_handles_find(&world->bodies.handles, joint->a.index, joint->a.generation);
    pair[1] = mt_handles_find(&world->bodies.handles, joint->b.index, joint->b.generation);
    return !joint->collides && pair[0] != MT_NO_SLOT && pair[1] != MT_NO_SLOT;
}

/* Which bodies do not collide, because a joint says so. */
static mote_result note_partners(mote_world *world)
{
    mt_body_plan *p = &world->scratch->bodies;
    uint32_t bodies = world->bodies.count, pair[2];
    MT_TRY(mt_array_reserve(&p->families.partner_start, &world->memory, (size_t)bodies + 2, 0));
    MT_TRY(mt_array_reserve(&p->families.partners, &world->memory, 2 * (size_t)world->joints.count, 0));
    uint32_t *start = p->families.partner_start.data;
    memset(start, 0, ((size_t)bodies + 2) * sizeof *start);
    for (uint32_t k = 0; k < world->joints.count; k++)
        for (int i = 0; find_partners(world, &mt_joints(world)[k], pair) && i < 2; i++)
            start[pair[i] + 2]++;
    for (uint32_t b = 0; b < bodies; b++)
        start[b + 2] += start[b + 1];
    for (uint32_t k = 0; k < world->joints.count; k++)
        for (int i = 0; find_partners(world, &mt_joints(world)[k], pair) && i < 2; i++)
            ((uint32_t *)p->families.partners.data)[start[pair[i] + 1]++] = pair[1 - i];
    return MOTE_OK;
}

typedef struct family {
    uint32_t member[MOST_MEMBERS], count;
} family;

static bool has(const family *f, uint32_t body)
{
    for (uint32_t k = 0; k < f->count; k++)
        if (f->member[k] == body)
            return true;
    return false;
}

/* A body and its partners; false if that is no family. */
static bool gather_family(const mt_body_plan *p, uint32_t body, family *f)
{
    const uint32_t *start = p->families.partner_start.data, *partners = p->families.partners.data;
    *f = (family){{body}, 1};
    for (uint32_t k = start[body]; k < start[body + 1]; k++) {
        if (has(f, partners[k]))
            continue;
        if (f->count == MOST_MEMBERS)
            return false;
        f->member[f->count++] = partners[k];
    }
    for (uint32_t i = 0; i < f->count; i++) {
        for (uint32_t k = start[f->member[i]]; k < start[f->member[i] + 1]; k++)
            if (!has(f, partners[k]))
                return false;
        for (uint32_t j = 0; j < i; j++)
            if (!mt_are_partners(p, f->member[i], f->member[j]))
                return false;
    }
    return true;
}

/* ---- kin ----------------------------------------------------------------------------------------------- */

static void name_kin(const mote_world *world, mt_body_plan *p)
{
    const mt_membership *m = &world->membership;
    const uint32_t *start = p->families.partner_start.data, *partners = p->families.partners.data;
    uint32_t *kin = p->families.kin.data;
    for (uint32_t b = 0; b < world->bodies.count; b++)
        kin[b] = b;
    for (uint32_t b = 0; b < world->bodies.count; b++)
        for (uint32_t k = start[b]; k < start[b + 1]; k++)
            mt_unite(kin, b, partners[k]);
    for (uint32_t k = 0; k < m->shared_count; k++) {
        const mt_shared *shared = (const mt_shared *)m->shared.data + k;
        const uint32_t *bodies = (const uint32_t *)m->shared_bodies.data + shared->first_body;
        for (uint32_t i = 1; i < shared->bodies; i++)
            mt_unite(kin, bodies[0], bodies[i]);
    }
    for (uint32_t b = 0; b < world->bodies.count; b++)
        kin[b] = mt_root_of(kin, b);
}

/* ---- names --------------------------------------------------------------------------------------------- */

/* Whether two shared particles are in the same bodies. */
static bool are_alike(const mt_membership *m, uint32_t a, uint32_t b)
{
    const mt_shared *x = (const mt_shared *)m->shared.data + a, *y = (const mt_shared *)m->shared.data + b;
    const uint32_t *bodies = m->shared_bodies.data;
    return x->bodies == y->bodies &&
           memcmp(bodies + x->first_body, bodies + y->first_body, x->bodies * sizeof *bodies) == 0;
}

/* The family of a shared particle: that of its bodies, if it is one. Else none, but with a name that it has in
 * common with others in the same bodies, if these are not far from it in the table. */
static uint32_t shared_family(const mt_membership *m, const uint32_t *of_body, uint32_t entry)
{
    uint32_t place = entry & ~MT_SHARED, first = place;
    const mt_shared *shared = (const mt_shared *)m->shared.data + place;
    const uint32_t *bodies = (const uint32_t *)m->shared_bodies.data + shared->first_body;
    bool one = true;
    for (uint32_t k = 1; k < shared->bodies; k++)
        one = one && of_body[bodies[k]] == of_body[bodies[0]];
    if (one)
        return of_body[bodies[0]];
    for (uint32_t other = place > ALIKE ? place - ALIKE : 0; first == place && other < place; other++)
        first = are_alike(m, other, place) ? other : first;
    return MT_FAMILY_NONE + first;
}

static void name_families(const mote_world *world, mt_body_plan *p)
{
    const mt_membership *m = &world->membership;
    uint32_t *of_particle = p->families.of.data, *of_body = of_particle + m->count;
    memset(of_body, 0, world->bodies.count * sizeof *of_body);
    for (uint32_t b = 0; b < world->bodies.count; b++) {
        family f;
        if (of_body[b] != 0)
            continue;
        of_body[b] = b + 1;
        if (gather_family(p, b, &f))
            for (uint32_t k = 0; k < f.count; k++)
                of_body[f.member[k]] = b + 1;
    }
    for (uint32_t i = 0; i < m->count; i++) {
        uint32_t entry = ((const uint32_t *)m->of.data)[i];
        of_particle[i] = entry == 0          ? 0
                         : entry < MT_SHARED ? of_body[entry - 1]
                                             : shared_family(m, of_body, entry);
    }
}

mote_result mt_families_find(mote_world *world)
{
    mt_body_plan *p = &world->scratch->bodies;
    if (p->families.edits == world->body_edits)
        return MOTE_OK;
    mt_membership_build(world);
    size_t names = (size_t)world->membership.count + world->bodies.count;
    MT_TRY(mt_array_reserve(&p->families.of, &world->memory, names, 0));
    MT_TRY(mt_array_reserve(&p->families.kin, &world->memory, world->bodies.count, 0));
    MT_TRY(note_partners(world));
    name_kin(world, p);
    name_families(world, p);
    p->families.count = world->membership.count;
    p->families.edits = world->body_edits;
    return MOTE_OK;
}
