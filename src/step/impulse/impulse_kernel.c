/* The passes over rows of contacts: geometry and warm start, the solve, and bounces. law.h says what a contact does. */
#include "step/impulse/rows.h"
#include "step/impulse/way_out.h"
#include "step/kernels.h"

/* ---- warm start and the solve -------------------------------------------------------------------------- */

/* The impulse of the last substep, turned with the contact. Where it would have to be pushed out of a deep overlap
 * there was no rest, and nothing is kept. */
LANE_FUNCTION lanes3 warm_impulse(const mt_impulse_job *job, mt_contact_row *row, lanes3 n, lanes separation)
{
    lanes3 last = row3(row->normal_x, row->normal_y, row->normal_z);
    lanes3 friction = row3(row->friction_x, row->friction_y, row->friction_z);
    lanes turn = lanes3_dot(n, last);
    lane_mask kept = lanes_above(separation * lanes_all(job->soft.rate), lanes_all(-job->soft.most_push));
    if (row->more != NULL && !row->more->plain) /* a spring may rest there */
        kept |= lanes_above(lanes_load(row->more->softness), lanes_all(0.0f));
    kept &= lanes_above(turn, lanes_all(0.5f));
    lanes p = lanes_keep(kept, lanes_load(row->impulse) * turn);
    friction = lanes3_sub(friction, lanes3_scale(n, lanes3_dot(friction, n)));
    friction = lanes3_keep(kept, friction);
    lanes_store(row->impulse, p);
    put3(row->friction_x, row->friction_y, row->friction_z, friction);
    return lanes3_add(lanes3_scale(n, p), friction);
}

/* A spring bears what it was pressed by, and has borne before. The rest of its depth was given, not earned: something was
 * put there. That comes to bear no faster than an overlap is parted, and as long as there is some it parts the two no
 * faster than that. */
LANE_FUNCTION lanes earned_separation(const mt_impulse_job *job, mt_contact_row *row, lanes separation)
{
    const lanes more = lanes_all(job->soft.most_push * job->h);
    lanes softness = lanes_load(row->more->softness);
    lanes warm = softness * lanes_max(lanes_load(row->impulse), lanes_all(0.0f)) * lanes_all(job->inverse_h);
    lanes least = -(warm + more);
    lane_mask soft = lanes_above(softness, lanes_all(0.0f)), given = soft & lanes_below(separation, least);
    lanes most_push = lanes_load(row->more->most_push);
    lanes_store(row->more->most_push, lanes_select(soft & ~given, lanes_all(MT_FAR), most_push));
    return lanes_select(given, least, separation);
}

LANE_FUNCTION void warm_row(const mt_impulse_job *job, mt_contact_row *row, const row_kind kind)
{
    lanes separation = lanes_load(row->separation);
    lanes3 n = row3(row->more->new_x, row->more->new_y, row->more->new_z);
    lanes3 p = warm_impulse(job, row, n, separation);
    lanes warm = lanes_load(row->more->warm);
    put3(row->normal_x, row->normal_y, row->normal_z, n);
    if (!row->more->plain)
        lanes_store(row->separation, earned_separation(job, row, separation));
    lane_mask on = lanes_of_bits(row->active);
    lane_mask given = on & (lanes_above(lanes3_dot(p, p), lanes_all(0.0f)));
    if (lanes_bits(given) == 0) { /* that is noted, whoever else is in the row */
        lanes_store(row->more->warm, lanes_load(row->impulse));
        return;
    }
    contact_sides c;
    fetch_sides(job, row, &c, kind);
    if (kind.wide || kind.shape)
        p = limit_warm(job, row, &c, n, p, warm, kind);
    lanes_store(row->more->warm, lanes_load(row->impulse));
    give_both(&c, lanes3_keep(given, p), kind);
    put_sides(job, row, &c, kind);
}

LANE_FUNCTION void press_row(const mt_impulse_job *job, mt_contact_row *row, const row_kind kind)
{
    if (row->active == 0)
        return;
    contact_sides c;
    lanes3 n = row3(row->normal_x, row->normal_y, row->normal_z);
    fetch_sides(job, row, &c, kind);
    lane_mask on = lanes_of_bits(row->active);
    lanes_store(row->impulse, press(job, row, &c, n, lanes_load(row->separation), on, kind));
    rub_row(job, row, &c, n, on, kind);
    put_sides(job, row, &c, kind);
}

/* ---- compact rows ------------------------------------------------------------------------------------------
 * Nobody asks for their geometry before the warm start, which makes it. A row that bears nothing has nothing to start
 * from: its geometry is made when it is pressed, and most often that is all; then nothing of it is read but its movers. */

static const row_kind compact = {.compact = true};

LANE_FUNCTION const mt_row_movers *movers_of(const mt_impulse_job *job, const mt_batch_of_rows *batch)
{
    return (const mt_row_movers *)job->w->rows.movers.data + batch->first;
}

/* Where the two of each contact are. */
typedef struct places {
    lanes4 a, b;
} places;

LANE_FUNCTION places places_of(const mt_impulse_job *job, const mt_row_movers *movers)
{
    return (places){lanes_gather(job->position, movers->a), lanes_gather(job->position, movers->b)};
}

LANE_FUNCTION void fetch_compact(const mt_impulse_job *job, const mt_row_movers *movers, contact_sides *c)
{
    lanes4 a = lanes_gather(job->velocity, movers->a), b = lanes_gather(job->velocity, movers->b);
    *c = (contact_sides){.va = xyz_of(a), .vb = xyz_of(b), .ma = a.w, .mb = b.w};
}

LANE_FUNCTION void put_compact(const mt_impulse_job *job, const mt_row_movers *movers, const contact_sides *c,
                               uint32_t on)
{
    put_xyz(job->velocity, movers->a, c->va, c->ma, on & lanes_bits(lanes_above(c->ma, lanes_all(0.0f))));
    put_xyz(job->velocity, movers->b, c->vb, c->mb, on & lanes_bits(lanes_above(c->mb, lanes_all(0.0f))));
}

LANE_FUNCTION lanes3 meet_compact(const places *x, lanes *separation)
{
    lanes distance;
    lanes3 n = normal_between(x->a, x->b, &distance);
    *separation = distance - (x->a.w + x->b.w);
    return n;
}

/* Whether all of a row that bears nothing are so far apart that they will not close the gap in the substep, without a
 * root or a division: with d from b to a, s / h + u . n > 0 where d . d + h d . u > touch |d|. By a little more than what
 * rounding could turn round, for speeds up to a few radii a substep; else the law is asked. */
LANE_FUNCTION bool stay_apart(const mt_impulse_job *job, const places *x, const contact_sides *c, lane_mask on)
{
    lanes3 d = lanes3_sub(xyz_of(x->a), xyz_of(x->b)), u = lanes3_sub(c->va, c->vb);
    lanes touch = x->a.w + x->b.w, least = lanes_all(1.0002f) * touch * touch, square = lanes3_dot(d, d);
    lanes then = square + lanes_all(job->h) * lanes3_dot(d, u),
          way = lanes_all(job->h * job->h) * lanes3_dot(u, u);
    lane_mask apart = lanes_above(square, least) & lanes_above(then, lanes_all(0.0f)) &
                      lanes_above(then * then, least * square) & lanes_below(way, lanes_all(100.0f) * least);
    return lanes_bits(on & ~apart) == 0;
}

LANE_FUNCTION void keep_geometry(mt_contact_row *row, lanes3 n, lanes separation)
{
    lanes_store(row->separation, separation);
    put3(row->normal_x, row->normal_y, row->normal_z, n);
}

LANE_FUNCTION void warm_compact(const mt_impulse_job *job, mt_batch_of_rows *batch)
{
    if (!batch->has_impulse)
        return;
    mt_contact_row *row = job->rows + batch->first;
    const mt_row_movers *movers = movers_of(job, batch);
    contact_sides c;
    lanes separation;
    places x = places_of(job, movers);
    lanes3 n = meet_compact(&x, &separation);
    lanes3 p = warm_impulse(job, row, n, separation);
    keep_geometry(row, n, separation);
    fetch_compact(job, movers, &c);
    give_both(&c, lanes3_keep(lanes_of_bits(batch->lanes), p), compact);
    put_compact(job, movers, &c, batch->lanes);
}

LANE_FUNCTION void press_compact(const mt_impulse_job *job, mt_batch_of_rows *batch)
{
    mt_contact_row *row = job->rows + batch->first;
    const mt_row_movers *movers = movers_of(job, batch);
    contact_sides c;
    lanes separation;
    lanes3 n;
    lane_mask on = lanes_of_bits(batch->lanes);
    fetch_compact(job, movers, &c);
    if (batch->has_impulse) {
        separation = lanes_load(row->separation);
        n = row3(row->normal_x, row->normal_y, row->normal_z);
    } else {
        places x = places_of(job, movers);
        if (stay_apart(job, &x, &c, on))
            return;
        n = meet_compact(&x, &separation);
    }
    lanes impulse = press(job, row, &c, n, separation, on, compact);
    if (!batch->has_impulse && lanes_bits(lanes_above(impulse, lanes_all(0.0f))) == 0)
        return; /* nothing was given */
    if (!batch->has_impulse)
        keep_geometry(row, n, separation);
    lanes_store(row->impulse, impulse);
    rub_row(job, row, &c, n, on, compact);
    put_compact(job, movers, &c, batch->lanes);
    lanes3 friction = row3(row->friction_x, row->friction_y, row->friction_z);
    lane_mask has_impulse =
        lanes_above(impulse, lanes_all(0.0f)) | lanes_above(lanes3_dot(friction, friction), lanes_all(0.0f));
    batch->has_impulse = lanes_bits(has_impulse) != 0;
}

/* ---- bounces -------------------------------------------------------------------------------------------
 * Before the warm start. A contact that would close within the substep, faster than what does not bounce, is to open
 * with the restitution's part of the speed with which the two would have met; what it falls on the way, and rises
 * again, is counted, so that a ball comes back to the height that its restitution says. Several that bounce at once
 * are solved together; whom they are thrown against bounces in the next round. */

/* What pulls a and b together along n, m/s^2. */
LANE_FUNCTION lanes pull_along(const mt_impulse_job *job, const contact_sides *c, lanes3 n)
{
    lanes g = lanes3_dot(lanes3_all(job->gravity), n), zero = lanes_all(0.0f);
    return lanes_keep(lanes_above(c->mb, zero), g) - lanes_keep(lanes_above(c->ma, zero), g);
}

LANE_FUNCTION void find_bounces(const mt_impulse_job *job, mt_contact_row *row, const row_kind kind)
{
    row->more->bouncing = 0;
    if (row->more->bounces == 0)
        return;
    contact_sides c;
    lanes3 n = row3(row->more->new_x, row->more->new_y, row->more->new_z);
    const lanes zero = lanes_all(0.0f), h = lanes_all(job->h), half = lanes_all(0.5f * job->h);
    fetch_sides(job, row, &c, kind);
    lanes separation = lanes_load(row->separation), e = lanes_load(row->more->restitution);
    lanes speed = lanes3_dot(beside(&c, kind), n), pull = pull_along(job, &c, n);
    lane_mask met =
        lanes_below(separation + h * speed, zero) & lanes_below(speed, lanes_all(-job->soft.bounce_speed));
    row->more->bouncing = lanes_bits(met) & row->more->bounces & row->active;
    if (row->more->bouncing == 0)
        return;
    atomic_store_explicit(job->any, true, memory_order_relaxed);
    lanes gap = lanes_max(separation, zero), now = speed + pull * half, fall = pull * gap;
    fall += fall;
    lanes leave = lanes_sqrt(lanes_max(e * e * (now * now + fall) - fall, zero)) - pull * half;
    lanes_store(row->more->target_speed, leave);
    lanes_store(row->more->bounced, zero);
}

LANE_FUNCTION void bounce_row(const mt_impulse_job *job, mt_contact_row *row, const row_kind kind)
{
    if (row->more->bouncing == 0)
        return;
    contact_sides c;
    lanes3 n = row3(row->more->new_x, row->more->new_y, row->more->new_z);
    fetch_sides(job, row, &c, kind);
    lanes before = lanes_load(row->more->bounced), speed = lanes3_dot(beside(&c, kind), n);
    lanes total =
        before - over(speed - lanes_load(row->more->target_speed), inverse_effective_mass(&c, n, kind));
    lanes given = lanes_keep(lanes_of_bits(row->more->bouncing), lanes_max(total, lanes_all(0.0f)) - before);
    lanes_store(row->more->bounced, before + given);
    lanes_store(row->more->bounced_sum, lanes_load(row->more->bounced_sum) + given);
    give_both(&c, lanes3_scale(n, given), kind);
    put_sides(job, row, &c, kind);
}

/* ---- taking back ---------------------------------------------------------------------------------------
 * One pass meets each contact once, with what has been given by then. What is given later, through a joint with a long
 * lever or from the other side, may part the two of a contact that still pushes them apart: faster than the law asks,
 * and with energy from nowhere. Such a contact takes back of its impulse until the two part no faster than an overlap
 * is parted, or nothing is left. As it pulls together what parts, that takes energy away and never gives any. Friction
 * then holds with what is left. What a spring gives is the spring's, and what has just bounced is to part. */

#define MT_PARTS_TOO_FAST 0.1f /* of max_depenetration_speed: by so much more */

/* How fast the two of a contact may part while it pushes them. */
LANE_FUNCTION lanes parting_speed(const mt_impulse_job *job, const mt_contact_row *row, const contact_sides *c,
                                  const row_kind kind)
{
    lanes rate = lanes_all(job->soft.fixed_rate), separation = lanes_load(row->separation);
    if (!kind.shape) {
        lane_mask fixed = lanes_at_most(lanes_min(c->ma, c->mb), lanes_all(0.0f));
        rate = lanes_select(fixed, rate, lanes_all(job->soft.rate));
    }
    lanes speed = lanes_min(-separation * rate, lanes_load(row->more->most_push));
    speed *= pushing_part(job, row, c, separation, kind);
    return lanes_max(speed, lanes_all(0.0f));
}

LANE_FUNCTION lane_mask may_take_back(const mt_impulse_job *job, const mt_contact_row *row, const row_kind kind)
{
    const lanes zero = lanes_all(0.0f);
    lane_mask on = lanes_of_bits(row->active);
    if (!kind.shape)
        on &= of_bodies(job, row, kind);
    on &= lanes_above(lanes_load(row->impulse), zero) & lanes_at_most(lanes_load(row->more->bounced_sum), zero);
    if (!row->more->plain)
        on &= lanes_at_most(lanes_load(row->more->softness), zero);
    return on;
}

LANE_FUNCTION void relax_row(const mt_impulse_job *job, mt_contact_row *row, const row_kind kind)
{
    lane_mask on = kind.wide || kind.shape ? may_take_back(job, row, kind) : lanes_of_bits(0);
    if (lanes_bits(on) == 0)
        return;
    contact_sides c;
    fetch_sides(job, row, &c, kind);
    lanes3 n = row3(row->normal_x, row->normal_y, row->normal_z);
    lanes before = lanes_load(row->impulse), allowed = parting_speed(job, row, &c, kind);
    lanes excess = lanes3_dot(beside(&c, kind), n) - allowed;
    on &= lanes_above(excess, lanes_all(MT_PARTS_TOO_FAST * job->soft.most_push));
    if (lanes_bits(on) == 0)
        return;
    atomic_store_explicit(job->any, true, memory_order_relaxed);
    lanes taken = lanes_keep(on, lanes_min(over(excess, inverse_effective_mass(&c, n, kind)), before));
    lanes_store(row->impulse, before - taken);
    give_both(&c, lanes3_scale(n, -taken), kind);
    rub_row(job, row, &c, n, on, kind); /* friction holds with what is left */
    put_sides(job, row, &c, kind);
}

/* ---- the contacts of a pair that count ------------------------------------------------------------------
 * Two flat faces touch at every particle, and each contact is a spring: twenty-five are too stiff for a pass, and tell
 * no more than four. Of contacts with about the same normal the deepest counts, and those that are furthest out in
 * four directions of the face; so a body rests on its corners. A body that meets something fast meets it with its whole
 * face within the substep, however it is tilted: if only the edge that is ahead counted, it would be thrown round. */

#define MT_ALIKE_NORMALS 0.95f
#define MT_ALIKE_DEPTH   0.1f /* sums of radii: those that are so much less deep than the deepest do not count */
#define MT_AS_DEEP       0.01f
#define MT_FEW           5u   /* contacts of which none is left out */
#define MT_BEAR          4u   /* contacts that are as stiff as each would be alone */
#define MT_FAST          0.1f /* touch distances by which two would go into each other in a substep: a blow */

typedef struct extremes {
    mote_vec3 along, across; /* directions of the face */
    float best[4];
    uint32_t row[4];
} extremes;

static mote_vec3 lane_of(const float *x, const float *y, const float *z, uint32_t n)
{
    return (mote_vec3){x[n], y[n], z[n]};
}

static mote_vec3 some_across(mote_vec3 n)
{
    mote_vec3 other = fabsf(n.x) < 0.6f ? (mote_vec3){1.0f, 0.0f, 0.0f} : (mote_vec3){0.0f, 1.0f, 0.0f};
    mote_vec3 across = mt_cross(n, other);
    return mt_scale(across, 1.0f / mt_length(across));
}

/* `ahead`: of those that bear something already, or two that are as far out would change places; those that are met
 * later are behind by as much as they are further off, or one on the far side of a body could stand for its face. */
static void note_extremes(extremes *e, uint32_t k, mote_vec3 point, float ahead)
{
    float a = mt_dot(e->along, point), b = mt_dot(e->across, point);
    const float size[4] = {a + b + ahead, a - b + ahead, -a + b + ahead, -a - b + ahead};
    for (int d = 0; d < 4; d++)
        if (size[d] > e->best[d]) {
            e->best[d] = size[d];
            e->row[d] = k;
        }
}

/* The normal of a lane, the same way round as that of the first mover. */
static mote_vec3 normal_beside(const mt_contact_row *row, uint32_t n, uint32_t first)
{
    mote_vec3 normal = lane_of(row->more->new_x, row->more->new_y, row->more->new_z, n);
    return row->a[n] == first ? normal : mt_scale(normal, -1.0f);
}

static uint32_t deepest_of(const mt_contact_row *rows, uint32_t count, uint32_t n)
{
    uint32_t deepest = 0;
    for (uint32_t k = 1; k < count && (rows[k].lanes >> n & 1u) != 0; k++)
        if (rows[k].separation[n] < rows[deepest].separation[n])
            deepest = k;
    return deepest;
}

/* Of each pair in a batch, once it is known where all its contacts are: which is the deepest, and how far the two of that
 * would go into each other in the substep if nothing held them, beyond where they are. */
typedef struct deepest_contacts {
    uint32_t row[LANES];
    float way_in[LANES];
} deepest_contacts;

LANE_FUNCTION void find_deepest(const mt_contact_row *rows, uint32_t count, uint32_t deepest[LANES])
{
    lanes least = lanes_load(rows->separation);
    lane_index which = lanes_all_index(0);
    for (uint32_t k = 1; k < count; k++) {
        lanes separation = lanes_load(rows[k].separation);
        lane_mask deeper = lanes_of_bits(rows[k].lanes) & lanes_below(separation, least);
        least = lanes_select(deeper, separation, least);
        which = (lanes_all_index(k) & (lane_index)deeper) | (which & ~(lane_index)deeper);
    }
    lanes_store_index(deepest, which);
}

/* The velocities of movers at a point of each. */
LANE_FUNCTION lanes3 velocities_at(const mt_impulse_job *job, const uint32_t mover[LANES], lanes3 point)
{
    lanes3 arm = lanes3_sub(point, xyz_of(lanes_gather(job->center, mover)));
    return lanes3_add(xyz_of(lanes_gather(job->velocity, mover)),
                      lanes3_cross(xyz_of(lanes_gather(job->spin, mover)), arm));
}

/* Of pairs in these lanes. */
LANE_FUNCTION void find_ways_in(const mt_impulse_job *job, const mt_contact_row *rows, uint32_t bits,
                                deepest_contacts *deepest, const row_kind kind)
{
    enum { POINT, NORMAL = 3, SURFACE = 6, SEPARATION = 9, NUMBERS };
    float of[NUMBERS][LANES] = {{0.0f}};
    uint32_t a[LANES], b[LANES];
    for (uint32_t n = 0; n < LANES; n++)
        a[n] = b[n] = job->s->dummy;
    for (; bits != 0; bits &= bits - 1) {
        uint32_t n = (uint32_t)__builtin_ctz(bits);
        const mt_contact_row *row = &rows[deepest->row[n]];
        const mt_contact_more *more = row->more;
        const float *const from[NUMBERS] = {more->point_x,   more->point_y,  more->point_z,   more->new_x,
                                            more->new_y,     more->new_z,    more->surface_x, more->surface_y,
                                            more->surface_z, row->separation};
        for (uint32_t k = 0; k < NUMBERS; k++)
            of[k][n] = from[k][n];
        a[n] = row->a[n];
        b[n] = kind.shape ? job->s->dummy : row->b[n];
    }
    const lanes zero = lanes_all(0.0f);
    lanes3 point = row3(of[POINT], of[POINT + 1], of[POINT + 2]);
    lanes3 normal = row3(of[NORMAL], of[NORMAL + 1], of[NORMAL + 2]);
    lanes3 other =
        kind.shape ? row3(of[SURFACE], of[SURFACE + 1], of[SURFACE + 2]) : velocities_at(job, b, point);
    lanes closing = -lanes3_dot(lanes3_sub(velocities_at(job, a, point), other), normal);
    lanes way = closing * lanes_all(job->h) - lanes_max(lanes_load(of[SEPARATION]), zero);
    lanes_store(deepest->way_in, lanes_max(way, zero));
}

static void leave_out(mt_contact_row *row, uint32_t n)
{
    row->active &= ~(1u << n);
    row->impulse[n] = row->friction_x[n] = row->friction_y[n] = row->friction_z[n] = 0.0f;
}

/* One lane of a batch: the contacts of one pair, which are those of its first rows. */
static void choose_lane(mt_contact_row *rows, uint32_t count, uint32_t n, const deepest_contacts *all)
{
    uint32_t deepest = all->row[n], first = rows[deepest].a[n];
    mote_vec3 normal = normal_beside(&rows[deepest], n, first), middle;
    float limit = rows[deepest].separation[n] + MT_ALIKE_DEPTH * rows[deepest].more->touch[n];
    float reached = limit + all->way_in[n];
    bool bulges = true; /* the deepest is between the others */
    extremes e = {.along = some_across(normal), .best = {-MT_FAR, -MT_FAR, -MT_FAR, -MT_FAR}};
    e.across = mt_cross(normal, e.along);
    middle = lane_of(rows[deepest].more->point_x, rows[deepest].more->point_y, rows[deepest].more->point_z, n);
    for (uint32_t k = 0; k < count && (rows[k].lanes >> n & 1u) != 0; k++)
        if (rows[k].separation[n] <= reached &&
            mt_dot(normal_beside(&rows[k], n, first), normal) > MT_ALIKE_NORMALS)
            note_extremes(
                &e, k,
                mt_sub(lane_of(rows[k].more->point_x, rows[k].more->point_y, rows[k].more->point_z, n), middle),
                (rows[k].impulse[n] > 0 ? MT_ALIKE_DEPTH * rows[k].more->touch[n] : 0.0f) -
                    fmaxf(rows[k].separation[n] - limit, 0.0f));
    float least = rows[deepest].separation[n] + MT_AS_DEEP * rows[deepest].more->touch[n];
    for (int d = 0; d < 4; d++)
        bulges = bulges && rows[e.row[d]].separation[n] > least;
    for (uint32_t k = 0; k < count && (rows[k].lanes >> n & 1u) != 0; k++) {
        bool counts = (bulges && k == deepest) || k == e.row[0] || k == e.row[1] || k == e.row[2] ||
                      k == e.row[3] || mt_dot(normal_beside(&rows[k], n, first), normal) <= MT_ALIKE_NORMALS;
        if (!counts)
            leave_out(&rows[k], n);
    }
}

/* More than four that still count share the stiffness of four. Lanes are pairs of their own: those that have no more
 * keep what they have. */
LANE_FUNCTION void share_stiffness(mt_contact_row *row, uint32_t count)
{
    lanes number = lanes_all(0.0f);
    lane_mask many = lanes_of_bits(row[MT_BEAR].lanes);
    for (uint32_t k = 0; k < count; k++) {
        lane_mask on =
            lanes_of_bits(row[k].active) & lanes_below(lanes_load(row[k].separation), lanes_all(0.0f));
        number += lanes_keep(on, lanes_all(1.0f / (float)MT_BEAR));
    }
    number = lanes_max(number, lanes_all(1.0f));
    for (uint32_t k = 0; k < count; k++)
        lanes_store(row[k].more->parallel, lanes_select(many, number, lanes_load(row[k].more->parallel)));
}

/* A body that is deep in something comes out along the normal of its deepest contact. The others ask for no more than
 * that gives them: if each asked for the whole speed along its own normal, together they would make more of it. Those
 * on the far side of the same thing, which it comes out through, do not count. */
static void agree_on_push(mt_contact_row *rows, uint32_t count, uint32_t n, uint32_t deepest,
                          const row_kind kind)
{
    uint32_t first = rows[deepest].a[n];
    mote_vec3 normal = normal_beside(&rows[deepest], n, first);
    for (uint32_t k = 0; k < count && (rows[k].lanes >> n & 1u) != 0; k++) {
        float along = mt_dot(normal_beside(&rows[k], n, first), normal);
        bool same = !kind.shape || rows[k].shape[n] == rows[deepest].shape[n];
        rows[k].more->most_push[n] *= fmaxf(along, 0.0f);
        if (same && along < 0)
            leave_out(&rows[k], n);
    }
}

/* A contact of two that are deep in each other, along the way of its first: to the plane that bounds the second. Those
 * that do not overlap are as they were: beyond the edge of the second there is nothing to lean on. */
static void go_along(const mt_impulse_job *job, mt_contact_row *row, uint32_t n, const mt_way_out *way)
{
    if (row->separation[n] >= 0)
        return;
    mote_vec4 x = job->position[row->more->particle_a[n]];
    mt_ball ball = mt_ball_of(job->w, row->a[n], x);
    float separation = mt_dot(way->normal, ball.center) - way->offset - ball.radius;
    mt_note_touch(row, n, ball, (mote_vec4){ball.center.x, ball.center.y, ball.center.z, ball.radius},
                  way->normal, ball.radius, separation);
}

static void leave_shape(const mt_impulse_job *job, mt_contact_row *rows, uint32_t count, uint32_t n)
{
    uint32_t body = rows[0].a[n] - job->w->movers.first_body;
    const mt_sunk *sunk = (const mt_sunk *)job->w->movers.sunk.data + body;
    if (sunk->depth == 0)
        return;
    mt_way_out way = mt_way_out_of_shape(job, body);
    for (uint32_t k = 0; k < count && (rows[k].lanes >> n & 1u) != 0; k++)
        if (rows[k].shape[n] == sunk->shape)
            go_along(job, rows + k, n, &way);
}

/* Whether the middle of a ball of the one is within the other. */
static bool is_sunk(const mt_impulse_job *job, const mt_contact_row *row, uint32_t n)
{
    mt_ball ball = mt_ball_of(job->w, row->a[n], job->position[row->more->particle_a[n]]);
    return row->more->on_surface[n] != 0 && row->separation[n] < -ball.radius;
}

/* Whether two are so deep in each other that their contacts push against each other. */
static bool are_in_each_other(const mt_impulse_job *job, const mt_contact_row *rows, uint32_t count, uint32_t n)
{
    uint32_t deepest = deepest_of(rows, count, n), first = rows[deepest].a[n];
    mote_vec3 normal = normal_beside(&rows[deepest], n, first);
    bool against = false;
    if (!is_sunk(job, rows + deepest, n))
        return false;
    for (uint32_t k = 0; k < count && (rows[k].lanes >> n & 1u) != 0; k++)
        against =
            against || (rows[k].separation[n] < 0 && mt_dot(normal_beside(&rows[k], n, first), normal) < 0);
    return against;
}

/* Along which the first mover of a lane was pushed in the last substep. */
static mote_vec3 pushed_along(const mt_contact_row *rows, uint32_t count, uint32_t n)
{
    mote_vec3 sum = {0.0f, 0.0f, 0.0f};
    for (uint32_t k = 0; k < count && (rows[k].lanes >> n & 1u) != 0; k++) {
        mote_vec3 normal = lane_of(rows[k].normal_x, rows[k].normal_y, rows[k].normal_z, n);
        float push = rows[k].a[n] == rows[0].a[n] ? rows[k].impulse[n] : -rows[k].impulse[n];
        sum = mt_add(sum, mt_scale(normal, push));
    }
    return sum;
}

static void leave_body(const mt_impulse_job *job, mt_contact_row *rows, uint32_t count, uint32_t n)
{
    const uint32_t first = job->w->movers.first_body, a = rows[0].a[n], b = rows[0].b[n];
    mt_way_out way, back;
    if (a < first || b < first || !are_in_each_other(job, rows, count, n) ||
        !mt_way_out_of_body(job, a - first, b - first, pushed_along(rows, count, n), &way, &back))
        return;
    for (uint32_t k = 0; k < count && (rows[k].lanes >> n & 1u) != 0; k++)
        go_along(job, rows + k, n, rows[k].a[n] == a ? &way : &back);
}

/* Of two that are deep in each other all contacts have the normal along which they come apart. */
static void find_ways_out(const mt_impulse_job *job, mt_contact_row *rows, uint32_t count, const row_kind kind)
{
    for (uint32_t rest = kind.wide ? rows[0].lanes : 0; rest != 0; rest &= rest - 1) {
        uint32_t n = (uint32_t)__builtin_ctz(rest);
        if (kind.shape && rows[0].a[n] >= job->w->movers.first_body)
            leave_shape(job, rows, count, n);
        else if (!kind.shape && rows[0].more->surfaced)
            leave_body(job, rows, count, n);
    }
}

static void agree_on_pushes(const mt_impulse_job *job, mt_contact_row *rows, uint32_t count,
                            const deepest_contacts *all, const row_kind kind)
{
    for (uint32_t rest = rows[1].lanes; rest != 0; rest &= rest - 1) {
        uint32_t n = (uint32_t)__builtin_ctz(rest), deepest = all->row[n];
        if (rows[deepest].separation[n] * job->soft.rate < -0.5f * job->soft.most_push) {
            agree_on_push(rows, count, n, deepest, kind);
            rows[0].more->deep |= 1u << n;
        }
        if (all->way_in[n] > MT_FAST * rows[deepest].more->touch[n])
            rows[0].more->deep |= 1u << n;
    }
}

static void choose_contacts(mt_contact_row *rows, uint32_t count, const deepest_contacts *all)
{
    for (uint32_t rest = rows[MT_FEW].lanes; rest != 0; rest &= rest - 1)
        choose_lane(rows, count, (uint32_t)__builtin_ctz(rest), all);
}

LANE_LOOP void look_batch(const mt_impulse_job *job, mt_contact_row *rows, uint32_t count, const row_kind kind)
{
    for (uint32_t n = 0; n < count; n++)
        look_row(job, rows + n, kind);
    find_ways_out(job, rows, count, kind);
    if (count == 1)
        return;
    deepest_contacts deepest;
    find_deepest(rows, count, deepest.row);
    find_ways_in(job, rows, rows[1].lanes, &deepest, kind);
    agree_on_pushes(job, rows, count, &deepest, kind);
    if (count > MT_FEW)
        choose_contacts(rows, count, &deepest);
    if (count > MT_BEAR)
        share_stiffness(rows, count);
}

void MT_KERNEL(impulse_look)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_impulse_job *job = context;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        const mt_batch_of_rows *batch = &job->batches[job->first + k];
        if (!batch->compact) /* else until the warm start */
            look_batch(job, job->rows + batch->first, batch->count,
                       (row_kind){.wide = batch->wide, .shape = batch->shape});
    }
}

LANE_FUNCTION void leave_compact(const mt_impulse_job *job, mt_batch_of_rows *batch)
{
    (void)job;
    (void)batch;
}

ROW_KERNEL(impulse_find_bounces, find_bounces, leave_compact)
ROW_KERNEL(impulse_bounce, bounce_row, leave_compact)
ROW_KERNEL(impulse_relax, relax_row, leave_compact)
ROW_KERNEL(impulse_warm, warm_row, warm_compact)
/* A body deep in something is pushed at many places at once, in directions that differ, and one that meets something
 * fast is pushed hard. One pass would turn it by what the first of them do: for such bodies, and for them alone, the
 * pass is made several times, there and back. */
#define MT_DEEP_PASSES 6u

LANE_FUNCTION void press_again(const mt_impulse_job *job, mt_contact_row *rows, uint32_t count, uint32_t deep,
                               const row_kind kind)
{
    for (uint32_t pass = 0; pass < MT_DEEP_PASSES; pass++)
        for (uint32_t k = 0; k < count; k++) {
            mt_contact_row *row = rows + ((pass & 1u) == 0 ? count - 1 - k : k);
            uint32_t active = row->active;
            row->active &= deep;
            press_row(job, row, kind);
            row->active = active;
        }
}

LANE_FUNCTION void press_batch(const mt_impulse_job *job, mt_contact_row *rows, uint32_t count,
                               const row_kind kind)
{
    for (uint32_t k = 0; k < count; k++)
        press_row(job, rows + k, kind);
    if (kind.wide && count > 1 && rows[0].more->deep != 0)
        press_again(job, rows, count, rows[0].more->deep, kind);
}

void MT_KERNEL(impulse_press)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_impulse_job *job = context;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        mt_batch_of_rows *batch = &job->batches[job->first + k];
        mt_contact_row *rows = job->rows + batch->first;
        if (batch->compact)
            press_compact(job, batch);
        else if (batch->wide && batch->shape)
            press_batch(job, rows, batch->count, (row_kind){.wide = true, .shape = true});
        else if (batch->wide)
            press_batch(job, rows, batch->count, (row_kind){.wide = true});
        else if (batch->shape)
            press_batch(job, rows, batch->count, (row_kind){.shape = true});
        else
            press_batch(job, rows, batch->count, (row_kind){.wide = false});
    }
}
