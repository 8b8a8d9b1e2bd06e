/* Contacts: who pushed whom during the last step, where, and how hard. Sound, damage and measurements are made of these. */
#ifndef MOTE_CONTACT_H
#define MOTE_CONTACT_H

#include "mote/body.h"
#include "mote/particle.h"
#include "mote/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A contact that gave something during the step, of a material that reports (mote_material_def.report_contacts; one of
 * the two sides is enough). Sums are over all substeps, bounces included; means are weighted with what was given. */
typedef struct mote_contact {
    mote_particle_id a;          /* the lower index of two particles, or the one that moves */
    mote_particle_id b;          /* null: `a` touches `shape`, or the true surface of `body_b` */
    mote_shape_id shape;         /* null: none */
    mote_body_id body_a, body_b; /* null: the particle is loose, or there is none */
    mote_vec3 point;             /* between the two surfaces, mean, m */
    mote_vec3 normal;            /* from b, or from the shape, to a: a unit vector, mean */
    float separation;   /* least at the start of a substep in which it gave something, m; below 0: overlap */
    float impulse;      /* what a was given along the normal, N s; below 0: adhesion held it */
    mote_vec3 friction; /* what a was given across the normal, N s; b was given the opposite of both */
    /* With which the two met: before the solve, in the first substep of this step in which they gave something. */
    float
        approach_speed; /* along the normal, m/s; of what rests: g h, with h the length of a substep; below 0: they part */
    float sliding_speed; /* across it, m/s */
} mote_contact;

typedef struct mote_contacts {
    const mote_contact *items;
    size_t count;
} mote_contacts;

/* All of the last step, sorted by the index of `a`; of one `a`: contacts with particles first, then with surfaces of
 * bodies, then with shapes. The world owns them until the next step or mote_snapshot_restore(), after which there are
 * none until the next step. Who was removed since has a stale handle. Empty if no material reports, which costs nothing.
 *
 * A body that is a box, a ball or a capsule touches with that form: such contacts have a particle `a` that is there, and
 * `body_b` instead of `b`. Of the contacts of two flat faces those few are here that bear. A particle may touch one shape
 * in several places, as in the corner of a container. Who sleeps gives nothing, and so has no contacts but with those awake.
 *
 * The papers' solvers report as well; with mass_scaling, under which the two sides are not given the same, what is here
 * is what the contact solved for. What liquids do by their pressure is no contact: see mote_shape_force(). */
MOTE_API mote_contacts mote_world_contacts(const mote_world *world);

/* Those of one particle, body or shape, on either side, in the same order. The first `capacity` are written; `count` gets
 * how many there are. `contacts` may be NULL with a capacity of 0. The first of these calls after a step sorts all contacts
 * by who is in them, for which it may need memory; each looks its own up in that. */
MOTE_API mote_result mote_particle_contacts(const mote_world *world, mote_particle_id particle,
                                            mote_contact *contacts, size_t capacity, size_t *count);
MOTE_API mote_result mote_body_contacts(const mote_world *world, mote_body_id body, mote_contact *contacts,
                                        size_t capacity, size_t *count);
MOTE_API mote_result mote_shape_contacts(const mote_world *world, mote_shape_id shape, mote_contact *contacts,
                                         size_t capacity, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
