/* What one particle has to do with one shape during a substep. */
#ifndef MOTE_STEP_CONTACTS_SHAPE_CONTACTS_H
#define MOTE_STEP_CONTACTS_SHAPE_CONTACTS_H

#include "world/world.h"

/* How far a particle may have moved, in radii, for its start to be judged by the planes that were found at
 * its end. */
#define MT_STABLE_TRAVEL 0.5f

/* A particle on its way through the substep. */
typedef struct mt_ball {
    mote_vec3 from, to;
    float radius;
    float within; /* surfaces nearer than this are wanted, m */
} mt_ball;

/* A plane of contact, in the world: the particle stays where dot(normal, x) >= offset + radius at the end. */
typedef struct mt_plane_contact {
    mote_vec3 normal;
    float offset;
    float start_offset; /* the same at the start, for stabilising; -MT_FAR: not to be stabilised */
    mote_vec3 move;     /* of the shape at that place during the substep, m */
    uint32_t shape;
    bool hit; /* the particle would cross it */
} mt_plane_contact;

/* The contacts with a shape that is no plane. *clear becomes the distance to the surface if that is less, or
 * -1 if the particle would cross the surface. */
uint32_t mt_touch_shape(const mt_placed *placed, uint32_t shape, const mt_ball *ball, float *clear,
                        mt_plane_contact out[MT_MAX_NEAR]);

/* The last point of a way, before it crosses, that keeps the distance of a radius from the surface that it
 * would cross; or, if it starts nearer than that, the distance that it has. */
mote_vec3 mt_stop_before(mote_vec3 from, mote_vec3 to, const mt_crossing *crossing, float radius);

#endif
