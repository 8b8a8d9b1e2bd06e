/* Reading in a process of its own: how a rig goes through the pipe. */
#include "io/mesh_file.h"
#include "io/rig_file_import.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What comes through the pipe before the arrays. */
typedef struct message {
    uint64_t magic;
    uint64_t vertex_count, triangle_count;
    uint32_t bone_count; /* 0: it could not be read, for the reason in `error` */
    uint32_t clip_count, warnings;
    float height;
    char error[RIG_ERROR];
} message;

typedef struct clip_message {
    char name[RIG_NAME];
    float rate;
    uint32_t frame_count;
} clip_message;

#define MAGIC 0x6d6f74652d726967u

typedef struct transfer {
    const char *path;
    const rig_options *options;
    rig *rig;
} transfer;

/* An array of the rig that goes through the pipe. */
typedef struct part {
    void **array;
    size_t size;
} part;

#define PART_COUNT 8

/* In the order in which they are sent; sizes come from the counts. */
static void list_parts(rig *model, part parts[PART_COUNT])
{
    size_t bones = model->bone_count, vertices = model->skin.vertex_count;
    const part all[PART_COUNT] = {
        {(void **)&model->names, bones * sizeof *model->names},
        {(void **)&model->parents, bones * sizeof *model->parents},
        {(void **)&model->rest, bones * sizeof *model->rest},
        {(void **)&model->skin.vertices, vertices * sizeof *model->skin.vertices},
        {(void **)&model->skin.bones, 4 * vertices * sizeof *model->skin.bones},
        {(void **)&model->skin.weights, 4 * vertices * sizeof *model->skin.weights},
        {(void **)&model->skin.triangles, 3 * model->skin.triangle_count * sizeof *model->skin.triangles},
        {(void **)&model->skin.bind, vertices > 0 ? bones * sizeof *model->skin.bind : 0},
    };
    memcpy(parts, all, sizeof all);
}

/* ---- the child ------------------------------------------------------------------------------------------ */

static bool send_clips(const rig *model, const apart_pipe *out)
{
    for (uint32_t i = 0; i < model->clip_count; i++) {
        const rig_clip *clip = &model->clips[i];
        clip_message head = {.rate = clip->rate, .frame_count = clip->frame_count};
        memcpy(head.name, clip->name, sizeof head.name);
        if (!apart_send(out, &head, sizeof head) ||
            !apart_send(out, clip->frames,
                        (size_t)clip->frame_count * model->bone_count * sizeof *clip->frames))
            return false;
    }
    return true;
}

static bool read_and_send(void *context, const apart_pipe *out)
{
    const transfer *all = context;
    rig read;
    message head = {.magic = MAGIC};
    if (rig_import(all->path, all->options, &read, head.error)) {
        head.bone_count = read.bone_count;
        head.clip_count = read.clip_count;
        head.vertex_count = read.skin.vertex_count;
        head.triangle_count = read.skin.triangle_count;
        head.warnings = read.warnings;
        head.height = read.height;
    }
    bool sent = apart_send(out, &head, sizeof head);
    part parts[PART_COUNT];
    list_parts(&read, parts);
    for (int i = 0; i < PART_COUNT && sent; i++)
        sent = apart_send(out, *parts[i].array, parts[i].size);
    return sent && send_clips(&read, out);
}

/* ---- the parent ----------------------------------------------------------------------------------------- */

static bool no_memory(char error[APART_ERROR])
{
    snprintf(error, APART_ERROR, "there is no memory for what is in it");
    return false;
}

static bool sound_vector(mote_vec3 v)
{
    return fabsf(v.x) <= RIG_COORDINATE && fabsf(v.y) <= RIG_COORDINATE && fabsf(v.z) <= RIG_COORDINATE;
}

static bool sound_poses(const mote_pose *poses, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        mote_quat q = poses[i].rotation;
        float square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
        if (!sound_vector(poses[i].position) || !(fabsf(square - 1) < 1e-4f))
            return false;
    }
    return true;
}

/* A child that went astray may send anything. */
static bool sound_rig(const rig *model)
{
    for (uint32_t i = 0; i < model->bone_count; i++)
        if (memchr(model->names[i], '\0', RIG_NAME) == NULL || model->names[i][0] == '\0' ||
            (model->parents[i] >= i && model->parents[i] != MOTE_NO_BONE))
            return false;
    const rig_skin *skin = &model->skin;
    for (size_t i = 0; i < 3 * skin->triangle_count; i++)
        if (skin->triangles[i] >= skin->vertex_count)
            return false;
    for (size_t i = 0; i < skin->vertex_count; i++) {
        if (!sound_vector(skin->vertices[i]))
            return false;
        for (size_t k = 4 * i; k < 4 * i + 4; k++)
            if (skin->bones[k] >= model->bone_count || !(skin->weights[k] >= 0 && skin->weights[k] <= 1.001f))
                return false;
    }
    return sound_poses(model->rest, model->bone_count) &&
           (skin->vertex_count == 0 || sound_poses(skin->bind, model->bone_count));
}

static apart_outcome receive_clips(rig *model, uint32_t count, const apart_pipe *in, char error[APART_ERROR])
{
    model->clips = calloc(count > 0 ? count : 1, sizeof *model->clips);
    if (model->clips == NULL)
        return no_memory(error) ? APART_DONE : APART_REFUSED;
    uint64_t poses = 0;
    for (uint32_t i = 0; i < count; i++) {
        clip_message head;
        if (!apart_receive(in, &head, sizeof head) || memchr(head.name, '\0', RIG_NAME) == NULL ||
            !(head.rate >= 1 && head.rate <= RIG_MAX_RATE) || head.frame_count == 0)
            return APART_ASTRAY;
        poses += (uint64_t)head.frame_count * model->bone_count;
        if (poses > RIG_MAX_POSES)
            return APART_ASTRAY;
        rig_clip *clip = &model->clips[i];
        memcpy(clip->name, head.name, RIG_NAME);
        clip->rate = head.rate;
        clip->frame_count = head.frame_count;
        model->clip_count = i + 1;
        size_t frames = (size_t)head.frame_count * model->bone_count;
        clip->frames = malloc(frames * sizeof *clip->frames);
        if (clip->frames == NULL)
            return no_memory(error) ? APART_DONE : APART_REFUSED;
        if (!apart_receive(in, clip->frames, frames * sizeof *clip->frames) ||
            !sound_poses(clip->frames, frames))
            return APART_ASTRAY;
    }
    return APART_DONE;
}

static apart_outcome receive_rig(void *context, const apart_pipe *in, char error[APART_ERROR])
{
    rig *model = ((const transfer *)context)->rig;
    message head;
    if (!apart_receive(in, &head, sizeof head) || head.magic != MAGIC || head.bone_count > RIG_MAX_BONES ||
        head.clip_count > RIG_MAX_CLIPS || head.vertex_count > MESH_FILE_MAX_COUNT ||
        head.triangle_count > MESH_FILE_MAX_COUNT || !isfinite(head.height))
        return APART_ASTRAY;
    if (head.bone_count == 0) {
        head.error[RIG_ERROR - 1] = '\0';
        snprintf(error, APART_ERROR, "%s", head.error);
        return APART_REFUSED;
    }
    model->bone_count = head.bone_count;
    model->skin.vertex_count = (size_t)head.vertex_count;
    model->skin.triangle_count = (size_t)head.triangle_count;
    model->warnings = head.warnings;
    model->height = head.height;
    part parts[PART_COUNT];
    list_parts(model, parts);
    for (int i = 0; i < PART_COUNT; i++) {
        if (parts[i].size > 0 && (*parts[i].array = malloc(parts[i].size)) == NULL)
            return no_memory(error) ? APART_DONE : APART_REFUSED;
        if (!apart_receive(in, *parts[i].array, parts[i].size))
            return APART_ASTRAY;
    }
    return sound_rig(model) ? receive_clips(model, head.clip_count, in, error) : APART_ASTRAY;
}

bool rig_import_apart(const char *path, const rig_options *options, const apart_limits *limits, rig *out,
                      char error[RIG_ERROR])
{
    _Static_assert(RIG_ERROR == APART_ERROR, "a reason fits in either");
    *out = (rig){0};
    transfer all = {.path = path, .options = options, .rig = out};
    apart_job job = {.context = &all, .work = read_and_send, .receive = receive_rig};
    if (apart_run(&job, limits, error))
        return true;
    rig_free(out);
    return false;
}
