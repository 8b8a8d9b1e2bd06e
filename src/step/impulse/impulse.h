/* The passes of the impulse solver over its contacts: contact_rows.h says what they are. */
#ifndef MOTE_STEP_IMPULSE_IMPULSE_H
#define MOTE_STEP_IMPULSE_IMPULSE_H

#include "step/impulse/contact_rows.h"
#include "step/scratch.h"

#define MT_LINEAR_DEPTH 0.1f /* radii, up to which an overlap is that of something that rests */

/* The numbers of the contact law: see law.h. */
typedef struct mt_contact_softness {
    float rate, hardness;             /* of a soft contact: 1/s; gamma is inverse effective mass over it */
    float fixed_rate, fixed_hardness; /* with what does not move */
    float most_push;                  /* m/s */
    float linear_depth;               /* m: up to which an overlap bears in proportion to its depth */
    float bounce_speed;               /* m/s */
} mt_contact_softness;

/* What there is at position level only (step/position). */
typedef struct mt_position_pass {
    float omega;            /* relaxation */
    float mass_scaling;     /* 1/m */
    bool stabilizes;        /* places at the start are solved, without friction and what gives way */
    bool cold;              /* contacts have given nothing yet */
    mote_vec4 *push, *turn; /* a mover: sums of what averaged contacts give; w of push: how many they are */
} mt_position_pass;

/* What the passes over rows need. */
typedef struct mt_impulse_job {
    mote_world *world;
    mt_substep *s;
    mt_impulses *w;
    const mote_vec4 *position;
    mote_vec4 *velocity, *spin, *center, *moment;
    const mote_vec4 *inverse_inertia;
    mt_contact_row *rows;
    mt_batch_of_rows *batches;
    uint32_t first; /* of the batches of the colour at hand */
    float h, inverse_h;
    mt_contact_softness soft;
    mt_position_pass at_position;
    mote_vec3 gravity;
    _Atomic bool *any;
    bool turns;       /* some mover may turn, or is asked for its centre */
    bool holds_first; /* joints are held for the first time in this substep */
} mt_impulse_job;

/* impulse.c: movers from the velocities and poses at the start of the substep, passes over all rows, bounces, and back
 * to transport, predicted places and bodies. */
mote_result mt_movers_reserve(mote_world *world, mt_substep *s);
mt_impulse_job mt_impulse_job_make(mote_world *world, mt_substep *s);
void mt_movers_fill(mt_impulse_job *job);
mt_body_surface mt_surface_at(const mt_body *body, const mt_frame *at, mote_quat rotation);
void mt_rows_pass(mt_impulse_job *job, mt_range_task *kernel);        /* colour by colour, then shapes */
void mt_rows_pass_shapes(mt_impulse_job *job, mt_range_task *kernel); /* shapes alone */
void mt_rows_look(mt_impulse_job *job, mt_range_task *kernel); /* in no order, but loose ones on shapes */
void mt_rows_bounce(mt_impulse_job *job);
void mt_joints_hold(mt_impulse_job *job, bool first); /* first: in this substep */
void mt_movers_return(mt_impulse_job *job);

/* impulse.c: whether some mover may turn or is asked for its centre. A hint of what to do without, and no more. */
bool mt_may_turn(const mote_world *world);
/* finish/residual.c: after an iteration: whether settings say that it was the last. */
bool mt_iterations_are_over(const mote_world *world);

/* contact_set.c: who may touch whom in this step. */
mote_result mt_contact_set_make(mote_world *world, mt_substep *s);
/* shape_contacts.c: contacts with shapes in this substep; what those of slices [begin, end) gave, to where shapes' forces
 * are added up. */
mote_result mt_shape_contacts_make(mote_world *world, mt_substep *s);
void mt_shape_contacts_give(const mote_world *world, const mt_substep *s, uint32_t begin, uint32_t end);
/* The same contacts where the job's movers are, with shapes at the end of the substep, or at its start. */
void mt_shape_contacts_look(const mt_impulse_job *job, bool at_start);
/* remember.c: what contacts bear, for the next step; commit makes it the world's. */
mote_result mt_impulses_remember(mote_world *world, const mt_substep *s);
void mt_impulses_commit(mote_world *world);

/* Whether some impulse of a row of the set may be something else than 0. */
static inline bool mt_may_have_impulse(const mt_impulses *w, uint32_t row)
{
    const mt_batch_of_rows *batch = (const mt_batch_of_rows *)w->rows.batches.data + row;
    return row >= w->rows.single_count || !batch->compact || batch->has_impulse;
}

static inline mote_body_id mt_mover_body(const mote_world *world, uint32_t mover)
{
    const mt_scratch *s = world->scratch;
    return mt_bodies(world)[mt_body_works(&s->bodies)[mover - s->impulses.movers.first_body].body].id;
}
/* impulse.c: from predicted velocities to those after contacts. */
mote_result mt_impulse_solve(mote_world *world, mt_substep *s);

#endif
