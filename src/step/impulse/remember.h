/* The parts of keeping what contacts bear for the next step: remember.c. */
#ifndef MOTE_STEP_IMPULSE_REMEMBER_H
#define MOTE_STEP_IMPULSE_REMEMBER_H

#include "step/impulse/impulse.h"

typedef struct mt_remember_job {
    const mote_world *world;
    const mt_substep *s;
    mt_impulses *w;
} mt_remember_job;

static inline void mt_note_impulse(const mt_remember_job *job, mt_contact_impulse *to,
                                   const mt_contact_row *row, uint32_t n)
{
    float scale = job->s->inverse_h;
    to->normal = (mote_vec3){row->normal_x[n], row->normal_y[n], row->normal_z[n]};
    to->force = row->impulse[n] * scale;
    to->warm = row->more != NULL ? row->more->warm[n] * scale : to->force;
    to->friction =
        (mote_vec3){row->friction_x[n] * scale, row->friction_y[n] * scale, row->friction_z[n] * scale};
}

#endif
