#include "stirred_world.h"

#include <stdlib.h>
#include <string.h>

mote_material_def liquid_def(float viscosity)
{
    mote_material_def def = mote_default_material_def();
    def.fluid = true;
    def.viscosity = viscosity;
    return def;
}

mote_world *stirred_world(mote_settings settings, float radius, uint32_t threads)
{
    mote_world_def def = mote_default_world_def();
    def.radius = radius;
    def.settings = settings;
    def.thread_count = threads;
    mote_world *world = NULL;
    must(mote_world_create(&def, &world));
    return world;
}

void add_liquid(mote_world *world, mote_material_def liquid, float radius, const uint32_t count[3])
{
    mote_grains_def block = mote_default_grains_def();
    block.origin = vec(radius, radius, radius);
    memcpy(block.count, count, sizeof block.count);
    block.material = mote_material_add(world, &liquid);
    must(mote_grains_block(world, &block, NULL));
}

void add_wall(mote_world *world, mote_vec3 normal, float offset)
{
    mote_plane_def wall = mote_default_plane_def();
    wall.normal = normal;
    wall.offset = offset;
    must_exist(mote_plane_add(world, &wall));
}

void set_velocities(mote_world *world, velocity_field *field, float scale)
{
    mote_particles_view view = mote_particles_get_view(world);
    mote_particle_id *ids = malloc(view.count * sizeof *ids);
    mote_vec3 *velocities = malloc(view.count * sizeof *velocities);
    assert_true(ids != NULL && velocities != NULL);
    for (size_t i = 0; i < view.count; i++) {
        ids[i] = view.id[i];
        velocities[i] = field(view.position[i], scale);
    }
    must(mote_particles_write(world, ids, view.count, NULL, velocities));
    free(ids);
    free(velocities);
}
