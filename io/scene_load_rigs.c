/* The rigs that a scene names: their bones, and the animation that is to be played. */
#define _POSIX_C_SOURCE 200809L
#include "io/scene_load.h"

#include "io/json_tree.h"
#include "io/nearest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HUMANOID_HEIGHT 1.8f /* m */

/* ---- files ---------------------------------------------------------------------------------------------- */

/* A shipped rig is in memory only; what reads rigs wants a file. */
static bool load_shipped(const named_file *file, const rig_options *options, rig *out, char *error)
{
    size_t size;
    const void *data = file->source->shipped(file->path, &size);
    const char *dot = strrchr(file->path, '.'), *temporary = getenv("TMPDIR");
    char folder[320], path[352];
    if (data == NULL)
        return named_file_fail(file, "there is no such shipped file");
    snprintf(folder, sizeof folder, "%.300s/mote-XXXXXX", temporary != NULL ? temporary : "/tmp");
    if (mkdtemp(folder) == NULL)
        return named_file_fail(file, "cannot make a temporary folder for the shipped rig");
    snprintf(path, sizeof path, "%s/rig%.10s", folder, dot != NULL ? dot : "");
    FILE *stream = fopen(path, "wb");
    bool written = stream != NULL && fwrite(data, 1, size, stream) == size;
    if (stream != NULL)
        written = fclose(stream) == 0 && written;
    bool good = written ? rig_load(path, options, out, error, RIG_ERROR) || named_file_fail(file, error)
                        : named_file_fail(file, "cannot write a temporary file for the shipped rig");
    remove(path);
    remove(folder);
    return good;
}

static bool load_file(const named_file *file, const scene_skeleton *skeleton, rig *out)
{
    char error[RIG_ERROR], path[4096];
    rig_options options = rig_default_options();
    options.height = skeleton->height;
    if (file->source->folder == NULL && file->path[0] != '/')
        return load_shipped(file, &options, out, error);
    return named_file_path(file, path, sizeof path) &&
           (rig_load(path, &options, out, error, sizeof error) || named_file_fail(file, error));
}

/* ---- clips ---------------------------------------------------------------------------------------------- */

static bool find_clip(const named_file *file, scene_skeleton *skeleton)
{
    const rig *r = &skeleton->rig.file;
    const char *meant = NULL, *first = r->clip_count > 0 ? r->clips[0].name : "";
    char text[256];
    skeleton->rig.clip = rig_find_clip(r, skeleton->clip);
    if (skeleton->rig.clip != RIG_NO_CLIP)
        return true;
    for (uint32_t i = 0; i < r->clip_count; i++)
        meant = nearer_word(skeleton->clip, meant, r->clips[i].name);
    if (meant != NULL)
        snprintf(text, sizeof text, "the file has no clip '%.60s'; did you mean '%.60s'?", skeleton->clip,
                 meant);
    else
        snprintf(text, sizeof text, "the file has no clip '%.60s'; it has %u%s%.60s%s", skeleton->clip,
                 r->clip_count, *first != '\0' ? ", the first is '" : "", first, *first != '\0' ? "'" : "");
    return named_file_fail(file, text);
}

/* The first clip, unless the scene says which. */
static bool choose_clip(named_file file, scene_skeleton *skeleton)
{
    const rig *r = &skeleton->rig.file;
    skeleton->rig.clip = r->clip_count > 0 ? 0 : RIG_NO_CLIP;
    if (skeleton->clip != NULL)
        return find_clip(&file, skeleton);
    if (!scene_given(&SCENE_SKELETONS, skeleton, "clip_number"))
        return true;
    char text[256];
    skeleton->rig.clip = skeleton->clip_number;
    snprintf(text, sizeof text, "the file has %u clips, counted from 0", r->clip_count);
    return skeleton->clip_number < r->clip_count || named_file_fail(&file, text);
}

/* ---- bones ---------------------------------------------------------------------------------------------- */

static bool make_bones(const named_file *file, scene_skeleton *skeleton)
{
    scene_rig *made = &skeleton->rig;
    char error[RIG_ERROR];
    rig_body_options options = rig_default_body_options();
    options.clip = made->clip;
    made->bones = calloc((size_t)made->file.bone_count + 1, sizeof *made->bones);
    made->file_bones = calloc((size_t)made->file.bone_count + 1, sizeof *made->file_bones);
    if (made->bones == NULL || made->file_bones == NULL)
        return named_file_fail(file, "no memory for the bones");
    made->bone_count =
        rig_bone_defs(&made->file, &options, made->bones, made->file_bones, made->file.bone_count, NULL, error);
    for (uint32_t i = 0; i < made->bone_count; i++)
        made->bones[i].thickness *= skeleton->thickness;
    return made->bone_count > 0 || named_file_fail(file, error);
}

static bool make_humanoid(const named_file *file, scene_skeleton *skeleton)
{
    scene_rig *made = &skeleton->rig;
    float height = skeleton->height > 0.0f ? skeleton->height : HUMANOID_HEIGHT;
    made->clip = RIG_NO_CLIP;
    if (file->source->humanoid == NULL)
        return named_file_fail(file, "there are no humanoids in this program");
    uint32_t count = file->source->humanoid(height, NULL, 0);
    made->bones = calloc((size_t)count + 1, sizeof *made->bones);
    if (made->bones == NULL)
        return named_file_fail(file, "no memory for the bones");
    made->bone_count = file->source->humanoid(height, made->bones, count);
    return true;
}

/* Actions name bones that have bodies. */
static void check_bone_names(const named_file *file, const scene_skeleton *skeleton)
{
    const scene_action *actions = skeleton->actions.items;
    const scene_rig *made = &skeleton->rig;
    for (size_t i = 0; i < skeleton->actions.count; i++) {
        const char *name = actions[i].bone, *best = NULL;
        bool there = name == NULL;
        for (uint32_t k = 0; k < made->bone_count && !there; k++) {
            const char *known = made->bones[k].name != NULL ? made->bones[k].name : "";
            there = strcmp(known, name) == 0;
            best = name != NULL ? nearer_word(name, best, known) : NULL;
        }
        char path[SCENE_PATH + 64];
        snprintf(path, sizeof path, "%.90s.actions[%zu].bone", file->where, i);
        int line = json_line(cJSON_GetObjectItemCaseSensitive(actions[i].item.node, "bone"));
        if (!there && best != NULL)
            scene_error(file->faults, line, path, "there is no bone '%s' with a body; did you mean '%s'?", name,
                        best);
        else if (!there)
            scene_error(file->faults, line, path, "there is no bone '%s' with a body", name);
    }
}

/* ---- all ------------------------------------------------------------------------------------------------ */

static void load_rig(scene_skeleton *skeleton, size_t index, const scene_source *source, scene_faults *faults)
{
    const scene_item *item = &skeleton->item;
    named_file file = name_file(source, faults, "skeletons", index, item, "file", skeleton->file);
    bool good = false;
    if (skeleton->type == SCENE_SKELETON_HUMANOID) {
        snprintf(file.where, sizeof file.where, "skeletons[%zu].type", index);
        file.field = "type";
        good = make_humanoid(&file, skeleton);
    } else if (skeleton->file != NULL && load_file(&file, skeleton, &skeleton->rig.file)) {
        const char *field = skeleton->clip != NULL ? "clip" : "clip_number";
        good = choose_clip(name_file(source, faults, "skeletons", index, item, field, NULL), skeleton) &&
               make_bones(&file, skeleton);
    }
    snprintf(file.where, sizeof file.where, "skeletons[%zu]", index);
    if (good)
        check_bone_names(&file, skeleton);
}

void scene_load_rigs(scene_description *d, const scene_source *source, scene_faults *faults)
{
    scene_skeleton *skeletons = d->skeletons.items;
    for (size_t i = 0; i < d->skeletons.count; i++)
        if (scene_given(&SCENE_SKELETONS, &skeletons[i], "type") &&
            !scene_bad(&SCENE_SKELETONS, &skeletons[i], "type"))
            load_rig(&skeletons[i], i, source, faults);
}

void scene_free_rigs(scene_description *d)
{
    scene_skeleton *skeletons = d->skeletons.items;
    for (size_t i = 0; i < d->skeletons.count; i++) {
        rig_free(&skeletons[i].rig.file);
        free(skeletons[i].rig.bones);
        free(skeletons[i].rig.file_bones);
        skeletons[i].rig = (scene_rig){0};
    }
}
