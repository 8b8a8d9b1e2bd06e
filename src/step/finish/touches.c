/* Touches: which particles touch which particles and shapes, and which are inside triggers, at the end of a
 * step. Only materials that report contacts are looked at. Sorted, so that two steps' lists can be compared in
 * one go. */
#include "step/finish/finish.h"
#include "step/finish/touch_order.h"
#include "world/check.h"

#define TOUCH 1.005f /* sums of radii: what the solver pushed apart is about 1 away */

static mote_result add(mote_world *world, mt_touch touch)
{
    mt_touches *t = &world->before; /* the new list is made in the other buffer and swapped in */
    MT_TRY(mt_array_reserve(&t->items, &world->memory, t->count + 1, t->count));
    ((mt_touch *)t->items.data)[t->count++] = touch;
    return MOTE_OK;
}

static bool reports(const mote_world *world, uint32_t slot)
{
    return world->materials[mt_material_indices(world)[slot]].report_contacts != 0;
}

/* A pair is seen from both sides, or from one if lists have it once or the other is fixed; it is taken once. */
static mote_result add_particles(mote_world *world, uint32_t i)
{
    const mt_lists *lists = &world->scratch->lists;
    for (uint32_t k = 0; k < mt_neighbor_count(lists, i); k++) {
        uint32_t j = mt_neighbor(lists, i, k);
        if (j >= world->particles.count || !(reports(world, i) || reports(world, j)) ||
            !mt_are_touching(mt_positions(world)[i], mt_positions(world)[j], TOUCH) ||
            mt_are_bound(world, mt_particle_ids(world)[i].index, mt_particle_ids(world)[j].index))
            continue;
        mote_particle_id a = mt_particle_ids(world)[i], b = mt_particle_ids(world)[j];
        bool seen_twice = !lists->once && mt_velocities(world)[j].w > 0;
        if (a.index > b.index && seen_twice)
            continue;
        if (a.index > b.index) {
            mote_particle_id c = a;
            a = b;
            b = c;
        }
        MT_TRY(add(world, (mt_touch){MT_TOUCH_PARTICLE, a, b.index, b.generation}));
    }
    return MOTE_OK;
}

/* What a touch with a shape is: a contact if someone reports it, the visit of a trigger, or nothing. */
static bool kind_of_touch(const mote_world *world, uint32_t i, const mt_placed *placed, uint32_t *kind)
{
    *kind = placed->trigger ? MT_TOUCH_TRIGGER_SHAPE : MT_TOUCH_SHAPE;
    return placed->trigger || reports(world, i) || world->materials[placed->material].report_contacts != 0;
}

static mote_result add_shapes(mote_world *world, uint32_t i)
{
    mote_vec4 x = mt_positions(world)[i];
    float reach = x.w * (2.0f * TOUCH - 1.0f);
    uint32_t channels = (mt_phases(world)[i] & MOTE_PHASE_CHANNEL_MASK) >> MOTE_PHASE_CHANNEL_SHIFT, kind;
    uint32_t *around = world->scratch->around.data;
    uint32_t count = mt_placement_around(world, mt_xyz(x), reach, around);
    for (uint32_t k = 0; k < count; k++) {
        const mt_placed *placed = &mt_placed_shapes(&world->placement)[around[k]];
        mote_shape_id id = mt_shapes(world)[around[k]].id;
        if ((placed->channels & channels) != 0 && kind_of_touch(world, i, placed, &kind) &&
            mt_placed_distance(placed, mt_xyz(x), reach) < reach)
            MT_TRY(add(world, (mt_touch){kind, mt_particle_ids(world)[i], id.index, id.generation}));
    }
    return MOTE_OK;
}

static mote_result add_triggers(mote_world *world, uint32_t i)
{
    mote_vec4 x = mt_positions(world)[i];
    for (uint32_t k = 0; k < world->volumes.count; k++) {
        const mt_volume *volume = &mt_volumes(world)[k];
        if (volume->def.type == MOTE_VOLUME_TRIGGER && mt_volume_contains(&volume->def, x))
            MT_TRY(add(world, (mt_touch){MT_TOUCH_TRIGGER, mt_particle_ids(world)[i], volume->id.index,
                                         volume->id.generation}));
    }
    return MOTE_OK;
}

static bool any_trigger_shapes(const mote_world *world)
{
    for (uint32_t i = 0; i < world->shapes.count; i++)
        if (mt_shapes(world)[i].trigger)
            return true;
    return false;
}

static bool any_reports(const mote_world *world)
{
    for (uint32_t i = 0; i < world->material_count; i++)
        if (world->materials[i].report_contacts != 0)
            return true;
    return false;
}

mote_result mt_touches_find(mote_world *world)
{
    world->before.count = 0;
    bool contacts = any_reports(world), volumes = world->volumes.count > 0;
    bool shapes = world->shapes.count > 0 && (contacts || any_trigger_shapes(world));
    MT_TRY(mt_array_reserve(&world->scratch->around, &world->memory, world->shapes.count, 0));
    for (uint32_t i = 0; (contacts || shapes || volumes) && i < world->particles.count; i++) {
        if (contacts)
            MT_TRY(add_particles(world, i));
        if (shapes)
            MT_TRY(add_shapes(world, i));
        if (volumes)
            MT_TRY(add_triggers(world, i));
    }
    MT_TRY(mt_array_reserve(&world->scratch->touch_scratch, &world->memory, world->before.count, 0));
    mt_touches_sort(world->before.items.data, world->scratch->touch_scratch.data, world->before.count);
    return MOTE_OK;
}
