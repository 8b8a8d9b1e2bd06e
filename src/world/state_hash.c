/* The state hash. Particles are hashed one by one, with their ids, and the hashes are added, so that the order
 * of slots does not count; everything else is hashed in the order of its making. */
#include "base/hash.h"
#include "world/world.h"

/* A handle by itself. */
static const mt_record one_id = {sizeof(mt_handle), 1, {0}};

static uint64_t hash_particle(const mote_world *world, uint32_t slot)
{
    uint64_t hash = mt_records_hash(1, &one_id, &mt_particle_ids(world)[slot], 1);
    return mt_particle_arrays_hash(&world->particles.now, slot, hash);
}

static uint64_t hash_table(uint64_t hash, const mote_world *world, mt_table_name name)
{
    const mt_table *table = mt_table_at(world, name);
    return mt_records_hash(hash, &mt_table_records[name], table->items.data, table->count);
}

/* Nothing for an empty list. */
static uint64_t hash_list(uint64_t hash, const mote_world *world, mt_list_name name)
{
    size_t count = *mt_list_count(world, name);
    return count > 0 ? mt_records_hash(hash, &mt_list_records[name], mt_list_at(world, name)->data, count)
                     : hash;
}

/* Nothing for a world without bodies: its hash is the same as before there were any. */
static uint64_t hash_bodies(uint64_t hash, const mote_world *world)
{
    const mt_table_name tables[] = {MT_BODIES, MT_JOINTS, MT_SKELETONS};
    const mt_list_name lists[] = {MT_LINKS, MT_LIST_COUNT, MT_BONES};
    for (int k = 0; k < 3; k++) {
        if (mt_table_at(world, tables[k])->count > 0)
            hash = hash_table(hash, world, tables[k]);
        if (lists[k] != MT_LIST_COUNT)
            hash = hash_list(hash, world, lists[k]);
    }
    return hash_list(hash, world, MT_DEFERRED);
}

/* In the order of their making. Colours are state: they say in which order constraints are solved. */
static uint64_t hash_constraints(uint64_t hash, const mote_world *world)
{
    const mt_constraints *c = &world->constraints;
    for (uint32_t at = c->first; at != 0; at = mt_constraint_orders(c)[at - 1].next) {
        hash = mt_records_hash(hash, &mt_table_records[MT_CONSTRAINTS], &mt_constraint_items(c)[at - 1], 1);
        hash = mt_hash_bytes(hash, &mt_constraint_results(c)[at - 1], sizeof(mt_constraint_result));
    }
    return hash;
}

static uint64_t hash_geometries(uint64_t hash, const mote_world *world)
{
    for (uint32_t i = 0; i < world->geometries.count; i++) {
        const mt_geometry *g = &mt_geometries(world)[i];
        hash = mt_records_hash(hash, &one_id, &g->id, 1);
        hash = mt_hash_add(hash, g->hash);
    }
    return hash;
}

uint64_t mote_world_hash(const mote_world *world)
{
    if (world == NULL)
        return 0;
    uint64_t particles = 0;
    for (uint32_t i = 0; i < world->particles.count; i++)
        particles += hash_particle(world, i);
    uint64_t hash = mt_hash_add(particles, world->particles.count);
    hash = mt_hash_bytes(hash, &world->settings, sizeof world->settings);
    hash = mt_hash_bytes(hash, world->materials, world->material_count * sizeof(mt_material));
    hash = hash_geometries(hash, world);
    hash = hash_table(hash, world, MT_SHAPES);
    hash = hash_table(hash, world, MT_FIELDS);
    hash = hash_table(hash, world, MT_VOLUMES);
    hash = hash_table(hash, world, MT_PICKS);
    if (world->emitters.count > 0) {
        hash = hash_table(hash, world, MT_EMITTERS);
        hash = hash_list(hash, world, MT_EMITTED);
    }
    hash = hash_bodies(hash, world);
    hash = hash_constraints(hash, world);
    hash = hash_list(hash, world, MT_IMPULSES);
    hash = mt_hash_bytes(hash, &world->time, sizeof world->time);
    return mt_hash_add(hash, world->step_count);
}
