/* Places and rows of constraints: made anew where constraints or bodies have changed, in the order in which constraints
 * were made. What is in which row changes no result. */
#include "base/error.h"
#include "step/constraints/constraints.h"
#include "world/bodies.h"
#include "world/check.h"

#include <string.h>

#define ROW_BLOCK 64u
#define AHEAD     16u /* constraints */

/* ---- places --------------------------------------------------------------------------------------------- */

/* The body that moves when an end is pushed, by its place in the world's table; MT_NO_SLOT: none. */
static uint32_t body_at(const mote_world *world, const mt_constraint_end *end)
{
    mt_member member;
    if (end->type == MOTE_END_BODY)
        return mt_handle_entries(&world->bodies.handles)[end->index].slot;
    if (end->type == MOTE_END_PARTICLE && mt_membership_of(world, end->index, &member) > 0)
        return mt_member_body(&member, 0);
    return MT_NO_SLOT;
}

static uint32_t ends_of(const mt_constraint *one)
{
    return mt_constraint_kinds[one->kind].info.ends;
}

/* What is within one body alone moves nothing. */
static bool is_solved(const mote_world *world, const mt_constraint *one)
{
    uint32_t body = body_at(world, &one->ends[0]);
    bool differs = body == MT_NO_SLOT;
    for (uint32_t k = 1; k < ends_of(one); k++)
        differs = differs || body_at(world, &one->ends[k]) != body;
    return differs;
}

/* All constraints in the order of their making. They lie anywhere in memory, so those that come next are fetched. */
typedef struct walk {
    const mt_constraints *constraints;
    uint32_t at, ahead;
} walk;

static void look_ahead(walk *w)
{
    if (w->ahead == 0)
        return;
    const char *item = (const char *)&mt_constraint_items(w->constraints)[w->ahead - 1];
    __builtin_prefetch(item);
    __builtin_prefetch(item + 64);
    __builtin_prefetch(item + sizeof(mt_constraint) - 1);
    w->ahead = mt_constraint_orders(w->constraints)[w->ahead - 1].next;
}

static walk walk_all(const mt_constraints *c)
{
    walk w = {c, c->first, c->first};
    for (uint32_t k = 0; k < AHEAD; k++)
        look_ahead(&w);
    return w;
}

/* NULL after the last. */
static const mt_constraint *next_of(walk *w)
{
    if (w->at == 0)
        return NULL;
    const mt_constraint *one = &mt_constraint_items(w->constraints)[w->at - 1];
    look_ahead(w);
    w->at = mt_constraint_orders(w->constraints)[w->at - 1].next;
    return one;
}

static uint32_t *group_number(const mt_constraint_work *w, const mt_constraint *one)
{
    return (uint32_t *)w->number.data + one->color * mt_constraint_kind_count + one->kind;
}

/* How many constraints every group has, a place for every loose particle, and how many other places there are. */
static uint32_t count_all(mote_world *world, mt_constraint_work *w)
{
    uint32_t *place_of = w->place_of.data, others = 0;
    memset(w->number.data, 0, MT_COLOR_GROUPS * mt_constraint_kind_count * sizeof(uint32_t));
    memset(place_of, 0, world->particles.handles.count * sizeof *place_of);
    w->loose_count = 0;
    walk all = walk_all(&world->constraints);
    for (const mt_constraint *one; (one = next_of(&all)) != NULL;) {
        if (!is_solved(world, one))
            continue;
        ++*group_number(w, one);
        for (uint32_t k = 0; k < ends_of(one); k++)
            if (one->ends[k].type != MOTE_END_PARTICLE || body_at(world, &one->ends[k]) != MT_NO_SLOT)
                others++;
            else if (place_of[one->ends[k].index] == 0)
                place_of[one->ends[k].index] = ++w->loose_count;
    }
    return others;
}

/* A body that is held for the first time. */
static uint32_t hold_body(mote_world *world, mt_constraint_work *w, uint32_t body)
{
    const mt_body_plan *p = &world->scratch->bodies;
    uint32_t place = ((const uint32_t *)p->order.data)[p->body_count + body];
    uint32_t *of = (uint32_t *)w->held_of.data + place;
    if (*of == MT_NOT_HELD) {
        *of = w->held_count++;
        mt_held_bodies(w)[*of] = (mt_held_body){.body = place, .follows = MT_NOT_HELD};
    }
    return *of;
}

static mt_place place_of_end(mote_world *world, mt_constraint_work *w, const mt_constraint_end *end)
{
    uint32_t slot = body_at(world, end);
    if (slot == MT_NO_SLOT)
        return (mt_place){end->type == MOTE_END_WORLD ? MT_PLACE_WORLD : MT_PLACE_SHAPE, end->index, 0,
                          end->point};
    const mt_body *body = &mt_bodies(world)[slot];
    mote_vec3 own = end->point;
    if (end->type == MOTE_END_PARTICLE)
        own = mt_link_find(world, body, (mote_particle_id){end->index, end->generation})->rest;
    return (mt_place){MT_PLACE_BODY, hold_body(world, w, slot), 0, mt_sub(own, body->center)};
}

/* ---- rows ----------------------------------------------------------------------------------------------- */

static uint32_t add_groups(mt_constraint_work *w)
{
    uint32_t *number = w->number.data, rows = 0;
    w->group_count = 0;
    for (uint32_t k = 0; k < MT_COLOR_GROUPS * mt_constraint_kind_count; k++) {
        bool alone = k / mt_constraint_kind_count == MT_NO_ROOM;
        uint32_t count = alone ? number[k] : (number[k] + 7) / 8;
        if (count > 0)
            ((mt_row_group *)w->groups.data)[w->group_count++] =
                (mt_row_group){k % mt_constraint_kind_count, rows, count, alone};
        number[k] = 8 * rows; /* the lane that comes next */
        rows += count;
    }
    return rows;
}

static void clear_row(const mt_constraint_work *w, mt_constraint_row *row)
{
    memset(row, 0, sizeof *row);
    for (uint32_t k = 0; k < MT_MOST_ENDS; k++)
        for (uint32_t n = 0; n < 8; n++)
            row->place[k][n] = w->place_count + n;
}

/* Of n iterations each takes 1 - (1 - k)^(1/n): by halving, with nothing but products, so that it is the same
 * everywhere. */
static float part_of(float stiffness, uint32_t iterations)
{
    double low = 0, high = 1, left = 1 - (double)stiffness;
    if (stiffness == 1.0f || iterations == 1)
        return stiffness;
    for (int k = 0; k < 60; k++) {
        double middle = 0.5 * (low + high), power = 1, base = middle;
        for (uint32_t n = iterations; n > 0; n >>= 1, base *= base)
            power *= (n & 1) != 0 ? base : 1;
        if (power < left)
            low = middle;
        else
            high = middle;
    }
    return (float)(1 - 0.5 * (low + high));
}

static void set_lane(const mote_world *world, mt_constraint_row *row, uint32_t n, const mt_constraint *one)
{
    const mt_place *places = world->scratch->constraints.places.data;
    for (uint32_t k = 0; k < ends_of(one); k++)
        if (places[row->place[k][n]].type == MT_PLACE_BODY)
            row->rigid_ends[k] |= (uint8_t)(1u << n);
    for (uint32_t k = 0; k < ends_of(one); k++)
        row->rigid |= row->rigid_ends[k];
    for (uint32_t k = 0; k < MT_OWN_VALUES; k++)
        row->own[k][n] = one->values[MT_REST + k];
    row->compliance[n] = one->values[MT_COMPLIANCE];
    row->damping[n] = one->values[MT_DAMPING];
    row->part[n] = part_of(one->values[MT_STIFFNESS], world->settings.iterations);
    row->one_sided[n] = one->values[MT_ONE_SIDED];
    row->break_force[n] = one->values[MT_BREAK_FORCE];
    row->constraint[n] = one->id.index;
    row->lanes |= (uint8_t)(1u << n);
}

static void fill_rows(mote_world *world, mt_constraint_work *w)
{
    mt_place *places = w->places.data;
    uint32_t next = w->loose_count;
    for (uint32_t k = 0; k < w->row_count; k++)
        clear_row(w, &mt_constraint_rows(w)[k]);
    walk all = walk_all(&world->constraints);
    for (const mt_constraint *one; (one = next_of(&all)) != NULL;) {
        if (!is_solved(world, one))
            continue;
        uint32_t *number = group_number(w, one), lane = *number;
        *number += one->color == MT_NO_ROOM ? 8 : 1;
        mt_constraint_row *row = &mt_constraint_rows(w)[lane / 8];
        for (uint32_t k = 0; k < ends_of(one); k++) {
            const mt_constraint_end *end = &one->ends[k];
            bool loose = end->type == MOTE_END_PARTICLE && body_at(world, end) == MT_NO_SLOT;
            uint32_t place = loose ? ((const uint32_t *)w->place_of.data)[end->index] - 1 : next++;
            places[place] = loose ? (mt_place){MT_PLACE_LOOSE, end->index, 0, {0.0f, 0.0f, 0.0f}}
                                  : place_of_end(world, w, end);
            row->place[k][lane % 8] = place;
        }
        set_lane(world, row, lane % 8, one);
    }
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

static mote_result reserve_places(mote_world *world, mt_constraint_work *w)
{
    size_t count = (size_t)w->place_count + 8;
    mt_array *const arrays[] = {&w->places, &w->start, &w->move, &w->before, &w->pull, &w->kept};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++)
        MT_TRY(mt_array_reserve(arrays[k], &world->memory, count, 0));
    for (uint32_t k = 0; k < 8; k++) {
        ((mt_place *)w->places.data)[w->place_count + k] = (mt_place){MT_PLACE_WORLD, 0, 0, {0.0f, 0.0f, 0.0f}};
        ((mote_vec4 *)w->start.data)[w->place_count + k] = ((mote_vec4 *)w->move.data)[w->place_count + k] =
            ((mote_vec4 *)w->pull.data)[w->place_count + k] = (mote_vec4){0.0f, 0.0f, 0.0f, 0.0f};
    }
    return MOTE_OK;
}

/* One held body of each assembly without joints takes it along; joints do so by themselves. */
static void find_followers(mote_world *world, mt_constraint_work *w)
{
    const mt_body_plan *p = &world->scratch->bodies;
    const uint32_t *held_of = w->held_of.data;
    for (uint32_t k = 0; k < p->assembly_count; k++) {
        const mt_assembly *a = (const mt_assembly *)p->assemblies.data + k;
        bool found = a->joints > 0;
        for (uint32_t i = a->first_body; !found && i < a->first_body + a->bodies; i++)
            if (held_of[i] != MT_NOT_HELD) {
                mt_held_bodies(w)[held_of[i]].follows = k;
                found = true;
            }
    }
}

static mote_result make_plan(mote_world *world, mt_constraint_work *w)
{
    const mt_constraints *c = &world->constraints;
    uint32_t bodies = world->scratch->bodies.body_count;
    w->edits = 0;
    MT_TRY(mt_array_reserve(&w->number, &world->memory, MT_COLOR_GROUPS * mt_constraint_kind_count, 0));
    MT_TRY(mt_array_reserve(&w->groups, &world->memory, MT_COLOR_GROUPS * mt_constraint_kind_count, 0));
    MT_TRY(mt_array_reserve(&w->place_of, &world->memory, world->particles.handles.count, 0));
    MT_TRY(mt_array_reserve(&w->broken, &world->memory, c->count, 0));
    MT_TRY(mt_array_reserve(&w->held, &world->memory, bodies, 0));
    MT_TRY(mt_array_reserve(&w->held_of, &world->memory, bodies, 0));
    mt_membership_know(world);
    w->place_count = count_all(world, w);
    w->place_count += w->loose_count;
    MT_TRY(reserve_places(world, w));
    w->row_count = add_groups(w);
    MT_TRY(mt_array_reserve(&w->rows, &world->memory, w->row_count, 0));
    w->held_count = 0;
    if (bodies > 0)
        memset(w->held_of.data, 0xFF, bodies * sizeof(uint32_t));
    fill_rows(world, w);
    find_followers(world, w);
    w->edits = c->edits;
    w->body_edits = world->body_edits;
    w->iterations = world->settings.iterations;
    return MOTE_OK;
}

static void begin_rows(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const mote_world *world = context;
    const mt_constraint_result *results = mt_constraint_results(&world->constraints);
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        mt_constraint_row *row = &mt_constraint_rows(&world->scratch->constraints)[k];
        row->broken = 0;
        for (uint32_t n = 0; n < 8; n++) {
            row->sum[n] = 0.0f;
            row->tension[n] = (row->lanes >> n & 1u) != 0 ? results[row->constraint[n]].tension : 0.0f;
        }
    }
}

mote_result mt_constraints_begin(mote_world *world)
{
    mt_constraint_work *w = &world->scratch->constraints;
    w->broken_count = 0;
    if (world->constraints.count == 0) {
        w->edits = w->row_count = w->place_count = w->loose_count = w->held_count = w->group_count = 0;
        return MOTE_OK;
    }
    mt_membership_know(world); /* sleep and contacts ask it from many threads */
    MT_TRY(mt_constraints_color(world));
    if (w->edits != world->constraints.edits || w->body_edits != world->body_edits ||
        w->iterations != world->settings.iterations)
        MT_TRY(make_plan(world, w));
    mt_parallel_for(&world->threads, w->row_count, ROW_BLOCK, begin_rows, world);
    return MOTE_OK;
}
