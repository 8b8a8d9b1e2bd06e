/* From cells to pieces: what holds together within a cell is a piece; crumbs go to the neighbour that they
 * touch most. */
#include "base/sort.h"
#include "build/pieces.h"
#include "world/check.h"

#include <string.h>

#define CRUMB  8u  /* a piece of less than the mean by this factor is a crumb; so is a single point */
#define ROUNDS 32u /* of sweeping up crumbs, at most */

typedef struct cutter {
    mt_memory *memory;
    mt_near_points near;
    mt_cuts *cuts;
    uint64_t *cell_of; /* a point */
    uint32_t *parent;  /* sets of points: the pieces so far */
    uint32_t *size;    /* of the set that a point stands for */
    mote_result result;
} cutter;

static bool join_within_cell(void *context, uint32_t i, uint32_t j)
{
    cutter *c = context;
    if (c->cell_of[i] == c->cell_of[j])
        mt_set_join(c->parent, i, j);
    return true;
}

static void count_sizes(cutter *c)
{
    memset(c->size, 0, c->cuts->count * sizeof *c->size);
    for (uint32_t i = 0; i < c->cuts->count; i++)
        c->size[mt_set_of(c->parent, i)]++;
}

/* ---- pairs across cuts ---------------------------------------------------------------------------------- */

static bool add_pair(cutter *c, mt_cut_pair pair)
{
    mt_cuts *cuts = c->cuts;
    c->result = mt_array_reserve(&cuts->pairs, c->memory, cuts->pair_count + 1, cuts->pair_count);
    if (c->result != MOTE_OK)
        return false;
    ((mt_cut_pair *)cuts->pairs.data)[cuts->pair_count++] = pair;
    return true;
}

/* Both ways, named by sets: what each touches. */
static bool add_touch(void *context, uint32_t i, uint32_t j)
{
    cutter *c = context;
    uint32_t a = mt_set_of(c->parent, i), b = mt_set_of(c->parent, j);
    return a == b || (add_pair(c, (mt_cut_pair){a, b, i, j}) && add_pair(c, (mt_cut_pair){b, a, j, i}));
}

/* Named by pieces, the lower first. */
static bool add_cut(void *context, uint32_t i, uint32_t j)
{
    cutter *c = context;
    uint32_t a = c->cuts->piece_of[i], b = c->cuts->piece_of[j];
    return a == b || add_pair(c, a < b ? (mt_cut_pair){a, b, i, j} : (mt_cut_pair){b, a, j, i});
}

static int compare_numbers(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int compare_pairs(const void *left, const void *right)
{
    const mt_cut_pair *a = left, *b = right;
    int order = compare_numbers(a->a, b->a);
    order = order != 0 ? order : compare_numbers(a->b, b->b);
    order = order != 0 ? order : compare_numbers(a->i, b->i);
    return order != 0 ? order : compare_numbers(a->j, b->j);
}

static mote_result collect_pairs(cutter *c, mt_pair_visit *visit)
{
    mt_cuts *cuts = c->cuts;
    cuts->pair_count = 0;
    mt_near_points_pairs(&c->near, visit, c);
    MT_TRY(c->result);
    MT_TRY(mt_array_reserve(&cuts->spare, c->memory, cuts->pair_count, 0));
    if (cuts->pair_count > 1)
        mt_merge_sort(cuts->pairs.data, cuts->spare.data, cuts->pair_count, sizeof(mt_cut_pair), compare_pairs);
    return MOTE_OK;
}

/* ---- crumbs --------------------------------------------------------------------------------------------- */

static bool is_crumb(const cutter *c, uint32_t set, uint32_t mean)
{
    return c->size[set] == 1 || (uint64_t)c->size[set] * CRUMB < mean;
}

static uint32_t size_now(const cutter *c, uint32_t set)
{
    return c->size[mt_set_of(c->parent, set)];
}

/* The neighbour of a set with the most pairs, of several the smallest, so that crumbs do not all end in one.
 * `first` is where its pairs begin, *next where they end. */
static uint32_t closest_neighbor(const cutter *c, size_t first, size_t *next)
{
    const mt_cut_pair *pairs = c->cuts->pairs.data;
    size_t end = c->cuts->pair_count, most = 0, i = first;
    uint32_t best = pairs[first].b;
    while (i < end && pairs[i].a == pairs[first].a) {
        size_t begin = i;
        while (i < end && pairs[i].a == pairs[begin].a && pairs[i].b == pairs[begin].b)
            i++;
        bool smaller = size_now(c, pairs[begin].b) < size_now(c, best);
        if (i - begin > most || (i - begin == most && smaller)) {
            most = i - begin;
            best = pairs[begin].b;
        }
    }
    *next = i;
    return best;
}

/* Once through all sets; true if any crumb was swept up. */
static bool sweep_crumbs(cutter *c, uint32_t mean)
{
    const mt_cut_pair *pairs = c->cuts->pairs.data;
    bool swept = false;
    for (size_t i = 0, next; i < c->cuts->pair_count; i = next) {
        uint32_t neighbor = closest_neighbor(c, i, &next);
        uint32_t crumb = mt_set_of(c->parent, pairs[i].a), other = mt_set_of(c->parent, neighbor);
        if (crumb == other || !is_crumb(c, crumb, mean)) /* it may have grown meanwhile */
            continue;
        uint32_t together = c->size[crumb] + c->size[other];
        mt_set_join(c->parent, crumb, other);
        c->size[mt_set_of(c->parent, crumb)] = together;
        swept = true;
    }
    return swept;
}

static mote_result remove_crumbs(cutter *c)
{
    uint32_t sets = 0;
    count_sizes(c);
    for (uint32_t i = 0; i < c->cuts->count; i++)
        sets += c->parent[i] == i;
    uint32_t mean = c->cuts->count / sets;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        MT_TRY(collect_pairs(c, add_touch));
        if (!sweep_crumbs(c, mean))
            break;
    }
    return MOTE_OK;
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

/* Pieces are counted in the order of their first points. */
static void number_pieces(cutter *c)
{
    uint32_t *number = c->size; /* no longer needed as sizes; by the point that stands for a set */
    for (uint32_t i = 0; i < c->cuts->count; i++) {
        uint32_t set = mt_set_of(c->parent, i);
        if (set == i)
            number[i] = c->cuts->piece_count++;
        c->cuts->piece_of[i] = number[set];
    }
}

static mote_result cut(cutter *c, const mote_pieces_def *pieces, const mote_vec3 *points, float spacing)
{
    mt_cuts *cuts = c->cuts;
    c->cell_of = mt_allocate(c->memory, cuts->count * sizeof *c->cell_of);
    c->parent = mt_allocate(c->memory, cuts->count * sizeof *c->parent);
    c->size = mt_allocate(c->memory, cuts->count * sizeof *c->size);
    cuts->piece_of = mt_allocate(c->memory, cuts->count * sizeof *cuts->piece_of);
    if (c->cell_of == NULL || c->parent == NULL || c->size == NULL || cuts->piece_of == NULL)
        return MOTE_ERROR_MEMORY;
    MT_TRY(mt_near_points_make(c->memory, points, cuts->count, MT_PIECES_REACH * (double)spacing, &c->near));
    mt_cut_cells(pieces, points, cuts->count, spacing, c->cell_of);
    for (uint32_t i = 0; i < cuts->count; i++)
        c->parent[i] = i;
    mt_near_points_pairs(&c->near, join_within_cell, c);
    MT_TRY(remove_crumbs(c));
    number_pieces(c);
    return collect_pairs(c, add_cut);
}

mote_result mt_cuts_make(mt_memory *memory, const mote_pieces_def *pieces, const mote_vec3 *points,
                         uint32_t count, float spacing, mt_cuts *cuts)
{
    *cuts = (mt_cuts){.count = count};
    mt_array_init(&cuts->pairs, sizeof(mt_cut_pair));
    mt_array_init(&cuts->spare, sizeof(mt_cut_pair));
    cutter c = {.memory = memory, .cuts = cuts, .result = MOTE_OK};
    mote_result result = cut(&c, pieces, points, spacing);
    mt_near_points_free(memory, &c.near);
    mt_release(memory, c.cell_of, count * sizeof *c.cell_of);
    mt_release(memory, c.parent, count * sizeof *c.parent);
    mt_release(memory, c.size, count * sizeof *c.size);
    if (result != MOTE_OK)
        mt_cuts_free(memory, cuts);
    return result;
}

void mt_cuts_free(mt_memory *memory, mt_cuts *cuts)
{
    mt_release(memory, cuts->piece_of, cuts->count * sizeof *cuts->piece_of);
    mt_array_free(&cuts->pairs, memory);
    mt_array_free(&cuts->spare, memory);
    cuts->piece_of = NULL;
}
