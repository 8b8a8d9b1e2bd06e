/* Bodies between steps: links, membership, masses, and where particles belong. */
#ifndef MOTE_WORLD_BODIES_H
#define MOTE_WORLD_BODIES_H

#include "world/world.h"

/* ---- membership (membership.c) ------------------------------------------------------------------------- */

void mt_membership_init(mt_membership *membership);
void mt_membership_free(mt_membership *membership, mt_memory *memory);
/* Room for everything that the world's links, and `more_links` more, can ask for, with particle handles up to
 * `handles`. */
mote_result mt_membership_reserve(mote_world *world, size_t more_links, uint32_t handles);
/* Makes it anew from the links if it is old (valid is false). The room has been made when links were added. */
void mt_membership_build(mote_world *world);
/* The same only if it cannot be asked at all: enough for all but steps, which go by the order of `shared`. */
void mt_membership_know(mote_world *world);
/* A particle (by the index of its handle) has become one of a body's, or is none any more. */
void mt_membership_join(mote_world *world, uint32_t body, uint32_t particle);
void mt_membership_leave(mote_world *world, uint32_t body, uint32_t particle);
/* The body that was at this place of the table is gone, and the later ones have moved down. */
void mt_membership_close(mote_world *world, uint32_t body);
/* The bodies of a particle, by the index of its handle: how many; and which, one by one, in the order of the
 * table. Needs a membership that is known. */
typedef struct mt_member {
    const uint32_t *bodies; /* of several; NULL: it is */
    uint32_t only;          /* this one */
} mt_member;
uint32_t mt_membership_of(const mote_world *world, uint32_t particle, mt_member *member);
static inline uint32_t mt_member_body(const mt_member *member, uint32_t k)
{
    return member->bodies != NULL ? member->bodies[k] : member->only;
}

/* Where a living particle is, and a body's first link. */
static inline uint32_t mt_linked_slot(const mote_world *world, mote_particle_id particle)
{
    return mt_handle_entries(&world->particles.handles)[particle.index].slot;
}

static inline mt_link *mt_body_links(const mote_world *world, uint32_t body)
{
    return mt_links(world) + mt_bodies(world)[body].first_link;
}

/* ---- links (links.c) ----------------------------------------------------------------------------------- */

/* Where a body's particle belongs. */
mote_vec3 mt_body_point(const mt_body *body, mote_vec3 own);
/* The other way: a point of the world in a body's own coordinates. */
mote_vec3 mt_body_own(const mt_body *body, mote_vec3 point);
mote_vec3 mt_body_own_direction(const mt_body *body, mote_vec3 direction);

/* The link of a particle in a body, or NULL. */
mt_link *mt_link_find(const mote_world *world, const mt_body *body, mote_particle_id particle);
/* A particle's mass, also while a driven body holds it. */
float mt_particle_mass(const mote_world *world, uint32_t slot);
/* The same of a link's particle. */
float mt_link_mass(const mote_world *world, const mt_link *link);
/* Opens a gap of `count` links at the end of a body's; there must be room. Later bodies' links move up. The
 * membership is the caller's. Either call takes the body's surface from it. */
mt_link *mt_links_insert(mote_world *world, uint32_t body, uint32_t count);
void mt_links_remove(mote_world *world, uint32_t body, uint32_t first, uint32_t count);
/* Shares the masses of a body's particles among their bodies, and works out mass, centre and inertia of it
 * and of all that share with it; those have no surface. The membership must be known. */
void mt_body_refresh(mote_world *world, uint32_t body);
/* A bone has more inertia than its particles: how it turns, from the angular momentum of these; and the angular
 * momentum that any body has when it turns so. In the world. */
mote_vec3 mt_bone_spin(const mote_world *world, uint32_t body, mote_vec3 angular);
mote_vec3 mt_body_angular(const mote_world *world, uint32_t body, mote_vec3 spin);
/* Its moments of inertia about its main axes, smallest first, kg m^2. */
mote_vec3 mt_body_moments(const mote_world *world, uint32_t body);
/* Adds a particle to a body, without masses; there must be room. */
void mt_link_add(mote_world *world, uint32_t body, mote_particle_id particle);
/* Takes a particle out of one body; its mass stays with its other bodies. An empty body goes. */
void mt_link_leave(mote_world *world, uint32_t body, mote_particle_id particle);
/* Takes all particles out of a body, which is to go: shared ones stay with their other bodies; of the others it
 * is said whether they go with it. */
void mt_links_leave(mote_world *world, uint32_t body, bool with_particles);
/* Takes a particle that is about to go out of all its bodies. */
void mt_particle_unlink(mote_world *world, mote_particle_id particle);

/* ---- bodies (bodies.c) --------------------------------------------------------------------------------- */

mote_result mt_body_find(const mote_world *world, mote_body_id body, const char *field, uint32_t *slot);
/* Whether one of a particle's bodies is driven. */
bool mt_is_driven(const mote_world *world, mote_particle_id particle);
/* Puts the particles of a body where it is. */
void mt_body_place(mote_world *world, uint32_t body);
/* Particles hold still if one of their bodies is driven; else they have their mass. */
void mt_body_fix_particles(mote_world *world, uint32_t body);
void mt_body_wake(mote_world *world, uint32_t body);
/* The body with its joints and links; particles stay. */
void mt_body_drop(mote_world *world, uint32_t body);
/* Matches the bodies of particles to where these are now: someone has put them elsewhere. */
void mt_particles_rematch(mote_world *world, const mote_particle_id *particles, size_t count);

/* What a body does now, from its particles. */
typedef struct mt_body_motion {
    mote_vec3 velocity, spin;
} mt_body_motion;
mt_body_motion mt_body_motion_of(const mote_world *world, uint32_t body);
/* Its inverse inertia times a vector of the world. */
mote_vec3 mt_body_inverse_inertia_times(const mt_body *body, mote_vec3 torque);

/* body_surface.c: what the particles of a body look like from outside, where that is plain; else it stays as it is. */
void mt_body_find_surface(mote_world *world, uint32_t body);

/* ---- bodies that do not collide until they are apart (deferred_pairs.c) --------------------------------------- */

/* Room for `more` of them. */
mote_result mt_deferred_reserve(mote_world *world, size_t more);
/* A body that was driven has been let go; there must be room. Or it is driven again. */
void mt_deferred_let_go(mote_world *world, mote_body_id body);
void mt_deferred_take_back(mote_world *world, mote_body_id body);
/* The body is about to go. */
void mt_deferred_forget(mote_world *world, mote_body_id body);

/* ---- which joints a body has (joint_index.c) ----------------------------------------------------------- */

void mt_joint_index_init(mt_membership *membership);
void mt_joint_index_free(mt_membership *membership, mt_memory *memory);
/* Room for all bodies and joints that there is room for. */
mote_result mt_joint_index_reserve(mote_world *world);
void mt_joint_index_build(mote_world *world);
/* A joint has come, or is about to go; by its place in the table. */
void mt_joint_index_add(mote_world *world, uint32_t joint);
void mt_joint_index_remove(mote_world *world, uint32_t joint);
/* The place of the newest joint of a body; MT_NO_SLOT: it has none. */
uint32_t mt_joint_of_body(const mote_world *world, mote_body_id body);

/* ---- joints (joints.c) --------------------------------------------------------------------------------- */

mote_result mt_joint_find(const mote_world *world, mote_joint_id joint, mt_joint **found);
/* NULL: the world. */
const mt_body *mt_joint_body(const mote_world *world, mote_body_id body);
/* The joint that the particles which two bodies share make. There must be room for it in the table. */
void mt_joint_from_shared(mote_world *world, uint32_t a, uint32_t b);
/* Without taking the bodies' shared particles apart. */
void mt_joint_drop(mote_world *world, uint32_t joint);
/* Takes shared particles out of the second body. */
void mt_joint_part(mote_world *world, uint32_t joint);
bool mt_joint_fits(const mt_joint *joint);

#endif
