/* Pairs, rings and cubes of particles that start inside each other, without gravity and at rest. The solver
 * must part them; were that done by the predicted positions alone, the way out would become velocity and they
 * would fly off. Pre-stabilisation moves the old positions along, so they part and stay where they are
 * (Lovrovic, figure 3.2: "Resolving invalid state without adding any unnecessary energy"). */
#include "builders.h"
#include "io/scene_math.h"

#define RADIUS 0.1f /* m */
#define LEVEL  0.6f /* m over the plane */

#define PAIRS 9
#define RINGS 6
#define CUBES 4

/* All groups add their particles through this. */
static mote_result add(mote_world *world, mote_material_id material, double x, double y, double z)
{
    mote_particle_def def = mote_default_particle_def();
    def.material = material;
    def.position = (mote_vec3){(float)x, (float)y, (float)z};
    return mote_is_null(mote_particle_add(world, &def)) ? mote_last_result() : MOTE_OK;
}

/* Pairs that overlap by a tenth of their diameter, by two tenths, ... by nine. */
static mote_result add_pairs(mote_world *world, mote_material_id material, double z)
{
    mote_result result = MOTE_OK;
    for (int i = 0; i < PAIRS && result == MOTE_OK; i++) {
        double x = (i - 0.5 * (PAIRS - 1)) * 5.0 * RADIUS, half = RADIUS * (1.0 - 0.1 * (i + 1));
        result = add(world, material, x - half, LEVEL, z);
        if (result == MOTE_OK)
            result = add(world, material, x + half, LEVEL, z);
    }
    return result;
}

/* Rings of 3, 4, ... particles, half a diameter from one to the next. */
static mote_result add_rings(mote_world *world, mote_material_id material, double z)
{
    mote_result result = MOTE_OK;
    for (int ring = 0; ring < RINGS; ring++) {
        int count = ring + 3;
        double x = (ring - 0.5 * (RINGS - 1)) * 9.0 * RADIUS, cosine, sine;
        scene_circle(0.5 / count, &cosine, &sine);
        double distance = 0.5 * RADIUS / sine; /* from the middle: the chord is one radius */
        for (int i = 0; i < count && result == MOTE_OK; i++) {
            scene_circle((double)i / count, &cosine, &sine);
            result = add(world, material, x + distance * cosine, LEVEL, z + distance * sine);
        }
    }
    return result;
}

/* Cubes of 2, 3, ... particles a side, three quarters of a diameter apart. */
static mote_result add_cubes(mote_world *world, mote_material_id material, double z)
{
    mote_result result = MOTE_OK;
    double spacing = 1.5 * RADIUS;
    for (int cube = 0; cube < CUBES; cube++) {
        int side = cube + 2;
        double middle = 0.5 * (side - 1), x = (cube - 0.5 * (CUBES - 1)) * 14.0 * RADIUS;
        for (int i = 0; i < side * side * side && result == MOTE_OK; i++)
            result =
                add(world, material, x + (i % side - middle) * spacing,
                    LEVEL + (i / side % side - middle) * spacing, z + (i / (side * side) - middle) * spacing);
    }
    return result;
}

mote_result overlap_build(const scene_description *d, mote_world *world)
{
    mote_result result = add_pairs(world, scene_material_id(d, world, "pairs"), 1.1);
    if (result == MOTE_OK)
        result = add_rings(world, scene_material_id(d, world, "rings"), 0.2);
    if (result == MOTE_OK)
        result = add_cubes(world, scene_material_id(d, world, "cubes"), -1.1);
    return result;
}
