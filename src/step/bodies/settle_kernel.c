/* Settling: after the contacts of a substep are known, how much each counts for its body, which rows of
 * particles have any, and whether a body has what its guess took for granted. */
#include "step/bodies/matching.h"
#include "step/kernels.h"

#define MT_LEAST_LOAD 0.01f /* of the depth that weight makes in a substep, a contact */

/* Which way is out, for the contacts, and what they do not see of the body's weight. */
LANE_FUNCTION void face_rows(const mt_substep *s, const mt_body_work *w)
{
    float guess = mt_body_moves(w) && w->held && w->touches > 0 ? mt_length(w->guess) / w->touches : 0.0f;
    for (uint32_t k = 0; k < w->rows; k++) {
        const mt_body_row *row = row_at(s, w, k);
        if (row->quiet && mt_body_moves(w)) /* what does not move has no contacts of its own */
            continue;
        mt_body_row normals;
        lanes_store(normals.x, lanes_load(row->normal_x));
        lanes_store(normals.y, lanes_load(row->normal_y));
        lanes_store(normals.z, lanes_load(row->normal_z));
        lane_mask solid = lanes_above(lanes_load(row->depth), lanes_all(0.0f));
        row_store(s->facing, row, row_arms(&w->at, &normals),
                  lanes_select(solid, lanes_all(guess + 1e-20f), lanes_all(-guess)));
    }
}

/* ---- settling ------------------------------------------------------------------------------------------ */

/* Gauss-Seidel solves contacts one after the other, but a body hears of all its contacts at once: each may
 * have only its part of it (mass splitting, Tonge et al. 2012). */
static void split_masses(const mt_substep *s, const mt_body_work *w)
{
    uint32_t touching = 0;
    for (uint32_t k = 0; k < w->rows; k++)
        for (uint32_t n = 0; n < row_at(s, w, k)->count; n++)
            touching += s->predicted[row_at(s, w, k)->slot[n]].w > 0;
    for (uint32_t k = 0; touching > 1 && k < w->rows; k++) {
        mt_body_row *row = row_of(s, w, k);
        lanes_store(row->opposes, lanes_load(row->resistance) * lanes_all(1.0f / (float)touching));
    }
}

typedef struct leaning {
    lanes near;  /* how many there are, and MT_TOUCHES for each that would touch without the guess */
    lanes depth; /* of the particle's contacts, m */
    lanes turn;  /* the root of what a push of 1 along its normal turns the body by at the particle, kg^-1/2 */
} leaning;

LANE_FUNCTION leaning lean_of(const mt_substep *s, const mt_body_work *w, const mt_body_row *row)
{
    lanes4 lean = row_load(s->twist, row);
    lanes length = lanes_sqrt(lean.x * lean.x + lean.y * lean.y + lean.z * lean.z);
    lanes to_unit = lanes_all(1.0f) / lanes_max(length, lanes_all(1e-20f));
    lanes3 arm = row_arms(&w->at, row);
    lanes3 n = {lean.x * to_unit, lean.y * to_unit, lean.z * to_unit}, t = lanes3_cross(arm, n);
    lane_mask real = lanes_above(lanes_load(row->mass), lanes_all(0.0f));
    const float *e = w->ease;
    lanes square = t.x * (lanes_all(e[0]) * t.x + lanes_all(2.0f * e[3]) * t.y + lanes_all(2.0f * e[4]) * t.z) +
                   t.y * (lanes_all(e[1]) * t.y + lanes_all(2.0f * e[5]) * t.z) + t.z * (lanes_all(e[2]) * t.z);
    return (leaning){lanes_keep(real, lean.w), lanes_keep(real, length),
                     lanes_sqrt(lanes_max(square, lanes_all(0.0f)))};
}

/* How much a contact counts. Of n contacts of a body, with arms r and normals n, a push of 1 at contact k
 * moves contact l by A_kl = n_k . n_l / M + (r_k x n_k) . I^-1 (r_l x n_l). Contacts solved at once converge
 * if each takes itself for the sum of |A_kl| over l, and so it does: it counts with the inverse mass
 *
 *     1 / M + t_k (the mean of all t_l),    t^2 = (r x n) . I^-1 (r x n),
 *
 * times the number of contacts, or rather the whole load over its own (contact_kernel.c), by which also the
 * mean is weighted. There is nothing left to over-relax. A box that lies flat then stands on all its
 * particles, and one on a corner turns about it. */
LANE_FUNCTION void weigh_contacts(const mt_substep *s, mt_body_work *w)
{
    lanes depth = lanes_all(0.0f), turns = depth, near = depth, squares = depth, bearing = depth;
    for (uint32_t k = 0; k < w->rows; k++) {
        if (row_at(s, w, k)->quiet)
            continue;
        leaning l = lean_of(s, w, row_at(s, w, k));
        near += l.near;
        depth += l.depth;
        squares += l.depth * l.depth;
        bearing += lanes_keep(lanes_above(l.depth, lanes_all(0.0f)), lanes_all(1.0f));
        turns += l.depth * l.turn;
    }
    float contacts_near = lanes_sum(near), count = floorf(contacts_near * (1.0f / MT_TOUCHES));
    float sum = lanes_sum(depth), least = MT_LEAST_LOAD * count * s->weight_depth;
    w->alone = contacts_near == 0;
    w->held = w->held || count > 0;
    w->touches = lanes_sum(bearing);
    w->load = w->load > least ? w->load : least; /* a load of nothing would give each contact the whole body */
    if (!(sum > 0))
        return;
    lanes mean = lanes_all(lanes_sum(turns) / sum);
    float contacts = sum * sum / lanes_sum(squares);
    lanes relaxation = lanes_all(contacts < s->relaxation ? contacts : s->relaxation);
    for (uint32_t k = 0; k < w->rows; k++) {
        mt_body_row *row = row_of(s, w, k);
        if (row->quiet)
            continue;
        leaning l = lean_of(s, w, row);
        lanes_store(row->opposes,
                    lanes_select(lanes_above(l.depth, lanes_all(0.0f)),
                                 lanes_all(1.0f) / (relaxation * (lanes_all(w->inverse_mass) + l.turn * mean)),
                                 lanes_load(row->resistance)));
    }
}

LANE_FUNCTION void write_weights(const mt_substep *s, const mt_body_work *w)
{
    for (uint32_t k = 0; k < w->rows; k++) {
        const mt_body_row *row = row_at(s, w, k);
        if (row->quiet)
            continue;
        float weight[LANES];
        lanes_store(weight, lanes_all(1.0f) / lanes_load(row->opposes));
        for (uint32_t n = 0; n < row->count; n++)
            s->transport[row->slot[n]].w = s->surface[row->slot[n]].z = weight[n];
    }
}

/* Which rows have contacts, and the load of all. */
LANE_FUNCTION float judge_rows(const mt_substep *s, const mt_body_work *w)
{
    lanes sum = lanes_all(0.0f);
    for (uint32_t k = 0; k < w->rows; k++) {
        mt_body_row *row = row_of(s, w, k);
        lane_mask real = lanes_above(lanes_load(row->mass), lanes_all(0.0f));
        row->quiet = !s->picked && !s->fluid.any &&
                     lanes_bits(lanes_above(row_load(s->twist, row).w, lanes_all(0.0f)) & real) == 0;
        if (row->quiet && row->whole && !s->crowded && mt_body_moves(w))
            s->still[row->slot[0] / LANES] = 1;
        if (!row->quiet)
            sum += lanes_max(lanes_keep(real, row_load(s->predicted, row).w), lanes_all(0.0f));
    }
    float load = lanes_sum(sum);
    const mt_body_share *share = shares_of(s, w);
    for (uint32_t k = 0; k < w->shares; k++, share++) {
        const mt_shared_place *place = &mt_shared_places(s->bodies)[share->place];
        if (place->inverse_resistance > 0)
            load += fmaxf(s->predicted[place->slot].w, 0.0f);
    }
    return load;
}

LANE_FUNCTION void settle_body(const mt_substep *s, mt_body_work *w)
{
    w->load = judge_rows(s, w);
    w->held = w->load > 0;
    w->alone = false;
    w->touches = 0.0f;
    if (s->crowded)
        split_masses(s, w);
    else
        weigh_contacts(s, w);
    if (w->held) {
        write_weights(s, w);
        place_rows(s, w, false);
        return;
    }
    w->push = w->lift;
    w->turn = (mote_vec3){0.0f, 0.0f, 0.0f}; /* the guess does not turn */
    w->pose.position = w->at.position = mt_add(w->free.position, mt_scale(w->lift, w->inverse_mass));
    place_rows(s, w, false);
}

/* Which shared particles of an assembly have contacts, and whether none has. */
static bool judge_places(const mt_substep *s, const mt_assembly *a)
{
    const uint32_t *list = (const uint32_t *)s->bodies->order.data + 2 * (size_t)s->bodies->body_count;
    bool alone = true;
    for (uint32_t k = 0; k < a->places; k++) {
        mt_shared_place *place = &mt_shared_places(s->bodies)[list[a->first_place + k]];
        place->quiet = !s->picked && !s->fluid.any && s->twist[place->slot].w == 0;
        alone = alone && place->quiet;
    }
    return alone;
}

/* After the contacts of a substep are known: a body that touches nothing, nor would without its guess, goes
 * without the guess. */
void MT_KERNEL(bodies_settle)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        mt_assembly *a = (mt_assembly *)s->bodies->assemblies.data + k;
        bool moving = any_moves(s, a);
        a->hushed = judge_places(s, a);
        a->alone = a->hushed && moving && !s->picked && !s->fluid.any;
        for (uint32_t i = 0; i < a->bodies; i++) {
            mt_body_work *w = &works(s)[a->first_body + i];
            if (moving)
                settle_body(s, w);
            face_rows(s, w);
            a->alone = a->alone && w->alone;
        }
        if (moving)
            place_shared(s, a, s->predicted, false, false);
    }
}
