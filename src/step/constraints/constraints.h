/* The passes over constraints, for step.c and impulse.c. */
#ifndef MOTE_STEP_CONSTRAINTS_CONSTRAINTS_H
#define MOTE_STEP_CONSTRAINTS_CONSTRAINTS_H

#include "step/impulse/impulse.h"

/* What the kernels of rows need. */
typedef struct mt_constraint_job {
    mote_world *world;
    const mt_substep *s;
    mt_constraint_work *w;
    mt_constraint_row *rows; /* of the group at hand */
    float h, inverse_h;
    bool first, last; /* iteration of the substep */
} mt_constraint_job;

/* The kernels of a kind at every level, made by CONSTRAINT_KERNELS in its file (rows.h). */
typedef struct mt_constraint_kernels {
    mt_range_task
        *expect; /* what the last substep gave, with the directions of now: before the first of a step */
    mt_range_task *project; /* an iteration */
} mt_constraint_kernels;

/* kinds.c */
const mt_constraint_kernels *mt_constraint_kernels_of(mote_simd level, uint32_t kind);

/* plan.c: places and rows, made anew if constraints, bodies or shapes have changed; once a step. */
mote_result mt_constraints_begin(mote_world *world);

/* solve.c: before and after the pass over contacts, and after bodies have flown. */
void mt_constraints_expect(mt_impulse_job *job);
void mt_constraints_forget(mt_impulse_job *job);
void mt_constraints_project(mote_world *world, mt_substep *s);

/* finish.c: which broke; their events; what the step has found out becomes the world's. */
mote_result mt_constraints_judge(mote_world *world);
void mt_constraints_commit(mote_world *world);

#endif
