/* Triangle meshes as a program has them, before any world: looking for faults, and filling with particles. */
#ifndef MOTE_MESH_H
#define MOTE_MESH_H

#include "mote/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The caller's arrays, never kept beyond a call. Seen from outside, the corners of a triangle run
 * counter-clockwise. */
typedef struct mote_mesh {
    const mote_vec3 *vertices; /* m, each coordinate within +-1e6 */
    size_t vertex_count;       /* at most 100 million */
    const uint32_t *triangles; /* three indices of vertices each */
    size_t triangle_count;     /* at most 100 million */
} mote_mesh;

/* What is to be known of a mesh. Vertices at the same place (to the bit) count as one, so that meshes that
 * come as loose triangles are judged by their form. */
typedef struct mote_mesh_report {
    size_t degenerate_triangles; /* without an area: two corners at one place, or all on a line */
    size_t first_degenerate;     /* the first of them; SIZE_MAX: none */
    size_t open_edges;           /* edges of one triangle only */
    mote_vec3 first_open[2];     /* the ends of the first of them */
    size_t nonmanifold_edges;    /* edges of more than two triangles */
    size_t flipped_edges;        /* edges whose two triangles do not agree which side is outside */
    bool closed;                 /* no open, non-manifold or flipped edges: it has an inside */
    double volume;               /* m^3, of what it encloses; below 0: inside out. Means something if closed */
    double area;                 /* m^2 */
    mote_vec3 min, max;          /* its box, m */
} mote_mesh_report;

/* Looks for faults. Fails only for what cannot be looked at: missing arrays, indices out of range, NaN, no
 * triangle. */
MOTE_API mote_result mote_mesh_inspect(const mote_mesh *mesh, mote_mesh_report *report);

/* How it is decided which points are inside. Both need a closed mesh. */
typedef enum mote_sample_method {
    MOTE_SAMPLE_PARITY, /* rays cross the surface an odd number of times from inside */
    MOTE_SAMPLE_SDF,    /* the signed distance to the surface is below 0 */
    MOTE_SAMPLE_COUNT
} mote_sample_method;

typedef struct mote_sample_def {
    float spacing;             /* of the cubic lattice, m, > 0 */
    mote_sample_method method; /* default MOTE_SAMPLE_PARITY */
} mote_sample_def;

MOTE_API mote_sample_def mote_default_sample_def(void);

/* Fills a closed mesh with points on a cubic lattice, each the middle of a cube of spacing^3, centred in the
 * mesh's box. The first `capacity` points are written (`points` may be NULL if it is 0); *count gets how
 * many there are, at most 100 million. A mesh that is not closed is refused with the number of its open
 * edges. */
MOTE_API mote_result mote_mesh_sample(const mote_mesh *mesh, const mote_sample_def *def, mote_vec3 *points,
                                      size_t capacity, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
