/* The impulse solver: contacts at velocity level, soft, accumulated, warm-started, in colours.
 *
 * Everything that can be pushed is a mover: a loose particle, or a body; a particle of a body hands what it is given
 * to its body. A contact is between two particles of different movers, or between a particle and a shape. Who may
 * touch whom is found once a step (contact_set.c); contacts of one colour have no mover in common, so that eight are
 * solved side by side and colours one after the other, by any number of threads with the same result. What a
 * contact bears is remembered from substep to substep and from step to step (world/impulses.h) and given to both
 * sides again. law.h is what a contact does. */
#ifndef MOTE_STEP_IMPULSE_CONTACT_ROWS_H
#define MOTE_STEP_IMPULSE_CONTACT_ROWS_H

#include "base/memory.h"
#include "collide/surface.h"
#include "world/impulses.h"

#include <stdatomic.h>

#define MT_COLORS  64u /* of groups, and of a round of pairs: what finds no free one waits for the next */
#define MT_ROUNDS  16u /* what is left then is solved one after the other at the end */
#define MT_NO_PAIR UINT32_MAX

#define MT_ALL_COLORS  (MT_ROUNDS * MT_COLORS)
#define MT_GROUPED     (MT_ALL_COLORS + 1u)
#define MT_MOST_COLORS (MT_ALL_COLORS + MT_COLORS + 2u)
#define MT_SORT_SHIFT  12u /* above a pair's colour: its mt_pair_sort */

/* What eight contacts have beside what every pass reads and writes: so many fields because a contact of bodies has them
 * all, and a pass takes them in one stretch. Loose grains that rub alike, dry, that neither
 * turn nor bounce nor stick, do without: passes over rows take as long as their bytes take. */
typedef struct mt_contact_more {
    _Alignas(32) uint32_t particle_a[8], particle_b[8]; /* slots; of a shape: the particle alone */
    uint32_t on_surface[8]; /* not 0: a touches the true surface of b, which is a body */
    float touch[8];         /* how near the two centres come, m; of a shape: the radius */
    float static_friction[8], kinetic_friction[8];
    float softness[8]; /* compliance, m/N; 0: as hard as the step allows */
    /* How many contacts its pair has, over 4, at least 1; of a loose particle on a shape: how much it leaks. */
    float parallel[8];
    float warm[8];                            /* what the last warm start gave of the impulse, N s */
    float most_push[8];                       /* with which an overlap is parted, at most, m/s */
    float restitution[8], pull[8];            /* pull: with which it holds, N */
    float point_x[8], point_y[8], point_z[8]; /* where they touch: in the middle between the two surfaces */
    float new_x[8], new_y[8], new_z[8];       /* the normal in this substep, until the warm start */
    float bounced[8], target_speed[8],
        bounced_sum[8];                             /* impulses of bounces: this one's, and the substep's, N s;
                                                        * the speed to leave with, m/s */
    float surface_x[8], surface_y[8], surface_z[8]; /* of a shape: its velocity there, m/s */
    uint32_t deep;     /* of a batch's first row: bits of pairs that are deep in each other, or meet fast */
    uint32_t bounces;  /* bits of those with restitution */
    uint32_t bouncing; /* of these: bits of those that bounce now */
    bool surfaced;     /* some touch the true surface of a body */
    bool plain;        /* no compliance, no adhesion */
} mt_contact_more;

/* Eight contacts side by side. Lanes without a contact have no bit in `lanes`. */
typedef struct mt_contact_row {
    _Alignas(32) uint32_t a[8]; /* movers */
    union {
        uint32_t b[8];
        uint32_t shape[8]; /* its place in the table */
    };
    float normal_x[8], normal_y[8], normal_z[8]; /* from b to a; before the first substep: as remembered */
    float separation[8];                         /* at the start of the substep, m */
    float impulse[8];                            /* along the normal, N s */
    float friction_x[8], friction_y[8], friction_z[8]; /* across it, N s */
    mt_contact_more
        *more;       /* NULL: a compact row; its movers are particles that touch at the sum of their radii */
    uint32_t lanes;  /* bits of the lanes that are contacts */
    uint32_t active; /* of these: those that count in this substep */
    float static_friction, kinetic_friction; /* of a compact row */
} mt_contact_row;

/* The true surface of a body, and where it is at the start of the substep. */
typedef struct mt_body_surface {
    const mt_surface *form; /* NULL: it has none but its particles */
    mt_frame at;
} mt_body_surface;

/* A contact that may come to be in this step, seen from its owner. */
typedef struct mt_pair {
    uint32_t a, b;       /* slots; a is the owner's */
    uint32_t surface;    /* not 0: a touches the surface of b's body, and b is any particle of it nearby */
    uint32_t remembered; /* which of the world's impulses + 1; 0: none */
} mt_pair;

/* What is to be expected of a pair. It says where its row is in memory, and no more. */
typedef enum mt_pair_sort {
    MT_PAIR_BORE,        /* something in the last step */
    MT_PAIR_NEARS,       /* if the two go on as they do it will be as near as a contact, or nearly: at once, */
    MT_PAIR_DISTANT = 7, /* or in a later part of the step, or not in this step */
    MT_PAIR_SORTS
} mt_pair_sort;

/* The shape that a body is deepest in, with the middle of some ball of it; depth 0: none. */
typedef struct mt_sunk {
    uint32_t shape;
    float depth; /* m */
} mt_sunk;

/* What colours ask of a pair: its movers, the dummy for what does not move. */
typedef struct mt_pair_ends {
    uint32_t a; /* MT_OF_BODY: one of them is a body */
    uint32_t b : 28, sort : 4;
} mt_pair_ends;

#define MT_OF_BODY UINT32_MAX

/* A contact of a body, to be sorted by what the two are. */
typedef struct mt_group_key {
    uint32_t body,
        other; /* the body's mover; who the other is: the index of its handle, or MT_IS_BODY | its mover */
    uint32_t pair;
} mt_group_key;

#define MT_IS_BODY 0x80000000u

/* Contacts of one body with one other mover, which are solved one after the other. */
typedef struct mt_pair_group {
    uint32_t first, count; /* in `grouped` */
    uint32_t color;
} mt_pair_group;

typedef struct mt_batch_of_rows {
    uint32_t first, count; /* rows, which are solved one after the other */
    bool wide, shape;      /* some mover can turn; b is a shape */
    bool compact;          /* rows without more: one */
    bool has_impulse;      /* of a compact row: some impulse of it is not 0 */
    uint8_t lanes;         /* of a compact row: as the row's */
} mt_batch_of_rows;

/* The movers of a row again: those of rows that bear nothing are all that is asked of them. */
typedef struct mt_row_movers {
    _Alignas(64) uint32_t a[8], b[8];
} mt_row_movers;

/* Batches that run side by side, or (serial) one after the other. */
typedef struct mt_color {
    uint32_t first, count; /* in `batches` */
    uint32_t rows;         /* of all */
    bool serial;
} mt_color;

/* The contacts in a row of a slice with shapes: those of loose particles are solved in a row at the same place, those of
 * particles in bodies among the rows of bodies. */
typedef struct mt_shape_lanes {
    uint32_t loose, held; /* bits of the lanes */
    uint32_t at[8];       /* of those that are held: row * 8 + lane among the rows of bodies */
} mt_shape_lanes;

/* A contact of a body: where it was found, row * 8 + lane among the rows of slices, and its particle. */
typedef struct mt_held_contact {
    uint32_t source, slot; /* source: MT_NO_CONTACT: the lane has none */
} mt_held_contact;

#define MT_NO_CONTACT UINT32_MAX

/* Contacts with shapes in a substep. Rows of slices are those of mt_substep's shape_rows. */
typedef struct mt_shape_side {
    mt_array lanes;     /* mt_shape_lanes a row of a slice */
    mt_array rows;      /* mt_contact_row: where some are loose */
    mt_array more;      /* mt_contact_more a row */
    mt_array first;     /* uint32_t a slice: its first row */
    mt_array number;    /* uint32_t a slice: how many */
    mt_array body_rows; /* mt_contact_row: of bodies, eight bodies side by side */
    mt_array body_more; /* mt_contact_more a row */
} mt_shape_side;

/* Where the contact in lane n of row r of a slice is solved: a row, and *lane in it. NULL: there is none. */
static inline mt_contact_row *mt_contact_on_shape(const mt_shape_side *side, uint32_t r, uint32_t n,
                                                  uint32_t *lane)
{
    const mt_shape_lanes *all = (const mt_shape_lanes *)side->lanes.data + r;
    *lane = n;
    if ((all->loose >> n & 1u) != 0)
        return (mt_contact_row *)side->rows.data + r;
    if ((all->held >> n & 1u) == 0)
        return NULL;
    *lane = all->at[n] % 8;
    return (mt_contact_row *)side->body_rows.data + all->at[n] / 8;
}

/* Movers: slots first, bodies (in the plan's order) behind them, then the world. Arrays have one a mover where nothing
 * else is said. */
typedef struct mt_movers {
    uint32_t first_body, count;
    uint32_t slices;          /* of particles, */
    bool turns;               /* some mover might have turned, */
    float h;                  /* and how long a substep was, s, when rows were made; 0: never */
    mt_array velocity;        /* mote_vec4: w: inverse mass */
    mt_array spin;            /* mote_vec4: rad/s; w: inverse inertia of a particle */
    mt_array center;          /* mote_vec4 */
    mt_array inverse_inertia; /* mote_vec4[2] a body and one more: xx yy zz xy, xz yz */
    mt_array moment;          /* mote_vec4 a body: angular momentum given in this substep */
    mt_array surfaces;        /* mt_body_surface a body */
    mt_array of;              /* uint32_t a slot: its mover */
    mt_array sunk;            /* mt_sunk a body */
    mt_array swing;           /* float a body and one more: see fill_swings, m/s */
    /* At position level, mote_vec4: what averaged contacts give, and how stabilising moves the start. */
    mt_array push, turn, shift, shift_turn;
    mt_array shift_moment; /* mote_vec4 a body */
} mt_movers;

/* The contact set: every pair that may touch in this step. */
typedef struct mt_pair_search {
    mt_array found_owner, found_other; /* uint32_t a place in the lists: what was found, see pair_kernel.c */
    mt_array number;                   /* uint32_t a slice: how many were found */
    mt_array others;                   /* uint32_t a pair: mt_found */
    mt_array counts;                   /* uint32_t by range and index: see pairs.c */
    mt_array start;            /* uint32_t by the index of a particle's handle and one more: its pairs */
    mt_array pairs;            /* mt_pair, by owner */
    mt_array ends;             /* mt_pair_ends a pair */
    mt_array remembered_start; /* uint32_t by index and one more: its impulses of the last step */
    uint32_t count;            /* of pairs */
} mt_pair_search;

/* Which pairs are solved side by side. */
typedef struct mt_coloring {
    mt_array used;           /* uint64_t a mover: bits of its colours */
    mt_array color_of;       /* uint16_t a pair; MT_ALL_COLORS: none; MT_GROUPED; with its sort above */
    mt_array places;         /* uint32_t by piece of memory, colour and sort: see pair_rows.c */
    mt_array grouped, spare; /* mt_group_key, sorted; and room for sorting */
    mt_array bucket;         /* uint32_t: for sorting */
    mt_array groups;         /* mt_pair_group */
    mt_array order;          /* uint32_t: groups by colour and length */
    uint32_t grouped_count, group_count;
    mt_color colors[MT_MOST_COLORS];
    uint32_t count; /* of colours */
} mt_coloring;

/* The rows of the pairs, in the order in which they are solved. */
typedef struct mt_contact_rows {
    mt_array lane_pair; /* uint32_t a lane of rows: its pair; MT_NO_PAIR */
    mt_array lane_of;   /* uint32_t a pair: where it is solved: row * 8 + lane */
    mt_array all;       /* mt_contact_row */
    mt_array more;      /* mt_contact_more: of groups' rows, then of others that are not compact */
    mt_array batches;   /* mt_batch_of_rows */
    mt_array movers;    /* mt_row_movers of the first single_count rows */
    uint32_t count, batch_count;
    uint32_t single_count; /* of both, the first: rows of pairs of loose particles, each a batch */
    _Atomic uint32_t more_used;
} mt_contact_rows;

/* Contacts of particles with shapes, of this substep and the one before; bodies' are solved by batches. */
typedef struct mt_shape_contact_rows {
    mt_shape_side sides[2];
    uint32_t side;         /* which is now */
    mt_array batches;      /* mt_batch_of_rows: of slices with loose particles on shapes */
    mt_array held;         /* mt_held_contact a lane of rows of bodies */
    mt_array body_batches; /* mt_batch_of_rows: of rows of bodies */
    mt_array body_number;  /* uint32_t a body */
    mt_array body_order;   /* uint32_t: bodies, those with the most contacts first */
    uint32_t batch_count, body_batch_count, body_row_count;
    _Atomic bool any_loose, any_held; /* some contact with a shape is */
} mt_shape_contact_rows;

/* What the world is to remember after the step. */
typedef struct mt_kept_impulses {
    mt_array
        pairs; /* uint32_t a pair: whether it bears something when the step is over, then where that goes */
    mt_array on_shapes;  /* uint32_t by index: how many of its contacts with shapes do, then where they go */
    mt_array blocks;     /* uint32_t a block of indices: where those that are kept of it begin */
    mt_array remembered; /* mt_contact_impulse */
    uint32_t count;
} mt_kept_impulses;

typedef struct mt_impulses {
    mt_movers movers;
    mt_pair_search search;
    mt_coloring coloring;
    mt_contact_rows rows;
    mt_shape_contact_rows shapes;
    mt_kept_impulses kept;
    float most_push;          /* m/s: what overlaps comes apart no faster */
    float wet_inset;          /* m: so much nearer liquids come to solids */
    _Atomic bool bounces;     /* some contact has restitution; a hint of where to look, not of what to do */
    _Atomic bool bounces_now; /* some bounced in this round */
} mt_impulses;

#endif
