/* Eight particles that follow each other (a slice) have their lists side by side: row k holds the k-th
 * neighbour of each, so that a row is one vector of indices and a lane is a particle. Short lists are padded
 * with a dummy. */
#ifndef MOTE_STEP_NEIGHBORS_LISTS_H
#define MOTE_STEP_NEIGHBORS_LISTS_H

#include "step/neighbors/clusters.h"

typedef struct mt_lists {
    mt_array rows;          /* uint32_t[8] */
    mt_array contact;       /* uint32_t[8]: those that the contact set has, at the same place */
    mt_array start;         /* uint32_t a slice: its first row */
    mt_array length;        /* uint32_t a slice: rows of neighbours */
    mt_array rubbed[4];     /* float[8]: what rubs, at the same place, see mt_stir.given */
    mt_array lane_scratch;  /* uint32_t: a worker's unsorted lists of one slice */
    uint32_t lane_capacity; /* entries a lane of the lane scratch */
    mt_array built_at;      /* mote_vec4: where particles were when the lists were made; w: their slack */
    uint32_t rows_used;     /* rows from here on are free */
    bool phases_differ;     /* as in mt_list_job */
    bool once;              /* a pair is in the list of the one that comes first in memory alone */
    uint32_t first_wet,
        end_wet;    /* of slices: no others have somebody whom liquids may reach while lists last */
    size_t entries; /* neighbours of all particles together */
} mt_lists;

/* From one lane's list in the scratch to the next: the last of a list may be written eight at a time. */
static inline uint32_t mt_lane_stride(const mt_lists *lists)
{
    return lists->lane_capacity + MT_SLICE;
}

/* One list, for code that is not hot. It may hold dummies, whose slots are beyond the particles. */
static inline uint32_t mt_neighbor_count(const mt_lists *lists, uint32_t slot)
{
    return ((const uint32_t *)lists->length.data)[slot / MT_SLICE];
}

static inline uint32_t mt_neighbor(const mt_lists *lists, uint32_t slot, uint32_t k)
{
    size_t row = (size_t)((const uint32_t *)lists->start.data)[slot / MT_SLICE] + k;
    return ((const uint32_t *)lists->rows.data)[row * MT_SLICE + slot % MT_SLICE];
}

/* Particles of liquids that have left their slack: see neighbors/stale_lists.c. */
#define MT_MOST_LATE 1024u /* at once */

typedef struct mt_stale_lists {
    mt_array left;   /* uint8_t a slice: bits of those that have left it now */
    mt_array slots;  /* uint32_t: of all that have since the lists were made */
    mt_array found;  /* uint32_t: lists of those that have now, one behind the other */
    mt_array length; /* uint32_t: how long these are */
    uint32_t count;  /* of `slots` */
} mt_stale_lists;

/* The flow that lists of liquids follow: see neighbors/flow.c. */
#define MT_FLOW_NEAR   2.0f /* w of a node: somebody is in or beside its cell, */
#define MT_FLOW_BEYOND 1.0f /* or a little further; 0: nobody is */

typedef struct mt_flow {
    mt_cell_table table;
    mt_array nodes;            /* mote_vec4: room for what follows */
    mote_vec4 *velocity;       /* of a node, m/s */
    float *slope, *wide_slope; /* of the velocity around a cell, and within two around it, no more, 1/s */
    mote_vec3 low, high;       /* between these all velocities are, m/s */
    float time;                /* for how long lists are good, before and after what they were made for, s */
    float until_middle;        /* from when they were made to when they were made for, s */
    mt_array middle;           /* mote_vec4 a particle: where it is expected then */
    float most_part;           /* of the time times a wide slope: nobody relies on more */
    float usual;               /* how far particles reach on the average beside what they need, m */
    float slack, most_slack, most_reach; /* m: the least slack, the most, and that and what particles need */
    mt_array drift,
        moved_drift; /* mote_vec4 a particle: the flow at its place; w: its slack, below 0: none; where the reorder puts it */
} mt_flow;

#define MT_SURE_SLACK 0.99f /* with so much of it used, nobody in reach is left out by rounding */

/* What lists ask of bodies. NULL throughout: there are none. */
typedef struct mt_list_bodies {
    const uint32_t *of;       /* which bodies each slot is in, as mt_membership.of */
    const uint32_t *families; /* of each slot, see mt_family_plan */
    const mt_membership *shared;
    const uint32_t *partner_start, *partners;  /* see mt_family_plan */
    const uint32_t *deferred_start, *deferred; /* see mt_deferred_plan; NULL: there are none */
} mt_list_bodies;

/* Lists that are made by themselves, see mt_stale_lists. */
typedef struct mt_list_stale {
    const uint32_t *slots; /* whose */
    const float *further;  /* how far they reach beyond what they need, m */
    uint32_t *found, *length, room;
} mt_list_stale;

typedef struct mt_list_job {
    const mt_grid *grid;
    const mt_clusters *clusters; /* of bodies; NULL: all are in the grid */
    const mote_vec4 *where;      /* x, y, z of each slot */
    const mote_vec4 *size;       /* w: radius of each slot */
    const mote_vec4 *velocity;   /* inverse mass: fixed particles need no list */
    const uint32_t *phase;       /* NULL: there is nothing to filter */
    bool phases_differ; /* who is of one phase may not collide, or there are several; else only bodies matter */
    bool once;          /* lists hold those that come later in memory */
    mt_list_bodies bodies;
    mt_list_stale stale;
    uint32_t count, dummy;
    mt_lists *lists;
    uint32_t row_capacity;
    _Atomic uint32_t rows_used;
    struct {
        _Alignas(64) uint32_t next, end; /* rows that this worker has taken and not yet used */
        uint32_t longest;                /* list that it met */
        size_t entries;
    } worker[MT_MAX_WORKERS];
} mt_list_job;

#endif
