/* Checking a snapshot before anything of it is used. */
#include "base/error.h"
#include "base/vec.h"
#include "world/check.h"
#include "world/snapshot_layout.h"
#include "world/touches.h"

#include <math.h>

static mote_result damaged(const char *what)
{
    return mt_fail(MOTE_ERROR_SNAPSHOT, "snapshot: %s", what);
}

/* All that are not sparse, and none that there is not. */
static bool stored_fits(uint64_t stored)
{
    if (stored >> mt_attribute_count != 0)
        return false;
    for (uint32_t k = 0; k < mt_attribute_count; k++)
        if ((mt_attributes[k].flags & MT_SPARSE) == 0 && (stored >> k & 1) == 0)
            return false;
    return true;
}

/* Not beyond their limits, nor what so many bytes could have. */
static bool counts_fit(const header *h, size_t size)
{
    for (uint32_t k = 0; k < MT_HANDLE_COUNT; k++)
        if (h->tables[k].items > mt_table_limit(k) || h->tables[k].items > size ||
            h->tables[k].handles > size || h->tables[k].free > size)
            return false;
    for (uint32_t k = 0; k < MT_LIST_COUNT; k++)
        if (h->lists[k] > size)
            return false;
    return h->geometry_bytes <= size;
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
    if (h->format != FORMAT || h->setting_bytes != sizeof(mote_settings) ||
        h->attribute_list != mt_attribute_list_hash())
        return damaged("made by another version");
    if (h->materials == 0 || h->materials > MT_MAX_MATERIALS || !counts_fit(h, size) || !stored_fits(h->stored))
        return damaged("the header's counts are beyond their limits");
    r->l = mt_snapshot_layout(h);
    if (h->size != size || r->l.size != size)
        return damaged("cut short or too long for what its header says");
    if (h->checksum != mt_snapshot_checksum(data, size))
        return damaged("the checksum does not match: bytes were changed");
    uint32_t particles = h->tables[MT_PARTICLES].items;
    if (particles > world->max_particles)
        return mt_fail(MOTE_ERROR_LIMIT, "snapshot: its %u particles are more than max_particles, %u",
                       particles, world->max_particles);
    return MOTE_OK;
}

static bool is_generation(uint32_t generation)
{
    return generation != 0 && generation <= MT_GENERATION_MASK;
}

/* Whether ids, generations and free indices fit together: each index belongs to one living thing or is free,
 * once. `owned` has room for one byte a handle. */
static bool handles_fit(const reader *r, uint32_t table, unsigned char *owned)
{
    const table_counts *n = &r->h.tables[table];
    const table_parts *parts = &r->l.tables[table];
    size_t stride = mt_table_records[table].size;
    if ((size_t)n->items + n->free != n->handles)
        return false;
    memset(owned, 0, n->handles);
    for (uint32_t i = 0; i < n->items; i++) {
        uint32_t id[2] = {0, 0}; /* records begin with their id; particles have only the index */
        memcpy(id, r->block + parts->items.offset + i * stride, stride < sizeof id ? stride : sizeof id);
        if (id[0] >= n->handles || owned[id[0]])
            return false;
        uint32_t generation = number_at(r, parts->generations, id[0]);
        if (!is_generation(generation) || (stride >= sizeof id && generation != id[1]))
            return false;
        owned[id[0]] = 1;
    }
    for (size_t i = 0; i < n->free; i++) {
        uint32_t index = number_at(r, parts->free, i);
        if (index >= n->handles || owned[index] || !is_generation(number_at(r, parts->generations, index)))
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

static bool particle_fits(const reader *r, uint32_t slot)
{
    mote_vec4 x, v, spin = {0.0f, 0.0f, 0.0f, 0.0f};
    float pressure, rest_time;
    uint32_t phase, material;
    read_attribute(r, MT_POSITION, slot, &x);
    read_attribute(r, MT_VELOCITY, slot, &v);
    read_attribute(r, MT_SPIN, slot, &spin);
    read_attribute(r, MT_PHASE, slot, &phase);
    read_attribute(r, MT_MATERIAL, slot, &material);
    read_attribute(r, MT_PRESSURE, slot, &pressure);
    read_attribute(r, MT_REST_TIME, slot, &rest_time);
    if (!mt_particle_fits(x, v, mt_xyz(spin), phase) || material >= r->h.materials || !isfinite(pressure) ||
        !isfinite(rest_time))
        return false;
    for (uint32_t k = 0; k < mt_attribute_count; k++) {
        float shown[MOTE_ATTRIBUTE_MAX_COMPONENTS];
        if (mt_attributes[k].info.name == NULL)
            continue;
        read_attribute(r, k, slot, shown);
        if (!mt_attribute_fits(k, shown))
            return false;
    }
    return true;
}

static bool particles_fit(const reader *r)
{
    for (uint32_t i = 0; i < r->h.tables[MT_PARTICLES].items; i++)
        if (!particle_fits(r, i))
            return false;
    return true;
}

enum { LIVING = 1, CONTAINER = 2 }; /* a geometry that is there; one that may have particles inside */

/* Marks the living geometries among their handles. */
static void mark_geometries(const reader *r, unsigned char *living)
{
    memset(living, 0, r->h.tables[MT_GEOMETRIES].handles);
    for (uint32_t i = 0; i < r->h.tables[MT_GEOMETRIES].items; i++) {
        mt_geometry_record g;
        memcpy(&g, r->block + items_of(r, MT_GEOMETRIES).offset + i * sizeof g, sizeof g);
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
    return index < r->h.tables[MT_GEOMETRIES].handles && living[index] >= (s->inside ? CONTAINER : LIVING) &&
           number_at(r, r->l.tables[MT_GEOMETRIES].generations, index) == s->geometry.generation;
}

static bool picks_fit(const reader *r)
{
    for (uint32_t i = 0; i < r->h.tables[MT_PICKS].items; i++) {
        mt_pick p;
        memcpy(&p, r->block + items_of(r, MT_PICKS).offset + i * sizeof p, sizeof p);
        if (mt_pick_check(&p.def) != MOTE_OK || !floats_fit(&p.force, 3))
            return false;
    }
    return true;
}

/* Rings follow each other in the order of the table. */
static bool emitters_fit(const reader *r)
{
    uint64_t first = 0;
    for (uint32_t i = 0; i < r->h.tables[MT_EMITTERS].items; i++) {
        mt_emitter e;
        memcpy(&e, r->block + items_of(r, MT_EMITTERS).offset + i * sizeof e, sizeof e);
        if (mt_emitter_check(&e.def) != MOTE_OK || !floats_fit(&e.gone, 1) || e.gone < 0.0f || e.gone > 1e9f ||
            e.first != first || e.start >= e.def.most || e.count > e.def.most || e.guided > 2 ||
            e.guided > e.count || (e.def.phase & ~MOTE_PHASE_MASK) != 0 || e.def.material.generation != 1 ||
            e.def.material.index >= r->h.materials)
            return false;
        first += e.def.most;
    }
    return first == r->h.lists[MT_EMITTED];
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
    for (uint32_t i = 0; i < r->h.tables[MT_SHAPES].items; i++) {
        mt_shape s;
        memcpy(&s, r->block + items_of(r, MT_SHAPES).offset + i * sizeof s, sizeof s);
        if (!mt_shape_fits(&s) || s.material >= r->h.materials || !geometry_fits(r, &s, living))
            return false;
    }
    for (uint32_t i = 0; i < r->h.tables[MT_FIELDS].items; i++) {
        mt_field f;
        memcpy(&f, r->block + items_of(r, MT_FIELDS).offset + i * sizeof f, sizeof f);
        if (mt_field_check(&f.def) != MOTE_OK)
            return false;
    }
    for (uint32_t i = 0; i < r->h.tables[MT_VOLUMES].items; i++) {
        mt_volume v;
        memcpy(&v, r->block + items_of(r, MT_VOLUMES).offset + i * sizeof v, sizeof v);
        if (mt_volume_check(&v.def) != MOTE_OK)
            return false;
    }
    return true;
}

/* In their order, and each but once. */
static bool touches_fit(const reader *r)
{
    mt_touch last = {0};
    for (size_t i = 0; i < r->h.lists[MT_TOUCHES]; i++) {
        mt_touch one;
        memcpy(&one, r->block + r->l.lists[MT_TOUCHES].offset + i * sizeof one, sizeof one);
        if (one.kind > MT_TOUCH_TRIGGER_SHAPE || (i > 0 && mt_touch_compare(&last, &one) >= 0))
            return false;
        last = one;
    }
    return true;
}

/* In the order of their owners, and finite. */
static bool impulses_fit(const reader *r)
{
    uint32_t last = 0;
    for (size_t i = 0; i < r->h.lists[MT_IMPULSES]; i++) {
        mt_contact_impulse one;
        memcpy(&one, r->block + r->l.lists[MT_IMPULSES].offset + i * sizeof one, sizeof one);
        if (one.owner < last || one.owner >= r->h.tables[MT_PARTICLES].handles || one.kind > MT_CONTACT_SHAPE ||
            !mt_is_finite3(one.normal) || !mt_is_finite3(one.friction) || !isfinite(one.force) ||
            !isfinite(one.warm))
            return false;
        last = one.owner;
    }
    return true;
}

static bool header_fits(const header *h)
{
    return mt_radius_check("radius", h->radius) == MOTE_OK && isfinite(h->time) && h->time >= 0 &&
           h->disturbed <= 1 && mt_is_finite3(h->disturbed_min) && mt_is_finite3(h->disturbed_max);
}

static mote_result check_contents(const reader *r, unsigned char *owned)
{
    for (uint32_t k = 0; k < MT_HANDLE_COUNT; k++)
        if (!handles_fit(r, k, owned))
            return damaged("its handles do not fit together");
    if (!header_fits(&r->h) || !particles_fit(r) || !tables_fit(r, owned) || !picks_fit(r) || !touches_fit(r) ||
        !emitters_fit(r) || !impulses_fit(r) || !mt_snapshot_constraints_fit(r, owned))
        return damaged("it has values that no world could have");
    return MOTE_OK;
}

static size_t most_handles(const header *h)
{
    size_t most = 0;
    for (uint32_t k = 0; k < MT_HANDLE_COUNT; k++)
        most = h->tables[k].handles > most ? h->tables[k].handles : most;
    return most;
}

static mote_result check_bodies(const reader *r, mote_world *world)
{
    size_t size = mt_snapshot_marks(&r->h) * sizeof(uint32_t);
    uint32_t *marks = mt_allocate(&world->memory, size);
    if (marks == NULL)
        return MOTE_ERROR_MEMORY;
    mote_result result = mt_snapshot_check_bodies(r, marks);
    mt_release(&world->memory, marks, size);
    return result;
}

mote_result mt_snapshot_check(reader *r, mote_world *world, const void *data, size_t size)
{
    MT_TRY(read_header(r, world, data, size));
    MT_TRY(mt_settings_check(&r->h.settings));
    size_t owned_size = most_handles(&r->h) + 1;
    unsigned char *owned = mt_allocate(&world->memory, owned_size);
    if (owned == NULL)
        return MOTE_ERROR_MEMORY;
    mote_result result = check_contents(r, owned);
    mt_release(&world->memory, owned, owned_size);
    return result == MOTE_OK ? check_bodies(r, world) : result;
}
