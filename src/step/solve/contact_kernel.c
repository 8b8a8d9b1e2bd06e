/* Contacts and friction, solved by averaged Jacobi iterations with over-relaxation (Algorithm 2, lines 11 to
 * 25).
 *
 * A contact of i and j holds C = |x_i - x_j| - (r_i + r_j) >= 0. Where it does not, with n the unit vector
 * from j to i and d = -C the depth, i moves by
 *
 *     dx_i = w_i s (d n - f u),    s = d / max((w_i D_i + w_j D_j) / omega, (w_i + w_j) d),
 *
 * and j by the opposite with w_j. D_i is i's load, the sum of the depths of its contacts before the
 * iteration. All contacts of a particle pull at it at once, so each may have only a part of its mass; the
 * papers give each one of n the n-th part, here a contact gets the part d / D that it has in the load.
 * Contacts that carry little then do not hold up those that carry much, and since both sides use the same s
 * the impulses are equal and momentum is kept, which it is not when each side divides by its own n. A
 * contact alone is solved whole, and no omega makes it more.
 *
 * u is the part of the two displacements' difference since the start of the substep that is along the
 * surface. Friction takes it away whole while |u| < mu_s d (static), else mu_k d of it (kinetic): Coulomb's
 * law at the level of positions, as in Macklin et al. 2014.
 *
 * A contact with adhesion holds until it is open by a twentieth: it closes its gap, but with no more than
 * the impulse F h^2 of its pull in all iterations together, and its friction bears that pull as well as the
 * depth.
 *
 * A compliant contact (XPBD, Macklin et al. 2016) gives way: with lambda the impulse times h that it gave so
 * far in the substep and alpha its compliance, d - alpha / h^2 lambda takes the place of d, and alpha / h^2
 * stands beside the inverse masses. How far it gives way then depends neither on h nor on the number of
 * iterations. lambda also bounds it: what was given too much is taken back, down to nothing or, with
 * adhesion, to the whole pull.
 *
 * With mass scaling (shock propagation) the upper of two counts as lighter: w is multiplied by a factor of
 * the difference in height a = k (height_i - height_j), (1 + a/4)^2 for i and (1 - a/4)^2 for j, whose ratio
 * is e^a to second order and needs no exponential. Impulses are no longer equal then, which is what holds a
 * stack up, but would throw particles up from a hard impact; so the factor fades for depths that weight
 * alone does not make. body_contacts.h says what is different between bodies. */
#include "step/kernels.h"
#include "step/solve/contact_rows.h"

/* Nobody touches any of the eight, or they are of bodies, which are told of their contacts elsewhere. */
LANE_FUNCTION void leave_slice(const mt_substep *s, uint32_t i, const bool stabilize)
{
    if (s->still != NULL && s->still[i / LANES] != 0) {
        if (stabilize && s->last) /* where they started is asked for after that */
            memcpy(s->position_out + i, s->origin + i, LANES * sizeof *s->position);
        return;
    }
    if (stabilize) {
        memcpy(s->predicted_out + i, s->predicted + i, LANES * sizeof *s->predicted);
        memcpy(s->position_out + i, s->position + i, LANES * sizeof *s->position);
        return;
    }
    const float any = MT_FAR;
    const lanes unloaded = {any, any, any, 0.0f, any, any, any, 0.0f};
    const float *from = &s->predicted[i].x;
    float *to = &s->predicted_out[i].x;
    for (uint32_t k = 0; k < 4 * LANES; k += LANES)
        lanes_store(to + k, lanes_min(lanes_load(from + k), unloaded));
}

LANE_FUNCTION void solve_slice(const mt_substep *s, uint32_t slice, const variant kind)
{
    uint32_t i = slice * LANES;
    bool untouched = ((const uint32_t *)s->lists->touching.data)[slice] + s->shape_length[slice] == 0;
    if (untouched || (kind.solid && slice < s->first_loose)) {
        leave_slice(s, i, kind.stabilize);
        return;
    }
    lanes4 predicted = lanes_load4(s->predicted + i);
    lanes4 transport = lanes_load4(s->transport + i);
    self me = {.x = predicted, .start = lanes_load4(s->position + i), .w = transport.w};
    me.radius = me.start.w;
    if (s->fluid.any) /* density keeps liquids off solids and walls, contacts only keep them out */
        me.radius -=
            lanes_keep(lanes_above(lanes_load4(s->wet + i).z, lanes_all(0.0f)), lanes_all(s->fluid.contact));
    me.share = transport.w * predicted.w * lanes_all(s->inverse_relaxation);
    if (kind.stabilize)
        me.x = me.start;
    me.surface = kind.mixed ? lanes_load4(s->surface + i) : transport;
    if (kind.soft) {
        uint32_t slots[LANES];
        lanes_store_index(slots, lanes_all_index(i) + lanes_iota());
        me.softness = softness_of(s, slots);
    }
    lanes zero = lanes_all(0.0f);
    sum total = {zero, zero, zero, zero, zero, zero, zero};
    if (kind.solid) {
        me.facing = lanes_load4(s->facing + i);
        me.end = predicted;
    }

    uint32_t rows = ((const uint32_t *)s->lists->touching.data)[slice];
    const uint32_t *index = (const uint32_t *)s->lists->contact.data +
                            (size_t)((const uint32_t *)s->lists->start.data)[slice] * LANES;
    float *given =
        kind.soft ? s->given + (size_t)((const uint32_t *)s->lists->start.data)[slice] * LANES : NULL;
    lane_index own = lanes_all_index(i) + lanes_iota();
    for (uint32_t k = 0; k < rows; k++)
        add_row(s, &me, &total, index + (size_t)k * LANES, kind.soft ? given + (size_t)k * LANES : NULL, own,
                kind);
    for (uint32_t k = 0; k < s->shape_length[slice]; k++)
        add_shape(s, &me, &total, &s->shape_rows[s->shape_start[slice] + k], kind);

    lanes4 moved = {me.x.x + me.w * total.x, me.x.y + me.w * total.y, me.x.z + me.w * total.z,
                    lanes_select(lanes_above(me.w, lanes_all(0.0f)), total.load, lanes_all(-1.0f))};
    if (!kind.stabilize) {
        lanes_store4(s->predicted_out + i, moved);
        if (kind.solid)
            lanes_store4(s->twist + i, (lanes4){total.twist_x, total.twist_y, total.twist_z, zero});
        return;
    }
    /* Stabilising moves x and x* alike, so no velocity comes of it. */
    lanes4 carried = {predicted.x + (moved.x - me.start.x), predicted.y + (moved.y - me.start.y),
                      predicted.z + (moved.z - me.start.z), predicted.w};
    moved.w = me.start.w;
    lanes_store4(s->position_out + i, moved);
    lanes_store4(s->predicted_out + i, carried);
}

LANE_LOOP void solve_slices(const mt_substep *s, uint32_t begin, uint32_t end, const variant kind)
{
    for (uint32_t slice = begin; slice < end; slice++)
        solve_slice(s, slice, kind);
}

LANE_FUNCTION void solve_with_bodies(const mt_substep *s, uint32_t begin, uint32_t end, const bool stabilize)
{
    const bool mixed = true, solid = true;
    bool scaled = s->mass_scaling > 0, sticky = s->sticky && !stabilize;
    if (s->soft && !stabilize)
        solve_slices(s, begin, end, (variant){stabilize, mixed, .sticky = true, .soft = true, .solid = solid});
    else if (sticky && scaled)
        solve_slices(s, begin, end,
                     (variant){stabilize, mixed, .scaled = true, .sticky = true, .solid = solid});
    else if (sticky)
        solve_slices(s, begin, end, (variant){stabilize, mixed, .sticky = true, .solid = solid});
    else if (scaled)
        solve_slices(s, begin, end, (variant){stabilize, mixed, .scaled = true, .solid = solid});
    else
        solve_slices(s, begin, end, (variant){stabilize, mixed, .solid = solid});
}

/* Picks the loop that is compiled for just what the world needs. */
LANE_FUNCTION void solve_as_needed(const mt_substep *s, uint32_t begin, uint32_t end, const bool stabilize)
{
    bool scaled = s->mass_scaling > 0, sticky = s->sticky && !stabilize;
    if (s->bodies->body_count > 0)
        solve_with_bodies(s, begin, end, stabilize);
    else if (s->soft && !stabilize)
        solve_slices(s, begin, end, (variant){stabilize, .mixed = true, .sticky = true, .soft = true});
    else if (sticky && scaled)
        solve_slices(s, begin, end, (variant){stabilize, .mixed = true, .scaled = true, .sticky = true});
    else if (sticky)
        solve_slices(s, begin, end, (variant){stabilize, .mixed = true, .sticky = true});
    else if (s->mixed && scaled)
        solve_slices(s, begin, end, (variant){stabilize, .mixed = true, .scaled = true});
    else if (s->mixed)
        solve_slices(s, begin, end, (variant){stabilize, .mixed = true});
    else if (scaled)
        solve_slices(s, begin, end, (variant){stabilize, .scaled = true});
    else
        solve_slices(s, begin, end, (variant){stabilize, .mixed = false});
}

void MT_KERNEL(solve)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    (void)worker;
    solve_as_needed(context, begin, end, false);
}

void MT_KERNEL(stabilize)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    (void)worker;
    solve_as_needed(context, begin, end, true);
}
