/* A column of sand, higher than wide, is let go. It slumps, runs out and comes to rest as a
 * heap. Radii differ and centres are jittered, because equal spheres on a lattice would stand like a crystal.
 */
#include "builders.h"
#include "parts.h"

#define RADIUS        0.02f /* m, of the largest grains */
#define RADIUS_SPREAD 0.25f
#define JITTER        0.05f

void sand_pile_define(const scene_options *options, mote_world_def *def)
{
    def->radius = RADIUS;
    def->max_particles = part_wanted(options, 20000);
    def->settings.substeps = 8;
    def->settings.mass_scaling = 10.0f; /* grains must carry those above them, or friction holds nothing */
    def->settings.sleep_speed = 0.02f;
}

mote_result sand_pile_build(const scene_options *options, mote_world *world)
{
    mote_material_id sand = part_grain_material(world, "sand", 0xCDB48C, 0.45f, 0.4f);
    if (mote_is_null(sand))
        return mote_last_result();
    mote_result result = part_plane(world, (mote_vec3){0, 1, 0}, (mote_vec3){0, 0, 0}, sand);
    if (result != MOTE_OK)
        return result;
    uint32_t counts[3];
    part_block_counts(part_wanted(options, 20000), 1.6, 0, counts);
    return part_grain_block(world, counts, RADIUS, RADIUS_SPREAD, JITTER, 0.0f, sand);
}
