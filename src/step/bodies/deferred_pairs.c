/* Deferred pairs: who touches whom when a body is let go, and who has come apart since. Only what would collide counts:
 * phases, joints and shared particles are asked as the neighbour lists do. */
#include "step/bodies/deferred_pairs.h"

#include "base/error.h"
#include "base/point_grid.h"
#include "base/sort.h"
#include "base/vec.h"
#include "step/neighbors/neighbors.h"
#include "step/scratch.h"
#include "world/bodies.h"
#include "world/check.h"

#include <string.h>

/* Who is nearer than this many sums of radii touches. It is the usual margin of contacts: bones that lie side
 * by side, and would only be pressed against each other, are a deferred pair as well. */
#define TOUCHING 1.1f

enum {
    OTHER,
    DRIVEN,
    LET_GO
}; /* kinds of bodies; a deferred pair begins if one was let go and both are not others */

typedef struct deferred_place {
    uint32_t a, b;
} deferred_place;

static deferred_place *pairs_of(const mt_deferred_plan *p)
{
    return p->pairs.data;
}

/* ---- who would collide --------------------------------------------------------------------------------- */

static bool phases_collide(const mote_world *world, uint32_t i, uint32_t j)
{
    uint32_t a = mt_phases(world)[i], b = mt_phases(world)[j];
    return ((a ^ b) & MOTE_PHASE_GROUP_MASK) != 0 || (a & b & MOTE_PHASE_SELF_COLLIDE) != 0;
}

/* The bodies of a particle. */
typedef struct owners {
    mt_member member;
    uint32_t count;
} owners;

static owners owners_of(const mote_world *world, uint32_t slot)
{
    owners o;
    o.count = mt_membership_of(world, mt_particle_ids(world)[slot].index, &o.member);
    return o;
}

static bool share_a_body(const owners *a, const owners *b)
{
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t j = 0; j < b->count; j++)
            if (mt_member_body(&a->member, i) == mt_member_body(&b->member, j))
                return true;
    return false;
}

static bool touch(const mote_world *world, uint32_t i, uint32_t j)
{
    mote_vec4 x = mt_positions(world)[i], y = mt_positions(world)[j];
    mote_vec3 d = mt_sub(mt_xyz(x), mt_xyz(y));
    float reach = TOUCHING * (x.w + y.w);
    return mt_dot(d, d) < reach * reach;
}

/* ---- who touches --------------------------------------------------------------------------------------- */

static mote_result add_pair(mote_world *world, uint32_t a, uint32_t b)
{
    mt_deferred_plan *p = &world->scratch->deferred;
    deferred_place pair = {a < b ? a : b, a < b ? b : a};
    if (p->pair_count > 0) { /* most often of the same two bodies as the one before */
        deferred_place last = pairs_of(p)[p->pair_count - 1];
        if (last.a == pair.a && last.b == pair.b)
            return MOTE_OK;
    }
    MT_TRY(mt_array_reserve(&p->pairs, &world->memory, (size_t)p->pair_count + 1, p->pair_count));
    pairs_of(p)[p->pair_count++] = pair;
    return MOTE_OK;
}

/* Two particles touch: their bodies are a deferred pair if they were driven until now. */
static mote_result add_touch(mote_world *world, uint32_t i, uint32_t j)
{
    const uint8_t *kinds = world->scratch->deferred.kinds.data;
    owners a = owners_of(world, i), b = owners_of(world, j);
    if (share_a_body(&a, &b))
        return MOTE_OK;
    for (uint32_t k = 0; k < a.count; k++)
        for (uint32_t n = 0; n < b.count; n++) {
            uint32_t one = mt_member_body(&a.member, k), other = mt_member_body(&b.member, n);
            bool begins =
                kinds[one] != OTHER && kinds[other] != OTHER && kinds[one] + kinds[other] > 2 * DRIVEN;
            if (begins && !mt_are_partners(&world->scratch->bodies, one, other))
                MT_TRY(add_pair(world, one, other));
        }
    return MOTE_OK;
}

static mote_result look_around(mote_world *world, const mt_point_grid *grid, uint32_t slot)
{
    mt_grid_cell cell = mt_point_grid_cell(grid, mt_xyz(mt_positions(world)[slot]));
    for (int32_t x = cell.x - 1; x <= cell.x + 1; x++)
        for (int32_t y = cell.y - 1; y <= cell.y + 1; y++) {
            uint32_t begin, end;
            mt_point_grid_run(grid, x, y, cell.z - 1, cell.z + 1, &begin, &end);
            for (uint32_t k = begin; k < end; k++) {
                uint32_t other = (uint32_t)grid->entries[k].point;
                if (other > slot && touch(world, slot, other) && phases_collide(world, slot, other))
                    MT_TRY(add_touch(world, slot, other));
            }
        }
    return MOTE_OK;
}

/* A shared particle is that of the first of its bodies that count. */
static bool is_first_owner(const mote_world *world, uint32_t body, mote_particle_id particle)
{
    const uint8_t *kinds = world->scratch->deferred.kinds.data;
    mt_member member;
    uint32_t count = mt_membership_of(world, particle.index, &member), k = 0;
    while (k < count && kinds[mt_member_body(&member, k)] == OTHER)
        k++;
    return k < count && mt_member_body(&member, k) == body;
}

static void stretch(mote_vec3 *low, mote_vec3 *high, mote_vec4 x)
{
    *low = (mote_vec3){fminf(low->x, x.x), fminf(low->y, x.y), fminf(low->z, x.z)};
    *high = (mote_vec3){fmaxf(high->x, x.x), fmaxf(high->y, x.y), fmaxf(high->z, x.z)};
}

/* Of the bodies that count: how many particles, between where, and the largest radius. */
typedef struct extent {
    size_t count;
    mote_vec3 low, high;
    float radius;
} extent;

static extent measure(const mote_world *world)
{
    const uint8_t *kinds = world->scratch->deferred.kinds.data;
    extent e = {0, {MT_FAR, MT_FAR, MT_FAR}, {-MT_FAR, -MT_FAR, -MT_FAR}, 0.0f};
    for (uint32_t b = 0; b < world->bodies.count; b++)
        for (uint32_t k = 0; kinds[b] != OTHER && k < mt_bodies(world)[b].link_count; k++) {
            mote_vec4 x = mt_positions(world)[mt_linked_slot(world, mt_body_links(world, b)[k].particle)];
            stretch(&e.low, &e.high, x);
            e.radius = fmaxf(e.radius, x.w);
            e.count++;
        }
    return e;
}

static mote_result find_touches(mote_world *world)
{
    mt_deferred_plan *p = &world->scratch->deferred;
    const uint8_t *kinds = p->kinds.data;
    extent e = measure(world);
    MT_TRY(mt_array_reserve(&p->entries, &world->memory, e.count, 0));
    MT_TRY(mt_array_reserve(&p->spare, &world->memory, e.count, 0));
    mt_point_grid grid = {.entries = p->entries.data, .spare = p->spare.data};
    mt_point_grid_start(&grid, e.low, e.high, 2.0 * (double)TOUCHING * (double)e.radius);
    for (uint32_t b = 0; b < world->bodies.count; b++)
        for (uint32_t k = 0; kinds[b] != OTHER && k < mt_bodies(world)[b].link_count; k++) {
            mote_particle_id particle = mt_body_links(world, b)[k].particle;
            uint32_t slot = mt_linked_slot(world, particle);
            if (is_first_owner(world, b, particle))
                mt_point_grid_put(&grid, slot, mt_xyz(mt_positions(world)[slot]));
        }
    mt_point_grid_sort(&grid);
    for (uint32_t k = 0; k < grid.count; k++)
        MT_TRY(look_around(world, &grid, (uint32_t)grid.entries[k].point));
    return MOTE_OK;
}

/* ---- the start of a step ------------------------------------------------------------------------------- */

/* Those that there are, and which bodies were let go; true if there are such. */
static mote_result take_over(mote_world *world, bool *any_let_go)
{
    mt_deferred_plan *p = &world->scratch->deferred;
    MT_TRY(mt_array_reserve(&p->kinds, &world->memory, world->bodies.count, 0));
    uint8_t *kinds = p->kinds.data;
    for (uint32_t b = 0; b < world->bodies.count; b++)
        kinds[b] = mt_bodies(world)[b].mode == MOTE_BODY_DRIVEN ? DRIVEN : OTHER;
    *any_let_go = false;
    for (size_t i = 0; i < world->deferred_count; i++) {
        mt_deferred_pair t = mt_deferred_pairs(world)[i];
        uint32_t a = mt_handles_find(&world->bodies.handles, t.a.index, t.a.generation);
        uint32_t b = mt_handles_find(&world->bodies.handles, t.b.index, t.b.generation);
        if (t.b.generation != 0)
            MT_TRY(add_pair(world, a, b));
        else {
            kinds[a] = LET_GO;
            *any_let_go = true;
        }
    }
    return MOTE_OK;
}

static int compare(const void *a, const void *b)
{
    const deferred_place *x = a, *y = b;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

static mote_result sort_pairs(mote_world *world)
{
    mt_deferred_plan *p = &world->scratch->deferred;
    MT_TRY(mt_array_reserve(&p->spare, &world->memory, p->pair_count, 0)); /* its entries are larger */
    mt_merge_sort(p->pairs.data, p->spare.data, p->pair_count, sizeof(deferred_place), compare);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < p->pair_count; k++)
        if (kept == 0 || compare(&pairs_of(p)[kept - 1], &pairs_of(p)[k]) != 0)
            pairs_of(p)[kept++] = pairs_of(p)[k];
    p->pair_count = kept;
    return MOTE_OK;
}

/* For the lists: the other bodies of every body's pairs. */
static mote_result index_pairs(mote_world *world)
{
    mt_deferred_plan *p = &world->scratch->deferred;
    uint32_t bodies = world->bodies.count;
    MT_TRY(mt_array_reserve(&p->start, &world->memory, (size_t)bodies + 2, 0));
    MT_TRY(mt_array_reserve(&p->others, &world->memory, 2 * (size_t)p->pair_count, 0));
    uint32_t *start = p->start.data, *others = p->others.data;
    memset(start, 0, ((size_t)bodies + 2) * sizeof *start);
    for (uint32_t k = 0; k < p->pair_count; k++) {
        start[pairs_of(p)[k].a + 2]++;
        start[pairs_of(p)[k].b + 2]++;
    }
    for (uint32_t b = 0; b < bodies; b++)
        start[b + 2] += start[b + 1];
    for (uint32_t k = 0; k < p->pair_count; k++) {
        others[start[pairs_of(p)[k].a + 1]++] = pairs_of(p)[k].b;
        others[start[pairs_of(p)[k].b + 1]++] = pairs_of(p)[k].a;
    }
    return MOTE_OK;
}

mote_result mt_deferred_begin(mote_world *world)
{
    mt_deferred_plan *p = &world->scratch->deferred;
    p->pair_count = 0;
    if (world->deferred_count == 0)
        return MOTE_OK;
    MT_TRY(mt_families_find(world));
    bool any_let_go;
    MT_TRY(take_over(world, &any_let_go));
    if (any_let_go)
        MT_TRY(find_touches(world));
    MT_TRY(sort_pairs(world));
    MT_TRY(index_pairs(world));
    return mt_array_reserve(&world->deferred, &world->memory, p->pair_count, world->deferred_count);
}

/* ---- the end of a step --------------------------------------------------------------------------------- */

static uint32_t slot_of(const mote_world *world, uint32_t body, uint32_t k)
{
    return mt_linked_slot(world, mt_body_links(world, body)[k].particle);
}

/* Whether a particle touches one of a body's with which it would collide. */
static bool touches_body(const mote_world *world, uint32_t slot, uint32_t body)
{
    owners own = owners_of(world, slot);
    for (uint32_t k = 0; k < mt_bodies(world)[body].link_count; k++) {
        uint32_t other = slot_of(world, body, k);
        if (!touch(world, slot, other) || !phases_collide(world, slot, other))
            continue;
        owners its = owners_of(world, other);
        if (!share_a_body(&own, &its))
            return true;
    }
    return false;
}

static bool are_apart(const mote_world *world, deferred_place pair)
{
    mote_vec3 low = {MT_FAR, MT_FAR, MT_FAR}, high = {-MT_FAR, -MT_FAR, -MT_FAR};
    float most = 0.0f;
    for (uint32_t k = 0; k < mt_bodies(world)[pair.b].link_count; k++) {
        mote_vec4 x = mt_positions(world)[slot_of(world, pair.b, k)];
        stretch(&low, &high, x);
        most = fmaxf(most, x.w);
    }
    for (uint32_t k = 0; k < mt_bodies(world)[pair.a].link_count; k++) {
        uint32_t slot = slot_of(world, pair.a, k);
        mote_vec4 x = mt_positions(world)[slot];
        float reach = TOUCHING * (x.w + most);
        bool is_beside = x.x < low.x - reach || x.y < low.y - reach || x.z < low.z - reach ||
                         x.x > high.x + reach || x.y > high.y + reach || x.z > high.z + reach;
        if (!is_beside && touches_body(world, slot, pair.b))
            return false;
    }
    return true;
}

void mt_deferred_commit(mote_world *world)
{
    const mt_deferred_plan *p = &world->scratch->deferred;
    world->deferred_count = 0;
    for (uint32_t k = 0; k < p->pair_count; k++) {
        deferred_place pair = pairs_of(p)[k];
        if (!are_apart(world, pair))
            mt_deferred_pairs(world)[world->deferred_count++] =
                (mt_deferred_pair){mt_bodies(world)[pair.a].id, mt_bodies(world)[pair.b].id};
    }
}
