/* What the files of the single scenes offer to the list. */
#ifndef MOTE_SCENES_BUILDERS_H
#define MOTE_SCENES_BUILDERS_H

#include "scene.h"

void sand_pile_define(const scene_options *options, mote_world_def *def);
mote_result sand_pile_build(const scene_options *options, mote_world *world);

void hourglass_define(const scene_options *options, mote_world_def *def);
mote_result hourglass_build(const scene_options *options, mote_world *world);

void grain_sizes_define(const scene_options *options, mote_world_def *def);
mote_result grain_sizes_build(const scene_options *options, mote_world *world);

void overlap_define(const scene_options *options, mote_world_def *def);
void overlap_plain_define(const scene_options *options, mote_world_def *def);
mote_result overlap_build(const scene_options *options, mote_world *world);

void stress_grains_define(const scene_options *options, mote_world_def *def);
mote_result stress_grains_build(const scene_options *options, mote_world *world);

void grains_column_define(const scene_options *options, mote_world_def *def);
mote_result grains_column_build(const scene_options *options, mote_world *world);

#endif
