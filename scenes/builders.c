#include "builders.h"

#include <string.h>

static const char *const HOURGLASS_MATERIALS[] = {"glass", "sand", NULL};
static const char *const GRAIN_SIZES_MATERIALS[] = {"stones", "pebbles", "gravel", "grit", "sand", NULL};
static const char *const OVERLAP_MATERIALS[] = {"pairs", "rings", "cubes", NULL};

static const scene_builder BUILDERS[] = {
    {"hourglass", 10623, HOURGLASS_MATERIALS, hourglass_build},
    {"grain-sizes", 19479, GRAIN_SIZES_MATERIALS, grain_sizes_build},
    {"overlap", 275, OVERLAP_MATERIALS, overlap_build},
};
#define BUILDER_COUNT (sizeof BUILDERS / sizeof BUILDERS[0])

const char *const SCENE_BUILDERS[BUILDER_COUNT + 1] = {"hourglass", "grain-sizes", "overlap", NULL};

const scene_builder *scene_builder_find(const char *name)
{
    for (size_t i = 0; name != NULL && i < BUILDER_COUNT; i++)
        if (strcmp(BUILDERS[i].name, name) == 0)
            return &BUILDERS[i];
    return NULL;
}
