/* Looking for packs and clusters near a box. */
#ifndef MOTE_STEP_NEIGHBORS_CLUSTER_SEARCH_H
#define MOTE_STEP_NEIGHBORS_CLUSTER_SEARCH_H

#include "step/neighbors/particle_search.h"

#define PACK_BUFFER 256u /* packs near a box that are kept */

typedef struct near_packs {
    uint32_t count;
    bool complete; /* all of them fitted */
    uint32_t pack[PACK_BUFFER + LANES];
} near_packs;

LANE_FUNCTION group box_of(const mt_cluster *cluster)
{
    group box = {.reach = cluster->reach,
                 .lanes = mt_cluster_bits(cluster->name),
                 .family = cluster->family < MT_FAMILY_NONE ? cluster->family : NO_FAMILY};
    memcpy(box.low, cluster->low, sizeof box.low);
    memcpy(box.high, cluster->high, sizeof box.high);
    return box;
}

/* ---- boxes in a table ---------------------------------------------------------------------------------- */

LANE_FUNCTION lanes column(const mt_box_table *table, uint32_t place, size_t column)
{
    return lanes_load((const float *)table->columns.data + column * table->stride + place);
}

LANE_FUNCTION lane_index index_column(const mt_box_table *table, uint32_t place, size_t column)
{
    return lanes_load_index((const uint32_t *)table->columns.data + column * table->stride + place);
}

/* How far eight boxes from a place on are outside of a box along an axis; below 0 where they overlap. Rounded
 * like the distance of any two of their particles, so it is never larger than that. */
LANE_FUNCTION lanes gaps(const mt_box_table *table, uint32_t place, size_t axis, const group *box)
{
    return lanes_max(column(table, place, axis) - lanes_all(box->high[axis]),
                     lanes_all(box->low[axis]) - column(table, place, 3 + axis));
}

/* Which of eight boxes are near a box along every axis, and not of its family. */
LANE_FUNCTION lane_mask near_along_axes(const mt_box_table *table, uint32_t place, const group *box)
{
    lanes x = gaps(table, place, 0, box), y = gaps(table, place, 1, box), z = gaps(table, place, 2, box);
    lanes within = column(table, place, MT_BOX_REACH) + lanes_all(box->reach);
    return lanes_below(lanes_max(lanes_max(x, y), z), within) &
           lanes_differ(index_column(table, place, MT_BOX_FAMILY), lanes_all_index(box->family));
}

/* The same, but near by distance. */
LANE_FUNCTION lane_mask near_by_distance(const mt_box_table *table, uint32_t place, const group *box)
{
    lanes zero = lanes_all(0.0f), x = lanes_max(gaps(table, place, 0, box), zero),
          y = lanes_max(gaps(table, place, 1, box), zero), z = lanes_max(gaps(table, place, 2, box), zero);
    lanes within = column(table, place, MT_BOX_REACH) + lanes_all(box->reach);
    return lanes_below(x * x + y * y + z * z, within * within) &
           lanes_differ(index_column(table, place, MT_BOX_FAMILY), lanes_all_index(box->family));
}

/* ---- packs --------------------------------------------------------------------------------------------- */

/* Keeps the numbers of those of ranks [begin, end) that are near the box. */
LANE_FUNCTION void keep_packs(const mt_clusters *c, const group *box, uint32_t begin, uint32_t end,
                              near_packs *near)
{
    for (uint32_t rank = begin; rank < end; rank += LANES) {
        lane_mask counted = (lane_mask)(lanes_iota() < lanes_all_index(end - rank));
        uint32_t bits = lanes_bits(near_along_axes(&c->pack_table, rank, box) & counted);
        if (near->count + LANES > PACK_BUFFER) {
            near->complete = false;
            return;
        }
        near->count +=
            lanes_compress(near->pack + near->count, index_column(&c->pack_table, rank, MT_BOX_NAME), bits);
    }
}

static inline void gather_packs_on(const mt_clusters *c, const mt_grid_level *level, const group *box,
                                   near_packs *near)
{
    const uint32_t *cell_start = c->grid.cell_start.data;
    float range = box->reach + level->reach, cell = level->inverse_cell;
    mt_window wx = mt_window_between(box->low[0] - range, box->high[0] + range, cell, level->bits[0]);
    mt_window wy = mt_window_between(box->low[1] - range, box->high[1] + range, cell, level->bits[1]);
    mt_window wz = mt_window_between(box->low[2] - range, box->high[2] + range, cell, level->bits[2]);
    for (uint32_t kz = 0; near->complete && kz < wz.count; kz++) {
        uint32_t z = mt_wrap(wz.first + (int32_t)kz, level->bits[2]);
        for (uint32_t ky = 0; ky < wy.count; ky++) {
            const uint32_t *row =
                cell_start + mt_cell_yz(level, mt_wrap(wy.first + (int32_t)ky, level->bits[1]), z);
            for (uint32_t kx = 0, run; kx < wx.count; kx += run) {
                uint32_t x = mt_wrap(wx.first + (int32_t)kx, level->bits[0]);
                run = mt_cells_in_tile(x, wx.count - kx);
                keep_packs(c, box, row[mt_cell_x(x)], row[mt_cell_x(x) + run], near);
            }
        }
    }
}

/* Those near a box, in the order of cells. */
static inline void gather_packs(const mt_clusters *c, const group *box, near_packs *near)
{
    near->count = 0;
    near->complete = true;
    for (uint32_t l = 0; near->complete && l < c->grid.level_count; l++)
        if (c->grid.levels[l].count > 0)
            gather_packs_on(c, &c->grid.levels[l], box, near);
}

/* Of all packs the next that are near a box, from rank `from` on: for a box that has too many near it. Answers
 * from where to go on. */
static inline uint32_t gather_packs_from(const mt_clusters *c, const group *box, uint32_t from,
                                         near_packs *near)
{
    uint32_t end = c->grid.count - from < PACK_BUFFER - LANES ? c->grid.count : from + PACK_BUFFER - LANES;
    near->count = 0;
    near->complete = true;
    keep_packs(c, box, from, end, near);
    return end;
}

/* ---- clusters ------------------------------------------------------------------------------------------ */

/* Which of a pack's clusters are near a box; the first is at `place` of the table. */
LANE_FUNCTION uint32_t clusters_near(const mt_clusters *c, uint32_t pack, const group *box, uint32_t *place)
{
    const uint32_t *start = (const uint32_t *)c->pack_start.data + pack;
    *place = start[0];
    return lanes_bits(near_by_distance(&c->table, start[0], box)) & ((1u << (start[1] - start[0])) - 1u);
}

LANE_FUNCTION uint32_t name_at(const mt_clusters *c, uint32_t place)
{
    return ((const uint32_t *)c->table.columns.data)[MT_BOX_NAME * c->table.stride + place];
}

LANE_FUNCTION uint32_t kin_at(const mt_clusters *c, uint32_t place)
{
    return ((const uint32_t *)c->table.columns.data)[MT_BOX_KIN * c->table.stride + place];
}

LANE_FUNCTION columns columns_of_clusters(const mt_clusters *c)
{
    return (columns){c->x.data, c->y.data, c->z.data, c->reach.data, NULL, NULL};
}

/* Particles of clusters near a group's box join its candidates. */
static inline void gather_from_clusters(const mt_clusters *c, const group *box, near_packs *packs,
                                        candidates *near)
{
    gather_packs(c, box, packs);
    near->complete = near->complete && packs->complete;
    for (uint32_t k = 0; near->complete && k < packs->count; k++) {
        uint32_t place;
        if (near->count + MT_PACK * LANES > BUFFER_SIZE) {
            near->complete = false;
            return;
        }
        for (uint32_t rest = clusters_near(c, packs->pack[k], box, &place); rest != 0; rest &= rest - 1) {
            uint32_t name = name_at(c, place + (uint32_t)__builtin_ctz(rest)), slot = mt_cluster_slot(name);
            near->count = keep_near(columns_of_clusters(c), slot, lanes_iota() + lanes_all_index(slot),
                                    lanes_of_bits(mt_cluster_bits(name)), box, near, near->count);
        }
    }
}

#endif
