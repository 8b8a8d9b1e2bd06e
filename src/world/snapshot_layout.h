/* The inside of a snapshot, for the files snapshot*.c: a header with a checksum, then every table and list of tables.h as
 * it is in memory but for the world's number in handles (little-endian, no padding in any of the structures), then what
 * particles have, attribute by attribute, in slot order. */
#ifndef MOTE_WORLD_SNAPSHOT_LAYOUT_H
#define MOTE_WORLD_SNAPSHOT_LAYOUT_H

#include "base/hash.h"
#include "world/snapshot_geometries.h"
#include "world/world.h"

#include <string.h>

#define MAGIC  UINT64_C(0x50414E5345544F4D) /* "MOTESNAP" */
#define FORMAT 18u

/* Things that live, handles that have been given out, and those of them that are free. */
typedef struct table_counts {
    uint32_t items, handles, free;
} table_counts;

typedef struct header {
    uint64_t magic, checksum; /* of everything behind the checksum */
    uint64_t size;
    uint32_t format, setting_bytes;
    mote_settings settings;
    float radius;
    uint64_t step_count;
    double time;
    uint32_t materials;
    table_counts tables[MT_HANDLE_COUNT];
    uint32_t disturbed;
    mote_vec3 disturbed_min, disturbed_max;
    uint64_t lists[MT_LIST_COUNT];
    uint64_t geometry_bytes; /* of their vertices, values, ... */
    uint64_t attribute_list; /* a hash of the list: what particles have */
    uint64_t stored;         /* a bit for each attribute that is stored */
} header;

/* ---- the layout, once, for measuring, writing and reading ----------------------------------------------- */

/* A part of the snapshot: where it is in the block, and how much. */
typedef struct part {
    size_t offset, size;
} part;

/* Of particles, the items are the indices of their handles. */
typedef struct table_parts {
    part items, generations, free;
} table_parts;

typedef struct layout {
    part materials;
    table_parts tables[MT_HANDLE_COUNT];
    part lists[MT_LIST_COUNT];
    part geometry_bytes, constraint_results;
    part attributes[MT_MOST_ATTRIBUTES]; /* what is kept of each, if it is stored */
    size_t size;
} layout;

/* A snapshot that is being read. */
typedef struct reader {
    const char *block;
    header h;
    layout l;
} reader;

layout mt_snapshot_layout(const header *h);
/* Of the list of attributes: snapshots with others are of another version. */
uint64_t mt_attribute_list_hash(void);
/* Of everything behind the checksum. */
uint64_t mt_snapshot_checksum(const void *data, size_t size);

/* Whether the bytes are a snapshot that this world can become; fills the reader. Nothing of it is used
 * before. */
mote_result mt_snapshot_check(reader *r, mote_world *world, const void *data, size_t size);

/* Whether bodies, links, joints, skeletons and bones fit together and to the particles, whose handles have been
 * found to be right, as have those of the three tables. `marks` has room for mt_snapshot_marks() numbers. */
mote_result mt_snapshot_check_bodies(const reader *r, uint32_t *marks);
size_t mt_snapshot_marks(const header *h);

/* snapshot_constraints.c: in the order of their making. Reserving has room for all; restoring comes after particles,
 * shapes and bodies. */
void mt_snapshot_write_constraints(const mote_world *world, char *block, const layout *l);
bool mt_snapshot_constraints_fit(const reader *r, unsigned char *marks);
mote_result mt_snapshot_reserve_constraints(mote_world *world, const header *h);
void mt_snapshot_read_constraints(const reader *r, mote_world *world);

static inline const void *at(const reader *r, part p)
{
    return r->block + p.offset;
}

static inline part items_of(const reader *r, mt_table_name table)
{
    return r->l.tables[table].items;
}

static inline uint32_t number_at(const reader *r, part p, size_t index)
{
    uint32_t value;
    memcpy(&value, r->block + p.offset + index * sizeof value, sizeof value);
    return value;
}

/* What is kept of an attribute at a slot: from the block, or what new particles have. */
static inline void read_attribute(const reader *r, uint32_t attribute, size_t slot, void *element)
{
    const mt_attribute *a = &mt_attributes[attribute];
    part p = r->l.attributes[attribute];
    memcpy(element, p.size > 0 ? (const char *)r->block + p.offset + slot * a->kept : (const char *)a->usual,
           a->kept);
}

#endif
