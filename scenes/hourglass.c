/* An hourglass: two cones that meet in a rounded neck, as a shell of fixed particles, on a plane. The profile
 * is a hyperbola, radius^2 = neck^2 + (height above the neck / steepness)^2. Particles of the shell are twice
 * as large as grains and stand a diameter of a grain apart: the middle of the hole between three of them
 * is 1.15 grain radii from each, where a grain's centre must keep 3, so it would have to sink in by more than
 * half to slip through. */
#include "builders.h"
#include "io/scene_math.h"

#include <math.h>

#define RADIUS        0.016f           /* m, of the largest grains */
#define RADIUS_SPREAD 0.15f            /* of the grains */
#define SHELL_RADIUS  (2.0f * RADIUS)  /* m */
#define SHELL_SPACING (2.0f * RADIUS)  /* m */
#define NECK          (5.0f * RADIUS)  /* m, inner radius: below about four, grains clog it */
#define STEEPNESS     1.5f             /* rise over run of the walls far from the neck */
#define HALF_HEIGHT   (54.0f * RADIUS) /* m, from the neck to a rim */
#define FILL_SPACING  (2.05f * RADIUS) /* m, of the grains at first */
#define FILL_LOWEST   (2.0f * RADIUS)  /* m above the neck */
#define FILL_LAYERS   23

/* Inner radius at a height over the neck. */
static double profile(double height)
{
    return sqrt((double)NECK * NECK + height * height / (STEEPNESS * STEEPNESS));
}

/* One ring of the shell, its particles' centres at the given distance from the axis. */
static mote_result add_ring(mote_world *world, mote_particle_def particle, double distance, double height,
                            double phase)
{
    int count = (int)ceil(2.0 * 3.14159265358979 * distance / SHELL_SPACING);
    for (int i = 0; i < count; i++) {
        double x, z;
        scene_circle((i + phase) / count, &x, &z);
        particle.position = (mote_vec3){(float)(x * distance), (float)height, (float)(z * distance)};
        if (mote_is_null(mote_particle_add(world, &particle)))
            return mote_last_result();
    }
    return MOTE_OK;
}

/* Rings from the neck to the rims. Centres stand off the inner surface by their radius along its normal; rings
 * are set along the profile at the height of a triangle, every other one turned by half a gap. */
static mote_result add_shell(mote_world *world, mote_particle_def particle)
{
    mote_result result = MOTE_OK;
    double height = 0.0;
    for (int ring = 0; height <= HALF_HEIGHT && result == MOTE_OK; ring++) {
        double radius = profile(height), slope = height / (STEEPNESS * STEEPNESS * radius);
        double length = sqrt(1.0 + slope * slope);
        double distance = radius + SHELL_RADIUS / length, sunk = SHELL_RADIUS * slope / length;
        double phase = ring % 2 == 0 ? 0.0 : 0.5;
        result = add_ring(world, particle, distance, HALF_HEIGHT + height - sunk, phase);
        if (ring > 0 && result == MOTE_OK)
            result = add_ring(world, particle, distance, HALF_HEIGHT - height + sunk, phase);
        height += 0.866 * SHELL_SPACING / length;
    }
    return result;
}

/* One layer of a loose lattice of grains, as wide as the glass allows. */
static mote_result add_layer(mote_world *world, mote_particle_def grain, float density, double height,
                             scene_random *random)
{
    double room = profile(height) - 1.3 * RADIUS;
    int reach = (int)(room / FILL_SPACING);
    for (int row = -reach; row <= reach; row++) {
        for (int column = -reach; column <= reach; column++) {
            double x = column * (double)FILL_SPACING, z = row * (double)FILL_SPACING;
            if (x * x + z * z > room * room)
                continue;
            grain.radius = RADIUS * (float)(1.0 - RADIUS_SPREAD * scene_random_next(random));
            grain.mass = scene_ball_mass(density, grain.radius);
            grain.position = (mote_vec3){(float)x, (float)(HALF_HEIGHT + height), (float)z};
            if (mote_is_null(mote_particle_add(world, &grain)))
                return mote_last_result();
        }
    }
    return MOTE_OK;
}

mote_result hourglass_build(const scene_description *d, mote_world *world)
{
    mote_particle_def glass = mote_default_particle_def(), sand = glass;
    glass.material = scene_material_id(d, world, "glass");
    sand.material = scene_material_id(d, world, "sand");
    glass.fixed = true;
    glass.radius = SHELL_RADIUS;
    glass.phase = mote_phase(1, false, 0); /* the shell touches neither itself nor the floor */

    mote_result result = add_shell(world, glass);
    scene_random random = {1};
    float density = scene_material_density(d, "sand");
    for (int layer = 0; layer < FILL_LAYERS && result == MOTE_OK; layer++)
        result = add_layer(world, sand, density, FILL_LOWEST + layer * (double)FILL_SPACING, &random);
    return result;
}
