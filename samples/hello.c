/* A block of grains falls on the floor and becomes a heap. The program steps a world for three seconds and
 * prints, four times a second, how high the grains are and where the energy is.
 *
 *     cc hello.c $(pkg-config --cflags --libs mote) -o hello && ./hello */
#include <mote/mote.h>

#include <stdio.h>

#define FRAME   (1.0f / 60.0f) /* s */
#define SECONDS 3
#define GRAINS  (12 * 12 * 12)

/* Calls that can fail say so, and mote_last_error() has the reason in words. */
static bool succeeded(mote_result result)
{
    if (result != MOTE_OK)
        fprintf(stderr, "%s\n", mote_last_error());
    return result == MOTE_OK;
}

/* A floor, and above it a block of sand. */
static mote_result fill(mote_world *world, mote_particle_id *ids)
{
    mote_material_def sand_def = mote_default_material_def();
    sand_def.name = "sand";
    sand_def.density = 2600.0f; /* kg/m^3: gives the grains their masses */
    sand_def.static_friction = 0.6f;
    sand_def.kinetic_friction = 0.5f;
    mote_material_id sand = mote_material_add(world, &sand_def);
    if (mote_is_null(sand))
        return mote_last_result();

    mote_plane_def floor_def = mote_default_plane_def(); /* y = 0, looking up */
    floor_def.material = sand;
    if (mote_is_null(mote_plane_add(world, &floor_def)))
        return mote_last_result();

    mote_grains_def block = mote_default_grains_def();
    block.origin = (mote_vec3){-0.7f, 0.55f, -0.7f}; /* the centre of the first grain */
    for (int axis = 0; axis < 3; axis++)
        block.count[axis] = 12;
    block.radius_spread = 0.2f; /* equal spheres on a lattice would stand like a crystal, */
    block.spacing = 0.13f;      /* so they start loose, and fall as they like */
    block.jitter = 0.3f;
    block.material = sand;
    return mote_grains_block(world, &block, ids);
}

/* The view shows the world's own arrays, in an order of its own. */
static void print_line(mote_world *world, const mote_stats *stats)
{
    mote_particles_view view = mote_particles_get_view(world);
    double sum = 0.0, top = 0.0;
    for (size_t i = 0; i < view.count; i++) {
        double y = (double)view.position[i].y;
        sum += y;
        top = y > top ? y : top;
    }
    printf("%6.2f %12.3f %12.3f %12.1f %12.1f\n", mote_world_time(world), top, sum / (double)view.count,
           stats->kinetic_energy, stats->potential_energy);
}

static bool simulate(mote_world *world)
{
    puts("time s  highest m     mean m    kinetic J  potential J");
    for (int frame = 0; frame <= SECONDS * 60; frame++) {
        mote_stats stats;
        if (frame > 0 && !succeeded(mote_world_step(world, FRAME)))
            return false;
        if (frame % 15 != 0)
            continue;
        if (!succeeded(mote_world_stats(world, &stats)))
            return false;
        print_line(world, &stats);
    }
    return true;
}

int main(void)
{
    mote_world_def def = mote_default_world_def();
    def.radius = 0.05f; /* m */
    mote_world *world;
    if (!succeeded(mote_world_create(&def, &world)))
        return 1;

    /* Ids stay valid while the grains live, wherever the world keeps them. */
    static mote_particle_id ids[GRAINS];
    mote_particle_state first;
    bool done =
        succeeded(fill(world, ids)) && simulate(world) && succeeded(mote_particle_get(world, ids[0], &first));
    if (done)
        printf("the first grain is at (%.3f, %.3f, %.3f)\n", (double)first.position.x, (double)first.position.y,
               (double)first.position.z);
    mote_world_destroy(world);
    return done ? 0 : 1;
}
