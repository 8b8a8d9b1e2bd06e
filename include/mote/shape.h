/* Shapes: what particles collide with and what they do not move. */
#ifndef MOTE_SHAPE_H
#define MOTE_SHAPE_H

#include "mote/geometry.h"
#include "mote/material.h"
#include "mote/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mote_shape_type {
    MOTE_SHAPE_PLANE,    /* a half-space; free where y > 0 in its own coordinates */
    MOTE_SHAPE_SPHERE,   /* radius */
    MOTE_SHAPE_BOX,      /* half_extents */
    MOTE_SHAPE_CAPSULE,  /* radius; half_height: half of the line along y that it is round */
    MOTE_SHAPE_GEOMETRY, /* geometry: a hull, mesh, distance field or height field */
    MOTE_SHAPE_COUNT
} mote_shape_type;

typedef struct mote_shape_def {
    mote_shape_type type;   /* default MOTE_SHAPE_SPHERE */
    mote_vec3 position;     /* of its own coordinates' origin, m, each within +-1e6; default 0 */
    mote_quat rotation;     /* any length but 0; made a unit quaternion; default none */
    float radius;           /* m, > 0; default 0.5 */
    float half_height;      /* m, 0 or more; default 0.5 */
    mote_vec3 half_extents; /* m, > 0 each; default 0.5 each */
    mote_geometry_id geometry;
    /* A container: particles are kept within. For spheres, boxes, capsules, hulls and distance fields; a mesh
     * holds both sides anyway. Default false */
    bool inside;
    bool trigger;       /* pushes nothing; reports what comes in and goes out, as events; default false */
    mote_vec3 velocity; /* m/s: it moves, and drags what it touches; default 0 */
    mote_vec3 spin;     /* rad/s about its position, in world coordinates; default 0 */
    mote_material_id material; /* default (null): the world's default material */
    uint32_t channels;         /* bits 0 to 6, see mote_phase(); default all */
} mote_shape_def;

MOTE_API mote_shape_def mote_default_shape_def(void);

/* Adds a shape; null on failure. At most 65,536. */
MOTE_API mote_shape_id mote_shape_add(mote_world *world, const mote_shape_def *def);
/* The shape as it is now; where it moves by itself, position and rotation have moved on. */
MOTE_API mote_result mote_shape_get(const mote_world *world, mote_shape_id shape, mote_shape_def *def);
/* Makes it another at once, as if it had always been there: nothing is pushed on the way. */
MOTE_API mote_result mote_shape_set(mote_world *world, mote_shape_id shape, const mote_shape_def *def);

/* Where the shape is to be at the end of the next step. It moves there evenly during the step, pushing and
 * dragging what is in its way, and then stands still unless it is moved again. This is how animated
 * colliders are driven. Its own velocity and spin become 0. */
MOTE_API mote_result mote_shape_move_to(mote_world *world, mote_shape_id shape, mote_vec3 position,
                                        mote_quat rotation);

MOTE_API mote_result mote_shape_remove(mote_world *world, mote_shape_id shape);
MOTE_API bool mote_shape_is_valid(const mote_world *world, mote_shape_id shape);
MOTE_API uint32_t mote_shape_count(const mote_world *world);

/* The ids of the living shapes, in the order of their making: the first `capacity` of them are written, the
 * answer is how many there are. */
MOTE_API uint32_t mote_shape_list(const mote_world *world, mote_shape_id *ids, uint32_t capacity);

/* The mean force that particles put on the shape during the last step, N. */
MOTE_API mote_result mote_shape_force(const mote_world *world, mote_shape_id shape, mote_vec3 *force);

/* ---- planes by their equation --------------------------------------------------------------------------
 * A plane is a shape like the others; most often it is known by its normal. */

/* A half-space: particles stay where dot(normal, x) >= offset + radius. */
typedef struct mote_plane_def {
    mote_vec3 normal;          /* any length but 0; made a unit vector; default +Y */
    float offset;              /* m along the unit normal; default 0 */
    mote_vec3 velocity;        /* m/s: the plane moves, and drags what rests on it; default 0 */
    mote_material_id material; /* default (null): the world's default material */
    uint32_t channels;         /* bits 0 to 6, see mote_phase(); default all */
} mote_plane_def;

MOTE_API mote_plane_def mote_default_plane_def(void);

/* Adds a plane; null on failure. */
MOTE_API mote_shape_id mote_plane_add(mote_world *world, const mote_plane_def *def);
/* Fails for other shapes than planes. */
MOTE_API mote_result mote_plane_get(const mote_world *world, mote_shape_id shape, mote_plane_def *def);
MOTE_API mote_result mote_plane_set(mote_world *world, mote_shape_id shape, const mote_plane_def *def);

#ifdef __cplusplus
}
#endif

#endif
