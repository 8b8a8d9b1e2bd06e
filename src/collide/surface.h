/* The true surface of a body, of which its particles show bumps only: a sphere, a box or a capsule.
 *
 * All three are a core with a round coat: the core of a sphere is a point, that of a capsule a line, that of a
 * box the box itself, without a coat. So one way of measuring serves all, for one point and for eight
 * (surface_lanes.h). */
#ifndef MOTE_COLLIDE_SURFACE_H
#define MOTE_COLLIDE_SURFACE_H

#include "base/pose.h"

typedef enum mt_surface_type {
    MT_SURFACE_NONE, /* its particles are its surface; all numbers are 0 */
    MT_SURFACE_SPHERE,
    MT_SURFACE_BOX,
    MT_SURFACE_CAPSULE,
    MT_SURFACE_TYPE_COUNT
} mt_surface_type;

/* Members of four bytes only, as bodies have it in snapshots and hashes. */
typedef struct mt_surface {
    uint32_t type; /* mt_surface_type */
    mt_pose pose;  /* of its frame in the body's own coordinates: it is about the origin of the frame */
    float size[3]; /* m; sphere: radius; box: half extents; capsule: radius, half the line, which is along y */
} mt_surface;

#define MT_SURFACE_FAR 3e38f /* m: how far NONE is from everything */

/* Nearer to the core than this, m, the way from it is lost in rounding. */
#define MT_SURFACE_TINY 1e-12f

/* How far a point, in the surface's own frame, is outside of it; below 0 inside. The normal is a unit vector
 * away from the nearest point of the surface, or inside towards it. Where several are as near, it is along the
 * first of +x, -x, +y, -y, +z, -z that is one of them: so of a sphere at its centre and of a capsule on its
 * line +x. Of NONE the distance is MT_SURFACE_FAR, and the normal any. */
float mt_surface_distance(const mt_surface *surface, mote_vec3 point, mote_vec3 *normal);

#endif
