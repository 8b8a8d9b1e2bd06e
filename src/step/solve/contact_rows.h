/* One contact of each of eight particles: what it gives them. contact_kernel.c says how contacts are solved. */
#ifndef MOTE_STEP_SOLVE_CONTACT_ROWS_H
#define MOTE_STEP_SOLVE_CONTACT_ROWS_H

#include "base/simd.h"
#include "step/solve/body_contacts.h"
#include "step/solve/near.h"

#define MT_LEFT_OVERLAP 0.25f /* of the depth that weight makes in a substep: stabilising bodies leaves it */

typedef struct self {
    lanes4 x;       /* where the constraint is judged: predicted, or the start when stabilising */
    lanes4 start;   /* position at the start; w: radius */
    lanes radius;   /* in contacts */
    lanes w, share; /* inverse mass, and times the load over omega */
    lanes4 surface; /* if mixed */
    lanes softness; /* if soft: compliance over h^2, 1/kg */
    lanes4 facing;  /* if solid: out of its body; w: above 0 if it has one */
    lanes4 end;     /* if solid and stabilising: predicted */
} self;

typedef struct sum {
    lanes x, y, z;
    lanes load;
    lanes twist_x, twist_y, twist_z; /* if solid */
} sum;

typedef struct variant {
    bool stabilize; /* judge the start, no friction */
    bool mixed;     /* friction or mass differs between particles */
    bool scaled;    /* mass scaling */
    bool sticky;    /* adhesion; then also mixed */
    bool soft;      /* compliance; then also sticky, and not scaled */
    bool solid;     /* there are bodies; then also mixed */
} variant;

/* How much of the tangential displacement friction takes away. */
LANE_FUNCTION lanes friction_factor(lanes square, lanes bearing, lanes static_friction, lanes kinetic_friction)
{
    lanes holds = static_friction * bearing;
    lanes length = lanes_sqrt(lanes_max(square, lanes_all(1e-30f)));
    return lanes_select(lanes_below(square, holds * holds), lanes_all(1.0f),
                        kinetic_friction * bearing / length);
}

/* A direction for two particles at one and the same place: up for the later slot, down for the earlier. */
LANE_FUNCTION void part_ways(lanes3 *apart, lane_mask coincide, const uint32_t *index, lane_index own)
{
    lane_mask later = (lane_mask)(own > lanes_load_index(index));
    apart->x = lanes_keep(~coincide, apart->x);
    apart->y = lanes_select(coincide, lanes_select(later, lanes_all(1.0f), lanes_all(-1.0f)), apart->y);
    apart->z = lanes_keep(~coincide, apart->z);
}

typedef struct frictions {
    lanes still, sliding;
} frictions;

LANE_FUNCTION frictions frictions_of(const mt_substep *s, const self *me, lanes4 surface, const variant kind)
{
    if (kind.mixed)
        return (frictions){lanes_max(me->surface.x * surface.x, lanes_all(0.0f)), me->surface.y * surface.y};
    return (frictions){lanes_all(s->static_friction), lanes_all(s->kinetic_friction)};
}

/* Takes friction's part off a push. `u` is the displacement of the one beside the other, `normal` any vector
 * along the normal and `inverse_square` one over its square; `grip` is what presses the two together, m. */
LANE_FUNCTION void rub(lanes3 *push, lanes3 u, lanes3 normal, lanes inverse_square, lanes grip,
                       lanes static_friction, lanes kinetic_friction, lanes scale)
{
    lanes along = (u.x * normal.x + u.y * normal.y + u.z * normal.z) * inverse_square;
    u.x -= along * normal.x;
    u.y -= along * normal.y;
    u.z -= along * normal.z;
    lanes square = u.x * u.x + u.y * u.y + u.z * u.z;
    lanes factor = scale * friction_factor(square, grip, static_friction, kinetic_friction);
    push->x -= factor * u.x;
    push->y -= factor * u.y;
    push->z -= factor * u.z;
}

LANE_FUNCTION void add_push(sum *total, lanes3 push)
{
    total->x += push.x;
    total->y += push.y;
    total->z += push.z;
}

/* What adhesion makes of a contact. `strength` is how far its pull can move the two in an iteration, m. An open
 * contact (depth below 0) closes by no more than that, and every contact bears it. */
LANE_FUNCTION lanes hold(lanes *depth, lanes strength)
{
    lanes bearing = lanes_max(*depth, lanes_all(0.0f)) + strength;
    *depth = lanes_max(*depth, -strength);
    return bearing;
}

/* How much a contact adds to its impulse: not so much that the whole would pull harder than `most`. */
LANE_FUNCTION lanes give(float *given, lanes impulse, lanes most, lane_mask active)
{
    lanes before = lanes_load(given);
    lanes added = lanes_keep(active, lanes_max(impulse, -most - before));
    lanes_store(given, before + added);
    return added;
}

/* Compliance over h^2 of eight particles, 1/kg. */
LANE_FUNCTION lanes softness_of(const mt_substep *s, const uint32_t *index)
{
    lanes softness;
    for (int lane = 0; lane < LANES; lane++)
        softness[lane] = s->materials[s->material[index[lane]]].compliance * (s->inverse_h * s->inverse_h);
    return softness;
}

/* A push acts where the surfaces meet and not at the centre: the moment that this adds. `across` is from the
 * other centre to this one at the start of the substep, so that what the two are given cancels to the last
 * bit. */
LANE_FUNCTION void add_twist(sum *total, lanes3 across, lanes3 push)
{
    lanes half = lanes_all(0.5f);
    total->twist_x -= half * (across.y * push.z - across.z * push.y);
    total->twist_y -= half * (across.z * push.x - across.x * push.z);
    total->twist_z -= half * (across.x * push.y - across.y * push.x);
}

/* Two particles that touch. */
typedef struct pair {
    lanes touch, distance, to_unit; /* sum of radii, m; of the centres, m; one over that, 1/m */
} pair;

typedef struct meeting {
    lane_mask active; /* there is something to solve */
    lane_mask solid;  /* one of the two is in a body with an inside, */
    lane_mask bodies; /* and both are */
    lanes guessed;    /* what the guess gave the bodies, kg m */
    lanes quiet;      /* how much of stabilising there is to be */
} meeting;

/* What bodies make of a contact: its normal, and of its depth when stabilising, which knows no friction, what
 * is not better left. `u` is how far the two move beside each other in the substep. */
LANE_FUNCTION meeting meet_bodies(const mt_substep *s, const self *me, lanes4 facing, pair p, lane_mask active,
                                  lanes3 u, lanes friction, lanes *depth, lanes3 *normal, const variant kind)
{
    meeting m = {active, lanes_above(lanes_max(me->facing.w, facing.w), lanes_all(0.0f)),
                 lanes_above(lanes_min(me->facing.w, facing.w), lanes_all(0.0f)), lanes_all(0.0f),
                 lanes_all(1.0f)};
    if (kind.stabilize) {
        *depth -= lanes_keep(m.bodies, lanes_all(MT_LEFT_OVERLAP * s->weight_depth));
        m.active &= lanes_above(*depth, lanes_all(0.0f));
        if (lanes_bits(m.active) == 0)
            return m;
    }
    m.guessed =
        lanes_all(s->first) * lanes_max(lanes_max(me->facing.w, -me->facing.w), lanes_max(facing.w, -facing.w));
    face(me->facing, facing, normal, p.distance, p.to_unit, m.active);
    lanes way_square = u.x * u.x + u.y * u.y + u.z * u.z;
    if (!kind.soft && lanes_bits(m.bodies) != 0)
        straighten(s, normal, p.distance, p.to_unit, friction, way_square, m.bodies);
    if (kind.stabilize)
        m.quiet = calm(s, way_square, p.touch);
    return m;
}

/* Which of eight pairs have a liquid's particle, and how near they may come: liquids come nearer. */
LANE_FUNCTION lane_mask wet_pairs(const mt_substep *s, const self *me, const uint32_t *index, lanes *touch)
{
    lanes slip = lanes_gather(s->surface, index).x; /* below 0 for liquids */
    *touch -= lanes_keep(lanes_below(slip, lanes_all(0.0f)), lanes_all(s->fluid.contact));
    return lanes_below(lanes_min(me->surface.x, slip), lanes_all(0.0f));
}

/* Which of eight pairs have a particle of an assembly with joints. */
LANE_FUNCTION lane_mask jointed_pairs(const mt_substep *s, lane_index own, const uint32_t *index)
{
    uint32_t slots[LANES], bits = 0;
    lanes_store_index(slots, own);
    for (uint32_t n = 0; n < LANES; n++)
        bits |= (uint32_t)(((s->marks[slots[n]] | s->marks[index[n]]) & MT_MARK_JOINTED) != 0) << n;
    return lanes_of_bits(bits);
}

/* What mass scaling makes of a contact; nothing for those that are `spared`. */
LANE_FUNCTION scaling scale_pair(const mt_substep *s, lanes3 normal, lanes bearing, lanes w, lanes other_w,
                                 const meeting *m, lane_mask spared, const variant kind)
{
    scaling part = kind.solid ? scale_bodies(s, normal, bearing, w, other_w, m->solid, m->bodies)
                              : scale_masses(s, normal, bearing, m->solid);
    part.own = lanes_select(spared, lanes_all(1.0f), part.own);
    part.other = lanes_select(spared, lanes_all(1.0f), part.other);
    return part;
}

/* Eight contacts: of the particles `me`, whose slots are `own`, with those whose slots are at `index`. */
LANE_FUNCTION void add_row(const mt_substep *s, const self *me, sum *total, const uint32_t *index, float *given,
                           lane_index own, const variant kind)
{
    lanes4 other_start = lanes_gather(s->position, index);
    lanes4 other = lanes_gather(s->predicted, index);
    lanes other_load = other.w;
    lanes4 other_end = other;
    if (kind.stabilize)
        other = other_start;
    lanes dx = me->x.x - other.x, dy = me->x.y - other.y, dz = me->x.z - other.z;
    lanes square = dx * dx + dy * dy + dz * dz;
    lanes touch = me->radius + other_start.w;
    lane_mask wet = s->fluid.any && kind.mixed ? wet_pairs(s, me, index, &touch) : (lane_mask){0};
    lanes reach = kind.sticky ? touch * lanes_all(MT_ADHESION_REACH) : touch;
    lane_mask active = lanes_below(square, reach * reach);
    if (kind.soft)
        active |= lanes_above(lanes_load(given), lanes_all(0.0f));
    if (lanes_bits(active) == 0)
        return;

    /* What friction needs hangs on 1 / square, what the push needs on the root, so that the two run side by
     * side. */
    lanes inverse_square = lanes_all(1.0f) / lanes_max(square, lanes_all(1e-24f));
    lanes distance = lanes_sqrt(square);
    lanes to_unit = distance * inverse_square;
    lanes3 apart = {dx, dy, dz};
    lane_mask coincide = lanes_below(square, lanes_all(1e-24f));
    if (__builtin_expect(lanes_bits(coincide) != 0, 0)) {
        part_ways(&apart, coincide, index, own);
        to_unit = lanes_select(coincide, lanes_all(1.0f), to_unit);
        inverse_square = lanes_select(coincide, lanes_all(1.0f), inverse_square);
    }
    lanes4 surface = me->surface;
    lanes w = me->w, share = me->share;
    lanes other_w =
        lanes_keep(lanes_at_least(other_load, lanes_all(0.0f)), w); /* who cannot move has a load of -1 */
    if (kind.mixed) {
        surface = lanes_gather(s->surface, index);
        other_w = surface.z;
    }
    meeting m = {active, active, active, lanes_all(0.0f), lanes_all(1.0f)};
    lanes3 normal = apart;
    lanes depth = touch - distance;
    lanes3 before = {me->start.x - other_start.x, me->start.y - other_start.y, me->start.z - other_start.z};
    lanes3 u = {apart.x - before.x, apart.y - before.y, apart.z - before.z};
    if (s->fluid.any && kind.mixed && !kind.stabilize)
        touch_first(before, &normal, touch, distance, wet & active);
    if (kind.solid) {
        if (kind.stabilize)
            u = (lanes3){me->end.x - other_end.x - before.x, me->end.y - other_end.y - before.y,
                         me->end.z - other_end.z - before.z};
        m = meet_bodies(s, me, lanes_gather(s->facing, index), (pair){touch, distance, to_unit}, active, u,
                        me->surface.x * surface.x, &depth, &normal, kind);
        active = m.active;
        if (kind.stabilize && lanes_bits(active) == 0)
            return;
    }

    lanes bearing = depth; /* what the contact counts by: its depth, and what it holds */
    lanes pull = lanes_all(0.0f), softness = lanes_all(0.0f);
    if (kind.soft) {
        softness = me->softness + softness_of(s, index);
        depth -= softness * lanes_load(given);
    }
    if (kind.sticky) {
        lanes curvature = me->start.w * other_start.w / lanes_max(touch, lanes_all(1e-20f));
        pull = lanes_all(MT_PULL * s->pull_share) * curvature * me->surface.w * surface.w;
        bearing =
            kind.soft ? lanes_max(depth, -depth) + pull * (w + other_w) : hold(&depth, pull * (w + other_w));
    }
    total->load += lanes_keep(active, bearing);
    lanes other_share = other_w * other_load * lanes_all(s->inverse_relaxation);
    lanes weight = lanes_all(1.0f);
    if (kind.scaled) {
        lane_mask spared = wet; /* liquids would not keep their momentum */
        if (kind.solid && s->spares_joints)
            spared |= jointed_pairs(s, own, index);
        scaling part = scale_pair(s, normal, bearing, w, other_w, &m, spared, kind);
        weight = part.own;
        w *= part.own;
        share *= part.own;
        other_w *= part.other;
        other_share *= part.other;
    }
    lanes masses =
        lanes_max(lanes_max(share + other_share, (w + other_w + softness) * bearing), lanes_all(1e-30f));
    lanes scale = lanes_keep(active, bearing * weight / masses);
    if (kind.solid && kind.stabilize)
        scale *= m.quiet;
    lanes impulse = depth * scale;
    if (kind.soft)
        impulse = give(given, impulse, pull * lanes_all((float)s->iterations), active);
    lanes out = impulse * to_unit;
    lanes3 push = {normal.x * out, normal.y * out, normal.z * out};
    if (!kind.stabilize) {
        lanes grip = kind.soft ? lanes_max(depth, lanes_all(0.0f)) + pull * (w + other_w) : bearing;
        if (kind.solid && !kind.soft)
            grip += lanes_keep(active, m.guessed / lanes_max(scale, lanes_all(1e-30f)));
        frictions mu = frictions_of(s, me, surface, kind);
        rub(&push, u, normal, inverse_square, grip, mu.still, mu.sliding, scale);
        if (kind.solid)
            add_twist(total, before, push);
    }
    add_push(total, push);
}

/* A shape does not give way: its w is 0. */
LANE_FUNCTION void add_shape(const mt_substep *s, const self *me, sum *total, mt_shape_row *row,
                             const variant kind)
{
    lanes nx = lanes_load(row->normal_x), ny = lanes_load(row->normal_y), nz = lanes_load(row->normal_z);
    /* Stabilising judges the shape, too, where it was at the start. */
    lanes offset = lanes_load(kind.stabilize ? row->start_offset : row->offset);
    lanes depth = me->radius - (nx * me->x.x + ny * me->x.y + nz * me->x.z - offset);
    lanes open = kind.sticky ? me->start.w * lanes_all(2.0f - 2.0f * MT_ADHESION_REACH) : lanes_all(0.0f);
    lane_mask active = lanes_above(depth, open);
    if (kind.soft)
        active |= lanes_above(lanes_load(row->given), lanes_all(0.0f));
    if (lanes_bits(active) == 0)
        return;
    lanes bearing = depth, pull = lanes_all(0.0f), softness = lanes_all(0.0f);
    if (kind.soft) {
        softness = me->softness + lanes_load(row->softness);
        depth -= softness * lanes_load(row->given);
    }
    if (kind.sticky) {
        pull = lanes_load(row->pull) * lanes_all(s->pull_share);
        bearing = kind.soft ? lanes_max(depth, -depth) + pull * me->w : hold(&depth, pull * me->w);
    }
    total->load += lanes_keep(active, bearing);
    lanes masses = lanes_max(lanes_max(me->share, (me->w + softness) * bearing), lanes_all(1e-30f));
    lanes scale = lanes_keep(active, bearing / masses);
    lanes impulse = depth * scale;
    if (kind.soft)
        impulse = give(row->given, impulse, pull * lanes_all((float)s->iterations), active);
    lanes3 push = {nx * impulse, ny * impulse, nz * impulse};
    if (!kind.stabilize) {
        lanes grip = kind.soft ? lanes_max(depth, lanes_all(0.0f)) + pull * me->w : bearing;
        if (kind.solid && !kind.soft)
            grip += lanes_keep(active, lanes_all(s->first) * lanes_max(me->facing.w, -me->facing.w) /
                                           lanes_max(scale, lanes_all(1e-30f)));
        lanes3 u = {me->x.x - me->start.x - lanes_load(row->move_x),
                    me->x.y - me->start.y - lanes_load(row->move_y),
                    me->x.z - me->start.z - lanes_load(row->move_z)};
        rub(&push, u, (lanes3){nx, ny, nz}, lanes_all(1.0f), grip, lanes_load(row->static_friction),
            lanes_load(row->kinetic_friction), scale);
        lanes_store(row->push_x, lanes_load(row->push_x) + push.x);
        lanes_store(row->push_y, lanes_load(row->push_y) + push.y);
        lanes_store(row->push_z, lanes_load(row->push_z) + push.z);
        if (kind.solid) {
            lanes r = lanes_all(2.0f) * me->start.w;
            add_twist(total, (lanes3){r * nx, r * ny, r * nz}, push);
        }
    }
    add_push(total, push);
}

#endif
