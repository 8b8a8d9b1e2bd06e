/* Triangles: which side of one a point is on, its nearest point, and whether a way passes through it.
 * Coordinates are floats; all is computed in double precision from their differences, so that a result depends
 * on the corners and the point only and two triangles agree on the edge that they share. */
#ifndef MOTE_COLLIDE_TRIANGLE_H
#define MOTE_COLLIDE_TRIANGLE_H

#include "base/real.h"
#include "collide/collide.h"

typedef struct mt_triangle {
    uint32_t corner[3]; /* numbers of its vertices, all different */
    mote_vec3 at[3];    /* m */
} mt_triangle;

/* Along the normal, twice the area long. */
static inline mt_real3 mt_triangle_cross(const mt_triangle *triangle)
{
    return mt_real_cross(mt_real_between(triangle->at[0], triangle->at[1]),
                         mt_real_between(triangle->at[0], triangle->at[2]));
}

/* Of which side a point is: 0 or more is the side of the normal, below 0 the other. Everyone who asks for a
 * side asks here, with the same `cross`: a point in the plane, to rounding, has the same side for all. */
static inline double mt_triangle_side(const mt_triangle *triangle, mt_real3 cross, mote_vec3 x)
{
    return mt_real_dot(cross, mt_real_between(triangle->at[0], x));
}

/* False if the corners lie on a line, to the rounding of their differences. */
bool mt_triangle_has_area(const mt_triangle *triangle);

/* Unit. */
mote_vec3 mt_triangle_normal(const mt_triangle *triangle);

/* Its plane, free on the side of the normal or on the other one. */
mt_near mt_triangle_plane(const mt_triangle *triangle, bool other_side);

mt_box mt_triangle_box(const mt_triangle *triangle);

/* What of a triangle is nearest to a point. */
typedef enum mt_feature { MT_FACE, MT_EDGE, MT_VERTEX } mt_feature;

typedef struct mt_closest {
    double square;      /* of the distance, m^2 */
    mt_real3 way;       /* from the point to the triangle, m */
    mt_feature feature; /* a point that projects onto the border is over the face */
    uint32_t low, high; /* the vertices of an edge, the lower number first; twice the same for a vertex */
} mt_closest;

mt_closest mt_triangle_closest(const mt_triangle *triangle, mote_vec3 x);

/* A straight way, and what of it every triangle needs. */
typedef struct mt_way {
    mote_vec3 from, to;
    mt_real3 step; /* to - from */
    double size;   /* mt_real_size of the step */
} mt_way;

mt_way mt_way_make(mote_vec3 from, mote_vec3 to);

/* True if the ends are on different sides and the line between them passes the triangle, border included. The
 * border counts to a bit more than rounding can be wrong, so that no line slips through between neighbours.
 * Answers the part of the way and whether it comes from the side of the normal. */
bool mt_triangle_crossed(const mt_triangle *triangle, const mt_way *way, double *part, bool *from_front);

#endif
