#define _POSIX_C_SOURCE 200809L /* strnlen */
/* Reading with assimp, which is asked for as little as possible: none of its steps after the reading. */
#include "io/rig_file_import.h"

#include "io/input_file.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ---------------------------------------------------------------------------------------------- */

bool rig_refuse(rig_importer *in, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(in->error, RIG_ERROR, format, values);
    va_end(values);
    return false;
}

bool rig_out_of_memory(rig_importer *in)
{
    return rig_refuse(in, "it needs too much memory");
}

bool rig_name_is_sound(const struct aiString *name)
{
    return name->length < sizeof name->data && name->data[name->length] == '\0';
}

const char *rig_shown_name(const struct aiString *name)
{
    static _Thread_local char shown[RIG_NAME];
    size_t length = strnlen(name->data, sizeof name->data);
    length = length < RIG_NAME - 1 ? length : RIG_NAME - 1;
    /* Not within a character of several bytes. */
    while (length > 0 && length == RIG_NAME - 1 && ((unsigned char)name->data[length] & 0xc0) == 0x80)
        length--;
    memcpy(shown, name->data, length);
    shown[length] = '\0';
    for (char *at = shown; *at != '\0'; at++)
        if ((unsigned char)*at < ' ')
            *at = '_';
    return shown;
}

static bool refuse_as_assimp_says(rig_importer *in)
{
    assimp_fault(in->error, RIG_ERROR, "no skeleton is recognised in it");
    return false;
}

/* ---- units and axes ------------------------------------------------------------------------------------- */

static const void *find_setting(const struct aiScene *scene, const char *name, enum aiMetadataType type)
{
    const struct aiMetadata *all = scene->mMetaData;
    if (all == NULL || all->mKeys == NULL || all->mValues == NULL)
        return NULL;
    for (unsigned i = 0; i < all->mNumProperties; i++)
        if (all->mValues[i].mType == type && strncmp(all->mKeys[i].data, name, sizeof all->mKeys[i].data) == 0)
            return all->mValues[i].mData;
    return NULL;
}

/* FBX files say how many centimetres their unit has. */
static double unit_of(const struct aiScene *scene)
{
    const float *centimetres = find_setting(scene, "UnitScaleFactor", AI_FLOAT);
    bool usable = centimetres != NULL && isfinite(*centimetres) && *centimetres > 0;
    return usable ? 0.01 * (double)*centimetres : 1;
}

/* 0, 1 or 2 for x, y or z. Only FBX files say it and are left as they are by assimp. */
static int up_axis(const struct aiScene *scene, rig_up up)
{
    if (up != RIG_UP_FILE)
        return up == RIG_UP_Z ? 2 : 1;
    const int32_t *axis = find_setting(scene, "UpAxis", AI_INT32);
    return axis != NULL && *axis >= 0 && *axis <= 2 ? *axis : 1;
}

/* A quarter turn that brings the axis up, and the scale. */
static rig_affine top_of(const struct aiScene *scene, const rig_options *options)
{
    static const double turns[3][3][3] = {{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}},
                                          {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                          {{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}};
    double scale = options->scale > 0 ? (double)options->scale : unit_of(scene);
    int up = up_axis(scene, options->up);
    rig_affine top = {{{0}}};
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
            top.m[row][column] = scale * turns[up][row][column];
    return top;
}

/* ---- height --------------------------------------------------------------------------------------------- */

/* The height of a vertex when all bones are at rest. */
static double rest_height(const rig *model, size_t vertex)
{
    double sum = 0;
    for (size_t i = 4 * vertex; i < 4 * vertex + 4; i++) {
        if (!(model->skin.weights[i] > 0))
            continue;
        uint32_t bone = model->skin.bones[i];
        mote_pose at = {model->skin.vertices[vertex], {0, 0, 0, 1}};
        mote_pose moved = rig_pose_in(model->rest[bone], rig_pose_from(model->skin.bind[bone], at));
        sum += (double)model->skin.weights[i] * (double)moved.position.y;
    }
    return sum;
}

static double measure_height(const rig *model)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (size_t i = 0; i < model->skin.vertex_count; i++) {
        double y = rest_height(model, i);
        low = fmin(low, y);
        high = fmax(high, y);
    }
    for (uint32_t i = 0; i < model->bone_count && model->skin.vertex_count == 0; i++) {
        low = fmin(low, (double)model->rest[i].position.y);
        high = fmax(high, (double)model->rest[i].position.y);
    }
    return high - low;
}

static mote_vec3 times(mote_vec3 v, float factor)
{
    return (mote_vec3){v.x * factor, v.y * factor, v.z * factor};
}

static void rescale(rig *model, float factor)
{
    for (uint32_t i = 0; i < model->bone_count; i++)
        model->rest[i].position = times(model->rest[i].position, factor);
    for (uint32_t i = 0; i < model->bone_count && model->skin.bind != NULL; i++)
        model->skin.bind[i].position = times(model->skin.bind[i].position, factor);
    for (size_t i = 0; i < model->skin.vertex_count; i++)
        model->skin.vertices[i] = times(model->skin.vertices[i], factor);
    for (uint32_t c = 0; c < model->clip_count; c++)
        for (size_t i = 0; i < (size_t)model->clips[c].frame_count * model->bone_count; i++)
            model->clips[c].frames[i].position = times(model->clips[c].frames[i].position, factor);
}

static bool set_height(rig_importer *in, float height)
{
    rig *model = in->rig;
    double measured = measure_height(model);
    if (height > 0) {
        double factor = (double)height / measured;
        if (!(measured > 0) || !(factor < 1e9))
            return rig_refuse(in, "its rest pose is %g high: it cannot be made %g m high", measured,
                              (double)height);
        rescale(model, (float)factor);
        measured = (double)height;
    }
    model->height = (float)measured;
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------------------ */

static bool within(mote_vec3 v)
{
    return fabsf(v.x) <= RIG_COORDINATE && fabsf(v.y) <= RIG_COORDINATE && fabsf(v.z) <= RIG_COORDINATE;
}

static bool refuse_far(rig_importer *in, const char *what, const char *name, mote_vec3 v)
{
    return rig_refuse(in, "%s '%s' is at (%g, %g, %g); it must be within +-%g m", what, name, (double)v.x,
                      (double)v.y, (double)v.z, (double)RIG_COORDINATE);
}

static bool check_places(rig_importer *in)
{
    const rig *model = in->rig;
    for (uint32_t b = 0; b < model->bone_count; b++) {
        if (!within(model->rest[b].position))
            return refuse_far(in, "bone", model->names[b], model->rest[b].position);
        if (model->skin.bind != NULL && !within(model->skin.bind[b].position))
            return refuse_far(in, "when bound, bone", model->names[b], model->skin.bind[b].position);
    }
    for (size_t i = 0; i < model->skin.vertex_count; i++)
        if (!within(model->skin.vertices[i]))
            return refuse_far(in, "a vertex of", "its mesh", model->skin.vertices[i]);
    for (uint32_t c = 0; c < model->clip_count; c++)
        for (size_t i = 0; i < (size_t)model->clips[c].frame_count * model->bone_count; i++)
            if (!within(model->clips[c].frames[i].position))
                return refuse_far(in, "an animated bone", model->names[i % model->bone_count],
                                  model->clips[c].frames[i].position);
    return true;
}

static bool collect(rig_importer *in, const rig_options *options)
{
    const struct aiScene *scene = in->scene;
    if (scene->mRootNode == NULL || (scene->mNumMeshes > 0 && scene->mMeshes == NULL) ||
        (scene->mNumAnimations > 0 && scene->mAnimations == NULL))
        return rig_refuse(in, "it has no nodes");
    in->top = top_of(scene, options);
    return rig_check_meshes(in) && rig_check_animations(in) && rig_collect_nodes(in) && rig_choose_bones(in) &&
           rig_read_clips(in) && rig_read_skin(in) && set_height(in, options->height) && check_places(in);
}

/* BVH files get no mesh made of their bones, and FBX files no nodes for each step of a bone's transform. */
static const struct aiScene *open_scene(const char *path)
{
    struct aiPropertyStore *properties = aiCreatePropertyStore();
    if (properties == NULL)
        return NULL;
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, 0);
    const struct aiScene *scene = aiImportFileExWithProperties(path, 0, NULL, properties);
    aiReleasePropertyStore(properties);
    return scene;
}

bool rig_import(const char *path, const rig_options *options, rig *out, char error[RIG_ERROR])
{
    *out = (rig){0};
    rig_importer in = {.rig = out, .error = error};
    if (!rig_check_bvh(&in, path))
        return false;
    in.scene = open_scene(path);
    bool done = in.scene != NULL ? collect(&in, options) : refuse_as_assimp_says(&in);
    if (in.scene != NULL)
        aiReleaseImport(in.scene);
    free(in.nodes);
    free(in.by_name);
    if (!done)
        rig_free(out);
    return done;
}
