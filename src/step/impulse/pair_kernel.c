/* Who may touch whom in a step: the first part of contact_set.c, a slice's lists row by row. */
#include "base/lanes3.h"
#include "step/impulse/contact_set.h"
#include "step/impulse/impulse.h"
#include "step/kernels.h"
#include "step/neighbors/plan.h"
#include "step/neighbors/reach.h"

/* Eight particles of a slice, and what all pairs ask for. */
typedef struct pair_search {
    const mt_set_job *job;
    const uint32_t *mover_of;
    const mote_particle_id *id;
    lanes4 x, v;
    lanes dt, furthest;
    float skin, margin;
    bool wet;   /* some of the slice may have liquids in their lists: a hint, and no more, of whether to ask */
    bool bound; /* there are constraints: the same */
} pair_search;

static bool is_liquid(const mote_world *world, uint32_t slot)
{
    return world->materials[mt_material_indices(world)[slot]].fluid != 0;
}

/* Lists of liquids do not look ahead: how far apart pairs with one of them are in the lists for sure. */
LANE_FUNCTION lanes limit_wet(const pair_search *f, uint32_t first, const uint32_t other[LANES], lanes4 y,
                              lanes reach, lanes most)
{
    const mote_world *world = f->job->world;
    float least = 0.5f * MT_FLUID_REACH * world->radius;
    for (uint32_t n = 0; n < LANES; n++) {
        bool own = first + n < f->job->s->count && is_liquid(world, first + n);
        if (!own && !(other[n] < f->job->s->count && is_liquid(world, other[n])))
            continue;
        float limit = reach[n] + least - f->margin * (own ? f->x.w[n] : y.w[n]);
        most[n] = most[n] < limit ? most[n] : limit;
    }
    return most;
}

#define NEARS 1.02f /* sums of radii: who comes so near may well touch */

/* The sorts of eight pairs, whose centres' distance squared is so much larger than that of contacts, and shrinks with
 * twice `towards` at first. */
LANE_FUNCTION lane_index sort_of(const pair_search *f, lanes gap, lanes towards, lane_mask nears)
{
    const lanes part = f->dt * lanes_all(2.0f / (float)(MT_PAIR_DISTANT - MT_PAIR_NEARS)),
                shrinks = part * towards;
    lane_index sort = lanes_all_index(MT_PAIR_NEARS);
    lanes shrunk = shrinks;
    for (uint32_t k = MT_PAIR_NEARS + 1; k < MT_PAIR_DISTANT; k++) {
        sort -= (lane_index)lanes_above(gap, shrunk);
        shrunk += shrinks;
    }
    return (sort & (lane_index)nears) | (lanes_all_index(MT_PAIR_DISTANT) & ~(lane_index)nears);
}

/* Whether eight pairs could touch within the step, if they go on as they do: nearest on their way beside each other.
 * It depends on nothing but the two, and above all not on how far the lists happen to reach. */
LANE_FUNCTION uint32_t could_touch(const pair_search *f, uint32_t first, const uint32_t other[LANES],
                                   lane_index *sort)
{
    const mt_substep *s = f->job->s;
    lanes4 y = lanes_gather(s->particles.position, other), w = lanes_gather(s->particles.velocity, other);
    lanes3 d = {f->x.x - y.x, f->x.y - y.y, f->x.z - y.z}, u = {f->v.x - w.x, f->v.y - w.y, f->v.z - w.z};
    lanes touch = f->x.w + y.w, near = lanes_all(f->margin) * touch, zero = lanes_all(0.0f);
    lanes slack = lanes_all(0.499f * f->skin) * touch; /* lists have a little more */
    lanes reach = near + slack, square = lanes3_dot(u, u);
    lanes way = lanes_min(f->dt * lanes_sqrt(square), f->furthest), most = near + lanes_max(way, slack);
    if (f->wet)
        most = limit_wet(f, first, other, y, reach, most);
    lane_mask listed = lanes_below(lanes3_dot(d, d), most * most); /* others may not be in the lists */
    lanes towards = -lanes3_dot(d, u), gap = lanes3_dot(d, d) - touch * touch;
    lanes time = lanes_max(towards, zero) / lanes_max(square, lanes_all(1e-30f));
    d = lanes3_add(d, lanes3_scale(u, lanes_min(time, f->dt)));
    lanes least = lanes3_dot(d, d), contact = lanes_all(NEARS) * touch;
    *sort = sort_of(f, gap, towards, lanes_below(least, contact * contact));
    return lanes_bits(listed & lanes_below(least, reach * reach));
}

/* Whether two do not collide because of a constraint: their particles, or with the surface of a body any that the
 * constraint holds of it. */
static bool is_bound(const pair_search *f, uint32_t i, uint32_t j)
{
    const mt_impulses *w = f->job->w;
    uint32_t a = f->mover_of[i], b = f->mover_of[j];
    bool to_a = a >= w->movers.first_body, to_b = b >= w->movers.first_body;
    return mt_are_bound(f->job->world, f->id[i].index, f->id[j].index) ||
           (to_b && mt_is_bound_to_body(f->job->world, f->id[i].index, mt_mover_body(f->job->world, b))) ||
           (to_a && mt_is_bound_to_body(f->job->world, f->id[j].index, mt_mover_body(f->job->world, a)));
}

typedef enum pair_kind { NOT_OWN, OF_PARTICLES, OF_SURFACE } pair_kind;

static bool has_surface(const mt_impulses *w, uint32_t mover)
{
    return mover >= w->movers.first_body &&
           ((const mt_body_surface *)w->movers.surfaces.data)[mover - w->movers.first_body].form != NULL;
}

/* What a particle's pair with a neighbour is, if it is its own. Who comes near a body with a surface touches that; of
 * two particles the one with the lower index, or the only one that moves, owns their pair. */
static pair_kind kind_of_pair(const pair_search *f, uint32_t i, uint32_t j)
{
    const mt_impulses *w = f->job->w;
    uint32_t a = f->mover_of[i], b = f->mover_of[j];
    if (a == b || (f->bound && is_bound(f, i, j)) ||
        (f->wet && is_liquid(f->job->world, i) && is_liquid(f->job->world, j)))
        return NOT_OWN;
    if (has_surface(w, b))
        return OF_SURFACE;
    bool other_moves = mt_mover_moves(w, b);
    if (has_surface(w, a) && other_moves)
        return NOT_OWN;
    return other_moves && f->id[j].index < f->id[i].index ? NOT_OWN : OF_PARTICLES;
}

/* Where the entry of a body is whose surface is touched; `count`: there is none. */
static uint32_t find_surface(const pair_search *f, const uint32_t *own, uint32_t count, uint32_t mover)
{
    uint32_t k = 0;
    while (k < count &&
           !((own[k * LANES] & MT_ON_SURFACE) != 0 && f->mover_of[own[k * LANES] & MT_OWN_SLOT] == mover))
        k++;
    return k;
}

/* Adds a pair to a particle's own; answers how many they are then. For a surface stands that of its body's particles
 * nearby which has the lowest index. */
static uint32_t add_own(const pair_search *f, uint32_t i, uint32_t j, uint32_t sort, uint32_t *own,
                        uint32_t count)
{
    pair_kind kind = kind_of_pair(f, i, j);
    uint32_t at = count;
    if (kind == NOT_OWN)
        return count;
    if (kind == OF_SURFACE) {
        at = find_surface(f, own, count, f->mover_of[j]);
        if (at < count && f->id[own[at * LANES] & MT_OWN_SLOT].index <= f->id[j].index)
            return count;
    }
    own[at * LANES] = j | (kind == OF_SURFACE ? MT_ON_SURFACE : 0) | sort << MT_OWN_SORT_SHIFT;
    return at == count ? count + 1 : count;
}

static uint32_t who_moves(const pair_search *f, uint32_t first)
{
    uint32_t bits = 0;
    for (uint32_t n = 0; n < LANES && first + n < f->job->s->count; n++)
        bits |= (uint32_t)mt_mover_moves(f->job->w, f->mover_of[first + n]) << n;
    return bits;
}

/* What is found of a slice, one behind the other: by the indices of the two, as mt_found has them. */
typedef struct found_pairs {
    uint32_t *owner, *other, count;
} found_pairs;

static void note_pair(found_pairs *found, uint32_t owner, uint32_t other)
{
    found->owner[found->count] = owner;
    found->other[found->count++] = other;
}

LANE_FUNCTION lane_index indices_of(const pair_search *f, const uint32_t slots[LANES])
{
    return (lane_index){f->id[slots[0]].index, f->id[slots[1]].index, f->id[slots[2]].index,
                        f->id[slots[3]].index, f->id[slots[4]].index, f->id[slots[5]].index,
                        f->id[slots[6]].index, f->id[slots[7]].index};
}

/* Those of eight pairs that no constraint keeps from colliding. */
static uint32_t not_bound(const pair_search *f, uint32_t first, const uint32_t *other, uint32_t bits)
{
    for (uint32_t rest = bits; rest != 0; rest &= rest - 1) {
        uint32_t n = (uint32_t)__builtin_ctz(rest);
        if (mt_are_bound(f->job->world, f->id[first + n].index, f->id[other[n]].index))
            bits &= ~(1u << n);
    }
    return bits;
}

/* Where lists have a pair once: loose ones that move. The one with the lower index is its owner. Eight are noted at once:
 * how many of them could touch would be guessed wrong. */
LANE_FUNCTION void find_once(const pair_search *f, uint32_t first, const uint32_t *row, uint32_t length,
                             found_pairs *found)
{
    uint32_t slots[LANES];
    lanes_store_index(slots, lanes_iota() + lanes_all_index(first));
    lane_index a = indices_of(f, slots);
    for (uint32_t k = 0; k < length; k++, row += LANES) {
        lane_index sort;
        uint32_t bits = could_touch(f, first, row, &sort);
        if (f->bound)
            bits = not_bound(f, first, row, bits);
        lane_index b = indices_of(f, row);
        lane_mask later = (lane_mask)b > (lane_mask)a; /* below 2^31 */
        lane_index owner = (a & (lane_index)later) | (b & ~(lane_index)later);
        lane_index other = (b & (lane_index)later) | (a & ~(lane_index)later);
        lanes_compress(found->owner + found->count, owner, bits);
        found->count += lanes_compress(found->other + found->count, other << MT_FOUND_SHIFT | sort, bits);
    }
}

static void find_own(const pair_search *f, uint32_t first, const uint32_t *row, uint32_t length, uint32_t *own,
                     found_pairs *found)
{
    uint32_t moving = who_moves(f, first), count[LANES] = {0};
    for (uint32_t k = 0; moving != 0 && k < length; k++, row += LANES) {
        lane_index sort;
        for (uint32_t rest = could_touch(f, first, row, &sort) & moving; rest != 0; rest &= rest - 1) {
            uint32_t n = (uint32_t)__builtin_ctz(rest);
            if (row[n] < f->job->s->count)
                count[n] = add_own(f, first + n, row[n], sort[n], own + n, count[n]);
        }
    }
    for (uint32_t n = 0; n < LANES; n++)
        for (uint32_t k = 0; k < count[n]; k++) {
            uint32_t j = own[k * LANES + n];
            note_pair(
                found, f->id[first + n].index,
                mt_found(f->id[j & MT_OWN_SLOT].index, (j & MT_ON_SURFACE) != 0, j >> MT_OWN_SORT_SHIFT & 7u));
        }
}

static void find_slice(pair_search *f, uint32_t slice)
{
    const mt_set_job *job = f->job;
    const mt_lists *lists = &job->world->scratch->search.lists;
    uint32_t first = slice * LANES, length = ((const uint32_t *)lists->length.data)[slice];
    size_t at = (size_t)((const uint32_t *)lists->start.data)[slice] * LANES;
    const uint32_t *row = (const uint32_t *)lists->rows.data + at;
    if (length == 0) {
        ((uint32_t *)job->w->search.number.data)[slice] = 0;
        return;
    }
    found_pairs found = {(uint32_t *)job->w->search.found_owner.data + at,
                         (uint32_t *)job->w->search.found_other.data + at, 0};
    f->x = lanes_load4(job->s->particles.position + first);
    f->v = lanes_load4(job->s->particles.velocity + first);
    if (job->s->liquids.fluid.any)
        f->wet = lanes_bits(look_for_liquids(&job->world->scratch->search.grid.plan,
                                             lanes_load4(job->s->lists.built_at + first))) != 0;
    if (lists->once)
        find_once(f, first, row, length, &found);
    else
        find_own(f, first, row, length, (uint32_t *)lists->contact.data + at, &found);
    ((uint32_t *)job->w->search.number.data)[slice] = found.count;
}

void MT_KERNEL(contact_pairs)(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_set_job *job = context;
    pair_search f = {.job = job,
                     .mover_of = job->w->movers.of.data,
                     .id = mt_particle_ids(job->world),
                     .dt = lanes_all(job->s->time.dt),
                     .furthest = lanes_all(MT_LOOK_AHEAD * job->world->radius),
                     .skin = job->world->settings.neighbor_skin,
                     .margin = job->s->limits.contact_margin,
                     .bound = job->world->constraints.count > 0};
    (void)worker;
    for (uint32_t slice = begin; slice < end; slice++)
        find_slice(&f, slice);
}
