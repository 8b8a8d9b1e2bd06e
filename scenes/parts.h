/* What several scenes are made of. Everything here gives the same bits with any compiler: no library
 * functions but sqrt, which is exact. */
#ifndef MOTE_SCENES_PARTS_H
#define MOTE_SCENES_PARTS_H

#include "scene.h"

/* The particles that the options ask for, or `otherwise`. */
uint32_t part_wanted(const scene_options *options, uint32_t otherwise);

/* A material that rolls and slides like dry grains; null on failure. */
mote_material_id part_grain_material(mote_world *world, const char *name, uint32_t color, float static_friction,
                                     float kinetic_friction);

/* The plane through `point` with the given normal. */
mote_result part_plane(mote_world *world, mote_vec3 normal, mote_vec3 point, mote_material_id material);

/* kg of a ball. */
float part_ball_mass(float density, float radius);

/* Numbers of grains along x, y and z of a block of about `total` grains that is `height` times as high as it is
 * wide, or just `rows` grains high if that is not 0. Exactly `total` if it has suitable divisors, else fewer.
 */
void part_block_counts(uint32_t total, double height, uint32_t rows, uint32_t counts[3]);

/* A block of loose grains that stands centred on the y axis, `gap` metres above y = 0, its grains just apart.
 */
mote_result part_grain_block(mote_world *world, const uint32_t counts[3], float radius, float radius_spread,
                             float jitter, float gap, mote_material_id material);

/* The point of the unit circle after so many turns. */
void part_circle(double turns, double *x, double *z);

/* Evenly spread numbers in [0, 1), the same for the same seed. */
typedef struct part_random {
    uint64_t state;
} part_random;
double part_random_next(part_random *random);

#endif
