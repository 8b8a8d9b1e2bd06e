#include "world/snapshot_geometries.h"

#include "base/error.h"
#include "world/check.h"

#include <string.h>

static size_t padded(size_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

/* ---- how many bytes ------------------------------------------------------------------------------------ */

typedef struct extent {
    size_t first, second; /* vertices and triangles, or values alone */
} extent;

static extent extent_of(const mt_geometry_record *record)
{
    size_t a = record->count[0], b = record->count[1], c = record->count[2];
    switch (record->type) {
    case MOTE_GEOMETRY_HULL:
        return (extent){a * sizeof(mote_vec3), 0};
    case MOTE_GEOMETRY_MESH:
        return (extent){a * sizeof(mote_vec3), b * sizeof(uint32_t[3])};
    case MOTE_GEOMETRY_SDF:
        return (extent){a * b * c * sizeof(float), 0};
    default:
        return (extent){a * b * sizeof(float), 0};
    }
}

static mt_geometry_record record_of(const mt_geometry *geometry)
{
    mt_geometry_source source = mt_geometry_source_of(geometry);
    mt_geometry_record record;
    memset(&record, 0, sizeof record);
    record.id = geometry->id;
    record.type = geometry->type;
    record.hash = geometry->hash;
    if (geometry->type == MOTE_GEOMETRY_SDF) {
        memcpy(record.count, source.sdf.count, sizeof record.count);
        record.origin = source.sdf.origin;
        record.cell = source.sdf.cell;
    } else if (geometry->type == MOTE_GEOMETRY_HEIGHTFIELD) {
        record.count[0] = source.heights.columns;
        record.count[1] = source.heights.rows;
        record.cell = source.heights.spacing;
    } else {
        record.count[0] = (uint32_t)source.mesh.vertex_count;
        record.count[1] = geometry->type == MOTE_GEOMETRY_MESH ? (uint32_t)source.mesh.triangle_count : 0;
    }
    return record;
}

size_t mt_geometry_bytes(const mote_world *world)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < world->geometries.count; i++) {
        mt_geometry_record record = record_of(&mt_geometries(world)[i]);
        extent e = extent_of(&record);
        bytes += padded(e.first) + padded(e.second);
    }
    return bytes;
}

/* ---- writing ------------------------------------------------------------------------------------------- */

static const void *first_array(const mt_geometry_source *source)
{
    if (source->type == MOTE_GEOMETRY_SDF)
        return source->sdf.values;
    return source->type == MOTE_GEOMETRY_HEIGHTFIELD ? (const void *)source->heights.heights
                                                     : (const void *)source->mesh.vertices;
}

void mt_geometries_write(const mote_world *world, char *records, char *bytes)
{
    for (uint32_t i = 0; i < world->geometries.count; i++) {
        const mt_geometry *geometry = &mt_geometries(world)[i];
        mt_geometry_record record = record_of(geometry);
        mt_geometry_source source = mt_geometry_source_of(geometry);
        extent e = extent_of(&record);
        mt_mark_ids(&mt_table_records[MT_GEOMETRIES], &record, 0);
        memcpy(records + i * sizeof record, &record, sizeof record);
        memcpy(bytes, first_array(&source), e.first);
        if (e.second > 0)
            memcpy(bytes + padded(e.first), source.mesh.triangles, e.second);
        bytes += padded(e.first) + padded(e.second);
    }
}

/* ---- reading ------------------------------------------------------------------------------------------- */

static mt_geometry_source source_of(const mt_geometry_record *record, const char *bytes)
{
    extent e = extent_of(record);
    const void *first = bytes, *second = bytes + padded(e.first);
    mt_geometry_source source = {.type = record->type};
    if (record->type == MOTE_GEOMETRY_SDF)
        source.sdf = (mote_sdf_def){
            record->origin, record->cell, {record->count[0], record->count[1], record->count[2]}, first};
    else if (record->type == MOTE_GEOMETRY_HEIGHTFIELD)
        source.heights = (mote_heightfield_def){record->count[0], record->count[1], record->cell, first};
    else
        source.mesh = (mote_mesh){first, record->count[0], second, record->count[1]};
    return source;
}

/* The one that the world has already, or NULL. */
static mt_geometry *kept(const mote_world *world, const mt_geometry_record *record)
{
    uint32_t slot = mt_geometry_find(world, record->id);
    if (slot == MT_NO_SLOT)
        return NULL;
    mt_geometry *geometry = &mt_geometries(world)[slot];
    return geometry->type == record->type && geometry->hash == record->hash ? geometry : NULL;
}

/* Counts that cannot make a size that wraps around. */
static bool counts_fit(const mt_geometry_record *record, size_t left)
{
    double a = record->count[0], b = record->count[1], c = record->count[2];
    double most = record->type == MOTE_GEOMETRY_SDF ? 4 * a * b * c : 12 * (a + b) + 4 * a * b;
    if (record->type == MOTE_GEOMETRY_HULL || record->type == MOTE_GEOMETRY_MESH)
        most = 12 * (a + b);
    if (record->type >= MOTE_GEOMETRY_COUNT || most > 1e12)
        return false;
    extent e = extent_of(record);
    return padded(e.first) + padded(e.second) <= left;
}

/* Makes one, of bytes that are copied to where their alignment is right. */
static mote_result make(mote_world *world, const mt_geometry_record *record, const char *bytes,
                        mt_geometry *made)
{
    extent e = extent_of(record);
    size_t size = padded(e.first) + padded(e.second);
    char *copy = mt_allocate(&world->memory, size + 8);
    if (copy == NULL)
        return MOTE_ERROR_MEMORY;
    memcpy(copy, bytes, size);
    mt_geometry_source source = source_of(record, copy);
    mote_result result = mt_geometry_make(&world->memory, &source, made);
    mt_release(&world->memory, copy, size + 8);
    return result;
}

static mote_result read_one(mote_world *world, const mt_geometry_record *record, const char *bytes,
                            mt_geometry *out)
{
    mt_geometry *same = kept(world, record);
    if (same != NULL)
        *out = *same;
    else {
        mote_result result = make(world, record, bytes, out);
        if (result == MOTE_ERROR_MEMORY)
            return result;
        if (result != MOTE_OK)
            return mt_fail(MOTE_ERROR_SNAPSHOT, "snapshot: geometry %u could not be made", record->id.index);
    }
    out->id = record->id;
    out->hash = record->hash;
    out->users = 0;
    return MOTE_OK;
}

static bool is_kept(const mote_world *world, const mt_geometry *geometry)
{
    uint32_t slot = mt_geometry_find(world, geometry->id);
    return slot != MT_NO_SLOT && mt_geometries(world)[slot].form == geometry->form;
}

static void drop(mote_world *world, mt_geometry_set *set, uint32_t made, bool free_made)
{
    for (uint32_t i = 0; free_made && i < made; i++)
        if (!is_kept(world, &set->items[i]))
            mt_geometry_free(&set->items[i], &world->memory);
    mt_release(&world->memory, set->items, ((size_t)set->count + 1) * sizeof *set->items);
}

mote_result mt_geometries_read(mote_world *world, const char *records, uint32_t count, const char *bytes,
                               size_t size, mt_geometry_set *set)
{
    set->count = count;
    set->items = mt_allocate(&world->memory, ((size_t)count + 1) * sizeof *set->items);
    if (set->items == NULL)
        return MOTE_ERROR_MEMORY;
    mote_result result = MOTE_OK;
    for (uint32_t i = 0; i < count && result == MOTE_OK; i++) {
        mt_geometry_record record;
        memcpy(&record, records + i * sizeof record, sizeof record);
        mt_mark_ids(&mt_table_records[MT_GEOMETRIES], &record, mt_mark_of(world));
        if (!counts_fit(&record, size))
            result = mt_fail(MOTE_ERROR_SNAPSHOT, "snapshot: geometry %u is cut short", record.id.index);
        else
            result = read_one(world, &record, bytes, &set->items[i]);
        if (result != MOTE_OK) {
            drop(world, set, i, true);
            return result;
        }
        extent e = extent_of(&record);
        bytes += padded(e.first) + padded(e.second);
        size -= padded(e.first) + padded(e.second);
    }
    return MOTE_OK;
}

/* Takes the form away from the old geometry that has it. */
static void take_over(mote_world *world, const mt_geometry *taken)
{
    uint32_t slot = mt_geometry_find(world, taken->id);
    if (slot != MT_NO_SLOT && mt_geometries(world)[slot].form == taken->form)
        mt_geometries(world)[slot].form = NULL;
}

void mt_geometries_replace(mote_world *world, mt_geometry_set *set)
{
    /* A form that is kept is marked, so that it is not freed with the others. */
    for (uint32_t k = 0; k < set->count; k++)
        take_over(world, &set->items[k]);
    for (uint32_t i = 0; i < world->geometries.count; i++)
        if (mt_geometries(world)[i].form != NULL)
            mt_geometry_free(&mt_geometries(world)[i], &world->memory);
    if (set->count > 0)
        memcpy(mt_geometries(world), set->items, set->count * sizeof *set->items);
    world->geometries.count = set->count;
    drop(world, set, 0, false);
}
