/* Rays in double precision: a ray may be long and what it meets small. */
#ifndef MOTE_QUERY_RAY_H
#define MOTE_QUERY_RAY_H

#include "collide/tree.h"
#include "collide/triangle.h"

typedef struct mt_ray {
    mt_real3 from, direction; /* unit */
    mt_real3 inverse;         /* of the direction; 0 where it is 0 */
    double length;            /* m */
} mt_ray;

/* The direction may have any length but 0. */
mt_ray mt_ray_make(mt_real3 from, mt_real3 direction, double length);

static inline mt_real3 mt_ray_at(const mt_ray *ray, double distance)
{
    return mt_real_add(ray->from, mt_real_scale(ray->direction, distance));
}

/* The part of the ray in a box, m from its start; false if there is none. */
bool mt_ray_in_box(const mt_ray *ray, const mt_box *box, double *first, double *last);

/* Calls `visit` for the items of all leaves that the ray enters at a distance of no more than *nearest, roughly
 * in the order of the ray. `visit` may make *nearest smaller, which spares the rest. */
typedef void mt_ray_visit(void *context, uint32_t item);

void mt_ray_walk(const mt_ray *ray, const mt_tree *tree, mt_ray_visit *visit, void *context,
                 const double *nearest);

#endif
