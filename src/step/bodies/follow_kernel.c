/* Bodies follow their particles, and particles their bodies: shape matching.
 *
 * A stage has moved some of a body's particles by d_i from where they belong. Each is taken for a push: the
 * body sets the mass R_i against a push at particle i (its resistance: 1 / R_i is how far a push of 1 moves
 * the body there, with all its mass and inertia, in the direction that gives way most), contacts have
 * counted with 1 / R_i as the particle's inverse mass, and so R_i d_i is what they gave. The body then moves
 * by
 *
 *     sum(R_i d_i) / M,    and turns by    I^-1 sum(r_i x R_i d_i),
 *
 * which is the rigid motion that is nearest to what the particles did, and gives on exactly the momentum
 * that they were given (arms r_i are taken at the start of the substep, as the places are that a contact's
 * two moments cancel for). Plain shape matching has the particles' own masses for R_i; a box that lies on a
 * sixteenth of its particles then gives way to a sixteenth of a push, and it takes as many more iterations
 * until it stands.
 *
 * The load of a body is that of all its particles: contact_kernel.c shares it among all contacts of the
 * body. */
#include "step/bodies/joint_rows.h"
#include "step/bodies/rows.h"
#include "step/kernels.h"

#define MT_LEAST_LOAD 0.01f /* of the depth that weight makes in a substep, a contact */

#define MT_SWEEPS 3 /* over the joints of an assembly, an iteration */

static const mt_body_share *shares_of(const mt_substep *s, const mt_body_work *w)
{
    return (const mt_body_share *)s->bodies->shares.data + w->first_share;
}

static bool moves(const mt_body_work *w)
{
    return w->inverse_mass > 0;
}

/* ---- particles follow ---------------------------------------------------------------------------------- */

/* `w` of what is written: the body's load. */
LANE_FUNCTION void place_rows(const mt_substep *s, const mt_body_work *w, const mt_frame *f, mote_vec4 *to,
                              float load)
{
    for (uint32_t k = 0; k < w->rows; k++) {
        const mt_body_row *row = row_at(s, w, k);
        row_store(to, row, row_places(f, row_arms(f, row)), lanes_all(load));
    }
}

/* A shared particle is in the middle of where its bodies want it. */
static void place_shared(const mt_substep *s, const mt_assembly *a, mote_vec4 *to, bool at_start)
{
    const uint32_t *list = (const uint32_t *)s->bodies->order.data + 2 * (size_t)s->bodies->body_count;
    for (uint32_t k = 0; k < a->places; k++) {
        mt_shared_place *place = &mt_shared_places(s->bodies)[list[a->first_place + k]];
        const mt_holder *holders = (const mt_holder *)s->bodies->holders.data + place->first;
        mote_vec3 sum = {0.0f, 0.0f, 0.0f};
        float load = 0.0f;
        for (uint32_t i = 0; i < place->count; i++) {
            const mt_body_work *w = &works(s)[holders[i].body];
            sum = mt_add(sum, mt_to_world(at_start ? &w->at_start : &w->at, holders[i].rest));
            load = w->load > load ? w->load : load;
        }
        sum = mt_scale(sum, 1.0f / (float)place->count);
        *(at_start ? &place->start : &place->end) = sum;
        float last = at_start ? s->position[place->slot].w : place->inverse_resistance > 0 ? load : -1.0f;
        to[place->slot] = (mote_vec4){sum.x, sum.y, sum.z, last};
    }
}

static void place_assembly(const mt_substep *s, const mt_assembly *a)
{
    for (uint32_t i = 0; i < a->bodies; i++) {
        const mt_body_work *w = &works(s)[a->first_body + i];
        if (moves(w))
            place_rows(s, w, &w->at, s->predicted, w->load);
    }
    place_shared(s, a, s->predicted, false);
}

/* ---- bodies follow ------------------------------------------------------------------------------------- */

typedef struct told {
    mote_vec3 push, turn;
    float load;
} told;

/* What the particles in `where` tell a body that thinks they are where `f` puts them. */
LANE_FUNCTION told listen(const mt_substep *s, const mt_body_work *w, const mt_frame *f, const mote_vec4 *where,
                          const bool at_start)
{
    row_sum sum = row_sum_zero();
    for (uint32_t k = 0; k < w->rows; k++) {
        const mt_body_row *row = row_at(s, w, k);
        lanes3 place = row_places(f, row_arms(f, row)), arm = row_arms(&w->at_start, row);
        lanes4 now = lanes_gather(where, row->slot);
        lanes r = lanes_load(row->opposes);
        lane_mask real = lanes_above(r, lanes_all(0.0f)); /* dummies are far away */
        lanes3 push = {lanes_keep(real, (now.x - place.x) * r), lanes_keep(real, (now.y - place.y) * r),
                       lanes_keep(real, (now.z - place.z) * r)};
        row_sum_add(&sum, arm, push);
        if (s->twisted && !at_start) {
            lanes4 twist = lanes_gather(s->twist, row->slot);
            sum.turn.x += lanes_keep(real, twist.x);
            sum.turn.y += lanes_keep(real, twist.y);
            sum.turn.z += lanes_keep(real, twist.z);
        }
        sum.load += lanes_max(lanes_keep(real, now.w), lanes_all(0.0f));
    }
    told t = {lanes3_sum(sum.push), lanes3_sum(sum.turn), lanes_sum(sum.load)};
    const mt_body_share *share = shares_of(s, w);
    for (uint32_t k = 0; k < w->shares; k++, share++) {
        const mt_shared_place *place = &mt_shared_places(s->bodies)[share->place];
        if (place->inverse_resistance == 0)
            continue;
        mote_vec4 now = where[place->slot];
        mote_vec3 d = mt_sub(mt_xyz(now), at_start ? place->start : place->end);
        mote_vec3 push = mt_scale(d, share->resistance);
        t.push = mt_add(t.push, push);
        t.turn = mt_add(t.turn, mt_cross(mt_turn(&w->at_start, share->rest), push));
        t.load += now.w > 0 ? now.w : 0.0f;
    }
    return t;
}

LANE_FUNCTION void follow_particles(const mt_substep *s, mt_body_work *w)
{
    told t = listen(s, w, &w->at, s->predicted, false);
    w->load = t.load;
    w->push = mt_add(w->push, t.push);
    w->turn = mt_add(w->turn, t.turn);
    mt_body_shift(w, mt_scale(t.push, w->inverse_mass), mt_ease(w->ease, t.turn));
}

/* ---- joints -------------------------------------------------------------------------------------------- */

static void give(mt_joint_work *j, mt_body_work *a, mt_body_work *b, const joint_sight *see, mote_vec3 push,
                 mote_vec3 moment)
{
    j->force = mt_add(j->force, push);
    j->torque = mt_add(j->torque, moment);
    mt_body_pull(a, see->arm_a, mt_turn(&a->at_start, j->anchor_a), mt_scale(push, -1.0f),
                 mt_scale(moment, -1.0f));
    if (b != NULL)
        mt_body_pull(b, see->arm_b, mt_turn(&b->at_start, j->anchor_b), push, moment);
}

/* A stiff joint holds no more torque than it yields at. */
static mote_vec3 yielded(const mt_substep *s, const mt_joint *joint, mt_joint_work *j, mote_vec3 moment)
{
    float most = joint->yield_torque * s->h * s->h;
    mote_vec3 whole = mt_add(j->torque, moment);
    float size = mt_length(whole);
    if (!(size > most))
        return moment;
    return mt_sub(mt_scale(whole, most / size), j->torque);
}

/* Gives a torque that is less than the joint would have to hold. The push at the anchor was worked out for a
 * joint that does not turn, so it is worked out anew for one that does: else it is too large, by a factor of
 * four for the end of a rod, and grows from iteration to iteration. */
static void give_way(const mt_substep *s, mt_joint_work *j, mt_body_work *a, mt_body_work *b, mote_vec3 moment)
{
    const mt_joint *joint = &s->joints[j->joint];
    const mote_vec3 none = {0.0f, 0.0f, 0.0f};
    joint_sight see = joint_see(joint, j, &a->at, b != NULL ? &b->at : &joint_world);
    give(j, a, b, &see, none, moment);
    see = joint_see(joint, j, &a->at, b != NULL ? &b->at : &joint_world);
    mote_vec3 at_b = b != NULL ? b->pose.position : none;
    joint_rows rows;
    double lambda[MT_MOST_ROWS];
    joint_add_anchor(&rows, &see, mt_sub(mt_add(mt_sub(at_b, a->pose.position), see.arm_b), see.arm_a));
    joint_solve_rows(&rows, 3, a, b, lambda);
    give(j, a, b, &see, (mote_vec3){(float)lambda[0], (float)lambda[1], (float)lambda[2]}, none);
}

/* The rows of a joint as its bodies are now, or as they were at the start. */
static joint_sight look(const mt_substep *s, const mt_joint_work *j, bool at_start, joint_rows *rows)
{
    const mt_body_work *a = &works(s)[j->a], *b = j->b != MT_NO_BODY ? &works(s)[j->b] : NULL;
    const mt_joint *joint = &s->joints[j->joint];
    const mt_frame *at_a = at_start ? &a->at_start : &a->at;
    const mt_frame *at_b = b == NULL ? &joint_world : at_start ? &b->at_start : &b->at;
    joint_sight see = joint_see(joint, j, at_a, at_b);
    joint_add_anchor(rows, &see, mt_sub(mt_add(mt_sub(at_b->position, at_a->position), see.arm_b), see.arm_a));
    joint_add_type(rows, joint->type, &see);
    joint_add_limits(rows, joint, &see);
    return see;
}

/* Solves them: the push at the anchor and the moment that b gets and a loses. */
static void answer(const joint_rows *rows, const mt_body_work *a, const mt_body_work *b, mote_vec3 *push,
                   mote_vec3 *moment)
{
    double lambda[MT_MOST_ROWS];
    int n = rows->count;
    joint_solve_rows(rows, n, a, b, lambda);
    for (int k = rows->limits; k < n; k++)
        if (lambda[k] * rows->error[k] > 0) { /* it would hold the joint at its limit */
            n = rows->limits;
            joint_solve_rows(rows, n, a, b, lambda);
        }
    *push = (mote_vec3){(float)lambda[0], (float)lambda[1], (float)lambda[2]};
    *moment = (mote_vec3){0.0f, 0.0f, 0.0f};
    for (int k = 3; k < n; k++)
        *moment = mt_add(*moment, mt_scale(rows->turn_b[k], (float)lambda[k]));
}

/* Whether a joint is as it should be, to a ten-thousandth of a radius. */
static bool is_closed(const mt_substep *s, const joint_rows *rows)
{
    for (int k = 0; k < rows->count; k++)
        if (fabs(rows->error[k]) > (k < 3 ? (double)s->closed : 1e-5))
            return false;
    return true;
}

/* True if it moved something. */
static bool solve_joint(const mt_substep *s, mt_joint_work *j)
{
    mt_body_work *a = &works(s)[j->a], *b = j->b != MT_NO_BODY ? &works(s)[j->b] : NULL;
    if (!moves(a) && (b == NULL || !moves(b)))
        return false;
    const mt_joint *joint = &s->joints[j->joint];
    joint_rows rows;
    joint_sight see = look(s, j, false, &rows);
    if (is_closed(s, &rows))
        return false;
    mote_vec3 push, moment;
    answer(&rows, a, b, &push, &moment);
    if (joint->yield_torque < MOTE_UNBREAKABLE && joint->type == MOTE_JOINT_STIFF) {
        mote_vec3 held = yielded(s, joint, j, moment);
        if (held.x != moment.x || held.y != moment.y || held.z != moment.z) {
            give_way(s, j, a, b, held);
            return true;
        }
    }
    give(j, a, b, &see, push, moment);
    return true;
}

static bool solve_joints(const mt_substep *s, const mt_assembly *a)
{
    mt_joint_work *j = mt_joint_works(s->bodies) + a->first_joint;
    bool moved = false;
    for (uint32_t sweep = 0; sweep < (a->joints > 1 ? MT_SWEEPS : 1); sweep++)
        for (uint32_t k = 0; k < a->joints; k++)
            moved |= solve_joint(s, j + ((sweep & 1) != (uint32_t)s->backwards ? a->joints - 1 - k : k));
    return moved;
}

/* The start and the end alike: no velocity comes of it. */
static void move_both(mt_body_work *w, mote_vec3 by, mote_vec3 turn)
{
    if (!moves(w))
        return;
    w->start.position = mt_add(w->start.position, by);
    w->start.rotation = mt_quat_turned(w->start.rotation, turn);
    w->at_start = mt_frame_of(w->start);
    mt_body_shift(w, by, turn);
}

/* What contacts left of a gap in the substep before is closed before it could become a speed. */
static bool stabilize_joint(const mt_substep *s, const mt_joint_work *j)
{
    mt_body_work *a = &works(s)[j->a], *b = j->b != MT_NO_BODY ? &works(s)[j->b] : NULL;
    if (!moves(a) && (b == NULL || !moves(b)))
        return false;
    joint_rows rows;
    joint_sight see = look(s, j, true, &rows);
    if (is_closed(s, &rows))
        return false;
    mote_vec3 push, moment;
    answer(&rows, a, b, &push, &moment);
    mote_vec3 turn = mt_scale(mt_add(mt_cross(see.arm_a, push), moment), -1.0f);
    move_both(a, mt_scale(push, -a->inverse_mass), mt_ease(a->ease, turn));
    if (b != NULL)
        move_both(b, mt_scale(push, b->inverse_mass),
                  mt_ease(b->ease, mt_add(mt_cross(see.arm_b, push), moment)));
    return true;
}

static bool stabilize_joints(const mt_substep *s, const mt_assembly *a)
{
    const mt_joint_work *j = mt_joint_works(s->bodies) + a->first_joint;
    bool moved = false;
    for (uint32_t sweep = 0; sweep < (a->joints > 1 ? MT_SWEEPS : 1); sweep++)
        for (uint32_t k = 0; k < a->joints; k++)
            moved |= stabilize_joint(s, j + ((sweep & 1) != 0 ? a->joints - 1 - k : k));
    return moved;
}

/* ---- the kernels --------------------------------------------------------------------------------------- */

static bool any_moves(const mt_substep *s, const mt_assembly *a)
{
    return moves(&works(s)[a->first_body]); /* all or none of an assembly sleep */
}

/* Which way is out, for the contacts, and what they do not see of the body's weight. */
LANE_FUNCTION void face_rows(const mt_substep *s, const mt_body_work *w)
{
    float guess = moves(w) && w->held && w->touches > 0 ? mt_length(w->guess) / w->touches : 0.0f;
    for (uint32_t k = 0; k < w->rows; k++) {
        const mt_body_row *row = row_at(s, w, k);
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

static mt_body_row *row_of(const mt_substep *s, const mt_body_work *w, uint32_t k)
{
    return (mt_body_row *)s->bodies->rows.data + w->first_row + k;
}

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
    lanes4 lean = lanes_gather(s->twist, row->slot);
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
        leaning l = lean_of(s, w, row);
        lanes_store(row->opposes,
                    lanes_select(lanes_above(l.depth, lanes_all(0.0f)),
                                 lanes_all(1.0f) / (relaxation * (lanes_all(w->inverse_mass) + l.turn * mean)),
                                 lanes_load(row->resistance)));
    }
}

static void write_weights(const mt_substep *s, const mt_body_work *w)
{
    for (uint32_t k = 0; k < w->rows; k++) {
        const mt_body_row *row = row_at(s, w, k);
        for (uint32_t n = 0; n < row->count; n++)
            s->transport[row->slot[n]].w = s->surface[row->slot[n]].z = 1.0f / row->opposes[n];
    }
}

LANE_FUNCTION void settle_body(const mt_substep *s, mt_body_work *w)
{
    w->load = listen(s, w, &w->at, s->predicted, false).load;
    w->held = w->load > 0;
    w->alone = false;
    w->touches = 0.0f;
    if (s->crowded)
        split_masses(s, w);
    else
        weigh_contacts(s, w);
    if (w->held) {
        write_weights(s, w);
        return;
    }
    w->pose = w->free;
    w->at = mt_frame_of(w->pose);
    w->push = w->turn = (mote_vec3){0.0f, 0.0f, 0.0f};
}

/* Whether the shared particles of an assembly have no contacts. */
static bool are_alone(const mt_substep *s, const mt_assembly *a)
{
    const uint32_t *list = (const uint32_t *)s->bodies->order.data + 2 * (size_t)s->bodies->body_count;
    for (uint32_t k = 0; k < a->places; k++)
        if (s->twist[mt_shared_places(s->bodies)[list[a->first_place + k]].slot].w != 0)
            return false;
    return true;
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
        a->alone = moving && !s->picked && are_alone(s, a);
        for (uint32_t i = 0; i < a->bodies; i++) {
            mt_body_work *w = &works(s)[a->first_body + i];
            if (moving)
                settle_body(s, w);
            face_rows(s, w);
            a->alone = a->alone && w->alone;
        }
        if (!moving)
            continue;
        place_assembly(s, a);
    }
}

void MT_KERNEL(bodies_follow)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        const mt_assembly *a = (const mt_assembly *)s->bodies->assemblies.data + k;
        if (!any_moves(s, a))
            continue;
        for (uint32_t i = 0; i < a->bodies && !a->alone; i++)
            follow_particles(s, &works(s)[a->first_body + i]);
        if (solve_joints(s, a) || !a->alone)
            place_assembly(s, a);
    }
}

/* The longest way by which the guard has put a particle of a body back. */
LANE_FUNCTION mote_vec3 longest_way_back(const mt_substep *s, const mt_body_work *w)
{
    mote_vec3 longest = {0.0f, 0.0f, 0.0f};
    for (uint32_t k = 0; k < w->rows; k++) {
        const mt_body_row *row = row_at(s, w, k);
        lanes3 place = row_places(&w->at, row_arms(&w->at, row));
        lanes4 now = lanes_gather(s->predicted, row->slot);
        for (uint32_t n = 0; n < row->count; n++) {
            mote_vec3 back = {now.x[n] - place.x[n], now.y[n] - place.y[n], now.z[n] - place.z[n]};
            if (mt_dot(back, back) > mt_dot(longest, longest))
                longest = back;
        }
    }
    return longest;
}

/* After the guard: who was stopped stops its body, which goes back as far as the particle that has to go
 * furthest. */
void MT_KERNEL(bodies_stop)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    const mote_vec3 middle = {0.0f, 0.0f, 0.0f};
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        const mt_assembly *a = (const mt_assembly *)s->bodies->assemblies.data + k;
        bool stopped = false;
        for (uint32_t i = 0; i < a->bodies && any_moves(s, a) && !a->alone; i++) {
            mt_body_work *w = &works(s)[a->first_body + i];
            mote_vec3 back = longest_way_back(s, w);
            if (mt_dot(back, back) == 0)
                continue;
            stopped = true;
            mt_body_push(w, middle, mt_scale(back, 1.0f / w->inverse_mass), middle);
        }
        if (stopped)
            place_assembly(s, a);
    }
}

/* Stabilising moves the start and the end alike. */
void MT_KERNEL(bodies_stabilize)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_substep *s = context;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        const mt_assembly *a = (const mt_assembly *)s->bodies->assemblies.data + k;
        if (!any_moves(s, a))
            continue;
        for (uint32_t i = 0; i < a->bodies && !a->alone; i++) {
            mt_body_work *w = &works(s)[a->first_body + i];
            told t = listen(s, w, &w->at_start, s->position, true);
            move_both(w, mt_scale(t.push, w->inverse_mass), mt_ease(w->ease, t.turn));
        }
        if (!stabilize_joints(s, a) && a->alone)
            continue;
        for (uint32_t i = 0; i < a->bodies; i++) {
            const mt_body_work *w = &works(s)[a->first_body + i];
            for (uint32_t r = 0; r < w->rows; r++) {
                const mt_body_row *row = row_at(s, w, r);
                row_store(s->position, row, row_places(&w->at_start, row_arms(&w->at_start, row)),
                          lanes_gather(s->position, row->slot).w);
            }
        }
        place_shared(s, a, s->position, true);
        place_assembly(s, a);
    }
}
