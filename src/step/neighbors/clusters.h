/* Particles of a slice that are in bodies, of one family and near each other: mostly all eight. Up to eight
 * clusters of bodies that belong together make a pack. Neighbours of bodies are looked for by packs first,
 * which are in a grid of their own, see neighbors/clusters.c. The grid of particles has the loose ones only. */
#ifndef MOTE_STEP_NEIGHBORS_CLUSTERS_H
#define MOTE_STEP_NEIGHBORS_CLUSTERS_H

#include "step/neighbors/grid.h"
#include "step/slices.h"

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

#endif
