/* Driven bodies: where they are on the way to where the program wants them. */
#include "step/bodies/bodies.h"
#include "step/bodies/joint_finish.h"
#include "step/substep.h"

static mt_pose driven_pose(const mt_body *body, float part, float dt)
{
    if (body->has_target)
        return mt_pose_between(body->pose, body->target, part);
    float time = part * dt;
    mote_quat turn = mt_quat_of_spin(body->spin, time);
    return (mt_pose){mt_add(body->pose.position, mt_scale(body->velocity, time)),
                     mt_quat_unit(mt_quat_times(turn, body->pose.rotation))};
}

static void drive(mt_body_work *w, mt_pose pose, float inverse_h)
{
    w->pose = pose;
    w->at = mt_frame_of(pose);
    w->velocity = mt_scale(mt_sub(pose.position, w->start.position), inverse_h);
    w->spin = mt_spin_between(w->start.rotation, pose.rotation, inverse_h);
    w->push = w->turn = (mote_vec3){0.0f, 0.0f, 0.0f};
}

/* ---- bones ---------------------------------------------------------------------------------------------- */

/* The driven body of a bone; NULL if there is none. */
static const mt_body *driven_body(const mote_world *world, const mt_bone *bone)
{
    uint32_t slot = mt_handles_find(&world->bodies.handles, bone->body.index, bone->body.generation);
    const mt_body *body = slot != MT_NO_SLOT ? &mt_bodies(world)[slot] : NULL;
    return body != NULL && body->mode == MOTE_BODY_DRIVEN ? body : NULL;
}

static mt_body_work *work_of(const mote_world *world, const mt_body *body)
{
    const mt_body_plan *p = &world->scratch->bodies;
    const uint32_t *place = (const uint32_t *)p->order.data + p->body_count;
    return &mt_body_works(p)[place[body - mt_bodies(world)]];
}

/* On its own a bone would go another way than its parent, and at the end of the step the two would leave their
 * joint with different speeds, by half the difference of their turns in a step times the speed of the joint: a
 * blow when they are let go. So it goes about its joint, and this goes with the parent. */
static mt_pose beside_parent(const mote_world *world, const mt_bone *bone, const mt_body *body,
                             const mt_bone *parent, const mt_body *above, float part)
{
    const mt_pose origin = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}};
    if (part >= 1.0f)
        return body->target;
    mt_pose from =
        mt_pose_beside(mt_pose_times(above->pose, parent->offset), mt_pose_times(body->pose, bone->offset));
    mt_pose to =
        mt_pose_beside(mt_pose_times(above->target, parent->offset), mt_pose_times(body->target, bone->offset));
    mt_pose now = mt_pose_times(mt_pose_times(work_of(world, above)->pose, parent->offset),
                                mt_pose_between(from, to, part));
    return mt_pose_times(now, mt_pose_beside(bone->offset, origin));
}

static void drive_bones(const mote_world *world, const mt_skeleton *skeleton, const mt_substep *s)
{
    const mt_bone *bones = mt_bones(world) + skeleton->first_bone;
    for (uint32_t i = 0; i < skeleton->bone_count; i++) { /* parents first */
        const mt_body *body = driven_body(world, &bones[i]);
        if (body == NULL)
            continue;
        const mt_bone *parent = bones[i].parent != MOTE_NO_BONE ? &bones[bones[i].parent] : NULL;
        const mt_body *above = parent != NULL ? driven_body(world, parent) : NULL;
        bool follows = above != NULL && above->has_target && body->has_target;
        drive(work_of(world, body),
              follows ? beside_parent(world, &bones[i], body, parent, above, s->time.part)
                      : driven_pose(body, s->time.part, s->time.dt),
              s->inverse_h);
    }
}

/* ---- all ------------------------------------------------------------------------------------------------ */

/* A driven body is where the program wants it; before all others, which may be jointed to it. */
void mt_bodies_drive(mote_world *world, const mt_substep *s)
{
    mt_body_plan *p = &world->scratch->bodies;
    if (!p->any_driven)
        return;
    for (uint32_t i = 0; i < p->body_count; i++) {
        mt_body_work *w = &mt_body_works(p)[i];
        const mt_body *body = &mt_bodies(world)[w->body];
        if (w->driven && !body->is_bone)
            drive(w, driven_pose(body, s->time.part, s->time.dt), s->inverse_h);
    }
    for (uint32_t i = 0; i < world->skeletons.count; i++)
        drive_bones(world, &mt_skeletons(world)[i], s);
}
