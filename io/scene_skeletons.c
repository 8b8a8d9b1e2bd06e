/* Skeletons of a scene: how they are made, how their animations play, and when their bones go limp. */
#include "io/scene_file.h"

#include "io/scene_math.h"

#include <math.h>
#include <stdlib.h>

/* A part of a frame by which an action may be early, since times are not whole frames to the last bit. */
#define EARLY 1e-3

/* Where the bones are in the world at a time since the start. */
static mote_result find_poses(const scene_skeleton *skeleton, size_t copy, double time, mote_pose *poses)
{
    const scene_rig *made = &skeleton->rig;
    mote_pose base = scene_motion_pose(&skeleton->motion, skeleton->position, &skeleton->rotation, time);
    mote_pose root = scene_repeat_pose(&skeleton->repeat, base, copy);
    if (made->file_bones != NULL)
        return rig_sample(&made->file, made->clip, skeleton->start + skeleton->speed * time, skeleton->loop,
                          root, made->file_bones, made->bone_count, poses);
    for (uint32_t i = 0; i < made->bone_count; i++)
        poses[i] = scene_pose_in(root, made->bones[i].rest);
    return MOTE_OK;
}

/* ---- making --------------------------------------------------------------------------------------------- */

static mote_result put_at_time(mote_skeleton_id id, const scene_skeleton *skeleton, size_t copy,
                               mote_world *world, double time)
{
    uint32_t count = skeleton->rig.bone_count;
    mote_pose *now = malloc(2 * (size_t)count * sizeof *now);
    if (now == NULL)
        return MOTE_ERROR_MEMORY;
    mote_result result = mote_skeleton_get_poses(world, id, now, count);
    if (result == MOTE_OK)
        result = find_poses(skeleton, copy, time, now + count);
    for (uint32_t i = 0; i < count && result == MOTE_OK; i++) {
        mote_body_id body = mote_skeleton_body(world, id, i);
        mote_body_state state;
        result = mote_body_get(world, body, &state);
        if (result == MOTE_OK)
            result = mote_body_set_pose(
                world, body,
                scene_pose_in(now[count + i], scene_pose_in(scene_pose_inverse(now[i]), state.pose)));
    }
    free(now);
    return result;
}

static mote_result add_copy(const scene_skeleton *skeleton, size_t copy, mote_skeleton_def def,
                            mote_world *world, mote_skeleton_id *id)
{
    mote_pose base = scene_motion_pose(&skeleton->motion, skeleton->position, &skeleton->rotation, 0.0);
    def.pose = scene_repeat_pose(&skeleton->repeat, base, copy);
    *id = mote_skeleton_add(world, &def);
    if (mote_is_null(*id))
        return mote_last_result();
    /* Limits of joints are measured from the rest pose, so it is made at rest and then put where the animation
     * begins. */
    return skeleton->rig.clip != RIG_NO_CLIP ? put_at_time(*id, skeleton, copy, world, 0.0) : MOTE_OK;
}

mote_result scene_add_skeleton(scene_file *file, scene_skeleton *skeleton, mote_world *world)
{
    const scene_description *d = &file->description;
    size_t copies = scene_repeat_count(&skeleton->repeat), before = mote_particle_count(world);
    mote_skeleton_def def = mote_default_skeleton_def();
    def.bones = skeleton->rig.bones;
    def.bone_count = skeleton->rig.bone_count;
    def.driven = skeleton->driven;
    def.radius = scene_radius(d, &skeleton->matter);
    if (skeleton->spacing > 0.0f)
        def.spacing = skeleton->spacing;
    def.mass = skeleton->mass;
    def.damping = skeleton->damping;
    def.material = scene_material_id(d, world, skeleton->matter.material);
    def.phase = scene_phase(&skeleton->matter);
    mote_result result = MOTE_OK;
    for (size_t i = 0; i < copies && result == MOTE_OK; i++)
        result = add_copy(skeleton, i, def, world, &file->skeleton_ids[skeleton->first + i]);
    skeleton->particles = mote_particle_count(world) - before;
    return result;
}

/* ---- acting --------------------------------------------------------------------------------------------- */

/* Whether a time comes with this frame: it is later than the frame before, and not later than this one. */
static bool is_due(double time, double dt, uint32_t frame)
{
    double now = (frame + EARLY) * dt, before = now - dt;
    return time <= now && (frame == 0 || time > before);
}

static mote_result act(const scene_action *action, mote_skeleton_id id, mote_world *world)
{
    uint32_t bone = action->bone != NULL ? mote_skeleton_find_bone(world, id, action->bone) : MOTE_ALL_BONES;
    return action->action == SCENE_ACTION_RELEASE ? mote_skeleton_release(world, id, bone)
                                                  : mote_skeleton_drive(world, id, bone, action->blend);
}

static mote_result act_all(const scene_skeleton *skeleton, mote_skeleton_id id, mote_world *world, double dt,
                           uint32_t frame)
{
    const scene_action *actions = skeleton->actions.items;
    mote_result result = MOTE_OK;
    if (scene_given(&SCENE_SKELETONS, skeleton, "release") && is_due(skeleton->release, dt, frame))
        result = mote_skeleton_release(world, id, MOTE_ALL_BONES);
    for (size_t i = 0; i < skeleton->actions.count && result == MOTE_OK; i++)
        if (is_due(actions[i].time, dt, frame))
            result = act(&actions[i], id, world);
    return result;
}

/* The frame before which something happens. */
static uint32_t frame_of(double time, double dt)
{
    return (uint32_t)fmin(ceil(fmax(time / dt - EARLY, 0.0)), (double)(UINT32_MAX - 1u));
}

double scene_first_release(const scene_description *d, const scene_skeleton *skeleton)
{
    const scene_action *actions = skeleton->actions.items;
    double first = scene_given(&SCENE_SKELETONS, skeleton, "release") ? skeleton->release : INFINITY;
    for (size_t i = 0; i < skeleton->actions.count; i++)
        if (actions[i].action == SCENE_ACTION_RELEASE)
            first = fmin(first, actions[i].time);
    double dt = scene_frame_seconds(d);
    return skeleton->driven && isfinite(first) ? frame_of(first, dt) * dt : -1.0;
}

mote_result scene_release_skeleton(const scene_file *file, const scene_skeleton *skeleton, mote_world *world)
{
    double dt = scene_frame_seconds(&file->description);
    double time = scene_first_release(&file->description, skeleton);
    size_t copies = scene_repeat_count(&skeleton->repeat);
    mote_result result = MOTE_OK;
    for (size_t i = 0; i < copies && result == MOTE_OK; i++) {
        mote_skeleton_id id = file->skeleton_ids[skeleton->first + i];
        result = put_at_time(id, skeleton, i, world, time);
        if (result == MOTE_OK)
            result = act_all(skeleton, id, world, dt, frame_of(time, dt));
    }
    return result;
}

static bool any_driven(const mote_world *world, mote_skeleton_id id, uint32_t bones)
{
    for (uint32_t i = 0; i < bones; i++)
        if (mote_skeleton_is_driven(world, id, i))
            return true;
    return false;
}

/* A skeleton that neither plays nor moves stands by itself; one that is driven again has a way to go. */
static bool needs_poses(const scene_skeleton *skeleton)
{
    const scene_action *actions = skeleton->actions.items;
    bool plays = skeleton->rig.clip != RIG_NO_CLIP && skeleton->speed > 0.0;
    bool again = false;
    for (size_t i = 0; i < skeleton->actions.count; i++)
        again = again || actions[i].action == SCENE_ACTION_DRIVE;
    return plays || again || skeleton->motion.keys.count > 0;
}

static mote_result move_copy(const scene_skeleton *skeleton, size_t copy, mote_skeleton_id id,
                             mote_world *world, double time, mote_pose *poses)
{
    if (!needs_poses(skeleton) || !any_driven(world, id, skeleton->rig.bone_count))
        return MOTE_OK;
    mote_result result = find_poses(skeleton, copy, time, poses);
    return result == MOTE_OK ? mote_skeleton_move_to(world, id, poses, skeleton->rig.bone_count) : result;
}

mote_result scene_move_skeletons(const scene_file *file, mote_world *world, uint32_t frame)
{
    const scene_description *d = &file->description;
    const scene_skeleton *skeletons = d->skeletons.items;
    double dt = scene_frame_seconds(d);
    mote_result result = MOTE_OK;
    for (size_t i = 0; i < d->skeletons.count && result == MOTE_OK; i++) {
        size_t copies = scene_repeat_count(&skeletons[i].repeat);
        mote_pose *poses = malloc(((size_t)skeletons[i].rig.bone_count + 1) * sizeof *poses);
        if (poses == NULL)
            return MOTE_ERROR_MEMORY;
        for (size_t k = 0; k < copies && result == MOTE_OK; k++) {
            mote_skeleton_id id = file->skeleton_ids[skeletons[i].first + k];
            if (!mote_skeleton_is_valid(world, id)) /* a volume may have removed it */
                continue;
            result = act_all(&skeletons[i], id, world, dt, frame);
            if (result == MOTE_OK)
                result = move_copy(&skeletons[i], k, id, world, (frame + 1.0) * dt, poses);
        }
        free(poses);
    }
    return result;
}
