/* Who may touch whom in a step, and in which order contacts are solved.
 *
 * A pair is in the set if the two could touch before the step is over: this depends on nothing but the two. Its owner
 * is the particle with the lower index (or the one that moves), and pairs are in the order of their owners and then
 * of the others, so the order depends on nothing far away either. Colours are given in that order, each pair the
 * first that neither of its movers has. Contacts of one body with one other mover are a group: they are solved one
 * after the other, and a group has one colour. */
#include "step/impulse/impulse.h"

#include "base/vec.h"
#include "step/kernels.h"
#include "step/neighbors/neighbors.h"
#include "step/solve/near.h"
#include "world/bodies.h"
#include "world/check.h"

#include <string.h>

#define BLOCK_SLOTS (MT_BLOCK * MT_SLICE)

typedef struct set_job {
    mote_world *world;
    mt_substep *s;
    mt_impulses *w;
} set_job;

static const uint32_t *movers_of(const mt_impulses *w)
{
    return w->mover_of.data;
}

static bool moves(const mt_impulses *w, uint32_t mover)
{
    return ((const mote_vec4 *)w->velocity.data)[mover].w > 0;
}

/* ---- who is near --------------------------------------------------------------------------------------- */

static bool is_liquid(const mote_world *world, uint32_t slot)
{
    return world->materials[mt_material_indices(world)[slot]].fluid != 0;
}

/* Whether two could touch within the step, if they go on as they do: nearest on their way beside each other. */
static bool could_touch(const set_job *job, uint32_t i, uint32_t j)
{
    const mt_substep *s = job->s;
    mote_vec4 x = s->position[i], y = s->position[j];
    mote_vec3 d = mt_sub(mt_xyz(x), mt_xyz(y)), u = mt_sub(mt_xyz(s->velocity[i]), mt_xyz(s->velocity[j]));
    float touch = x.w + y.w, near = s->contact_margin * touch, closing = -mt_dot(d, u);
    float slack = 0.499f * job->world->settings.neighbor_skin * touch; /* lists have a little more */
    float reach = near + slack, way = s->dt * mt_length(u), most = near + (way > slack ? way : slack);
    if (is_liquid(job->world, i) || is_liquid(job->world, j)) { /* their lists do not look ahead */
        float least = 0.5f * MT_FLUID_REACH * job->world->radius;
        float wet = reach + least - s->contact_margin * (is_liquid(job->world, i) ? x.w : y.w);
        most = most < wet ? most : wet;
    }
    if (!(mt_dot(d, d) < most * most)) /* others may not be in the lists */
        return false;
    if (closing > 0) {
        float time = closing / mt_dot(u, u);
        d = mt_add(d, mt_scale(u, time < s->dt ? time : s->dt));
    }
    return mt_dot(d, d) < reach * reach;
}

static bool has_surface(const mt_impulses *w, uint32_t mover)
{
    return mover >= w->first_body &&
           ((const mt_body_surface *)w->surfaces.data)[mover - w->first_body].form != NULL;
}

typedef enum pair_kind { NOT_OWN, OF_PARTICLES, OF_SURFACE } pair_kind;

/* What a particle's pair with a neighbour is, if it is its own. Who comes near a body with a surface touches that; of
 * two particles the one with the lower index, or the only one that moves, owns their pair. */
static pair_kind kind_of_pair(const set_job *job, uint32_t i, uint32_t j)
{
    const mote_particle_id *id = mt_particle_ids(job->world);
    const uint32_t *of = movers_of(job->w);
    if (of[i] == of[j] || (is_liquid(job->world, i) && is_liquid(job->world, j)) || !could_touch(job, i, j))
        return NOT_OWN;
    if (has_surface(job->w, of[j]))
        return OF_SURFACE;
    bool other_moves = moves(job->w, of[j]);
    if (has_surface(job->w, of[i]) && other_moves)
        return NOT_OWN;
    return other_moves && id[j].index < id[i].index ? NOT_OWN : OF_PARTICLES;
}

/* The contact lists have a column for each particle of a slice. */
static uint32_t *column_of(const mt_lists *lists, uint32_t i)
{
    return (uint32_t *)lists->contact.data +
           (size_t)((const uint32_t *)lists->start.data)[i / MT_SLICE] * MT_SLICE + i % MT_SLICE;
}

#define ON_SURFACE 0x80000000u /* of an entry of the column */

/* Where the entry of a body is whose surface is touched; `count`: there is none. */
static uint32_t find_surface(const set_job *job, const uint32_t *own, uint32_t count, uint32_t mover)
{
    uint32_t k = 0;
    while (k < count && !((own[k * MT_SLICE] & ON_SURFACE) != 0 &&
                          movers_of(job->w)[own[k * MT_SLICE] & ~ON_SURFACE] == mover))
        k++;
    return k;
}

/* Keeps the column in the order of indices. */
static void sort_last(const set_job *job, uint32_t *own, uint32_t n)
{
    const mote_particle_id *id = mt_particle_ids(job->world);
    uint32_t one = own[n * MT_SLICE], index = id[one & ~ON_SURFACE].index;
    for (; n > 0 && id[own[(n - 1) * MT_SLICE] & ~ON_SURFACE].index > index; n--)
        own[n * MT_SLICE] = own[(n - 1) * MT_SLICE];
    own[n * MT_SLICE] = one;
}

/* A particle's own pairs, by the others' indices. For a surface stands the first of its body's particles nearby. */
static void find_own(const set_job *job, uint32_t i)
{
    const mt_lists *lists = &job->world->scratch->lists;
    const mote_particle_id *id = mt_particle_ids(job->world);
    uint32_t *own = column_of(lists, i), count = 0;
    uint32_t length = moves(job->w, movers_of(job->w)[i]) ? mt_neighbor_count(lists, i) : 0;
    for (uint32_t k = 0; k < length; k++) {
        uint32_t j = mt_neighbor(lists, i, k), at = count;
        pair_kind kind = j < job->s->count ? kind_of_pair(job, i, j) : NOT_OWN;
        if (kind == NOT_OWN)
            continue;
        if (kind == OF_SURFACE) {
            at = find_surface(job, own, count, movers_of(job->w)[j]);
            if (at < count && id[own[at * MT_SLICE] & ~ON_SURFACE].index <= id[j].index)
                continue;
        }
        own[at * MT_SLICE] = kind == OF_SURFACE ? j | ON_SURFACE : j;
        count += at == count;
        sort_last(job, own, at);
    }
    ((uint32_t *)job->w->number.data)[i] = count;
}

static void find_range(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const set_job *job = context;
    (void)worker;
    for (uint32_t i = begin * MT_SLICE; i < end * MT_SLICE && i < job->s->count; i++)
        find_own(job, i);
}

/* ---- pairs by owner ------------------------------------------------------------------------------------ */

/* Where each owner's pairs begin. */
static void place_owners(const set_job *job)
{
    mt_impulses *w = job->w;
    const mt_handles *handles = &job->world->particles.handles;
    const mt_handle_entry *entries = mt_handle_entries(handles);
    uint32_t *start = w->start.data, next = 0;
    const uint32_t *number = w->number.data;
    for (uint32_t k = 0; k < handles->count; k++) {
        start[k] = next;
        next += entries[k].slot != MT_NO_SLOT ? number[entries[k].slot] : 0;
    }
    start[handles->count] = w->pair_count = next;
}

/* The same of what was remembered. */
static void place_remembered(const set_job *job)
{
    const mote_world *world = job->world;
    const mt_contact_impulse *last = world->impulses.data;
    uint32_t *start = job->w->remembered_start.data, count = world->particles.handles.count, next = 0;
    for (uint32_t k = 0; k <= count; k++) {
        while (next < world->impulse_count && last[next].owner < k)
            next++;
        start[k] = next;
    }
}

static uint32_t recall(const set_job *job, mote_particle_id owner, uint32_t kind, uint32_t other,
                       uint32_t generation)
{
    const mt_contact_impulse *last = job->world->impulses.data;
    const uint32_t *start = job->w->remembered_start.data;
    for (uint32_t k = start[owner.index]; k < start[owner.index + 1]; k++)
        if (last[k].kind == kind && last[k].other == other && last[k].other_generation == generation &&
            last[k].owner_generation == owner.generation)
            return k + 1;
    return 0;
}

static void fill_range(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const set_job *job = context;
    const mt_lists *lists = &job->world->scratch->lists;
    const mote_particle_id *id = mt_particle_ids(job->world);
    (void)worker;
    for (uint32_t i = begin * MT_SLICE; i < end * MT_SLICE && i < job->s->count; i++) {
        const uint32_t *column = column_of(lists, i);
        mt_pair *pair = (mt_pair *)job->w->pairs.data + ((const uint32_t *)job->w->start.data)[id[i].index];
        for (uint32_t k = 0; k < ((const uint32_t *)job->w->number.data)[i]; k++) {
            uint32_t j = column[(size_t)k * MT_SLICE] & ~ON_SURFACE;
            bool surface = (column[(size_t)k * MT_SLICE] & ON_SURFACE) != 0;
            mote_body_id body =
                surface ? mt_mover_body(job->world, movers_of(job->w)[j]) : (mote_body_id){0, 0};
            uint32_t last = surface ? recall(job, id[i], MT_CONTACT_BODY, body.index, body.generation)
                                    : recall(job, id[i], MT_CONTACT_PARTICLE, id[j].index, id[j].generation);
            pair[k] = (mt_pair){i, j, surface, last, 0};
        }
    }
}

/* ---- colours ------------------------------------------------------------------------------------------- */

/* The first colour that neither has; what does not move has none. */
static uint32_t take_color(mt_impulses *w, uint32_t a, uint32_t b)
{
    uint64_t *used = w->used.data, none = 0;
    uint64_t *of_a = moves(w, a) ? &used[a] : &none, *of_b = moves(w, b) ? &used[b] : &none;
    uint64_t taken = *of_a | *of_b;
    if (taken == UINT64_MAX)
        return MT_COLORS;
    uint32_t color = (uint32_t)__builtin_ctzll(~taken);
    *of_a |= UINT64_C(1) << color;
    *of_b |= UINT64_C(1) << color;
    return color;
}

/* Of two loose particles at once; of bodies when they are grouped. */
static void color_pairs(const set_job *job, uint32_t numbers[MT_COLORS + 1])
{
    mt_impulses *w = job->w;
    const mote_particle_id *id = mt_particle_ids(job->world);
    const uint32_t *of = movers_of(w);
    uint8_t *color = w->color_of.data;
    mt_group_key *grouped = w->spare.data;
    w->grouped_count = 0;
    for (uint32_t k = 0; k < w->pair_count; k++) {
        const mt_pair *pair = (const mt_pair *)w->pairs.data + k;
        uint32_t a = of[pair->a], b = of[pair->b];
        if (a < w->first_body && b < w->first_body) {
            color[k] = (uint8_t)take_color(w, a, b);
            numbers[color[k]]++;
            continue;
        }
        bool swap = b >= w->first_body && (a < w->first_body || b < a);
        uint32_t body = swap ? b : a, other = swap ? a : b, slot = swap ? pair->a : pair->b;
        color[k] = MT_GROUPED;
        grouped[w->grouped_count++] =
            (mt_group_key){body, other >= w->first_body ? MT_IS_BODY | other : id[slot].index, k};
    }
}

/* Sorted by body and then by the other, and otherwise in their order. */
static void sort_grouped(mt_impulses *w)
{
    const mt_group_key *from = w->spare.data;
    mt_group_key *to = w->grouped.data;
    uint32_t *start = w->bucket.data, bodies = w->mover_count - w->first_body;
    memset(start, 0, (bodies + 1) * sizeof *start);
    for (uint32_t k = 0; k < w->grouped_count; k++)
        start[from[k].body - w->first_body + 1]++;
    for (uint32_t k = 0; k < bodies; k++)
        start[k + 1] += start[k];
    for (uint32_t k = 0; k < w->grouped_count; k++)
        to[start[from[k].body - w->first_body]++] = from[k];
    for (uint32_t k = 1; k < w->grouped_count; k++) {
        mt_group_key one = to[k];
        uint32_t n = k;
        for (; n > 0 && to[n - 1].body == one.body && to[n - 1].other > one.other; n--)
            to[n] = to[n - 1];
        to[n] = one;
    }
}

static void color_groups(const set_job *job)
{
    mt_impulses *w = job->w;
    const mt_group_key *keys = w->grouped.data;
    mt_pair_group *groups = w->groups.data;
    w->group_count = 0;
    memset(w->used.data, 0, w->mover_count * sizeof(uint64_t));
    for (uint32_t k = 0; k < w->grouped_count;) {
        uint32_t first = k;
        while (k < w->grouped_count && keys[k].body == keys[first].body && keys[k].other == keys[first].other)
            k++;
        const mt_pair *pair = (const mt_pair *)w->pairs.data + keys[first].pair;
        const uint32_t *of = movers_of(w);
        groups[w->group_count++] = (mt_pair_group){first, k - first, take_color(w, of[pair->a], of[pair->b])};
    }
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

static void put_in_lane(mt_impulses *w, uint32_t pair, uint32_t row, uint32_t lane)
{
    ((uint32_t *)w->lane_pair.data)[(size_t)row * MT_SLICE + lane] = pair;
    ((mt_pair *)w->pairs.data)[pair].lane = row * MT_SLICE + lane;
}

static mt_batch_of_rows *add_batch(mt_impulses *w, uint32_t rows, bool wide)
{
    mt_batch_of_rows *batch = (mt_batch_of_rows *)w->batches.data + w->batch_count++;
    *batch = (mt_batch_of_rows){w->row_count, rows, wide, false};
    memset((uint32_t *)w->lane_pair.data + (size_t)w->row_count * MT_SLICE, 0xff,
           rows * MT_SLICE * sizeof(uint32_t));
    w->row_count += rows;
    return batch;
}

/* Pairs of loose particles: a batch is a row. Whether some of them turn is known when it is filled. */
static void lay_out_pairs(mt_impulses *w, const uint32_t numbers[MT_COLORS + 1])
{
    uint32_t next[MT_COLORS + 1];
    for (uint32_t c = 0; c <= MT_COLORS; c++) {
        if (numbers[c] == 0)
            continue;
        uint32_t lanes = c < MT_COLORS ? MT_SLICE : 1, batches = (numbers[c] + lanes - 1) / lanes;
        next[c] = w->row_count * MT_SLICE;
        w->colors[w->color_count++] = (mt_color){w->batch_count, batches, c == MT_COLORS};
        for (uint32_t k = 0; k < batches; k++)
            add_batch(w, 1, false);
    }
    w->single_count = w->batch_count;
    const uint8_t *color = w->color_of.data;
    for (uint32_t k = 0; k < w->pair_count; k++) {
        if (color[k] == MT_GROUPED)
            continue;
        uint32_t at = next[color[k]];
        next[color[k]] += color[k] < MT_COLORS ? 1 : MT_SLICE;
        put_in_lane(w, k, at / MT_SLICE, at % MT_SLICE);
    }
}

#define LENGTHS 64u

static uint32_t place_of_group(const mt_pair_group *g)
{
    return g->color * LENGTHS + (LENGTHS - 1 - (g->count < LENGTHS ? g->count : LENGTHS - 1));
}

/* By colour, the longest first. */
static void order_groups(mt_impulses *w)
{
    const mt_pair_group *groups = w->groups.data;
    uint32_t start[(MT_COLORS + 1) * LENGTHS + 1] = {0}, *order = w->order.data;
    for (uint32_t k = 0; k < w->group_count; k++)
        start[place_of_group(&groups[k]) + 1]++;
    for (uint32_t k = 0; k < (MT_COLORS + 1) * LENGTHS; k++)
        start[k + 1] += start[k];
    for (uint32_t k = 0; k < w->group_count; k++)
        order[start[place_of_group(&groups[k])]++] = k;
}

/* Up to eight groups of one colour; the first is the longest but for those that are very long. */
static void lay_out_batch(mt_impulses *w, const uint32_t *which, uint32_t count)
{
    const mt_pair_group *groups = w->groups.data;
    const mt_group_key *keys = w->grouped.data;
    uint32_t longest = 0;
    for (uint32_t n = 0; n < count; n++)
        longest = groups[which[n]].count > longest ? groups[which[n]].count : longest;
    const mt_batch_of_rows *batch = add_batch(w, longest, true);
    for (uint32_t n = 0; n < count; n++)
        for (uint32_t k = 0; k < groups[which[n]].count; k++)
            put_in_lane(w, keys[groups[which[n]].first + k].pair, batch->first + k, n);
}

static void lay_out_groups(mt_impulses *w)
{
    const mt_pair_group *groups = w->groups.data;
    const uint32_t *order = w->order.data;
    for (uint32_t k = 0; k < w->group_count;) {
        uint32_t color = groups[order[k]].color, lanes = color < MT_COLORS ? MT_SLICE : 1;
        mt_color *made = &w->colors[w->color_count++];
        *made = (mt_color){w->batch_count, 0, color == MT_COLORS};
        while (k < w->group_count && groups[order[k]].color == color) {
            uint32_t n = 0;
            while (n < lanes && k + n < w->group_count && groups[order[k + n]].color == color)
                n++;
            lay_out_batch(w, order + k, n);
            k += n;
        }
        made->count = w->batch_count - made->first;
    }
}

/* What two materials make of a contact. */
static void fill_surface(const mote_world *world, const mt_pair *pair, mt_contact_row *row, uint32_t n)
{
    const uint32_t *material = mt_material_indices(world);
    const mt_material *a = &world->materials[material[pair->a]], *b = &world->materials[material[pair->b]];
    float ra = mt_positions(world)[pair->a].w, rb = mt_positions(world)[pair->b].w;
    bool wet = a->fluid || b->fluid; /* it slips, and comes nearer */
    row->touch[n] = ra + rb - (wet ? world->scratch->impulses.wet_inset : 0.0f);
    row->static_friction[n] = wet ? 0.0f : sqrtf(a->static_friction * b->static_friction);
    row->kinetic_friction[n] = wet ? 0.0f : sqrtf(a->kinetic_friction * b->kinetic_friction);
    row->restitution[n] = a->restitution > b->restitution ? a->restitution : b->restitution;
    row->softness[n] = a->compliance + b->compliance;
    row->pull[n] = wet ? 0.0f : MT_PULL * ra * rb / (ra + rb) * sqrtf(a->adhesion * b->adhesion);
    row->plain = row->plain && row->softness[n] == 0 && row->pull[n] == 0;
    row->bounces |= (uint32_t)(row->restitution[n] > 0) << n;
}

static void fill_lane(const set_job *job, uint32_t k, mt_contact_row *row, uint32_t n)
{
    const mt_pair *pair = (const mt_pair *)job->w->pairs.data + k;
    const uint32_t *of = movers_of(job->w);
    row->lanes |= 1u << n;
    row->pair[n] = k;
    row->particle_a[n] = pair->a;
    row->particle_b[n] = pair->b;
    row->a[n] = of[pair->a];
    row->b[n] = of[pair->b];
    row->parallel[n] = 1.0f;
    row->on_surface[n] = pair->surface;
    row->surfaced = row->surfaced || pair->surface != 0;
    fill_surface(job->world, pair, row, n);
    if (pair->remembered == 0)
        return;
    const mt_contact_impulse *last =
        (const mt_contact_impulse *)job->world->impulses.data + pair->remembered - 1;
    row->normal_x[n] = last->normal.x;
    row->normal_y[n] = last->normal.y;
    row->normal_z[n] = last->normal.z;
    row->impulse[n] = last->force * job->s->h;
    row->friction_x[n] = last->friction.x * job->s->h;
    row->friction_y[n] = last->friction.y * job->s->h;
    row->friction_z[n] = last->friction.z * job->s->h;
}

static bool any_turns(const mt_impulses *w, const mt_contact_row *row)
{
    const mote_vec4 *spin = w->spin.data;
    bool turns = false;
    for (uint32_t n = 0; n < MT_SLICE; n++)
        turns = turns || spin[row->a[n]].w > 0 || spin[row->b[n]].w > 0;
    return turns;
}

static void fill_rows(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const set_job *job = context;
    (void)worker;
    for (uint32_t r = begin; r < end; r++) {
        mt_contact_row *row = (mt_contact_row *)job->w->rows.data + r;
        const uint32_t *pair = (const uint32_t *)job->w->lane_pair.data + (size_t)r * MT_SLICE;
        memset(row, 0, sizeof *row);
        row->plain = true;
        for (uint32_t n = 0; n < MT_SLICE; n++) {
            row->a[n] = row->b[n] = row->particle_a[n] = row->particle_b[n] = job->s->dummy;
            row->pair[n] = MT_NO_PAIR;
            if (pair[n] != MT_NO_PAIR)
                fill_lane(job, pair[n], row, n);
        }
        if (r < job->w->single_count)
            ((mt_batch_of_rows *)job->w->batches.data)[r].wide = any_turns(job->w, row);
        if (row->bounces != 0)
            atomic_store_explicit(&job->w->bounces, true, memory_order_relaxed);
    }
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static mote_result reserve_owners(mote_world *world, mt_impulses *w)
{
    size_t handles = (size_t)world->particles.handles.count + 1;
    MT_TRY(mt_array_reserve(&w->number, &world->memory, world->particles.count, 0));
    MT_TRY(mt_array_reserve(&w->start, &world->memory, handles, 0));
    MT_TRY(mt_array_reserve(&w->remembered_start, &world->memory, handles, 0));
    return mt_array_reserve(&w->used, &world->memory, w->mover_count, 0);
}

static mote_result reserve_pairs(mote_world *world, mt_impulses *w)
{
    MT_TRY(mt_array_reserve(&w->pairs, &world->memory, w->pair_count, 0));
    MT_TRY(mt_array_reserve(&w->color_of, &world->memory, w->pair_count, 0));
    MT_TRY(mt_array_reserve(&w->grouped, &world->memory, w->pair_count, 0));
    MT_TRY(mt_array_reserve(&w->spare, &world->memory, w->pair_count, 0));
    MT_TRY(mt_array_reserve(&w->groups, &world->memory, w->pair_count, 0));
    MT_TRY(mt_array_reserve(&w->order, &world->memory, w->pair_count, 0));
    return mt_array_reserve(&w->bucket, &world->memory, w->mover_count - w->first_body + 2, 0);
}

/* How many rows there can be at most: a colour may end with a row that is not full, and a batch of groups has as many
 * as its longest. */
static mote_result reserve_rows(mote_world *world, mt_impulses *w, const uint32_t numbers[MT_COLORS + 1])
{
    size_t rows = numbers[MT_COLORS] + w->grouped_count, batches = rows;
    for (uint32_t c = 0; c < MT_COLORS; c++)
        rows += (numbers[c] + MT_SLICE - 1) / MT_SLICE;
    batches = rows + 1;
    MT_TRY(mt_array_reserve(&w->rows, &world->memory, rows, 0));
    MT_TRY(mt_array_reserve(&w->lane_pair, &world->memory, rows * MT_SLICE, 0));
    return mt_array_reserve(&w->batches, &world->memory, batches, 0);
}

mote_result mt_contact_set_make(mote_world *world, mt_substep *s)
{
    mt_impulses *w = &world->scratch->impulses;
    set_job job = {world, s, w};
    uint32_t numbers[MT_COLORS + 1] = {0};
    MT_TRY(reserve_owners(world, w));
    if (s->fluid.any && s->fluid.pure) /* they touch nobody */
        memset(w->number.data, 0, s->slices * MT_SLICE * sizeof(uint32_t));
    else
        mt_parallel_for(&world->threads, s->slices, MT_PIECE, find_range, &job);
    place_owners(&job);
    place_remembered(&job);
    MT_TRY(reserve_pairs(world, w));
    mt_parallel_for(&world->threads, s->slices, MT_PIECE, fill_range, &job);
    memset(w->used.data, 0, w->mover_count * sizeof(uint64_t));
    color_pairs(&job, numbers);
    sort_grouped(w);
    MT_TRY(reserve_rows(world, w, numbers));
    w->row_count = w->batch_count = w->color_count = 0;
    atomic_store(&w->bounces, false);
    lay_out_pairs(w, numbers);
    color_groups(&job);
    order_groups(w);
    lay_out_groups(w);
    mt_parallel_for(&world->threads, w->row_count, MT_PIECE, fill_rows, &job);
    return MOTE_OK;
}
