/* The part of a snapshot that holds geometries: records of a fixed size, and behind them what they are made
 * of. A geometry that the world still has, by id and by hash, is kept as it is, so that going back a few
 * steps stays cheap. */
#ifndef MOTE_WORLD_SNAPSHOT_GEOMETRIES_H
#define MOTE_WORLD_SNAPSHOT_GEOMETRIES_H

#include "world/world.h"

typedef struct mt_geometry_record {
    mote_geometry_id id;
    uint32_t type;
    uint32_t count[3]; /* vertices and triangles, or nodes along the axes */
    mote_vec3 origin;  /* of a distance field */
    float cell;        /* between nodes */
    uint64_t hash;
} mt_geometry_record;

/* Geometries that are ready to take the place of the world's. */
typedef struct mt_geometry_set {
    mt_geometry *items;
    uint32_t count;
} mt_geometry_set;

size_t mt_geometry_bytes(const mote_world *world);
void mt_geometries_write(const mote_world *world, char *records, char *bytes);

/* Checks and makes them all. Nothing is changed, and nothing to be freed, if it fails. */
mote_result mt_geometries_read(mote_world *world, const char *records, uint32_t count, const char *bytes,
                               size_t size, mt_geometry_set *set);
/* Cannot fail: room in the table has been made. Comes before the handles are read; users are the caller's to
 * count. */
void mt_geometries_replace(mote_world *world, mt_geometry_set *set);

#endif
