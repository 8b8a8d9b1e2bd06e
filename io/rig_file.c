#include "io/rig_file.h"

#include "io/input_file.h"
#include "io/rig_file_import.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS 20u /* of work that any file may take: poses are made as well */

rig_options rig_default_options(void)
{
    return (rig_options){.scale = 1, .height = 0, .up = RIG_UP_FILE};
}

/* ---- loading -------------------------------------------------------------------------------------------- */

static const char *wrong_options(const rig_options *options, char reason[RIG_ERROR])
{
    if (!isfinite(options->scale) || options->scale < 0 || options->scale > 1e6f)
        snprintf(reason, RIG_ERROR, "scale is %g; it must be from 0 to 1e6", (double)options->scale);
    else if (!isfinite(options->height) || options->height < 0 || options->height > RIG_COORDINATE)
        snprintf(reason, RIG_ERROR, "height is %g; it must be from 0 to %g", (double)options->height,
                 (double)RIG_COORDINATE);
    else if ((unsigned)options->up >= RIG_UP_COUNT)
        snprintf(reason, RIG_ERROR, "up is %d, which is no axis", (int)options->up);
    else
        return NULL;
    return reason;
}

bool rig_load(const char *path, const rig_options *options, rig *out, char *error, size_t error_size)
{
    rig_options defaults = rig_default_options();
    *out = (rig){0};
    options = options != NULL ? options : &defaults;
    size_t size = 0;
    char reason[RIG_ERROR] = "";
    const char *fault = wrong_options(options, reason);
    if (fault == NULL)
        fault = input_file_fault(path, &size);
    if (fault == NULL) {
        apart_limits limits = input_file_limits(size, SECONDS);
        if (rig_import_apart(path, options, &limits, out, reason))
            return true;
        fault = reason;
    }
    input_file_complain(error, error_size, "rig", path, fault);
    return false;
}

void rig_free(rig *model)
{
    for (uint32_t i = 0; i < model->clip_count; i++)
        free(model->clips[i].frames);
    free(model->clips);
    free(model->names);
    free(model->parents);
    free(model->rest);
    free(model->skin.vertices);
    free(model->skin.bones);
    free(model->skin.weights);
    free(model->skin.bind);
    free(model->skin.triangles);
    memset(model, 0, sizeof *model);
}

/* ---- looking -------------------------------------------------------------------------------------------- */

uint32_t rig_find_bone(const rig *model, const char *name)
{
    for (uint32_t i = 0; i < model->bone_count; i++)
        if (strcmp(model->names[i], name) == 0)
            return i;
    return MOTE_NO_BONE;
}

uint32_t rig_find_clip(const rig *model, const char *name)
{
    for (uint32_t i = 0; i < model->clip_count; i++)
        if (strcmp(model->clips[i].name, name) == 0)
            return i;
    return RIG_NO_CLIP;
}

mote_clip rig_clip_view(const rig *model, uint32_t clip)
{
    if (clip >= model->clip_count)
        return (mote_clip){0};
    return (mote_clip){.rate = model->clips[clip].rate,
                       .frame_count = model->clips[clip].frame_count,
                       .bone_count = model->bone_count,
                       .frames = model->clips[clip].frames,
                       .parents = model->parents};
}

mote_skin rig_skin_view(const rig *model)
{
    return (mote_skin){.vertex_count = model->skin.vertex_count,
                       .vertices = model->skin.vertices,
                       .bones = model->skin.bones,
                       .weights = model->skin.weights,
                       .bone_count = model->bone_count,
                       .bind = model->skin.bind};
}

mote_mesh rig_mesh_view(const rig *model)
{
    return (mote_mesh){.vertices = model->skin.vertices,
                       .vertex_count = model->skin.vertex_count,
                       .triangles = model->skin.triangles,
                       .triangle_count = model->skin.triangle_count};
}

double rig_clip_seconds(const rig_clip *clip)
{
    return clip->frame_count > 0 && clip->rate > 0 ? (clip->frame_count - 1) / (double)clip->rate : 0;
}

void rig_warning_text(uint32_t warnings, char *text, size_t size)
{
    static const struct {
        uint32_t flag;
        const char *text;
    } all[] = {
        {RIG_WARNING_SCALE, "bones that are stretched unevenly or mirrored keep only their places"},
        {RIG_WARNING_WEIGHTS, "vertices follow their four strongest bones only"},
        {RIG_WARNING_NAMES, "bones without a name, or with one that is too long or used already, were renamed"},
        {RIG_WARNING_LOOSE, "vertices that no bone carries follow the first"},
        {RIG_WARNING_UNKNOWN, "a mesh or an animation has bones that are not in the file"},
    };
    size_t used = 0;
    if (size > 0)
        text[0] = '\0';
    for (size_t i = 0; i < sizeof all / sizeof *all && used < size; i++)
        if (warnings & all[i].flag) {
            int length = snprintf(text + used, size - used, "%s%s", used > 0 ? "; " : "", all[i].text);
            used += length > 0 ? (size_t)length : 0;
        }
}
