/* Shapes: what particles collide with and what they do not move. */
#ifndef MOTE_SHAPE_H
#define MOTE_SHAPE_H

#include "mote/material.h"
#include "mote/world.h"

#ifdef __cplusplus
extern "C" {
#endif

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
MOTE_API mote_result mote_plane_get(const mote_world *world, mote_shape_id shape, mote_plane_def *def);
MOTE_API mote_result mote_plane_set(mote_world *world, mote_shape_id shape, const mote_plane_def *def);

MOTE_API mote_result mote_shape_remove(mote_world *world, mote_shape_id shape);
MOTE_API bool mote_shape_is_valid(const mote_world *world, mote_shape_id shape);
MOTE_API uint32_t mote_shape_count(const mote_world *world);

/* The ids of the living shapes, in the order of their making: the first `capacity` of them are written, the
 * answer is how many there are. */
MOTE_API uint32_t mote_shape_list(const mote_world *world, mote_shape_id *ids, uint32_t capacity);

/* The mean force that particles put on the shape during the last step, N. */
MOTE_API mote_result mote_shape_force(const mote_world *world, mote_shape_id shape, mote_vec3 *force);

#ifdef __cplusplus
}
#endif

#endif
