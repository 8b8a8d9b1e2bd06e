/* The end of a substep for eight bodies at a time: their new motion, and what they rest on. */
#ifndef MOTE_STEP_BODIES_ARRIVAL_H
#define MOTE_STEP_BODIES_ARRIVAL_H

#include "step/bodies/flight.h"

#define MT_MOST_TURN 1.0f /* rad a substep */
#define MT_LEARNING  0.1f /* the part of a new support that the remembered one takes over in a substep */

typedef struct arrival {
    lanes inverse_mass, size;
    lanes3 velocity, spin, angular, push, turn, guess, lift, old_velocity;
    lanes_frame at;
} arrival;

LANE_FUNCTION lanes3 shortened(lanes3 v, lanes most)
{
    lanes length = lanes3_length(v);
    lane_mask over = lanes_above(length, most);
    return lanes_bits(over) == 0 ? v : lanes3_select(over, lanes3_scale(v, most / length), v);
}

/* What contacts gave, for the next substep to guess, beside what liquids gave. A body at rest has just what its
 * forces need, against their direction, and is not turned; what goes beyond that (an impact, friction that
 * slows it down) is not guessed to happen again. It is learned slowly, or a stack would swing about its
 * rest. */
LANE_FUNCTION lanes3 support_of(const mt_substep *s, const arrival *a, lane_mask held, lanes *last_lift)
{
    lanes inverse_h = lanes_all(s->inverse_h), zero = lanes_all(0.0f);
    lanes3 force = lanes3_scale(lanes3_sub(a->velocity, a->old_velocity), inverse_h);
    lanes size = lanes3_length(force);
    lane_mask forced = lanes_above(size, zero);
    lanes lift = lanes3_dot(a->lift, lanes3_all(s->up)) * a->inverse_mass * inverse_h * inverse_h;
    lift = lanes_keep(forced, lanes_min(lanes_max(lift, zero), size));
    *last_lift = lift;
    held &= forced;
    if (lanes_bits(held) == 0 || s->body_guess == 0)
        return (lanes3){zero, zero, zero};
    lanes3 up = lanes3_scale(force, lanes_all(-1.0f) / size);
    lanes given = lanes3_dot(a->push, up) * a->inverse_mass * inverse_h * inverse_h;
    lanes speed = lanes3_dot(a->velocity, up) + given * lanes_all(s->h);
    held &= lanes_above(given, zero) & ~lanes_above(speed, size * lanes_all(s->h)); /* not on its way up */
    given = lanes_min(given - lift, size);
    lanes before = lanes3_dot(a->guess, up) * a->inverse_mass / lanes_all(s->body_guess);
    lanes learned = lanes_max(lanes_all(MT_LEARNING) * given + lanes_all(1.0f - MT_LEARNING) * before, zero);
    return lanes3_select(held, lanes3_scale(up, learned), (lanes3){zero, zero, zero});
}

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
LANE_FUNCTION void finish_motion(const mt_substep *s, arrival *a, const lanes own_ease[6])
{
    lanes inverse_h = lanes_all(s->inverse_h), max_speed = lanes_all(s->max_speed);
    lanes3 change = shortened(lanes3_scale(a->push, a->inverse_mass * inverse_h), lanes_all(s->max_change));
    a->velocity = shortened(lanes3_add(a->velocity, change), max_speed);
    a->angular = lanes3_add(a->angular, lanes3_scale(a->turn, inverse_h));
    a->spin = lanes_ease_turned(own_ease, &a->at, a->angular);
    lanes fastest = lanes_select(lanes_below(a->size * inverse_h * lanes_all(MT_MOST_TURN), max_speed),
                                 lanes_all(s->inverse_h * MT_MOST_TURN), max_speed / a->size);
    lanes spin = lanes3_length(a->spin);
    lane_mask over = lanes_above(spin, fastest);
    if (lanes_bits(over) != 0) { /* beyond it a substep says nothing of the motion */
        a->spin = lanes3_select(over, lanes3_scale(a->spin, fastest / spin), a->spin);
        a->angular = lanes3_select(over, lanes3_scale(a->angular, fastest / spin), a->angular);
    }
    if (s->impulse)
        bind_speed(a, max_speed);
}

LANE_FUNCTION arrival load_arrival(const eight_bodies *b, lanes4 velocity, lanes4 spin, lanes4 angular)
{
    lanes4 x = body_load(b, offsetof(mt_body_work, at.x)), y = body_load(b, offsetof(mt_body_work, at.y.y));
    lanes4 z = body_load(b, offsetof(mt_body_work, at.z.z));
    lanes4 turn = body_load(b, offsetof(mt_body_work, turn)),
           guess = body_load(b, offsetof(mt_body_work, guess.y));
    lanes4 lift = body_load(b, offsetof(mt_body_work, lift.z)),
           old = body_load(b, offsetof(mt_body_work, old_velocity.z));
    return (arrival){
        .size = body_load(b, offsetof(mt_body_work, ease[5])).z,
        .velocity = {velocity.x, velocity.y, velocity.z},
        .spin = {velocity.w, spin.x, spin.y},
        .angular = {spin.z, spin.w, angular.x},
        .push = {angular.y, angular.z, angular.w},
        .turn = {turn.x, turn.y, turn.z},
        .guess = {turn.w, guess.x, guess.y},
        .lift = {guess.z, guess.w, lift.x},
        .old_velocity = {lift.z, lift.w, old.x},
        .at = {{x.x, x.y, x.z}, {x.w, y.x, y.y}, {y.z, y.w, z.x}},
    };
}

/* What the body rests on waits in `guess` until its particles remember it. */
static void arrive(const mt_substep *s, const eight_bodies *b)
{
    flight f;
    load_ease(&f, b);
    lanes4 angular = body_load(b, offsetof(mt_body_work, angular.z));
    arrival a = load_arrival(b, body_load(b, offsetof(mt_body_work, velocity)),
                             body_load(b, offsetof(mt_body_work, spin.y)), angular);
    uint32_t held = 0;
    for (uint32_t k = 0; k < LANES; k++)
        held |= (uint32_t)b->work[k]->held << k;
    a.inverse_mass = f.inverse_mass;
    lanes last_lift;
    lanes3 support = support_of(s, &a, lanes_of_bits(held), &last_lift);
    finish_motion(s, &a, f.own_ease);
    body_store(b, offsetof(mt_body_work, velocity),
               (lanes4){a.velocity.x, a.velocity.y, a.velocity.z, a.spin.x});
    body_store(b, offsetof(mt_body_work, spin.y), (lanes4){a.spin.y, a.spin.z, a.angular.x, a.angular.y});
    body_store(b, offsetof(mt_body_work, angular.z), (lanes4){a.angular.z, angular.y, angular.z, angular.w});
    body_store(b, offsetof(mt_body_work, turn.z), (lanes4){a.turn.z, support.x, support.y, support.z});
    body_store(b, offsetof(mt_body_work, lift), (lanes4){a.lift.x, a.lift.y, a.lift.z, last_lift});
}

#endif
