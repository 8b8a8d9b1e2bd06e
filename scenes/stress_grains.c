/* A large block of grains drops onto a plane and spreads: the scene to see how many particles a machine can
 * carry. The block keeps its proportions, so a larger one falls for longer. */
#include "builders.h"
#include "parts.h"

#define RADIUS        0.02f /* m, of the largest grains */
#define RADIUS_SPREAD 0.2f
#define JITTER        0.1f
#define DROP          0.25f /* m, between the block and the plane at first */

void stress_grains_define(const scene_options *options, mote_world_def *def)
{
    def->radius = RADIUS;
    def->max_particles = part_wanted(options, 100000);
    def->settings.substeps = 8;
    def->settings.mass_scaling = 10.0f; /* the lowest grains carry fifty layers and more */
}

mote_result stress_grains_build(const scene_options *options, mote_world *world)
{
    mote_material_id sand = part_grain_material(world, "sand", 0xC8A376, 0.6f, 0.5f);
    if (mote_is_null(sand))
        return mote_last_result();
    mote_result result = part_plane(world, (mote_vec3){0, 1, 0}, (mote_vec3){0, 0, 0}, sand);
    if (result != MOTE_OK)
        return result;
    uint32_t counts[3];
    part_block_counts(part_wanted(options, 100000), 0.8, 0, counts);
    return part_grain_block(world, counts, RADIUS, RADIUS_SPREAD, JITTER, DROP, sand);
}
