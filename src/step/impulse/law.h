/* What a contact does, eight at a time: the one law of contacts.
 *
 * With n the normal from b to a, s the separation at the start of the substep, u the velocity of a beside b at the
 * point of contact, K the inverse effective mass along n and p the impulse so far,
 *
 *     apart (s > 0)       u . n + s / h >= 0                     they may close the gap in the substep, not more
 *     overlapping         u . n + max(rate s, -most) + gamma p >= 0     a spring and damper, which leaks: without
 *                                                                the leak a warm start feeds itself
 *     compliant           u . n + s / h + (compliance / h^2) p >= 0     a spring, implicit Euler
 *
 * each with p >= -pull h, where pull is what adhesion holds with; and across n friction takes u away with at most
 * static_friction (p + pull h), or kinetic_friction of it once it slides.
 *
 * rate and gamma are those of a spring of 1 / (8 h) hertz with a damping ratio of 20 ("Soft step", Box2D v3;
 * Catto 2011): the fastest that one pass of Gauss-Seidel a substep holds in a high wall. Beside what does not move
 * it is twice as fast; and a loose particle on a shape, which has the last word in every pass and nothing behind it
 * that gives way, does not leak: it would sink by 0.4 h^2 of what accelerates it, as much as a radius when it is pulled
 * hard. Unless it is jammed between two shapes: see let_jams_leak in shape_contacts.c. Bodies that are deep in something
 * are parted more slowly, and bear less: see giving_way. */
#ifndef MOTE_STEP_IMPULSE_LAW_H
#define MOTE_STEP_IMPULSE_LAW_H

#include "base/lanes3.h"
#include "step/impulse/impulse.h"
#include "step/solve/near.h"

/* The two sides of eight contacts. */
typedef struct contact_sides {
    lanes3 va, vb, wa, wb; /* velocities and spins */
    lanes ma, mb;          /* inverse masses */
    lanes3 ra, rb;         /* from the movers' centres to the point of contact */
    lanes ea[6], eb[6];    /* inverse inertias */
    lanes3 ta, tb;         /* moments given to bodies */
    bool split;            /* contacts are solved at once, each with its part of its movers' masses: */
    lanes na, nb;          /* then: how many share the mover */
} contact_sides;

/* How rows are looked at. */
typedef struct row_kind {
    bool wide;    /* some mover can turn */
    bool shape;   /* b is a shape */
    bool compact; /* the row has no more */
} row_kind;

LANE_FUNCTION lanes3 inverse_inertia_times(const lanes e[6], lanes3 v)
{
    return (lanes3){e[0] * v.x + e[3] * v.y + e[4] * v.z, e[3] * v.x + e[1] * v.y + e[5] * v.z,
                    e[4] * v.x + e[5] * v.y + e[2] * v.z};
}

LANE_FUNCTION lanes3 row3(const float *x, const float *y, const float *z)
{
    return (lanes3){lanes_load(x), lanes_load(y), lanes_load(z)};
}

LANE_FUNCTION void put3(float *x, float *y, float *z, lanes3 v)
{
    lanes_store(x, v.x);
    lanes_store(y, v.y);
    lanes_store(z, v.z);
}

/* How much the two give way to a push of 1 along d. */
LANE_FUNCTION lanes inverse_effective_mass(const contact_sides *c, lanes3 d, const row_kind kind)
{
    lanes k = c->ma;
    if (!kind.shape)
        k += c->mb;
    if (kind.wide) {
        lanes3 t = lanes3_cross(c->ra, d);
        k += lanes3_dot(t, inverse_inertia_times(c->ea, t));
        if (!kind.shape) {
            t = lanes3_cross(c->rb, d);
            k += lanes3_dot(t, inverse_inertia_times(c->eb, t));
        }
    }
    return k;
}

/* The same where each of a mover's n contacts has only the n-th part of its mass (mass splitting, Tonge et al. 2012). */
LANE_FUNCTION lanes split_inverse_effective_mass(const contact_sides *c, lanes3 d, const row_kind kind)
{
    contact_sides part = *c;
    part.ma *= c->na;
    part.mb *= c->nb;
    for (uint32_t k = 0; k < 6 && kind.wide; k++) {
        part.ea[k] *= c->na;
        if (!kind.shape)
            part.eb[k] *= c->nb;
    }
    return inverse_effective_mass(&part, d, kind);
}

/* The velocity of a beside b where they touch. */
LANE_FUNCTION lanes3 beside(const contact_sides *c, const row_kind kind)
{
    lanes3 u = lanes3_sub(c->va, c->vb);
    if (kind.wide) {
        u = lanes3_add(u, lanes3_cross(c->wa, c->ra));
        if (!kind.shape)
            u = lanes3_sub(u, lanes3_cross(c->wb, c->rb));
    }
    return u;
}

/* a gets the impulse and b the opposite. */
LANE_FUNCTION void give_both(contact_sides *c, lanes3 p, const row_kind kind)
{
    c->va = lanes3_add(c->va, lanes3_scale(p, c->ma));
    if (!kind.shape)
        c->vb = lanes3_sub(c->vb, lanes3_scale(p, c->mb));
    if (!kind.wide)
        return;
    lanes3 t = lanes3_cross(c->ra, p);
    c->ta = lanes3_add(c->ta, t);
    c->wa = lanes3_add(c->wa, inverse_inertia_times(c->ea, t));
    if (kind.shape)
        return;
    t = lanes3_cross(c->rb, p);
    c->tb = lanes3_sub(c->tb, t);
    c->wb = lanes3_sub(c->wb, inverse_inertia_times(c->eb, t));
}

/* Two-sided division that gives 0 where nothing can move. */
LANE_FUNCTION lanes over(lanes value, lanes by)
{
    return lanes_keep(lanes_above(by, lanes_all(0.0f)), value / lanes_max(by, lanes_all(1e-30f)));
}

/* Lanes of contacts of bodies. */
LANE_FUNCTION lane_mask of_bodies(const mt_impulse_job *job, const mt_contact_row *row, const row_kind kind)
{
    const lane_mask first = (lane_mask)lanes_all_index(job->w->movers.first_body);
    lane_mask own = (lane_mask)((lane_mask)lanes_load_index(row->a) >= first);
    return kind.shape ? own : own | (lane_mask)((lane_mask)lanes_load_index(row->b) >= first);
}

/* By how much less than in proportion to its depth an overlap of a body is parted, and bears: as the root of it beyond
 * a tenth of a radius, where it is no longer that of something that rests. A body that is pressed into something by a
 * joint or from the other side could be shot out with what it bears; and what parts bodies that a blow has driven into
 * each other is work that nobody did. */
LANE_FUNCTION lanes giving_way(const mt_impulse_job *job, lanes separation)
{
    return lanes_sqrt(lanes_max(-separation * lanes_all(1.0f / job->soft.linear_depth), lanes_all(1.0f)));
}

/* How fast the furthest of what moves with a mover is beside a point that goes with v. */
LANE_FUNCTION lanes furthest_speed(const mt_impulse_job *job, const uint32_t mover[8], lanes3 own, lanes3 v)
{
    const float *swing = job->w->movers.swing.data;
    const uint32_t first = job->w->movers.first_body, none = job->w->movers.count - first;
    lanes more;
    for (uint32_t n = 0; n < LANES; n++)
        more[n] = swing[mover[n] >= first ? mover[n] - first : none];
    return lanes3_length(lanes3_sub(own, v)) + more;
}

/* How fast the furthest of two that are deep in each other is, or of what joints tie to them, beside how fast an overlap
 * may part them; 0 where they are not so deep. A contact that is pressed near a joint, or nearly towards it, would drive
 * the long end of a lever without ever parting the short one: so where two part already, a deep overlap pushes ever less
 * where this is above 1, and no more above 1.2; and from 2 to 3 it is given ever less again of what it bore. */
LANE_FUNCTION lanes lever_speed(const mt_impulse_job *job, const mt_contact_row *row, const contact_sides *c,
                                lanes separation, const row_kind kind)
{
    const lanes zero = lanes_all(0.0f);
    lane_mask deep = of_bodies(job, row, kind) & lanes_below(separation, lanes_all(-job->soft.linear_depth));
    if (lanes_bits(deep) == 0)
        return zero;
    lanes3 a = lanes3_add(c->va, lanes3_cross(c->wa, c->ra)), b = c->vb;
    if (!kind.shape)
        b = lanes3_add(b, lanes3_cross(c->wb, c->rb));
    lanes fastest = furthest_speed(job, row->a, c->va, b);
    if (!kind.shape)
        fastest = lanes_max(fastest, furthest_speed(job, row->b, c->vb, a));
    return lanes_keep(deep, fastest / lanes_all(job->soft.most_push));
}

/* 1 up to `from`, 0 beyond `to`. */
LANE_FUNCTION lanes fading(lanes value, float from, float to)
{
    lanes part = (lanes_all(to) - value) * lanes_all(1.0f / (to - from));
    return lanes_max(lanes_min(part, lanes_all(1.0f)), lanes_all(0.0f));
}

/* The part of its push that an overlap has whose two part already. */
LANE_FUNCTION lanes pushing_part(const mt_impulse_job *job, const mt_contact_row *row, const contact_sides *c,
                                 lanes separation, const row_kind kind)
{
    return fading(lever_speed(job, row, c, separation, kind), 1.0f, 1.2f);
}

/* What a contact bore is a guess of what it bears: the joint, the shape or the body that it bore against may be gone, or
 * held otherwise, or it was a blow. So what a body's contact is given again grows from substep to substep by no more than
 * what by itself parts the two as fast as an overlap may be parted: a load that rests is given whole, however light is what
 * carries it, and a blow is not given again; what is borne still is found anew. With it goes as much of the friction. A
 * loose particle on a shape may bear a heap: what all others gave it is given by then, and after it the two part no faster
 * either. */
LANE_FUNCTION lanes3 limit_warm(const mt_impulse_job *job, mt_contact_row *row, const contact_sides *c,
                                lanes3 n, lanes3 p, lanes warm, const row_kind kind)
{
    const lanes one = lanes_all(1.0f), zero = lanes_all(0.0f);
    lanes kept = lanes_load(row->impulse), parts = lanes3_dot(beside(c, kind), n);
    lanes speed = lanes_keep(~of_bodies(job, row, kind), parts);
    lanes most =
        lanes_max(over(lanes_all(job->soft.most_push) - speed, inverse_effective_mass(c, n, kind)), zero);
    most = lanes_select(of_bodies(job, row, kind), most + warm, most);
    lane_mask bound = kind.shape ? lanes_of_bits(0xffu) : of_bodies(job, row, kind);
    if (!row->more->plain)
        bound &= lanes_at_most(lanes_load(row->more->softness), zero);
    lanes part = lanes_select(bound & lanes_above(kept, most), most / lanes_max(kept, lanes_all(1e-30f)), one);
    if (kind.wide)
        part *=
            lanes_select(bound & lanes_above(parts, zero),
                         fading(lever_speed(job, row, c, lanes_load(row->separation), kind), 2.0f, 3.0f), one);
    lanes_store(row->impulse, kept * part);
    put3(row->friction_x, row->friction_y, row->friction_z,
         lanes3_scale(row3(row->friction_x, row->friction_y, row->friction_z), part));
    return lanes3_scale(p, part);
}

/* Gives the normal impulse, and answers what it is then. */
LANE_FUNCTION lanes press(const mt_impulse_job *job, const mt_contact_row *row, contact_sides *c, lanes3 n,
                          lanes separation, lane_mask on, const row_kind kind)
{
    const lanes zero = lanes_all(0.0f);
    lanes before = lanes_load(row->impulse), k = inverse_effective_mass(c, n, kind);
    lanes speed = lanes3_dot(beside(c, kind), n);
    lane_mask apart = lanes_above(separation, zero), fixed = lanes_at_most(lanes_min(c->ma, c->mb), zero);
    lanes rate = lanes_all(kind.shape ? job->soft.fixed_rate : job->soft.rate);
    lanes hardness = lanes_all(kind.shape ? job->soft.fixed_hardness : job->soft.hardness);
    if (!kind.shape) {
        rate = lanes_select(fixed, lanes_all(job->soft.fixed_rate), rate);
        hardness = lanes_select(fixed, lanes_all(job->soft.fixed_hardness), hardness);
    }
    lanes gamma = k * hardness, most_push = lanes_all(job->soft.most_push), least = zero,
          most = lanes_all(MT_FAR);
    if (!kind.compact) {
        gamma *= lanes_load(row->more->parallel);
        most_push = lanes_load(row->more->most_push);
    }
    if (kind.wide)
        rate = lanes_select(of_bodies(job, row, kind), rate / giving_way(job, separation), rate);
    gamma = lanes_keep(~apart, gamma);
    lanes bias =
        lanes_select(apart, separation * lanes_all(job->inverse_h), lanes_max(rate * separation, -most_push));
    if (kind.wide)
        bias = lanes_select(lanes_above(speed, zero), bias * pushing_part(job, row, c, separation, kind), bias);
    if (!kind.compact && !row->more->plain) {
        lanes softness = lanes_load(row->more->softness) * lanes_all(job->inverse_h * job->inverse_h);
        lane_mask soft = lanes_above(softness, zero);
        gamma = lanes_select(soft, softness, gamma);
        bias = lanes_select(soft, separation * lanes_all(job->inverse_h), bias);
        least = -lanes_load(row->more->pull) * lanes_all(job->h);
        most = lanes_select(soft, before - over(speed - most_push, k), most);
    }
    lanes total = before - over(speed + bias + gamma * before, k + gamma);
    total = lanes_max(lanes_min(total, most), least);
    lanes given = lanes_keep(on, total - before);
    give_both(c, lanes3_scale(n, given), kind);
    return before + given;
}

/* The same at position level, where the separation is that of the poses at hand, less what the velocities at hand have
 * made of it: u . n + s / h is what it is now, over h. An overlap is parted whole, and what was given too much is taken
 * back, so that over-relaxation (omega above 1) is that of projected SOR. Where contacts are solved at once, none is
 * corrected by more than the whole of its error. */
LANE_FUNCTION void project(const mt_impulse_job *job, mt_contact_row *row, contact_sides *c, lanes3 n,
                           lane_mask on, const row_kind kind)
{
    lanes before = lanes_load(row->impulse), whole = inverse_effective_mass(c, n, kind), k = whole,
          omega = lanes_all(job->at_position.omega);
    if (c->split) {
        k = split_inverse_effective_mass(c, n, kind);
        omega = lanes_min(omega, over(k, whole));
    }
    lanes bias = lanes_load(row->separation) * lanes_all(job->inverse_h);
    lanes gamma = lanes_all(0.0f), least = gamma;
    if (!row->more->plain) {
        gamma = lanes_load(row->more->softness) * lanes_all(job->inverse_h * job->inverse_h);
        least = -lanes_load(row->more->pull) * lanes_all(job->h);
    }
    lanes error = lanes3_dot(beside(c, kind), n) + bias + gamma * before;
    lanes total = lanes_max(before - omega * over(error, k + gamma), least);
    lanes given = lanes_keep(on, total - before);
    lanes_store(row->impulse, before + given);
    give_both(c, lanes3_scale(n, given), kind);
}

/* Friction, after the normal impulse. */
LANE_FUNCTION void rub_row(const mt_impulse_job *job, mt_contact_row *row, contact_sides *c, lanes3 n,
                           lane_mask on, const row_kind kind)
{
    const lanes zero = lanes_all(0.0f);
    lanes grip = lanes_load(row->impulse);
    if (!kind.compact && !row->more->plain)
        grip += lanes_load(row->more->pull) * lanes_all(job->h);
    lanes3 before = row3(row->friction_x, row->friction_y, row->friction_z);
    lanes held = lanes3_dot(before, before);
    on &= lanes_above(grip, zero) | lanes_above(held, zero);
    if (lanes_bits(on) == 0)
        return;
    lanes3 u = beside(c, kind);
    u = lanes3_sub(u, lanes3_scale(n, lanes3_dot(u, n)));
    lanes square = lanes3_dot(u, u);
    lanes masses = c->split ? c->ma * c->na + c->mb * c->nb : c->ma + c->mb, k = masses;
    if (kind.wide) {
        lanes size = lanes_sqrt(lanes_max(square, lanes_all(1e-30f)));
        lanes3 along = lanes3_scale(u, lanes_all(1.0f) / size);
        k = c->split ? split_inverse_effective_mass(c, along, kind) : inverse_effective_mass(c, along, kind);
        k = lanes_select(lanes_above(square, lanes_all(1e-24f)), k, masses);
    }
    lanes3 total = lanes3_sub(before, lanes3_scale(u, over(lanes_all(1.0f), k)));
    lanes size_square = lanes3_dot(total, total), size = lanes_sqrt(lanes_max(size_square, lanes_all(1e-30f)));
    grip = lanes_max(grip, zero);
    lanes holds = lanes_all(row->static_friction), drags = lanes_all(row->kinetic_friction);
    if (!kind.compact) {
        holds = lanes_load(row->more->static_friction);
        drags = lanes_load(row->more->kinetic_friction);
    }
    lanes scale = lanes_select(lanes_above(size, holds * grip), drags * grip / size, lanes_all(1.0f));
    total = lanes3_scale(total, scale);
    lanes3 given = lanes3_keep(on, lanes3_sub(total, before));
    put3(row->friction_x, row->friction_y, row->friction_z, lanes3_add(before, given));
    give_both(c, given, kind);
}

#endif
