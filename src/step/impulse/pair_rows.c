/* Rows for pairs of loose particles, colour by colour: eight a row, and each row a batch.
 *
 * Within a colour the order makes no difference to what is solved, so it is made for speed. Memory is cut into pieces of
 * so many slots, and pairs are in the order of the pieces that their owners are in: threads that share a colour meet the
 * same particles in each of them. Within a piece those come first that bore something, then those that are about to,
 * because a row in which nothing is borne is soon done. */
#include "step/impulse/contact_set.h"
#include "step/impulse/impulse.h"

#include "world/check.h"

#include <string.h>

#define PIECE_SLOTS 4096u
#define COLOR_MASK  ((1u << MT_SORT_SHIFT) - 1u)

typedef struct layout {
    mt_set_job *set;
    uint32_t pieces;
    uint16_t number[MT_ALL_COLORS]; /* of a colour among those that there are */
} layout;

/* Of a range of pairs: how many of them there are of a piece, a colour and a sort, later where the next of them is to be:
 * row * 8 + lane. Behind them stands one for those that are laid elsewhere. */
static size_t places_of_range(const layout *l)
{
    return (size_t)l->pieces * l->set->w->coloring.count * MT_PAIR_SORTS + 1;
}

static uint32_t *places_of(const layout *l, uint32_t range)
{
    return (uint32_t *)l->set->w->coloring.places.data + range * places_of_range(l);
}

/* The first pair of a range. */
static uint32_t range_start(const layout *l, uint32_t range)
{
    return (uint32_t)((uint64_t)l->set->w->search.count * range / l->set->ranges);
}

/* Which of a range's places is the k-th pair's. */
static inline size_t place_of(const layout *l, uint32_t k)
{
    const mt_impulses *w = l->set->w;
    uint32_t color = ((const uint16_t *)w->coloring.color_of.data)[k],
             owner = ((const mt_pair_ends *)w->search.ends.data)[k].a;
    if ((color & COLOR_MASK) >= MT_ALL_COLORS)
        return places_of_range(l) - 1;
    return ((size_t)(owner / PIECE_SLOTS) * w->coloring.count + l->number[color & COLOR_MASK]) * MT_PAIR_SORTS +
           (color >> MT_SORT_SHIFT);
}

static void count_pairs(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const layout *l = context;
    (void)worker;
    for (uint32_t range = begin; range < end; range++) {
        uint32_t *places = places_of(l, range);
        memset(places, 0, places_of_range(l) * sizeof *places);
        for (uint32_t k = range_start(l, range); k < range_start(l, range + 1); k++)
            places[place_of(l, k)]++;
    }
}

static void put_pairs(void *context, uint32_t begin, uint32_t end, uint32_t worker)
{
    const layout *l = context;
    mt_impulses *w = l->set->w;
    (void)worker;
    for (uint32_t range = begin; range < end; range++) {
        uint32_t *places = places_of(l, range);
        for (uint32_t k = range_start(l, range); k < range_start(l, range + 1); k++) {
            uint32_t at = places[place_of(l, k)]++;
            if (at < w->rows.count * MT_SLICE)
                mt_put_in_lane(w, k, at / MT_SLICE, at % MT_SLICE);
        }
    }
}

/* From numbers to places: colour by colour, within it piece by piece, within that sort by sort, and last in the order of
 * pairs. */
static void place_pairs(const layout *l)
{
    const mt_impulses *w = l->set->w;
    for (uint32_t c = 0; c < w->coloring.count; c++) {
        uint32_t next = w->coloring.colors[c].first * MT_SLICE;
        for (uint32_t piece = 0; piece < l->pieces; piece++)
            for (uint32_t k = 0; k < MT_PAIR_SORTS * l->set->ranges; k++) {
                size_t at = ((size_t)piece * w->coloring.count + c) * MT_PAIR_SORTS + k / l->set->ranges;
                uint32_t *place = &places_of(l, k % l->set->ranges)[at], count = *place;
                *place = next;
                next += count;
            }
    }
    for (uint32_t range = 0; range < l->set->ranges; range++)
        places_of(l, range)[places_of_range(l) - 1] = UINT32_MAX / 2;
}

/* A row that a colour may not fill starts with nobody in it. */
static mt_color *add_color(mt_impulses *w, uint32_t rows, bool serial)
{
    uint32_t empty = serial ? rows : 1;
    mt_color *color = &w->coloring.colors[w->coloring.count++];
    *color = (mt_color){w->rows.count, rows, rows, serial};
    w->rows.count += rows;
    memset((uint32_t *)w->rows.lane_pair.data + (size_t)(w->rows.count - empty) * MT_SLICE, 0xff,
           (size_t)empty * MT_SLICE * sizeof(uint32_t));
    return color;
}

/* Pairs that found no colour: one after the other, in their order. */
static void lay_serial(mt_impulses *w, uint32_t count)
{
    const uint16_t *color = w->coloring.color_of.data;
    uint32_t row = add_color(w, count, true)->first;
    for (uint32_t k = 0; k < w->search.count; k++)
        if ((color[k] & COLOR_MASK) == MT_ALL_COLORS)
            mt_put_in_lane(w, k, row++, 0);
}

mote_result mt_pair_rows_lay(mt_set_job *job, const mt_color_sizes sizes)
{
    mt_impulses *w = job->w;
    mote_world *world = job->world;
    layout l = {.set = job, .pieces = job->s->dummy / PIECE_SLOTS + 1};
    for (uint32_t c = 0; c < MT_ALL_COLORS; c++)
        if (sizes[c] > 0) {
            l.number[c] = (uint16_t)w->coloring.count;
            add_color(w, (sizes[c] + MT_SLICE - 1) / MT_SLICE, false);
        }
    if (w->coloring.count > 0) {
        MT_TRY(mt_array_reserve(&w->coloring.places, &world->memory, places_of_range(&l) * job->ranges, 0));
        mt_parallel_for(&world->threads, job->ranges, 1, count_pairs, &l);
        place_pairs(&l);
        mt_parallel_for(&world->threads, job->ranges, 1, put_pairs, &l);
    }
    if (sizes[MT_ALL_COLORS] > 0)
        lay_serial(w, sizes[MT_ALL_COLORS]);
    w->rows.batch_count = w->rows.single_count = w->rows.count;
    return MOTE_OK;
}
