/* Geometries: forms that take more than a few numbers to say. A geometry is made once, in coordinates of its
 * own, and any number of shapes may use it, each at its own place. What is given is copied. */
#ifndef MOTE_GEOMETRY_H
#define MOTE_GEOMETRY_H

#include "mote/mesh.h"
#include "mote/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mote_geometry_type {
    MOTE_GEOMETRY_HULL,        /* convex, solid */
    MOTE_GEOMETRY_MESH,        /* triangles, thin, with two sides: a particle stays on the side where it is */
    MOTE_GEOMETRY_SDF,         /* a grid of signed distances, solid below 0 */
    MOTE_GEOMETRY_HEIGHTFIELD, /* a grid of heights, solid below */
    MOTE_GEOMETRY_COUNT
} mote_geometry_type;

/* The convex hull of at least four points that do not lie in a plane; it may have up to 4,096 corners. */
MOTE_API mote_geometry_id mote_hull_add(mote_world *world, const mote_vec3 *points, size_t count);

/* A triangle mesh, open or closed. Triangles without an area are left out; at least one must remain. */
MOTE_API mote_geometry_id mote_mesh_add(mote_world *world, const mote_mesh *mesh);

/* Signed distances at the nodes of a grid, above 0 in the open. Between nodes they are interpolated. */
typedef struct mote_sdf_def {
    mote_vec3 origin;    /* of the first node, m */
    float cell;          /* between nodes, m, > 0 */
    uint32_t count[3];   /* nodes along x, y, z: 2..2048 each, at most 256 million in all */
    const float *values; /* m; x runs fastest, then y, then z */
} mote_sdf_def;

MOTE_API mote_geometry_id mote_sdf_add(mote_world *world, const mote_sdf_def *def);

/* The field of a closed mesh, with cells of the given width, m. It reaches two cells beyond the mesh's box. */
MOTE_API mote_geometry_id mote_sdf_add_mesh(mote_world *world, const mote_mesh *mesh, float cell);

/* Heights over the plane y = 0. The first node is at (0, height, 0), columns run along x, rows along z.
 * Every cell is two triangles, split along the diagonal from its first corner (low x, low z) to its last. */
typedef struct mote_heightfield_def {
    uint32_t columns, rows; /* nodes along x and z: 2..16384 each, at most 256 million in all */
    float spacing;          /* between nodes, m, > 0 */
    const float *heights;   /* m; x runs fastest */
} mote_heightfield_def;

MOTE_API mote_geometry_id mote_heightfield_add(mote_world *world, const mote_heightfield_def *def);

/* Removing a geometry that a shape uses is an error. */
MOTE_API mote_result mote_geometry_remove(mote_world *world, mote_geometry_id geometry);
MOTE_API bool mote_geometry_is_valid(const mote_world *world, mote_geometry_id geometry);
MOTE_API uint32_t mote_geometry_count(const mote_world *world);
MOTE_API mote_result mote_geometry_get_type(const mote_world *world, mote_geometry_id geometry,
                                            mote_geometry_type *type);
/* Its box, in its own coordinates. */
MOTE_API mote_result mote_geometry_bounds(const mote_world *world, mote_geometry_id geometry, mote_vec3 *min,
                                          mote_vec3 *max);

/* The triangles of a hull or a mesh, for whoever draws; they belong to the world and last as long as the
 * geometry. For the grids: MOTE_ERROR_UNSUPPORTED. */
MOTE_API mote_result mote_geometry_triangles(const mote_world *world, mote_geometry_id geometry,
                                             mote_mesh *triangles);
/* The grid of a height field or a distance field, likewise. */
MOTE_API mote_result mote_geometry_heights(const mote_world *world, mote_geometry_id geometry,
                                           mote_heightfield_def *heights);
MOTE_API mote_result mote_geometry_distances(const mote_world *world, mote_geometry_id geometry,
                                             mote_sdf_def *distances);

#ifdef __cplusplus
}
#endif

#endif
