/* Looking for clusters near a box, and holding a cluster's particles against those of others. */
#ifndef MOTE_STEP_NEIGHBORS_CLUSTER_SEARCH_H
#define MOTE_STEP_NEIGHBORS_CLUSTER_SEARCH_H

#include "step/neighbors/particle_search.h"

#define CLUSTER_BUFFER 256u                     /* clusters near a box that are kept at a time */
#define CLUSTER_PART   (CLUSTER_BUFFER - LANES) /* of so many all can be kept */

/* Clusters near a box, column by column as in the table. */
typedef struct near_clusters {
    uint32_t count;
    bool complete; /* all of them fitted */
    float column[MT_CLUSTER_COLUMNS][CLUSTER_BUFFER + LANES];
} near_clusters;

/* How far boxes are outside of a box along an axis; below 0 where they overlap. Rounded like the distance of
 * any two of their particles, so it is never larger than that. */
LANE_FUNCTION lanes gap_along(const group *box, int axis, lanes low, lanes high)
{
    return lanes_max(low - lanes_all(box->high[axis]), lanes_all(box->low[axis]) - high);
}

/* Keeps those of ranks [begin, end) that are near the box along every axis and not of its family. */
LANE_FUNCTION void keep_clusters(const mt_clusters *c, const group *box, uint32_t begin, uint32_t end,
                                 near_clusters *near)
{
    const float *table = c->columns.data;
    const size_t stride = c->stride;
    for (uint32_t rank = begin; rank < end; rank += LANES) {
        const float *at = table + rank;
        lanes x = gap_along(box, 0, lanes_load(at), lanes_load(at + 3 * stride));
        lanes y = gap_along(box, 1, lanes_load(at + stride), lanes_load(at + 4 * stride));
        lanes z = gap_along(box, 2, lanes_load(at + 2 * stride), lanes_load(at + 5 * stride));
        lanes within = lanes_load(at + MT_CLUSTER_REACH * stride) + lanes_all(box->reach);
        lane_index family = lanes_load_index((const uint32_t *)at + MT_CLUSTER_FAMILY * stride);
        lane_mask kept = lanes_below(lanes_max(lanes_max(x, y), z), within) &
                         lanes_differ(family, lanes_all_index(box->family)) &
                         (lane_mask)(lanes_iota() < lanes_all_index(end - rank));
        uint32_t bits = lanes_bits(kept), to = near->count;
        if (bits == 0)
            continue;
        if (to + LANES > CLUSTER_BUFFER) {
            near->complete = false;
            return;
        }
        for (int k = 0; k < MT_CLUSTER_COLUMNS; k++)
            lanes_compress((uint32_t *)near->column[k] + to,
                           lanes_load_index((const uint32_t *)at + (size_t)k * stride), bits);
        near->count += (uint32_t)__builtin_popcount(bits);
    }
}

static void gather_clusters_on(const mt_clusters *c, const mt_grid_level *level, const group *box,
                               near_clusters *near)
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
                keep_clusters(c, box, row[mt_cell_x(x)], row[mt_cell_x(x) + run], near);
            }
        }
    }
}

/* Those near a box, in the order of cells. */
static void gather_clusters(const mt_clusters *c, const group *box, near_clusters *near)
{
    near->count = 0;
    near->complete = true;
    for (uint32_t l = 0; near->complete && l < c->grid.level_count; l++)
        if (c->grid.levels[l].count > 0)
            gather_clusters_on(c, &c->grid.levels[l], box, near);
}

/* The next part of all clusters near a box, from rank `from` on: for a box that has too many. */
static void gather_clusters_from(const mt_clusters *c, const group *box, uint32_t from, near_clusters *near)
{
    uint32_t end = c->grid.count - from < CLUSTER_PART ? c->grid.count : from + CLUSTER_PART;
    near->count = 0;
    near->complete = true;
    keep_clusters(c, box, from, end, near);
}

/* Those of a slice, given by bits, that are near a cluster's box. */
LANE_FUNCTION uint32_t near_cluster(const mt_clusters *c, uint32_t slot, uint32_t bits,
                                    const near_clusters *near, uint32_t k)
{
    const float(*column)[CLUSTER_BUFFER + LANES] = near->column;
    group box = {
        {column[0][k], column[1][k], column[2][k]}, {column[3][k], column[4][k], column[5][k]}, 0, 0, 0};
    lanes dx = outside(&box, 0, lanes_load((const float *)c->x.data + slot));
    lanes dy = outside(&box, 1, lanes_load((const float *)c->y.data + slot));
    lanes dz = outside(&box, 2, lanes_load((const float *)c->z.data + slot));
    lanes within =
        lanes_load((const float *)c->reach.data + slot) + lanes_all(near->column[MT_CLUSTER_REACH][k]);
    return lanes_bits(lanes_below(dx * dx + dy * dy + dz * dz, within * within)) & bits;
}

LANE_FUNCTION columns columns_of_clusters(const mt_clusters *c)
{
    return (columns){c->x.data, c->y.data, c->z.data, c->reach.data, NULL, NULL};
}

LANE_FUNCTION uint32_t family_of(const near_clusters *near, uint32_t k)
{
    uint32_t family;
    memcpy(&family, &near->column[MT_CLUSTER_FAMILY][k], sizeof family);
    return family;
}

LANE_FUNCTION uint32_t name_of(const near_clusters *near, uint32_t k)
{
    uint32_t name;
    memcpy(&name, &near->column[MT_CLUSTER_NAME][k], sizeof name);
    return name;
}

/* Particles of clusters near a group's box join its candidates. */
static void gather_from_clusters(const mt_clusters *c, const group *box, near_clusters *found, candidates *near)
{
    gather_clusters(c, box, found);
    near->complete = near->complete && found->complete;
    for (uint32_t k = 0; near->complete && k < found->count; k++) {
        uint32_t name = name_of(found, k), slot = name >> 8 << 3;
        if (near->count + LANES > BUFFER_SIZE)
            near->complete = false;
        else
            near->count = keep_near(columns_of_clusters(c), slot, lanes_iota() + lanes_all_index(slot),
                                    lanes_of_bits(name & 0xFFu), box, near, near->count);
    }
}

#endif
