/* The end of a substep for eight bodies at a time: their new motion. */
#ifndef MOTE_STEP_BODIES_ARRIVAL_H
#define MOTE_STEP_BODIES_ARRIVAL_H

#include "step/bodies/flight.h"

#define MT_MOST_TURN 1.0f /* rad a substep */

typedef struct arrival {
    lanes inverse_mass, size;
    lanes3 velocity, spin, angular, push, turn;
    lanes_frame at;
} arrival;

/* No particle is faster than that, however the body's motion and its turning add up. */
LANE_FUNCTION void bind_speed(arrival *a, lanes max_speed)
{
    lanes speed = lanes3_length(a->velocity) + lanes3_length(a->spin) * a->size;
    lane_mask over = lanes_above(speed, max_speed);
    if (lanes_bits(over) == 0)
        return;
    lanes part = lanes_select(over, lanes_all(1.0f - 1e-6f) * max_speed / speed, lanes_all(1.0f));
    a->velocity = lanes3_scale(a->velocity, part);
    a->spin = lanes3_scale(a->spin, part);
    a->angular = lanes3_scale(a->angular, part);
}

/* The new motion, from the momenta. */
LANE_FUNCTION void finish_motion(const mt_substep *s, arrival *a, const lanes own_inverse_inertia[6])
{
    lanes inverse_h = lanes_all(s->inverse_h), max_speed = lanes_all(s->limits.max_speed);
    lanes3 change =
        shortened(lanes3_scale(a->push, a->inverse_mass * inverse_h), lanes_all(s->limits.max_change));
    a->velocity = shortened(lanes3_add(a->velocity, change), max_speed);
    a->angular = lanes3_add(a->angular, lanes3_scale(a->turn, inverse_h));
    a->spin = lanes_inverse_inertia_turned(own_inverse_inertia, &a->at, a->angular);
    lanes fastest = lanes_select(lanes_below(a->size * inverse_h * lanes_all(MT_MOST_TURN), max_speed),
                                 lanes_all(s->inverse_h * MT_MOST_TURN), max_speed / a->size);
    lanes spin = lanes3_length(a->spin);
    lane_mask over = lanes_above(spin, fastest);
    if (lanes_bits(over) != 0) { /* beyond it a substep says nothing of the motion */
        a->spin = lanes3_select(over, lanes3_scale(a->spin, fastest / spin), a->spin);
        a->angular = lanes3_select(over, lanes3_scale(a->angular, fastest / spin), a->angular);
    }
    bind_speed(a, max_speed);
}

LANE_FUNCTION arrival load_arrival(const eight_bodies *b, lanes4 velocity, lanes4 spin, lanes4 angular)
{
    lanes4 x = body_load(b, offsetof(mt_body_work, at.x)), y = body_load(b, offsetof(mt_body_work, at.y.y));
    lanes4 z = body_load(b, offsetof(mt_body_work, at.z.z));
    lanes4 turn = body_load(b, offsetof(mt_body_work, turn));
    return (arrival){
        .size = body_load(b, offsetof(mt_body_work, size)).x,
        .velocity = {velocity.x, velocity.y, velocity.z},
        .spin = {velocity.w, spin.x, spin.y},
        .angular = {spin.z, spin.w, angular.x},
        .push = {angular.y, angular.z, angular.w},
        .turn = {turn.x, turn.y, turn.z},
        .at = {{x.x, x.y, x.z}, {x.w, y.x, y.y}, {y.z, y.w, z.x}},
    };
}

static void arrive(const mt_substep *s, const eight_bodies *b)
{
    flight f;
    load_inverse_inertia(&f, b);
    lanes4 angular = body_load(b, offsetof(mt_body_work, angular.z));
    arrival a = load_arrival(b, body_load(b, offsetof(mt_body_work, velocity)),
                             body_load(b, offsetof(mt_body_work, spin.y)), angular);
    a.inverse_mass = f.inverse_mass;
    finish_motion(s, &a, f.own_inverse_inertia);
    body_store(b, offsetof(mt_body_work, velocity),
               (lanes4){a.velocity.x, a.velocity.y, a.velocity.z, a.spin.x});
    body_store(b, offsetof(mt_body_work, spin.y), (lanes4){a.spin.y, a.spin.z, a.angular.x, a.angular.y});
    body_store(b, offsetof(mt_body_work, angular.z), (lanes4){a.angular.z, angular.y, angular.z, angular.w});
}

#endif
