/* The way out of something deep. Where the middle of a ball is within a solid, the side that is nearest to it says nothing
 * about where the body has to go: two boxes in one place are pushed to all sides at once, and stay. Two convex solids come
 * apart along one direction, that in which they have the shortest way to go (the separating axis: the faces of both, and
 * what is across an edge of each); then all contacts of the two have that normal. */
#ifndef MOTE_STEP_IMPULSE_WAY_OUT_H
#define MOTE_STEP_IMPULSE_WAY_OUT_H

#include "step/impulse/impulse.h"

/* Seen from the one that goes, which is in front of the plane when it is out. */
typedef struct mt_way_out {
    mote_vec3 normal;
    float offset; /* m: how far along the normal the other reaches */
} mt_way_out;

/* Whether a shape is convex and known to be: out of others bodies go by the planes that their particles have. */
bool mt_has_way_out(const mt_placed *shape);
/* Of a body out of the shape that it is sunk in (mt_impulses.sunk); what is jointed to it and sunk in the same goes the
 * same way. */
mt_way_out mt_way_out_of_shape(const mt_impulse_job *job, uint32_t body);
/* Of body a out of b, both with a true surface; `back`: the same of b out of a. `last`: along which a was pushed in the
 * last substep, or 0: who has come in on one side does not go out through the other. */
bool mt_way_out_of_body(const mt_impulse_job *job, uint32_t a, uint32_t b, mote_vec3 last, mt_way_out *way,
                        mt_way_out *back);

#endif
