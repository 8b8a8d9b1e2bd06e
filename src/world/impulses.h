/* What contacts bore in the last substep: the next one starts from it. It is state: a world that is restored goes
 * on with the same bits. */
#ifndef MOTE_WORLD_IMPULSES_H
#define MOTE_WORLD_IMPULSES_H

#include "mote/base.h"

typedef enum mt_contact_kind { MT_CONTACT_PARTICLE, MT_CONTACT_BODY, MT_CONTACT_SHAPE } mt_contact_kind;

/* Of a particle (its owner) with another, with the surface of a body or with a shape. Sorted by the owner's index. Members of four bytes only. */
typedef struct mt_contact_impulse {
    uint32_t owner, owner_generation;
    uint32_t kind; /* mt_contact_kind */
    uint32_t other, other_generation;
    mote_vec3 normal;   /* to the owner */
    float force;        /* along it, N */
    float warm;         /* what the warm start gave of it, N */
    mote_vec3 friction; /* across it, N */
} mt_contact_impulse;

#endif
