#include "builders.h"

#include <math.h>
#include <string.h>

static const scene SCENES[] = {
    {
        .name = "sand-pile",
        .title = "A column of sand collapses into a heap",
        .materials = "sand",
        .particles = 20000,
        .scalable = true,
        .frames = 300,
        .dt = 1.0f / 60.0f,
        .eye = {2.0f, 1.5f, 3.3f},
        .target = {0.0f, 0.4f, 0.0f},
        .define = sand_pile_define,
        .build = sand_pile_build,
    },
    {
        .name = "hourglass",
        .title = "Sand runs through the neck of a glass made of fixed particles",
        .materials = "sand, glass",
        .particles = 10623,
        .frames = 600,
        .dt = 1.0f / 60.0f,
        .eye = {0.0f, 1.5f, 3.9f},
        .target = {0.0f, 0.8f, 0.0f},
        .define = hourglass_define,
        .build = hourglass_build,
    },
    {
        .name = "grain-sizes",
        .title = "Grains with radii from 1 to 10 mix in one box",
        .materials = "sand, grit, gravel, pebbles, stones",
        .particles = 19479,
        .frames = 240,
        .dt = 1.0f / 60.0f,
        .eye = {1.65f, 1.6f, 2.85f},
        .target = {0.0f, 0.38f, 0.0f},
        .define = grain_sizes_define,
        .build = grain_sizes_build,
    },
    {
        .name = "overlap",
        .title = "Particles that start inside each other part and stay at rest",
        .materials = "pairs, rings, cubes",
        .particles = 275,
        .frames = 60,
        .dt = 1.0f / 60.0f,
        .eye = {0.0f, 2.8f, 5.9f},
        .target = {0.0f, 0.42f, 0.0f},
        .define = overlap_define,
        .build = overlap_build,
    },
    {
        .name = "overlap-plain",
        .title = "The same without pre-stabilisation: what overlapped flies apart",
        .materials = "pairs, rings, cubes",
        .particles = 275,
        .frames = 60,
        .dt = 1.0f / 60.0f,
        .eye = {0.0f, 2.8f, 5.9f},
        .target = {0.0f, 0.42f, 0.0f},
        .define = overlap_plain_define,
        .build = overlap_build,
    },
    {
        .name = "stress-grains",
        .title = "A large block of grains falls and spreads; up to a million and more",
        .materials = "sand",
        .particles = 100000,
        .scalable = true,
        .frames = 300,
        .dt = 1.0f / 60.0f,
        .eye = {4.2f, 2.8f, 6.2f},
        .target = {0.0f, 0.55f, 0.0f},
        .define = stress_grains_define,
        .build = stress_grains_build,
    },
    {
        .name = "grains-column",
        .title = "The falling column of equal spheres that the benchmark times",
        .materials = "spheres",
        .particles = 20000,
        .scalable = true,
        .frames = 240,
        .dt = 1.0f / 60.0f,
        .eye = {13.0f, 9.0f, 26.0f},
        .target = {0.0f, 4.2f, 0.0f},
        .define = grains_column_define,
        .build = grains_column_build,
    },
};

const scene *scene_list(size_t *count)
{
    *count = sizeof SCENES / sizeof SCENES[0];
    return SCENES;
}

const scene *scene_find(const char *name)
{
    size_t count;
    const scene *list = scene_list(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    return NULL;
}

mote_result scene_create(const scene *chosen, const scene_options *options, uint32_t threads, mote_simd simd,
                         mote_world **world)
{
    mote_world_def def = mote_default_world_def();
    chosen->define(options, &def);
    def.thread_count = threads;
    def.simd = simd;
    mote_result result = mote_world_create(&def, world);
    if (result != MOTE_OK)
        return result;
    result = chosen->build(options, *world);
    if (result != MOTE_OK) {
        mote_world_destroy(*world);
        *world = NULL;
    }
    return result;
}

void scene_camera(const scene *chosen, const scene_options *options, mote_vec3 *eye, mote_vec3 *target)
{
    float scale = 1.0f;
    if (chosen->scalable && options != NULL && options->particles > 0)
        scale = cbrtf((float)options->particles / (float)chosen->particles);
    *eye = (mote_vec3){chosen->eye.x * scale, chosen->eye.y * scale, chosen->eye.z * scale};
    *target = (mote_vec3){chosen->target.x * scale, chosen->target.y * scale, chosen->target.z * scale};
}
