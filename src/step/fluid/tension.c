#include "step/fluid/tension.h"

void mt_apply_tension(mote_world *world, mt_substep *s)
{
    (void)world;
    (void)s;
}
