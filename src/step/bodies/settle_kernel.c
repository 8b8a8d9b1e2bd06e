/* Settling: after the contacts of a substep are known, how much each counts for its body, which rows of
 * particles have any, and whether a body has what its guess took for granted. */
#include "step/bodies/matching.h"
#include "step/bodies/pose_lanes.h"
#include "step/kernels.h"

#define MT_LEAST_LOAD 0.01f /* of the depth that weight makes in a substep, a contact */

/* Which way is out, for the contacts, and what they do not see of the body's weight. */
LANE_FUNCTION void face_rows(const mt_substep *s, const mt_body_work *w)
{
    float guess = mt_body_moves(w) && w->held && w->touches > 0 ? mt_length(w->guess) / w->touches : 0.0f;
    const lanes_frame at = lanes_frame_all(&w->at);
    const mt_body_row *row = row_at(s, w, 0), *const end = row + w->rows;
    for (; row < end; row++) {
        if (row->quiet && mt_body_moves(w)) /* what does not move has no contacts of its own */
            continue;
        const mt_row_rest *rest = row->rest;
        lanes3 normal = {lanes_load(rest->normal_x), lanes_load(rest->normal_y), lanes_load(rest->normal_z)};
        row_store(s->facing, row, lanes_turn(&at, normal),
                  lanes_select(lanes_of_bits(row->solid), lanes_all(guess + 1e-20f), lanes_all(-guess)));
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
            touching += s->predicted[row_at(s, w, k)->rest->slot[n]].w > 0;
    lanes part = lanes_all(touching > 1 ? 1.0f / (float)touching : 1.0f);
    for (uint32_t k = 0; k < w->rows; k++)
        lanes_store(row_of(s, w, k)->rest->opposes, lanes_load(row_at(s, w, k)->rest->resistance) * part);
}

typedef struct leaning {
    lanes near;  /* how many there are, and MT_TOUCHES for each that would touch without the guess */
    lanes depth; /* of the particle's contacts, m */
    lanes turn;  /* the root of what a push of 1 along its normal turns the body by at the particle, kg^-1/2 */
} leaning;

/* The real ones of a row are the first. */
LANE_FUNCTION lane_mask real_lanes(const mt_body_row *row)
{
    return lanes_of_bits((1u << row->count) - 1u);
}

/* A body turned as it is: its frame, and how easily it turns. */
typedef struct turned_body {
    lanes_frame at;
    lanes ease[6]; /* the last three twice */
} turned_body;

LANE_FUNCTION turned_body turned_body_of(const mt_body_work *w)
{
    const float *e = w->ease;
    return (turned_body){lanes_frame_all(&w->at),
                         {lanes_all(e[0]), lanes_all(e[1]), lanes_all(e[2]), lanes_all(2.0f * e[3]),
                          lanes_all(2.0f * e[4]), lanes_all(2.0f * e[5])}};
}

LANE_FUNCTION leaning lean_of(const mt_substep *s, const turned_body *b, const mt_body_row *row)
{
    lanes4 lean = row_load(s->twist, row);
    lanes length = lanes_sqrt(lean.x * lean.x + lean.y * lean.y + lean.z * lean.z);
    lanes to_unit = lanes_all(1.0f) / lanes_max(length, lanes_all(1e-20f));
    lanes3 arm = lanes_turn(&b->at, (lanes3){lanes_load(row->x), lanes_load(row->y), lanes_load(row->z)});
    lanes3 n = {lean.x * to_unit, lean.y * to_unit, lean.z * to_unit}, t = lanes3_cross(arm, n);
    const lanes *e = b->ease;
    lanes square =
        t.x * (e[0] * t.x + e[3] * t.y + e[4] * t.z) + t.y * (e[1] * t.y + e[5] * t.z) + t.z * (e[2] * t.z);
    lane_mask real = real_lanes(row);
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
    const turned_body body = turned_body_of(w);
    lanes depth = lanes_all(0.0f), turns = depth, near = depth, squares = depth, bearing = depth;
    mt_body_row *const rows = row_of(s, w, 0), *const end = rows + w->rows;
    for (mt_body_row *row = rows; row < end; row++) {
        if (row->quiet)
            continue;
        leaning l = lean_of(s, &body, row);
        lane_mask bears = lanes_above(l.depth, lanes_all(0.0f));
        near += l.near;
        depth += l.depth;
        squares += l.depth * l.depth;
        bearing += lanes_keep(bears, lanes_all(1.0f));
        turns += l.depth * l.turn;
        lanes_store(row->rest->opposes,
                    lanes_select(bears, l.turn, lanes_all(-1.0f))); /* until the mean is known */
    }
    float contacts_near = lanes_sum(near), count = floorf(contacts_near * (1.0f / MT_TOUCHES));
    float sum = lanes_sum(depth), least = MT_LEAST_LOAD * count * s->weight_depth;
    w->alone = contacts_near == 0;
    w->held = w->held || count > 0;
    w->touches = lanes_sum(bearing);
    w->load = w->load > least ? w->load : least; /* a load of nothing would give each contact the whole body */
    float contacts = sum > 0 ? sum * sum / lanes_sum(squares) : 0.0f;
    lanes mean = lanes_all(sum > 0 ? lanes_sum(turns) / sum : 0.0f);
    lanes relaxation = lanes_all(contacts < s->relaxation ? contacts : s->relaxation);
    for (mt_body_row *row = rows; row < end; row++) {
        if (row->quiet)
            continue;
        lanes turn = lanes_load(row->rest->opposes);
        lanes_store(row->rest->opposes,
                    lanes_select(lanes_at_least(turn, lanes_all(0.0f)),
                                 lanes_all(1.0f) / (relaxation * (lanes_all(w->inverse_mass) + turn * mean)),
                                 lanes_load(row->rest->resistance)));
    }
}

/* Weights that contacts see. Of quiet rows nobody asks for them. */
LANE_FUNCTION void write_weights(const mt_substep *s, const mt_body_work *w)
{
    mt_body_row *row = row_of(s, w, 0), *const end = row + w->rows;
    for (; row < end; row++) {
        if (row->quiet || !(w->held || row->weighed))
            continue;
        float weight[LANES];
        lanes_store(weight,
                    w->held ? lanes_all(1.0f) / lanes_load(row->rest->opposes) : lanes_load(row->rest->ease));
        if (row->flies && s->left_to_bodies) {
            mote_vec4 *surface = s->surface + row->first;
            for (uint32_t n = 0; n < LANES; n++)
                surface[n].z = weight[n];
        } else
            for (uint32_t n = 0; n < row->count; n++)
                s->transport[row->rest->slot[n]].w = s->surface[row->rest->slot[n]].z = weight[n];
        row->weighed = w->held;
    }
}

/* Whether a row has no contacts, so that nobody asks for it. */
LANE_FUNCTION bool is_quiet(const mt_substep *s, const mt_body_row *row)
{
    if (row->whole && s->still[row->first / LANES] != 0)
        return true;
    if (row->flies && s->left_to_bodies) /* else it would be still */
        return false;
    return !s->picked && !s->fluid.any &&
           lanes_bits(lanes_above(row_load(s->twist, row).w, lanes_all(0.0f)) & real_lanes(row)) == 0;
}

/* Which rows have contacts, and the load of all. `shared`: shared particles may have some, too. */
LANE_FUNCTION bool judge_rows(const mt_substep *s, mt_body_work *w, bool shared)
{
    lanes sum = lanes_all(0.0f);
    bool any = false;
    mt_body_row *row = row_of(s, w, 0), *const end = row + w->rows;
    for (; row < end; row++) {
        row->quiet = is_quiet(s, row);
        if (row->quiet) {
            if (row->whole && !s->crowded && mt_body_moves(w))
                s->still[row->first / LANES] = 1;
            continue;
        }
        any = true;
        sum += lanes_max(lanes_keep(real_lanes(row), row_load(s->predicted, row).w), lanes_all(0.0f));
    }
    float load = any ? lanes_sum(sum) : 0.0f;
    const mt_body_share *share = shares_of(s, w);
    for (uint32_t k = 0; k < w->shares && shared; k++, share++) {
        const mt_shared_place *place = &mt_shared_places(s->bodies)[share->place];
        float own = s->predicted[place->slot].w;
        if (place->inverse_resistance > 0 && own > 0)
            load += own;
    }
    w->load = load;
    w->held = load > 0;
    return any;
}

/* Shapes ask how far particles would have gone: nothing has turned the body since it was predicted. */
LANE_FUNCTION void write_transport(const mt_substep *s, const mt_body_work *w)
{
    const mt_body_row *row = row_at(s, w, 0), *const end = row + w->rows;
    for (; row < end; row++)
        if (row->flies && s->shape_length[row->first / LANES] > 0)
            row_store(s->transport, row, row_transport(s, w, row, row_arms(&w->at, row)),
                      lanes_load(row->rest->ease));
}

LANE_FUNCTION void settle_body(const mt_substep *s, mt_body_work *w, bool shared)
{
    bool any = judge_rows(s, w, shared);
    w->alone = !any && !s->crowded;
    w->touches = 0.0f;
    if (s->crowded)
        split_masses(s, w);
    else if (any)
        weigh_contacts(s, w);
    if (!w->held) {
        w->push = w->lift;
        w->turn = (mote_vec3){0.0f, 0.0f, 0.0f}; /* the guess does not turn */
        w->pose.position = w->at.position = mt_add(w->free.position, mt_scale(w->lift, w->inverse_mass));
    }
    w->placed = w->shifts;
    if (!any)
        return;
    if (s->left_to_bodies)
        write_transport(s, w);
    write_weights(s, w);
    place_rows(s, w, false);
    face_rows(s, w);
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
                settle_body(s, w, !a->hushed);
            else
                face_rows(s, w);
            a->alone = a->alone && w->alone;
        }
        if (moving && !a->alone)
            place_shared(s, a, s->predicted, false, false);
    }
}
