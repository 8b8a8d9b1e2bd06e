/* What liquids give to particles, as moves in a substep. */
#ifndef MOTE_STEP_FLUID_PUSHES_H
#define MOTE_STEP_FLUID_PUSHES_H

#include "step/fluid/whole_sums.h"
#include "step/scratch.h"

/* They are summed in units of PUSH_UNIT radii times a mass, as whole_sums.h says: that of a particle of
 * the world's radius and 125 kg/m^3, or what a power of two makes of it at or below the mass of a lighter particle.
 * Pairs of heavier ones have one unit, so that what they give each other is opposite to the bit. A pair moves water by
 * at most a radius in a substep; a sum has room for eight, and more for what is heavier. */
#define PUSH_UNIT 0x1p-25f
#define PUSH_MOST 0x1p29f /* units */

LANE_FUNCTION lanes push_unit(const mt_substep *s, lanes inverse_mass)
{
    lanes usual = lanes_all(s->liquids.fluid.light), zero = lanes_all(0.0f);
    lanes mass =
        lanes_all(1.0f) / lanes_select(lanes_above(inverse_mass, zero), inverse_mass, lanes_all(1e-30f));
    lanes lighter = lanes_min(lanes_power_below(mass / usual), lanes_all(1.0f));
    return usual * lighter * lanes_all(PUSH_UNIT * s->liquids.fluid.radius);
}

/* What is noted with impulses: see mt_substep. */
LANE_FUNCTION void add_shift(const mt_substep *s, uint32_t i, lanes3 by)
{
    lanes4 sum = lanes_load4(s->liquids.shift + i);
    lanes_store4(s->liquids.shift + i, (lanes4){sum.x + by.x, sum.y + by.y, sum.z + by.z, sum.w});
}

#endif
