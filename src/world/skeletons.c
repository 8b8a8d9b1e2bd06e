/* Skeletons: finding, driving and releasing their bones. What they are made of is in build/skeleton*.c. */
#include "world/skeletons.h"

#include "base/error.h"
#include "world/bodies.h"
#include "world/check.h"
#include "world/pose_chain.h"

#include <string.h>

#define MAX_BLEND 1e6f /* s */

/* ---- the table ------------------------------------------------------------------------------------------ */

static mt_skeleton *skeleton_of(const mote_world *world, mote_skeleton_id id)
{
    if (world == NULL)
        return NULL;
    uint32_t slot = mt_handles_find(&world->skeletons.handles, id.index, id.generation);
    return slot != MT_NO_SLOT ? &mt_skeletons(world)[slot] : NULL;
}

static mote_result find_skeleton(const mote_world *world, mote_skeleton_id id, mt_skeleton **found)
{
    MT_TRY(mt_check_pointer("world", world));
    *found = skeleton_of(world, id);
    if (*found == NULL)
        return mt_handle_refused(&world->skeletons.handles, "skeleton handle", id.index, id.generation);
    return MOTE_OK;
}

static mt_bone *bones_of(const mote_world *world, const mt_skeleton *skeleton)
{
    return mt_bones(world) + skeleton->first_bone;
}

mote_result mt_skeleton_begin(mote_world *world, uint32_t bone_count, mote_skeleton_id *id)
{
    MT_TRY(mt_array_reserve(&world->bones, &world->memory, world->bone_count + bone_count, world->bone_count));
    mt_handle handle;
    MT_TRY(mt_table_add(world, MT_SKELETONS, &handle));
    *id = (mote_skeleton_id){handle.index, handle.generation};
    mt_skeletons(world)[world->skeletons.count - 1] = (mt_skeleton){*id, (uint32_t)world->bone_count, 0};
    return MOTE_OK;
}

void mt_skeleton_append(mote_world *world, const mt_bone *bone)
{
    mt_bones(world)[world->bone_count++] = *bone;
    mt_skeletons(world)[world->skeletons.count - 1].bone_count++;
}

void mt_skeleton_drop(mote_world *world, mote_skeleton_id id)
{
    uint32_t slot = mt_handles_find(&world->skeletons.handles, id.index, id.generation);
    mt_skeleton gone = mt_skeletons(world)[slot];
    for (uint32_t i = gone.bone_count; i-- > 0;) { /* the last first: handles are then handed out as before */
        mote_body_id body = mt_bones(world)[gone.first_bone + i].body;
        if (mote_body_is_valid(world, body))
            mote_body_remove(world, body);
    }
    mt_bone *bones = bones_of(world, &gone);
    world->bone_count -= gone.bone_count;
    memmove(bones, bones + gone.bone_count, (world->bone_count - gone.first_bone) * sizeof *bones);
    mt_table_remove(&world->skeletons, slot);
    for (uint32_t i = slot; i < world->skeletons.count; i++)
        mt_skeletons(world)[i].first_bone -= gone.bone_count;
}

mote_result mote_skeleton_remove(mote_world *world, mote_skeleton_id skeleton)
{
    MT_TRY(mt_enter(world, "mote_skeleton_remove"));
    mt_skeleton *found;
    MT_TRY(find_skeleton(world, skeleton, &found));
    mt_skeleton_drop(world, skeleton);
    return MOTE_OK;
}

bool mote_skeleton_is_valid(const mote_world *world, mote_skeleton_id skeleton)
{
    return skeleton_of(world, skeleton) != NULL;
}

uint32_t mote_skeleton_count(const mote_world *world)
{
    return world != NULL ? world->skeletons.count : 0;
}

uint32_t mote_skeleton_list(const mote_world *world, mote_skeleton_id *ids, uint32_t capacity)
{
    uint32_t count = mote_skeleton_count(world);
    for (uint32_t i = 0; ids != NULL && i < count && i < capacity; i++)
        ids[i] = mt_skeletons(world)[i].id;
    return count;
}

/* ---- bones ---------------------------------------------------------------------------------------------- */

/* NULL if there is no such bone. */
static const mt_bone *bone_of(const mote_world *world, mote_skeleton_id skeleton, uint32_t bone)
{
    const mt_skeleton *found = skeleton_of(world, skeleton);
    return found != NULL && bone < found->bone_count ? bones_of(world, found) + bone : NULL;
}

uint32_t mote_skeleton_bone_count(const mote_world *world, mote_skeleton_id skeleton)
{
    const mt_skeleton *found = skeleton_of(world, skeleton);
    return found != NULL ? found->bone_count : 0;
}

mote_body_id mote_skeleton_body(const mote_world *world, mote_skeleton_id skeleton, uint32_t bone)
{
    const mt_bone *found = bone_of(world, skeleton, bone);
    bool lives = found != NULL && mote_body_is_valid(world, found->body);
    return lives ? found->body : (mote_body_id){0, 0};
}

mote_joint_id mote_skeleton_joint(const mote_world *world, mote_skeleton_id skeleton, uint32_t bone)
{
    const mt_bone *found = bone_of(world, skeleton, bone);
    bool lives = found != NULL && mote_joint_is_valid(world, found->joint);
    return lives ? found->joint : (mote_joint_id){0, 0};
}

uint32_t mote_skeleton_find_bone(const mote_world *world, mote_skeleton_id skeleton, const char *name)
{
    const mt_skeleton *found = skeleton_of(world, skeleton);
    if (found == NULL || name == NULL || name[0] == 0)
        return MOTE_NO_BONE;
    for (uint32_t i = 0; i < found->bone_count; i++)
        if (strcmp(bones_of(world, found)[i].name, name) == 0)
            return i;
    return MOTE_NO_BONE;
}

/* The body of a bone, or NULL if someone has removed it. */
static const mt_body *body_of(const mote_world *world, const mt_bone *bone)
{
    uint32_t slot = mt_handles_find(&world->bodies.handles, bone->body.index, bone->body.generation);
    return slot != MT_NO_SLOT ? &mt_bodies(world)[slot] : NULL;
}

static bool is_driven(const mote_world *world, const mt_bone *bone)
{
    const mt_body *body = body_of(world, bone);
    return body != NULL && body->mode == MOTE_BODY_DRIVEN;
}

bool mote_skeleton_is_driven(const mote_world *world, mote_skeleton_id skeleton, uint32_t bone)
{
    const mt_bone *found = bone_of(world, skeleton, bone);
    return found != NULL && is_driven(world, found);
}

/* Where a bone is in the world; false if it has no body any more. */
static bool pose_of(const mote_world *world, const mt_bone *bone, mt_pose *pose)
{
    mote_pose body;
    if (!mote_body_is_valid(world, bone->body) || mote_body_poses(world, &bone->body, 1, &body) != MOTE_OK)
        return false;
    *pose = mt_pose_times(body, bone->offset);
    return true;
}

mote_result mote_skeleton_get_poses(const mote_world *world, mote_skeleton_id skeleton, mote_pose *poses,
                                    uint32_t count)
{
    mt_skeleton *found;
    MT_TRY(find_skeleton(world, skeleton, &found));
    MT_TRY(mt_check_count("count", count, 0, found->bone_count));
    if (count > 0)
        MT_TRY(mt_check_pointer("poses", poses));
    for (uint32_t i = 0; i < count; i++) {
        const mt_bone *bone = &bones_of(world, found)[i];
        if (!pose_of(world, bone, &poses[i]))
            poses[i] =
                bone->parent == MOTE_NO_BONE ? (mote_pose){.rotation = {0, 0, 0, 1}} : poses[bone->parent];
    }
    return MOTE_OK;
}

/* ---- driving -------------------------------------------------------------------------------------------- */

static mote_result release_bone(mote_world *world, mt_bone *bone)
{
    bone->driven = 0;
    bone->blend = bone->blended = 0.0f;
    return mote_body_set_mode(world, bone->body, MOTE_BODY_DYNAMIC);
}

/* It starts from where it is beside its parent, so that a whole limb comes back in one piece while what it
 * hangs on moves. Without a parent that has a body it is a root from now on. */
static mote_result drive_bone(mote_world *world, mt_bone *bones, uint32_t bone, float blend)
{
    mt_bone *b = &bones[bone];
    MT_TRY(mote_body_set_mode(world, b->body, MOTE_BODY_DRIVEN));
    b->driven = 1;
    b->blend = blend;
    b->blended = 0.0f;
    pose_of(world, b, &b->from);
    mt_pose above;
    if (b->parent != MOTE_NO_BONE && pose_of(world, &bones[b->parent], &above))
        b->from = mt_pose_beside(above, b->from);
    else
        b->parent = MOTE_NO_BONE;
    return MOTE_OK;
}

/* A bone that the call names must have a body; of all of them, those that do are meant. */
static mote_result check_bone(const mote_world *world, const mt_skeleton *skeleton, uint32_t bone)
{
    if (bone == MOTE_ALL_BONES)
        return MOTE_OK;
    if (bone >= skeleton->bone_count)
        return mt_fail(MOTE_ERROR_ARGUMENT, "bone is %u, but the skeleton has only %u", bone,
                       skeleton->bone_count);
    if (body_of(world, &bones_of(world, skeleton)[bone]) == NULL)
        return mt_fail(MOTE_ERROR_STALE_HANDLE, "bone %u has no body any more", bone);
    return MOTE_OK;
}

static bool is_meant(const mote_world *world, const mt_bone *bones, uint32_t i, uint32_t bone)
{
    return i == bone || (bone == MOTE_ALL_BONES && body_of(world, &bones[i]) != NULL);
}

mote_result mote_skeleton_release(mote_world *world, mote_skeleton_id skeleton, uint32_t bone)
{
    MT_TRY(mt_enter(world, "mote_skeleton_release"));
    mt_skeleton *found;
    MT_TRY(find_skeleton(world, skeleton, &found));
    MT_TRY(check_bone(world, found, bone));
    MT_TRY(mt_deferred_reserve(world, found->bone_count));
    mt_bone *bones = bones_of(world, found);
    if (bone == MOTE_ALL_BONES)
        mt_skeleton_fit(world, bones, found->bone_count);
    for (uint32_t i = 0; i < found->bone_count; i++)
        if (is_meant(world, bones, i, bone))
            MT_TRY(release_bone(world, &bones[i]));
    return MOTE_OK;
}

mote_result mote_skeleton_drive(mote_world *world, mote_skeleton_id skeleton, uint32_t bone, float blend)
{
    MT_TRY(mt_enter(world, "mote_skeleton_drive"));
    mt_skeleton *found;
    MT_TRY(find_skeleton(world, skeleton, &found));
    MT_TRY(check_bone(world, found, bone));
    MT_TRY(mt_check_range("blend", blend, 0.0f, MAX_BLEND));
    mt_bone *bones = bones_of(world, found);
    for (uint32_t i = 0; i < found->bone_count; i++)
        if (is_meant(world, bones, i, bone))
            MT_TRY(drive_bone(world, bones, i, blend));
    return MOTE_OK;
}

/* ---- moving --------------------------------------------------------------------------------------------- */

/* What a call has worked out so far; parents come before their children. */
typedef struct skeleton_move {
    mt_pose given[MOTE_MAX_BONES];  /* with unit rotations */
    mt_pose result[MOTE_MAX_BONES]; /* where driven bones go, and where limp ones are now */
    bool on_way[MOTE_MAX_BONES];    /* driven, and not yet where it is moved */
} skeleton_move;

/* A bone that comes back goes from where it was beside its parent to where it is to be beside it. It is on its
 * way until its parent has arrived: else it would jump when the parent is later. */
static mt_pose blended_pose(mote_world *world, mt_bone *bones, uint32_t bone, skeleton_move *move)
{
    mt_bone *b = &bones[bone];
    uint32_t parent = b->parent;
    bool is_root = parent == MOTE_NO_BONE, is_lost = !is_root && body_of(world, &bones[parent]) == NULL;
    float part = b->blended < b->blend ? b->blended / b->blend : 1.0f;
    move->on_way[bone] = !is_lost && (part < 1.0f || (!is_root && move->on_way[parent]));
    if (!move->on_way[bone]) {
        b->blend = b->blended = 0.0f;
        return move->given[bone];
    }
    float weight = part * part * (3.0f - 2.0f * part);
    if (is_root)
        return mt_pose_blend(b->from, move->given[bone], weight);
    mt_pose above = move->result[parent];
    mt_pose beside = is_driven(world, &bones[parent]) ? mt_pose_beside(move->given[parent], move->given[bone])
                                                      : mt_pose_beside(above, move->given[bone]);
    return mt_pose_times(above, mt_pose_blend(b->from, beside, weight));
}

static mote_result move_bone(mote_world *world, mt_bone *bones, uint32_t bone, skeleton_move *move)
{
    mt_bone *b = &bones[bone];
    move->on_way[bone] = false;
    move->result[bone] = move->given[bone];
    if (!is_driven(world, b)) {
        pose_of(world, b, &move->result[bone]);
        return MOTE_OK;
    }
    if (b->blend > 0.0f)
        move->result[bone] = blended_pose(world, bones, bone, move);
    mt_pose origin = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}};
    return mote_body_move_to(world, b->body,
                             mt_pose_times(move->result[bone], mt_pose_beside(b->offset, origin)));
}

mote_result mote_skeleton_move_to(mote_world *world, mote_skeleton_id skeleton, const mote_pose *poses,
                                  uint32_t count)
{
    MT_TRY(mt_enter(world, "mote_skeleton_move_to"));
    mt_skeleton *found;
    MT_TRY(find_skeleton(world, skeleton, &found));
    if (count != found->bone_count)
        return mt_fail(MOTE_ERROR_ARGUMENT, "count is %u; it must be that of the bones, %u", count,
                       found->bone_count);
    MT_TRY(mt_check_pointer("poses", poses));
    skeleton_move move;
    for (uint32_t i = 0; i < count; i++)
        MT_TRY(mt_check_pose("poses", i, "", poses[i], &move.given[i]));
    mt_bone *bones = bones_of(world, found);
    for (uint32_t i = 0; i < count; i++)
        MT_TRY(move_bone(world, bones, i, &move));
    return MOTE_OK;
}

void mt_skeletons_advance(mote_world *world, float dt)
{
    mt_bone *bones = mt_bones(world);
    for (size_t i = 0; i < world->bone_count; i++)
        if (bones[i].blend > 0.0f)
            bones[i].blended += dt;
}
