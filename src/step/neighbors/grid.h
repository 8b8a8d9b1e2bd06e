/* Particles of like size share a level; a level is a grid of cells as wide as its largest particles reach.
 * Space is unbounded: cell coordinates wrap around in a table, and cells that share an entry are told apart by
 * distance. */
#ifndef MOTE_STEP_NEIGHBORS_GRID_H
#define MOTE_STEP_NEIGHBORS_GRID_H

#include "base/memory.h"
#include "mote/base.h"

#define MT_MAX_LEVELS   8
#define MT_RANK_PADDING 16u /* places behind the last rank that may be read */

/* How far lists reach, see neighbors/plan.h. */
typedef struct mt_list_plan {
    float margin;    /* contacts are looked for within this many sums of radii */
    float skin;      /* slack of slow particles, in radii */
    float time;      /* slack of fast ones is what they go in this time, s; 0: nobody is fast */
    float most;      /* but never more than this, m */
    mote_vec3 drift; /* the velocity beside which speeds are meant, m/s */
    float cells;     /* how wide cells are, in reaches of their level */
    float step;      /* from the reach of one level of the grid to that of the next */
    float least;     /* nobody reaches less far, but for slack, m */
    float usual;     /* most do not reach further, m; 0: not known */
    /* Where there are liquids: their slack is what they go in this time beside the way of all, s and m/s; and between
     * low and high is all that they may reach, m. Who is further away than `most` does not look for them. */
    float wet_time;
    mote_vec3 way;
    float low[3], high[3], around; /* around: so far they reach beyond where they are */
    bool looks_ahead;              /* slack of fast ones is what scratch->ahead says: neighbors/ahead.c */
    bool follows;                  /* liquids alone: what scratch->flow says: neighbors/flow.c */
    bool all_move;                 /* nobody is fixed or asleep */
} mt_list_plan;

/* A table of cells whose coordinates wrap around: see neighbors/cell_table.h. */
typedef struct mt_cell_table {
    uint32_t bits[3], count;
    float inverse_cell; /* 1/m */
} mt_cell_table;

typedef struct mt_grid_level {
    float cell, inverse_cell; /* m, 1/m */
    float reach;              /* the largest half search distance of its particles, m */
    uint32_t bits[3];         /* the table is 2^bits wide along x, y, z */
    uint32_t first_cell;      /* of this level in the table */
    uint32_t count;           /* particles */
} mt_grid_level;

typedef struct mt_grid {
    mt_list_plan plan;     /* that it was made for */
    float low[3], high[3]; /* m: whoever is further outside than two particles reach finds nobody */
    mt_grid_level levels[MT_MAX_LEVELS];
    uint32_t level_count;
    uint32_t cell_count;
    uint32_t count;      /* particles in it */
    mt_array key;        /* uint32_t a particle: its cell */
    mt_array own_reach;  /* float a particle */
    mt_array cell_start; /* uint32_t a cell and one more: ranks [start, next start) are in it */
    /* In rank order, i.e. sorted by cell: */
    mt_array slot;           /* uint32_t: whose rank it is */
    mt_array x, y, z, reach; /* float */
    mt_array family;         /* uint32_t: see mt_body_plan; filled if there are bodies */
    bool bodies;
} mt_grid;

typedef struct mt_grid_bounds {
    float min[3], max[3];        /* m */
    float min_reach, most_reach; /* m */
    float max_radius;
} mt_grid_bounds;

#endif
