/* The state hash. Particles are hashed one by one, with their ids, and the hashes are added, so that the order
 * of slots does not count; everything else is hashed in the order of its making. */
#include "base/hash.h"
#include "world/world.h"

static uint64_t hash_particle(const mote_world *world, uint32_t slot)
{
    uint64_t hash = mt_hash_bytes(1, &mt_particle_ids(world)[slot], sizeof(mote_particle_id));
    return mt_particle_arrays_hash(&world->particles.now, slot, hash);
}

static uint64_t hash_table(uint64_t hash, const mt_table *table)
{
    return mt_hash_bytes(hash, table->items.data, table->count * table->items.element);
}

/* Nothing for a world without bodies: its hash is the same as before there were any. */
static uint64_t hash_bodies(uint64_t hash, const mote_world *world)
{
    if (world->bodies.count > 0) {
        hash = hash_table(hash, &world->bodies);
        hash = mt_hash_bytes(hash, mt_links(world), world->link_count * sizeof(mt_link));
    }
    if (world->joints.count > 0)
        hash = hash_table(hash, &world->joints);
    if (world->skeletons.count > 0) {
        hash = hash_table(hash, &world->skeletons);
        hash = mt_hash_bytes(hash, mt_bones(world), world->bone_count * sizeof(mt_bone));
    }
    if (world->truce_count > 0)
        hash = mt_hash_bytes(hash, mt_truces(world), world->truce_count * sizeof(mt_truce));
    return hash;
}

/* In the order of their making. Colours are state: they say in which order constraints are solved. */
static uint64_t hash_constraints(uint64_t hash, const mote_world *world)
{
    const mt_constraints *c = &world->constraints;
    for (uint32_t at = c->first; at != 0; at = mt_constraint_orders(c)[at - 1].next) {
        hash = mt_hash_bytes(hash, &mt_constraint_items(c)[at - 1], sizeof(mt_constraint));
        hash = mt_hash_bytes(hash, &mt_constraint_results(c)[at - 1], sizeof(mt_constraint_result));
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
    for (uint32_t i = 0; i < world->geometries.count; i++)
        hash = mt_hash_add(mt_hash_bytes(hash, &mt_geometries(world)[i].id, sizeof(mote_geometry_id)),
                           mt_geometries(world)[i].hash);
    hash = hash_table(hash, &world->shapes);
    hash = hash_table(hash, &world->fields);
    hash = hash_table(hash, &world->volumes);
    hash = hash_table(hash, &world->picks);
    if (world->emitters.count > 0) {
        hash = hash_table(hash, &world->emitters);
        hash = mt_hash_bytes(hash, mt_emitted(world), world->emitted_count * sizeof(mote_particle_id));
    }
    hash = hash_bodies(hash, world);
    hash = hash_constraints(hash, world);
    if (world->impulse_count > 0)
        hash = mt_hash_bytes(hash, world->impulses.data, world->impulse_count * sizeof(mt_contact_impulse));
    hash = mt_hash_bytes(hash, &world->time, sizeof world->time);
    return mt_hash_add(hash, world->step_count);
}
