/* When a joint is closed: what its rows may be off. */
#ifndef MOTE_STEP_BODIES_JOINT_CLOSED_H
#define MOTE_STEP_BODIES_JOINT_CLOSED_H

#include "step/bodies/joint_solve.h"

#define MT_SHAKE_TURN     5e-7f   /* rad: what is left open is a speed that is wrong */
#define MT_SHAKE_ROUNDING 2.4e-7f /* of places and levers, and of speeds */

/* Lanes in which all rows are closed; `most`: what a gap may be. */
LANE_FUNCTION lane_mask shaken_lanes(uint32_t rows, const float *error, lanes most)
{
    lane_mask closed = lanes_of_bits(0xff);
    for (uint32_t k = 0; k < rows; k++, error += MT_BATCH)
        closed &= size_at_most(lanes_load(error), k < 3 ? most : lanes_all(MT_SHAKE_TURN));
    return closed;
}

#endif
