/* What several kernels say of contacts. */
#ifndef MOTE_STEP_SOLVE_NEAR_H
#define MOTE_STEP_SOLVE_NEAR_H

#include "base/simd.h"
#include "step/scratch.h"

/* Particles this close, in sums of radii, count as touching when they bounce. */
#define MT_NEAR 1.02f

/* The pull of an adhesive contact is 3/2 pi R W (Johnson, Kendall and Roberts). */
#define MT_PULL 4.712389f

/* Adhesion reaches this far beyond touching, in sums of radii. */
#define MT_ADHESION_REACH 1.05f

/* The distance of a particle's centre from a plane, m. */
LANE_FUNCTION lanes mt_plane_distance(const mt_plane *plane, lanes4 x)
{
    return lanes_all(plane->normal.x) * x.x + lanes_all(plane->normal.y) * x.y +
           lanes_all(plane->normal.z) * x.z - lanes_all(plane->offset);
}

LANE_FUNCTION lane_mask mt_in_channels(const mt_plane *plane, lane_index phase)
{
    lane_index shared = phase & lanes_all_index(plane->channels << MOTE_PHASE_CHANNEL_SHIFT);
    return (lane_mask)(shared != lanes_all_index(0));
}

/* The force with which a plane holds particles at x (w: radius) that stick to it, N. */
LANE_FUNCTION lanes mt_plane_pull(const mt_substep *s, const mt_plane *plane, lanes4 x, lanes stickiness,
                                  lane_index phase)
{
    lane_mask near = mt_plane_distance(plane, x) < x.w * lanes_all(2.0f * MT_ADHESION_REACH - 1.0f);
    lanes pull = stickiness * x.w * lanes_all(MT_PULL * sqrtf(s->materials[plane->material].adhesion));
    return lanes_keep(near & mt_in_channels(plane, phase), pull);
}

#endif
