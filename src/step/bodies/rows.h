/* Eight particles of a body at a time: where they belong, what they tell it, and putting them there. */
#ifndef MOTE_STEP_BODIES_ROWS_H
#define MOTE_STEP_BODIES_ROWS_H

#include "base/lanes3.h"
#include "step/bodies/bodies.h"
#include "step/scratch.h"

static inline mt_body_work *works(const mt_substep *s)
{
    return mt_body_works(s->bodies.plan);
}

static inline const mt_body_row *row_at(const mt_substep *s, const mt_body_work *w, uint32_t k)
{
    return (const mt_body_row *)s->bodies.plan->rows.data + w->first_row + k;
}

static inline mt_body_row *row_of(const mt_substep *s, const mt_body_work *w, uint32_t k)
{
    return (mt_body_row *)s->bodies.plan->rows.data + w->first_row + k;
}

LANE_FUNCTION lanes3 row_arms(const mt_frame *f, const mt_body_row *row)
{
    lanes x = lanes_load(row->x), y = lanes_load(row->y), z = lanes_load(row->z);
    return (lanes3){lanes_all(f->x.x) * x + lanes_all(f->y.x) * y + lanes_all(f->z.x) * z,
                    lanes_all(f->x.y) * x + lanes_all(f->y.y) * y + lanes_all(f->z.y) * z,
                    lanes_all(f->x.z) * x + lanes_all(f->y.z) * y + lanes_all(f->z.z) * z};
}

LANE_FUNCTION lanes3 row_places(const mt_frame *f, lanes3 arm)
{
    return (lanes3){arm.x + lanes_all(f->position.x), arm.y + lanes_all(f->position.y),
                    arm.z + lanes_all(f->position.z)};
}

/* A vector a particle and its moment, summed over a body. */
typedef struct row_sum {
    lanes3 push, turn;
    lanes load;
} row_sum;

LANE_FUNCTION row_sum row_sum_zero(void)
{
    lanes zero = lanes_all(0.0f);
    return (row_sum){{zero, zero, zero}, {zero, zero, zero}, zero};
}

LANE_FUNCTION void row_sum_add(row_sum *sum, lanes3 arm, lanes3 push)
{
    lanes3 turn = lanes3_cross(arm, push);
    sum->push.x += push.x;
    sum->push.y += push.y;
    sum->push.z += push.z;
    sum->turn.x += turn.x;
    sum->turn.y += turn.y;
    sum->turn.z += turn.z;
}

/* What a row's particles have, dummies included. */
LANE_FUNCTION lanes4 row_load(const mote_vec4 *from, const mt_body_row *row)
{
    return row->whole ? lanes_load4(from + row->first) : lanes_gather(from, row->rest->slot);
}

/* Of the real ones. */
LANE_FUNCTION lanes row_radii(const mt_substep *s, const mt_body_row *row)
{
    return row->radius >= 0 ? lanes_all(row->radius) : row_load(s->particles.position, row).w;
}

LANE_FUNCTION lanes row_inverse_masses(const mt_substep *s, const mt_body_row *row)
{
    return row->inverse_mass >= 0 ? lanes_all(row->inverse_mass) : row_load(s->particles.velocity, row).w;
}

/* Writes the real ones of a row to their slots. */
LANE_FUNCTION void row_store(mote_vec4 *to, const mt_body_row *row, lanes3 value, lanes w)
{
    if (row->whole) {
        lanes_store4(to + row->first, (lanes4){value.x, value.y, value.z, w});
        return;
    }
    mote_vec4 out[LANES];
    lanes_store4(out, (lanes4){value.x, value.y, value.z, w});
    for (uint32_t k = 0; k < row->count; k++)
        to[row->rest->slot[k]] = out[k];
}

/* The velocity that takes particles to where they are at the end; `arm`: theirs there. */
LANE_FUNCTION lanes3 row_transport(const mt_substep *s, const mt_body_work *w, const mt_body_row *row,
                                   lanes3 arm)
{
    const mote_vec3 end = w->at.position;
    lanes3 from = row_places(&w->at_start, row_arms(&w->at_start, row));
    lanes3 to = {arm.x + lanes_all(end.x), arm.y + lanes_all(end.y), arm.z + lanes_all(end.z)};
    return lanes3_scale(lanes3_sub(to, from), lanes_all(s->inverse_h));
}

#endif
