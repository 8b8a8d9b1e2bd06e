/* Clips: where bones are at a time between two frames. */
#include "base/error.h"
#include "mote/skeleton.h"
#include "world/check.h"
#include "world/pose_chain.h"

/* The two frames around a time, and how far it is from the first to the second, 0..1. */
typedef struct clip_moment {
    const mote_pose *before, *after;
    uint32_t before_index, after_index;
    float part;
} clip_moment;

static mote_result check_clip(const mote_clip *clip)
{
    MT_TRY(mt_check_pointer("clip", clip));
    MT_TRY(mt_check_positive("clip.rate", clip->rate, 1e6f));
    MT_TRY(mt_check_count("clip.frame_count", clip->frame_count, 1, UINT32_MAX));
    MT_TRY(mt_check_count("clip.bone_count", clip->bone_count, 1, UINT32_MAX));
    MT_TRY(mt_check_pointer("clip.frames", clip->frames));
    MT_TRY(mt_check_pointer("clip.parents", clip->parents));
    for (uint32_t i = 0; i < clip->bone_count; i++)
        if (clip->parents[i] != MOTE_NO_BONE && clip->parents[i] >= i)
            return mt_fail(MOTE_ERROR_ARGUMENT, "clip.parents[%u] is %u: it must be below %u, or MOTE_NO_BONE",
                           i, clip->parents[i], i);
    return MOTE_OK;
}

/* In frames from the first one. A loop lasts frame_count frames: from the last one it goes over to the
 * first. */
static double place_of(const mote_clip *clip, double time, bool loop)
{
    double count = (double)clip->frame_count, place = time * (double)clip->rate;
    if (loop) {
        place -= count * floor(place / count);
        return place >= 0 && place < count ? place : 0.0; /* rounding, or beyond all precision */
    }
    return place > 0 ? fmin(place, count - 1.0) : 0.0;
}

static clip_moment moment_of(const mote_clip *clip, double time, bool loop)
{
    double place = place_of(clip, time, loop), first = floor(place);
    uint32_t before = (uint32_t)first, after = before + 1 < clip->frame_count ? before + 1 : 0;
    if (!loop && after == 0)
        after = before;
    return (clip_moment){clip->frames + (size_t)before * clip->bone_count,
                         clip->frames + (size_t)after * clip->bone_count, before, after,
                         (float)(place - first)};
}

/* Of the many frames only these two are looked at. */
static mote_result check_frame(const mote_clip *clip, const mote_pose *frame, uint32_t index)
{
    for (uint32_t i = 0; i < clip->bone_count; i++)
        MT_TRY(mt_check_pose("clip.frames", (size_t)index * clip->bone_count + i, "", frame[i], NULL));
    return MOTE_OK;
}

mote_result mote_clip_sample(const mote_clip *clip, double time, bool loop, mote_pose root, mote_pose *poses)
{
    MT_TRY(check_clip(clip));
    MT_TRY(mt_check_pointer("poses", poses));
    if (!isfinite(time))
        return mt_fail(MOTE_ERROR_NOT_FINITE, "time is %g, which is not a finite number", time);
    mt_pose base;
    MT_TRY(mt_check_pose("root", MT_NO_INDEX, "", root, &base));
    clip_moment moment = moment_of(clip, time, loop);
    MT_TRY(check_frame(clip, moment.before, moment.before_index));
    MT_TRY(check_frame(clip, moment.after, moment.after_index));
    for (uint32_t i = 0; i < clip->bone_count; i++) {
        mt_pose before = {moment.before[i].position, mt_quat_unit(moment.before[i].rotation)};
        mt_pose after = {moment.after[i].position, mt_quat_unit(moment.after[i].rotation)};
        uint32_t parent = clip->parents[i];
        poses[i] = mt_pose_times(parent != MOTE_NO_BONE ? poses[parent] : base,
                                 mt_pose_blend(before, after, moment.part));
    }
    return MOTE_OK;
}
