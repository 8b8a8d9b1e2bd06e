#include "wet_tank.h"

#include <math.h>

mote_world *tank_world(void)
{
    mote_world_def def = mote_default_world_def();
    def.radius = R;
    def.thread_count = 1;
    mote_world *world = NULL;
    must(mote_world_create(&def, &world));
    return world;
}

mote_material_id add_matter(mote_world *world, float density, bool fluid)
{
    mote_material_def def = mote_default_material_def();
    def.fluid = fluid;
    def.density = density;
    def.static_friction = def.kinetic_friction = fluid ? 0.0f : 0.3f;
    return mote_material_add(world, &def);
}

void add_tank(mote_world *world, int wide, int deep)
{
    mote_plane_def wall = mote_default_plane_def();
    const mote_vec3 normals[5] = {vec(0, 1, 0), vec(1, 0, 0), vec(-1, 0, 0), vec(0, 0, 1), vec(0, 0, -1)};
    const float offsets[5] = {0.0f, 0.0f, -2.0f * R * (float)wide, 0.0f, -2.0f * R * (float)deep};
    for (int k = 0; k < 5; k++) {
        wall.normal = normals[k];
        wall.offset = offsets[k];
        must_exist(mote_plane_add(world, &wall));
    }
}

static void fill(mote_world *world, int x, int y, int z, mote_packing packing)
{
    mote_fluid_def def = mote_default_fluid_def();
    def.material = add_matter(world, 1000.0f, true);
    def.min = vec(0, 0, 0);
    def.max = vec(2.0f * R * (float)x, 2.0f * R * (float)y, 2.0f * R * (float)z);
    def.packing = packing;
    must(mote_fluid_block(world, &def, NULL));
}

void add_water(mote_world *world, int x, int y, int z)
{
    fill(world, x, y, z, MOTE_PACKING_LATTICE);
}

void pack_water(mote_world *world, int x, int y, int z)
{
    fill(world, x, y, z, MOTE_PACKING_RANDOM);
}

double highest_of(const mote_world *world, double from, double to)
{
    mote_particles_view view = mote_particles_get_view(world);
    double highest = 0.0;
    for (size_t i = 0; i < view.count; i++)
        if ((double)view.position[i].x >= from && (double)view.position[i].x < to)
            highest = fmax(highest, (double)view.position[i].y);
    return highest;
}
