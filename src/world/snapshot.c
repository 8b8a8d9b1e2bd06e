/* Snapshots: a header with a checksum, then every table as it is in memory (little-endian, no padding in any
 * of the structures), then the particles in slot order, 61 bytes each. Restoring checks everything first,
 * makes room, and only then writes. */
#include "mote/snapshot.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/vec.h"
#include "world/check.h"
#include "world/snapshot_geometries.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

#define MAGIC  UINT64_C(0x50414E5345544F4D) /* "MOTESNAP" */
#define FORMAT 2u

typedef struct header {
    uint64_t magic, checksum; /* of everything behind the checksum */
    uint64_t size;
    uint32_t format, setting_bytes;
    mote_settings settings;
    float radius;
    uint64_t step_count;
    double time;
    uint32_t materials, particles, handles, free_handles;
    uint32_t shapes, shape_handles, free_shape_handles;
    uint32_t fields, field_handles, free_field_handles;
    uint32_t volumes, volume_handles, free_volume_handles;
    uint32_t geometries, geometry_handles, free_geometry_handles;
    uint32_t picks, pick_handles, free_pick_handles;
    uint32_t disturbed;
    mote_vec3 disturbed_min, disturbed_max;
    uint64_t touches;
    uint64_t geometry_bytes; /* of their vertices, values, ... */
} header;

/* ---- the layout, once, for measuring, writing and reading ----------------------------------------------- */

/* A part of the snapshot: where it is in the block, and how much. */
typedef struct part {
    size_t offset, size;
} part;

typedef struct layout {
    part materials;
    part generations, free;
    part shapes, shape_generations, shape_free;
    part fields, field_generations, field_free;
    part volumes, volume_generations, volume_free;
    part geometries, geometry_generations, geometry_free, geometry_bytes;
    part picks, pick_generations, pick_free;
    part touches;
    part position, velocity, support, index, phase, rest_time, material;
    size_t size;
} layout;

static part next_part(layout *l, uint64_t count, size_t element)
{
    part made = {l->size, (size_t)count * element};
    l->size += (made.size + 7) / 8 * 8;
    return made;
}

static layout layout_of(const header *h)
{
    layout l = {.size = (sizeof(header) + 7) / 8 * 8};
    l.materials = next_part(&l, h->materials, sizeof(mt_material));
    l.generations = next_part(&l, h->handles, sizeof(uint32_t));
    l.free = next_part(&l, h->free_handles, sizeof(uint32_t));
    l.shapes = next_part(&l, h->shapes, sizeof(mt_shape));
    l.shape_generations = next_part(&l, h->shape_handles, sizeof(uint32_t));
    l.shape_free = next_part(&l, h->free_shape_handles, sizeof(uint32_t));
    l.fields = next_part(&l, h->fields, sizeof(mt_field));
    l.field_generations = next_part(&l, h->field_handles, sizeof(uint32_t));
    l.field_free = next_part(&l, h->free_field_handles, sizeof(uint32_t));
    l.volumes = next_part(&l, h->volumes, sizeof(mt_volume));
    l.volume_generations = next_part(&l, h->volume_handles, sizeof(uint32_t));
    l.volume_free = next_part(&l, h->free_volume_handles, sizeof(uint32_t));
    l.geometries = next_part(&l, h->geometries, sizeof(mt_geometry_record));
    l.geometry_generations = next_part(&l, h->geometry_handles, sizeof(uint32_t));
    l.geometry_free = next_part(&l, h->free_geometry_handles, sizeof(uint32_t));
    l.geometry_bytes = next_part(&l, h->geometry_bytes, 1);
    l.picks = next_part(&l, h->picks, sizeof(mt_pick));
    l.pick_generations = next_part(&l, h->pick_handles, sizeof(uint32_t));
    l.pick_free = next_part(&l, h->free_pick_handles, sizeof(uint32_t));
    l.touches = next_part(&l, h->touches, sizeof(mt_touch));
    l.position = next_part(&l, h->particles, sizeof(mote_vec4));
    l.velocity = next_part(&l, h->particles, sizeof(mote_vec4));
    l.support = next_part(&l, h->particles, sizeof(mote_vec3));
    l.index =
        next_part(&l, h->particles, sizeof(uint32_t)); /* of the handle; its generation is in `generations` */
    l.phase = next_part(&l, h->particles, sizeof(uint32_t));
    l.rest_time = next_part(&l, h->particles, sizeof(float));
    l.material = next_part(&l, h->particles, sizeof(uint8_t));
    return l;
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
    h.particles = w->particles.count;
    h.handles = w->particles.handles.count;
    h.free_handles = w->particles.handles.free_count;
    h.shapes = w->shapes.count;
    h.shape_handles = w->shapes.handles.count;
    h.free_shape_handles = w->shapes.handles.free_count;
    h.fields = w->fields.count;
    h.field_handles = w->fields.handles.count;
    h.free_field_handles = w->fields.handles.free_count;
    h.volumes = w->volumes.count;
    h.volume_handles = w->volumes.handles.count;
    h.free_volume_handles = w->volumes.handles.free_count;
    h.geometries = w->geometries.count;
    h.geometry_handles = w->geometries.handles.count;
    h.free_geometry_handles = w->geometries.handles.free_count;
    h.geometry_bytes = mt_geometry_bytes(w);
    h.picks = w->picks.count;
    h.pick_handles = w->picks.handles.count;
    h.free_pick_handles = w->picks.handles.free_count;
    h.disturbed = w->disturbance.any;
    if (w->disturbance.any) {
        h.disturbed_min = w->disturbance.min;
        h.disturbed_max = w->disturbance.max;
    }
    h.touches = w->touches.count;
    h.size = layout_of(&h).size;
    return h;
}

static uint64_t checksum_of(const void *data, size_t size)
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

static void write_handles(char *block, part generations, part free, const mt_handles *handles)
{
    char *out = block + generations.offset; /* which may be at any address */
    for (uint32_t i = 0; i < handles->count; i++)
        memcpy(out + i * sizeof(uint32_t), &mt_handle_entries(handles)[i].generation, sizeof(uint32_t));
    write_part(block, free, handles->free.data);
}

static void write_world(const mote_world *w, char *block, const layout *l)
{
    write_part(block, l->materials, w->materials);
    write_handles(block, l->generations, l->free, &w->particles.handles);
    write_part(block, l->shapes, w->shapes.items.data);
    write_handles(block, l->shape_generations, l->shape_free, &w->shapes.handles);
    write_part(block, l->fields, w->fields.items.data);
    write_handles(block, l->field_generations, l->field_free, &w->fields.handles);
    write_part(block, l->volumes, w->volumes.items.data);
    write_handles(block, l->volume_generations, l->volume_free, &w->volumes.handles);
    mt_geometries_write(w, block + l->geometries.offset, block + l->geometry_bytes.offset);
    write_handles(block, l->geometry_generations, l->geometry_free, &w->geometries.handles);
    write_part(block, l->picks, w->picks.items.data);
    write_handles(block, l->pick_generations, l->pick_free, &w->picks.handles);
    write_part(block, l->touches, w->touches.items.data);
    write_part(block, l->position, mt_positions(w));
    write_part(block, l->velocity, mt_velocities(w));
    write_part(block, l->phase, mt_phases(w));
    write_part(block, l->rest_time, mt_rest_times(w));
    for (size_t i = 0; i < w->particles.count; i++) {
        mote_vec3 support = mt_xyz(mt_supports(w)[i]);
        memcpy(block + l->support.offset + i * sizeof support, &support, sizeof support);
        memcpy(block + l->index.offset + i * sizeof(uint32_t), &mt_particle_ids(w)[i].index, sizeof(uint32_t));
        block[l->material.offset + i] = (char)(unsigned char)mt_material_indices(w)[i];
    }
}

mote_result mote_snapshot_take(const mote_world *world, void *buffer, size_t capacity, size_t *size)
{
    MT_TRY(mt_enter(world, "mote_snapshot_take"));
    MT_TRY(mt_check_pointer("buffer", buffer));
    header h = header_of(world);
    if (capacity < h.size)
        return mt_fail(MOTE_ERROR_ARGUMENT, "capacity is %zu; the snapshot needs %zu bytes", capacity,
                       (size_t)h.size);
    layout l = layout_of(&h);
    memset(buffer, 0, l.size);
    memcpy(buffer, &h, sizeof h);
    write_world(world, buffer, &l);
    h.checksum = checksum_of(buffer, l.size);
    memcpy(buffer, &h, sizeof h);
    if (size != NULL)
        *size = l.size;
    return MOTE_OK;
}

/* ---- checking ------------------------------------------------------------------------------------------ */

typedef struct reader {
    const char *block;
    header h;
    layout l;
} reader;

static mote_result damaged(const char *what)
{
    return mt_fail(MOTE_ERROR_SNAPSHOT, "snapshot: %s", what);
}

static mote_result read_header(reader *r, const mote_world *world, const void *data, size_t size)
{
    if (size < sizeof(header))
        return damaged("cut short: there is not even a whole header");
    memcpy(&r->h, data, sizeof r->h);
    r->block = data;
    const header *h = &r->h;
    if (h->magic != MAGIC)
        return damaged("these bytes are not a snapshot");
    if (h->format != FORMAT || h->setting_bytes != sizeof(mote_settings))
        return damaged("made by another version");
    if (h->materials == 0 || h->materials > MT_MAX_MATERIALS || h->shapes > MT_MAX_SHAPES ||
        h->fields > MT_MAX_FIELDS || h->volumes > MT_MAX_VOLUMES || h->touches > size ||
        h->geometries > MT_MAX_GEOMETRIES || h->picks > MT_MAX_PICKS || h->geometry_bytes > size)
        return damaged("the header's counts are beyond their limits");
    r->l = layout_of(h);
    if (h->size != size || r->l.size != size)
        return damaged("cut short or too long for what its header says");
    if (h->checksum != checksum_of(data, size))
        return damaged("the checksum does not match: bytes were changed");
    if (h->particles > world->max_particles)
        return mt_fail(MOTE_ERROR_LIMIT, "snapshot: its %u particles are more than max_particles, %u",
                       h->particles, world->max_particles);
    return MOTE_OK;
}

static const void *at(const reader *r, part p)
{
    return r->block + p.offset;
}

static uint32_t number_at(const reader *r, part p, size_t index)
{
    uint32_t value;
    memcpy(&value, r->block + p.offset + index * sizeof value, sizeof value);
    return value;
}

/* Whether ids, generations and free indices fit together: each index belongs to one living thing or is free,
 * once. `owner` has room for one byte a handle. */
static bool handles_fit(const reader *r, part items, size_t stride, uint32_t count, part generations, part free,
                        unsigned char *owned)
{
    size_t handles = generations.size / sizeof(uint32_t), free_count = free.size / sizeof(uint32_t);
    if ((size_t)count + free_count != handles)
        return false;
    memset(owned, 0, handles);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id[2] = {0, 0}; /* every table's items begin with their id; particles have only the index */
        memcpy(id, r->block + items.offset + i * stride, stride < sizeof id ? stride : sizeof id);
        if (id[0] >= handles || owned[id[0]])
            return false;
        uint32_t generation = number_at(r, generations, id[0]);
        if (generation == 0 || (stride >= sizeof id && generation != id[1]))
            return false;
        owned[id[0]] = 1;
    }
    for (size_t i = 0; i < free_count; i++) {
        uint32_t index = number_at(r, free, i);
        if (index >= handles || owned[index] || number_at(r, generations, index) == 0)
            return false;
        owned[index] = 1;
    }
    return true;
}

static bool floats_fit(const void *data, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        float value;
        memcpy(&value, (const char *)data + i * sizeof value, sizeof value);
        if (!isfinite(value))
            return false;
    }
    return true;
}

static uint32_t material_at(const reader *r, uint32_t slot)
{
    return (unsigned char)r->block[r->l.material.offset + slot];
}

static bool particles_fit(const reader *r)
{
    if (!floats_fit(at(r, r->l.support), r->l.support.size / 4) ||
        !floats_fit(at(r, r->l.rest_time), r->l.rest_time.size / 4))
        return false;
    for (uint32_t i = 0; i < r->h.particles; i++) {
        mote_vec4 x, v;
        memcpy(&x, r->block + r->l.position.offset + i * sizeof x, sizeof x);
        memcpy(&v, r->block + r->l.velocity.offset + i * sizeof v, sizeof v);
        if (!mt_particle_fits(x, v, number_at(r, r->l.phase, i)) || material_at(r, i) >= r->h.materials)
            return false;
    }
    return true;
}

enum { LIVING = 1, CONTAINER = 2 }; /* a geometry that is there; one that may have particles inside */

/* Marks the living geometries among their handles. */
static void mark_geometries(const reader *r, unsigned char *living)
{
    memset(living, 0, r->h.geometry_handles);
    for (uint32_t i = 0; i < r->h.geometries; i++) {
        mt_geometry_record g;
        memcpy(&g, r->block + r->l.geometries.offset + i * sizeof g, sizeof g);
        bool container = g.type == MOTE_GEOMETRY_HULL || g.type == MOTE_GEOMETRY_SDF;
        living[g.id.index] = container ? CONTAINER : LIVING;
    }
}

/* A shape's geometry is among those of the snapshot. */
static bool geometry_fits(const reader *r, const mt_shape *s, const unsigned char *living)
{
    if (s->form.type != MOTE_SHAPE_GEOMETRY)
        return s->geometry.generation == 0;
    uint32_t index = s->geometry.index;
    return index < r->h.geometry_handles && living[index] >= (s->inside ? CONTAINER : LIVING) &&
           number_at(r, r->l.geometry_generations, index) == s->geometry.generation;
}

static bool picks_fit(const reader *r)
{
    for (uint32_t i = 0; i < r->h.picks; i++) {
        mt_pick p;
        memcpy(&p, r->block + r->l.picks.offset + i * sizeof p, sizeof p);
        if (mt_pick_check(&p.def) != MOTE_OK || !floats_fit(&p.force, 3))
            return false;
    }
    return true;
}

static bool tables_fit(const reader *r, unsigned char *living)
{
    mark_geometries(r, living);
    for (uint32_t i = 0; i < r->h.materials; i++) {
        mt_material m;
        memcpy(&m, r->block + r->l.materials.offset + i * sizeof m, sizeof m);
        if (!mt_material_fits(&m))
            return false;
    }
    for (uint32_t i = 0; i < r->h.shapes; i++) {
        mt_shape s;
        memcpy(&s, r->block + r->l.shapes.offset + i * sizeof s, sizeof s);
        if (!mt_shape_fits(&s) || s.material >= r->h.materials || !geometry_fits(r, &s, living))
            return false;
    }
    for (uint32_t i = 0; i < r->h.fields; i++) {
        mt_field f;
        memcpy(&f, r->block + r->l.fields.offset + i * sizeof f, sizeof f);
        if (mt_field_check(&f.def) != MOTE_OK)
            return false;
    }
    for (uint32_t i = 0; i < r->h.volumes; i++) {
        mt_volume v;
        memcpy(&v, r->block + r->l.volumes.offset + i * sizeof v, sizeof v);
        if (mt_volume_check(&v.def) != MOTE_OK)
            return false;
    }
    return true;
}

static bool touches_fit(const reader *r)
{
    for (size_t i = 0; i < r->h.touches; i++)
        if (number_at(r, r->l.touches, i * sizeof(mt_touch) / sizeof(uint32_t)) > MT_TOUCH_TRIGGER_SHAPE)
            return false;
    return true;
}

static bool header_fits(const header *h)
{
    return mt_radius_check("radius", h->radius) == MOTE_OK && isfinite(h->time) && h->time >= 0 &&
           h->disturbed <= 1 && mt_is_finite3(h->disturbed_min) && mt_is_finite3(h->disturbed_max);
}

static mote_result check_contents(const reader *r, unsigned char *owned)
{
    const header *h = &r->h;
    const layout *l = &r->l;
    if (!handles_fit(r, l->index, sizeof(uint32_t), h->particles, l->generations, l->free, owned) ||
        !handles_fit(r, l->shapes, sizeof(mt_shape), h->shapes, l->shape_generations, l->shape_free, owned) ||
        !handles_fit(r, l->fields, sizeof(mt_field), h->fields, l->field_generations, l->field_free, owned) ||
        !handles_fit(r, l->geometries, sizeof(mt_geometry_record), h->geometries, l->geometry_generations,
                     l->geometry_free, owned) ||
        !handles_fit(r, l->picks, sizeof(mt_pick), h->picks, l->pick_generations, l->pick_free, owned) ||
        !handles_fit(r, l->volumes, sizeof(mt_volume), h->volumes, l->volume_generations, l->volume_free,
                     owned))
        return damaged("its handles do not fit together");
    if (!header_fits(h) || !particles_fit(r) || !tables_fit(r, owned) || !picks_fit(r) || !touches_fit(r))
        return damaged("it has values that no world could have");
    return MOTE_OK;
}

/* ---- restoring ----------------------------------------------------------------------------------------- */

static mote_result reserve_handles(mt_handles *handles, mt_memory *memory, size_t count)
{
    MT_TRY(mt_array_reserve(&handles->entries, memory, count, handles->count));
    return mt_array_reserve(&handles->free, memory, count, handles->free_count);
}

static mote_result reserve_table(mt_table *table, mt_memory *memory, uint32_t count, uint32_t handles)
{
    MT_TRY(mt_array_reserve(&table->items, memory, count, table->count));
    return reserve_handles(&table->handles, memory, handles);
}

static mote_result reserve_world(mote_world *w, const header *h)
{
    MT_TRY(mt_particles_reserve(w, h->particles));
    MT_TRY(reserve_handles(&w->particles.handles, &w->memory, h->handles));
    MT_TRY(reserve_table(&w->shapes, &w->memory, h->shapes, h->shape_handles));
    MT_TRY(reserve_table(&w->fields, &w->memory, h->fields, h->field_handles));
    MT_TRY(reserve_table(&w->volumes, &w->memory, h->volumes, h->volume_handles));
    MT_TRY(reserve_table(&w->geometries, &w->memory, h->geometries, h->geometry_handles));
    MT_TRY(reserve_table(&w->picks, &w->memory, h->picks, h->pick_handles));
    return mt_array_reserve(&w->touches.items, &w->memory, (size_t)h->touches, w->touches.count);
}

static void read_part(const reader *r, part p, void *to)
{
    if (p.size > 0)
        memcpy(to, at(r, p), p.size);
}

static void read_handles(const reader *r, mt_handles *handles, part generations, part free)
{
    handles->count = (uint32_t)(generations.size / sizeof(uint32_t));
    handles->free_count = (uint32_t)(free.size / sizeof(uint32_t));
    for (uint32_t i = 0; i < handles->count; i++)
        mt_handle_entries(handles)[i] = (mt_handle_entry){number_at(r, generations, i), MT_NO_SLOT};
    read_part(r, free, handles->free.data);
}

/* Every table's items begin with their id. */
static void point_handles(mt_table *table)
{
    for (uint32_t i = 0; i < table->count; i++) {
        uint32_t index;
        memcpy(&index, (const char *)table->items.data + i * table->items.element, sizeof index);
        mt_handle_entries(&table->handles)[index].slot = i;
    }
}

static void read_table(const reader *r, mt_table *table, uint32_t count, part items, part generations,
                       part free)
{
    table->count = count;
    read_part(r, items, table->items.data);
    read_handles(r, &table->handles, generations, free);
    point_handles(table);
}

/* What is packed more tightly than in memory. */
static void read_particle(const reader *r, mote_world *w, uint32_t slot)
{
    mote_vec3 support;
    memcpy(&support, r->block + r->l.support.offset + slot * sizeof support, sizeof support);
    mt_supports(w)[slot] = (mote_vec4){support.x, support.y, support.z, 0.0f};
    mt_material_indices(w)[slot] = material_at(r, slot);
    uint32_t index = number_at(r, r->l.index, slot);
    mt_handle_entry *entry = &mt_handle_entries(&w->particles.handles)[index];
    entry->slot = slot;
    mt_particle_ids(w)[slot] = (mote_particle_id){index, entry->generation};
}

static void read_world(const reader *r, mote_world *w)
{
    const header *h = &r->h;
    const layout *l = &r->l;
    w->settings = h->settings;
    w->radius = h->radius;
    w->step_count = h->step_count;
    w->time = h->time;
    w->disturbance = (mt_disturbance){h->disturbed != 0, h->disturbed_min, h->disturbed_max};
    w->material_count = h->materials;
    read_part(r, l->materials, w->materials);
    read_table(r, &w->shapes, h->shapes, l->shapes, l->shape_generations, l->shape_free);
    read_table(r, &w->fields, h->fields, l->fields, l->field_generations, l->field_free);
    read_table(r, &w->volumes, h->volumes, l->volumes, l->volume_generations, l->volume_free);
    read_table(r, &w->picks, h->picks, l->picks, l->pick_generations, l->pick_free);
    w->shape_edits++;
    w->touches.count = (size_t)h->touches;
    read_part(r, l->touches, w->touches.items.data);
    w->event_count = 0;
    w->particles.count = h->particles;
    read_part(r, l->position, mt_positions(w));
    read_part(r, l->velocity, mt_velocities(w));
    read_part(r, l->phase, mt_phases(w));
    read_part(r, l->rest_time, mt_rest_times(w));
    read_handles(r, &w->particles.handles, l->generations, l->free);
    for (uint32_t i = 0; i < h->particles; i++)
        read_particle(r, w, i);
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

static size_t most_handles(const header *h)
{
    size_t most = h->handles;
    most = h->shape_handles > most ? h->shape_handles : most;
    most = h->field_handles > most ? h->field_handles : most;
    most = h->geometry_handles > most ? h->geometry_handles : most;
    most = h->pick_handles > most ? h->pick_handles : most;
    return h->volume_handles > most ? h->volume_handles : most;
}

mote_result mote_snapshot_restore(mote_world *world, const void *data, size_t size)
{
    MT_TRY(mt_enter(world, "mote_snapshot_restore"));
    MT_TRY(mt_check_pointer("data", data));
    reader r;
    MT_TRY(read_header(&r, world, data, size));
    MT_TRY(mt_settings_check(&r.h.settings));
    size_t owned_size = most_handles(&r.h) + 1;
    unsigned char *owned = mt_allocate(&world->memory, owned_size);
    if (owned == NULL)
        return MOTE_ERROR_MEMORY;
    mote_result result = check_contents(&r, owned);
    mt_release(&world->memory, owned, owned_size);
    MT_TRY(result);
    MT_TRY(reserve_world(world, &r.h));
    mt_geometry_set set;
    MT_TRY(mt_geometries_read(world, at(&r, r.l.geometries), r.h.geometries, at(&r, r.l.geometry_bytes),
                              r.l.geometry_bytes.size, &set));
    mt_geometries_replace(world, &set);
    read_handles(&r, &world->geometries.handles, r.l.geometry_generations, r.l.geometry_free);
    point_handles(&world->geometries);
    read_world(&r, world);
    count_geometry_users(world);
    return MOTE_OK;
}
