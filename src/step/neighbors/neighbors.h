/* Neighbour search: sort by cell, bring the particles into that order, list who is within reach. */
#ifndef MOTE_STEP_NEIGHBORS_NEIGHBORS_H
#define MOTE_STEP_NEIGHBORS_NEIGHBORS_H

#include "step/scratch.h"

/* Sorts the particles by the cells of `where` (x, y, z and radius a slot). Afterwards grid->slot has them in
 * rank order. */
mote_result mt_grid_sort(mote_world *world, const mote_vec4 *where, const mt_list_plan *plan);

/* After mt_grid_sort: whether all particles have the places that they are to take. */
bool mt_all_stay(const mote_world *world);
/* Else: whose place each particle is to take, by slots. */
const uint32_t *mt_order_particles(mote_world *world);

/* Puts the particles, and the step's predicted positions and transport velocities, into that order. What they
 * were stays in world->particles.other until the end of the step; where all stay in their places, only what a step
 * changes of them. */
void mt_reorder(mote_world *world);

/* Undoes a reorder, and with it everything that the step has changed since. */
void mt_reorder_undo(mote_world *world);

#define MT_MOST_CLUSTERED (1u << 27) /* particles: the names of clusters have 24 bits for slices */

/* Whether particles of bodies are in clusters. */
static inline bool mt_has_clusters(const mote_world *world)
{
    return world->bodies.count > 0 && world->particles.count < MT_MOST_CLUSTERED;
}

/* Makes the clusters of particles at `where`, with their radii, and sorts their packs. After mt_grid_sort. */
mote_result mt_clusters_make(mote_world *world, const mote_vec4 *where);

/* Finds out which packs are near each other. */
void mt_packs_find(mote_world *world);

/* Sorts packs by their cells. */
mote_result mt_grid_sort_packs(mote_world *world);

/* Lists for all particles at `where`, after mt_grid_sort. `for_contacts`: a pair may be in the list of the one that
 * comes first in memory alone, if that is the order of the grid. `again`: in the same step, where what was said of liquids
 * stays. */
mote_result mt_lists_build(mote_world *world, const mote_vec4 *where, bool for_contacts, bool again);

/* Room for those that are late; nothing if there are no liquids. */
mote_result mt_stale_reserve(mote_world *world);

/* After mt_lists_reach: puts those that have left their slack into the lists where they are now. False: they are too
 * many, and all lists are to be made anew. */
bool mt_lists_catch_up(mote_world *world, const mt_substep *s, const mote_vec4 *where);

/* What the kernels of lists need to know, for particles at `where`. */
mt_list_job mt_list_job_make(mote_world *world, const mote_vec4 *where);

/* Makes sure that the lists of the impulse solver's liquids are good for particles at `where` (w: radius), at a time of
 * the step, s: makes them anew if they are not. The order in memory stays. */
mote_result mt_lists_ensure(mote_world *world, mt_substep *s, const mote_vec4 *where, float time);

/* Which bodies a particle is in, as mt_membership.of, which must be valid. */
static inline uint32_t mt_body_of(const mote_world *world, uint32_t slot)
{
    const mt_membership *m = &world->membership;
    uint32_t index = mt_particle_ids(world)[slot].index;
    return index < m->count ? ((const uint32_t *)m->of.data)[index] : 0;
}

/* Makes sure that partners and families of bodies are known. */
mote_result mt_families_find(mote_world *world);

/* The family of a particle. */
static inline uint32_t mt_family_of(const mote_world *world, uint32_t slot)
{
    uint32_t index = mt_particle_ids(world)[slot].index;
    const mt_body_plan *p = &world->scratch->bodies;
    return index < p->families.count ? ((const uint32_t *)p->families.of.data)[index] : 0;
}

#endif
