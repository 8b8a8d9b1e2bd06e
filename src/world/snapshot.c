/* Snapshots: taking and restoring. Restoring checks everything first (snapshot_check.c), makes room, and
 * only then writes. */
#include "mote/snapshot.h"

#include "base/error.h"
#include "base/vec.h"
#include "world/bodies.h"
#include "world/check.h"
#include "world/snapshot_layout.h"

/* ---- the layout, once, for measuring, writing and reading ----------------------------------------------- */

static part next_part(layout *l, uint64_t count, size_t element)
{
    part made = {l->size, (size_t)count * element};
    l->size += (made.size + 7) / 8 * 8;
    return made;
}

layout mt_snapshot_layout(const header *h)
{
    layout l = {.size = (sizeof(header) + 7) / 8 * 8};
    l.materials = next_part(&l, h->materials, sizeof(mt_material));
    for (uint32_t k = 0; k < MT_HANDLE_COUNT; k++) {
        l.tables[k].items = next_part(&l, h->tables[k].items, mt_table_records[k].size);
        l.tables[k].generations = next_part(&l, h->tables[k].handles, sizeof(uint32_t));
        l.tables[k].free = next_part(&l, h->tables[k].free, sizeof(uint32_t));
    }
    for (uint32_t k = 0; k < MT_LIST_COUNT; k++)
        l.lists[k] = next_part(&l, h->lists[k], mt_list_records[k].size);
    l.geometry_bytes = next_part(&l, h->geometry_bytes, 1);
    l.constraint_results = next_part(&l, h->tables[MT_CONSTRAINTS].items, sizeof(mt_constraint_result));
    for (uint32_t k = 0; k < mt_attribute_count; k++)
        l.attributes[k] =
            next_part(&l, (h->stored >> k & 1) != 0 ? h->tables[MT_PARTICLES].items : 0, mt_attributes[k].kept);
    return l;
}

uint64_t mt_attribute_list_hash(void)
{
    uint64_t hash = mt_attribute_count;
    for (uint32_t k = 0; k < mt_attribute_count; k++) {
        const mt_attribute *a = &mt_attributes[k];
        hash = mt_hash_add(mt_hash_add(hash, a->kept), a->flags);
        if (a->info.name != NULL)
            hash = mt_hash_bytes(hash, a->info.name, strlen(a->info.name));
    }
    return hash;
}

/* Sparse ones are stored if some particle has something else than new ones have. */
static uint64_t stored_attributes(const mote_world *w)
{
    uint64_t stored = 0;
    for (uint32_t k = 0; k < mt_attribute_count; k++)
        if ((mt_attributes[k].flags & MT_SPARSE) == 0 ||
            mt_attribute_is_set(&w->particles.now, k, w->particles.count))
            stored |= UINT64_C(1) << k;
    return stored;
}

static uint32_t living(const mote_world *w, uint32_t table)
{
    return table == MT_PARTICLES     ? w->particles.count
           : table == MT_CONSTRAINTS ? w->constraints.count
                                     : mt_table_at(w, table)->count;
}

static header header_of(const mote_world *w)
{
    header h;
    memset(&h, 0, sizeof h); /* padding as well: equal worlds have equal bytes */
    h.magic = MAGIC;
    h.format = FORMAT;
    h.setting_bytes = (uint32_t)sizeof(mote_settings);
    h.settings = w->settings;
    h.radius = w->radius;
    h.step_count = w->step_count;
    h.time = w->time;
    h.materials = w->material_count;
    for (uint32_t k = 0; k < MT_HANDLE_COUNT; k++) {
        const mt_handles *handles = mt_handles_at(w, k);
        h.tables[k] = (table_counts){living(w, k), handles->count, handles->free_count};
    }
    for (uint32_t k = 0; k < MT_LIST_COUNT; k++)
        h.lists[k] = *mt_list_count(w, k);
    h.geometry_bytes = mt_geometry_bytes(w);
    h.disturbed = w->disturbance.any;
    if (w->disturbance.any) {
        h.disturbed_min = w->disturbance.min;
        h.disturbed_max = w->disturbance.max;
    }
    h.attribute_list = mt_attribute_list_hash();
    h.stored = stored_attributes(w);
    h.size = mt_snapshot_layout(&h).size;
    return h;
}

uint64_t mt_snapshot_checksum(const void *data, size_t size)
{
    size_t skipped = 2 * sizeof(uint64_t);
    return mt_hash_bytes(FORMAT, (const char *)data + skipped, size - skipped);
}

/* ---- writing ------------------------------------------------------------------------------------------- */

size_t mote_snapshot_size(const mote_world *world)
{
    if (world == NULL)
        return 0;
    header h = header_of(world);
    return (size_t)h.size;
}

static void write_part(char *block, part p, const void *data)
{
    if (p.size > 0)
        memcpy(block + p.offset, data, p.size);
}

static void write_records(char *block, part p, const mt_record *record, const void *data)
{
    write_part(block, p, data);
    for (size_t at = p.offset; at < p.offset + p.size; at += record->size)
        mt_mark_ids(record, block + at, 0);
}

static void write_handles(char *block, const table_parts *parts, const mt_handles *handles)
{
    char *out = block + parts->generations.offset; /* which may be at any address */
    for (uint32_t i = 0; i < handles->count; i++) {
        uint32_t generation = mt_handle_entries(handles)[i].generation & MT_GENERATION_MASK;
        memcpy(out + i * sizeof generation, &generation, sizeof generation);
    }
    write_part(block, parts->free, handles->free.data);
}

/* Geometries, particles and constraints are not kept as they are in memory. */
static bool is_plain(uint32_t table)
{
    return table < MT_TABLE_COUNT && table != MT_GEOMETRIES;
}

/* Elements may be longer in memory than what is kept of them. */
static void write_attribute(const mote_world *w, char *block, part p, uint32_t attribute)
{
    const mt_attribute *a = &mt_attributes[attribute];
    const char *from = w->particles.now.of[attribute].data;
    for (size_t i = 0; p.size > 0 && i < w->particles.count; i++)
        memcpy(block + p.offset + i * a->kept, from + i * a->size, a->kept);
}

static void write_world(const mote_world *w, char *block, const layout *l)
{
    write_part(block, l->materials, w->materials);
    for (uint32_t k = 0; k < MT_HANDLE_COUNT; k++) {
        if (is_plain(k))
            write_records(block, l->tables[k].items, &mt_table_records[k], mt_table_at(w, k)->items.data);
        write_handles(block, &l->tables[k], mt_handles_at(w, k));
    }
    for (uint32_t k = 0; k < MT_LIST_COUNT; k++)
        write_records(block, l->lists[k], &mt_list_records[k], mt_list_at(w, k)->data);
    mt_geometries_write(w, block + l->tables[MT_GEOMETRIES].items.offset, block + l->geometry_bytes.offset);
    mt_snapshot_write_constraints(w, block, l);
    for (uint32_t i = 0; i < w->particles.count; i++)
        memcpy(block + l->tables[MT_PARTICLES].items.offset + i * sizeof(uint32_t),
               &mt_particle_ids(w)[i].index, sizeof(uint32_t));
    for (uint32_t k = 0; k < mt_attribute_count; k++)
        write_attribute(w, block, l->attributes[k], k);
}

mote_result mote_snapshot_take(const mote_world *world, void *buffer, size_t capacity, size_t *size)
{
    MT_TRY(mt_enter(world, "mote_snapshot_take"));
    MT_TRY(mt_check_pointer("buffer", buffer));
    header h = header_of(world);
    if (capacity < h.size)
        return mt_fail(MOTE_ERROR_ARGUMENT, "capacity is %zu; the snapshot needs %zu bytes", capacity,
                       (size_t)h.size);
    layout l = mt_snapshot_layout(&h);
    memset(buffer, 0, l.size);
    memcpy(buffer, &h, sizeof h);
    write_world(world, buffer, &l);
    h.checksum = mt_snapshot_checksum(buffer, l.size);
    memcpy(buffer, &h, sizeof h);
    if (size != NULL)
        *size = l.size;
    return MOTE_OK;
}

/* ---- restoring ----------------------------------------------------------------------------------------- */

static mote_result reserve_handles(mt_handles *handles, mt_memory *memory, size_t count)
{
    MT_TRY(mt_array_reserve(&handles->entries, memory, count, handles->count));
    return mt_array_reserve(&handles->free, memory, count, handles->free_count);
}

static mote_result reserve_world(mote_world *w, const header *h)
{
    MT_TRY(mt_particles_reserve(w, h->tables[MT_PARTICLES].items));
    for (uint32_t k = 0; k < MT_TABLE_COUNT; k++) {
        mt_table *table = mt_table_at(w, k);
        MT_TRY(mt_array_reserve(&table->items, &w->memory, h->tables[k].items, table->count));
    }
    for (uint32_t k = 0; k < MT_HANDLE_COUNT; k++)
        MT_TRY(reserve_handles(mt_handles_at(w, k), &w->memory, h->tables[k].handles));
    for (uint32_t k = 0; k < MT_LIST_COUNT; k++)
        MT_TRY(mt_array_reserve(mt_list_at(w, k), &w->memory, (size_t)h->lists[k], *mt_list_count(w, k)));
    MT_TRY(mt_snapshot_reserve_constraints(w, h));
    size_t links = (size_t)h->lists[MT_LINKS];
    return mt_membership_reserve(w, links > w->link_count ? links - w->link_count : 0,
                                 h->tables[MT_PARTICLES].handles);
}

static void read_part(const reader *r, part p, void *to)
{
    if (p.size > 0)
        memcpy(to, at(r, p), p.size);
}

static void read_records(const reader *r, part p, const mt_record *record, mt_array *to, uint32_t mark)
{
    read_part(r, p, to->data);
    for (size_t at = 0; at < p.size; at += record->size)
        mt_mark_ids(record, (char *)to->data + at, mark);
}

static void read_handles(const reader *r, mt_handles *handles, const table_parts *parts)
{
    handles->count = (uint32_t)(parts->generations.size / sizeof(uint32_t));
    handles->free_count = (uint32_t)(parts->free.size / sizeof(uint32_t));
    for (uint32_t i = 0; i < handles->count; i++)
        mt_handle_entries(handles)[i] =
            (mt_handle_entry){handles->mark | number_at(r, parts->generations, i), MT_NO_SLOT};
    read_part(r, parts->free, handles->free.data);
}

/* Geometries have been replaced already. */
static void read_tables(const reader *r, mote_world *w)
{
    for (uint32_t k = 0; k < MT_HANDLE_COUNT; k++) {
        read_handles(r, mt_handles_at(w, k), &r->l.tables[k]);
        if (k >= MT_TABLE_COUNT)
            continue;
        mt_table *table = mt_table_at(w, k);
        table->count = r->h.tables[k].items;
        if (is_plain(k))
            read_records(r, items_of(r, k), &mt_table_records[k], &table->items, mt_mark_of(w));
        mt_table_point(table, 0);
    }
    for (uint32_t k = 0; k < MT_LIST_COUNT; k++) {
        *mt_list_count(w, k) = (size_t)r->h.lists[k];
        read_records(r, r->l.lists[k], &mt_list_records[k], mt_list_at(w, k), mt_mark_of(w));
    }
    w->shape_edits++;
    w->body_edits++;
}

static void read_particle(const reader *r, mote_world *w, uint32_t slot)
{
    mt_particle_arrays *now = &w->particles.now;
    mt_particle_arrays_reset(now, slot, slot + 1);
    for (uint32_t k = 0; k < mt_attribute_count; k++)
        read_attribute(r, k, slot, (char *)now->of[k].data + slot * mt_attributes[k].size);
    uint32_t index = number_at(r, items_of(r, MT_PARTICLES), slot);
    mt_handle_entry *entry = &mt_handle_entries(&w->particles.handles)[index];
    entry->slot = slot;
    mt_particle_ids(w)[slot] = (mote_particle_id){index, entry->generation};
}

static void read_world(const reader *r, mote_world *w)
{
    const header *h = &r->h;
    w->settings = h->settings;
    w->radius = h->radius;
    w->step_count = h->step_count;
    w->time = h->time;
    w->disturbance = (mt_disturbance){h->disturbed != 0, h->disturbed_min, h->disturbed_max};
    w->material_count = h->materials;
    read_part(r, r->l.materials, w->materials);
    read_tables(r, w);
    w->event_count = w->contact_count = 0;
    w->contact_index.is_made = false;
    w->particles.count = h->tables[MT_PARTICLES].items;
    for (uint32_t i = 0; i < w->particles.count; i++)
        read_particle(r, w, i);
    mt_snapshot_read_constraints(r, w);
    mt_particles_pad(w);
}

static void count_geometry_users(mote_world *w)
{
    for (uint32_t i = 0; i < w->shapes.count; i++) {
        uint32_t slot = mt_geometry_find(w, mt_shapes(w)[i].geometry);
        if (slot != MT_NO_SLOT)
            mt_geometries(w)[slot].users++;
    }
}

mote_result mote_snapshot_restore(mote_world *world, const void *data, size_t size)
{
    MT_TRY(mt_enter(world, "mote_snapshot_restore"));
    MT_TRY(mt_check_pointer("data", data));
    reader r;
    MT_TRY(mt_snapshot_check(&r, world, data, size));
    MT_TRY(reserve_world(world, &r.h));
    mt_geometry_set set;
    MT_TRY(mt_geometries_read(world, at(&r, items_of(&r, MT_GEOMETRIES)), r.h.tables[MT_GEOMETRIES].items,
                              at(&r, r.l.geometry_bytes), r.l.geometry_bytes.size, &set));
    mt_geometries_replace(world, &set);
    read_world(&r, world);
    count_geometry_users(world);
    world->membership.valid = false;
    mt_membership_build(world);
    return MOTE_OK;
}
