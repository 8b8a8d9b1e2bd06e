/* The benchmark's column: equal spheres on a cubic lattice, 20 x 50 x 20, just above a plane. It falls a
 * little, hits, breaks apart and runs out, so the time a step covers free fall, impact, flow and rest.
 *
 * More spheres make the base wider and leave the height as it is. Depth decides how many contacts press on each
 * other, speed decides how often neighbours change; both are then the same for ten thousand and for a million
 * spheres, and the cost of a particle can be compared. */
#include "builders.h"
#include "parts.h"

#define RADIUS 0.1f /* m */
#define ROWS   50
#define JITTER 0.01f /* of the spacing: enough to break the symmetry of the lattice */
#define DROP   0.1f  /* m, between the lowest spheres and the plane at first */

void grains_column_define(const scene_options *options, mote_world_def *def)
{
    def->radius = RADIUS;
    def->max_particles = part_wanted(options, 20000) + ROWS;
    def->settings.substeps = 2;
    def->settings.iterations = 4;
    def->settings.mass_scaling = 0.5f / RADIUS; /* the lowest of fifty rows must carry the others */
}

mote_result grains_column_build(const scene_options *options, mote_world *world)
{
    mote_material_id material = part_grain_material(world, "spheres", 0x7FA3B8, 0.5f, 0.5f);
    if (mote_is_null(material))
        return mote_last_result();
    mote_result result = part_plane(world, (mote_vec3){0, 1, 0}, (mote_vec3){0, 0, 0}, material);
    if (result != MOTE_OK)
        return result;
    uint32_t counts[3];
    part_block_counts(part_wanted(options, 20000), 0.0, ROWS, counts);
    return part_grain_block(world, counts, RADIUS, 0.0f, JITTER, DROP, material);
}
