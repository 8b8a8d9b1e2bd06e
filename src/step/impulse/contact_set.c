/* Who may touch whom in a step, and in which order contacts are solved.
 *
 * A pair is in the set if the two could touch before the step is over (pair_kernel.c): this depends on nothing but the
 * two. Its owner is the particle with the lower index (or the one that moves), and pairs are in the order of their
 * owners and then of the others (pairs.c), so the order depends on nothing far away either. Colours are given in that order, each
 * pair the first that neither of its movers has. Contacts of one body with one other mover are a group: they are solved
 * one after the other, and a group has one colour. */
#include "step/impulse/contact_set.h"
#include "step/impulse/impulse.h"

#include "base/vec.h"
#include "step/kernels.h"
#include "step/neighbors/neighbors.h"
#include "step/solve/near.h"
#include "world/bodies.h"
#include "world/check.h"

#include <string.h>

static const uint32_t *movers_of(const mt_impulses *w)
{
    return w->movers.of.data;
}

/* ---- colours ------------------------------------------------------------------------------------------- */

/* The first colour that neither has. What does not move has none: it is the dummy, which stays as it is. */
static uint32_t take_color(mt_impulses *w, uint32_t a, uint32_t b, uint32_t dummy)
{
    uint64_t *used = w->coloring.used.data, taken = used[a] | used[b];
    if (taken == UINT64_MAX)
        return MT_COLORS;
    uint64_t bit = ~taken & (taken + 1);
    used[a] |= bit;
    used[b] |= bit;
    used[dummy] = 0;
    return (uint32_t)__builtin_ctzll(bit);
}

/* A contact of a body, to be grouped: by its body and the other mover. */
static mt_group_key group_key(const mt_set_job *job, uint32_t k)
{
    const mt_impulses *w = job->w;
    const mt_pair *pair = (const mt_pair *)w->search.pairs.data + k;
    uint32_t a = movers_of(w)[pair->a], b = movers_of(w)[pair->b];
    bool swap = b >= w->movers.first_body && (a < w->movers.first_body || b < a);
    uint32_t body = swap ? b : a, other = swap ? a : b, slot = swap ? pair->a : pair->b;
    uint32_t name =
        other >= w->movers.first_body ? MT_IS_BODY | other : mt_particle_ids(job->world)[slot].index;
    return (mt_group_key){body, name, k};
}

/* Of two loose particles; false: this round has none left for it. */
static bool color_pair(const mt_set_job *job, uint32_t k, uint32_t round, mt_color_sizes sizes)
{
    mt_impulses *w = job->w;
    mt_pair_ends ends = ((const mt_pair_ends *)w->search.ends.data)[k];
    uint32_t taken = round < MT_ROUNDS ? take_color(w, ends.a, ends.b, job->s->dummy) : 0;
    if (taken == MT_COLORS)
        return false;
    uint32_t color = round * MT_COLORS + taken;
    ((uint16_t *)w->coloring.color_of.data)[k] = (uint16_t)(color | ends.sort << MT_SORT_SHIFT);
    sizes[color]++;
    return true;
}

/* Large particles among small ones have more contacts than a round has colours. */
static void color_rest(const mt_set_job *job, uint32_t *left, uint32_t count, mt_color_sizes sizes)
{
    mt_impulses *w = job->w;
    for (uint32_t round = 1; count > 0; round++) {
        uint32_t still = 0;
        memset(w->coloring.used.data, 0, w->movers.count * sizeof(uint64_t));
        for (uint32_t k = 0; k < count; k++)
            if (!color_pair(job, left[k], round, sizes))
                left[still++] = left[k];
        count = still;
    }
}

/* Of two loose particles at once; of bodies when they are grouped. */
static void color_pairs(const mt_set_job *job, mt_color_sizes sizes)
{
    mt_impulses *w = job->w;
    const mt_pair_ends *ends = w->search.ends.data;
    uint32_t *left = w->coloring.order.data, count = 0;
    w->coloring.grouped_count = 0;
    memset(w->coloring.used.data, 0, w->movers.count * sizeof(uint64_t));
    for (uint32_t k = 0; k < w->search.count; k++)
        if (ends[k].a == MT_OF_BODY) {
            ((uint16_t *)w->coloring.color_of.data)[k] = MT_GROUPED;
            ((mt_group_key *)w->coloring.spare.data)[w->coloring.grouped_count++] = group_key(job, k);
        } else if (!color_pair(job, k, 0, sizes))
            left[count++] = k;
    color_rest(job, left, count, sizes);
}

/* Sorted by body and then by the other, and otherwise in their order. */
static void sort_grouped(mt_impulses *w)
{
    const mt_group_key *from = w->coloring.spare.data;
    mt_group_key *to = w->coloring.grouped.data;
    uint32_t *start = w->coloring.bucket.data, bodies = w->movers.count - w->movers.first_body;
    memset(start, 0, (bodies + 1) * sizeof *start);
    for (uint32_t k = 0; k < w->coloring.grouped_count; k++)
        start[from[k].body - w->movers.first_body + 1]++;
    for (uint32_t k = 0; k < bodies; k++)
        start[k + 1] += start[k];
    for (uint32_t k = 0; k < w->coloring.grouped_count; k++)
        to[start[from[k].body - w->movers.first_body]++] = from[k];
    for (uint32_t k = 1; k < w->coloring.grouped_count; k++) {
        mt_group_key one = to[k];
        uint32_t n = k;
        for (; n > 0 && to[n - 1].body == one.body && to[n - 1].other > one.other; n--)
            to[n] = to[n - 1];
        to[n] = one;
    }
}

static void color_groups(const mt_set_job *job)
{
    mt_impulses *w = job->w;
    const mt_group_key *keys = w->coloring.grouped.data;
    mt_pair_group *groups = w->coloring.groups.data;
    w->coloring.group_count = 0;
    memset(w->coloring.used.data, 0, w->movers.count * sizeof(uint64_t));
    for (uint32_t k = 0; k < w->coloring.grouped_count;) {
        uint32_t first = k;
        while (k < w->coloring.grouped_count && keys[k].body == keys[first].body &&
               keys[k].other == keys[first].other)
            k++;
        const mt_pair *pair = (const mt_pair *)w->search.pairs.data + keys[first].pair;
        uint32_t a = movers_of(w)[pair->a], b = movers_of(w)[pair->b], none = job->s->dummy;
        a = mt_mover_moves(w, a) ? a : none;
        b = mt_mover_moves(w, b) ? b : none;
        groups[w->coloring.group_count++] = (mt_pair_group){first, k - first, take_color(w, a, b, none)};
    }
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

static mt_batch_of_rows *add_batch(mt_impulses *w, uint32_t rows)
{
    mt_batch_of_rows *batch = (mt_batch_of_rows *)w->rows.batches.data + w->rows.batch_count++;
    *batch = (mt_batch_of_rows){.first = w->rows.count, .count = rows, .wide = true};
    memset((uint32_t *)w->rows.lane_pair.data + (size_t)w->rows.count * MT_SLICE, 0xff,
           rows * MT_SLICE * sizeof(uint32_t));
    w->rows.count += rows;
    return batch;
}

#define LENGTHS 64u

static uint32_t place_of_group(const mt_pair_group *g)
{
    return g->color * LENGTHS + (LENGTHS - 1 - (g->count < LENGTHS ? g->count : LENGTHS - 1));
}

/* By colour, the longest first. */
static void order_groups(mt_impulses *w)
{
    const mt_pair_group *groups = w->coloring.groups.data;
    uint32_t start[(MT_COLORS + 1) * LENGTHS + 1] = {0}, *order = w->coloring.order.data;
    for (uint32_t k = 0; k < w->coloring.group_count; k++)
        start[place_of_group(&groups[k]) + 1]++;
    for (uint32_t k = 0; k < (MT_COLORS + 1) * LENGTHS; k++)
        start[k + 1] += start[k];
    for (uint32_t k = 0; k < w->coloring.group_count; k++)
        order[start[place_of_group(&groups[k])]++] = k;
}

/* Up to eight groups of one colour; the first is the longest but for those that are very long. */
static void lay_out_batch(mt_impulses *w, const uint32_t *which, uint32_t count)
{
    const mt_pair_group *groups = w->coloring.groups.data;
    const mt_group_key *keys = w->coloring.grouped.data;
    uint32_t longest = 0;
    for (uint32_t n = 0; n < count; n++)
        longest = groups[which[n]].count > longest ? groups[which[n]].count : longest;
    const mt_batch_of_rows *batch = add_batch(w, longest);
    for (uint32_t n = 0; n < count; n++)
        for (uint32_t k = 0; k < groups[which[n]].count; k++)
            mt_put_in_lane(w, keys[groups[which[n]].first + k].pair, batch->first + k, n);
}

static void lay_out_groups(mt_impulses *w)
{
    const mt_pair_group *groups = w->coloring.groups.data;
    const uint32_t *order = w->coloring.order.data;
    for (uint32_t k = 0; k < w->coloring.group_count;) {
        uint32_t color = groups[order[k]].color, lanes = color < MT_COLORS ? MT_SLICE : 1;
        mt_color *made = &w->coloring.colors[w->coloring.count++];
        *made = (mt_color){w->rows.batch_count, 0, w->rows.count, color == MT_COLORS};
        while (k < w->coloring.group_count && groups[order[k]].color == color) {
            uint32_t n = 0;
            while (n < lanes && k + n < w->coloring.group_count && groups[order[k + n]].color == color)
                n++;
            lay_out_batch(w, order + k, n);
            k += n;
        }
        made->count = w->rows.batch_count - made->first;
        made->rows = w->rows.count - made->rows;
    }
}

/* What two materials make of a contact. */
static void fill_surface(const mote_world *world, const mt_pair *pair, mt_contact_more *more, uint32_t n)
{
    const uint32_t *material = mt_material_indices(world);
    const mt_material *a = &world->materials[material[pair->a]], *b = &world->materials[material[pair->b]];
    float ra = mt_positions(world)[pair->a].w, rb = mt_positions(world)[pair->b].w;
    bool wet = a->fluid || b->fluid; /* it slips, and comes nearer */
    more->touch[n] = ra + rb - (wet ? world->scratch->impulses.wet_inset : 0.0f);
    more->static_friction[n] = wet ? 0.0f : mt_friction_of_two(a->static_friction, b->static_friction);
    more->kinetic_friction[n] = wet ? 0.0f : mt_friction_of_two(a->kinetic_friction, b->kinetic_friction);
    more->restitution[n] = a->restitution > b->restitution ? a->restitution : b->restitution;
    more->softness[n] = a->compliance + b->compliance;
    more->pull[n] = wet ? 0.0f : MT_PULL * ra * rb / (ra + rb) * sqrtf(a->adhesion * b->adhesion);
    more->plain = more->plain && more->softness[n] == 0 && more->pull[n] == 0;
    more->bounces |= (uint32_t)(more->restitution[n] > 0) << n;
}

/* What a contact bore in the last step. */
static bool fill_remembered(const mt_set_job *job, const mt_pair *pair, mt_contact_row *row, uint32_t n)
{
    if (pair->remembered == 0)
        return false;
    const mt_contact_impulse *last =
        (const mt_contact_impulse *)job->world->impulses.data + pair->remembered - 1;
    row->normal_x[n] = last->normal.x;
    row->normal_y[n] = last->normal.y;
    row->normal_z[n] = last->normal.z;
    row->impulse[n] = last->force * job->s->h;
    row->friction_x[n] = last->friction.x * job->s->h;
    row->friction_y[n] = last->friction.y * job->s->h;
    row->friction_z[n] = last->friction.z * job->s->h;
    return true;
}

/* What every row has; answers whether something in it was borne. */
static bool fill_row(const mt_set_job *job, const uint32_t pairs[MT_SLICE], mt_contact_row *row)
{
    const uint32_t *of = movers_of(job->w);
    bool had_impulse = false;
    memset(row, 0, sizeof *row);
    for (uint32_t n = 0; n < MT_SLICE; n++) {
        row->a[n] = row->b[n] = job->s->dummy;
        if (pairs[n] == MT_NO_PAIR)
            continue;
        const mt_pair *pair = (const mt_pair *)job->w->search.pairs.data + pairs[n];
        row->a[n] = of[pair->a];
        row->b[n] = of[pair->b];
        row->lanes |= 1u << n;
        had_impulse |= fill_remembered(job, pair, row, n);
    }
    row->active = row->lanes;
    return had_impulse;
}

/* What the warm start gave of it then, N s. */
static float warm_of(const mt_set_job *job, const mt_pair *pair)
{
    const mt_contact_impulse *last = job->world->impulses.data;
    return pair->remembered == 0 ? 0.0f : last[pair->remembered - 1].warm * job->s->h;
}

static void fill_more(const mt_set_job *job, const uint32_t pairs[MT_SLICE], mt_contact_more *more)
{
    memset(more, 0, sizeof *more);
    more->plain = true;
    for (uint32_t n = 0; n < MT_SLICE; n++) {
        more->particle_a[n] = more->particle_b[n] = job->s->dummy;
        if (pairs[n] == MT_NO_PAIR)
            continue;
        const mt_pair *pair = (const mt_pair *)job->w->search.pairs.data + pairs[n];
        more->particle_a[n] = pair->a;
        more->particle_b[n] = pair->b;
        more->parallel[n] = 1.0f;
        more->on_surface[n] = pair->surface;
        more->surfaced = more->surfaced || pair->surface != 0;
        more->warm[n] = warm_of(job, pair);
        fill_surface(job->world, pair, more, n);
    }
    if (more->bounces != 0)
        atomic_store_explicit(&job->w->bounces, true, memory_order_relaxed);
}

static bool any_turns(const mt_impulses *w, const mt_contact_row *row)
{
    const mote_vec4 *spin = w->movers.spin.data;
    bool turns = false;
    for (uint32_t n = 0; n < MT_SLICE; n++)
        turns = turns || spin[row->a[n]].w > 0 || spin[row->b[n]].w > 0;
    return turns;
}

static bool is_compact(const mt_material *m)
{
    return !m->fluid && !(m->restitution > 0) && !(m->compliance > 0) && !(m->adhesion > 0);
}

static bool rub_alike(const mt_material *a, const mt_material *b)
{
    return a == b || (is_compact(b) && a->static_friction == b->static_friction &&
                      a->kinetic_friction == b->kinetic_friction);
}

/* Whether loose particles that do not turn need no more than a compact row: all rub alike, are dry and hard, and neither
 * bounce nor stick. */
static bool fill_compact(const mt_set_job *job, mt_contact_row *row)
{
    const uint32_t *material = mt_material_indices(job->world);
    const mt_material *all = job->world->materials, *one = &all[material[row->a[__builtin_ctz(row->lanes)]]];
    if (job->world->settings.solver != MOTE_SOLVER_IMPULSE ||
        !is_compact(one)) /* others look again and again */
        return false;
    for (uint32_t rest = job->world->material_count > 1 ? row->lanes : 0; rest != 0; rest &= rest - 1) {
        uint32_t n = (uint32_t)__builtin_ctz(rest);
        if (!rub_alike(one, &all[material[row->a[n]]]) || !rub_alike(one, &all[material[row->b[n]]]))
            return false;
    }
    row->static_friction = mt_friction_of_two(one->static_friction, one->static_friction);
    row->kinetic_friction = mt_friction_of_two(one->kinetic_friction, one->kinetic_friction);
    return true;
}

/* Room for what a row has more: where it is makes no difference. NULL: there is none left. */
static mt_contact_more *take_more(mt_impulses *w, uint32_t row)
{
    uint32_t at = row >= w->rows.single_count
                      ? row - w->rows.single_count
                      : atomic_fetch_add_explicit(&w->rows.more_used, 1, memory_order_relaxed);
    return at < w->rows.more.capacity ? (mt_contact_more *)w->rows.more.data + at : NULL;
}

/* A row of pairs of loose particles, which is a batch; answers whether it is compact. */
static bool fill_single(const mt_set_job *job, mt_contact_row *row, uint32_t r, bool had_impulse)
{
    mt_impulses *w = job->w;
    bool wide = job->turns && any_turns(w, row), compact = !wide && fill_compact(job, row);
    ((mt_batch_of_rows *)w->rows.batches.data)[r] = (mt_batch_of_rows){.first = r,
                                                                       .count = 1,
                                                                       .wide = wide,
                                                                       .compact = compact,
                                                                       .has_impulse = had_impulse,
                                                                       .lanes = (uint8_t)row->lanes};
    mt_row_movers *movers = (mt_row_movers *)w->rows.movers.data + r;
    memcpy(movers->a, row->a, sizeof movers->a);
    memcpy(movers->b, row->b, sizeof movers->b);
    return compact;
}

#define PAIRS_AHEAD    8u /* rows before which a row's pairs are fetched, */
#define IMPULSES_AHEAD 4u /* and what they bore */

/* Pairs and what they bore lie as their indices do, rows as their owners are in memory: most of what a row asks for is
 * in no cache, so it is fetched some rows before. */
static void prefetch_pairs(const mt_impulses *w, uint32_t row)
{
    const uint32_t *pairs = (const uint32_t *)w->rows.lane_pair.data + (size_t)row * MT_SLICE;
    for (uint32_t n = 0; n < MT_SLICE; n++)
        if (pairs[n] != MT_NO_PAIR)
            __builtin_prefetch((const mt_pair *)w->search.pairs.data + pairs[n]);
}

static void prefetch_remembered(const mt_set_job *job, uint32_t row)
{
    const uint32_t *pairs = (const uint32_t *)job->w->rows.lane_pair.data + (size_t)row * MT_SLICE;
    for (uint32_t n = 0; n < MT_SLICE; n++) {
        uint32_t at =
            pairs[n] != MT_NO_PAIR ? ((const mt_pair *)job->w->search.pairs.data)[pairs[n]].remembered : 0;
        if (at != 0)
            __builtin_prefetch((const mt_contact_impulse *)job->world->impulses.data + at - 1);
    }
}

static void fill_rows(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mt_set_job *job = context;
    mt_impulses *w = job->w;
    (void)worker;
    for (uint32_t r = begin; r < end; r++) {
        if (r + PAIRS_AHEAD < w->rows.count)
            prefetch_pairs(w, r + PAIRS_AHEAD);
        if (r + IMPULSES_AHEAD < w->rows.count)
            prefetch_remembered(job, r + IMPULSES_AHEAD);
        mt_contact_row *row = (mt_contact_row *)w->rows.all.data + r;
        const uint32_t *pairs = (const uint32_t *)w->rows.lane_pair.data + (size_t)r * MT_SLICE;
        bool had_impulse = fill_row(job, pairs, row);
        if (r < w->rows.single_count && fill_single(job, row, r, had_impulse))
            continue;
        row->more = take_more(w, r);
        if (row->more != NULL)
            fill_more(job, pairs, row->more);
    }
}

/* Comes again if there was not room enough for what rows have more. */
static mote_result fill_all_rows(const mt_set_job *job)
{
    mt_impulses *w = job->w;
    uint32_t in_groups = w->rows.count - w->rows.single_count;
    MT_TRY(mt_array_reserve(&w->rows.more, &job->world->memory, in_groups, 0));
    for (;;) {
        atomic_store(&w->rows.more_used, in_groups);
        mt_parallel_for(&job->world->threads, w->rows.count, MT_PIECE, fill_rows, (void *)job);
        uint32_t used = atomic_load(&w->rows.more_used);
        if (used <= w->rows.more.capacity)
            return MOTE_OK;
        MT_TRY(mt_array_reserve(&w->rows.more, &job->world->memory, (size_t)used + used / 4, 0));
    }
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static mote_result reserve_pairs(mote_world *world, mt_impulses *w)
{
    MT_TRY(mt_array_reserve(&w->coloring.color_of, &world->memory, w->search.count, 0));
    MT_TRY(mt_array_reserve(&w->rows.lane_of, &world->memory, w->search.count, 0));
    MT_TRY(mt_array_reserve(&w->coloring.grouped, &world->memory, w->search.count, 0));
    MT_TRY(mt_array_reserve(&w->coloring.spare, &world->memory, w->search.count, 0));
    MT_TRY(mt_array_reserve(&w->coloring.groups, &world->memory, w->search.count, 0));
    MT_TRY(mt_array_reserve(&w->coloring.order, &world->memory, w->search.count, 0));
    return mt_array_reserve(&w->coloring.bucket, &world->memory, w->movers.count - w->movers.first_body + 2, 0);
}

/* How many rows there can be at most: a colour may end with a row that is not full, and a batch of groups has as many
 * as its longest. */
static mote_result reserve_rows(mote_world *world, mt_impulses *w, const mt_color_sizes sizes)
{
    size_t singles = sizes[MT_ALL_COLORS];
    for (uint32_t c = 0; c < MT_ALL_COLORS; c++)
        singles += (sizes[c] + MT_SLICE - 1) / MT_SLICE;
    size_t rows = singles + w->coloring.grouped_count;
    MT_TRY(mt_array_reserve(&w->rows.all, &world->memory, rows, 0));
    MT_TRY(mt_array_reserve(&w->rows.lane_pair, &world->memory, rows * MT_SLICE, 0));
    MT_TRY(mt_array_reserve(&w->rows.movers, &world->memory, singles, 0));
    return mt_array_reserve(&w->rows.batches, &world->memory, rows + 1, 0);
}

mote_result mt_contact_set_make(mote_world *world, mt_substep *s)
{
    mt_impulses *w = &world->scratch->impulses;
    mt_set_job job = {
        .world = world, .s = s, .w = w, .turns = mt_may_turn(world), .ranges = world->threads.workers};
    mt_color_sizes sizes = {0};
    const mt_lists *lists = &world->scratch->search.lists;
    MT_TRY(mt_array_reserve(&w->search.number, &world->memory, s->slices, 0));
    MT_TRY(mt_array_reserve(&w->search.found_owner, &world->memory, lists->rows.capacity, 0));
    MT_TRY(mt_array_reserve(&w->search.found_other, &world->memory, lists->rows.capacity, 0));
    MT_TRY(mt_array_reserve(&w->coloring.used, &world->memory, w->movers.count, 0));
    if (s->liquids.fluid.any && s->liquids.fluid.pure) /* they touch nobody */
        memset(w->search.number.data, 0, s->slices * sizeof(uint32_t));
    else
        mt_parallel_for(&world->threads, s->slices, MT_PIECE, world->kernels->contact_pairs, &job);
    MT_TRY(mt_pairs_order(&job));
    MT_TRY(reserve_pairs(world, w));
    color_pairs(&job, sizes);
    sort_grouped(w);
    MT_TRY(reserve_rows(world, w, sizes));
    w->rows.count = w->rows.batch_count = w->coloring.count = 0;
    atomic_store(&w->bounces, false);
    MT_TRY(mt_pair_rows_lay(&job, sizes));
    color_groups(&job);
    order_groups(w);
    lay_out_groups(w);
    return fill_all_rows(&job);
}
