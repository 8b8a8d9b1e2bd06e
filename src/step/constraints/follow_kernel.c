/* Particles follow the bodies that constraints have moved; where there are joints, these see to it. */
#include "step/bodies/matching.h"
#include "step/constraints/constraints.h"
#include "step/kernels.h"

void MT_KERNEL(constraints_follow)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_constraint_job *job = context;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        uint32_t assembly = mt_held_bodies(job->w)[k].follows;
        if (assembly == MT_NOT_HELD)
            continue;
        const mt_assembly *a = (const mt_assembly *)job->s->bodies.plan->assemblies.data + assembly;
        if (any_moves(job->s, a))
            place_assembly(job->s, a);
    }
}
