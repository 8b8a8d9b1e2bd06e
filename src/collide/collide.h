/* Colliding: the forms of shapes, each in its own coordinates, and what a point may meet there. Nothing here
 * knows of worlds or particles. Every form answers the same three questions:
 *
 *   near      the planes of the surface near a point: what a ball there touches
 *   cross     where a way from one point to another first passes from the free side through the surface
 *   distance  how far the surface is
 *
 * The free side of a solid is its outside, that of a container its inside; a mesh is free on both sides. */
#ifndef MOTE_COLLIDE_COLLIDE_H
#define MOTE_COLLIDE_COLLIDE_H

#include "base/memory.h"
#include "collide/box.h"
#include "mote/geometry.h"
#include "mote/shape.h"

/* A plane that touches the surface: free is where dot(normal, x) > offset. */
typedef struct mt_near {
    mote_vec3 normal; /* unit */
    float offset;     /* m */
} mt_near;

#define MT_MAX_NEAR 8u /* planes that a point has of one form: the nearest, if there are more */

/* Where a way crosses a surface. */
typedef struct mt_crossing {
    float part;       /* of the way, 0..1 */
    mote_vec3 normal; /* unit, towards the side that the way comes from */
} mt_crossing;

/* ---- closed forms: primitive.c -------------------------------------------------------------------------
 * A sphere, box or capsule. One that is `inside` out is a container. */

typedef struct mt_primitive {
    uint32_t type;          /* mote_shape_type */
    float radius;           /* sphere, capsule */
    float half_height;      /* capsule, along y */
    mote_vec3 half_extents; /* box */
} mt_primitive;

uint32_t mt_primitive_near(const mt_primitive *form, bool inside, mote_vec3 x, float within,
                           mt_near out[MT_MAX_NEAR]);
bool mt_primitive_cross(const mt_primitive *form, bool inside, mote_vec3 from, mote_vec3 to,
                        mt_crossing *crossing);
/* Below 0 on the side that is not free. */
float mt_primitive_distance(const mt_primitive *form, bool inside, mote_vec3 x);
mt_box mt_primitive_bounds(const mt_primitive *form);

/* ---- triangle meshes: mesh.c --------------------------------------------------------------------------- */

typedef struct mt_mesh mt_mesh;

/* Copies. Triangles without an area are left out; vertices at one place (to the bit) are one. The indices
 * have been checked. NULL after an error. */
mt_mesh *mt_mesh_make(mt_memory *memory, const mote_mesh *source);
void mt_mesh_free(mt_mesh *mesh, mt_memory *memory);
mt_box mt_mesh_bounds(const mt_mesh *mesh);
mote_mesh mt_mesh_source(const mt_mesh *mesh); /* what it keeps: making one of that gives the same */

/* Whether a triangle may be in a box; never no if one is. */
bool mt_mesh_reaches(const mt_mesh *mesh, const mt_box *box);
uint32_t mt_mesh_near(const mt_mesh *mesh, mote_vec3 x, float within, mt_near out[MT_MAX_NEAR]);
/* From either side. It never misses: a way that ends on the other side of a closed mesh has a crossing. */
bool mt_mesh_cross(const mt_mesh *mesh, mote_vec3 from, mote_vec3 to, mt_crossing *crossing);
/* Not signed. Answers `most` if the surface is further than that. */
float mt_mesh_distance(const mt_mesh *mesh, mote_vec3 x, float most);
/* Signed distance to a closed mesh, by the angle-weighted normal of the nearest feature; below 0 inside. */
float mt_mesh_signed_distance(const mt_mesh *mesh, mote_vec3 x);

/* ---- height fields: heightfield.c ----------------------------------------------------------------------
 * Solid below its triangles, without end downwards; no surface and no solid outside of its rectangle. */

typedef struct mt_heightfield mt_heightfield;

mt_heightfield *mt_heightfield_make(mt_memory *memory, const mote_heightfield_def *source);
void mt_heightfield_free(mt_heightfield *field, mt_memory *memory);
mt_box mt_heightfield_bounds(const mt_heightfield *field); /* of its surface */
mote_heightfield_def mt_heightfield_source(const mt_heightfield *field);
/* Whether a box may be touched by what is solid; never no if it is. */
bool mt_heightfield_reaches(const mt_heightfield *field, const mt_box *box);
uint32_t mt_heightfield_near(const mt_heightfield *field, mote_vec3 x, float within, mt_near out[MT_MAX_NEAR]);
bool mt_heightfield_cross(const mt_heightfield *field, mote_vec3 from, mote_vec3 to, mt_crossing *crossing);
float mt_heightfield_distance(const mt_heightfield *field, mote_vec3 x, float most); /* below 0 below it */

/* ---- convex hulls: hull.c ------------------------------------------------------------------------------ */

typedef struct mt_hull mt_hull;

mt_hull *mt_hull_make(mt_memory *memory, const mote_vec3 *points, size_t count);
void mt_hull_free(mt_hull *hull, mt_memory *memory);
mt_box mt_hull_bounds(const mt_hull *hull);
mote_mesh
mt_hull_source(const mt_hull *hull); /* a hull of its vertices is the same; its triangles look outwards */
uint32_t mt_hull_near(const mt_hull *hull, bool inside, mote_vec3 x, float within, mt_near out[MT_MAX_NEAR]);
bool mt_hull_cross(const mt_hull *hull, bool inside, mote_vec3 from, mote_vec3 to, mt_crossing *crossing);
float mt_hull_distance(const mt_hull *hull, bool inside, mote_vec3 x);

/* ---- signed distance fields: sdf.c --------------------------------------------------------------------- */

typedef struct mt_sdf mt_sdf;

mt_sdf *mt_sdf_make(mt_memory *memory, const mote_sdf_def *source);
/* Of a closed mesh; the caller has checked that it is. */
mt_sdf *mt_sdf_make_from_mesh(mt_memory *memory, const mote_mesh *source, float cell);
void mt_sdf_free(mt_sdf *sdf, mt_memory *memory);
mt_box mt_sdf_bounds(const mt_sdf *sdf); /* of the grid */
mote_sdf_def mt_sdf_source(const mt_sdf *sdf);
/* Whether a box may be touched by what is not free; never no if it is. */
bool mt_sdf_reaches(const mt_sdf *sdf, bool inside, const mt_box *box);
uint32_t mt_sdf_near(const mt_sdf *sdf, bool inside, mote_vec3 x, float within, mt_near out[MT_MAX_NEAR]);
bool mt_sdf_cross(const mt_sdf *sdf, bool inside, mote_vec3 from, mote_vec3 to, mt_crossing *crossing);
float mt_sdf_distance(const mt_sdf *sdf, bool inside, mote_vec3 x);

#endif
