/* What only a step needs. It is kept between steps so that a steady step allocates nothing, but nothing in it
 * is state: a world with a fresh scratch goes on with the same bits. */
#ifndef MOTE_STEP_SCRATCH_H
#define MOTE_STEP_SCRATCH_H

#include "step/bodies/bodies.h"
#include "step/bodies/truces.h"
#include "step/constraints/work.h"
#include "step/finish/findings.h"
#include "step/fluid/fluid.h"
#include "step/impulse/contact_rows.h"
#include "step/impulse/report.h"
#include "step/stages.h"
#include "world/world.h"

#include <math.h>
#include <stdatomic.h>

#define MT_BLOCK_RECORD 48u /* bytes: the most that a pass notes of a block */
#define MT_BLOCK        64u /* slices a block of a parallel loop: 512 particles */
#define MT_PIECE        16u /* the same for loops whose slices differ much in what they cost */

/* ---- the grid ------------------------------------------------------------------------------------------
 * Particles of like size share a level; a level is a grid of cells as wide as its largest particles reach.
 * Space is unbounded: cell coordinates wrap around in a table, and cells that share an entry are told apart by
 * distance. */

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

/* ---- clusters ------------------------------------------------------------------------------------------
 * Particles of a slice that are in bodies, of one family and near each other: mostly all eight. Up to eight
 * clusters of bodies that belong together make a pack. Neighbours of bodies are looked for by packs first,
 * which are in a grid of their own, see neighbors/clusters.c. The grid of particles has the loose ones only. */

typedef struct mt_cluster {
    float low[3], high[3]; /* the box of its particles' places, m */
    float reach;           /* the largest of them, m */
    uint32_t family;       /* of all of them; MT_FAMILY_NONE or above: they have none */
    uint32_t name;         /* see mt_cluster_name */
    uint32_t kin;          /* those of other kin are in other bodies, which collide */
    uint32_t body[2];      /* as mt_membership.of: the one or two bodies that all of them are in; 0: not so */
    uint32_t place;        /* which of all packs' lanes it is */
} mt_cluster;

/* Which slice, and bits of which of its lanes. */
static inline uint32_t mt_cluster_name(uint32_t slice, uint32_t bits)
{
    return slice << 8 | bits;
}

static inline uint32_t mt_cluster_slot(uint32_t name)
{
    return name >> 8 << 3;
}

static inline uint32_t mt_cluster_bits(uint32_t name)
{
    return name & 0xFFu;
}

#define MT_PACK_NEAR 24u /* packs near a pack that are noted, at most */

/* Up to eight clusters of one kin. Lanes without one have a box that is near nobody. */
typedef struct mt_pack {
    _Alignas(64) float low[3][8];
    float high[3][8];
    float reach[8];
    uint32_t family[8], name[8], body[2][8]; /* as in mt_cluster */
    uint32_t kin, count;
} mt_pack;

/* Packs that are near a pack. */
typedef struct mt_pack_list {
    uint32_t count; /* above MT_PACK_NEAR: there are more than that */
    uint32_t near[MT_PACK_NEAR];
    uint8_t lanes_near[MT_PACK_NEAR]; /* bits of those of its clusters that are near that pack's box */
} mt_pack_list;

/* The columns of the table of packs, with a float or uint32_t of each: low, high, then these. */
enum { MT_BOX_REACH = 6, MT_BOX_FAMILY, MT_BOX_NUMBER, MT_BOX_COLUMNS };

/* The box of a pack, as in mt_cluster. */
typedef struct mt_pack_box {
    float low[3], high[3], reach;
    uint32_t family;
} mt_pack_box;

typedef struct mt_clusters {
    mt_array x, y, z, reach; /* float a slot: of those in clusters */
    mt_array made;           /* mt_cluster: up to eight a slice, from its first slot on */
    mt_array number;         /* uint8_t a slice: how many it has */
    mt_array alive;          /* uint8_t a slice: bits of those that can move */
    mt_array kin_start;      /* uint32_t a kin: for sorting by kin */
    mt_array order;          /* uint32_t: places in `made`, sorted by kin */
    mt_array packs;          /* mt_pack */
    mt_array boxes;          /* mt_pack_box a pack */
    mt_array where;          /* mote_vec4 a pack: its middle, and how far it reaches */
    mt_array lists;          /* mt_pack_list a pack */
    mt_array table;          /* float: the boxes of packs in rank order, column by column */
    size_t stride;           /* from one column to the next */
    uint32_t pack_count;
    uint32_t slices;      /* of which packs were made; 0: there are none to keep */
    _Atomic bool differs; /* there are other clusters than in those packs, or a pack would end elsewhere */
    mt_grid grid;         /* of packs */
} mt_clusters;

typedef struct mt_cluster_job {
    const mt_list_plan *plan;
    const mote_vec4 *where, *size, *velocity; /* as in mt_list_job */
    const uint32_t *bodies, *families, *kin;
    const mt_membership *membership;
    uint32_t count; /* particles */
    bool packed;    /* there are packs of as many slices */
    bool named;     /* and clusters of the same particles have the same names */
    mt_clusters *clusters;
} mt_cluster_job;

typedef struct mt_sort_job {
    mote_world *world;
    mt_grid *grid;
    const mote_vec4 *where;
    const mote_vec4 *velocity;
    const uint32_t *slots;  /* whose places these are; NULL: those of slots 0, 1, 2 ... */
    mt_grid_bounds *bounds; /* a block */
    uint32_t count, ranges;
    size_t most;        /* count is never more: the table has room for so many */
    mt_clusters *packs; /* whose packs are sorted; NULL: it is particles */
    uint32_t range_total[MT_MAX_WORKERS];
    uint32_t range_first[MT_MAX_WORKERS];
} mt_sort_job;

/* ---- neighbour lists -----------------------------------------------------------------------------------
 * Eight particles that follow each other (a slice) have their lists side by side: row k holds the k-th
 * neighbour of each, so that a row is one vector of indices and a lane is a particle. Short lists are padded
 * with a dummy. */

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

/* Particles of liquids that have left their slack: see neighbors/late.c. */
#define MT_MOST_LATE 1024u /* at once */

typedef struct mt_late {
    mt_array left;   /* uint8_t a slice: bits of those that have left it now */
    mt_array slots;  /* uint32_t: of all that have since the lists were made */
    mt_array found;  /* uint32_t: lists of those that have now, one behind the other */
    mt_array length; /* uint32_t: how long these are */
    uint32_t count;  /* of `slots` */
} mt_late;

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

/* Cells and nodes of the pressure's long waves: see fluid/coarse.h. */
typedef struct mt_coarse_cell {
    int32_t at[3];
    uint32_t node[8];           /* its corners */
    uint32_t first, count;      /* its particles, in `slots` */
    float mass, lean[3], stiff; /* sums of w, w g H and w (g H)^2, beside the lightest mass's w */
    float rest, tilt[3];        /* of r, and of r times the place from the cell's middle, in cells */
} mt_coarse_cell;

typedef struct mt_coarse_node {
    int32_t at[3];
    uint32_t cell[8]; /* those of which it is the k-th corner */
    uint32_t beside[27];
    float a[27], over; /* its row of A; 1 over the sum of its sizes: with that Jacobi never overshoots */
    float x, residual, step[2];
} mt_coarse_node;

typedef struct mt_coarse {
    mt_array cells, nodes, cell_table, node_table; /* uint32_t: where they are, by their coordinates */
    mt_array cell_of, slots;                       /* uint32_t a slot: its cell; particles by cells */
    uint32_t cell_count, node_count;
} mt_coarse;

#define MT_SURE_SLACK 0.99f /* with so much of it used, nobody in reach is left out by rounding */

typedef struct mt_list_job {
    const mt_grid *grid;
    const mt_clusters *clusters; /* of bodies; NULL: all are in the grid */
    const mote_vec4 *where;      /* x, y, z of each slot */
    const mote_vec4 *size;       /* w: radius of each slot */
    const mote_vec4 *velocity;   /* inverse mass: fixed particles need no list */
    const uint32_t *phase;       /* NULL: there is nothing to filter */
    bool phases_differ; /* who is of one phase may not collide, or there are several; else only bodies matter */
    const uint32_t *bodies;   /* which bodies each slot is in, as mt_membership.of; NULL: there are none */
    const uint32_t *families; /* of each slot, see mt_body_plan; NULL: there are no bodies */
    const mt_membership *shared;
    const uint32_t *partner_start, *partners; /* see mt_body_plan */
    const uint32_t *truce_start, *truces;     /* see mt_truce_plan; NULL: there are none */
    bool once;                                /* lists hold those that come later in memory */
    const uint32_t *late;                     /* slots whose lists are made by themselves */
    const float *late_further;                /* how far they reach beyond what they need, m */
    uint32_t *late_found, *late_length, late_room;
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

/* ---- contacts with shapes ------------------------------------------------------------------------------ */

/* A row of contacts of a slice: each lane's k-th plane of contact, of whatever shape. Lanes that have fewer
 * have a plane far below them. */
typedef struct mt_shape_row {
    _Alignas(32) float normal_x[8], normal_y[8], normal_z[8], offset[8];
    float start_offset[8]; /* of the plane at the start; far below: not to be stabilised */
    float static_friction[8], kinetic_friction[8];
    float push_x[8], push_y[8], push_z[8]; /* what the contact gave so far: displacement times mass, kg m */
    uint32_t shape[8];                     /* its place in the table */
    uint32_t hit;                          /* bits of the lanes that would have crossed this plane */
    _Alignas(32) float move_x[8];
    float move_y[8], move_z[8]; /* of the shape during the substep, m */
    float restitution[8];
    float pull[8];     /* the force with which it holds, N */
    float softness[8]; /* compliance over h^2, 1/kg */
} mt_shape_row;

/* The shapes near a slice: good for as long as its particles stay in their cubes, or where there are none for
 * a while all of them in one box. */
typedef struct mt_shape_cache {
    uint32_t first, count; /* in the candidates */
    bool valid;
    bool wide;             /* there is no shape in the box */
    bool guarded;          /* the guard has looked at some of its particles, and may have moved them */
    bool touched;          /* the same, but in any of its passes over the substep */
    float low[4], high[4]; /* of the box; the last hold anything */
    float margin;          /* m: the guard keeps so far inside */
} mt_shape_cache;

/* ---- one substep --------------------------------------------------------------------------------------- */

typedef struct mt_substep {
    float h, inverse_h;
    float time_left;   /* of the step after this substep, s */
    mote_vec3 gravity; /* of the kick that predict gives, m/s^2: 0 if it comes later */
    float kick;        /* s: how long predict's kick lasts */
    float keep;        /* part of the velocity that damping leaves: 1 if it comes later */
    mote_vec3 fall;    /* what gravity adds to velocities before the drift, m/s, and */
    float damped;      /* the part of them that damping leaves: of bodies, also where there are fields */
    float contact_margin;
    float max_speed, max_change; /* m/s */
    float most_push;             /* m/s: with which overlaps come apart and joints close, at most */
    mote_vec3 pull;              /* gravity, also where it is given as a field, m/s^2 */
    float bounce_speed;          /* m/s */
    mote_vec3 up;                /* against gravity */
    mote_vec3 drift;             /* what all moved since the lists were made, m */
    uint32_t count, slices, dummy;

    const mote_vec4 *source;   /* velocity before gravity's kick */
    const mote_vec4 *velocity; /* at the start; w: inverse mass */
    const float *rest_time;
    const uint32_t *phase, *material;
    /* Of each particle: sqrt of static friction (below 0: a liquid), of kinetic friction, 0, sqrt of adhesion. */
    mote_vec4 *surface;
    mote_vec4 *position;      /* x at the start, stabilised; w: radius */
    mote_vec4 *position_out;  /* what stabilise makes of it */
    mote_vec4 *transport;     /* the velocity that carries x to x*; w: inverse mass, 0 asleep */
    mote_vec4 *predicted;     /* x*; w: the radius */
    mote_vec4 *predicted_out; /* what an iteration makes of it */
    mote_vec4 *settled;       /* velocity after the solve */
    const mote_vec4 *built_at;
    const mote_vec4 *asked; /* whether lists still reach far enough is asked for these places */
    const mote_vec4 *flow;  /* where the lists follow a flow: as mt_flow.drift; else NULL */
    float age;              /* of the lists then, s */
    uint8_t *asks;          /* a slice: 0: nobody in it has left the slack of its list, */
    uint8_t *left;          /* bits of who has */

    const mt_lists *lists;
    const mt_list_plan *list_plan; /* that they were made for */
    const mt_material *materials;
    const mt_placement *placement;
    const mt_placed *placed;       /* a shape */
    const mt_shape_reach *reaches; /* a shape */
    uint32_t shape_count;
    const uint32_t *planes; /* which shapes are planes */
    uint32_t plane_count;
    bool solids;                 /* there are other shapes than planes */
    mt_shape_cache *shape_cache; /* a slice */
    uint32_t *candidates;
    uint32_t candidate_capacity;
    _Atomic uint32_t *candidates_used;
    _Atomic bool *guarded; /* the guard has looked at a particle */
    const mt_sunk *sunk; /* a body; NULL: not known in this substep. Who is on the way out of a shape is not */
    const uint32_t *mover_of; /* kept from passing it; a slot: see mt_impulses */
    mote_vec4 *cubes;         /* where each particle's shapes were looked for: the middle, and half the width */
    const mote_vec4 *origin;  /* where particles were at the start, before stabilising */
    mote_vec4 *watch;         /* where shapes were looked for; w: how far the nearest is, -1: in the way */
    mt_shape_row *shape_rows;
    uint32_t shape_row_capacity;
    _Atomic uint32_t *shape_rows_used;
    uint32_t *shape_start, *shape_length; /* a slice */

    struct mt_body_plan *bodies;
    const mt_body *body_table;
    const mt_joint *joints;
    float part, dt; /* of the step that is over at the end of the substep, and how long the step is, s */
    float share;    /* one over the number of substeps */
    bool opens_step;
    /* Velocities of particles in bodies are asked and made in every substep: something may change them in between.
     * Else they are asked where a step begins and made where it ends, but for those near liquids (mt_assembly.near). */
    bool heeds;
    float closed; /* m: a gap that a joint may have */
    /* A slice: not 0: a row of a body that flies. Passes that move every particle for itself leave it out where
     * its body's passes write all of it anyway. NULL: no bodies. */
    const uint8_t *flying;
    _Atomic bool *nowhere; /* one of these is not in space */
    bool closes_step;
    bool shapes_move; /* some do */
    bool again; /* the guard's second pass: only for those that the first looked at, or that were moved since */

    mt_fluid fluid;
    mt_tensile tensile;
    /* Of each particle, if there are fluids: its share of the density, inverse mass (0 asleep), 1 and the root
     * of its tensile correction if it is of a fluid, 1 / how far it is felt. */
    const mote_vec4 *wet;
    const uint8_t *has_liquid;  /* of each slice: not 0: some of it are liquid. NULL: none are anywhere */
    uint8_t *near_liquid;       /* of each slice: not 0: liquids may reach it, see fluid/near.h */
    mote_vec4 *dense;           /* where the pressures of an iteration were found; w: their change, kg m^2 */
    float first;                /* 1 in the first iteration, else 0 */
    bool guesses;               /* the long waves are asked: see fluid/coarse.h */
    bool lifts;                 /* places are moved as well: see fluid.h */
    float *pressure;            /* times volume and h^2, kg m^2 */
    float *remembered_pressure; /* of the substep before, times volume, J: see mt_pressures */
    /* How far liquids have moved each particle in this substep, m. It becomes velocity; what is read off
     * from places would be rounded as they are. */
    mote_vec4 *shift;
    const mote_vec4 *moving; /* velocities that density follows, m/s */
    float *lift;             /* what moves places alone, as a pressure */
    mote_vec4 *now;
    mote_vec4 *lean; /* twice the sum of v grad w and the walls', 1/m; w: the residual */
    float *wanted, *spring,
        *guess; /* changes of pressure: a particle's own, what does not last, of the long waves */

    mote_vec4 *lifted; /* by how much, m */
    float *excess;     /* what there is too much of density, in rest densities */

    uint32_t *block_bad; /* a block: its first bad slot, or UINT32_MAX */
} mt_substep;

typedef struct mt_scratch {
    mt_list_plan plan; /* of the lists to be made next */
    mt_grid grid;
    mt_array order, moved_to; /* uint32_t a slot: see neighbors/reorder.c */
    mt_lists lists;
    mt_late late; /* if there are liquids */
    mt_flow flow; /* if there is nothing else */
    mt_clusters clusters;
    mt_array loose_slot, loose_where,
        loose_velocity; /* uint32_t and mote_vec4: of particles that are in no body */
    mt_array ahead,
        moved_ahead; /* mote_vec4: velocities that lists look ahead for, see mt_list_velocities; where the reorder puts them */
    mt_array drifts, drift_cells; /* mote_vec4; uint32_t a slot: see neighbors/ahead.c */
    float list_time;              /* with impulses: for what time of the step they were made, s */
    mt_array position[2], predicted[2], transport, settled, surface, watch, cubes;
    mt_array moved_transport, moved_predicted; /* where the reorder puts them */
    mt_array shape_rows, shape_start, shape_length;
    mt_array
        shape_push; /* double[3] a shape: what it gave during the step, displacement times mass over h^2, N */
    _Atomic uint32_t shape_rows_used;
    uint64_t cache_edits; /* of the world's shapes when the caches of slices were last cleared */
    uint32_t cache_slices;
    mt_body_plan bodies;
    mt_truce_plan truces;
    mt_impulses impulses;
    mt_constraint_work constraints;
    mt_array shape_cache, candidates;
    mt_array flying;     /* uint8_t a slice, see mt_substep */
    mt_array pick_pulls; /* what picks gave, see solve/picks.c */
    mt_array around;     /* uint32_t: the shapes near a particle, for the passes that are not parallel */
    _Atomic uint32_t candidates_used;
    _Atomic bool guarded, nowhere; /* see mt_substep */
    mt_array lift, lifted, now, lean, wanted, spring, guess;
    mt_coarse coarse;
    mt_array wet, dense, pressure, excess, shift, near_liquid; /* see mt_substep */
    mt_array has_liquid; /* uint8_t a slice: not 0: one of its particles is of a liquid */
    mt_array asks_lists; /* uint8_t a slice: not 0: somebody in it may have left his place in the lists */
    bool pure_fluid;     /* all particles are of fluids, */
    bool uniform_fluid;  /* and of one material and mass: then all of `wet` is the same */
    mote_vec4 all_wet;
    /* See mt_stir; drags: a body. */
    mt_array stir_place, stir_direction, stir_residual, stir_image, stir_change, stir_touched, stir_drags;
    mt_array stir_hold, stir_ease[2], stir_grain;
    mt_array block_bad, block_bounds;
    mt_array rest_time; /* float: what sleep makes of the rest times */
    mt_array struck;    /* uint8_t: not 0: a sleeper that somebody flies against */
    mt_array killed;    /* uint32_t: slots that volumes take away */
    uint32_t killed_count;
    mt_report report;
    mt_findings found;
    mt_array event_scratch; /* mote_event: for sorting */
    double began;           /* when the step did, s of the clock */
    double stage_ms[MT_STAGE_COUNT];
    bool reordered; /* the step has put the particles into a new order, and can go back */
    /* Those of bodies lie in memory as the plan of bodies has them, so that what follows from who is where is as it was.
     * Found out at the start of a step, and false between steps. */
    bool in_sequence;
    bool stays;          /* and loose ones as the grid has them: the reorder has left all where they were */
    uint32_t phase_bits; /* then: in which bits phases differ from the first one */
} mt_scratch;

/* Room for the world's particles. */
mote_result mt_scratch_reserve(mote_world *world);

/* m: where a step may leave particles. A tenth of MT_FAR is as far as they fly by themselves, and a body's centre is
 * among its particles, so that a snapshot takes all that a step leaves: see FARTHEST in snapshot_bodies.c. */
#define MT_SPACE_END (0.12f * MT_FAR)

/* A place in space: NaN is none. */
static inline bool mt_is_somewhere(mote_vec4 x)
{
    return fabsf(x.x) < MT_SPACE_END && fabsf(x.y) < MT_SPACE_END && fabsf(x.z) < MT_SPACE_END;
}

static inline uint32_t mt_slice_count(uint32_t particles)
{
    return (particles + MT_SLICE - 1) / MT_SLICE;
}

static inline uint32_t mt_block_count(uint32_t slices)
{
    return (slices + MT_BLOCK - 1) / MT_BLOCK;
}

#endif
