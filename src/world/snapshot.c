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
    l.emitters = next_part(&l, h->emitters, sizeof(mt_emitter));
    l.emitter_generations = next_part(&l, h->emitter_handles, sizeof(uint32_t));
    l.emitter_free = next_part(&l, h->free_emitter_handles, sizeof(uint32_t));
    l.emitted = next_part(&l, h->emitted, sizeof(mote_particle_id));
    l.bodies = next_part(&l, h->bodies, sizeof(mt_body));
    l.body_generations = next_part(&l, h->body_handles, sizeof(uint32_t));
    l.body_free = next_part(&l, h->free_body_handles, sizeof(uint32_t));
    l.links = next_part(&l, h->links, sizeof(mt_link));
    l.joints = next_part(&l, h->joints, sizeof(mt_joint));
    l.joint_generations = next_part(&l, h->joint_handles, sizeof(uint32_t));
    l.joint_free = next_part(&l, h->free_joint_handles, sizeof(uint32_t));
    l.skeletons = next_part(&l, h->skeletons, sizeof(mt_skeleton));
    l.skeleton_generations = next_part(&l, h->skeleton_handles, sizeof(uint32_t));
    l.skeleton_free = next_part(&l, h->free_skeleton_handles, sizeof(uint32_t));
    l.bones = next_part(&l, h->bones, sizeof(mt_bone));
    l.truces = next_part(&l, h->truces, sizeof(mt_truce));
    l.constraints = next_part(&l, h->constraints, sizeof(mt_constraint));
    l.constraint_results = next_part(&l, h->constraints, sizeof(mt_constraint_result));
    l.constraint_generations = next_part(&l, h->constraint_handles, sizeof(uint32_t));
    l.constraint_free = next_part(&l, h->free_constraint_handles, sizeof(uint32_t));
    l.touches = next_part(&l, h->touches, sizeof(mt_touch));
    l.impulses = next_part(&l, h->impulses, sizeof(mt_contact_impulse));
    l.index = next_part(&l, h->particles, sizeof(uint32_t));
    for (uint32_t k = 0; k < mt_attribute_count; k++)
        l.attributes[k] = next_part(&l, (h->stored >> k & 1) != 0 ? h->particles : 0, mt_attributes[k].kept);
    return l;
}

static void count_bodies(const mote_world *w, header *h)
{
    h->bodies = w->bodies.count;
    h->body_handles = w->bodies.handles.count;
    h->free_body_handles = w->bodies.handles.free_count;
    h->links = w->link_count;
    h->joints = w->joints.count;
    h->joint_handles = w->joints.handles.count;
    h->free_joint_handles = w->joints.handles.free_count;
    h->skeletons = w->skeletons.count;
    h->skeleton_handles = w->skeletons.handles.count;
    h->free_skeleton_handles = w->skeletons.handles.free_count;
    h->bones = w->bone_count;
    h->truces = w->truce_count;
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
    h.emitters = w->emitters.count;
    h.emitter_handles = w->emitters.handles.count;
    h.free_emitter_handles = w->emitters.handles.free_count;
    h.emitted = w->emitted_count;
    count_bodies(w, &h);
    h.constraints = w->constraints.count;
    h.constraint_handles = w->constraints.handles.count;
    h.free_constraint_handles = w->constraints.handles.free_count;
    h.disturbed = w->disturbance.any;
    if (w->disturbance.any) {
        h.disturbed_min = w->disturbance.min;
        h.disturbed_max = w->disturbance.max;
    }
    h.touches = w->touches.count;
    h.impulses = w->impulse_count;
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

static void write_handles(char *block, part generations, part free, const mt_handles *handles)
{
    char *out = block + generations.offset; /* which may be at any address */
    for (uint32_t i = 0; i < handles->count; i++)
        memcpy(out + i * sizeof(uint32_t), &mt_handle_entries(handles)[i].generation, sizeof(uint32_t));
    write_part(block, free, handles->free.data);
}

static void write_bodies(const mote_world *w, char *block, const layout *l)
{
    write_part(block, l->bodies, mt_bodies(w));
    write_handles(block, l->body_generations, l->body_free, &w->bodies.handles);
    write_part(block, l->links, mt_links(w));
    write_part(block, l->joints, mt_joints(w));
    write_handles(block, l->joint_generations, l->joint_free, &w->joints.handles);
    write_part(block, l->skeletons, mt_skeletons(w));
    write_handles(block, l->skeleton_generations, l->skeleton_free, &w->skeletons.handles);
    write_part(block, l->bones, mt_bones(w));
    write_part(block, l->truces, mt_truces(w));
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
    write_part(block, l->emitters, w->emitters.items.data);
    write_handles(block, l->emitter_generations, l->emitter_free, &w->emitters.handles);
    write_part(block, l->emitted, mt_emitted(w));
    write_bodies(w, block, l);
    mt_snapshot_write_constraints(w, block, l);
    write_handles(block, l->constraint_generations, l->constraint_free, &w->constraints.handles);
    write_part(block, l->touches, w->touches.items.data);
    write_part(block, l->impulses, w->impulses.data);
    for (uint32_t i = 0; i < w->particles.count; i++)
        memcpy(block + l->index.offset + i * sizeof(uint32_t), &mt_particle_ids(w)[i].index, sizeof(uint32_t));
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

static mote_result reserve_table(mt_table *table, mt_memory *memory, uint32_t count, uint32_t handles)
{
    MT_TRY(mt_array_reserve(&table->items, memory, count, table->count));
    return reserve_handles(&table->handles, memory, handles);
}

static mote_result reserve_bodies(mote_world *w, const header *h)
{
    MT_TRY(reserve_table(&w->bodies, &w->memory, h->bodies, h->body_handles));
    MT_TRY(mt_array_reserve(&w->links, &w->memory, (size_t)h->links, w->link_count));
    MT_TRY(reserve_table(&w->joints, &w->memory, h->joints, h->joint_handles));
    MT_TRY(reserve_table(&w->skeletons, &w->memory, h->skeletons, h->skeleton_handles));
    MT_TRY(mt_array_reserve(&w->bones, &w->memory, (size_t)h->bones, w->bone_count));
    MT_TRY(mt_array_reserve(&w->truces, &w->memory, (size_t)h->truces, w->truce_count));
    size_t more = h->links > w->link_count ? (size_t)h->links - w->link_count : 0;
    return mt_membership_reserve(w, more, h->handles);
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
    MT_TRY(reserve_table(&w->emitters, &w->memory, h->emitters, h->emitter_handles));
    MT_TRY(mt_array_reserve(&w->emitted, &w->memory, (size_t)h->emitted, w->emitted_count));
    MT_TRY(reserve_bodies(w, h));
    MT_TRY(mt_snapshot_reserve_constraints(w, h));
    MT_TRY(mt_array_reserve(&w->impulses, &w->memory, (size_t)h->impulses, w->impulse_count));
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

static void read_bodies(const reader *r, mote_world *w)
{
    const header *h = &r->h;
    const layout *l = &r->l;
    read_table(r, &w->bodies, h->bodies, l->bodies, l->body_generations, l->body_free);
    w->link_count = (size_t)h->links;
    read_part(r, l->links, mt_links(w));
    read_table(r, &w->joints, h->joints, l->joints, l->joint_generations, l->joint_free);
    read_table(r, &w->skeletons, h->skeletons, l->skeletons, l->skeleton_generations, l->skeleton_free);
    w->bone_count = (size_t)h->bones;
    read_part(r, l->bones, mt_bones(w));
    w->truce_count = (size_t)h->truces;
    read_part(r, l->truces, mt_truces(w));
    w->body_edits++;
}

static void read_particle(const reader *r, mote_world *w, uint32_t slot)
{
    mt_particle_arrays *now = &w->particles.now;
    mt_particle_arrays_reset(now, slot, slot + 1);
    for (uint32_t k = 0; k < mt_attribute_count; k++)
        read_attribute(r, k, slot, (char *)now->of[k].data + slot * mt_attributes[k].size);
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
    read_table(r, &w->emitters, h->emitters, l->emitters, l->emitter_generations, l->emitter_free);
    w->emitted_count = (size_t)h->emitted;
    read_part(r, l->emitted, mt_emitted(w));
    w->shape_edits++;
    read_bodies(r, w);
    w->touches.count = (size_t)h->touches;
    read_part(r, l->touches, w->touches.items.data);
    w->impulse_count = (size_t)h->impulses;
    read_part(r, l->impulses, w->impulses.data);
    w->event_count = w->contact_count = 0;
    w->particles.count = h->particles;
    read_handles(r, &w->particles.handles, l->generations, l->free);
    for (uint32_t i = 0; i < h->particles; i++)
        read_particle(r, w, i);
    read_handles(r, &w->constraints.handles, l->constraint_generations, l->constraint_free);
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
    MT_TRY(mt_geometries_read(world, at(&r, r.l.geometries), r.h.geometries, at(&r, r.l.geometry_bytes),
                              r.l.geometry_bytes.size, &set));
    mt_geometries_replace(world, &set);
    read_handles(&r, &world->geometries.handles, r.l.geometry_generations, r.l.geometry_free);
    point_handles(&world->geometries);
    read_world(&r, world);
    count_geometry_users(world);
    world->membership.valid = false;
    mt_membership_build(world);
    return MOTE_OK;
}
