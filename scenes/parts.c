#include "parts.h"

#include <math.h>

#define PI 3.14159265358979323846

uint32_t part_wanted(const scene_options *options, uint32_t otherwise)
{
    return options != NULL && options->particles > 0 ? options->particles : otherwise;
}

mote_material_id part_grain_material(mote_world *world, const char *name, uint32_t color, float static_friction,
                                     float kinetic_friction)
{
    mote_material_def def = mote_default_material_def();
    def.name = name;
    def.color = color;
    def.density = 2600.0f; /* quartz */
    def.static_friction = static_friction;
    def.kinetic_friction = kinetic_friction;
    return mote_material_add(world, &def);
}

mote_result part_plane(mote_world *world, mote_vec3 normal, mote_vec3 point, mote_material_id material)
{
    mote_plane_def def = mote_default_plane_def();
    def.normal = normal;
    def.offset = normal.x * point.x + normal.y * point.y + normal.z * point.z;
    def.material = material;
    return mote_is_null(mote_plane_add(world, &def)) ? mote_last_result() : MOTE_OK;
}

float part_ball_mass(float density, float radius)
{
    return (float)(4.0 / 3.0 * PI) * radius * radius * radius * density;
}

void part_block_counts(uint32_t total, double height, uint32_t rows, uint32_t counts[3])
{
    double ideal = rows > 0 ? sqrt((double)total / rows) : 1.0;
    if (rows == 0) /* the cube root of total / height, by Newton's method, which is the same everywhere */
        for (int i = 0; i < 100; i++)
            ideal = (2.0 * ideal + total / height / (ideal * ideal)) / 3.0;
    uint32_t lowest = (uint32_t)(0.7 * ideal), highest = (uint32_t)(1.5 * ideal);
    if (lowest < 1)
        lowest = 1;

    counts[0] = counts[2] = ideal < 1.0 ? 1 : (uint32_t)(ideal + 0.5);
    double best = INFINITY;
    for (uint32_t x = lowest; x <= highest; x++) {
        for (uint32_t z = lowest; z <= highest; z++) {
            bool exact = rows > 0 ? x * z * rows == total : total % (x * z) == 0;
            double bend = (x - ideal) * (x - ideal) + (z - ideal) * (z - ideal);
            if (exact && bend < best) {
                best = bend;
                counts[0] = x;
                counts[2] = z;
            }
        }
    }
    counts[1] = rows > 0 ? rows : total / (counts[0] * counts[2]);
    if (counts[1] < 1)
        counts[1] = 1;
}

mote_result part_grain_block(mote_world *world, const uint32_t counts[3], float radius, float radius_spread,
                             float jitter, float gap, mote_material_id material)
{
    mote_grains_def def = mote_default_grains_def();
    def.radius = radius;
    def.radius_spread = radius_spread;
    def.jitter = jitter;
    def.spacing = 2.0f * radius / (1.0f - 2.0f * jitter); /* two neighbours may both move towards each other */
    def.material = material;
    for (int axis = 0; axis < 3; axis++)
        def.count[axis] = counts[axis];
    def.origin = (mote_vec3){-0.5f * def.spacing * (float)(counts[0] - 1), radius + def.spacing * jitter + gap,
                             -0.5f * def.spacing * (float)(counts[2] - 1)};
    return mote_grains_block(world, &def, NULL);
}

/* Cosine and sine by their series, after a reduction to an eighth of a turn around the nearest quarter. */
void part_circle(double turns, double *x, double *z)
{
    turns -= floor(turns);
    int quarter = (int)(turns * 4.0 + 0.5);
    double angle = 2.0 * PI * (turns - quarter * 0.25), square = angle * angle;
    double cosine = 0.0, sine = 0.0;
    for (int i = 16; i > 0; i -= 2) {
        cosine = square / (i * (i - 1)) * (1.0 - cosine);
        sine = square / ((i + 1) * i) * (1.0 - sine);
    }
    cosine = 1.0 - cosine;
    sine = angle * (1.0 - sine);
    const double cosines[4] = {cosine, -sine, -cosine, sine}, sines[4] = {sine, cosine, -sine, -cosine};
    *x = cosines[quarter & 3];
    *z = sines[quarter & 3];
}

/* SplitMix64 (Steele, Lea and Flood, 2014). */
double part_random_next(part_random *random)
{
    uint64_t z = random->state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}
