/* Animations: what the file gives as keys at any times becomes poses at even times. */
#include "io/rig_file_import.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_RATE 30.0 /* frames a second of files that say nothing */

/* One animation while it is read. */
typedef struct sampler {
    rig_importer *in;
    const struct aiAnimation *animation;
    const struct aiNodeAnim **channels; /* of each node; NULL: it stands still */
    rig_affine *now;                    /* of each node, in the model's coordinates */
    unsigned (*cursors)[3];             /* of each node: the keys before the time of the last frame */
    uint32_t moved;                     /* nodes of the skeleton that have a channel */
    bool uneven;
} sampler;

/* ---- keys ----------------------------------------------------------------------------------------------- */

static bool refuse_key(sampler *s, const struct aiNodeAnim *channel, const char *what, unsigned key,
                       const char *fault)
{
    char bone[80];
    snprintf(bone, sizeof bone, "%s", rig_shown_name(&channel->mNodeName));
    return rig_refuse(s->in, "%s key %u of '%s' in animation '%s' %s", what, key, bone,
                      rig_shown_name(&s->animation->mName), fault);
}

#define NOT_FINITE "has a number that is not finite"
#define BACKWARDS  "comes before the key in front of it"

static bool check_vectors(sampler *s, const struct aiNodeAnim *channel, const char *what,
                          const struct aiVectorKey *keys, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct aiVector3D v = keys[i].mValue;
        if (!isfinite(keys[i].mTime) || !isfinite(v.x) || !isfinite(v.y) || !isfinite(v.z))
            return refuse_key(s, channel, what, i, NOT_FINITE);
        if (i > 0 && keys[i].mTime < keys[i - 1].mTime)
            return refuse_key(s, channel, what, i, BACKWARDS);
    }
    return true;
}

static bool check_channel(sampler *s, const struct aiNodeAnim *channel)
{
    if ((channel->mNumPositionKeys > 0 && channel->mPositionKeys == NULL) ||
        (channel->mNumRotationKeys > 0 && channel->mRotationKeys == NULL) ||
        (channel->mNumScalingKeys > 0 && channel->mScalingKeys == NULL))
        return rig_refuse(s->in, "an animation lacks its keys");
    if (!check_vectors(s, channel, "position", channel->mPositionKeys, channel->mNumPositionKeys) ||
        !check_vectors(s, channel, "scale", channel->mScalingKeys, channel->mNumScalingKeys))
        return false;
    for (unsigned i = 0; i < channel->mNumRotationKeys; i++) {
        const struct aiQuatKey *key = &channel->mRotationKeys[i];
        struct aiQuaternion q = key->mValue;
        double square = (double)q.x * (double)q.x + (double)q.y * (double)q.y + (double)q.z * (double)q.z +
                        (double)q.w * (double)q.w;
        if (!isfinite(key->mTime) || !isfinite(square))
            return refuse_key(s, channel, "rotation", i, NOT_FINITE);
        if (square < 1e-12)
            return refuse_key(s, channel, "rotation", i, "is 0");
        if (i > 0 && key->mTime < key[-1].mTime)
            return refuse_key(s, channel, "rotation", i, BACKWARDS);
    }
    return true;
}

/* ---- how long and how fast ------------------------------------------------------------------------------ */

static void see_track(unsigned count, double first, double last, double *end, double *density)
{
    if (last > *end)
        *end = last;
    if (count > 1 && last > first)
        *density = fmax(*density, (count - 1) / (last - first));
}

/* The last tick with a key, and keys a tick where they are densest. */
static void see_keys(const sampler *s, double *end, double *density)
{
    *end = isfinite(s->animation->mDuration) ? fmax(s->animation->mDuration, 0) : 0;
    *density = 0;
    for (uint32_t i = 0; i < s->in->node_count; i++) {
        const struct aiNodeAnim *c = s->channels[i];
        if (c == NULL || !s->in->nodes[i].needed)
            continue;
        if (c->mNumPositionKeys > 0)
            see_track(c->mNumPositionKeys, c->mPositionKeys[0].mTime,
                      c->mPositionKeys[c->mNumPositionKeys - 1].mTime, end, density);
        if (c->mNumRotationKeys > 0)
            see_track(c->mNumRotationKeys, c->mRotationKeys[0].mTime,
                      c->mRotationKeys[c->mNumRotationKeys - 1].mTime, end, density);
        if (c->mNumScalingKeys > 0)
            see_track(c->mNumScalingKeys, c->mScalingKeys[0].mTime,
                      c->mScalingKeys[c->mNumScalingKeys - 1].mTime, end, density);
    }
}

/* A whole number of frames a second is meant where it is almost one: times are rounded in files. */
static double tidy_rate(double rate)
{
    double whole = floor(rate + 0.5);
    rate = fabs(rate - whole) < 2e-3 * rate ? whole : rate;
    return fmin(fmax(rate, 1), (double)RIG_MAX_RATE);
}

/* Ticks are frames in most formats. Where they are finer (glTF: thousandths of a second) or whole seconds,
 * the keys show how fine the animation is. */
static double frame_rate(double ticks_per_second, double density)
{
    if (ticks_per_second > 1 && ticks_per_second <= (double)RIG_MAX_RATE * 1.001)
        return tidy_rate(ticks_per_second);
    return tidy_rate(fmax(density * ticks_per_second, DEFAULT_RATE));
}

/* ---- one frame ------------------------------------------------------------------------------------------ */

/* Where `time` is among the keys: the number of the last key that is not after it, and how far it is on the
 * way to the next. Time only goes on from frame to frame. */
#define FIND_KEY(keys, count, time, cursor, part)                                                              \
    do {                                                                                                       \
        while ((cursor) + 1 < (count) && (keys)[(cursor) + 1].mTime <= (time))                                 \
            (cursor)++;                                                                                        \
        double span = (cursor) + 1 < (count) ? (keys)[(cursor) + 1].mTime - (keys)[cursor].mTime : 0;          \
        (part) = span > 0 ? ((time) - (keys)[cursor].mTime) / span : 0;                                        \
        (part) = (part) > 0 ? (part) : 0;                                                                      \
    } while (0)

static rig_point vector_at(const struct aiVectorKey *keys, unsigned count, double time, unsigned *cursor,
                           rig_point otherwise)
{
    if (count == 0)
        return otherwise;
    double part;
    FIND_KEY(keys, count, time, *cursor, part);
    struct aiVector3D a = keys[*cursor].mValue, b = keys[*cursor + 1 < count ? *cursor + 1 : *cursor].mValue;
    return (rig_point){(double)a.x + part * ((double)b.x - (double)a.x),
                       (double)a.y + part * ((double)b.y - (double)a.y),
                       (double)a.z + part * ((double)b.z - (double)a.z)};
}

static rig_quat unit_quat(struct aiQuaternion q)
{
    rig_quat r = {(double)q.x, (double)q.y, (double)q.z, (double)q.w};
    double size = sqrt(r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w);
    return (rig_quat){r.x / size, r.y / size, r.z / size, r.w / size};
}

static rig_quat rotation_at(const struct aiQuatKey *keys, unsigned count, double time, unsigned *cursor,
                            rig_quat otherwise)
{
    if (count == 0)
        return otherwise;
    double part;
    FIND_KEY(keys, count, time, *cursor, part);
    rig_quat a = unit_quat(keys[*cursor].mValue);
    if (!(part > 0) || *cursor + 1 >= count)
        return a;
    return rig_slerp(a, unit_quat(keys[*cursor + 1].mValue), part);
}

/* How long a column is. */
static double stretch(const rig_affine *t, int column)
{
    return sqrt(t->m[0][column] * t->m[0][column] + t->m[1][column] * t->m[1][column] +
                t->m[2][column] * t->m[2][column]);
}

/* What has no keys stays as the node is at rest. */
static rig_affine local_at(sampler *s, uint32_t node, double time)
{
    const struct aiNodeAnim *c = s->channels[node];
    rig_affine rest = rig_affine_from(&s->in->nodes[node].node->mTransformation);
    if (c == NULL)
        return rest;
    bool uneven = false;
    mote_quat turned = rig_rigid_part(&rest, &uneven).rotation;
    rig_quat rotation = {(double)turned.x, (double)turned.y, (double)turned.z, (double)turned.w};
    rig_point place = {rest.m[0][3], rest.m[1][3], rest.m[2][3]};
    rig_point scale = {stretch(&rest, 0), stretch(&rest, 1), stretch(&rest, 2)};
    unsigned *cursors = s->cursors[node];
    return rig_affine_of(vector_at(c->mPositionKeys, c->mNumPositionKeys, time, &cursors[0], place),
                         rotation_at(c->mRotationKeys, c->mNumRotationKeys, time, &cursors[1], rotation),
                         vector_at(c->mScalingKeys, c->mNumScalingKeys, time, &cursors[2], scale));
}

/* All scales go into the places of the bones: poses are taken apart in the model's coordinates, not beside
 * their parents. */
static bool sample_frame(sampler *s, double time, mote_pose *frame, mote_pose *placed)
{
    rig_importer *in = s->in;
    for (uint32_t i = 0; i < in->node_count; i++) {
        const rig_node *node = &in->nodes[i];
        if (!node->needed)
            continue;
        rig_affine local = local_at(s, i, time);
        s->now[i] = rig_product(node->parent == MOTE_NO_BONE ? &in->top : &s->now[node->parent], &local);
        if (node->bone == MOTE_NO_BONE)
            continue;
        if (!rig_finite(&s->now[i]))
            return rig_refuse(in, "animation '%s' moves its bones out of all bounds",
                              rig_shown_name(&s->animation->mName));
        placed[node->bone] = rig_rigid_part(&s->now[i], &s->uneven);
        uint32_t parent = in->rig->parents[node->bone];
        frame[node->bone] =
            parent == MOTE_NO_BONE ? placed[node->bone] : rig_pose_from(placed[parent], placed[node->bone]);
    }
    return true;
}

/* ---- one animation -------------------------------------------------------------------------------------- */

static bool find_channels(sampler *s)
{
    for (unsigned i = 0; i < s->animation->mNumChannels; i++) {
        const struct aiNodeAnim *channel = s->animation->mChannels[i];
        if (!check_channel(s, channel))
            return false;
        uint32_t node = rig_find_node(s->in, &channel->mNodeName);
        if (node == MOTE_NO_BONE)
            continue;
        if (s->channels[node] == NULL && s->in->nodes[node].needed)
            s->moved++;
        s->channels[node] = channel;
    }
    return true;
}

/* How many poses all clips have that are there already. */
static double poses_so_far(const rig *model)
{
    double sum = 0;
    for (uint32_t i = 0; i < model->clip_count; i++)
        sum += (double)model->clips[i].frame_count * model->bone_count;
    return sum;
}

static bool sample_clip(sampler *s)
{
    rig *model = s->in->rig;
    rig_clip *clip = &model->clips[model->clip_count];
    double ticks = s->animation->mTicksPerSecond, end, density;
    if (!isfinite(ticks) || ticks < 0)
        return rig_refuse(s->in, "animation '%s' has %g frames a second", rig_shown_name(&s->animation->mName),
                          ticks);
    if (!(ticks > 0)) /* the file does not say */
        ticks = DEFAULT_RATE;
    see_keys(s, &end, &density);
    double rate = frame_rate(ticks, density), count = floor(end / ticks * rate + 0.5) + 1;
    snprintf(clip->name, sizeof clip->name, "%.*s", RIG_NAME - 1, rig_shown_name(&s->animation->mName));
    if (!(poses_so_far(model) + count * model->bone_count <= (double)RIG_MAX_POSES))
        return rig_refuse(s->in,
                          "animation '%s' is %g s long: %.0f frames of %u bones; all of them together "
                          "may have %u poses",
                          clip->name, end / ticks, count, model->bone_count, (unsigned)RIG_MAX_POSES);
    clip->rate = (float)rate;
    clip->frame_count = (uint32_t)count;
    clip->frames = malloc((size_t)count * model->bone_count * sizeof *clip->frames);
    mote_pose *placed = malloc(model->bone_count * sizeof *placed);
    bool done = clip->frames != NULL && placed != NULL;
    if (!done)
        rig_out_of_memory(s->in);
    for (uint32_t f = 0; f < clip->frame_count && done; f++)
        done =
            sample_frame(s, fmin(f * ticks / rate, end), clip->frames + (size_t)f * model->bone_count, placed);
    free(placed);
    /* Also if it failed: it is freed with the rig. */
    model->clip_count++;
    model->warnings |= s->uneven ? RIG_WARNING_SCALE : 0;
    return done;
}

/* An animation that moves no bone is left out: some exporters write empty ones. */
static bool read_animation(rig_importer *in, const struct aiAnimation *animation)
{
    sampler s = {.in = in, .animation = animation};
    s.channels = calloc(in->node_count, sizeof *s.channels);
    s.now = calloc(in->node_count, sizeof *s.now);
    s.cursors = calloc(in->node_count, sizeof *s.cursors);
    bool done = s.channels != NULL && s.now != NULL && s.cursors != NULL;
    if (!done)
        rig_out_of_memory(in);
    done = done && find_channels(&s);
    if (done && s.moved > 0)
        done = sample_clip(&s);
    free(s.channels);
    free(s.now);
    free(s.cursors);
    return done;
}

bool rig_check_animations(rig_importer *in)
{
    for (unsigned i = 0; i < in->scene->mNumAnimations; i++) {
        const struct aiAnimation *animation = in->scene->mAnimations[i];
        if (animation == NULL || !rig_name_is_sound(&animation->mName) ||
            (animation->mNumChannels > 0 && animation->mChannels == NULL))
            return rig_refuse(in, "an animation lacks its arrays");
        for (unsigned c = 0; c < animation->mNumChannels; c++)
            if (animation->mChannels[c] == NULL || !rig_name_is_sound(&animation->mChannels[c]->mNodeName))
                return rig_refuse(in, "an animation lacks its keys");
    }
    return true;
}

bool rig_read_clips(rig_importer *in)
{
    unsigned count = in->scene->mNumAnimations;
    if (count == 0)
        return true;
    if (count > RIG_MAX_CLIPS)
        return rig_refuse(in, "it has %u animations; it may have %u", count, RIG_MAX_CLIPS);
    in->rig->clips = calloc(count, sizeof *in->rig->clips);
    if (in->rig->clips == NULL)
        return rig_out_of_memory(in);
    for (unsigned i = 0; i < count; i++)
        if (!read_animation(in, in->scene->mAnimations[i]))
            return false;
    return true;
}
