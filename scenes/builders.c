#include "builders.h"

#include <string.h>

#define MOST_OBJECTS 100000 /* of a jointed pile: it is 125 km high then */

static const char *const HOURGLASS_MATERIALS[] = {"glass", "sand", NULL};
static const char *const GRAIN_SIZES_MATERIALS[] = {"stones", "pebbles", "gravel", "grit", "sand", NULL};
static const char *const GLASS_MATERIALS[] = {"glass", NULL};
static const char *const OVERLAP_MATERIALS[] = {"pairs", "rings", "cubes", NULL};
static const char *const PILE_MATERIALS[] = {"knees", "balls", "stiff", "universal", "blocks", NULL};
static const char *const PAIRS_MATERIALS[] = {"knees", "balls", "stiff", NULL};

static const scene_builder BUILDERS[] = {
    {"hourglass", 10623, NULL, 0, HOURGLASS_MATERIALS, hourglass_build},
    {"grain-sizes", 19479, NULL, 0, GRAIN_SIZES_MATERIALS, grain_sizes_build},
    {"overlap", 275, NULL, 0, OVERLAP_MATERIALS, overlap_build},
    {"jointed-pile", 0, jointed_pile_count, MOST_OBJECTS, PILE_MATERIALS, jointed_pile_scene_build},
    {"glass", 0, glass_count, 0, GLASS_MATERIALS, glass_build},
    {"pairs-540", 0, pairs_540_count, 0, PAIRS_MATERIALS, pairs_540_scene_build},
};
#define BUILDER_COUNT (sizeof BUILDERS / sizeof BUILDERS[0])

const char *const SCENE_BUILDERS[BUILDER_COUNT + 1] = {"hourglass", "grain-sizes", "overlap", "jointed-pile",
                                                       "pairs-540", "glass",       NULL};

const scene_builder *scene_builder_find(const char *name)
{
    for (size_t i = 0; name != NULL && i < BUILDER_COUNT; i++)
        if (strcmp(BUILDERS[i].name, name) == 0)
            return &BUILDERS[i];
    return NULL;
}

uint32_t scene_builder_particles(const scene_description *d)
{
    const scene_builder *builder = scene_builder_find(d->builder);
    if (builder == NULL)
        return 0;
    return builder->count != NULL ? builder->count(d) : builder->particles;
}
