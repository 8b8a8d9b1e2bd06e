#include "io/scene_file.h"

#include "io/json_tree.h"
#include "io/scene_math.h"

#include <stdlib.h>
#include <string.h>

void scene_file_read(scene_file *file, const char *text, size_t size, const scene_source *source,
                     uint32_t particles, const char *const *overrides, size_t override_count,
                     scene_faults *faults)
{
    size_t errors = faults->errors;
    *file = (scene_file){.asked = particles};
    file->tree = json_tree_parse(text, size, faults);
    if (file->tree == NULL)
        return;
    for (size_t i = 0; i < override_count; i++)
        scene_override(file->tree, overrides[i], faults);
    scene_reader reader = {.faults = faults};
    scene_read_section(&reader, &SCENE_ROOT, file->tree, &file->description);
    scene_check_rules(&file->description, source, faults);
    if (faults->errors == errors)
        scene_grow(file);
    scene_load_files(&file->description, source, faults);
    if (particles > 0 && !scene_is_scalable(&file->description))
        scene_error(faults, 0, "grains",
                    "the number of particles is fixed: no grains have a 'total' and no fluids grow");
    if (faults->errors == errors)
        scene_try_bodies(file, faults);
    if (faults->errors == errors)
        scene_try_streams(file, faults);
}

void scene_file_free(scene_file *file)
{
    scene_free_files(&file->description);
    scene_free_section(&SCENE_ROOT, &file->description);
    cJSON_Delete(file->tree);
    free(file->shape_ids);
    free(file->emitter_ids);
    free(file->body_ids);
    free(file->skeleton_ids);
    *file = (scene_file){0};
}

static uint64_t hash_mesh(uint64_t hash, const mesh_file *mesh)
{
    if (mesh->vertex_count > 0)
        hash = scene_hash_bytes(hash, mesh->vertices, mesh->vertex_count * sizeof *mesh->vertices);
    if (mesh->triangle_count > 0)
        hash = scene_hash_bytes(hash, mesh->triangles, 3 * mesh->triangle_count * sizeof *mesh->triangles);
    return hash;
}

/* Of a rig only what decides the run: bones with bodies, and the clip. */
static uint64_t hash_rig(uint64_t hash, const scene_rig *made)
{
    for (uint32_t i = 0; i < made->bone_count; i++) {
        const mote_bone_def *bone = &made->bones[i];
        const float numbers[] = {bone->length,         bone->thickness,      bone->axis.x,
                                 bone->axis.y,         bone->axis.z,         bone->min_angle,
                                 bone->max_angle,      bone->swing_limit,    bone->twist_limit,
                                 bone->joint_middle.x, bone->joint_middle.y, bone->joint_middle.z};
        const uint32_t words[] = {bone->parent, (uint32_t)bone->joint, bone->joint_size};
        hash = scene_hash_bytes(hash, &bone->rest, sizeof bone->rest);
        hash = scene_hash_bytes(hash, numbers, sizeof numbers);
        hash = scene_hash_bytes(hash, words, sizeof words);
    }
    if (made->clip == RIG_NO_CLIP || made->clip >= made->file.clip_count)
        return hash;
    const rig_clip *clip = &made->file.clips[made->clip];
    hash = scene_hash_bytes(hash, &clip->rate, sizeof clip->rate);
    return scene_hash_bytes(hash, clip->frames,
                            (size_t)clip->frame_count * made->file.bone_count * sizeof *clip->frames);
}

/* The tree as text says what was asked for, in one way only; the rest is what the named files had in them. */
uint64_t scene_file_hash(const scene_file *file)
{
    static const char *const harmless[] = {"$schema", "title", "comment", "frames", "cameras"};
    uint64_t hash = scene_hash_bytes(SCENE_HASH_START, &file->asked, sizeof file->asked);
    cJSON *copy = cJSON_Duplicate(file->tree, true);
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++)
        cJSON_DeleteItemFromObjectCaseSensitive(copy, harmless[i]);
    char *text = cJSON_PrintUnformatted(copy);
    if (text != NULL)
        hash = scene_hash_bytes(hash, text, strlen(text));
    cJSON_free(text);
    cJSON_Delete(copy);
    const scene_shape *shapes = file->description.shapes.items;
    for (size_t i = 0; i < file->description.shapes.count; i++) {
        hash = hash_mesh(hash, &shapes[i].mesh);
        const scene_numbers *heights = &shapes[i].file_heights;
        if (heights->count > 0)
            hash = scene_hash_bytes(hash, heights->items, heights->count * sizeof *heights->items);
    }
    const scene_grains *grains = file->description.grains.items;
    for (size_t i = 0; i < file->description.grains.count; i++)
        if (grains[i].fill.count > 0)
            hash = scene_hash_bytes(hash, grains[i].fill.items,
                                    grains[i].fill.count * sizeof *grains[i].fill.items);
    const scene_body *bodies = file->description.bodies.items;
    for (size_t i = 0; i < file->description.bodies.count; i++)
        hash = hash_mesh(hash, &bodies[i].mesh);
    const scene_skeleton *skeletons = file->description.skeletons.items;
    for (size_t i = 0; i < file->description.skeletons.count; i++)
        hash = hash_rig(hash, &skeletons[i].rig);
    return hash;
}
