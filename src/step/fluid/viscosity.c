#include "step/fluid/viscosity.h"

void mt_apply_viscosity(mote_world *world, mt_substep *s)
{
    (void)world;
    (void)s;
}
