/* What a world keeps in tables and lists: one list of all of them. Room for them and their end, snapshots, hashes, and the
 * world's number in the handles that stand in them come from it; see tables.c. */
#ifndef MOTE_WORLD_TABLES_H
#define MOTE_WORLD_TABLES_H

#include "base/handles.h"
#include "mote/world.h"

/* Things with handles, in the order of snapshots: TABLE(NAME, member, type, kept, limit, ids...). `kept` is what snapshots
 * have of each, `ids` is where handles stand in that: first its own, then those of others. */
#define MT_TABLES(TABLE)                                                                                       \
    TABLE(SHAPES, shapes, mt_shape, mt_shape, MT_MAX_SHAPES, ID(mt_shape, id), ID(mt_shape, geometry))         \
    TABLE(FIELDS, fields, mt_field, mt_field, MT_MAX_FIELDS, ID(mt_field, id))                                 \
    TABLE(VOLUMES, volumes, mt_volume, mt_volume, MT_MAX_VOLUMES, ID(mt_volume, id))                           \
    TABLE(GEOMETRIES, geometries, mt_geometry, mt_geometry_record, MT_MAX_GEOMETRIES,                          \
          ID(mt_geometry_record, id))                                                                          \
    TABLE(PICKS, picks, mt_pick, mt_pick, MT_MAX_PICKS, ID(mt_pick, id), ID(mt_pick, def.particle))            \
    TABLE(EMITTERS, emitters, mt_emitter, mt_emitter, MT_MAX_EMITTERS, ID(mt_emitter, id),                     \
          ID(mt_emitter, def.material))                                                                        \
    TABLE(BODIES, bodies, mt_body, mt_body, MT_MAX_BODIES, ID(mt_body, id))                                    \
    TABLE(JOINTS, joints, mt_joint, mt_joint, MT_MAX_JOINTS, ID(mt_joint, id), ID(mt_joint, a),                \
          ID(mt_joint, b))                                                                                     \
    TABLE(SKELETONS, skeletons, mt_skeleton, mt_skeleton, MT_MAX_SKELETONS, ID(mt_skeleton, id))

/* What has none of its own: LIST(NAME, member, count, type, ids...). */
#define MT_LISTS(LIST)                                                                                         \
    LIST(EMITTED, emitted, emitted_count, mote_particle_id, 0)                                                 \
    LIST(LINKS, links, link_count, mt_link, ID(mt_link, particle))                                             \
    LIST(BONES, bones, bone_count, mt_bone, ID(mt_bone, body), ID(mt_bone, joint))                             \
    LIST(DEFERRED, deferred, deferred_count, mt_deferred_pair, ID(mt_deferred_pair, a),                        \
         ID(mt_deferred_pair, b))                                                                              \
    LIST(TOUCHES, touches.items, touches.count, mt_touch, ID(mt_touch, particle), ID(mt_touch, other_index))   \
    LIST(IMPULSES, impulses, impulse_count, mt_contact_impulse, ID(mt_contact_impulse, owner),                 \
         ID(mt_contact_impulse, other))

typedef enum mt_table_name {
#define TABLE(NAME, ...) MT_##NAME,
    MT_TABLES(TABLE)
#undef TABLE
        MT_TABLE_COUNT,
    /* What has handles and is no table, but has snapshots' places like one. */
    MT_PARTICLES = MT_TABLE_COUNT,
    MT_CONSTRAINTS,
    MT_HANDLE_COUNT
} mt_table_name;

typedef enum mt_list_name {
#define LIST(NAME, ...) MT_##NAME,
    MT_LISTS(LIST)
#undef LIST
        MT_LIST_COUNT
} mt_list_name;

#define MT_MOST_IDS 5

/* What snapshots and hashes take the bytes of, as they are but for the world's number in handles. */
typedef struct mt_record {
    uint32_t size; /* bytes */
    uint32_t id_count;
    uint32_t ids[MT_MOST_IDS]; /* where handles are in it: an index, and a generation behind it */
} mt_record;

extern const mt_record mt_table_records[MT_HANDLE_COUNT], mt_list_records[MT_LIST_COUNT];

/* A table of things with handles: packed in the order of their making. */
typedef struct mt_table {
    mt_array items;
    uint32_t count;
    mt_handles handles;
} mt_table;

/* Those of a world, by their place in the lists. */
mt_table *mt_table_at(const mote_world *world, uint32_t name);
mt_handles *mt_handles_at(const mote_world *world, uint32_t name);
uint32_t mt_table_limit(uint32_t name); /* how many there may be */
mt_array *mt_list_at(const mote_world *world, uint32_t name);
size_t *mt_list_count(const mote_world *world, uint32_t name);

/* All of them, and the handles of particles and constraints. */
void mt_tables_init(mote_world *world);
void mt_tables_free(mote_world *world);

/* Room for one more; its place is items[count] and its handle *handle. Fails at the limit. */
mote_result mt_table_add(mote_world *world, mt_table_name name, mt_handle *handle);
/* Takes out the item at `slot`, keeping the order. */
void mt_table_remove(mt_table *table, uint32_t slot);
/* Has the handles of items from `first` on know their slots. */
void mt_table_point(mt_table *table, uint32_t first);

/* Puts a world's number into the handles of a record in place of the one that they have; 0: none, as snapshots and hashes
 * have them. */
void mt_mark_ids(const mt_record *record, void *element, uint32_t mark);

/* The hash of records side by side, as mt_hash_bytes has it; the world's number is no part of it. */
uint64_t mt_records_hash(uint64_t hash, const mt_record *record, const void *data, size_t count);

#endif
