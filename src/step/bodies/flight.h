/* Free flight of eight bodies at a time: their momenta at the start of a substep, and where they would be at its
 * end. */
#ifndef MOTE_STEP_BODIES_FLIGHT_H
#define MOTE_STEP_BODIES_FLIGHT_H

#include "step/bodies/pose_lanes.h"

#define MT_SLOW_TURN 0.01f /* rad a substep: below it the middle of a turn says enough of it */
/* What is read and written together: the numbers of a body in their order. */
_Static_assert(MT_BODY_NUMBER(own_inverse_inertia) == 4 && MT_BODY_NUMBER(size) == 28 &&
                   MT_BODY_NUMBER(start) == 32 && MT_BODY_NUMBER(pose) == 60,
               "numbers of a body follow each other");
_Static_assert(MT_BODY_NUMBER(velocity) == 184 && MT_BODY_NUMBER(spin) == 196 &&
                   MT_BODY_NUMBER(angular) == 208 && MT_BODY_NUMBER(push) == 220 &&
                   MT_BODY_NUMBER(turn) == 232 && MT_BODY_NUMBER(after_turn) == 244,
               "numbers of a body follow each other");

typedef struct flight {
    lanes inverse_mass, own_inverse_inertia[6];
    lanes3 velocity, spin, angular, position;
    lanes4 rotation; /* at the start, as the position */
} flight;

LANE_FUNCTION void load_inverse_inertia(flight *f, const eight_bodies *b)
{
    lanes4 low = body_load(b, offsetof(mt_body_work, inverse_mass));
    lanes4 high = body_load(b, offsetof(mt_body_work, own_inverse_inertia[3]));
    f->inverse_mass = low.x;
    f->own_inverse_inertia[0] = low.y;
    f->own_inverse_inertia[1] = low.z;
    f->own_inverse_inertia[2] = low.w;
    f->own_inverse_inertia[3] = high.x;
    f->own_inverse_inertia[4] = high.y;
    f->own_inverse_inertia[5] = high.z;
}

LANE_FUNCTION lanes3 shortened(lanes3 v, lanes most)
{
    lanes length = lanes3_length(v);
    lane_mask over = lanes_above(length, most);
    return lanes_bits(over) == 0 ? v : lanes3_select(over, lanes3_scale(v, most / length), v);
}

/* Takes what particles were given, which waits in push and turn, and falls as they do. */
static void take_given(const mt_substep *s, const eight_bodies *b)
{
    flight f;
    load_inverse_inertia(&f, b);
    lanes4 x = body_load(b, offsetof(mt_body_work, at_start.x)),
           y = body_load(b, offsetof(mt_body_work, at_start.y.y));
    lanes4 z = body_load(b, offsetof(mt_body_work, at_start.z.z));
    lanes_frame at = {{x.x, x.y, x.z}, {x.w, y.x, y.y}, {y.z, y.w, z.x}};
    lanes4 v = body_load(b, offsetof(mt_body_work, velocity)), l = body_load(b, offsetof(mt_body_work, spin.y));
    lanes4 p = body_load(b, offsetof(mt_body_work, angular.z)), t = body_load(b, offsetof(mt_body_work, turn));
    lanes3 velocity =
        lanes3_add((lanes3){v.x, v.y, v.z}, lanes3_scale((lanes3){p.y, p.z, p.w}, f.inverse_mass));
    lanes3 angular = lanes3_add((lanes3){l.z, l.w, p.x}, (lanes3){t.x, t.y, t.z});
    lane_mask moves = lanes_above(f.inverse_mass, lanes_all(0.0f));
    lanes damped = lanes_select(moves, lanes_all(s->forces.damped), lanes_all(1.0f));
    velocity = lanes3_scale(lanes3_add(velocity, lanes3_keep(moves, lanes3_all(s->forces.fall))), damped);
    velocity = shortened(velocity, lanes_all(s->limits.max_speed));
    angular = lanes3_scale(angular, damped);
    lanes3 spin = lanes_inverse_inertia_turned(f.own_inverse_inertia, &at, angular);
    body_store(b, offsetof(mt_body_work, velocity), (lanes4){velocity.x, velocity.y, velocity.z, spin.x});
    body_store(b, offsetof(mt_body_work, spin.y), (lanes4){spin.y, spin.z, angular.x, angular.y});
    body_store(b, offsetof(mt_body_work, angular.z), (lanes4){angular.z, p.y, p.z, p.w});
}

LANE_FUNCTION flight load_flight(const eight_bodies *b)
{
    flight f;
    load_inverse_inertia(&f, b);
    lanes4 place = body_load(b, offsetof(mt_body_work, start.position));
    lanes4 rest = body_load(b, offsetof(mt_body_work, start.rotation.y));
    f.position = (lanes3){place.x, place.y, place.z};
    f.rotation = (lanes4){place.w, rest.x, rest.y, rest.z};
    lanes4 v = body_load(b, offsetof(mt_body_work, velocity)), l = body_load(b, offsetof(mt_body_work, spin.y));
    lanes4 p = body_load(b, offsetof(mt_body_work, angular.z));
    f.velocity = (lanes3){v.x, v.y, v.z};
    f.spin = (lanes3){v.w, l.x, l.y};
    f.angular = (lanes3){l.z, l.w, p.x};
    return f;
}

/* As far as particles may go. What is no number stays none, or nobody would see it. */
LANE_FUNCTION lanes within_space(lanes x)
{
    const lanes most = lanes_all(0.1f * MT_FAR);
    return lanes_max(-most, lanes_min(most, x));
}

LANE_FUNCTION lanes3 spin_at(const flight *f, lanes4 rotation)
{
    lanes_frame at = lanes_frame_of(rotation);
    return lanes_inverse_inertia_turned(f->own_inverse_inertia, &at, f->angular);
}

/* Free flight: the angular momentum stays, the spin changes with how the body is turned. The turn is that of
 * the mean spin (Simpson's rule over start, middle and end) and, since turns do not commute, a part of the
 * spins' cross product: the Magnus series up to its second term. */
LANE_FUNCTION lanes4 turned_in_flight(const mt_substep *s, const flight *f)
{
    lanes h = lanes_all(s->h);
    lanes3 middle = spin_at(f, lanes_turned(f->rotation, lanes3_scale(f->spin, lanes_all(0.5f * s->h))));
    lanes4 rotation = lanes_turned(f->rotation, lanes3_scale(middle, h));
    lanes turn_square = lanes3_dot(f->spin, f->spin) * h * h;
    lane_mask slow = lanes_below(turn_square, lanes_all(MT_SLOW_TURN * MT_SLOW_TURN));
    if (lanes_bits(slow) == 0xFFu)
        return rotation;
    lanes3 last = spin_at(f, rotation), turn = last;
    for (int i = 0; i < 2; i++) {
        lanes3 half = lanes3_sub(
            lanes3_add(lanes3_scale(f->spin, lanes_all(5.0f)), lanes3_scale(middle, lanes_all(8.0f))), last);
        half = lanes3_add(lanes3_scale(half, lanes_all(s->h / 24.0f)),
                          lanes3_scale(lanes3_cross(middle, f->spin), lanes_all(s->h * s->h / 48.0f)));
        middle = spin_at(f, lanes_turned(f->rotation, half));
        lanes3 mean = lanes3_scale(lanes3_add(lanes3_add(f->spin, last), lanes3_scale(middle, lanes_all(4.0f))),
                                   lanes_all(s->h / 6.0f));
        lanes3 better =
            lanes3_add(mean, lanes3_scale(lanes3_cross(last, f->spin), lanes_all(s->h * s->h / 12.0f)));
        turn = better;
        if (i == 0)
            last = spin_at(f, lanes_turned(f->rotation, turn));
    }
    lanes4 better = lanes_turned(f->rotation, turn);
    return (lanes4){lanes_select(slow, rotation.x, better.x), lanes_select(slow, rotation.y, better.y),
                    lanes_select(slow, rotation.z, better.z), lanes_select(slow, rotation.w, better.w)};
}

LANE_FUNCTION void store_pose(const eight_bodies *b, size_t offset, lanes3 x, lanes4 q)
{
    body_store(b, offset, (lanes4){x.x, x.y, x.z, q.x});
    body_store(b, offset + 3 * sizeof(float), q);
}

LANE_FUNCTION void store_frame(const eight_bodies *b, size_t offset, const lanes_frame *f, lanes3 x)
{
    body_store(b, offset, (lanes4){f->x.x, f->x.y, f->x.z, f->y.x});
    body_store(b, offset + 4 * sizeof(float), (lanes4){f->y.y, f->y.z, f->z.x, f->z.y});
    body_store(b, offset + 8 * sizeof(float), (lanes4){f->z.z, x.x, x.y, x.z});
}

/* Flight with what bodies have of momenta; nothing was given to them since. */
static void fly(const mt_substep *s, const eight_bodies *b)
{
    flight f = load_flight(b);
    lanes4 rotation = turned_in_flight(s, &f);
    lanes3 end = lanes3_add(f.position, lanes3_scale(f.velocity, lanes_all(s->h)));
    end = (lanes3){within_space(end.x), within_space(end.y), within_space(end.z)};
    lanes_frame at = lanes_frame_of(rotation);
    const lanes zero = lanes_all(0.0f);
    store_pose(b, offsetof(mt_body_work, pose), end, rotation);
    store_frame(b, offsetof(mt_body_work, at), &at, end);
    body_store(b, offsetof(mt_body_work, push), (lanes4){zero, zero, zero, zero});
    body_store(b, offsetof(mt_body_work, turn), (lanes4){zero, zero, zero, zero});
}

#endif
