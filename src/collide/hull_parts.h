/* What a hull consists of. Shared by the making of hulls (hull_make.c, hull_faces.c) and the questions to them
 * (hull.c). All inner numbers are doubles, so that only what is given out is rounded. */
#ifndef MOTE_COLLIDE_HULL_PARTS_H
#define MOTE_COLLIDE_HULL_PARTS_H

#include "collide/collide.h"

typedef struct mt_vec3d {
    double x, y, z;
} mt_vec3d;

/* In front is where dot(normal, x) > offset. */
typedef struct mt_hull_plane {
    mt_vec3d normal; /* unit */
    double offset;   /* m */
} mt_hull_plane;

/* Triangles in one plane are one face. */
typedef struct mt_hull_face {
    uint32_t first_triangle, triangle_count;
    uint32_t first_side, side_count; /* planes through its edges, upright on the face, looking away from it */
    mt_vec3d center;                 /* of a ball around it */
    double radius;
} mt_hull_face;

struct mt_hull {
    mt_array vertices;  /* mote_vec3, sorted by x, y, z */
    mt_array triangles; /* uint32_t, three vertices each, face by face */
    mt_array planes;    /* mt_hull_plane, one a face; no corner is in front of one */
    mt_array faces;     /* mt_hull_face */
    mt_array sides;     /* mt_hull_plane */
    uint32_t vertex_count, triangle_count, face_count, side_count;
    mt_box bounds;
    double close; /* m: corners closer to a plane than this are in it */
};

static inline mt_vec3d mt_wide(mote_vec3 v)
{
    return (mt_vec3d){(double)v.x, (double)v.y, (double)v.z};
}

static inline mote_vec3 mt_narrow(mt_vec3d v)
{
    return (mote_vec3){(float)v.x, (float)v.y, (float)v.z};
}

static inline mt_vec3d mt_wide_sub(mt_vec3d a, mt_vec3d b)
{
    return (mt_vec3d){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline double mt_wide_dot(mt_vec3d a, mt_vec3d b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline mt_vec3d mt_wide_cross(mt_vec3d a, mt_vec3d b)
{
    return (mt_vec3d){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* a + s b */
static inline mt_vec3d mt_wide_add_scaled(mt_vec3d a, mt_vec3d b, double s)
{
    return (mt_vec3d){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline double mt_wide_length(mt_vec3d a)
{
    return sqrt(mt_wide_dot(a, a));
}

static inline double mt_plane_height(const mt_hull_plane *plane, mt_vec3d x)
{
    return mt_wide_dot(plane->normal, x) - plane->offset;
}

/* Makes the faces of a hull that has its vertices, triangles and bounds; sorts the triangles by face. */
mote_result mt_hull_make_faces(mt_hull *hull, mt_memory *memory);

#endif
