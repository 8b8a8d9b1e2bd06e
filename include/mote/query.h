/* Queries: what a ray meets, what is in a part of space; and picking, which drags things about. Queries see
 * the world as it is between two steps and change nothing. */
#ifndef MOTE_QUERY_H
#define MOTE_QUERY_H

#include "mote/particle.h"
#include "mote/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a query looks at. */
typedef struct mote_query_filter {
    bool particles;    /* default true */
    bool shapes;       /* default true; triggers are never looked at */
    uint32_t channels; /* shapes that have one of these channels, bits 0 to 6; default all */
    uint32_t group;    /* particles of this group of phases only; MOTE_QUERY_ALL_GROUPS (default): all */
} mote_query_filter;

#define MOTE_QUERY_ALL_GROUPS 0xFFFFFFFFu

MOTE_API mote_query_filter mote_default_query_filter(void);

typedef struct mote_ray {
    mote_vec3 origin;    /* m, each coordinate within +-1e7 */
    mote_vec3 direction; /* any length but 0 */
    float length;        /* how far it goes, m, > 0, at most 1e7 */
} mote_ray;

/* The nearest thing that a ray meets; all 0 if there is none. A ray that starts inside a particle or a solid
 * shape does not meet that one. Containers are met from within, planes and height fields from above, meshes
 * from both sides. Of equally near things particles come first, then low indices. */
typedef struct mote_ray_hit {
    bool hit;
    float distance;            /* m along the ray */
    mote_vec3 point, normal;   /* where, and the unit normal there, towards the origin's side */
    mote_particle_id particle; /* null, or */
    mote_shape_id shape;       /* null: one of the two is not, if there is a hit */
} mote_ray_hit;

/* Casts many rays at once, on all threads: much cheaper than one by one, since every call looks at all
 * particles once. `filter` may be NULL for the default. */
MOTE_API mote_result mote_ray_cast(const mote_world *world, const mote_ray *rays, size_t count,
                                   const mote_query_filter *filter, mote_ray_hit *hits);

/* Particles and shapes that overlap a ball or a box; what only touches does not. The first `capacity` ids are
 * written, in the order of their index; `count` gets how many there are. Either kind of output may be NULL with
 * a capacity of 0. The solid of a container is everything outside of it, that of a plane everything below; a
 * mesh is its surface. */
typedef struct mote_overlap_result {
    mote_particle_id *particles;
    size_t particle_capacity, particle_count;
    mote_shape_id *shapes;
    size_t shape_capacity, shape_count;
} mote_overlap_result;

MOTE_API mote_result mote_overlap_sphere(const mote_world *world, mote_vec3 center, float radius,
                                         const mote_query_filter *filter, mote_overlap_result *result);
/* A box along the axes, min at most max. Exact to rounding, but for distance fields: of those, none is missed,
 * and one may be named that begins a part of its cell away. */
MOTE_API mote_result mote_overlap_box(const mote_world *world, mote_vec3 min, mote_vec3 max,
                                      const mote_query_filter *filter, mote_overlap_result *result);

/* ---- picking -------------------------------------------------------------------------------------------
 * A pick pulls a particle, and through it what it belongs to, towards a target, like a spring without a rest
 * length. Being part of the solver it is never unstable, however stiff. */

typedef struct mote_pick_def {
    mote_particle_id particle;
    mote_vec3 target; /* where to, m */
    float compliance; /* m/N, 0 or more; 0: held fast; default 1e-4 */
    float max_force;  /* N, > 0: it never pulls harder; default 1e30 */
} mote_pick_def;

MOTE_API mote_pick_def mote_default_pick_def(void);
/* Adds a pick; null on failure. It ends by itself when its particle is removed. At most 1,024. */
MOTE_API mote_pick_id mote_pick_add(mote_world *world, const mote_pick_def *def);
MOTE_API mote_result mote_pick_get(const mote_world *world, mote_pick_id pick, mote_pick_def *def);
MOTE_API mote_result mote_pick_set_target(mote_world *world, mote_pick_id pick, mote_vec3 target);
MOTE_API mote_result mote_pick_remove(mote_world *world, mote_pick_id pick);
MOTE_API bool mote_pick_is_valid(const mote_world *world, mote_pick_id pick);
/* The force with which it pulled during the last step, mean, N. */
MOTE_API mote_result mote_pick_force(const mote_world *world, mote_pick_id pick, mote_vec3 *force);

#ifdef __cplusplus
}
#endif

#endif
