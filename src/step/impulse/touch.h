/* What of a body touches: the true surface of the one, and of the other a ball. A particle's ball is its own; in a
 * sphere it is the whole sphere, in a capsule the ball of the capsule beside the particle. */
#ifndef MOTE_STEP_IMPULSE_TOUCH_H
#define MOTE_STEP_IMPULSE_TOUCH_H

#include "base/vec.h"
#include "step/impulse/contact_rows.h"

typedef struct mt_ball {
    mote_vec3 center;
    float radius;
} mt_ball;

/* The ball by which a particle at x, of a body with this surface, touches others. */
static inline mt_ball mt_ball_in(const mt_body_surface *s, mote_vec4 x)
{
    mt_ball own = {{x.x, x.y, x.z}, x.w};
    if (s->form == NULL || s->form->type == MT_SURFACE_BOX)
        return own;
    if (s->form->type == MT_SURFACE_SPHERE)
        return (mt_ball){s->at.position, s->form->size[0]};
    float along = mt_dot(s->at.y, mt_sub(own.center, s->at.position)), half = s->form->size[1];
    along = along > half ? half : along < -half ? -half : along;
    return (mt_ball){mt_add(s->at.position, mt_scale(s->at.y, along)), s->form->size[0]};
}

/* That of a particle at x, of a mover. */
static inline mt_ball mt_ball_of(const mt_impulses *w, uint32_t mover, mote_vec4 x)
{
    if (mover < w->movers.first_body)
        return (mt_ball){{x.x, x.y, x.z}, x.w};
    return mt_ball_in((const mt_body_surface *)w->movers.surfaces.data + (mover - w->movers.first_body), x);
}

/* Whether a particle is where its ball touches along a normal: others of the ball's particles are nearer to it. */
static inline bool mt_is_at_touch(mt_ball ball, mote_vec4 x, mote_vec3 normal)
{
    mote_vec3 off = mt_sub((mote_vec3){x.x, x.y, x.z}, ball.center);
    off = mt_sub(off, mt_scale(normal, mt_dot(off, normal)));
    return mt_dot(off, off) < 4.0f * x.w * x.w;
}

/* Notes in a lane how a ball touches: another of the body's particles does if x is not near. */
static inline void mt_note_touch(mt_contact_row *row, uint32_t n, mt_ball ball, mote_vec4 x, mote_vec3 normal,
                                 float radius, float separation)
{
    mote_vec3 point = mt_sub(ball.center, mt_scale(normal, radius + 0.5f * separation));
    row->separation[n] = mt_is_at_touch(ball, x, normal) ? separation : MT_FAR;
    row->more->new_x[n] = normal.x;
    row->more->new_y[n] = normal.y;
    row->more->new_z[n] = normal.z;
    row->more->point_x[n] = point.x;
    row->more->point_y[n] = point.y;
    row->more->point_z[n] = point.z;
}

#endif
