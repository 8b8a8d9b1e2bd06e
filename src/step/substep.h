/* Setting a substep up and the small passes around its kernels. */
#ifndef MOTE_STEP_SUBSTEP_H
#define MOTE_STEP_SUBSTEP_H

#include "step/scratch.h"

/* Numbers of substep `index` of a step of dt seconds. */
mt_substep mt_substep_make(mote_world *world, float dt, uint32_t index);

/* Points the substep at the arrays as they are now: at its start, and after a reorder. */
void mt_substep_attach(mote_world *world, mt_substep *s);
/* Again after the rows of neighbours, or of contacts with shapes, have grown. */
void mt_substep_attach_rows(mote_world *world, mt_substep *s);
/* Where stabilising starts from, to be changed in place; the original stays. */
void mt_substep_copy_position(mote_world *world, mt_substep *s);
/* What stabilise wrote becomes the position at the start. */
void mt_substep_advance_position(mote_world *world, mt_substep *s);

/* Marks the first that bodies_finish found to be nowhere. */
void mt_mark_nowhere(const mt_substep *s);

/* The first slot that a kernel marked in block_bad, or UINT32_MAX. */
uint32_t mt_first_marked(const mt_substep *s);

/* Fails if a kernel marked a particle as bad, and names the first one. */
mote_result mt_report_bad(mote_world *world, const mt_substep *s, const char *doing);

/* contacts/surfaces.c: what each particle's material says of its surface. */
void mt_fill_surfaces(mote_world *world, mt_substep *s);

/* predict/kicks.c: all forces before the prediction, where the kernel's gravity is not enough; what the
 * integrator leaves for the end of the substep. */
void mt_apply_fields(mote_world *world, mt_substep *s);
void mt_apply_late_kick(mote_world *world, mt_substep *s);

/* finish/shape_forces.c: adds up what contacts gave the shapes since the last call. After the step forces are made of
 * it, and the shapes moved on. `then` is run over all slices, each block after its sum; NULL: nothing is. */
void mt_sum_shape_pushes(mote_world *world, mt_substep *s, mt_range_task *then);
void mt_shapes_commit(mote_world *world, float dt);

#endif
